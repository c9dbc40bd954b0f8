"""R0.12: a plan that can no longer be read or written does not stop the agent."""

import asyncio
from errno import EIO, ENOSPC
from pathlib import Path
from typing import Any

import pytest

from outlast import AgentLoop, Budget, create_plan, open_plan
from outlast.agent import events as v
from outlast.agent.agent_loop import RunResult
from outlast.agent.models.scripted import Turn
from outlast.context.chat_model import Call
from outlast.model.commands import CreatePlan
from outlast.store.files.log import open_files
from outlast.testing import FixedClock
from tests.agent.runtime.poke_tool import POKE, Poke
from tests.agent.runtime.scene import GOAL, plan_on
from tests.fake_model import FakeModel
from tests.store.faults import FaultyDisk, QuickDisk
from tests.store.opening import new_files

ADD = Call("add_tasks", {"tasks": ["One"]}, "a1")
DONE = Call("complete_task", {"task": 1, "result": "done"}, "d1")
FULL = OSError(ENOSPC, "No space left on device")
GONE = OSError(EIO, "Input/output error")


class Failing:
    """An agent on a plan whose disk fails after a number of tool calls."""

    def __init__(self, path: Path, error: OSError, at: int) -> None:
        clock = FixedClock()
        self.disk = FaultyDisk(QuickDisk(), error=error, lasting=True)
        command, where = CreatePlan("plan_test", GOAL, "k"), str(path)
        new_files(where, self.disk, command, author="ann", now=clock()).close()
        self.plan = plan_on(open_files(where, self.disk, clock()), clock)
        self.plan.add("Poke")
        self.at, self.runs = at, 0
        self.events: list[Any] = []

    def run(self) -> None:
        """Count the call, and let the disk fail when it is time."""
        self.runs += 1
        if self.runs == self.at:
            self.disk.at = len(self.disk.calls) + 1
            self.disk.deadly = "write"

    def go(self, *turns: Turn, **options: Any) -> tuple[RunResult, FakeModel]:
        model = FakeModel(turns=turns)
        agent = AgentLoop(
            model=model,
            tools=[Poke(self.run)],
            plan=self.plan,
            on_event=self.events.append,
            **options,
        )
        return asyncio.run(agent.run(GOAL)), model

    def degraded(self) -> list[str]:
        found = (one for one in self.events if isinstance(one, v.Notified))
        return [one.text for one in found if one.kind == "degraded"]


POKES = Turn(calls=(POKE,), times=3)


def test_r0_12_a_plan_that_cannot_be_written_is_left_and_reported_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    failing = Failing(tmp_path, FULL, at=2)
    stopped, model = failing.go(POKES, Turn(say="Poked three times."))
    assert (stopped.why, stopped.text) == ("answered", "Poked three times.")
    assert failing.runs == 3, "nothing is run twice"
    [said] = failing.degraded()
    assert said.startswith("The plan can no longer be used, so the work continues without it: ")
    assert "No space left on device" in said
    assert caplog.text.count("going on without a plan") == 1
    assert "<plan>" not in model.last_messages[-1].text
    failing.disk.heal()
    assert failing.plan.task(1).status == "in_progress", "what was kept is kept"


@pytest.mark.parametrize("at", range(1, 6))
def test_r0_12_the_budget_holds_without_the_plan_too(tmp_path: Path, at: int) -> None:
    failing = Failing(tmp_path, FULL, at)
    stopped, _ = failing.go(Turn(calls=(POKE,)), budget=Budget(tool_calls=5))
    assert (stopped.why, failing.runs) == ("budget", 5)
    assert len(failing.degraded()) == 1


def test_r0_12_a_disk_that_fails_before_the_first_effect_is_reported_at_once(
    tmp_path: Path,
) -> None:
    failing = Failing(tmp_path, GONE, at=0)
    failing.disk.deadly = "write"
    stopped, _ = failing.go(Turn("poked", "Well."), Turn(calls=(POKE,)))
    assert (stopped.why, stopped.text, failing.runs) == ("answered", "Well.", 1)
    assert len(failing.degraded()) == 1


