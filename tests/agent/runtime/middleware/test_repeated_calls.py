"""F24: a call that ended before a stop is not run again because a model repeats it."""

import asyncio
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

import pytest

from outlast import AgentLoop, Plan, create_plan, open_plan
from outlast.agent import effects as e
from outlast.agent.events import CallStarted, Notified
from outlast.agent.runtime.middleware.repeated_calls import last_ended_calls
from outlast.config.settings import LoopSettings, Rules, Settings
from outlast.context.chat_model import Call, Message, Reply
from outlast.context.tool import Level
from outlast.errors import ToolFailed
from outlast.language import Language, text
from outlast.model.changes import AttemptBegan, AttemptEnded, Change, Commit
from outlast.model.commands import Start
from outlast.model.model import PERSON
from outlast.testing import FixedClock
from outlast.tools import as_tool
from tests.agent.runtime.lanes import SPEC, Ends, Mark, MarkModel, new_plan, run_lanes
from tests.agent.runtime.middleware.test_permission import FakePerson
from tests.fake_model import FakeModel

ROOMY = 200_000


def settings(characters: int = ROOMY) -> Settings:
    loop = LoopSettings(policy="explicit", context_characters=characters)
    return Settings(loop=loop, rules=Rules(stop_limit=0))


def append(line: str, call_id: str = "a") -> Call:
    return Call("append", {"line": line, "mode": "plain"}, call_id)


class Desk:
    """A plan in a directory, and tools whose effects are lines."""

    def __init__(self, path: Path | Plan) -> None:
        self._path = path
        self.lines: list[str] = []
        self.events: list[Any] = []
        self.cancels = False
        self.agent: AgentLoop | None = None
        self.tools = [
            as_tool(name="append")(self._append),
            as_tool(name="count", level="read")(self._count),
        ]

    def _append(self, line: str, mode: str) -> str:
        """Append a line."""
        self.lines.append(line)
        if self.cancels and self.agent:
            self.cancels = False
            self.agent.cancel()
        if mode == "broken":
            raise ToolFailed("call_failed", problem="the disk is full")
        return f"appended {line}" if mode == "plain" else ""

    def _count(self) -> str:
        """Count the lines."""
        self.lines.append("counted")
        return "some"

    def run(
        self, *replies: tuple[Call, ...] | str, message: str = "continue", **options: Any
    ) -> list[str]:
        """Run as a new process would; return what the model gets as results, call by call."""
        answers = [
            Reply(reply) if isinstance(reply, str) else Reply("", reply) for reply in replies
        ]
        model = FakeModel(answers)
        where: Any = (
            {"plan": self._path}
            if isinstance(self._path, Plan)
            else {"workdir": self._path, "key": "k"}
        )
        options = {"settings": settings(), **where, **options}
        self.agent = AgentLoop(
            model=model,
            tools=self.tools,
            max_iterations=len(answers),
            on_event=self.events.append,
            **options,
        )
        asyncio.run(self.agent.run(message))
        self.requests = model.requests
        shown = [*self.agent._history.messages]  # noqa: SLF001 - the conversation
        return [entry.text for entry in shown if entry.role == "tool"]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    with create_plan(tmp_path, "Append lines", "k") as plan:
        plan.add("One")
    return Desk(tmp_path)


DONE = (
    "Not run again: this call already succeeded. To run it again, repeat it.\n"
    "Its output was:\nappended x"
)


def test_f24_a_repeated_call_gets_its_recorded_result_once_and_then_runs(desk: Desk) -> None:
    desk.run((append("x"),), message="Append lines")
    results = desk.run((append("x"),), (append("x"),))
    assert desk.lines == ["x", "x"]
    assert results[-2:] == [DONE, "appended x"]


def test_f24_it_is_told_to_the_person_and_costs_nothing(desk: Desk, tmp_path: Path) -> None:
    desk.run((append("x"),), message="Append lines")
    desk.events.clear()
    desk.run((append("x"),))
    notices = [event.text for event in desk.events if isinstance(event, Notified)]
    assert (
        "Not run again, since it had already ended: append x. The model gets its recorded result"
        in notices
    )
    assert not any(isinstance(event, CallStarted) for event in desk.events)
    with open_plan(tmp_path, "k") as plan:
        assert plan.budget.cost().tool_calls == 1


