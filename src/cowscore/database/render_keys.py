"""Unique keys and foreign keys, checked through the overlay with the original's SQLSTATE, message and name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from psycopg import sql

from cowscore.database.columns import TRUE, conjunction, differ, image, matches, names, of, same, tests
from cowscore.database.render import NOTHING, Setting
from cowscore.database.templates import Fragment, fill, joined, name, raw
from cowscore.model import ForeignKey, UniqueKey


@dataclass(frozen=True, slots=True)
class LateChecks:
    """What runs at the end of a statement or later."""

    statements: tuple[str, ...]
    suffixes: tuple[str, ...]
    """Of the functions that run with the writer role's rights."""


def unique_checks(setting: Setting, event: str) -> Fragment:
    """Checks that run before a row is written."""
    table = setting.relation.table
    texts = [_unique_check(setting, u, event) for u in table.unique_keys if not _is_late(setting, u)]
    return joined("\n", [raw(t) for t in texts])


def late_checks(setting: Setting) -> LateChecks:
    """The function at the end of every statement, and a constraint trigger for each deferrable constraint."""
    table, place = setting.relation.table, setting.place
    late_unique = [u for u in table.unique_keys if _is_late(setting, u)]
    actions = [_referential_action(setting, f) for f in setting.relation.referenced_by]
    checks = [_unique_late_check(setting, u) for u in late_unique if not u.initially_deferred]
    checks += [_foreign_key_check(setting, f) for f in table.foreign_keys if not f.deferrable]
    checks += [_still_referenced(setting, f) for f in setting.relation.referenced_by if not f.deferrable]
    checks += [_still_referenced(setting, f) for f in setting.relation.referenced_by if f.deferrable and _restricts(f)]
    statements: list[str] = []
    suffixes: list[str] = []
    if any(actions) or any(checks):
        function = place.function("statement")
        statements.append(
            fill(
                "table/statement",
                function=function,
                changes=place.changes,
                oid=sql.Literal(setting.relation.oid),
                mark=sql.Literal(f"cowscore.checked_{setting.relation.oid}"),
                actions=raw("".join(actions)),
                checks=raw("".join(checks)),
            )
        )
        statements.append(fill("table/after_statement", view=place.view, function=function))
        suffixes.append("statement")
    for number, (constraint, deferred, kinds, check) in enumerate(_deferrable(setting, late_unique)):
        suffix = f"deferrable_{number}"
        suffixes.append(suffix)
        statements.append(fill("table/deferrable", function=place.function(suffix), checks=raw(check)))
        statements.append(
            fill(
                "table/deferrable_trigger",
                constraint=name(constraint),
                changes=place.changes,
                timing=raw("deferred" if deferred else "immediate"),
                kinds=joined(", ", [sql.SQL('{}::pg_catalog."char"').format(sql.Literal(k)) for k in kinds]),
                function=place.function(suffix),
            )
        )
    return LateChecks(tuple(statements), tuple(suffixes))


def _deferrable(setting: Setting, late_unique: list[UniqueKey]) -> Iterable[tuple[str, bool, tuple[str, ...], str]]:
    """Name, initially deferred, kinds of versions and check of each constraint trigger."""
    own, place = setting.relation.table.foreign_keys, setting.place
    for unique in late_unique:
        if unique.initially_deferred:
            yield unique.name, True, ("I", "U"), _unique_late_check(setting, unique)
    parents = {
        (f.schema, f.table, f.name): f for f in setting.relation.referenced_by if f.deferrable and not _restricts(f)
    }
    for f in own:
        if f.deferrable:
            # A self-reference has both sides in one table, and one name for both.
            as_parent = parents.pop((place.schema, place.table, f.name), None)
            check = _foreign_key_check(setting, f) + (_still_referenced(setting, as_parent) if as_parent else "")
            yield f.name, f.initially_deferred, ("I", "U", "D") if as_parent else ("I", "U"), check
    for f in parents.values():
        check = _still_referenced(setting, f)
        if check:
            yield f.name, f.initially_deferred, ("D", "U"), check


def _is_late(setting: Setting, unique: UniqueKey) -> bool:
    return (
        unique.deferrable
        and not unique.exclusion
        and bool(unique.columns)
        and unique.columns != setting.relation.table.key
    )


def _restricts(f: ForeignKey) -> bool:
    return "restrict" in (f.on_delete, f.on_update)


def _key_text(columns: Iterable[str]) -> str:
    return ", ".join(columns).replace("%", "%%")


def _quoted(table: str) -> str:
    return '"' + table.replace("%", "%%") + '"'


