"""Similarity of the ground truth's inserted rows to many rows of the agent, column by column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Indel
from rapidfuzz.process import cdist

from cowscore.scoring.compare import Rules, Token, similarity, token
from cowscore.scoring.net import NetRow, New, References

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Alone:
    """Token of a reference to a row of the agent that is paired with nothing."""

    row: int


class Unresolved:
    """Token of a reference to a row whose table has not been paired yet."""


UNRESOLVED = Unresolved()


class Pool:
    """The inserted rows of one table of the ground truth, prepared for comparison with many rows of the agent."""

    def __init__(self, rules: Rules, rows: Sequence[NetRow], references: References) -> None:
        self.rules = rules
        self.rows = rows
        self.numbers = {row.history.number: i for i, row in enumerate(rows)}
        self.set: dict[str, Flags] = {
            c: np.array([c in row.changed for row in rows], dtype=np.bool_) for c in rules.compared
        }
        self.tokens = [{c: references.token(rules, row.row, c) for c in row.row} for row in rows]
        self.blocks = positions(tuple(found.get(c) for c in rules.chosen) for found in self.tokens)
        self.places = {
            c: positions(found.get(c) for found in self.tokens)
            for c in rules.compared
            if c in rules.foreign_keys or rules.measures[c] == "exact"
        }
        self._fixed: dict[NetRow, tuple[Floats, Floats]] = {}

    def similarities(self, row: NetRow, tokens: Mapping[str, Token]) -> Floats:
        """Similarity of an agent's row to every row here over the fields that either side set, 0..1.

        `tokens` are the agent's foreign key columns, translated into references to rows of the ground truth.
        """
        total, count = (part.copy() for part in self._fixed_columns(row))
        for column, value in tokens.items():
            if column not in self.set:
                continue
            considered = self.set[column] | (column in row.changed)
            if value is UNRESOLVED:
                considered = considered & np.array([not isinstance(t.get(column), New) for t in self.tokens], np.bool_)
            else:
                found = self.places[column].get(value)
                if found is not None:
                    total[found] += considered[found]
            count += considered
        return np.divide(total, count, out=np.ones_like(total), where=count > 0)

    def _fixed_columns(self, row: NetRow) -> tuple[Floats, Floats]:
        """Sum of similarities and number of fields over the columns that no pairing changes; kept per row."""
        known = self._fixed.get(row)
        if known is not None:
            return known
        total, count = np.zeros(len(self.rows)), np.zeros(len(self.rows))
        for column in self.rules.compared:
            if column not in self.rules.foreign_keys and column not in self.rules.counted:
                considered = self.set[column] | (column in row.changed)
                total += considered * self._column(column, row.row.get(column))
                count += considered
        self._fixed[row] = total, count
        return total, count

    def _column(self, column: str, value: Any) -> Floats:
        result = np.zeros(len(self.rows))
        measure = self.rules.measures[column]
        if measure == "exact":
            found = self.places[column].get(token(value))
            if found is not None:
                result[found] = 1.0
        elif measure == "text" and value is not None:
            filled = [i for i, row in enumerate(self.rows) if row.row.get(column) is not None]
            texts = [str(self.rows[i].row[column]) for i in filled]
            if texts:
                result[filled] = cdist([str(value)], texts, scorer=Indel.normalized_similarity, dtype=np.float64)[0]
        else:
            result[:] = [similarity(measure, row.row.get(column), value) for row in self.rows]
        return result


def positions(values: Iterable[Token]) -> dict[Token, Indices]:
    """Each distinct value -> the positions at which it occurs."""
    found: dict[Token, list[int]] = {}
    for i, value in enumerate(values):
        found.setdefault(value, []).append(i)
    return {value: np.array(places, dtype=np.intp) for value, places in found.items()}
