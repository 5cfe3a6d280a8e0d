from __future__ import annotations

import pytest

from cowscore.demo.seed import member_id
from cowscore.demo.workflows import Action, Condition, Item, Workflow, plan, workflow, workflows
from cowscore.errors import UnknownName

TABLE_4 = (12, 13, 15, 10, 11, 10, 14, 10, 11, 15, 24, 23, 16, 5, 10, 13, 13, 21, 14, 32)
STATES = [{"id": "s1", "name": "Backlog"}, {"id": "s2", "name": "Todo"}]
LABELS = [{"id": "l1", "name": "bug"}, {"id": "l2", "name": "stale"}]
MEMBERS = [{"id": "m1", "handle": "alice"}, {"id": "m2", "handle": "bob"}]


def item(**fields: object) -> dict[str, object]:
    usual = {"id": "w1", "state_id": "s1", "priority": "none", "label_ids": ["l1"], "assignee_ids": []}
    return usual | fields


def rule(**parts: object) -> Workflow:
    return Workflow.model_validate(
        {"name": "test", "prompt": "", "project": "PSP", "tags": [], "operations": 0, "rule": parts}
    )


def test_operations_are_those_of_the_published_table() -> None:
    assert tuple(w.operations for w in workflows()) == TABLE_4
    assert sum(TABLE_4) == 292


def test_prompts_speak_of_issues_and_give_ids() -> None:
    for w in workflows():
        assert "issue" in w.prompt or "bugs" in w.prompt
        assert "work item" not in w.prompt
        assert "{" not in w.prompt
        for action in w.rule.actions:
            if action.assign:
                assert f"@{action.assign} (user id: {member_id(action.assign)})" in w.prompt


def test_prompts_name_what_their_rules_use() -> None:
    for w in workflows():
        rule = w.rule
        words = [rule.create_label.name, rule.create_label.color] if rule.create_label else []
        for condition in (rule.select, *(action.when for action in rule.actions)):
            words += [*(condition.label or ()), *condition.not_label, *(condition.priority or ()), *condition.not_state]
            words += [*(condition.state or ())]
        for action in rule.actions:
            words += filter(None, (action.set_state, action.set_priority, action.add_label, action.remove_label))
        assert [word for word in words if word not in w.prompt] == []


def test_unknown_name() -> None:
    assert workflow("Campaign Push").operations == 5
    with pytest.raises(UnknownName, match="Campaign Push"):
        workflow("Campaign Pull")


def test_plan_gives_one_step_for_each_field() -> None:
    actions = [{"set_state": "Todo", "set_priority": "high", "add_label": "stale", "assign": "bob"}]
    steps = plan(rule(select={}, actions=actions), [item()], LABELS, STATES, MEMBERS)
    assert [dict(step.body) for step in steps] == [
        {"state_id": "s2"},
        {"label_ids": ["l1", "l2"]},
        {"priority": "high"},
        {"assignee_ids": ["m2"]},
    ]
    assert {step.pk for step in steps} == {"w1"}


def test_plan_skips_what_is_so_already() -> None:
    actions = [{"set_state": "Backlog", "set_priority": "none", "add_label": "bug", "remove_label": "stale"}]
    assert plan(rule(select={}, actions=actions), [item()], LABELS, STATES, MEMBERS) == []


def test_plan_creates_a_label_once_and_fills_in_its_id() -> None:
    parts = {"select": {}, "actions": [{"add_label": "new"}], "create_label": {"name": "new", "color": "#000000"}}
    create, put = plan(rule(**parts), [item()], LABELS, STATES, MEMBERS)
    assert (create.operation, create.pk) == ("create_label", None)
    assert put.completed({"new": "l3"}) == {"label_ids": ["l1", "l3"]}
    known = [*LABELS, {"id": "l3", "name": "new"}]
    (again,) = plan(rule(**parts), [item()], known, STATES, MEMBERS)
    assert again.completed({}) == {"label_ids": ["l1", "l3"]}


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ({}, True),
        ({"state": ["Backlog", "Todo"]}, True),
        ({"state": ["Todo"]}, False),
        ({"not_state": ["Backlog"]}, False),
        ({"priority": ["low"]}, True),
        ({"priority": ["high"]}, False),
        ({"label": ["stale", "bug"]}, True),
        ({"label": ["stale"]}, False),
        ({"not_label": ["bug"]}, False),
        ({"assignee": "alice"}, True),
        ({"assignee": "bob"}, False),
        ({"unassigned": True}, False),
        ({"unassigned": False}, True),
    ],
)
def test_conditions(condition: dict[str, object], holds: bool) -> None:
    found = Item(state="Backlog", priority="low", labels=frozenset({"bug"}), assignees=frozenset({"alice"}))
    assert Condition.model_validate(condition).holds(found) is holds


def test_conditions_look_at_the_work_item_as_found() -> None:
    actions = [{"set_priority": "high"}, {"when": {"priority": ["high"]}, "set_state": "Todo"}]
    steps = plan(rule(select={}, actions=actions), [item()], LABELS, STATES, MEMBERS)
    assert [dict(step.body) for step in steps] == [{"priority": "high"}]
    assert Action.model_validate(actions[1]).when.priority == ("high",)
