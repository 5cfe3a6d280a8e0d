"""INSTEAD OF triggers: what an INSERT, UPDATE or DELETE on the overlay view does."""

from __future__ import annotations

from collections.abc import Iterable

from psycopg import sql

from cowscore.database.columns import ColumnSets, differ, image, names, of, omitted, same
from cowscore.database.render import NOTHING, Setting, begin_write, unbound
from cowscore.database.render_keys import unique_checks
from cowscore.database.render_triggers import guarded, link
from cowscore.database.templates import Fragment, fill, joined, name, raw
from cowscore.model import Column


def instead_of(setting: Setting) -> Iterable[str]:
    """The three trigger functions and their triggers."""
    for event, text in (("insert", _insert(setting)), ("update", _update(setting)), ("delete", _delete(setting))):
        yield text
        yield fill(
            "table/instead_of",
            trigger=name(f"_cow_{event}"),
            event=raw(event),
            view=setting.place.view,
            function=setting.place.function(event),
        )


def _insert(setting: Setting) -> str:
    place, columns, table = setting.place, setting.columns, setting.relation.table
    key_head = take_over = ""
    if table.key:
        key_head = fill("table/key_head", changes=place.changes, key_is_new=columns.key_equal("c", "NEW"))
        take_over = fill("table/take_over", changes=place.changes)
    return fill(
        "table/insert",
        function=place.function("insert"),
        unbound=unbound(setting, "NEW"),
        begin_write=begin_write(setting),
        guards=guarded(setting, "insert", guards(setting, "insert"))[1],
        key_head=raw(key_head),
        link=link(setting, "insert"),
        unique_checks=unique_checks(setting, "insert"),
        take_over=raw(take_over),
        compute=_compute(columns),
        **_written(setting),
    )


def _update(setting: Setting) -> str:
    place, columns, table = setting.place, setting.columns, setting.relation.table
    move = (
        fill(
            "table/move",
            key_changed=differ(image("OLD", table.key), image("NEW", table.key)),
            key_is_new=columns.key_equal("c", "NEW"),
            stored=names(columns.stored),
            old_stored=names(columns.stored, "OLD"),
            changes=place.changes,
        )
        if table.key
        else ""
    )
    return fill(
        "table/update",
        function=place.function("update"),
        unbound=unbound(setting, "NEW"),
        begin_write=begin_write(setting),
        guards=guarded(setting, "update", guards(setting, "update"))[1],
        link=link(setting, "update"),
        unique_checks=unique_checks(setting, "update"),
        retire=_retire(setting),
        move=raw(move),
        compute=_compute(columns),
        **_written(setting),
    )


def _delete(setting: Setting) -> str:
    columns = setting.columns
    return fill(
        "table/delete",
        function=setting.place.function("delete"),
        unbound=unbound(setting, "OLD"),
        begin_write=begin_write(setting),
        retire=_retire(setting),
        changes=setting.place.changes,
        stored=names(columns.stored),
        old_stored=names(columns.stored, "OLD"),
    )


def _retire(setting: Setting) -> Fragment:
    place, columns, table = setting.place, setting.columns, setting.relation.table
    if not table.key:
        return raw(
            fill(
                "table/retire_own",
                changes=place.changes,
                own_row_is_old=same(image("o", columns.stored), image("OLD", columns.stored)),
                **place.literals,
            )
        )
    return raw(
        fill(
            "table/retire_head",
            changes=place.changes,
            key_is_old=columns.key_equal("c", "OLD"),
            row_is_old=same(image("c", columns.stored), image("OLD", columns.stored)),
            stored=names(columns.stored),
            old_stored=names(columns.stored, "OLD"),
            **place.literals,
        )
    )


def _written(setting: Setting) -> dict[str, Fragment]:
    stored = setting.columns.stored
    return {"changes": setting.place.changes, "stored": names(stored), "new_stored": names(stored, "NEW")}


def _compute(columns: ColumnSets) -> Fragment:
    generated = [c for c in columns.table.columns if c.generated and c.generated_as]
    if not generated:
        return NOTHING
    return raw(
        fill(
            "table/compute",
            expressions=joined(", ", [raw(str(c.generated_as)) for c in generated]),
            targets=names([c.name for c in generated], "NEW"),
            row=joined(", ", [sql.SQL("{} as {}").format(of("NEW", c), name(c)) for c in columns.stored]),
        )
    )


def guards(setting: Setting, event: str, identity: str = "identity_update") -> Fragment:
    """What keeps values out of columns that only the database may set; `identity`: the one for an UPDATE of such."""
    columns = setting.relation.table.columns
    return joined("\n", [raw(g) for c in columns if (g := _guard(c, event, identity))])


def _guard(column: Column, event: str, identity: str) -> str:
    """What keeps a value out of a column that only the database may set."""
    inserting = event == "insert"
    parts: dict[str, Fragment] = {"column": name(column.name)}
    if column.sequence:
        parts["sequence"] = sql.Literal(column.sequence)
    if column.identity == "by default":
        return fill("table/guard_identity_by_default", **parts) if inserting and column.sequence else ""
    quoted = '"' + column.name + '"'
    if inserting:
        parts["message"] = sql.Literal(f"cannot insert a non-DEFAULT value into column {quoted}")
    else:
        parts["message"] = sql.Literal(f"column {quoted} can only be updated to DEFAULT")
    if column.identity == "always":
        parts["detail"] = sql.Literal(f"Column {quoted} is an identity column defined as GENERATED ALWAYS.")
        parts["omitted"] = omitted(column)
        return fill("table/guard_identity" if inserting else f"table/guard_{identity}", **parts)
    if column.generated:
        parts["detail"] = sql.Literal(f"Column {quoted} is a generated column.")
        return fill("table/guard_insert" if inserting else "table/guard_update", **parts)
    return ""
