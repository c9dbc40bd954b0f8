"""X5, A1: a plan inside another agent, in any dialect of tool calls."""

import json
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outlast.errors import InvalidArgument
from outlast.models import Call
from outlast.plan.tools import Dialect, ToolSet
from outlast.plan.tools.compact import COMPACT
from outlast.plan.tools.manager_tools import TOOLS
from tests.making import make_plan

ARGUMENTS = {"task": 1, "result": "made"}
DONE = "1/2 done. Now 2."
NAMES = [tool.name for tool in (*COMPACT, *TOOLS)]


def chat(name: str, arguments: object, call_id: str = "c1") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def chat_object(name: str, arguments: object) -> SimpleNamespace:
    function = SimpleNamespace(name=name, arguments=arguments)
    return SimpleNamespace(id="c1", type="function", function=function)


def tool_use(name: str, arguments: object) -> dict[str, Any]:
    return {"type": "tool_use", "id": "t1", "name": name, "input": arguments}


@pytest.mark.parametrize("arguments", [ARGUMENTS, json.dumps(ARGUMENTS)])
@pytest.mark.parametrize("make", [chat, chat_object])
def test_a_chat_completion_is_answered_by_a_tool_message(make: Any, arguments: object) -> None:
    call = make("complete_task", arguments)
    plan = make_plan("a", "b")
    assert plan.owns(call)
    assert plan.handle(call) == {"role": "tool", "tool_call_id": "c1", "content": DONE}


@pytest.mark.parametrize("shape", [dict, SimpleNamespace])
def test_a_tool_use_is_answered_by_a_tool_result(shape: Any) -> None:
    plan = make_plan("a", "b")
    call = shape(**tool_use("complete_task", ARGUMENTS))
    assert plan.owns(call)
    answer = {"type": "tool_result", "tool_use_id": "t1", "content": DONE}
    assert plan.handle(call) == answer
    again = plan.handle(call)
    assert isinstance(again, dict)
    assert again["is_error"] is True
    assert again["content"] == "INVALID_STATUS: Task 1 is already completed"


def test_the_other_dialects_are_answered_in_kind() -> None:
    plan = make_plan("a", "b")
    response = {
        "type": "function_call",
        "call_id": "r1",
        "name": "complete_task",
        "arguments": json.dumps(ARGUMENTS),
    }
    assert plan.handle(response) == {
        "type": "function_call_output",
        "call_id": "r1",
        "output": DONE,
    }
    mcp = {"name": "complete_task", "arguments": ARGUMENTS}
    assert plan.handle(mcp) == {
        "content": [{"type": "text", "text": "INVALID_STATUS: Task 1 is already completed"}],
        "isError": True,
    }
    assert plan.handle(Call("skip_task", {"task": 2, "reason": ""})) == (
        "Skipped 2, 2/2. The plan is complete."
    )


def test_the_full_set_answers_as_plan_manager_does() -> None:
    plan = make_plan("a")
    answer = plan.handle(Call("startNextTask"))
    assert isinstance(answer, str)
    assert json.loads(answer)["data"]["message"] == "Started task 1: a"
    refused = plan.handle(Call("completeTask", {"task_id": 9, "result": ""}))
    assert isinstance(refused, str)
    assert json.loads(refused)["error"]["code"] == "TASK_NOT_FOUND"
    assert plan.tools("mcp", "full") != plan.tools("mcp")


@pytest.mark.parametrize("shape", [dict, SimpleNamespace])
def test_a_call_of_langchain_is_answered_by_a_tool_message(shape: Any) -> None:
    plan = make_plan("a", "b")
    call = shape(type="tool_call", id="l1", name="complete_task", args=ARGUMENTS)
    assert plan.owns(call)
    assert plan.handle(call) == {"role": "tool", "tool_call_id": "l1", "content": DONE}


def gemini(**call: Any) -> list[Any]:
    return [
        call,
        SimpleNamespace(**call),
        {"functionCall": call},
        SimpleNamespace(text=None, function_call=SimpleNamespace(**call)),
    ]


@pytest.mark.parametrize("form", range(4))
def test_a_call_of_gemini_is_answered_by_a_function_response(form: int) -> None:
    plan = make_plan("a", "b")
    call = gemini(name="complete_task", args=ARGUMENTS)[form]
    assert plan.owns(call)
    answer = {"name": "complete_task", "response": {"output": DONE}}
    assert plan.handle(call) == {"functionResponse": answer}
    again = plan.handle(gemini(name="complete_task", args=ARGUMENTS, id="g2")[form])
    error = {"error": "INVALID_STATUS: Task 1 is already completed"}
    answer = {"id": "g2", "name": "complete_task", "response": error}
    assert again == {"functionResponse": answer}