def _unique_check(setting: Setting, unique: UniqueKey, event: str) -> str:
    table, place, columns = setting.relation.table, setting.place, setting.columns
    plain = bool(unique.columns) and unique.predicate is None
    if plain:
        candidates: Fragment = sql.SQL("{} v").format(place.view)
        pairs = [(of("v", c), o, of("NEW", c)) for c, o in zip(unique.columns, unique.operators, strict=True)]
    else:
        values = [f"_cow_e{n}" for n, _ in enumerate(unique.expressions)]
        candidates = sql.SQL("(select {values} from (select {row}) n{where}) n, {view} v").format(
            values=joined(
                ", ",
                [
                    sql.SQL("({}) as {}").format(raw(e), name(v))
                    for e, v in zip(unique.expressions, values, strict=True)
                ],
            ),
            row=joined(", ", [sql.SQL("{} as {}").format(of("NEW", c), name(c)) for c in columns.all]),
            where=sql.SQL(" where {}").format(raw(unique.predicate)) if unique.predicate else NOTHING,
            view=place.view,
        )
        elements = [sql.SQL("({})").format(raw(e)) for e in unique.expressions]
        pairs = [(e, o, of("n", v)) for e, o, v in zip(elements, unique.operators, values, strict=True)]
    conditions = [_pair(left, operator, right, unique.nulls_not_distinct) for left, operator, right in pairs]
    if unique.predicate:
        conditions.append(sql.SQL("({})").format(raw(unique.predicate)))
    changed = (
        TRUE if event == "insert" or not plain else differ(image("OLD", unique.columns), image("NEW", unique.columns))
    )
    if event == "update" and table.key:
        conditions.append(sql.SQL("not ({})").format(columns.key_equal("v", "OLD")))
    return fill(
        "table/unique_check",
        changed=changed,
        candidates=candidates,
        matches=conjunction(conditions),
        changes=place.changes,
        stored=names(columns.stored),
        new_stored=names(columns.stored, "NEW"),
        sqlstate=sql.Literal("23P01" if unique.exclusion else "23505"),
        detail=_unique_detail(unique),
        constraint_literal=sql.Literal(unique.name),
        message=sql.Literal(
            f'conflicting key value violates exclusion constraint "{unique.name}"'
            if unique.exclusion
            else f'duplicate key value violates unique constraint "{unique.name}"'
        ),
        **place.literals,
    )


def _pair(left: Fragment, operator: str, right: Fragment, nulls_not_distinct: bool) -> Fragment:
    equality = joined(" ", [left, raw(operator), right])
    if not nulls_not_distinct:
        return equality
    return sql.SQL("({} or {} is null and {} is null)").format(equality, left, right)


def _unique_detail(unique: UniqueKey) -> Fragment:
    if not unique.columns:
        return sql.Literal(f"Key ({', '.join(unique.expressions)}) already exists.")
    template = f"Key ({_key_text(unique.columns)})=({', '.join('%s' for _ in unique.columns)}) already exists."
    values = [sql.SQL("coalesce({}::pg_catalog.text, 'null')").format(of("NEW", c)) for c in unique.columns]
    return sql.SQL("pg_catalog.format({}, {})").format(sql.Literal(template), joined(", ", values))


def _unique_late_check(setting: Setting, unique: UniqueKey) -> str:
    columns, place = setting.columns, setting.place
    return fill(
        "table/unique_late_check",
        values=names(unique.columns, "c"),
        changes=place.changes,
        view=place.view,
        matches=matches(unique.operators, "v", unique.columns, "c", unique.columns),
        same_row=columns.key_equal("v", "c"),
        message=sql.Literal(f'duplicate key value violates unique constraint "{unique.name}"'),
        detail=sql.Literal(
            f"Key ({_key_text(unique.columns)})=({', '.join('%s' for _ in unique.columns)}) already exists."
        ),
        detail_values=names(unique.columns, "_cow_g"),
        constraint_literal=sql.Literal(unique.name),
        **place.literals,
    )


def _foreign_key_check(setting: Setting, f: ForeignKey) -> str:
    place = setting.place
    message = sql.Literal(f'insert or update on table "{place.table}" violates foreign key constraint "{f.name}"')
    text = ""
    if f.match_full and len(f.columns) > 1:
        text = fill(
            "table/match_full_check",
            changes=place.changes,
            child_some_null=joined(" or ", tests("c", f.columns, "is null")),
            child_some_not_null=joined(" or ", tests("c", f.columns, "is not null")),
            message=message,
            constraint_literal=sql.Literal(f.name),
            **place.literals,
        )
    placeholders = ", ".join("%s" for _ in f.columns)
    return text + fill(
        "table/foreign_key_check",
        child_values=names(f.columns, "c"),
        changes=place.changes,
        child_not_null=conjunction(tests("c", f.columns, "is not null")),
        parent=setting.seen(f.ref_schema, f.ref_table),
        parent_matches=matches(f.operators, "p", f.ref_columns, "c", f.columns),
        child_unchanged=same(image("o", f.columns), image("c", f.columns)),
        message=message,
        detail=sql.Literal(
            f"Key ({_key_text(f.columns)})=({placeholders}) is not present in table {_quoted(f.ref_table)}."
        ),
        detail_values=names(f.columns, "_cow_g"),
        constraint_literal=sql.Literal(f.name),
        **place.literals,
    )


