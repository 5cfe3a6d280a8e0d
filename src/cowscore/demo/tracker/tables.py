"""The tracker's schema as SQLAlchemy models: what a team's own application would bring along."""

from __future__ import annotations

from datetime import date, datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, Engine, ForeignKey, Index, UniqueConstraint, func, text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship
from sqlalchemy.types import Date, DateTime, Text

PRIORITIES = ("urgent", "high", "medium", "low", "none")
STATE_GROUPS = ("backlog", "unstarted", "started", "completed", "cancelled")
ROLES = ("admin", "member", "guest")


class Base(DeclarativeBase):
    """Declares how Python types become column types."""

    type_annotation_map = {str: Text, datetime: DateTime(timezone=True), date: Date}  # noqa: RUF012


class Entity(Base):
    """A row with a generated key and two times."""

    __abstract__ = True

    id: Mapped[UUID] = mapped_column(primary_key=True, server_default=func.gen_random_uuid())
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())


def one_of(column: str, values: tuple[str, ...]) -> CheckConstraint:
    """A CHECK that `column` holds one of `values`."""
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} in ({listed})", name="known_" + column.strip('"'))


class Workspace(Entity):
    """The team's workspace; the tracker has one."""

    __tablename__ = "workspaces"

    name: Mapped[str]
    slug: Mapped[str] = mapped_column(unique=True)


class Member(Entity):
    """A person of the workspace."""

    __tablename__ = "members"
    __table_args__ = (one_of("role", ROLES), UniqueConstraint("workspace_id", "handle"))

    workspace_id: Mapped[UUID] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"))
    handle: Mapped[str]
    name: Mapped[str]
    email: Mapped[str]
    role: Mapped[str] = mapped_column(server_default="member")
    profile: Mapped[str] = mapped_column(server_default="")


class ApiKey(Entity):
    """A secret of a member; every request that shows it stamps `last_used_at`."""

    __tablename__ = "api_keys"

    member_id: Mapped[UUID] = mapped_column(ForeignKey("members.id", ondelete="CASCADE"))
    name: Mapped[str]
    digest: Mapped[str] = mapped_column(unique=True)
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class Project(Entity):
    """A project; `identifier` prefixes the numbers of its work items."""

    __tablename__ = "projects"
    __table_args__ = (UniqueConstraint("workspace_id", "identifier"),)

    workspace_id: Mapped[UUID] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"))
    lead_id: Mapped[UUID | None] = mapped_column(ForeignKey("members.id", ondelete="SET NULL"))
    identifier: Mapped[str]
    name: Mapped[str]
    description: Mapped[str] = mapped_column(server_default="")
    deleted_at: Mapped[datetime | None]


class State(Entity):
    """A column of a project's board."""

    __tablename__ = "states"
    __table_args__ = (one_of('"group"', STATE_GROUPS), UniqueConstraint("project_id", "name"))

    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    name: Mapped[str]
    group: Mapped[str]
    position: Mapped[int] = mapped_column(server_default="0")


class Label(Entity):
    """A tag of a project."""

    __tablename__ = "labels"
    __table_args__ = (UniqueConstraint("project_id", "name"),)

    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    name: Mapped[str]
    color: Mapped[str] = mapped_column(server_default="#64748b")
    description: Mapped[str] = mapped_column(server_default="")


