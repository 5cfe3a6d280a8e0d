"""Small SVG plots for the HTML report: drawn here, so that the page needs nothing from anywhere else."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

_WIDTH = 860
_LEFT = 210
_RIGHT = 200
"""Room beside the plot for names and values."""
_LONGEST = 26
"""Characters of a name that fit there."""
_ROW = 15
"""Height of one bar."""
_GAP = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar with its whisker."""

    label: str
    value: float
    """0..1."""
    low: float = math.nan
    high: float = math.nan
    kind: str = ""
    """A CSS class that decides its colour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Bars under one name; `href` is where a click on the name leads."""

    name: str
    href: str
    bars: tuple[Bar, ...]


def bars(groups: Sequence[Group], title: str) -> Markup:
    """Horizontal bars from 0 to 1, grouped, with whiskers where an interval is known (the paper's Figure 2)."""
    parts, y = [], 4
    for group in groups:
        middle = y + len(group.bars) * _ROW / 2 + 4
        parts.append(_link(group.href, _text(_LEFT - 10, middle, _short(group.name), "end", "name")))
        for bar in group.bars:
            width = _x(bar.value) - _LEFT
            hint = f"{group.name}, {bar.label}: {bar.value:.3f}"
            parts.append(
                f'<rect class="{escape(bar.kind)}" x="{_LEFT}" y="{y + 2}" width="{max(width, 1):.1f}" '
                f'height="{_ROW - 4}"><title>{escape(hint)}</title></rect>'
            )
            parts.append(_whisker(bar, y + _ROW / 2))
            parts.append(_text(_x(1) + 8, y + _ROW - 4, f"{bar.value:.2f} {bar.label}", "start", "value"))
            y += _ROW
        y += _GAP
    axis = "".join(
        f'<line class="grid" x1="{_x(v):.1f}" x2="{_x(v):.1f}" y1="0" y2="{y}"/>'
        + _text(_x(v), y + 12, f"{v:g}", "middle", "value")
        for v in (0, 0.25, 0.5, 0.75, 1)
    )
    return _svg(axis + "".join(parts), y + 18, title)


def slopes(rows: Sequence[tuple[str, float, float]], before: str, after: str, title: str) -> Markup:
    """A line for each agent from its score on one surface to its score on the other."""
    height, top = 300, 30

    def at(value: float) -> float:
        return top + (1 - value) * (height - top - 20)

    parts = [_text(_LEFT, 12, before, "middle", "name"), _text(_x(1), 12, after, "middle", "name")]
    for agent, a, b in rows:
        kind = "up" if b > a + 0.005 else "down" if b < a - 0.005 else "same"
        parts.append(
            f'<line class="slope {kind}" x1="{_LEFT}" y1="{at(a):.1f}" x2="{_x(1):.1f}" y2="{at(b):.1f}">'
            f"<title>{escape(agent)}: {a:.3f} to {b:.3f}</title></line>"
        )
    for x, away, anchor, side in ((_LEFT, -1, "end", 1), (_x(1), 1, "start", 2)):
        lowest = 0.0
        for row in sorted(rows, key=lambda row: (-float(row[side]), row[0])):
            value = float(row[side])
            # Labels that would cover each other move down; a thin line leads to where they belong.
            lowest = max(at(value), lowest + 13)
            parts.append(
                f'<line class="grid" x1="{x + 3 * away:.1f}" y1="{at(value):.1f}" '
                f'x2="{x + 16 * away:.1f}" y2="{lowest:.1f}"/>'
            )
            parts.append(_text(x + 19 * away, lowest + 4, f"{_short(row[0])} {value:.2f}", anchor, "value"))
    return _svg("".join(parts), height + 13 * len(rows) // 2, title)


def _svg(content: str, height: float, title: str) -> Markup:
    # Every piece of text in `content` was escaped where it was put in.
    return Markup(
        f'<svg viewBox="0 0 {_WIDTH} {height:.0f}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{content}</svg>"
    )


def _x(value: float) -> float:
    return _LEFT + value * (_WIDTH - _LEFT - _RIGHT)


def _whisker(bar: Bar, y: float) -> str:
    if math.isnan(bar.low) or math.isnan(bar.high):
        return ""
    low, high = _x(max(bar.low, 0)), _x(min(bar.high, 1))
    return f'<path class="whisker" d="M{low:.1f} {y - 4:.1f}v8M{low:.1f} {y:.1f}H{high:.1f}M{high:.1f} {y - 4:.1f}v8"/>'


def _text(x: float, y: float, text: str, anchor: str, kind: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}">{escape(text)}</text>'


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "\u2026"


def _link(href: str, content: str) -> str:
    return f'<a href="{escape(href)}">{content}</a>'
