"""R3.03: the field matrix of the three contracts."""

import json
from itertools import product
from typing import Any

import pytest

from outlast.agent.loops.replan_loop import contracts as c
from outlast.context.chat_model import ToolSpec
from outlast.documents.contracts.contract import Parsed, parse_contract

SCHEMA = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
TOOLS = {name: ToolSpec(name, "", SCHEMA) for name in ("internet_search", "schedule", "todo")}
ACTION = {"tool": "todo", "input": "/todo list"}
ABSENT: Any = object()
EMPTY: tuple[Any, ...] = (ABSENT, None, "", "  \n", [])
FULL = {"current_step": "1", "next_action": ACTION, "question": "Which?", "response": "Fine"}


def reply(status: str, **fields: object) -> str:
    kept = {name: value for name, value in fields.items() if value is not ABSENT}
    return json.dumps({"status": status, **kept})


def think(text: str, *, has_item: bool = True) -> Parsed[c.Thought]:
    return parse_contract(text, c.Thought, c.check_thought(TOOLS, has_item=has_item))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("status", "required", "forbidden"),
    [
        ("continue", {"current_step", "next_action"}, {"question", "response"}),
        ("ask_user", {"current_step", "question"}, {"next_action", "response"}),
        ("done", set(), {"next_action", "question"}),
    ],
)
def test_r3_03_a_thought_has_the_fields_of_its_status_and_no_others(
    status: str, required: set[str], forbidden: set[str]
) -> None:
    valid = {name: FULL[name] for name in required}
    assert think(reply(status, **valid)).value is not None
    for name, empty in product(required, EMPTY):
        assert think(reply(status, **{**valid, name: empty})).problems, (name, empty)
    for name, empty in product(forbidden, EMPTY):
        assert not think(reply(status, **{**valid, name: empty})).problems, (name, empty)
    for name in forbidden:
        assert think(reply(status, **{**valid, name: FULL[name]})).problems, name


def test_r3_03_the_conclusion_of_an_item_is_optional() -> None:
    assert think(reply("done", response="Found two")).value == c.ItemDone(response="Found two")
    for empty in EMPTY:
        assert not think(reply("done", response=empty, current_step=empty)).problems


@pytest.mark.parametrize("part", ["tool", "input"])
def test_r3_03_an_action_needs_a_tool_and_an_input(part: str) -> None:
    for empty in (*EMPTY, {}, {"input": "/todo list"}, ["/todo list"]):
        action = {
            name: value for name, value in {**ACTION, part: empty}.items() if value is not ABSENT
        }
        assert think(reply("continue", current_step="1", next_action=action)).problems


def test_r3_03_an_unknown_tool_is_a_validation_failure() -> None:
    parsed = think(reply("continue", current_step="1", next_action={**ACTION, "tool": "bash"}))
    assert [problem.text for problem in parsed.problems] == ["thought_tool_unknown"]
    assert "internet_search, schedule, todo" in parsed.repair_request()


def test_r3_13_nothing_can_go_on_without_an_item() -> None:
    valid = {name: FULL[name] for name in ("current_step", "next_action")}
    assert think(reply("continue", **valid), has_item=False).problems
    assert not think(reply("done"), has_item=False).problems
    assert not think(
        reply("ask_user", current_step="1", question="Which?"), has_item=False
    ).problems


def test_r3_03_unknown_keys_and_words_around_are_ignored() -> None:
    text = "Let me think.\n```json\n" + reply("done", mood="good") + "\n```\nThat is all."
    assert think(text).value == c.ItemDone()
    assert think("I do not know.").problems
    assert think(reply("finished")).problems


def test_r3_03_a_plan_may_be_empty_but_its_items_may_not() -> None:
    def plan(items: object) -> Parsed[c.Planned]:
        return parse_contract(reply("planned", plan=items), c.Planned)

    assert plan(["a", "b"]).value == c.Planned("planned", ("a", "b"))
    assert plan([]).value == c.Planned("planned", ())
    for wrong in (ABSENT, None, ["a", " "], ["a", ""], [1, None], {"a": 1}):
        assert plan(wrong).problems, wrong
    assert parse_contract(reply("replanned", plan=["a"]), c.Planned).problems


def test_r3_03_a_replan_has_items_or_the_final_answer() -> None:
    def replan(status: str, **fields: object) -> Parsed[c.Replan]:
        return parse_contract(reply(status, **fields), c.Replan)  # type: ignore[arg-type]

    assert replan("replanned", plan=["a"], response="ignored").value == c.Replanned(("a",))
    assert replan("done", response="Here", plan=["ignored"]).value == c.AllDone("Here")
    for empty in EMPTY:
        assert replan("replanned", plan=empty).problems
        assert replan("done", response=empty).problems
