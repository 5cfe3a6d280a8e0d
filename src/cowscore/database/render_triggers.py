"""The application's own triggers, made again where a session's statements fire them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from psycopg import sql

from cowscore.database.columns import changed_names, image, names, of, same
from cowscore.database.render import NOTHING, Place, Setting, begin_write, unbound, when_bound
from cowscore.database.templates import Fragment, fill, joined, name, raw
from cowscore.database.triggers import Trigger

EVENTS = ("insert", "update", "delete")


@dataclass(frozen=True, slots=True)
class Fired:
    """What the triggers of one table need; all empty where it has none."""

    statements: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    """Of the functions that run with the writer role's rights."""
    called: tuple[str, ...] = ()
    """Of those, the ones that sessions call."""


def fires_before(setting: Setting, event: str = "") -> bool:
    """True where BEFORE ROW triggers may change what the statement gives."""
    return any(_row_triggers(setting, event, before=True))


def early(setting: Setting, word: str) -> Fragment:
    """The name of a trigger of the overlay at the end of a statement: before the application's, which go by name."""
    return name(f"!_cow_{word}" if _firing(setting) else f"_cow_{word}")


def guarded(setting: Setting, event: str, guards: Fragment) -> tuple[Fragment, Fragment]:
    """Guards of identity and generated columns: where they must run, before the triggers or with the write itself."""
    return (guards, NOTHING) if fires_before(setting, event) else (NOTHING, guards)


def link(setting: Setting, event: str) -> Fragment:
    """In the function that writes a version: the row as it was given belongs to it."""
    return raw(fill("table/link_given", given=setting.place.given)) if fires_before(setting, event) else NOTHING


def given(setting: Setting) -> tuple[str, ...]:
    """The table of rows as they were given."""
    if not fires_before(setting):
        return ()
    place, stored = setting.place, names(setting.columns.stored)
    return (
        fill("table/given", given=place.given, base=place.base, stored=stored),
        fill("table/given_key", given=place.given),
    )


def source(setting: Setting) -> Fragment:
    """Where a commit reads versions from."""
    return setting.place.written if fires_before(setting) else setting.place.changes


def changed(setting: Setting) -> Fragment:
    """The columns that a commit writes for an update. Where only triggers changed something, theirs: to fire them."""
    stored = setting.columns.stored
    by_statement = _not_null(changed_names(stored, "c", "o"))
    if not fires_before(setting):
        return by_statement
    by_trigger = _not_null(changed_names(stored, "(c._cow_version)", "o"))
    return sql.SQL("coalesce(nullif({}, '{{}}'), {})").format(by_statement, by_trigger)


def _not_null(elements: Fragment) -> Fragment:
    return sql.SQL("pg_catalog.array_remove(array[{}]::pg_catalog.text[], null)").format(elements)


def erase_given(setting: Setting) -> Fragment:
    """With the versions go the rows as they were given."""
    place = setting.place
    text = fill("table/erase_given", given=place.given, changes=place.changes) if fires_before(setting) else ""
    return raw(text)


def copy_given(setting: Setting) -> Fragment:
    """With the versions go the rows as they were given."""
    if not fires_before(setting):
        return NOTHING
    place, stored = setting.place, setting.columns.stored
    return raw(
        fill(
            "table/copy_given",
            given=place.given,
            changes=place.changes,
            stored=names(stored),
            given_stored=names(stored, "g"),
        )
    )


def written(setting: Setting) -> Iterable[str]:
    """The view that a commit reads."""
    if not fires_before(setting):
        return
    table, place = setting.relation.table, setting.place
    kept = {*table.key, *(c for f in setting.relation.referenced_by for c in f.ref_columns)}
    whole = [
        of("c", c)
        if c in kept
        else sql.SQL("case when g._cow_seq is null then {} else {} end as {}").format(of("c", c), of("g", c), name(c))
        for c in setting.columns.stored
    ]
    yield fill(
        "table/written",
        written=place.written,
        changes=place.changes,
        given=place.given,
        columns=joined(", ", whole),
    )


