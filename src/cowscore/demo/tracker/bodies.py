"""Request and response bodies. Requests forbid fields they do not know, so a guessed field is an error, not a no-op."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

Priority = Literal["urgent", "high", "medium", "low", "none"]
StateGroup = Literal["backlog", "unstarted", "started", "completed", "cancelled"]
Role = Literal["admin", "member", "guest"]
Name = Annotated[str, Field(min_length=1, max_length=255)]
Color = Annotated[str, Field(pattern="^#[0-9a-fA-F]{6}$", description="Hex colour such as #2563eb.")]
Labels = Annotated[list[UUID], Field(description="The complete set of label ids; labels not listed are taken off.")]
Assignees = Annotated[
    list[UUID], Field(description="The complete set of member ids; members not listed are unassigned.")
]


class Body(BaseModel):
    """A request body."""

    model_config = ConfigDict(extra="forbid")


def _without_defaults(schema: dict[str, Any]) -> None:
    for field in schema.get("properties", {}).values():
        field.pop("default", None)


class Patch(Body):
    """A partial update. An absent field stays as it is: the defaults only make it optional and are never used."""

    model_config = ConfigDict(json_schema_extra=_without_defaults)

    def sent(self) -> dict[str, Any]:
        """The fields that the client sent, with their values."""
        return self.model_dump(exclude_unset=True)


class Answer(BaseModel):
    """A response body, read from a row."""

    model_config = ConfigDict(from_attributes=True)


class WorkspaceOut(Answer):
    """The workspace."""

    id: UUID
    name: str
    slug: str


class MemberOut(Answer):
    """A member of the workspace."""

    id: UUID
    handle: str
    name: str
    email: str
    role: str
    profile: str


class MemberPatch(Patch):
    """Fields of a member that may be changed."""

    name: Name = ""
    role: Role = "member"
    profile: str = ""


class ApiKeyIn(Body):
    """A new API key."""

    name: Name


class ApiKeyOut(Answer):
    """An API key without its secret."""

    id: UUID
    member_id: UUID
    name: str
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


class NewApiKeyOut(ApiKeyOut):
    """An API key with its secret, shown this once."""

    secret: str


class ProjectIn(Body):
    """A new project."""

    identifier: str = Field(pattern="^[A-Z][A-Z0-9]{1,7}$", description="Short prefix such as PSP.")
    name: Name
    description: str = ""
    lead_id: UUID | None = None


class ProjectPatch(Patch):
    """Fields of a project that may be changed."""

    name: Name = ""
    description: str = ""
    lead_id: UUID | None = None


class ProjectOut(Answer):
    """A project."""

    id: UUID
    identifier: str
    name: str
    description: str
    lead_id: UUID | None


class StateIn(Body):
    """A new workflow state."""

    name: Name
    group: StateGroup
    position: int = Field(default=0, ge=0)


class StatePatch(Patch):
    """Fields of a state that may be changed."""

    name: Name = ""
    group: StateGroup = "backlog"
    position: int = Field(default=0, ge=0)


class StateOut(Answer):
    """A workflow state of a project."""

    id: UUID
    project_id: UUID
    name: str
    group: str
    position: int


class LabelIn(Body):
    """A new label."""

    name: Name
    color: Color = "#64748b"
    description: str = ""


class LabelPatch(Patch):
    """Fields of a label that may be changed."""

    name: Name = ""
    color: Color = "#64748b"
    description: str = ""


class LabelOut(Answer):
    """A label of a project."""

    id: UUID
    project_id: UUID
    name: str
    color: str
    description: str


class WorkItemIn(Body):
    """A new work item. Without a state it starts in the project's first backlog state."""

    name: Name
    description: str = ""
    priority: Priority = "none"
    state_id: UUID | None = None
    parent_id: UUID | None = None
    due_date: date | None = None
    label_ids: Labels = []
    assignee_ids: Assignees = []


class WorkItemPatch(Patch):
    """Fields of a work item that may be changed."""

    name: Name = ""
    description: str = ""
    priority: Priority = "none"
    state_id: UUID = Field(default=UUID(int=0), description="Id of a state of the same project.")
    parent_id: UUID | None = None
    due_date: date | None = None
    label_ids: Labels = []
    assignee_ids: Assignees = []


class WorkItemOut(Answer):
    """A work item of a project."""

    id: UUID
    project_id: UUID
    sequence_id: int
    name: str
    description: str
    priority: str
    state_id: UUID
    parent_id: UUID | None
    due_date: date | None
    label_ids: list[UUID]
    assignee_ids: list[UUID]
    created_by: UUID | None
    created_at: datetime
    updated_at: datetime


class WorkItemPage(Answer):
    """One page of work items."""

    total: int = Field(description="Number of work items on all pages.")
    limit: int
    offset: int
    results: list[WorkItemOut]


class LabelRef(Body):
    """Names a label of the project."""

    label_id: UUID


class MemberRef(Body):
    """Names a member of the workspace."""

    member_id: UUID


class WorkItemRefs(Body):
    """Names work items of the project."""

    work_item_ids: list[UUID] = Field(min_length=1)


class CommentIn(Body):
    """The text of a comment."""

    body: str = Field(min_length=1)


class CommentOut(Answer):
    """A comment on a work item."""

    id: UUID
    work_item_id: UUID
    author_id: UUID
    body: str
    created_at: datetime
    updated_at: datetime


class CycleIn(Body):
    """A new cycle."""

    name: Name
    start_date: date | None = None
    end_date: date | None = None


class CyclePatch(Patch):
    """Fields of a cycle that may be changed."""

    name: Name = ""
    start_date: date | None = None
    end_date: date | None = None


class CycleOut(Answer):
    """A cycle of a project."""

    id: UUID
    project_id: UUID
    name: str
    start_date: date | None
    end_date: date | None


class ActivityOut(Answer):
    """One line of history."""

    id: UUID
    work_item_id: UUID | None
    actor_id: UUID | None
    verb: str
    entity: str
    field: str | None
    old_value: str | None
    new_value: str | None
    created_at: datetime


class Page(Body):
    """Which part of a list to return."""

    limit: int = Field(default=20, ge=1, le=100, description="Number of results on a page.")
    offset: int = Field(default=0, ge=0, description="Number of results to skip.")


class WorkItemFilter(Page):
    """Which work items to list."""

    state_id: UUID | None = Field(default=None, description="Only work items in this state.")
    label_id: UUID | None = Field(default=None, description="Only work items with this label.")
    assignee_id: UUID | None = Field(default=None, description="Only work items assigned to this member.")
    priority: Priority | None = Field(default=None, description="Only work items of this priority.")
    unassigned: bool | None = Field(default=None, description="True: only work items without an assignee.")


class WorkItemSearch(Page):
    """What to search work items for."""

    query: str = Field(min_length=1, description="Text that the name or description contains.")
    project_id: UUID | None = Field(default=None, description="Only in this project.")