def test_a_call_of_mcp_may_have_no_arguments() -> None:
    plan = make_plan("a")
    for call in ({"name": "plan_read"}, SimpleNamespace(name="plan_read", arguments=None)):
        assert plan.handle(call)["isError"] is False


@pytest.mark.parametrize(
    "call",
    [
        {"name": "complete_task", "params": ARGUMENTS},
        {"name": "complete_task", "parameters": ARGUMENTS, "id": "1"},
        SimpleNamespace(name="complete_task", kwargs=ARGUMENTS),
        SimpleNamespace(name="complete_task"),
    ],
)
def test_a_call_in_an_unknown_form_is_refused_as_such(call: Any) -> None:
    plan = make_plan("a")
    assert plan.owns(call)
    assert plan.handle(call).startswith("INVALID_ARGUMENT: call: not a tool call of OpenAI, ")
    assert plan.revision == make_plan("a").revision


def test_a_prefix_sets_the_tools_apart_from_those_of_a_host() -> None:
    plan = make_plan("a", "b", actor="agent")
    names = [tool["name"] for tool in plan.tools("mcp", prefix="plan_")]
    assert names == [f"plan_{tool['name']}" for tool in plan.tools("mcp")]
    plain, prefixed = (
        tool_use(name, ARGUMENTS) for name in ("complete_task", "plan_complete_task")
    )
    assert plan.owns(prefixed, prefix="plan_")
    assert not plan.owns(plain, prefix="plan_")
    assert not plan.owns(prefixed)
    refused = plan.handle(plain, prefix="plan_")["content"]
    assert refused.endswith("the closest name is plan_complete_task")
    plan.start()
    assert "call plan_complete_task" in plan.context(prefix="plan_")
    assert plan.handle(prefixed, prefix="plan_")["content"] == DONE
    for wrong in ("plan ", "ü", "x" * 33, 3):
        with pytest.raises(InvalidArgument, match="prefix"):
            plan.tools(prefix=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("dialect", ["openai", "openai-responses", "anthropic", "gemini", "mcp"])
def test_every_tool_that_is_offered_is_owned(dialect: Dialect) -> None:
    plan = make_plan("a")
    sets: tuple[ToolSet, ...] = ("default", "full")
    for which in sets:
        for tool in plan.tools(dialect, which):
            name = tool.get("function", tool)["name"]
            assert plan.owns(tool_use(name, {}))
    for name in ("ask_user", "read_file", "", None, 3):
        assert not plan.owns({"type": "tool_use", "id": "t1", "name": name, "input": {}})
    with pytest.raises(InvalidArgument, match="dialect"):
        plan.tools("cobol")  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="which"):
        plan.tools(which="some")  # type: ignore[arg-type]


def test_x5_the_context_is_the_same_until_the_plan_changes() -> None:
    plan = make_plan(*(f"step {n}" for n in range(50)))
    before = plan.context()
    assert before == plan.context()
    assert len(before) < 1_500
    plan.handle(chat("complete_task", ARGUMENTS))
    assert plan.context() != before
    assert plan.context("zh") != plan.context()
    with pytest.raises(InvalidArgument, match="language"):
        plan.context("de")  # type: ignore[arg-type]


def test_r2_08_the_context_of_a_paused_or_ended_plan_asks_for_no_work() -> None:
    plan = make_plan("a", "b", actor="agent")
    plan.start(1)
    plan.pause()
    assert plan.context().endswith(
        "The plan is paused: do not work on it until it is resumed.\n</plan>"
    )
    assert plan.handle(Call("add_tasks", {"tasks": ["c"]})) == (
        "Added 3, 0/3 done. The plan is paused."
    )
    plan.resume()
    plan.abort()
    assert plan.context().endswith(
        "The plan has ended: there is nothing left to do in it.\n</plan>"
    )


def test_x5_a_plan_without_a_started_task_says_how_to_start() -> None:
    plan = make_plan("a", "b", actor="agent")
    assert "You have no step in progress: do the next one" in plan.context()
    plan.start()
    assert "When the current step is done, call complete_task" in plan.context()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_x5_the_context_names_the_tools_that_are_offered(language: Any) -> None:
    for plan in (make_plan(), make_plan("a"), make_plan("a", actor="agent")):
        if plan.actor == "agent":
            plan.start()
        pairs: tuple[tuple[ToolSet, ToolSet], ...] = (("default", "full"), ("full", "default"))
        for which, other in pairs:
            shown = plan.context(language, which)
            assert any(tool["name"] in shown for tool in plan.tools("mcp", which))
            assert not any(tool["name"] in shown for tool in plan.tools("mcp", other))
    with pytest.raises(InvalidArgument, match="which"):
        plan.context(which="some")  # type: ignore[arg-type]


