"""Work items: search, list, create, change, label, assign."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, HTTPException, Query
from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session

from cowscore.demo.tracker.access import CurrentMember, CurrentProject, CurrentWorkItem, Database, Log, apply, found
from cowscore.demo.tracker.bodies import (
    LabelRef,
    MemberRef,
    Page,
    WorkItemFilter,
    WorkItemIn,
    WorkItemOut,
    WorkItemPage,
    WorkItemPatch,
    WorkItemSearch,
)
from cowscore.demo.tracker.tables import (
    Label,
    Member,
    Project,
    State,
    WorkItem,
    WorkItemAssignee,
    WorkItemLabel,
)

router = APIRouter(tags=["work items"])


def shown(item: WorkItem) -> WorkItemOut:
    """A work item as the API shows it, links as lists of ids."""
    return WorkItemOut.model_validate(item)


def _page(db: Session, page: Page, conditions: Sequence[ColumnElement[bool]]) -> WorkItemPage:
    total = db.scalar(select(func.count()).select_from(WorkItem).where(*conditions)) or 0
    statement = (
        select(WorkItem)
        .where(*conditions)
        .order_by(WorkItem.project_id, WorkItem.sequence_id)
        .limit(page.limit)
        .offset(page.offset)
    )
    results = [shown(item) for item in db.scalars(statement)]
    return WorkItemPage(total=total, limit=page.limit, offset=page.offset, results=results)


def _contains(column: Any, words: str) -> ColumnElement[bool]:
    condition: ColumnElement[bool] = column.icontains(words, autoescape=True)
    return condition


@router.get(
    "/work-items/search",
    operation_id="search_work_items",
    summary="Search work items",
    response_model=WorkItemPage,
)
def search_work_items(wanted: Annotated[WorkItemSearch, Query()], db: Database, member: CurrentMember) -> WorkItemPage:
    """Work items whose name or description contains a text, in one project or in all."""
    conditions = [
        WorkItem.deleted_at.is_(None),
        or_(_contains(WorkItem.name, wanted.query), _contains(WorkItem.description, wanted.query)),
        WorkItem.project_id.in_(
            select(Project.id).where(Project.workspace_id == member.workspace_id, Project.deleted_at.is_(None))
        ),
    ]
    if wanted.project_id is not None:
        conditions.append(WorkItem.project_id == wanted.project_id)
    return _page(db, wanted, conditions)


@router.get(
    "/projects/{project_id}/work-items",
    operation_id="list_work_items",
    summary="List work items",
    response_model=WorkItemPage,
)
def list_work_items(project: CurrentProject, wanted: Annotated[WorkItemFilter, Query()], db: Database) -> WorkItemPage:
    """A page of a project's work items by number, filtered by state, label, assignee or priority."""
    conditions = [WorkItem.project_id == project.id, WorkItem.deleted_at.is_(None)]
    assigned = select(WorkItemAssignee.work_item_id)
    if wanted.state_id is not None:
        conditions.append(WorkItem.state_id == wanted.state_id)
    if wanted.priority is not None:
        conditions.append(WorkItem.priority == wanted.priority)
    if wanted.label_id is not None:
        labelled = select(WorkItemLabel.work_item_id).where(WorkItemLabel.label_id == wanted.label_id)
        conditions.append(WorkItem.id.in_(labelled))
    if wanted.assignee_id is not None:
        conditions.append(WorkItem.id.in_(assigned.where(WorkItemAssignee.member_id == wanted.assignee_id)))
    if wanted.unassigned is not None:
        conditions.append(WorkItem.id.not_in(assigned) if wanted.unassigned else WorkItem.id.in_(assigned))
    return _page(db, wanted, conditions)


