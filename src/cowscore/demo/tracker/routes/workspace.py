"""Workspace, members and API keys."""

from __future__ import annotations

import secrets
from uuid import UUID

from fastapi import APIRouter
from sqlalchemy import func, select

from cowscore.demo.tracker.access import Admin, CurrentMember, Database, Log, apply, digest, found
from cowscore.demo.tracker.bodies import ApiKeyIn, ApiKeyOut, MemberOut, MemberPatch, NewApiKeyOut, WorkspaceOut
from cowscore.demo.tracker.tables import ApiKey, Member, Workspace

router = APIRouter()


@router.get(
    "/workspace",
    operation_id="retrieve_workspace",
    summary="Retrieve workspace",
    tags=["workspace"],
    response_model=WorkspaceOut,
)
def retrieve_workspace(db: Database, member: CurrentMember) -> Workspace:
    """Name and slug of the workspace that the API key belongs to."""
    return db.get_one(Workspace, member.workspace_id)


@router.get(
    "/members", operation_id="list_members", summary="List members", tags=["members"], response_model=list[MemberOut]
)
def list_members(db: Database, member: CurrentMember) -> list[Member]:
    """All people of the workspace with their handles and roles, by handle."""
    statement = select(Member).where(Member.workspace_id == member.workspace_id).order_by(Member.handle)
    return list(db.scalars(statement))


@router.get(
    "/members/me",
    operation_id="retrieve_current_member",
    summary="Retrieve current member",
    tags=["members"],
    response_model=MemberOut,
)
def retrieve_current_member(member: CurrentMember) -> Member:
    """The member that the API key belongs to."""
    return member


@router.patch(
    "/members/{member_id}",
    operation_id="update_member",
    summary="Update member",
    tags=["members"],
    response_model=MemberOut,
)
def update_member(member_id: UUID, body: MemberPatch, db: Database, actor: Admin, log: Log) -> Member:
    """Change a member's name, role or profile. Admins only."""
    member = found(db, Member, member_id, Member.workspace_id == actor.workspace_id)
    log.note("updated", "member", changed=apply(member, body.sent()))
    return member


@router.get(
    "/api-keys",
    operation_id="list_api_keys",
    summary="List API keys",
    tags=["api keys"],
    response_model=list[ApiKeyOut],
)
def list_api_keys(db: Database, member: CurrentMember) -> list[ApiKey]:
    """The current member's API keys, without their secrets."""
    return list(db.scalars(select(ApiKey).where(ApiKey.member_id == member.id).order_by(ApiKey.name)))


@router.post(
    "/api-keys",
    status_code=201,
    operation_id="create_api_key",
    summary="Create API key",
    tags=["api keys"],
    response_model=NewApiKeyOut,
)
def create_api_key(body: ApiKeyIn, db: Database, member: CurrentMember, log: Log) -> NewApiKeyOut:
    """A new API key for the current member. Its secret is shown in this answer only."""
    secret = secrets.token_urlsafe(24)
    key = ApiKey(member_id=member.id, name=body.name, digest=digest(secret))
    db.add(key)
    log.note("created", "api_key")
    db.flush()
    return NewApiKeyOut(**ApiKeyOut.model_validate(key).model_dump(), secret=secret)


@router.delete(
    "/api-keys/{key_id}", status_code=204, operation_id="revoke_api_key", summary="Revoke API key", tags=["api keys"]
)
def revoke_api_key(key_id: UUID, db: Database, member: CurrentMember, log: Log) -> None:
    """Make an API key of the current member unusable."""
    key = found(db, ApiKey, key_id, ApiKey.member_id == member.id)
    key.revoked_at = db.scalar(select(func.now()))
    log.note("revoked", "api_key")
