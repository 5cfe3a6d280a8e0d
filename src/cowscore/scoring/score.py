"""The entry point: two sessions' changes in, a Score out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import UUID

from cowscore.model import Change, Table
from cowscore.scoring import metrics
from cowscore.scoring.config import ScoringConfig
from cowscore.scoring.result import OperationScore, RowScore, Score

if TYPE_CHECKING:
    from cowscore.scoring.match import Matcher
    from cowscore.scoring.net import NetRow


def score(
    gt_changes: Iterable[Change],
    agent_changes: Iterable[Change],
    tables: Iterable[Table],
    config: ScoringConfig | None = None,
) -> Score:
    """Compare what the agent changed with what the ground truth changed, row by row.

    Takes all written versions of both sessions (in any order; `seq` orders them) and every table they name; without
    a configuration the default profile. Pure: no database, no clock, no randomness. Raises BadInput for a change of a
    table that is not among `tables`.
    """
    config = config or ScoringConfig()
    # The numeric libraries load with the first score, so that importing the package stays light.
    if config.profile == "paper":
        from cowscore.scoring.paper import paper_score

        result = paper_score(list(gt_changes), list(agent_changes), list(tables), config)
    else:
        result = _default_score(gt_changes, agent_changes, tables, config)
    return replace(result, scores={name: float(function(result)) for name, function in config.scores.items()})


def _default_score(
    gt_changes: Iterable[Change], agent_changes: Iterable[Change], tables: Iterable[Table], config: ScoringConfig
) -> Score:
    from cowscore.scoring import compare, credit, match, net

    rules = {(table.schema, table.name): compare.rules_for(table, config) for table in tables}
    gt_histories = net.histories(gt_changes, rules, config)
    agent_histories = net.histories(agent_changes, rules, config)
    gt_references = net.References(gt_histories, rules)
    agent_references = net.References(agent_histories, rules)
    gt_rows = [row for row in (net.net_row(history, config) for history in gt_histories) if row is not None]
    matcher = match.Matcher(gt_rows, gt_references, agent_histories, agent_references, config)
    needs = net.operations(agent_histories, agent_references, config)
    order = list(needs)
    struct_utility = credit.utilities(matcher, agent_histories, order, config)
    matched, missing, extra = _rows(matcher)
    traces = {operation for row in matcher.rows.values() for operation in row.operations}
    return assemble(
        matched,
        missing,
        extra,
        order=order,
        needs=needs,
        struct_utility=struct_utility,
        gt_operations=len(net.operations(gt_histories, gt_references, config)),
        wasted=tuple(operation for operation in order if operation not in traces),
        config=config,
    )


def _rows(matcher: Matcher) -> tuple[list[RowScore], list[RowScore], list[RowScore]]:
    """The matcher's verdict as matched, missing and extra rows, each in the order of writes."""
    from cowscore.scoring.match import field_similarities

    pairs = matcher.pairs()
    matched = []
    for gt, agent in pairs:
        fields, similarity_all, similarity = field_similarities(matcher, gt, agent)
        one_sided = _one_sided(agent)
        matched.append(
            replace(
                one_sided,
                gt_key=gt.key,
                gt=gt.row,
                similarity=similarity,
                similarity_all=similarity_all,
                fields=fields,
                changed=tuple(c.name for c in gt.rules.table.columns if c.name in gt.changed | agent.changed),
            )
        )
    met = {gt.history.number for gt, _ in pairs}, {agent.history.number for _, agent in pairs}
    missing = [
        replace(_one_sided(row), gt_key=row.key, gt=row.row, agent_key=None, agent=None)
        for row in matcher.gt
        if row.history.number not in met[0]
    ]
    extra = [_one_sided(row) for number, row in sorted(matcher.rows.items()) if number not in met[1]]
    return matched, missing, extra


def _one_sided(row: NetRow) -> RowScore:
    table = row.rules.table
    return RowScore(
        table=table.name,
        schema=table.schema,
        kind=row.kind,
        gt_key=None,
        agent_key=row.key,
        gt=None,
        agent=row.row,
        changed=tuple(c.name for c in table.columns if c.name in row.changed),
        operation=row.operations[-1],
        operations=row.operations,
    )


def assemble(
    matched: Sequence[RowScore],
    missing: Sequence[RowScore],
    extra: Sequence[RowScore],
    *,
    order: Sequence[UUID],
    needs: Mapping[UUID, Sequence[UUID]],
    struct_utility: Mapping[UUID, float],
    gt_operations: int,
    wasted: tuple[UUID, ...],
    config: ScoringConfig,
) -> Score:
    """A Score from scored rows and operations: the formulas of `metrics`, the same for every profile."""
    from cowscore.scoring import credit

    counts = len(matched), len(missing), len(extra)
    wrote = any(counts)
    precision, recall = metrics.precision(counts[0], counts[2]), metrics.recall(counts[0], counts[1])
    efficiency = metrics.efficiency(gt_operations, len(order), len(wasted))
    if config.profile == "paper" and not order:
        efficiency = 1.0
    terms = {
        "struct": metrics.struct(*counts),
        "content": metrics.content([row.similarity or 0.0 for row in matched], wrote),
        "content_all": metrics.content([row.similarity_all or 0.0 for row in matched], wrote),
        "precision": precision,
        "recall": recall,
        "f1": metrics.f1(precision, recall),
        "efficiency": efficiency,
    }
    content_utility = credit.content_utilities(
        (row.operation, row.similarity or 0.0) for row in matched if row.operation is not None
    )
    rows = credit.by_operation(order, matched, extra)
    credits = credit.shapley(rows, counts[0] + counts[1], needs, config.seed)
    lost = credit.leave_one_out(rows, counts[0] + counts[1], needs)
    existing = [row for row in matched if row.kind != "insert"]
    collateral = [row for row in extra if row.kind != "insert"]
    return Score(
        struct=terms["struct"],
        content=terms["content"],
        content_all=terms["content_all"],
        overall=metrics.overall(terms, config.weights or metrics.FORMULA_5),
        precision=precision,
        recall=recall,
        f1=terms["f1"],
        efficiency=efficiency,
        matched=list(matched),
        missing=list(missing),
        extra=list(extra),
        operations=[
            OperationScore(
                id=operation,
                struct_utility=struct_utility[operation],
                content_utility=content_utility.get(operation),
                credit=credits[operation].value,
                credit_error=credits[operation].error,
                leave_one_out=lost[operation],
            )
            for operation in order
        ],
        gt_operations=gt_operations,
        wasted=wasted,
        profile=config.profile,
        collateral=len(collateral),
        restraint=metrics.precision(len(existing), len(collateral)),
    )