@router.post(
    "/projects/{project_id}/work-items",
    status_code=201,
    operation_id="create_work_item",
    summary="Create work item",
    response_model=WorkItemOut,
)
def create_work_item(
    project: CurrentProject, body: WorkItemIn, db: Database, member: CurrentMember, log: Log
) -> WorkItemOut:
    """A new work item in a project, with the project's next number."""
    fields = body.model_dump(exclude={"label_ids", "assignee_ids"})
    fields["state_id"] = body.state_id or _first_state(db, project)
    _check_references(db, project, fields)
    numbers = select(func.coalesce(func.max(WorkItem.sequence_id), 0) + 1).where(WorkItem.project_id == project.id)
    item = WorkItem(project_id=project.id, created_by=member.id, sequence_id=db.scalar(numbers), **fields)
    db.add(item)
    db.flush()
    _relabel(db, project, item, body.label_ids)
    _reassign(db, item, body.assignee_ids)
    log.note("created", "work_item", project_id=project.id, work_item_id=item.id)
    db.flush()
    db.refresh(item)
    return shown(item)


@router.get(
    "/projects/{project_id}/work-items/{pk}",
    operation_id="retrieve_work_item",
    summary="Retrieve work item",
    response_model=WorkItemOut,
)
def retrieve_work_item(item: CurrentWorkItem) -> WorkItemOut:
    """One work item with its state, priority, labels and assignees."""
    return shown(item)


@router.patch(
    "/projects/{project_id}/work-items/{pk}",
    operation_id="update_work_item",
    summary="Update work item",
    response_model=WorkItemOut,
)
def update_work_item(
    project: CurrentProject, item: CurrentWorkItem, body: WorkItemPatch, db: Database, log: Log
) -> WorkItemOut:
    """Change fields of a work item, such as state, priority, labels or assignees. Fields not sent stay as they are."""
    fields = body.sent()
    label_ids, assignee_ids = fields.pop("label_ids", None), fields.pop("assignee_ids", None)
    _check_references(db, project, fields)
    # The lookups of names would flush half of the change otherwise, and the row be written twice.
    with db.no_autoflush:
        changed = apply(item, fields)
        if "state_id" in changed:
            old, new = (_named(db, State, [state]) for state in changed.pop("state_id"))
            changed["state"] = (old, new)
        if label_ids is not None:
            changed |= _relabel(db, project, item, label_ids)
        if assignee_ids is not None:
            changed |= _reassign(db, item, assignee_ids)
        if changed:
            # A change of links alone must stamp the work item too.
            item.updated_at = func.now()
    return _answer(db, project, item, changed, log)


@router.delete(
    "/projects/{project_id}/work-items/{pk}",
    status_code=204,
    operation_id="delete_work_item",
    summary="Delete work item",
)
def delete_work_item(project: CurrentProject, item: CurrentWorkItem, db: Database, log: Log) -> None:
    """Put a work item away. Its row is kept and no longer shown."""
    item.deleted_at = db.scalar(select(func.now()))
    log.note("deleted", "work_item", project_id=project.id, work_item_id=item.id)


@router.post(
    "/projects/{project_id}/work-items/{pk}/labels",
    operation_id="add_work_item_label",
    summary="Add label to work item",
    response_model=WorkItemOut,
)
def add_work_item_label(
    project: CurrentProject, item: CurrentWorkItem, body: LabelRef, db: Database, log: Log
) -> WorkItemOut:
    """Add one label to a work item; the others stay. Adding a label that is there already changes nothing."""
    wanted = [*(link.label_id for link in item.labels), body.label_id]
    return _answer(db, project, item, _relabel(db, project, item, wanted), log)


@router.delete(
    "/projects/{project_id}/work-items/{pk}/labels/{label_id}",
    operation_id="remove_work_item_label",
    summary="Remove label from work item",
    response_model=WorkItemOut,
)
def remove_work_item_label(
    project: CurrentProject, item: CurrentWorkItem, label_id: UUID, db: Database, log: Log
) -> WorkItemOut:
    """Take one label off a work item; the others stay."""
    wanted = [link.label_id for link in item.labels if link.label_id != label_id]
    return _answer(db, project, item, _relabel(db, project, item, wanted), log)