class WorkItem(Entity):
    """A task of a project, numbered within it."""

    __tablename__ = "work_items"
    __table_args__ = (
        one_of("priority", PRIORITIES),
        UniqueConstraint("project_id", "sequence_id"),
        Index("work_items_open", "project_id", "state_id", postgresql_where=text("deleted_at is null")),
    )

    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    state_id: Mapped[UUID] = mapped_column(ForeignKey("states.id", ondelete="RESTRICT"))
    parent_id: Mapped[UUID | None] = mapped_column(ForeignKey("work_items.id", ondelete="SET NULL"))
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("members.id", ondelete="SET NULL"))
    sequence_id: Mapped[int]
    name: Mapped[str]
    description: Mapped[str] = mapped_column(server_default="")
    priority: Mapped[str] = mapped_column(server_default="none")
    due_date: Mapped[date | None]
    deleted_at: Mapped[datetime | None]

    # Rows of link tables are cascaded by the database when a work item really goes, not by the ORM.
    labels: Mapped[list[WorkItemLabel]] = relationship(
        lazy="selectin", cascade="all, delete-orphan", passive_deletes=True
    )
    assignees: Mapped[list[WorkItemAssignee]] = relationship(
        lazy="selectin", cascade="all, delete-orphan", passive_deletes=True
    )

    @property
    def label_ids(self) -> list[UUID]:
        """Ids of the labels, in order."""
        return sorted(link.label_id for link in self.labels)

    @property
    def assignee_ids(self) -> list[UUID]:
        """Ids of the assigned members, in order."""
        return sorted(link.member_id for link in self.assignees)


class WorkItemLabel(Entity):
    """A label on a work item."""

    __tablename__ = "work_item_labels"
    __table_args__ = (UniqueConstraint("work_item_id", "label_id"),)

    work_item_id: Mapped[UUID] = mapped_column(ForeignKey("work_items.id", ondelete="CASCADE"))
    label_id: Mapped[UUID] = mapped_column(ForeignKey("labels.id", ondelete="CASCADE"), index=True)


class WorkItemAssignee(Entity):
    """A member that a work item is assigned to."""

    __tablename__ = "work_item_assignees"
    __table_args__ = (UniqueConstraint("work_item_id", "member_id"),)

    work_item_id: Mapped[UUID] = mapped_column(ForeignKey("work_items.id", ondelete="CASCADE"))
    member_id: Mapped[UUID] = mapped_column(ForeignKey("members.id", ondelete="CASCADE"), index=True)


class Cycle(Entity):
    """A time box of a project."""

    __tablename__ = "cycles"
    __table_args__ = (
        UniqueConstraint("project_id", "name"),
        CheckConstraint("end_date >= start_date", name="ends_after_start"),
    )

    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    name: Mapped[str]
    start_date: Mapped[date | None]
    end_date: Mapped[date | None]


class CycleWorkItem(Base):
    """A work item planned for a cycle."""

    __tablename__ = "cycle_work_items"

    cycle_id: Mapped[UUID] = mapped_column(ForeignKey("cycles.id", ondelete="CASCADE"), primary_key=True)
    work_item_id: Mapped[UUID] = mapped_column(ForeignKey("work_items.id", ondelete="CASCADE"), primary_key=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Comment(Entity):
    """A remark on a work item."""

    __tablename__ = "comments"

    work_item_id: Mapped[UUID] = mapped_column(ForeignKey("work_items.id", ondelete="CASCADE"), index=True)
    author_id: Mapped[UUID] = mapped_column(ForeignKey("members.id", ondelete="RESTRICT"))
    body: Mapped[str]
    deleted_at: Mapped[datetime | None]


class Activity(Base):
    """One line of history: who changed which field of what. Written by the application on every change."""

    __tablename__ = "activities"

    id: Mapped[UUID] = mapped_column(primary_key=True, server_default=func.gen_random_uuid())
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    project_id: Mapped[UUID | None] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    work_item_id: Mapped[UUID | None] = mapped_column(ForeignKey("work_items.id", ondelete="SET NULL"), index=True)
    actor_id: Mapped[UUID | None] = mapped_column(ForeignKey("members.id", ondelete="SET NULL"))
    verb: Mapped[str]
    entity: Mapped[str]
    field: Mapped[str | None]
    old_value: Mapped[str | None]
    new_value: Mapped[str | None]


def create_schema(engine: Engine) -> None:
    """Create the tracker's tables in the first schema of the search path; existing ones are left alone."""
    Base.metadata.create_all(engine)
