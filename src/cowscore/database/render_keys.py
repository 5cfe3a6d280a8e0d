"""Unique keys and foreign keys, checked through the overlay with the original's SQLSTATE, message and name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from psycopg import sql

from cowscore.database.columns import TRUE, conjunction, differ, image, matches, names, of, same, tests
from cowscore.database.names import shortened
from cowscore.database.render import NOTHING, Setting, when_bound
from cowscore.database.render_triggers import early
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
    """The function at the end of every statement, and a constraint trigger for each deferrable constraint.

    PostgreSQL checks in the order of its triggers' names: unique keys, then referenced sides, then referencing sides,
    each in the order in which the constraints were made.
    """
    place = setting.place
    deferrable = _one_for_each_name(_deferrable(setting))
    blocks = [d.guarded for d in deferrable if d.side == "unique"]
    for f in setting.relation.referenced_by:
        blocks.append(_referential_action(setting, f) + _still_referenced(setting, f, deferred=False))
        blocks += [d.guarded for d in deferrable if d.side == "referenced" and d.foreign_key == f]
    for f in setting.relation.table.foreign_keys:
        blocks.append("" if f.deferrable else _foreign_key_check(setting, f))
        blocks += [d.guarded for d in deferrable if d.side == "referencing" and d.foreign_key == f]
    statements: list[str] = []
    suffixes: list[str] = []
    if any(blocks):
        function = place.function("statement")
        statements.append(
            fill(
                "table/statement",
                function=function,
                changes=place.changes,
                oid=sql.Literal(setting.relation.oid),
                mark=sql.Literal(f"cowscore.checked_{setting.relation.oid}"),
                checks=raw("".join(blocks)),
            )
        )
        events = _events(setting, any_deferrable=bool(deferrable))
        statements.append(
            fill(
                "table/after_statement",
                trigger=early(setting, "statement"),
                view=place.view,
                condition=when_bound(setting),
                function=function,
                events=events,
            )
        )
        suffixes.append("statement")
    for d in deferrable:
        suffixes.append(d.suffix)
        function = place.function(d.suffix)
        parts = {"function": function, "flag": sql.Literal(d.flag), "checks": raw(d.check)}
        statements.append(fill("table/deferrable", **parts))
        statements.append(
            fill(
                "table/deferrable_trigger",
                constraint=name(d.constraint),
                changes=place.changes,
                timing=raw("deferred" if d.initially_deferred else "immediate"),
                kinds=joined(", ", [sql.SQL('{}::pg_catalog."char"').format(sql.Literal(k)) for k in d.kinds]),
                function=function,
            )
        )
    return LateChecks(tuple(statements), tuple(suffixes))


def _events(setting: Setting, any_deferrable: bool) -> Fragment:
    """Statements after which something must be checked: others pay nothing.

    Not where a constraint is deferrable: its flag must be taken down at the end of the statement that raised it.
    """
    table, referenced_by = setting.relation.table, setting.relation.referenced_by
    if any_deferrable:
        return raw("insert or update or delete")
    columns = {c for f in table.foreign_keys for c in f.columns} | {c for f in referenced_by for c in f.ref_columns}
    events: list[Fragment] = [raw("insert")] if table.foreign_keys else []
    events += [raw("delete")] if referenced_by else []
    if columns.intersection(setting.columns.generated):
        events.append(raw("update"))  # of any column: it may be one that a generated one is made of
    else:
        events.append(sql.SQL("update of {}").format(names(sorted(columns))))
    return joined(" or ", events)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Deferrable:
    """A deferrable constraint, or one side of it: a constraint trigger on the changes table."""

    number: int
    oid: int
    side: Literal["unique", "referenced", "referencing"]
    constraint: str
    initially_deferred: bool
    kinds: tuple[str, ...]
    """Kinds of versions that it looks at."""
    check: str
    foreign_key: ForeignKey | None = None

    @property
    def suffix(self) -> str:
        """Of its trigger function."""
        return f"deferrable_{self.number}"

    @property
    def flag(self) -> str:
        """The setting by which the trigger tells that the constraint is immediate just now."""
        return f"cowscore.due_{self.oid}_{self.number}"

    @property
    def guarded(self) -> str:
        """The check as the end of a statement makes it: only while the constraint is immediate."""
        return fill("table/due", flag=sql.Literal(self.flag), check=raw(self.check))


def _one_for_each_name(parts: Iterable[_Deferrable]) -> tuple[_Deferrable, ...]:
    """Tables may have constraints of one name, and SET CONSTRAINTS means all of them; triggers of a table may not."""
    result: dict[str, _Deferrable] = {}
    for part in parts:
        first = result.get(part.constraint)
        if first is None:
            result[part.constraint] = part
        elif first.initially_deferred == part.initially_deferred:
            kinds = tuple(sorted({*first.kinds, *part.kinds}))
            result[part.constraint] = replace(first, kinds=kinds, check=first.check + part.check)
        else:
            other = shortened(f"{part.number} {part.constraint}")
            result[other] = replace(part, constraint=other)
    return tuple(result.values())


def _deferrable(setting: Setting) -> Iterable[_Deferrable]:
    table, oid = setting.relation.table, setting.relation.oid
    number = 0
    for unique in table.unique_keys:
        if _is_late(setting, unique):
            yield _Deferrable(
                number=number,
                oid=oid,
                side="unique",
                constraint=unique.name,
                initially_deferred=unique.initially_deferred,
                kinds=("I", "U"),
                check=_unique_late_check(setting, unique),
            )
            number += 1
    own = [f for f in table.foreign_keys if f.deferrable]
    for f in setting.relation.referenced_by:
        check = _still_referenced(setting, f, deferred=True)
        if f.deferrable and check:
            # A self-reference has both sides in one table, and one name for both.
            both = f in own
            yield _Deferrable(
                number=number,
                oid=oid,
                side="referenced",
                constraint=f.name,
                initially_deferred=f.initially_deferred,
                kinds=("I", "U", "D") if both else ("U", "D"),
                check=check + (_foreign_key_check(setting, f) if both else ""),
                foreign_key=f,
            )
            number += 1
            own = [o for o in own if o != f]
    for f in own:
        yield _Deferrable(
            number=number,
            oid=oid,
            side="referencing",
            constraint=f.name,
            initially_deferred=f.initially_deferred,
            kinds=("I", "U"),
            check=_foreign_key_check(setting, f),
            foreign_key=f,
        )
        number += 1


def _is_late(setting: Setting, unique: UniqueKey) -> bool:
    return (
        unique.deferrable
        and not unique.predicate
        and bool(unique.columns)
        and bool(setting.relation.table.key)
        and unique.columns != setting.relation.table.key
    )


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
    if event == "insert" and unique.columns == table.key:
        # Cheaper than through the view: what the session has at the key is known already.
        taken: Fragment = raw(
            fill("table/key_taken", keys=place.function("keys"), base_has_key=columns.key_equal("b", "NEW"))
        )
    else:
        taken = sql.SQL("exists (select from {} where {} offset 0)").format(candidates, conjunction(conditions))
    return fill(
        "table/unique_check",
        changed=changed,
        taken=taken,
        changes=place.changes,
        stored=names(columns.stored),
        new_stored=names(columns.stored, "NEW"),
        detail=_unique_detail(unique),
        **_unique_error(setting, unique),
    )


def _unique_error(setting: Setting, unique: UniqueKey) -> dict[str, Fragment]:
    message = "duplicate key value violates unique constraint"
    if unique.exclusion:
        message = "conflicting key value violates exclusion constraint"
    return {
        "message": sql.Literal(f'{message} "{unique.name}"'),
        "sqlstate": sql.Literal("23P01" if unique.exclusion else "23505"),
        "constraint_literal": sql.Literal(unique.name),
        **setting.place.literals,
    }


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
        matches=conjunction(
            [
                _pair(of("v", c), operator, of("c", c), unique.nulls_not_distinct)
                for c, operator in zip(unique.columns, unique.operators, strict=True)
            ]
        ),
        same_row=columns.key_equal("v", "c"),
        detail=sql.Literal(
            f"Key ({_key_text(unique.columns)})=({', '.join('%s' for _ in unique.columns)}) already exists."
        ),
        detail_values=names(unique.columns, "_cow_g"),
        **_unique_error(setting, unique),
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


def _still_referenced(setting: Setting, f: ForeignKey, deferred: bool) -> str:
    """Checks of NO ACTION and RESTRICT, seen from the referenced table: those that may be deferred, or the others."""
    return "".join(
        _still_referenced_after(setting, f, event, action)
        for event, action in (("delete", f.on_delete), ("update", f.on_update))
        if action in ("no action", "restrict") and deferred == (f.deferrable and action == "no action")
    )


def _still_referenced_after(setting: Setting, f: ForeignKey, event: str, action: str) -> str:
    return fill(
        "table/still_referenced",
        old_values=names(f.ref_columns, "o"),
        changes=setting.place.changes,
        went_away=_went_away(f, event),
        child=setting.seen(f.schema, f.table),
        child_matches=matches(f.operators, "o", f.ref_columns, "v", f.columns),
        and_not_replaced=_not_replaced(setting, f, "o") if action == "no action" else NOTHING,
        **_referenced_error(setting, f, restrict=action == "restrict" and setting.server_version >= 180000),
    )


def _not_replaced(setting: Setting, f: ForeignKey, gone: str) -> Fragment:
    """That no other row has taken the key of the row `gone`."""
    equality = [setting.relation.table.column(c).equality for c in f.ref_columns]
    same_key = matches(equality, "p", f.ref_columns, gone, f.ref_columns)
    return raw(fill("table/not_replaced", view=setting.place.view, parent_same=same_key))


def _referenced_error(setting: Setting, f: ForeignKey, *, restrict: bool) -> dict[str, Fragment]:
    """What PostgreSQL says of a row that is referenced; `restrict`: as it has put it since 18 for RESTRICT."""
    violates = "violates RESTRICT setting of foreign key constraint" if restrict else "violates foreign key constraint"
    still = "is referenced" if restrict else "is still referenced"
    detail = f"Key ({_key_text(f.ref_columns)})=({', '.join('%s' for _ in f.ref_columns)})"
    table = setting.place.table
    return {
        "sqlstate": sql.Literal("23001" if restrict else "23503"),
        "message": sql.Literal(f'update or delete on table "{table}" {violates} "{f.name}" on table "{f.table}"'),
        "detail": sql.Literal(f"{detail} {still} from table {_quoted(f.table)}."),
        "detail_values": names(f.ref_columns, "_cow_g"),
        "child_schema_literal": sql.Literal(f.schema),
        "child_table_literal": sql.Literal(f.table),
        "constraint_literal": sql.Literal(f.name),
    }


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
        if action == "set default":
            statement = fill(
                "table/set_default",
                statement=raw(statement.rstrip()),
                child=child,
                child_matches=child_matches,
                and_not_replaced=_not_replaced(setting, f, "_cow_g"),
                **_referenced_error(setting, f, restrict=False),
            )
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
