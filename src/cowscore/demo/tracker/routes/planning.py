"""Comments, history and cycles."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, HTTPException, Query
from sqlalchemy import func, select

from cowscore.demo.tracker.access import CurrentMember, CurrentProject, CurrentWorkItem, Database, Log, apply, found
from cowscore.demo.tracker.bodies import (
    ActivityOut,
    CommentIn,
    CommentOut,
    CycleIn,
    CycleOut,
    CyclePatch,
    Page,
    WorkItemOut,
    WorkItemRefs,
)
from cowscore.demo.tracker.routes.work_items import shown
from cowscore.demo.tracker.tables import Activity, Comment, Cycle, CycleWorkItem, Project, WorkItem

router = APIRouter()
COMMENTS = "/projects/{project_id}/work-items/{pk}/comments"
CYCLES = "/projects/{project_id}/cycles"


@router.get(
    COMMENTS, operation_id="list_comments", summary="List comments", tags=["comments"], response_model=list[CommentOut]
)
def list_comments(item: CurrentWorkItem, db: Database) -> list[Comment]:
    """The comments on a work item, oldest first."""
    statement = select(Comment).where(Comment.work_item_id == item.id, Comment.deleted_at.is_(None))
    return list(db.scalars(statement.order_by(Comment.created_at, Comment.id)))


@router.post(
    COMMENTS,
    status_code=201,
    operation_id="create_comment",
    summary="Create comment",
    tags=["comments"],
    response_model=CommentOut,
)
def create_comment(
    project: CurrentProject, item: CurrentWorkItem, body: CommentIn, db: Database, member: CurrentMember, log: Log
) -> Comment:
    """Comment on a work item as the current member."""
    comment = Comment(work_item_id=item.id, author_id=member.id, body=body.body)
    db.add(comment)
    log.note("created", "comment", project_id=project.id, work_item_id=item.id)
    db.flush()
    return comment


def _comment(db: Database, item: WorkItem, comment_id: UUID, member: CurrentMember) -> Comment:
    comment = found(db, Comment, comment_id, Comment.work_item_id == item.id, Comment.deleted_at.is_(None))
    if comment.author_id != member.id and member.role != "admin":
        raise HTTPException(403, "Only its author or an admin can change a comment")
    return comment


@router.patch(
    COMMENTS + "/{comment_id}",
    operation_id="update_comment",
    summary="Update comment",
    tags=["comments"],
    response_model=CommentOut,
)
def update_comment(
    item: CurrentWorkItem, comment_id: UUID, body: CommentIn, db: Database, member: CurrentMember, log: Log
) -> Comment:
    """Replace the text of a comment. Its author or an admin only."""
    comment = _comment(db, item, comment_id, member)
    changed = apply(comment, {"body": body.body})
    log.note("updated", "comment", project_id=item.project_id, work_item_id=item.id, changed=changed)
    return comment


@router.delete(
    COMMENTS + "/{comment_id}",
    status_code=204,
    operation_id="delete_comment",
    summary="Delete comment",
    tags=["comments"],
)
def delete_comment(item: CurrentWorkItem, comment_id: UUID, db: Database, member: CurrentMember, log: Log) -> None:
    """Put a comment away. Its author or an admin only."""
    _comment(db, item, comment_id, member).deleted_at = db.scalar(select(func.now()))
    log.note("deleted", "comment", project_id=item.project_id, work_item_id=item.id)


@router.get(
    "/projects/{project_id}/work-items/{pk}/activities",
    operation_id="list_work_item_activities",
    summary="List history of work item",
    tags=["history"],
    response_model=list[ActivityOut],
)
def list_work_item_activities(item: CurrentWorkItem, page: Annotated[Page, Query()], db: Database) -> list[Activity]:
    """Who changed which field of a work item, newest first."""
    statement = select(Activity).where(Activity.work_item_id == item.id)
    statement = statement.order_by(Activity.created_at.desc(), Activity.id).limit(page.limit).offset(page.offset)
    return list(db.scalars(statement))


@router.get(CYCLES, operation_id="list_cycles", summary="List cycles", tags=["cycles"], response_model=list[CycleOut])
def list_cycles(project: CurrentProject, db: Database) -> list[Cycle]:
    """The cycles (time boxes) of a project, by name."""
    return list(db.scalars(select(Cycle).where(Cycle.project_id == project.id).order_by(Cycle.name)))


@router.post(
    CYCLES,
    status_code=201,
    operation_id="create_cycle",
    summary="Create cycle",
    tags=["cycles"],
    response_model=CycleOut,
)
def create_cycle(project: CurrentProject, body: CycleIn, db: Database, log: Log) -> Cycle:
    """A new cycle in a project; it may not end before it starts."""
    cycle = Cycle(project_id=project.id, **body.model_dump())
    db.add(cycle)
    log.note("created", "cycle", project_id=project.id, changed={"name": (None, body.name)})
    db.flush()
    return cycle


def _cycle(db: Database, project: Project, cycle_id: UUID) -> Cycle:
    return found(db, Cycle, cycle_id, Cycle.project_id == project.id)


@router.patch(
    CYCLES + "/{cycle_id}",
    operation_id="update_cycle",
    summary="Update cycle",
    tags=["cycles"],
    response_model=CycleOut,
)
def update_cycle(project: CurrentProject, cycle_id: UUID, body: CyclePatch, db: Database, log: Log) -> Cycle:
    """Rename a cycle or move its dates."""
    cycle = _cycle(db, project, cycle_id)
    log.note("updated", "cycle", project_id=project.id, changed=apply(cycle, body.sent()))
    return cycle


@router.delete(
    CYCLES + "/{cycle_id}", status_code=204, operation_id="delete_cycle", summary="Delete cycle", tags=["cycles"]
)
def delete_cycle(project: CurrentProject, cycle_id: UUID, db: Database, log: Log) -> None:
    """Remove a cycle. Its work items stay in the project."""
    cycle = _cycle(db, project, cycle_id)
    log.note("deleted", "cycle", project_id=project.id, changed={"name": (cycle.name, None)})
    db.delete(cycle)


@router.get(
    CYCLES + "/{cycle_id}/work-items",
    operation_id="list_cycle_work_items",
    summary="List work items of cycle",
    tags=["cycles"],
    response_model=list[WorkItemOut],
)
def list_cycle_work_items(project: CurrentProject, cycle_id: UUID, db: Database) -> list[WorkItemOut]:
    """The work items planned for a cycle, by number."""
    planned = select(CycleWorkItem.work_item_id).where(CycleWorkItem.cycle_id == _cycle(db, project, cycle_id).id)
    statement = select(WorkItem).where(WorkItem.id.in_(planned), WorkItem.deleted_at.is_(None))
    return [shown(item) for item in db.scalars(statement.order_by(WorkItem.sequence_id))]


@router.post(
    CYCLES + "/{cycle_id}/work-items",
    operation_id="add_cycle_work_items",
    summary="Add work items to cycle",
    tags=["cycles"],
    response_model=list[WorkItemOut],
)
def add_cycle_work_items(
    project: CurrentProject, cycle_id: UUID, body: WorkItemRefs, db: Database, log: Log
) -> list[WorkItemOut]:
    """Plan work items for a cycle. Those planned already stay."""
    cycle = _cycle(db, project, cycle_id)
    planned = set(db.scalars(select(CycleWorkItem.work_item_id).where(CycleWorkItem.cycle_id == cycle.id)))
    for pk in dict.fromkeys(body.work_item_ids):
        found(db, WorkItem, pk, WorkItem.project_id == project.id, WorkItem.deleted_at.is_(None))
        if pk not in planned:
            db.add(CycleWorkItem(cycle_id=cycle.id, work_item_id=pk))
            changed = {"cycle": (None, cycle.name)}
            log.note("updated", "work_item", project_id=project.id, work_item_id=pk, changed=changed)
    db.flush()
    return list_cycle_work_items(project, cycle_id, db)


@router.delete(
    CYCLES + "/{cycle_id}/work-items/{pk}",
    status_code=204,
    operation_id="remove_cycle_work_item",
    summary="Remove work item from cycle",
    tags=["cycles"],
)
def remove_cycle_work_item(project: CurrentProject, cycle_id: UUID, pk: UUID, db: Database, log: Log) -> None:
    """Take a work item out of a cycle; it stays in the project."""
    cycle = _cycle(db, project, cycle_id)
    planned = db.get(CycleWorkItem, (cycle.id, pk))
    if planned is None:
        raise HTTPException(404, f"Work item {pk} is not in the cycle {cycle.name}")
    db.delete(planned)
    changed = {"cycle": (cycle.name, None)}
    log.note("updated", "work_item", project_id=project.id, work_item_id=pk, changed=changed)
