"""Which row of the agent is which row of the ground truth.

A row that existed in base is the row with the same key, and so is an inserted row whose key somebody chose. Inserted
rows with made-up keys are paired by optimal assignment: the pairing of a table maximises the sum of similarities,
tables that are referenced come before tables that reference them, and where they reference each other in a circle
the pairing is repeated until it stays as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from cowscore.scoring.compare import Rules, Token, row_function_similarity, similarity, token
from cowscore.scoring.config import ScoringConfig
from cowscore.scoring.net import History, NetRow, New, References, TableName, net_row
from cowscore.scoring.pool import UNRESOLVED, Alone, Floats, Indices, Pool, Unresolved, positions

ROUNDS = 10
"""Sweeps over tables that reference each other in a circle, at most; the best of them counts."""
TIE = 1e-9
"""Weight of agreeing child rows in an assignment: decides between equals, too little to outweigh a difference."""


class Matcher:
    """The ground truth's rows and the state of the agent's, row by row; says after each `settle` who matches whom."""

    def __init__(
        self,
        gt: Sequence[NetRow],
        gt_references: References,
        agent: Sequence[History],
        agent_references: References,
        config: ScoringConfig,
    ) -> None:
        self.config = config
        self.gt = gt
        self.mapping: dict[int, int] = {}
        """Number of an inserted row of the agent -> number of the ground truth's inserted row it is."""
        self.rows: dict[int, NetRow] = {}
        self._by_number = {row.history.number: row for row in gt}
        self._agent_references = agent_references
        self._gt_references = gt_references
        self._known: dict[Token, NetRow] = {}
        self._agent_known: dict[int, Token] = {}
        self._known_matches: dict[int, NetRow] = {}
        pools: dict[TableName, list[NetRow]] = {}
        for row in gt:
            identity = self._identity(row, gt_references)
            if identity is None:
                pools.setdefault(_name(row.rules), []).append(row)
            else:
                self._known[identity] = row
        self._order, self._parents = _table_order([*(row.rules for row in gt), *(h.rules for h in agent)])
        self._pools = {name: Pool(rows[0].rules, rows, gt_references) for name, rows in pools.items()}
        self._waiting: dict[TableName, dict[int, NetRow]] = {}
        self._links: dict[NetRow, dict[str, Token]] = {}
        self._touched: set[TableName] = set()
        self._pending: set[TableName] = set()
        self._agent_tables = [_name(history.rules) for history in agent]
        self._circular = self._has_circle(gt_references, agent)
        self._children = _children(gt, gt_references), _children_of_histories(agent, agent_references, config)

    @property
    def matched(self) -> int:
        """Number of matched rows."""
        paired = sum(number in self.mapping for waiting in self._waiting.values() for number in waiting)
        return len(self._known_matches) + paired

    @property
    def extra(self) -> int:
        """Number of rows of the agent that match nothing."""
        return len(self.rows) - self.matched

    def update(self, number: int, row: NetRow | None) -> None:
        """Take `row` as the agent's net change of its row `number`, None where there is none (any more)."""
        old = self.rows.pop(number, None)
        if old is not None:
            self._agent_known.pop(number, None)
            self._known_matches.pop(number, None)
            self.mapping.pop(number, None)
            self._waiting.get(_name(old.rules), {}).pop(number, None)
            self._touched.add(_name(old.rules))
        if row is None:
            return
        self.rows[number] = row
        self._touched.add(_name(row.rules))
        identity = self._identity(row, self._agent_references)
        if identity is None:
            self._waiting.setdefault(_name(row.rules), {})[number] = row
            return
        partner = self._known.get(identity)
        if partner is not None:
            self._known_matches[number] = partner
            if row.kind == "insert":
                self.mapping[number] = partner.history.number

    def settle(self) -> None:
        """Pair what only similarity can pair, in every table that the updates since the last call may concern."""
        if self._circular and self._touched:
            self._settle_circle()
        else:
            self._sweep(self._touched)
        self._touched = set()

    def pairs(self) -> list[tuple[NetRow, NetRow]]:
        """(ground truth row, agent row) of all matched rows, in the order of the ground truth's writes."""
        found = [(partner, self.rows[number]) for number, partner in self._known_matches.items()]
        for waiting in self._waiting.values():
            found += [(self._by_number[self.mapping[n]], row) for n, row in waiting.items() if n in self.mapping]
        return sorted(found, key=lambda pair: pair[0].history.number)

    def translate(self, row: NetRow, column: str) -> Token:
        """The token of an agent's column in terms of the ground truth's rows."""
        return self._translated(self._link_tokens(row)[column])

    def gt_token(self, row: NetRow, column: str) -> Token:
        """The token of a ground truth's column."""
        return self._gt_references.token(row.rules, row.row, column)

    def translated_row(self, row: NetRow) -> dict[str, Any]:
        """The agent's row with references to its own inserted rows replaced by the ground truth's values."""
        plain = dict(row.row)
        for column, key in row.rules.foreign_keys.items():
            found = self.translate(row, column)
            if isinstance(found, New):
                plain[column] = self._by_number[found.row].row.get(key.ref_columns[key.columns.index(column)])
        return plain

    def same_count(self, gt: NetRow, agent: NetRow, column: str) -> bool:
        """True where two inserted rows have the same number, or numbers that both sessions gave out to some row."""
        numbers = gt.row.get(column), agent.row.get(column)
        if numbers[0] == numbers[1]:
            return True
        given = self._numbers(self.gt, gt, column), self._numbers(self.rows.values(), gt, column)
        return all(number in side for number in numbers for side in given)

    @staticmethod
    def _numbers(rows: Iterable[NetRow], like: NetRow, column: str) -> set[Any]:
        return {row.row.get(column) for row in rows if row.kind == "insert" and row.rules.table is like.rules.table}

    def _identity(self, row: NetRow, references: References) -> Token | None:
        """What makes a row itself, where that is known without pairing."""
        rules, history = row.rules, row.history
        if row.kind != "insert":
            first = history.changes[0]
            base = first.before or {}
            key = tuple(base.get(c) for c in rules.table.key) if rules.table.key else tuple(first.key)
            return _name(rules), row.kind, token(key)
        if not rules.identified:
            return None
        tokens = tuple(references.token(rules, row.row, c) for c in rules.chosen)
        return None if any(isinstance(t, New) for t in tokens) else (_name(rules), row.kind, tokens)

    def _link_tokens(self, row: NetRow) -> dict[str, Token]:
        known = self._links.get(row)
        if known is None:
            columns = {*row.rules.foreign_keys, *row.rules.chosen, *(c for key in row.rules.deciding for c in key)}
            known = {c: self._agent_references.token(row.rules, row.row, c) for c in columns}
            self._links[row] = known
        return known

    def _translated(self, value: Token) -> Token:
        if not isinstance(value, New):
            return value
        partner = self.mapping.get(value.row)
        if partner is not None:
            return New(partner)
        return UNRESOLVED if self._agent_tables[value.row] in self._pending else Alone(value.row)

    def _has_circle(self, gt_references: References, agent: Sequence[History]) -> bool:
        """True where a row references an inserted row of a table that is paired no earlier than its own."""
        place = {name: i for i, name in enumerate(self._order)}
        gt_tables = {row.history.number: _name(row.rules) for row in self.gt}
        images = [(row.rules, row.row, gt_references, gt_tables) for row in self.gt]
        agent_tables = dict(enumerate(self._agent_tables))
        for history in agent:
            found = [c.after for c in history.changes if c.after is not None]
            images += [(history.rules, row, self._agent_references, agent_tables) for row in found]
        for rules, row, references, tables in images:
            for column in rules.foreign_keys:
                target = references.token(rules, row, column)
                inserted = isinstance(target, New) and target.row in tables
                if inserted and place[tables[target.row]] >= place[_name(rules)]:
                    return True
        return False

    def _sweep(self, touched: Collection[TableName]) -> float:
        """Pair the touched tables and those that reference a table whose pairing changed; the sum of similarities."""
        moved, total = set(touched), 0.0
        for name in self._order:
            if name in self._waiting and (name in moved or self._parents[name] & moved):
                before = {n: self.mapping.get(n) for n in self._waiting[name]}
                total += self._pair(name)
                if before != {n: self.mapping.get(n) for n in self._waiting[name]}:
                    moved.add(name)
            self._pending.discard(name)
        return total

    def _settle_circle(self) -> None:
        waiting = [number for rows in self._waiting.values() for number in rows]
        for number in waiting:
            self.mapping.pop(number, None)
        self._pending = set(self._order)
        self._sweep(self._order)
        best, best_total = dict(self.mapping), -1.0
        for _ in range(ROUNDS):
            before = dict(self.mapping)
            total = self._sweep(self._order)
            if total > best_total:
                best, best_total = dict(self.mapping), total
            if before == self.mapping:
                break
        self.mapping = best

    def _pair(self, name: TableName) -> float:
        """Pair the waiting rows of one table anew; the sum of the pairs' similarities, a settled pair counting 1."""
        rows = [row for _, row in sorted(self._waiting[name].items())]
        translated = [{c: self._translated(t) for c, t in self._link_tokens(row).items()} for row in rows]
        for row in rows:
            self.mapping.pop(row.history.number, None)
        pool = self._pools.get(name)
        if pool is None:
            return 0.0
        total = 0.0
        for block, members in positions(tuple(t[c] for c in pool.rules.chosen) for t in translated).items():
            candidates = pool.blocks.get(block)
            if candidates is not None:
                total += self._pair_block(
                    pool, candidates, [rows[i] for i in members], [translated[i] for i in members]
                )
        return total

    def _pair_block(
        self, pool: Pool, candidates: Indices, rows: Sequence[NetRow], tokens: Sequence[Mapping[str, Token]]
    ) -> float:
        settled = {0: int(candidates[0])} if pool.rules.identified else self._decide(pool, candidates, tokens)
        for i, g in settled.items():
            self.mapping[rows[i].history.number] = pool.rows[g].history.number
        left = [i for i in range(len(rows)) if i not in settled]
        free = np.array([g for g in candidates if int(g) not in settled.values()], dtype=np.intp)
        if not left or not free.size:
            return float(len(settled))
        similar = np.array([self._similarities(pool, rows[i], tokens[i])[free] for i in left])
        enough = similar >= self.config.floor
        ties = self._agreeing_children([rows[i] for i in left], [pool.rows[g] for g in free])
        chosen_rows, chosen_columns = linear_sum_assignment(np.where(enough, similar + TIE * ties, 0.0), maximize=True)
        total = float(len(settled))
        for i, j in zip(chosen_rows.tolist(), chosen_columns.tolist(), strict=True):
            if enough[i, j]:
                self.mapping[rows[left[i]].history.number] = pool.rows[free[j]].history.number
                total += float(similar[i, j])
        return total

    def _similarities(self, pool: Pool, row: NetRow, tokens: Mapping[str, Token]) -> Floats:
        function = pool.rules.function
        if function is None:
            links = {c: t for c, t in tokens.items() if c in pool.rules.foreign_keys}
            return pool.similarities(row, links)
        return np.array([row_function_similarity(function, g.row, self.translated_row(row)) for g in pool.rows])

    def _decide(self, pool: Pool, candidates: Indices, tokens: Sequence[Mapping[str, Token]]) -> dict[int, int]:
        """Pairs (row -> candidate) that a unique constraint with known, equal values settles."""
        settled: dict[int, int] = {}
        for columns in pool.rules.deciding:
            ours = positions(tuple(found[c] for c in columns) for found in tokens)
            theirs = positions(tuple(pool.tokens[g].get(c) for c in columns) for g in candidates)
            for value, members in ours.items():
                partners = theirs.get(value)
                known = not any(part is None or isinstance(part, (Alone, Unresolved)) for part in value)
                if known and partners is not None and len(members) == len(partners) == 1:
                    i, g = int(members[0]), int(candidates[partners[0]])
                    if i not in settled and g not in settled.values():
                        settled[i] = g
        return settled

    def _agreeing_children(self, rows: Sequence[NetRow], partners: Sequence[NetRow]) -> Floats:
        """Number of child rows alike under each pair of (agent row, ground truth row)."""
        gt, agent = self._children
        result = np.zeros((len(rows), len(partners)))
        for i, row in enumerate(rows):
            mine = agent.get(row.history.number)
            if mine:
                result[i] = [(mine & gt.get(p.history.number, Counter())).total() for p in partners]
        return result


