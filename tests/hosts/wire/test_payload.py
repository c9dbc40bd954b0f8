"""Payloads of hooks: what coding agents write is read alike, whatever is missing or wrong."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.errors import InvalidDocument
from outlast.hosts.wire.events import HOST_NAMES, MOMENTS, HostEvent, HostName, ListedTodo, Moment
from outlast.hosts.wire.payload import parse_event

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    (
        *("cwd", "source", "prompt", "tool_name", "tool_input", "tool_response", "error"),
        *("last_assistant_message", "prompt_response", "stop_hook_active", "agent_id"),
    )
)
TOOLS = st.sampled_from(("ExitPlanMode", "TodoWrite", "TaskCreate", "TaskUpdate", "update_plan"))


def parse(
    moment: Moment = "post-tool", host: HostName = "claude-code", /, **fields: object
) -> HostEvent:
    return parse_event(host, moment, json.dumps({"session_id": "s1", **fields}).encode())


def test_r4_04_an_event_is_read() -> None:
    event = parse("stop", cwd="/x", last_assistant_message="Done.", stop_hook_active=True)
    assert event == HostEvent("stop", "s1", "/x", last_message="Done.", was_blocked=True)
    assert parse("stop", "gemini", prompt_response="Done.").last_message == "Done."
    assert parse("session-start", source="compact").source == "compact"
    assert parse("pre-tool", agent_id="a1").is_inner


@pytest.mark.parametrize(
    "payload",
    [
        *(b"", b"x", b"[]", b'"s1"', b"{}", b'{"session_id":7}', b'{"session_id":""}', b"\xff\xfe"),
        *(
            b'{"session_id":"../x"}',
            b'{"session_id":"a b"}',
            b'{"session_id":"' + b"x" * 129 + b'"}',
        ),
        *(b"[" * 100_000, b'{"session_id":"s1","n":1' + b"0" * 5_000 + b"}", b'{"session_id":"s1"'),
    ],
)
def test_r4_04_what_is_no_event_is_refused(payload: bytes) -> None:
    with pytest.raises(InvalidDocument):
        parse_event("codex", "prompt", payload)


@given(st.sampled_from(HOST_NAMES), st.sampled_from(MOMENTS), st.dictionaries(FIELDS, JSON), TOOLS)
def test_r4_04_fields_of_any_type_are_read_as_far_as_possible(
    host: HostName, moment: Moment, fields: dict[str, Any], tool: str
) -> None:
    for named in ({}, {"tool_name": tool}):
        event = parse(moment, host, **{**fields, **named})
        assert event.session == "s1"
        json.dumps([event.prompt, event.error, event.last_message]).encode()


def test_r4_04_half_a_character_is_replaced() -> None:
    payload = b'{"session_id":"s1","prompt":"a\\ud800b"}'
    assert parse_event("codex", "prompt", payload).prompt == "a?b"


def test_r4_04_tools_have_our_names() -> None:
    assert parse(tool_name="Bash", tool_input={"command": "ls"}).tool == "bash"
    assert parse("pre-tool", "gemini", tool_name="replace").tool == "edit_file"
    assert parse(tool_name="mcp__x__y").tool == "mcp__x__y"


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("<hook_context>a</hook_context>\n\nhello", "hello"),
        ("<hook_context>a</hook_context>\n<hook_context>b</hook_context>\n/outlast", "/outlast"),
        ("<hook_context>a", "<hook_context>a"),
        ("see <hook_context>a</hook_context>", "see <hook_context>a</hook_context>"),
        ("<hook_context>a</hook_context>x</hook_context>", "x</hook_context>"),
    ],
)
def test_r4_04_what_hooks_said_is_no_part_of_a_prompt(prompt: str, expected: str) -> None:
    assert parse("prompt", "gemini", prompt=prompt).prompt == expected


# Failures


def failed(host: HostName, moment: Moment = "post-tool", **fields: object) -> tuple[bool, str]:
    event = parse(moment, host, tool_name="Bash", **fields)
    return not event.succeeded, event.error


def test_r4_07_claude_code_and_codex_report_failures_as_such() -> None:
    assert failed("claude-code", "tool-failure", error="Exit code 3") == (True, "Exit code 3")
    assert failed("codex", "tool-failure", tool_response="out") == (True, "out")
    assert failed("codex", "tool-failure", tool_response="") == (True, "")
    assert failed("codex", "tool-failure", tool_response=["x"]) == (True, "")
    assert failed("codex", tool_response="Exit code: 1 is what the log says") == (False, "")
    assert failed("claude-code", tool_response={"error": "x"}) == (False, "")


@pytest.mark.parametrize("moment", ["post-tool", "tool-failure"])
def test_r4_07_gemini_reports_failures_as_results(moment: Moment) -> None:
    def of(response: object) -> tuple[bool, str]:
        return failed("gemini", moment, tool_response=response)

    assert of({"llmContent": "Output: x\nExit Code: 3\nPGID: 1"})[0]
    assert of({"llmContent": "Output: x\nExit Code: -9"})[0]
    assert not of({"llmContent": "Output: Exit Code: 3\nExit Code: 0\nPGID: 1"})[0]
    assert not of({"llmContent": "Output: the exit code: 3"})[0]
    assert not of({"llmContent": "Output: x\nExit Code: (none)"})[0]
    assert not of({"llmContent": "Output: x\nExit Code: "})[0]
    assert not of({"llmContent": [{"text": "x"}], "error": None})[0]
    assert of({"error": {"message": "no such file", "type": "x"}}) == (True, "no such file")
    assert of({"error": "no"}) == (True, "no")
    assert not of({"error": "(none)"})[0]
    assert not of("Exit Code: 3")[0]


# Plans and lists


def test_r4_10_an_accepted_plan_is_read_as_the_user_edited_it() -> None:
    def plan(**fields: object) -> str:
        return parse(tool_name="ExitPlanMode", **fields).approved_plan

    assert plan(tool_input={}, tool_response={"plan": "edited"}) == "edited"
    assert plan(tool_input={"plan": "given"}, tool_response={"plan": None}) == "given"
    assert plan(tool_input={"plan": "given"}, tool_response="approved") == "given"
    assert plan(tool_input={}, tool_response={}) == ""
    assert plan(tool_input={}, tool_response={"plan": "of a subagent", "isAgent": True}) == ""
    assert parse(tool_name="Write", tool_input={"plan": "x"}).approved_plan == ""


@pytest.mark.parametrize(
    ("tool", "field", "name"),
    [
        ("TodoWrite", "todos", "content"),
        ("update_plan", "plan", "step"),
        ("write_todos", "todos", "description"),
    ],
)
def test_r4_10_a_whole_list_is_read(tool: str, field: str, name: str) -> None:
    items = [
        {name: "a\n b", "status": "completed", "activeForm": "Doing a"},
        {name: "c", "status": "cancelled"},
        {name: "d", "status": "blocked"},
        {name: 7},
        "no object",
    ]
    assert parse(tool_name=tool, tool_input={field: items}).todos == (
        ListedTodo("a b", "completed", "Doing a"),
        ListedTodo("c", "deleted"),
        ListedTodo("d", "pending"),
        ListedTodo("", "pending"),
    )
    assert parse(tool_name=tool, tool_input={field: "x"}).todos == ()


def test_r4_10_single_tasks_are_read() -> None:
    def one(tool: str, response: object = None, **given: object) -> ListedTodo:
        (todo,) = parse(tool_name=tool, tool_input=given, tool_response=response).todos
        return todo

    created = ListedTodo("a", "pending", "", "3")
    numbered: list[object] = [{"task": {"id": "3"}}, {"task": {"id": 3}}, "Task #3 created: a"]
    for response in numbered:
        assert one("TaskCreate", response, subject="a") == created
    unnumbered: list[object] = [None, {}, {"task": 1}, "created"]
    for response in unnumbered:
        assert one("TaskCreate", response, subject="a").id == ""
    assert one("TaskUpdate", taskId="3", status="in_progress") == ListedTodo(
        "", "in_progress", "", "3"
    )
    assert one("TaskUpdate", taskId=3, subject="b") == ListedTodo("b", "", "", "3")
    assert one("TaskUpdate", taskId=["3"]).id == ""
    assert one("TaskCreate", subject="a", description=" b\nc ").description == "b\nc"
    assert one("TaskUpdate", taskId="3", description="b").description == "b"


def test_r4_04_half_a_character_is_read_as_javascript_writes_it() -> None:
    """JavaScript cuts texts between the halves of a character."""
    payload = rb'{"session_id":"s1","prompt":"cut \ud83d"}'
    assert parse_event("claude-code", "prompt", payload).prompt == "cut ?"