def test_f24_the_model_learns_it_in_chinese(desk: Desk) -> None:
    desk.run((append("x"),), message="Append lines")
    results = desk.run((append("x"),), language="zh")
    assert results[-1] == (
        "没有再次执行：这个调用此前已经执行成功。如需再次执行，请重复该调用。\n"
        "当时的输出：\nappended x"
    )


def test_f24_each_stop_is_followed_by_one_answer(desk: Desk) -> None:
    desk.run((append("x"),), message="Append lines")
    for _ in range(3):
        assert desk.run((append("x"),))[-1] == DONE
    assert desk.lines == ["x"]


def test_f24_all_calls_of_the_last_reply_count_each_once(desk: Desk) -> None:
    both = (append("x", "1"), append("y", "2"), append("x", "3"))
    desk.run((append("w"),), both, message="Append lines")
    desk.run(both)
    assert desk.lines == ["w", "x", "y", "x"]
    desk.run((append("w"),), both)
    assert desk.lines == ["w", "x", "y", "x", "w", "x", "y", "x"], "another call came first"


@pytest.mark.parametrize(
    "other",
    [
        Call("append", {"line": "y", "mode": "plain"}, "o"),
        Call("append", {"line": "x", "mode": "silent"}, "o"),
    ],
    ids=["another line", "another mode"],
)
def test_f24_another_call_runs_and_what_follows_it_is_no_repetition(
    desk: Desk, other: Call
) -> None:
    desk.run((append("x"),), message="Append lines")
    desk.run((other,), (append("x"),))
    assert desk.lines == ["x", other.params["line"], "x"]


def test_f24_the_order_of_parameters_does_not_matter(desk: Desk) -> None:
    desk.run((append("x"),), message="Append lines")
    desk.run((Call("append", {"mode": "plain", "line": "x"}, "o"),))
    assert desk.lines == ["x"]


def test_f24_calls_that_only_read_always_run_and_do_not_count(desk: Desk) -> None:
    count = Call("count", {}, "c")
    desk.run((append("x"), count), message="Append lines")
    desk.run((count,), (count,), (append("x"),))
    assert desk.lines == ["x", "counted", "counted", "counted"]


def test_f24_a_call_that_failed_is_answered_with_its_problem(desk: Desk) -> None:
    broken = Call("append", {"line": "x", "mode": "broken"}, "b")
    desk.run((broken,), message="Append lines")
    results = desk.run((broken,), (broken,))
    assert desk.lines == ["x", "x"]
    assert results[-2] == (
        "Failed: Not run again: this call already failed. To run it again, repeat it. "
        "Failed: the disk is full"
    )


def test_f24_a_call_without_output_says_so(desk: Desk) -> None:
    silent = Call("append", {"line": "x", "mode": "silent"}, "s")
    desk.run((silent,), message="Append lines")
    assert desk.run((silent,))[-1].endswith("repeat it.\nIt had no output.")


@pytest.mark.parametrize(("answer", "lines"), [("done", ["x"]), ("not done", ["x", "x"])])
def test_f24_what_a_person_said_about_a_stopped_call_is_what_its_repetition_gets(
    desk: Desk, answer: str, lines: list[str]
) -> None:
    desk.cancels = True
    desk.run((append("x"),), message="Append lines")
    results = desk.run((append("x"),), person=FakePerson(answer))
    assert desk.lines == lines
    if answer == "done":
        assert results[-1] == (
            "Not run again: a person said that this call was done. To run it again, repeat it.\n"
            "Its output was not recorded."
        )


def test_f24_a_stopped_call_that_its_tool_calls_done_is_not_run_again(desk: Desk) -> None:
    desk.tools[0] = as_tool(name="append", settle="done")(desk._append)  # noqa: SLF001 - the same
    desk.cancels = True
    desk.run((append("x"),), message="Append lines")
    results = desk.run((append("x"),))
    assert desk.lines == ["x"]
    assert results[-1].startswith("Not run again: this call was interrupted, but it was done.")


