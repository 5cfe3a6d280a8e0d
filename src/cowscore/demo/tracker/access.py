"""What every route needs: a transaction per request, the member behind the API key, lookups, the activity log."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Annotated, Any, TypeVar
from uuid import UUID

from fastapi import Depends, HTTPException, Request, Security
from fastapi.security import APIKeyHeader
from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.orm import Session

from cowscore.demo.tracker.tables import Activity, ApiKey, Base, Entity, Member, Project, WorkItem

Row = TypeVar("Row", bound=Entity)
_header = APIKeyHeader(name="X-Api-Key", auto_error=False, description="Secret of an API key.")


def digest(secret: str) -> str:
    """SHA-256 of an API key's secret in hex: what the database stores."""
    return hashlib.sha256(secret.encode()).hexdigest()


def transaction(request: Request) -> Iterator[Session]:
    """One transaction per request, committed before the response is sent, rolled back if the route raises."""
    with Session(request.app.state.engine) as session, session.begin():
        yield session


Database = Annotated[Session, Depends(transaction, scope="function")]


def authenticate(db: Database, secret: Annotated[str | None, Security(_header)]) -> Member:
    """The member whose API key the request shows; stamps the key's last use, as real applications do."""
    if secret is None:
        raise HTTPException(401, "Header X-Api-Key is missing")
    stamp = (
        update(ApiKey)
        .where(ApiKey.digest == digest(secret), ApiKey.revoked_at.is_(None))
        .values(last_used_at=func.now())
        .returning(ApiKey.member_id)
        .execution_options(synchronize_session=False)
    )
    member_id = db.execute(stamp).scalar_one_or_none()
    if member_id is None:
        raise HTTPException(401, "The API key is unknown or revoked")
    return db.get_one(Member, member_id)


CurrentMember = Annotated[Member, Depends(authenticate, scope="function")]


def admin(member: CurrentMember) -> Member:
    """The current member if it is an admin, else 403."""
    if member.role != "admin":
        raise HTTPException(403, f"{member.handle} is not an admin")
    return member


Admin = Annotated[Member, Depends(admin, scope="function")]


def found(db: Session, model: type[Row], wanted: UUID, *conditions: ColumnElement[bool]) -> Row:
    """The row of `model` with the id `wanted` that meets the conditions, else 404 naming both."""
    row = db.scalars(select(model).where(model.id == wanted, *conditions)).one_or_none()
    if row is None:
        words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in model.__name__)
        raise HTTPException(404, f"No{words} {wanted}")
    return row


def project_of(project_id: UUID, db: Database, member: CurrentMember) -> Project:
    """The project in the path, else 404."""
    return found(db, Project, project_id, Project.deleted_at.is_(None))


CurrentProject = Annotated[Project, Depends(project_of, scope="function")]


def work_item_of(pk: UUID, project: CurrentProject, db: Database) -> WorkItem:
    """The work item in the path, else 404."""
    return found(db, WorkItem, pk, WorkItem.project_id == project.id, WorkItem.deleted_at.is_(None))


CurrentWorkItem = Annotated[WorkItem, Depends(work_item_of, scope="function")]


def apply(row: Base, fields: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Set `fields` on `row`; returns those whose value changed, as name -> (old, new)."""
    changed = {name: (getattr(row, name), new) for name, new in fields.items() if getattr(row, name) != new}
    for name, (_, new) in changed.items():
        setattr(row, name, new)
    return changed


class History:
    """Writes the activity log of one request."""

    def __init__(self, db: Database, member: CurrentMember) -> None:
        self.db = db
        self.member = member

    def note(
        self,
        verb: str,
        entity: str,
        *,
        project_id: UUID | None = None,
        work_item_id: UUID | None = None,
        changed: dict[str, tuple[Any, Any]] | None = None,
    ) -> None:
        """One line for the change as a whole, or one for each field of `changed` (name -> (old, new))."""
        lines = changed if changed is not None else {None: (None, None)}
        for name, (old, new) in lines.items():
            self.db.add(
                Activity(
                    project_id=project_id,
                    work_item_id=work_item_id,
                    actor_id=self.member.id,
                    verb=verb,
                    entity=entity,
                    field=name,
                    old_value=None if old is None else str(old),
                    new_value=None if new is None else str(new),
                )
            )


Log = Annotated[History, Depends(History, scope="function")]
