"""Functions that read a table's versions back and write them to base: history, conflicts, apply, links."""

from __future__ import annotations

from collections.abc import Iterable

from psycopg import sql

from cowscore.database import render_triggers
from cowscore.database.columns import changed_names, differ, image, json, matches, names, same, text_array
from cowscore.database.render import Place, Setting
from cowscore.database.templates import Fragment, fill, raw
from cowscore.model import ForeignKey, UniqueKey


def functions(setting: Setting) -> Iterable[str]:
    """All of them, in the order in which they can be created."""
    place, columns, table = setting.place, setting.columns, setting.relation.table
    unique_columns = {c for u in table.unique_keys for c in (u.columns or columns.stored)}
    touches_unique = sql.SQL("v.columns operator(pg_catalog.&&) {}").format(text_array(sorted(unique_columns)))
    yield fill(
        "table/versions",
        function=place.function("versions"),
        changes=place.changes,
        changed=render_triggers.changed(setting),
        source=render_triggers.source(setting),
        one_by_one=touches_unique if table.key else sql.SQL("v.kind operator(pg_catalog.<>) 'I'::pg_catalog.\"char\""),
    )
    key = table.key or columns.all
    yield fill(
        "table/history",
        function=place.function("history"),
        changes=place.changes,
        key=json(key, "c"),
        before=json(columns.all, "o"),
        after=json(columns.all, "c"),
    )
    yield _lock(setting)
    yield _conflicts(setting)
    yield _apply(setting)
    yield fill(
        "table/rehead",
        function=place.function("rehead"),
        changes=place.changes,
        partition=names(table.key, "v") if table.key else raw("v._cow_row"),
    )
    yield fill(
        "table/erase",
        function=place.function("erase"),
        changes=place.changes,
        erase_given=render_triggers.erase_given(setting),
    )
    yield fill(
        "table/copy",
        function=place.function("copy"),
        changes=place.changes,
        stored=names(columns.stored),
        copy_given=render_triggers.copy_given(setting),
    )
    yield fill("table/links", function=place.function("links"), links=_links(setting))


def _lock(setting: Setting) -> str:
    place, columns, table = setting.place, setting.columns, setting.relation.table
    if not table.key:
        return fill("table/no_lock", function=place.function("lock"))
    return fill(
        "table/lock",
        function=place.function("lock"),
        base=place.base,
        changes=place.changes,
        same_key=columns.key_equal("o", "b"),
        key=names(table.key, "b"),
    )


def _conflicts(setting: Setting) -> str:
    place, columns, table = setting.place, setting.columns, setting.relation.table
    if not table.key:
        return fill("table/no_conflicts", function=place.function("conflicts"))
    return fill(
        "table/conflicts",
        function=place.function("conflicts"),
        first_pending=raw(fill("table/first_pending", changes=place.changes)),
        base=place.base,
        changes=place.changes,
        all_names=text_array(columns.stored),
        changed_names=changed_names(columns.stored, "b", "(p.image)"),
        image_key=json(table.key, "(p.image)"),
        version_key=json(table.key, "(p.version)"),
        image_json=json(columns.all, "(p.image)"),
        base_json=json(columns.all, "b"),
        image_is_base=columns.key_equal("(p.image)", "b"),
        version_is_base=columns.key_equal("(p.version)", "b"),
        image_differs=differ(image("b", columns.stored), image("(p.image)", columns.stored)),
        freed_key=columns.key_equal("g", "b"),
    )


def _apply(setting: Setting) -> str:
    place, columns = setting.place, setting.columns
    row_is_base, image_is_base = (_is_base(setting, alias) for alias in ("c", "o"))
    head = sql.SQL("update {} b set ").format(place.base).as_string(None)
    tail = (
        " "
        + fill(
            "table/update_tail",
            changes=place.changes,
            source=render_triggers.source(setting),
            image_is_base=image_is_base,
        ).strip()
    )
    return fill(
        "table/apply",
        function=place.function("apply"),
        base=place.base,
        source=render_triggers.source(setting),
        stored=names(columns.stored),
        version_stored=names(columns.stored, "c"),
        version_is_base=row_is_base,
        update_head=sql.Literal(head),
        update_tail=sql.Literal(tail),
    )


def _is_base(setting: Setting, alias: str) -> Fragment:
    """`b` is the base row of a version. Without a key it is any that looks the same: nobody could tell them apart."""
    columns = setting.columns
    if setting.relation.table.key:
        return columns.key_equal(alias, "b")
    row_is_image = same(image("k", columns.stored), image(alias, columns.stored))
    return raw(fill("table/same_image", base=setting.place.base, row_is_image=row_is_image).strip())


def _links(setting: Setting) -> Fragment:
    table, place = setting.relation.table, setting.place
    parts = [fill("table/link_row", changes=place.changes)]
    for f in table.foreign_keys:
        if (f.ref_schema, f.ref_table) in setting.writable:
            parts += [_link_parent(setting, f), _link_child(setting, f)]
    parts += [_link_unique(setting, u) for u in table.unique_keys if u.columns and not u.predicate and not u.exclusion]
    return raw("\nunion\n".join(parts))


def _link_parent(setting: Setting, f: ForeignKey) -> str:
    return fill(
        "table/link_parent",
        changes=setting.place.changes,
        parent_changes=Place(f.ref_schema, f.ref_table).changes,
        parent_matches=matches(f.operators, "p", f.ref_columns, "c", f.columns),
        parent_changed=differ(image("o", f.ref_columns), image("p", f.ref_columns)),
    )


def _link_child(setting: Setting, f: ForeignKey) -> str:
    return fill(
        "table/link_child",
        changes=setting.place.changes,
        parent_changes=Place(f.ref_schema, f.ref_table).changes,
        parent_matched=matches(f.operators, "was", f.ref_columns, "o", f.columns),
        child_changed=differ(image("o", f.columns), image("c", f.columns)),
    )


def _link_unique(setting: Setting, u: UniqueKey) -> str:
    return fill(
        "table/link_unique",
        changes=setting.place.changes,
        same_value=matches(u.operators, "o", u.columns, "c", u.columns),
        value_changed=differ(image("o", u.columns), image("w", u.columns)),
    )