def test_f24_a_call_for_a_task_that_a_person_reopened_runs(desk: Desk, tmp_path: Path) -> None:
    desk.run((append("x"),), ("[Done]"), message="Append lines")
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        plan.reopen(1)
    desk.run((append("x"),), message="Append lines")
    assert desk.lines == ["x", "x"]


def test_f24_it_holds_for_a_plan_in_memory() -> None:
    desk = Desk(create_plan("memory:", "Append lines"))
    desk.run((append("x"),), message="Append lines")
    assert desk.run((append("x"),))[-1].endswith("repeat it.\nIts output was not recorded.")
    assert desk.lines == ["x"]


@pytest.mark.parametrize(
    ("limit", "message", "lines"), [(2, "And again", ["x", "x"]), (1, "continue", ["x"])]
)
def test_f24_the_next_message_of_a_conversation_is_no_stop_but_a_limit_is(
    desk: Desk, tmp_path: Path, limit: int, message: str, lines: list[str]
) -> None:
    replies = [Reply("", (append("x"),)), Reply("What next?"), Reply("", (append("x"),))]
    if limit == 1:
        del replies[1]
    agent = AgentLoop(
        model=FakeModel(replies),
        tools=desk.tools,
        workdir=tmp_path,
        key="k",
        settings=settings(),
        max_iterations=limit,
    )
    asyncio.run(agent.run("Append lines"))
    with suppress(RuntimeError):  # the model has no more replies
        asyncio.run(agent.run(message))
    assert desk.lines == lines


def test_f24_it_holds_after_the_conversation_was_compacted(desk: Desk) -> None:
    long = append("x" * 3_000)
    results = desk.run((long,), (long,), (long,), message="Append lines", settings=settings(2_000))
    assert any("[Resuming task]" in entry.text for entry in desk.requests[1].messages)
    assert len(desk.lines) == 2, "the second repetition runs, though it was compacted again"
    assert results[-1].startswith("appended x")


class Marker(Mark):
    """A tool with effects."""

    level: ClassVar[Level] = "execute"


def mark_for(task: int, number: int) -> e.Loop[str]:
    """Mark a number for a task, whoever has marked it before."""
    plan = (yield from e.record()).plan
    if plan.current is None:
        yield from e.record(Start(plan.actor, task))
    request = (Message("user", f"Mark {number}"),)
    thought = (yield from e.Think(request, (SPEC,), task=task)).outcome
    return (yield from e.Act(thought.calls[0], task=task)).outcome.output


def test_f24_a_lane_is_answered_for_the_calls_of_its_task() -> None:
    plan, marks = new_plan(2), Counter[int]()

    def mark(**numbers: int) -> Ends:
        loops = {int(task[1]): mark_for(int(task[1]), number) for task, number in numbers.items()}
        return run_lanes(plan, loops, MarkModel(), Marker(marks))

    mark(t1=1, t2=2)
    results = mark(t1=1, t2=2)
    assert all(result.startswith("Not run again") for result in results.values())
    assert marks == {1: 1, 2: 1}
    mark(t1=2, t2=2)
    assert marks == {1: 1, 2: 2}, "the first lane has not marked 2 before"


def commit_of(*changes: Change) -> Commit:
    return Commit(1, FixedClock()(), "agent", changes)


def test_f24_a_lost_call_is_none_that_ended() -> None:
    began = AttemptBegan("1#1", 1, "act", 'append {"line":"x"}', "d")
    commits = [commit_of(began, AttemptEnded("1#1", "lost"))]
    assert last_ended_calls(commits, None, lambda _: True) == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_f24_every_text_names_the_way_to_run_it_again(language: Language) -> None:
    way = {"en": "To run it again, repeat it.", "zh": "如需再次执行，请重复该调用。"}[language]
    for key in ("repeat_done", "repeat_person", "repeat_settled", "repeat_failed"):
        assert way in text(key, language, problem="")