def fired(setting: Setting) -> Fired:
    """Triggers and the functions that fire them, in order."""
    firing = _firing(setting)
    if not firing:
        return Fired()
    place = setting.place
    statements: list[str] = [_guard(setting, place.view, firing)]
    suffixes: list[str] = []
    called: list[str] = []
    if any(t.row for t in firing):
        statements.append(fill("table/rows", rows=place.rows, base=place.base))
        statements.append(_guard(setting, place.rows, firing))  # a session may write there too
        statements += [_row_trigger(setting, n, t) for n, t in enumerate(firing) if t.row]
        statements += _noted_columns(setting, firing)
    for event in EVENTS:
        if fires_before(setting, event):
            statements += _before(setting, event)
            suffixes.append(f"given_{event}")
    if any(_row_triggers(setting, "", before=False)):
        statements += _after(setting)
        suffixes.append("fired")
        called.append("fired")
    statements += [_statement_trigger(setting, t) for t in firing if not t.row]
    return Fired(tuple(statements), tuple(suffixes), tuple(called))


def _firing(setting: Setting) -> list[Trigger]:
    return [t for t in setting.relation.triggers if t.fires]


def _row_triggers(setting: Setting, event: str, *, before: bool) -> Iterable[Trigger]:
    return (t for t in _firing(setting) if t.row and t.before == before and (not event or event in t.events))


def _guard(setting: Setting, relation: Fragment, firing: list[Trigger]) -> str:
    oids = ", ".join(f"'{oid}'" for oid in sorted({t.function_oid for t in firing}))
    return _statement(
        setting, relation, "!_cow_0_guard", "before", raw("insert or update or delete"), f"require_invokers({oids})"
    )


def _statement(setting: Setting, relation: Fragment, trigger: str, timing: str, events: Fragment, function: str) -> str:
    return fill(
        "table/statement_trigger",
        trigger=name(trigger),
        timing=raw(timing),
        events=events,
        view=relation,
        condition=when_bound(setting),
        call=raw(f"execute function cowscore.{function}"),
    )


def _events(trigger: Trigger, *, columns: bool) -> Fragment:
    return joined(
        " or ",
        [
            sql.SQL("update of {}").format(names(trigger.columns))
            if event == "update" and trigger.columns and columns
            else raw(event)
            for event in trigger.events
        ],
    )


def _statement_trigger(setting: Setting, trigger: Trigger) -> str:
    return fill(
        "table/statement_trigger",
        trigger=name(trigger.name),
        timing=raw("before" if trigger.before else "after"),
        events=_events(trigger, columns=True),
        view=setting.place.view,
        condition=when_bound(setting, trigger.condition),
        call=raw(trigger.call),
    )


def _row_trigger(setting: Setting, number: int, trigger: Trigger) -> str:
    """Fires when it is its turn; which columns the client's UPDATE sets is not told to a view's trigger, but noted."""
    timing = "before" if trigger.before else "after"
    fires = sql.SQL("pg_catalog.current_setting('cowscore.fires', true) operator(pg_catalog.=) {}")
    turns: list[Fragment] = []
    for event in trigger.events:
        turn: Fragment = fires.format(sql.Literal(f"{timing} {event}"))
        if event == "update" and trigger.columns:
            oid = sql.Literal(setting.relation.oid)
            turn = sql.SQL("{} and cowscore.sets({}, {})").format(turn, oid, sql.Literal(number))
        turns.append(turn)
    condition = sql.SQL("({})").format(joined(" or ", turns))
    if trigger.condition:
        condition = sql.SQL("{} and ({})").format(condition, raw(trigger.condition))
    return fill(
        "table/row_trigger",
        trigger=name(trigger.name),
        timing=raw(timing),
        events=_events(trigger, columns=False),
        rows=setting.place.rows,
        condition=condition,
        call=raw(trigger.call),
    )


