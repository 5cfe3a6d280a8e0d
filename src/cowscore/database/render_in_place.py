"""In place, production writes through the overlay view, too: triggers that take its rows to the table itself."""

from __future__ import annotations

from collections.abc import Iterable

from psycopg import sql

from cowscore.database.columns import image, names, of, same
from cowscore.database.render import Setting
from cowscore.database.render_writes import guards
from cowscore.database.templates import Fragment, fill, joined, name, raw


def production(setting: Setting) -> Iterable[str]:
    """Three functions with their triggers; none in the layout `overlay`."""
    if not setting.in_place:
        return
    place, columns = setting.place, setting.columns
    row_is_old = same(image("b", columns.stored), image("OLD", columns.stored))
    written = {
        "base": place.base,
        "stored": names(columns.stored),
        "new_stored": names(columns.stored, "NEW"),
        "written": names(columns.all, "b"),
        "new_all": names(columns.all, "NEW"),
    }
    found = {"base": place.base, "key_is_old": columns.key_equal("b", "OLD"), "row_is_old": row_is_old}
    outrun = raw(fill("table/outrun", **found))
    texts = {
        "insert": {**written, "guards": guards(setting, "insert")},
        "update": {
            **written,
            **found,
            "outrun": outrun,
            "guards": guards(setting, "update", identity="kept"),
            "assignments": _assignments(setting),
        },
        "delete": {**found, "outrun": outrun},
    }
    for event, parts in texts.items():
        function = place.function(f"production_{event}")
        yield fill(f"table/production_{event}", function=function, **parts)
        yield fill(
            "table/instead_of",
            trigger=name(f"_cow_production_{event}"),
            event=raw(event),
            view=place.view,
            function=function,
        )


def _assignments(setting: Setting) -> Fragment:
    columns = [c.name for c in setting.relation.table.columns if not c.generated and c.identity != "always"]
    return joined(", ", [sql.SQL("{} = {}").format(name(c), of("NEW", c)) for c in columns])