def _went_away(f: ForeignKey, event: str) -> Fragment:
    if event == "delete":
        return sql.SQL("c._cow_kind operator(pg_catalog.=) 'D'::pg_catalog.\"char\"")
    return sql.SQL("c._cow_kind operator(pg_catalog.=) 'U'::pg_catalog.\"char\" and {}").format(
        differ(image("o", f.ref_columns), image("c", f.ref_columns))
    )


def _still_referenced(setting: Setting, f: ForeignKey) -> str:
    """Checks of NO ACTION and RESTRICT, seen from the referenced table."""
    return "".join(
        _still_referenced_after(setting, f, event, action)
        for event, action in (("delete", f.on_delete), ("update", f.on_update))
        if action in ("no action", "restrict")
    )


def _still_referenced_after(setting: Setting, f: ForeignKey, event: str, action: str) -> str:
    place, table = setting.place, setting.relation.table
    equality = [table.column(c).equality for c in f.ref_columns]
    replaced = fill(
        "table/not_replaced", view=place.view, parent_same=matches(equality, "p", f.ref_columns, "o", f.ref_columns)
    )
    says_restrict = action == "restrict" and setting.server_version >= 180000
    violates = (
        "violates RESTRICT setting of foreign key constraint" if says_restrict else "violates foreign key constraint"
    )
    still = "is referenced" if says_restrict else "is still referenced"
    placeholders = ", ".join("%s" for _ in f.ref_columns)
    return fill(
        "table/still_referenced",
        old_values=names(f.ref_columns, "o"),
        changes=place.changes,
        went_away=_went_away(f, event),
        child=setting.seen(f.schema, f.table),
        child_matches=matches(f.operators, "o", f.ref_columns, "v", f.columns),
        and_not_replaced=raw(replaced) if action == "no action" else NOTHING,
        sqlstate=sql.Literal("23001" if says_restrict else "23503"),
        message=sql.Literal(f'update or delete on table "{place.table}" {violates} "{f.name}" on table "{f.table}"'),
        detail=sql.Literal(f"Key ({_key_text(f.ref_columns)})=({placeholders}) {still} from table {_quoted(f.table)}."),
        detail_values=names(f.ref_columns, "_cow_g"),
        child_schema_literal=sql.Literal(f.schema),
        child_table_literal=sql.Literal(f.table),
        constraint_literal=sql.Literal(f.name),
    )


def _referential_action(setting: Setting, f: ForeignKey) -> str:
    return "".join(
        _action(setting, f, event, action)
        for event, action in (("delete", f.on_delete), ("update", f.on_update))
        if action in ("cascade", "set null", "set default")
    )


def _action(setting: Setting, f: ForeignKey, event: str, action: str) -> str:
    new = [f"_cow_new_{n}" for n, _ in enumerate(f.ref_columns)]
    moved = event == "update" and action == "cascade"
    child = setting.seen(f.schema, f.table)
    child_matches = matches(f.operators, "_cow_g", f.ref_columns, "v", f.columns)
    if (f.schema, f.table) not in setting.writable:
        statement = fill(
            "table/cascade_refused",
            child=child,
            child_matches=child_matches,
            child_schema_literal=sql.Literal(f.schema),
            child_table_literal=sql.Literal(f.table),
            constraint_literal=sql.Literal(f.name),
        )
    elif event == "delete" and action == "cascade":
        statement = fill("table/cascade_delete", child=child, child_matches=child_matches)
    else:
        if moved:
            pairs = [(c, of("_cow_g", n)) for c, n in zip(f.columns, new, strict=True)]
        else:
            value = sql.SQL("null") if action == "set null" else sql.SQL("default")
            targets = f.set_columns if event == "delete" and f.set_columns else f.columns
            pairs = [(c, value) for c in targets]
        assignments = joined(", ", [sql.SQL("{} = {}").format(name(c), v) for c, v in pairs])
        statement = fill("table/cascade_update", child=child, assignments=assignments, child_matches=child_matches)
    return fill(
        "table/action",
        old_values=names(f.ref_columns, "o"),
        new_values=joined(
            "", [sql.SQL(", {} as {}").format(of("c", c), name(n)) for c, n in zip(f.ref_columns, new, strict=True)]
        )
        if moved
        else NOTHING,
        changes=setting.place.changes,
        went_away=_went_away(f, event),
        statement=raw(statement.rstrip()),
    )