def _noted_columns(setting: Setting, firing: list[Trigger]) -> Iterable[str]:
    noted = [(n, t) for n, t in enumerate(firing) if t.row and t.columns]
    if not noted:
        return
    oid, view = setting.relation.oid, setting.place.view
    update = raw("update")
    yield _statement(setting, view, "!_cow_1_push", "before", update, f"note_columns('push', '{oid}')")
    for n, t in noted:
        columns = sql.SQL("update of {}").format(names(t.columns))
        yield _statement(setting, view, f"!_cow_2_mark_{n}", "before", columns, f"note_columns('mark', '{oid}', '{n}')")
    yield _statement(setting, view, "!_cow_z_pop", "after", update, f"note_columns('pop', '{oid}')")


def _before(setting: Setting, event: str) -> Iterable[str]:
    from cowscore.database.render_writes import guards

    place, stored = setting.place, setting.columns.stored
    parts = _parts(place, stored)
    keep = raw("" if event == "delete" else fill("table/keep", **parts))
    row = raw("OLD" if event == "delete" else "NEW")
    function = place.function(f"given_{event}")
    skip = {"unbound": unbound(setting, "OLD" if event == "delete" else "NEW")}
    opened = {**skip, "begin_write": begin_write(setting)}
    yield fill("table/keep_given", function=function, guards=guards(setting, event), keep=keep, row=row, **opened)
    yield _instead_of(place, f"_cow_0_given_{event}", event, function)
    function = place.function(f"before_{event}")
    yield fill(
        "table/fire_before",
        function=function,
        **skip,
        seed=raw("" if event == "insert" else fill("table/seed", **parts)),
        event=sql.Literal(f"before {event}"),
        statement=raw(fill(f"table/fire_{event}", **parts).rstrip()),
        rows=place.rows,
        row=row,
        unchanged=raw("" if event == "insert" else _unchanged(setting, event)),
        **place.literals,
    )
    yield _instead_of(place, f"_cow_1_before_{event}", event, function)


def _unchanged(setting: Setting, event: str) -> str:
    columns = setting.columns
    return fill(
        "table/unchanged",
        view=setting.place.view,
        key_is_old=columns.key_equal("v", "OLD"),
        row_is_old=same(image("v", columns.stored), image("OLD", columns.stored)),
        message=sql.Literal(
            f"tuple to be {event}d was already modified by an operation triggered by the current command"
        ),
    )


def _instead_of(place: Place, trigger: str, event: str, function: Fragment) -> str:
    return fill("table/instead_of", trigger=name(trigger), event=raw(event), view=place.view, function=function)


def _parts(place: Place, stored: tuple[str, ...]) -> dict[str, Fragment]:
    return {
        "rows": place.rows,
        "given": place.given,
        "stored": names(stored),
        "new_stored": names(stored, "NEW"),
        "old_stored": names(stored, "OLD"),
        "returned": names(stored, "r"),
        "assignments": _assignments(stored, "NEW"),
    }


def _assignments(stored: tuple[str, ...], alias: str) -> Fragment:
    return joined(", ", [sql.SQL("{} = {}").format(name(c), of(alias, c)) for c in stored])


def _after(setting: Setting) -> Iterable[str]:
    place, columns, oid = setting.place, setting.columns, setting.relation.oid
    yield fill(
        "table/fired",
        function=place.function("fired"),
        rows=place.rows,
        changes=place.changes,
        oid=sql.Literal(oid),
        mark=sql.Literal(f"cowscore.fired_{oid}"),
        old_all=names(columns.all, "o"),
        new_all=names(columns.all, "c"),
    )
    yield fill(
        "table/fire_after",
        function=place.function("after"),
        fired=place.function("fired"),
        rows=place.rows,
        stored=names(columns.stored),
        new_stored=names(columns.stored, "(_cow_v.new_row)"),
        old_stored=names(columns.stored, "(_cow_v.old_row)"),
        assignments=_assignments(columns.stored, "(_cow_v.new_row)"),
    )
    events = [e for e in EVENTS if any(_row_triggers(setting, e, before=False))]
    yield fill(
        "table/after_statement",
        trigger=name("!_cow_then_rows"),
        events=raw(" or ".join(events)),
        view=place.view,
        condition=when_bound(setting),
        function=place.function("after"),
    )