@router.post(
    "/projects/{project_id}/work-items/{pk}/assignees",
    operation_id="add_work_item_assignee",
    summary="Add assignee to work item",
    response_model=WorkItemOut,
)
def add_work_item_assignee(
    project: CurrentProject, item: CurrentWorkItem, body: MemberRef, db: Database, log: Log
) -> WorkItemOut:
    """Assign one more member to a work item; the others stay."""
    wanted = [*(link.member_id for link in item.assignees), body.member_id]
    return _answer(db, project, item, _reassign(db, item, wanted), log)


@router.delete(
    "/projects/{project_id}/work-items/{pk}/assignees/{member_id}",
    operation_id="remove_work_item_assignee",
    summary="Remove assignee from work item",
    response_model=WorkItemOut,
)
def remove_work_item_assignee(
    project: CurrentProject, item: CurrentWorkItem, member_id: UUID, db: Database, log: Log
) -> WorkItemOut:
    """Unassign one member from a work item; the others stay."""
    wanted = [link.member_id for link in item.assignees if link.member_id != member_id]
    return _answer(db, project, item, _reassign(db, item, wanted), log)


def _answer(db: Session, project: Project, item: WorkItem, changed: dict[str, Any], log: Log) -> WorkItemOut:
    """Write the history of a change and show the work item as the database has it now."""
    log.note("updated", "work_item", project_id=project.id, work_item_id=item.id, changed=changed)
    db.flush()
    db.refresh(item)
    return shown(item)


def _first_state(db: Session, project: Project) -> UUID:
    statement = select(State.id).where(State.project_id == project.id).order_by(State.position).limit(1)
    state_id = db.scalar(statement)
    if state_id is None:
        raise HTTPException(422, f"Project {project.identifier} has no states; create one first")
    return state_id


def _check_references(db: Session, project: Project, fields: dict[str, Any]) -> None:
    """States and parents must be of the same project: foreign keys alone would allow those of another."""
    if fields.get("state_id") is not None:
        found(db, State, fields["state_id"], State.project_id == project.id)
    if fields.get("parent_id") is not None:
        found(db, WorkItem, fields["parent_id"], WorkItem.project_id == project.id)


def _relabel(db: Session, project: Project, item: WorkItem, wanted: Iterable[UUID]) -> dict[str, Any]:
    """Make `wanted` the labels of the work item; writes only the difference. Returns it for the history."""
    target = set(wanted)
    known = set(db.scalars(select(Label.id).where(Label.id.in_(target), Label.project_id == project.id)))
    if unknown := target - known:
        raise HTTPException(404, f"No label {min(unknown)} in project {project.identifier}")
    current = {link.label_id: link for link in item.labels}
    for label_id in sorted(target - current.keys()):
        item.labels.append(WorkItemLabel(label_id=label_id))
    for label_id in current.keys() - target:
        item.labels.remove(current[label_id])
    return _difference(db, "labels", Label, current, target)


def _reassign(db: Session, item: WorkItem, wanted: Iterable[UUID]) -> dict[str, Any]:
    """Make `wanted` the assignees of the work item; writes only the difference. Returns it for the history."""
    target = set(wanted)
    if unknown := target - set(db.scalars(select(Member.id).where(Member.id.in_(target)))):
        raise HTTPException(404, f"No member {min(unknown)}")
    current = {link.member_id: link for link in item.assignees}
    for member_id in sorted(target - current.keys()):
        item.assignees.append(WorkItemAssignee(member_id=member_id))
    for member_id in current.keys() - target:
        item.assignees.remove(current[member_id])
    return _difference(db, "assignees", Member, current, target)


def _difference(
    db: Session, field: str, model: type[Label | Member], old: Iterable[UUID], new: set[UUID]
) -> dict[str, Any]:
    if set(old) == new:
        return {}
    return {field: (_named(db, model, old), _named(db, model, new))}


def _named(db: Session, model: type[Label | Member | State], ids: Iterable[UUID]) -> str:
    """Names instead of ids, sorted: a history is for people, and ids differ between sessions."""
    column = Member.handle if model is Member else model.name
    return ", ".join(sorted(db.scalars(select(column).where(model.id.in_(list(ids))))))
