"""R1.11: the loop of the agent `tools`, played by hand."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace

from outlast.agent import effects as e
from outlast.agent.effects import Acted, Advised, Recorded, Thought
from outlast.agent.loop_agent import LoopAgent
from outlast.agent.work import WorkOrder, WorkProgress, WorkResult
from outlast.context.chat_model import Call, ToolSpec
from outlast.context.plan_view import PlanView
from outlast.errors import AgentUnavailable, OutOfBudget
from outlast.orchestrator.loop_agents import ToolsAgent

READ = ToolSpec("read_file", "Read a file.", {"type": "object"})
ORDER = WorkOrder("task-1", 1, "walls", "of brick", timeout=60)
REPORT = {"status": "SUCCESS", "results": "built", "pitfalls": "mud", "next_steps": "roof"}
VIEW = PlanView("a house", "running", 1, 0, 0, 1)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def thought(words: str = "", *calls: Call) -> Thought:
    return Thought(words, calls)


def call(name: str, **params: Any) -> Call:
    return Call(name, params, f"{name}-1")


class Played:
    """A loop, played with the thoughts and the results of tools that a test gives."""

    def __init__(
        self,
        *outcomes: Any,
        seconds: float = 1,
        limit: int = 100_000,
        agent: ToolsAgent | None = None,
        order: WorkOrder = ORDER,
    ) -> None:
        self.outcomes, self.seconds = [*outcomes], seconds
        self.asked: list[e.Think] = []
        self.acted: list[e.Act] = []
        self.others: list[e.Effect] = []
        agent = agent or ToolsAgent(context_characters=limit)
        self.result = self._play(agent.loop(order, (READ,)))

    def _play(self, loop: e.Loop[WorkResult]) -> WorkResult:
        passed, effect = 0.0, next(loop)
        while True:
            passed += self.seconds
            try:
                effect = loop.send(e.Reply(self._answer(effect), VIEW, NOW, passed))
            except StopIteration as end:
                result: WorkResult = end.value
                return result

    def _answer(self, effect: e.Effect) -> Any:
        match effect:
            case e.Think():
                self.asked.append(effect)
                return self.outcomes.pop(0)
            case e.Act():
                self.acted.append(effect)
                return self.outcomes.pop(0)
            case e.Consult():
                self.others.append(effect)
                return Advised()
            case _:
                return Recorded()

    @property
    def last_words(self) -> str:
        return self.asked[-1].messages[-1].text


def test_r1_11_it_works_with_tools_until_it_reports() -> None:
    played = Played(
        thought("I look.", call("read_file", path="a")),
        Acted("bricks"),
        thought("", call("submit_report", **REPORT)),
    )
    report = played.result.report
    assert report is not None
    assert (report.status, report.results, report.pitfalls, report.next_steps) == tuple(
        REPORT.values()
    )
    assert played.acted[0].task == 1
    assert played.last_words == "bricks"
    opening = played.asked[0].messages
    assert "of brick" in opening[1].text
    assert [tool.name for tool in played.asked[0].tools] == ["read_file", "submit_report"]


def test_r1_11_a_report_in_the_text_counts_too() -> None:
    played = Played(thought('Done.\n```json\n{"status": "FAILED", "results": "no bricks"}\n```'))
    assert played.result.report is not None
    assert played.result.report.status == "FAILED"


def test_r1_11_words_alone_are_no_success() -> None:
    played = Played(thought("Hm."), thought("Well."), thought("It is built."))
    assert played.result.report is not None
    assert (played.result.report.status, played.result.report.results) == (
        "PARTIAL_SUCCESS",
        "It is built.",
    )
    assert "submit_report" in played.last_words


def test_r1_05_every_problem_of_a_report_is_named_at_once() -> None:
    wrong = call("submit_report", status="MAYBE")
    played = Played(thought("", wrong), thought("", call("submit_report", **REPORT)))
    assert played.result.report is not None
    assert "status" in played.last_words
    assert "results" in played.last_words


def test_f13_calls_that_cannot_be_run_are_answered() -> None:
    played = Played(
        Thought("", invalid_calls=1),
        thought("", call("read_fil", path="a")),
        thought("", call("submit_report", **REPORT)),
    )
    assert played.acted == []
    assert "read_file" in played.last_words
    assert played.result.report is not None


def test_r1_06_a_denial_counts_unless_the_task_is_done_all_the_same() -> None:
    denied = Acted(error="Not allowed", code="NOT_PERMITTED")
    look = thought("", call("read_file", path="/etc"))
    failed = thought("", call("submit_report", **{**REPORT, "status": "FAILED"}))
    assert Played(look, denied, failed).result.denied == ("read_file",)
    done = thought("", call("submit_report", **REPORT))
    assert Played(look, denied, done).result.denied == ()


@pytest.mark.parametrize(
    ("code", "ends_as"), [("OUT_OF_BUDGET", "OUT_OF_BUDGET"), ("MODEL_BUSY", "MODEL_FAILED")]
)
def test_x4_a_model_that_cannot_be_asked_ends_the_work(code: str, ends_as: str) -> None:
    result = Played(Thought(error="no more", code=code)).result
    assert (result.report, result.error, result.code) == (None, "no more", ends_as)


def test_x4_a_tool_that_costs_too_much_ends_the_work() -> None:
    spent = Acted(error="no more", code=OutOfBudget.code)
    result = Played(thought("", call("read_file")), spent).result
    assert (result.report, result.code) == (None, OutOfBudget.code)


def test_x4_the_time_of_the_order_is_kept() -> None:
    result = Played(thought("Hm."), seconds=61).result
    assert (result.report, result.code) == (None, "TIMED_OUT")


def test_x4_a_model_that_never_reports_is_stopped() -> None:
    steps = (thought("", call("read_file")), Acted("more")) * 60
    result = Played(*steps, seconds=0).result
    assert result.report is None
    assert "50 model calls" in result.error


def test_r0_14_a_long_conversation_keeps_the_order_and_the_last_exchange() -> None:
    steps = (thought("", call("read_file")), Acted("b" * 900, inject=("note",))) * 3
    played = Played(*steps, thought("", call("submit_report", **REPORT)), limit=2_000)
    assert played.others
    assert "of brick" in played.asked[-1].messages[1].text
    assert len(played.asked[-1].messages) < 8


def test_x3_only_a_new_conversation_may_repeat_calls_that_it_has_not_seen() -> None:
    agent, order = ToolsAgent(), replace(ORDER, session="s-1")
    steps = (
        thought("", call("read_file")),
        Acted("x"),
        thought("", call("submit_report", **REPORT)),
    )
    acted = [Played(*steps, agent=agent, order=order).acted[0] for _ in range(2)]
    assert [effect.is_informed for effect in acted] == [False, True]


def test_x3_work_that_was_interrupted_is_not_done() -> None:
    agent = ToolsAgent()
    assert isinstance(agent, LoopAgent)
    result = asyncio.run(agent.settle("task-1", ""))
    assert result is not None
    assert result.report is None
    asyncio.run(agent.end_session(""))


def test_r1_11_outside_of_a_run_it_cannot_work() -> None:
    with pytest.raises(AgentUnavailable, match="inside a run"):
        asyncio.run(ToolsAgent().work(ORDER, WorkProgress()))


def test_r1_11_a_conversation_goes_on_under_its_session_until_that_ends() -> None:
    agent = ToolsAgent()
    first = Played(thought("", call("submit_report", **REPORT)), agent=agent)
    session = first.result.session
    assert session
    again = replace(ORDER, id="task-1-again", session=session)
    more = Played(thought("", call("submit_report", **REPORT)), agent=agent, order=again)
    assert more.result.session == session
    known, told = first.asked[0].messages, more.asked[0].messages
    assert told[: len(known)] == known, "it knows what was said before"
    assert len(told) > len(known)
    asyncio.run(agent.end_session(session))
    forgotten = Played(thought("", call("submit_report", **REPORT)), agent=agent, order=again)
    assert len(forgotten.asked[0].messages) == len(known)


def test_r1_11_a_failure_names_the_conversation_that_can_go_on() -> None:
    order = replace(ORDER, id="task-1-again", session="task-1")
    failed = Played(Thought(error="no connection", code="MODEL_FAILED"), order=order)
    assert (failed.result.session, failed.result.error) == ("task-1", "no connection")