def test_r0_12_a_damaged_plan_is_not_replaced_by_a_new_one(tmp_path: Path) -> None:
    create_plan(tmp_path, GOAL, "k").close()
    journal = tmp_path / ".outlast" / "plans" / "k" / "journal.jsonl"
    head, *rest = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"rubbish\n" + b"".join(rest))
    before, events = journal.read_bytes(), list[Any]()
    model = FakeModel(turns=[Turn("poked", "Well."), Turn(calls=(POKE,))])
    agent = AgentLoop(
        model=model, tools=[Poke()], workdir=tmp_path, key="k", on_event=events.append
    )
    stopped = asyncio.run(agent.run("Something else"))
    assert (head[:1], stopped.text) == (b"{", "Well.")
    assert journal.read_bytes() == before
    kinds = [one.kind for one in events if isinstance(one, v.Notified)]
    assert kinds.count("degraded") == 1


def test_r0_12_the_run_continues_without_a_plan_that_cannot_be_created(tmp_path: Path) -> None:
    (tmp_path / ".outlast").write_text("in the way")
    model = FakeModel(turns=[Turn("poked", "Well."), Turn(calls=(POKE,))])
    events: list[Any] = []
    agent = AgentLoop(model=model, tools=[Poke()], workdir=tmp_path, on_event=events.append)
    assert asyncio.run(agent.run("Poke")).text == "Well."
    assert [one.kind for one in events if isinstance(one, v.Notified)] == ["degraded"]
    assert isinstance(events[-1], v.Stopped)


def test_r0_12_a_call_of_the_plan_fails_like_any_other_tool(tmp_path: Path) -> None:
    failing = Failing(tmp_path, FULL, at=1)
    done = Call("complete_task", {"task": 1, "result": "ok"})
    stopped, _ = failing.go(Turn("Unknown tool", "Well."), Turn(calls=(POKE, done)))
    assert (stopped.text, failing.runs) == ("Well.", 1)


@pytest.mark.parametrize("rubbish", [b"", b"\0rubbish\n" * 9])
def test_r0_12_a_plan_that_is_overwritten_during_work_is_reported_once(
    tmp_path: Path, rubbish: bytes
) -> None:
    journal = tmp_path / ".outlast" / "plans" / "k" / "journal.jsonl"
    events: list[Any] = []

    def overwrite() -> None:
        journal.write_bytes(rubbish)

    model = FakeModel(turns=[Turn("poked", "Well."), Turn(calls=(POKE,))])
    agent = AgentLoop(
        model=model, tools=[Poke(overwrite)], workdir=tmp_path, key="k", on_event=events.append
    )
    assert asyncio.run(agent.run(GOAL)).text == "Well."
    assert [one.kind for one in events if isinstance(one, v.Notified)] == ["degraded"]
    assert journal.read_bytes() == rubbish, "it is left to those who can mend it"


def test_x6_who_creates_a_plan_a_moment_later_goes_on_with_the_one_that_is_there(
    tmp_path: Path,
) -> None:
    turns = (
        Turn("- Current step: 1.", calls=(POKE, DONE)),
        Turn("1/1", "Poked."),
        Turn(calls=(ADD,)),
    )
    model, left = FakeModel(turns=turns), ["ann"]

    def create_first(_: object) -> None:
        if left:  # between the look that found no plan and the creation of one
            create_plan(tmp_path, "Ann's", "k", actor=left.pop()).close()

    model.on_request = create_first
    agent = AgentLoop(model=model, tools=[Poke()], workdir=tmp_path, key="k")
    assert asyncio.run(agent.run("Mine")).status == "completed"
    with open_plan(tmp_path, "k") as plan:
        assert (plan.goal, plan.tasks()[0].result) == ("Ann's", "done")
