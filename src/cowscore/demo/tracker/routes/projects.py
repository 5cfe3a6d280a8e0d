"""Projects with their states and labels."""

from __future__ import annotations

from uuid import UUID

from fastapi import APIRouter
from sqlalchemy import func, select

from cowscore.demo.tracker.access import Admin, CurrentMember, CurrentProject, Database, Log, apply, found
from cowscore.demo.tracker.bodies import (
    LabelIn,
    LabelOut,
    LabelPatch,
    ProjectIn,
    ProjectOut,
    ProjectPatch,
    StateIn,
    StateOut,
    StatePatch,
)
from cowscore.demo.tracker.tables import Label, Project, State

router = APIRouter()
FIRST_STATES = (
    ("Backlog", "backlog"),
    ("Todo", "unstarted"),
    ("In Progress", "started"),
    ("Done", "completed"),
    ("Cancelled", "cancelled"),
)


@router.get(
    "/projects",
    operation_id="list_projects",
    summary="List projects",
    tags=["projects"],
    response_model=list[ProjectOut],
)
def list_projects(db: Database, member: CurrentMember) -> list[Project]:
    """All projects of the workspace with their ids, identifiers and names."""
    statement = select(Project).where(Project.workspace_id == member.workspace_id, Project.deleted_at.is_(None))
    return list(db.scalars(statement.order_by(Project.identifier)))


@router.post(
    "/projects",
    status_code=201,
    operation_id="create_project",
    summary="Create project",
    tags=["projects"],
    response_model=ProjectOut,
)
def create_project(body: ProjectIn, db: Database, actor: Admin, log: Log) -> Project:
    """A new project with the five usual states. Admins only; the identifier must be free."""
    project = Project(workspace_id=actor.workspace_id, **body.model_dump())
    db.add(project)
    db.flush()
    for position, (name, group) in enumerate(FIRST_STATES):
        db.add(State(project_id=project.id, name=name, group=group, position=position))
    log.note("created", "project", project_id=project.id)
    return project


@router.get(
    "/projects/{project_id}",
    operation_id="retrieve_project",
    summary="Retrieve project",
    tags=["projects"],
    response_model=ProjectOut,
)
def retrieve_project(project: CurrentProject) -> Project:
    """One project by its id."""
    return project


@router.patch(
    "/projects/{project_id}",
    operation_id="update_project",
    summary="Update project",
    tags=["projects"],
    response_model=ProjectOut,
)
def update_project(project: CurrentProject, body: ProjectPatch, actor: Admin, log: Log) -> Project:
    """Change a project's name, description or lead. Admins only."""
    log.note("updated", "project", project_id=project.id, changed=apply(project, body.sent()))
    return project


@router.delete(
    "/projects/{project_id}",
    status_code=204,
    operation_id="delete_project",
    summary="Delete project",
    tags=["projects"],
)
def delete_project(project: CurrentProject, db: Database, actor: Admin, log: Log) -> None:
    """Put a project away. Admins only; its rows are kept and no longer shown."""
    project.deleted_at = db.scalar(select(func.now()))
    log.note("deleted", "project", project_id=project.id)


@router.get(
    "/projects/{project_id}/states",
    operation_id="list_states",
    summary="List states",
    tags=["states"],
    response_model=list[StateOut],
)
def list_states(project: CurrentProject, db: Database) -> list[State]:
    """The workflow states of a project, in the order of its board."""
    return list(db.scalars(select(State).where(State.project_id == project.id).order_by(State.position)))


@router.post(
    "/projects/{project_id}/states",
    status_code=201,
    operation_id="create_state",
    summary="Create state",
    tags=["states"],
    response_model=StateOut,
)
def create_state(project: CurrentProject, body: StateIn, db: Database, log: Log) -> State:
    """A new workflow state in a project; its name must be free there."""
    state = State(project_id=project.id, **body.model_dump())
    db.add(state)
    log.note("created", "state", project_id=project.id)
    db.flush()
    return state


def _state(project: Project, state_id: UUID, db: Database) -> State:
    return found(db, State, state_id, State.project_id == project.id)


@router.patch(
    "/projects/{project_id}/states/{state_id}",
    operation_id="update_state",
    summary="Update state",
    tags=["states"],
    response_model=StateOut,
)
def update_state(project: CurrentProject, state_id: UUID, body: StatePatch, db: Database, log: Log) -> State:
    """Rename, regroup or move a workflow state."""
    state = _state(project, state_id, db)
    log.note("updated", "state", project_id=project.id, changed=apply(state, body.sent()))
    return state


@router.delete(
    "/projects/{project_id}/states/{state_id}",
    status_code=204,
    operation_id="delete_state",
    summary="Delete state",
    tags=["states"],
)
def delete_state(project: CurrentProject, state_id: UUID, db: Database, log: Log) -> None:
    """Remove a workflow state. A state that is in use cannot be removed."""
    db.delete(_state(project, state_id, db))
    log.note("deleted", "state", project_id=project.id)


@router.get(
    "/projects/{project_id}/labels",
    operation_id="list_labels",
    summary="List labels",
    tags=["labels"],
    response_model=list[LabelOut],
)
def list_labels(project: CurrentProject, db: Database) -> list[Label]:
    """The labels of a project, by name."""
    return list(db.scalars(select(Label).where(Label.project_id == project.id).order_by(Label.name)))


@router.post(
    "/projects/{project_id}/labels",
    status_code=201,
    operation_id="create_label",
    summary="Create label",
    tags=["labels"],
    response_model=LabelOut,
)
def create_label(project: CurrentProject, body: LabelIn, db: Database, log: Log) -> Label:
    """A new label in a project; its name must be free there."""
    label = Label(project_id=project.id, **body.model_dump())
    db.add(label)
    log.note("created", "label", project_id=project.id, changed={"name": (None, body.name)})
    db.flush()
    return label


def _label(project: Project, label_id: UUID, db: Database) -> Label:
    return found(db, Label, label_id, Label.project_id == project.id)


@router.patch(
    "/projects/{project_id}/labels/{label_id}",
    operation_id="update_label",
    summary="Update label",
    tags=["labels"],
    response_model=LabelOut,
)
def update_label(project: CurrentProject, label_id: UUID, body: LabelPatch, db: Database, log: Log) -> Label:
    """Rename, recolour or describe a label."""
    label = _label(project, label_id, db)
    log.note("updated", "label", project_id=project.id, changed=apply(label, body.sent()))
    return label


@router.delete(
    "/projects/{project_id}/labels/{label_id}",
    status_code=204,
    operation_id="delete_label",
    summary="Delete label",
    tags=["labels"],
)
def delete_label(project: CurrentProject, label_id: UUID, db: Database, log: Log) -> None:
    """Remove a label from the project and from everything that carries it."""
    label = _label(project, label_id, db)
    log.note("deleted", "label", project_id=project.id, changed={"name": (label.name, None)})
    db.delete(label)