def _name(rules: Rules) -> TableName:
    return rules.table.schema, rules.table.name


def _table_order(rules: Iterable[Rules]) -> tuple[list[TableName], dict[TableName, set[TableName]]]:
    """Tables, referenced ones before those that reference them (circles cut somewhere), and whom each references."""
    parents = {_name(rule): {(key.ref_schema, key.ref_table) for key in rule.foreign_keys.values()} for rule in rules}
    order: dict[TableName, None] = {}
    entered: set[TableName] = set()

    def visit(name: TableName) -> None:
        if name in parents and name not in entered:
            entered.add(name)
            for parent in sorted(parents[name]):
                visit(parent)
            order[name] = None

    for name in sorted(parents):
        visit(name)
    return list(order), parents


def _children(rows: Iterable[NetRow], references: References) -> dict[int, Counter[Token]]:
    """Number of an inserted row -> its inserted child rows, each as the values that name no inserted row."""
    found: dict[int, Counter[Token]] = {}
    for row in rows:
        if row.kind != "insert":
            continue
        rules = row.rules
        links = {c: references.token(rules, row.row, c) for c in rules.foreign_keys}
        values = tuple(
            None if isinstance(links.get(c), New) else token(row.row.get(c)) for c in (*rules.chosen, *rules.compared)
        )
        for column, target in links.items():
            if isinstance(target, New):
                found.setdefault(target.row, Counter())[_name(rules), column, values] += 1
    return found


