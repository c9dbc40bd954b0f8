"""R1.05, R3.03: a contract is a type; a reply is data of that type, or a list of its problems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta, Struct, to_builtins

from outlast.documents.contracts.contract import contract_schema, fit_contract, parse_contract
from outlast.documents.contracts.fit import fit
from outlast.documents.contracts.problems import MAX_LISTED, Problem, Problems, list_problems
from outlast.documents.contracts.yaml_text import MAX_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Iterator

Line = Annotated[str, Meta(min_length=1)]


class Task(Struct):
    name: Annotated[str, Meta(min_length=1, max_length=20)]
    needs: list[int | str] = []
    files: list[str] = []
    weight: Annotated[float, Meta(ge=0, le=9)] = 1.0
    urgent: bool = False
    parent: Task | None = None


class Planning(Struct):
    tasks: list[Task]


class Evaluation(Struct):
    decision: Literal["next", "retry", "replan", "abort"]
    reason: Line
    advice: str | None = None


class Action(Struct):
    tool: Line
    input: str


class Continue(Struct, tag="continue", tag_field="status"):
    current_step: Line
    next_action: Action


class AskUser(Struct, tag="ask_user", tag_field="status"):
    current_step: Line
    question: Line


class Done(Struct, tag="done", tag_field="status"):
    response: Line
    current_step: str = ""


Thought: Any = Continue | AskUser | Done


class Strict(Struct, forbid_unknown_fields=True):
    count: Annotated[int, Meta(ge=1, le=5)]
    pair: tuple[int, str] = (0, "")
    labels: Annotated[list[str], Meta(min_length=1, max_length=2)] = []
    code: Annotated[str, Meta(pattern="^[a-z]+$", min_length=2)] = "ab"
    extra: dict[str, int] = {}
    rest: Any = None


def said(reply: str, contract: Any) -> list[str]:
    parsed = parse_contract(reply, contract)
    assert parsed.value is None
    return [problem.explain() for problem in parsed.problems]


REPLIES = {
    "bare": '{"decision": "next", "reason": "ok", "advice": null}',
    "fenced": 'Sure!\n```json\n{"decision": "next", "reason": "ok"}\n```\nDone.',
    "in prose": 'I [think] that {"decision": "next", "reason": "ok", "other": 1} is right.',
    "in other case": '{"decision": "NEXT", "reason": "ok", "advice": ""}',
    "after an example": '{"decision": "…", "reason": ""} so {"decision": "next", "reason": "ok"}',
    "beside what fits less": '{"decision": "next", "reason": "ok"} {"decision": "x"}',
    "broken": "{decision: 'next', reason: 'ok'",
    "yaml": "decision: next\nreason: ok\nadvice: null\n",
    "yaml in a fence": "Here:\n```yaml\n---\ndecision: next\nreason: ok\n```\n",
    "the last of two": '{"decision": "abort", "reason": "no"}\n{"decision":"next","reason":"ok"}',
}


@pytest.mark.parametrize("name", REPLIES)
def test_r1_05_an_evaluation_is_found_however_it_is_written(name: str) -> None:
    assert parse_contract(REPLIES[name], Evaluation).value == Evaluation("next", "ok")


def test_r1_05_every_problem_is_listed_at_once_in_both_languages() -> None:
    reply = (
        '{"tasks": [{"name": " ", "needs": [null], "weight": "heavy", "urgent": 3, "x": 1}, '
        '{"weight": 12}, 5, {"name": "aaaaaaaaaaaaaaaaaaaaa", "weight": -1, "parent": 7}]}'
    )
    parsed = parse_contract(reply, Planning)
    assert parsed.repair_request() == (
        "Your reply cannot be used:\n"
        '- tasks[0].name: must not be empty; send "…"\n'
        "- tasks[0].needs[0]: expected integer, string, got null; send 3\n"
        "- tasks[0].weight: expected number, got string; send 1.5\n"
        "- tasks[0].urgent: expected boolean, got integer; send true\n"
        '- tasks[1].name: missing; send "…"\n'
        "- tasks[1].weight: expected 9 or less\n"
        "- tasks[2]: expected object, got integer; send {…}\n"
        "- tasks[3].name: expected at most 20 characters\n"
        "- tasks[3].weight: expected 0 or more\n"
        "- tasks[3].parent: expected object, null, got integer; send {…}\n"
        "Send the whole JSON again, corrected and alone."
    )
    assert "- tasks[1].name：缺少；请发送" in parsed.repair_request("zh")


def test_r1_05_what_says_the_same_is_accepted() -> None:
    reply = (
        '{"tasks": [{"name": 7, "needs": 1, "files": "a.py", "weight": "2.5", "urgent": "True"},'
        '{"name": "b", "needs": "[1, 2]", "files": [], "weight": "3", "urgent": null, "parent": '
        '"{\\"name\\": \\"c\\", \\"weight\\": 2}"}]}'
    )
    assert parse_contract(reply, Planning).value == Planning(
        [
            Task("7", [1], ["a.py"], 2.5, urgent=True),
            Task("b", [1, 2], weight=3, parent=Task("c", weight=2)),
        ]
    )


def test_r1_05_an_empty_list_may_be_written_in_any_way() -> None:
    for written in ('""', "[]", "{}"):
        assert parse_contract(f'{{"tasks": {written}}}', Planning).value == Planning([])
    assert said('{"tasks": null}', Planning) == ["tasks: missing; send […]"]


def test_r3_03_each_status_needs_its_own_fields() -> None:
    reply = '{"status": "continue", "current_step": "a", "next_action": {"tool": "t", "input": ""}}'
    assert parse_contract(reply, Thought).value == Continue("a", Action("t", ""))
    reply = '{"status": "done", "response": "r", "next_action": null, "question": ""}'
    assert parse_contract(reply, Thought).value == Done("r")
    assert said('{"status": "ask_user", "current_step": "", "question": " "}', Thought) == [
        'current_step: must not be empty; send "…"',
        'question: must not be empty; send "…"',
    ]
    assert said('{"status": "continue", "current_step": "a", "next_action": {}}', Thought) == [
        'next_action.tool: missing; send "…"',
        'next_action.input: missing; send "…"',
    ]
    choices = '"continue", "ask_user", "done"'
    assert said('{"status": "maybe"}', Thought) == [f"status: expected one of {choices}"]
    assert said('{"response": "r"}', Thought) == [f"status: expected one of {choices}"]
    assert said("[1, 2]", Thought) == ["expected object, got array; send {…}"]


def test_r3_03_a_check_finds_what_the_type_cannot_express() -> None:
    def known_tool(action: Action) -> Iterator[Problem]:
        if action.tool != "todo":
            yield Problem("fit_choice", "tool", {"choices": ["todo"]})

    parsed = parse_contract('{"tool": "x", "input": ""}', Action, known_tool)
    assert [problem.explain() for problem in parsed.problems] == ["tool: expected one of todo"]
    good = parse_contract('{"tool": "todo", "input": ""}', Action, known_tool)
    assert good.value == Action("todo", "")


def test_limits_of_a_type_are_checked() -> None:
    assert said('{"count": 9, "labels": "", "code": "a"}', Strict) == [
        "count: expected 5 or less",
        "code: expected at least 2 characters",
    ]
    assert said('{"count": "0", "other": 1, "labels": [1,2,3], "pair": [1,2]}', Strict) == [
        "count: expected 1 or more",
        "other: unknown; expected count, pair, labels, code, extra, rest",
        "labels: expected at most 2 items",
    ]
    assert said('{"count": 2.0, "pair": [1]}', Strict) == ["pair: expected at least 2 items"]
    assert said('{"count": 2, "code": "AB"}', Strict)[0].startswith("code: Expected `str` match")
    assert said('{"count": 2, "extra": {"a": "x"}}', Strict) == [
        "extra.a: expected integer, got string; send 3"
    ]
    good = '{"count": 2, "other": null, "extra": {"a": "1"}, "rest": [{"b": null}]}'
    assert parse_contract(good, Strict).value == Strict(2, extra={"a": 1}, rest=[{"b": None}])
    assert fit({"a": []}, {"type": "object"})[0] == {"a": []}


def test_f13_a_reply_without_data_says_so() -> None:
    assert said("All done.", Evaluation) == ["no JSON object in the reply"]
    assert said("", Evaluation) == ["no JSON object in the reply"]
    assert said('{"decision": "next', Evaluation) == [
        "decision: line 1: a text without its closing quote"
    ]
    assert said("x" * 100_000_000, Evaluation) == [
        "longer than 1,048,576 characters; send less at once"
    ]


YAML_PROBLEMS = {
    "decision: &a next\nreason: *a": "line 2: no aliases, merges or deep nesting",
    "decision: next\ndecision: abort": "line 2: the key decision occurs twice",
    "decision: next\n<<: {reason: x}": "line 2: no aliases, merges or deep nesting",
    "decision: next\n? [a]\n: x": "line 2: no aliases, merges or deep nesting",
    "decision: next\nreason: [": "line 2: not valid YAML",
    "decision: next\nreason: \x07": "line 1: not valid YAML: ReaderError",
    "decision: next\nreason: .nan": "reason: line 2: not a finite number",
    "decision: .inf\nreason: x": "decision: line 1: not a finite number",
    "reason: " + "x" * MAX_CHARACTERS: "longer than 32,768 characters",
    "a: " + "[" * 99: "line 1: no aliases, merges or deep nesting",
}


@pytest.mark.parametrize("reply", YAML_PROBLEMS, ids=range(len(YAML_PROBLEMS)))
def test_a12_yaml_is_plain_data(reply: str) -> None:
    problems = said(reply, Evaluation)
    assert any(problem.startswith(YAML_PROBLEMS[reply]) for problem in problems), problems


def test_a12_yaml_has_the_types_of_json_only() -> None:
    reply = (
        "count: 3\nrest:\n  - 2026-01-02\n  - 0x1f\n  - '4'\n  - 1.5\n  - yes\n  - ~\n  - True\n"
        "  - !!binary aGk=\n  - !!python/object:os.system {a: 1}\n"
    )
    assert parse_contract(reply, Strict).value == Strict(
        3, rest=["2026-01-02", "0x1f", "4", 1.5, "yes", None, True, "aGk=", {"a": 1}]
    )


def test_f13_data_of_any_size_is_bounded() -> None:
    assert fit_contract({"count": 1, "rest": [0] * 300_000}, Strict).value is not None
    many = fit_contract({"tasks": [{"name": "a"}] * 150_000}, Planning)
    assert [one.explain() for one in many.problems] == [
        "more than 200,000 values; send less at once"
    ]
    deep: dict[str, Any] = {"name": "a"}
    for _ in range(500):
        deep = {"name": "a", "parent": deep}
    problems = fit_contract({"tasks": [deep]}, Planning).problems
    assert [one.text for one in problems] == ["fit_too_deep"]


def test_f13_of_many_blocks_of_yaml_the_last_are_read() -> None:
    wrong, right = "```yaml\ndecision: maybe\n```\n", "```\ndecision: next\nreason: ok\n```\n"
    assert parse_contract(wrong * 9 + right + "```\nprose\n```", Evaluation).value is not None
    assert parse_contract(right + wrong * 9, Evaluation).value is None
    assert parse_contract("```\nprose\n```", Evaluation).value is None


def test_very_many_problems_are_counted() -> None:
    problems = fit_contract({"tasks": [{}] * (MAX_LISTED + 5)}, Planning).problems
    assert list_problems(problems).splitlines()[-1] == "(and 5 more)"
    assert Problems(problems).explain().endswith("; (and 5 more)")
    assert Problems(problems[:2]).explain("zh").count("\uff1b") == 3


TASKS = st.builds(
    Task,
    name=st.text("abc\u4e2d ", min_size=1, max_size=9).filter(str.strip),
    needs=st.lists(st.integers(1, 9) | st.text("ab", min_size=1, max_size=3), max_size=3),
    files=st.lists(st.text("ab/", min_size=1, max_size=5), max_size=3),
    weight=st.floats(0, 9),
    urgent=st.booleans(),
)


@given(st.lists(TASKS, max_size=4))
def test_what_a_type_can_hold_comes_back(tasks: list[Task]) -> None:
    value = Planning(tasks)
    assert fit_contract(to_builtins(value), Planning).value == value
    assert fit(to_builtins(value), contract_schema(Planning))[1] == []


SOUND = (
    '{"tasks": [{"name": "a", "needs": [1, "b"], "weight": 2.5, "urgent": true, "parent": null}]}',
    '{"status": "continue", "current_step": "a", "next_action": {"tool": "t", "input": "x\\n"}}',
    "tasks:\n  - name: a\n    needs: [1]\n",
    '```json\n{"decision": "next", "reason": "\u201cq\u201d"}\n```',
    '[Step] a\n{\'a\': """x "y" z""", /* c */ b: None} // e',
)
PIECES = st.text("{}[]\"'\\,:/#*`\n ab1-.eNT\u201c\u201d\u2019\uff1a\ud800\u4e2d", max_size=3)
EDITS = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 4), PIECES), min_size=1, max_size=6)


@given(reply=st.sampled_from(SOUND), edits=EDITS, other=st.sampled_from(("", *SOUND)))
def test_f13_a_reply_damaged_in_any_way_is_read_or_refused_in_words(
    reply: str, edits: list[tuple[int, int, str]], other: str
) -> None:
    for at, cut, piece in edits:
        reply = f"{reply[:at]}{piece}{reply[at + cut :]}"
    contracts: tuple[Any, ...] = (Planning, Evaluation, Thought, Strict)
    for contract in contracts:
        parsed = parse_contract(reply + other, contract)
        assert (parsed.value is None) == bool(parsed.problems)
        assert parsed.value is not None or len(parsed.repair_request().splitlines()) >= 3