def test_a_model_never_acts_as_a_person() -> None:
    plan = make_plan("a", "b", actor="human")
    plan.handle(chat("complete_task", ARGUMENTS))
    assert [task.actor for task in plan.tasks()] == ["agent", "agent"]
    assert "2." in plan.context()
    named = make_plan("a", actor="claude")
    named.handle(chat("complete_task", ARGUMENTS))
    assert named.task(1).actor == "claude"


def test_a_malformed_call_is_answered_in_its_dialect() -> None:
    plan = make_plan("a")
    answer = plan.handle(chat("complete_task", "{broken"))
    assert isinstance(answer, dict)
    assert answer["content"].startswith("INVALID_ARGUMENT: arguments: not valid JSON: ")
    unknown = plan.handle(tool_use("finish_task", {}))
    assert isinstance(unknown, dict)
    assert unknown["content"].startswith("INVALID_ARGUMENT: name: unknown tool; ")
    for call in ({}, None, 3, "complete_task", object()):
        assert not plan.owns(call)
        assert "INVALID_ARGUMENT" in str(plan.handle(call))


def test_empty_arguments_mean_no_arguments() -> None:
    plan = make_plan("a")
    meant: list[object] = [None, "", {}, "{}"]
    for nothing in meant:
        assert "# Test things" in str(plan.handle(chat("plan_read", nothing)))


def test_parallel_calls_each_run_once() -> None:
    plan = make_plan(*"abcdefgh")
    calls = [chat("complete_task", {"task": n, "result": ""}, f"c{n}") for n in range(1, 9)]
    with ThreadPoolExecutor(8) as pool:
        answers: list[Any] = list(pool.map(plan.handle, calls))
    assert [answer["tool_call_id"] for answer in answers] == [f"c{n}" for n in range(1, 9)]
    assert plan.status == "completed"


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
known = st.sampled_from(
    ["task", "result", "tasks", "todos", "persist", "title", "task_id", "error", "updates", "goal"]
)


@settings(deadline=None)  # the first call loads what it needs
@given(
    name=st.sampled_from(NAMES),
    arguments=st.one_of(values, st.text(), st.dictionaries(known, values, max_size=4)),
)
def test_a1_any_input_of_a_model_is_answered(name: str, arguments: object) -> None:
    plan = make_plan("a", "b")
    for call in (chat(name, arguments), tool_use(name, arguments)):
        answer = plan.handle(call)
        assert isinstance(answer, dict)
        assert isinstance(answer["content"], str)
        json.dumps(answer)


def deep(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("name", NAMES)
def test_a1_huge_numbers_are_refused(name: str) -> None:
    plan = make_plan("a")
    fields = ("task", "task_id", "current", "total", "insert_after", "after_task_id")
    for field in fields:
        answer = plan.handle(chat(name, {"result": "", "reason": "", field: 10**5_000}))
        assert "INVALID_ARGUMENT" in str(answer)


def test_a1_deep_nesting_is_refused() -> None:
    plan = make_plan("a")
    for arguments in ("[" * 100_000, {"tasks": deep(50_000)}, {"todos": [deep(50_000)]}):
        assert "INVALID_ARGUMENT" in str(plan.handle(chat("add_tasks", arguments)))


def test_r0_14_an_agent_with_a_loop_of_its_own_gets_the_brief() -> None:
    plan = make_plan("a", "b", goal="Build it.\nIn German.", actor="human")
    plan.start(1)
    plan.complete(1, "in a.py")
    plan.questions.say("Use euros")
    brief = plan.context(brief=True)
    assert brief.startswith("Current task: Build it.\n  In German.\nProgress: 1/2 steps done\n")
    assert "\n1. Use euros\n" in brief
    assert "\n1. in a.py\n" in brief
    assert plan.context("zh", brief=True).startswith("当前任务: Build it.\n")
    assert plan.context(brief=True) == brief, "the same bytes until the plan changes"


def test_r0_14_the_brief_names_the_tools_as_they_were_offered() -> None:
    plan = make_plan("a")
    plan.start(1)
    plan.complete(1, "word " * 3_000)
    brief = plan.context(brief=True, prefix="plan_")
    assert '- plan_plan_details(about="tasks", page=P), 4 pages; ' in brief
    named = Call("plan_plan_details", {"about": "tasks", "page": 2})
    assert plan.owns(named, prefix="plan_")
    assert str(plan.handle(named, prefix="plan_")).startswith("Tasks, page 2 of 4\n")