def _children_of_histories(
    agent: Iterable[History], references: References, config: ScoringConfig
) -> dict[int, Counter[Token]]:
    return _children([row for row in (net_row(history, config) for history in agent) if row is not None], references)


def field_similarities(matcher: Matcher, gt: NetRow, agent: NetRow) -> tuple[dict[str, float], float, float]:
    """Similarity of a matched pair: per compared field, their mean, and their mean over the fields either side changed.

    A field of an existing row that neither side changed is alike whatever base held when the two sessions ran. A
    delete has no content. A row function gives one number and no fields.
    """
    rules = gt.rules
    if gt.kind == "delete":
        return {}, 1.0, 1.0
    if rules.function is not None:
        verdict = row_function_similarity(rules.function, gt.row, matcher.translated_row(agent))
        return {}, verdict, verdict
    changed = gt.changed | agent.changed
    fields: dict[str, float] = {}
    for column in dict.fromkeys([*rules.compared, *(c for c in rules.table.key if c in changed)]):
        if gt.kind == "update" and column not in changed:
            fields[column] = 1.0
        elif column in rules.foreign_keys:
            fields[column] = float(matcher.translate(agent, column) == matcher.gt_token(gt, column))
        elif gt.kind == "insert" and column in rules.counted:
            fields[column] = float(matcher.same_count(gt, agent, column))
        else:
            fields[column] = similarity(rules.measures[column], gt.row.get(column), agent.row.get(column))
    over_changed = [value for column, value in fields.items() if column in changed]
    return fields, _mean(fields.values()), _mean(over_changed)


def _mean(values: Collection[float]) -> float:
    return sum(values) / len(values) if values else 1.0
