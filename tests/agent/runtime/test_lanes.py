"""A run with several lanes on one plan: budgets, failures, cancellation, people, transcripts."""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable
from errno import ENOSPC
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from outlast import Budget, NewTask, Plan, create_plan
from outlast.agent import effects as e
from outlast.agent.effects import Ended, Waiting
from outlast.agent.events import CallEnded, CallStarted, Event, Said, Streamed
from outlast.agent.runtime.driver import run
from outlast.context.chat_model import Call, Message, Reply, Usage
from outlast.context.plan_view import PlanView
from outlast.errors import StoreError
from outlast.hooks.port import HookContext
from outlast.model.budget import AMOUNTS, Spend
from outlast.model.changes import AttemptEnded, Commit
from outlast.model.commands import AskQuestion, Complete, CreatePlan
from outlast.model.model import Question
from outlast.store.files.log import FilesLog, open_files
from outlast.store.store import Store
from outlast.store.transcript import TranscriptFile
from outlast.system.disk import Disk
from outlast.testing import FixedClock
from tests.agent.runtime.lanes import (
    PRICE,
    Ends,
    Mark,
    MarkModel,
    dawdle,
    new_plan,
    open_lane,
    run_lanes,
    schedule,
    work_on,
)
from tests.agent.runtime.poke_tool import ends, recorded
from tests.agent.runtime.scene import LEASE
from tests.agent.tools.files.test_privacy import CANARY
from tests.making import settle
from tests.store.faults import FaultyDisk, QuickDisk
from tests.store.opening import new_files


def loops(tasks: int) -> dict[int, e.Loop[str]]:
    return {task: work_on(task) for task in range(1, tasks + 1)}


def files_plan(path: Path, disk: Disk, tasks: int) -> Plan:
    """Return a plan of independent tasks in a directory."""
    clock, command = FixedClock(), CreatePlan("plan_test", "Mark", "k")
    new_files(str(path), disk, command, author="ann", now=clock()).close()
    return new_plan(tasks, clock, open_files(str(path), disk, clock()))


def test_four_lanes_work_on_one_plan_at_the_same_time() -> None:
    plan, marks = new_plan(9), Counter[int]()
    model = MarkModel(lambda _: asyncio.sleep(0))
    assert run_lanes(plan, loops(9), model, Mark(marks)) == dict.fromkeys(range(1, 10), "done")
    assert marks == Counter(range(1, 10))
    assert [task.status for task in plan.tasks()] == ["completed"] * 9
    assert {task.actor for task in plan.tasks()} == {f"agent/{n}" for n in range(1, 10)}
    assert model.most_at_once == 4, "as many as there are slots"
    assert {one.outcome for one in ends(plan)} == {"done"}
    assert plan.core.read(lambda state: state.ledger.attempts) == {}


# Budgets


@pytest.mark.parametrize("slots", [1, 4, 8])
@pytest.mark.parametrize(
    "budget",
    [
        Budget(model_calls=40),
        Budget(tool_calls=40),
        Budget(tokens=4_000 + 500),
        Budget(money=40 * 420e-6 + 0.01),
        Budget(model_calls=40, tool_calls=40, tokens=9_000, money=0.05),
    ],
    ids=["model_calls", "tool_calls", "tokens", "money", "all"],
)
def test_f14_a_budget_that_suffices_is_shared_by_all_lanes(budget: Budget, slots: int) -> None:
    plan, dice, marks = new_plan(40), Random(slots), Counter[int]()  # noqa: S311 - to be repeated
    plan.budget.set(budget)
    model = MarkModel(dawdle(dice), Usage(90, 10, money=420e-6), PRICE)
    tool = Mark(marks, dawdle(dice))
    assert run_lanes(plan, loops(40), model, tool, slots=slots) == dict.fromkeys(
        range(1, 41), "done"
    )
    assert marks == Counter(range(1, 41))


@pytest.mark.parametrize("slots", [1, 4, 8])
@pytest.mark.parametrize(
    "budget",
    [
        Budget(model_calls=13),
        Budget(tool_calls=13),
        Budget(tokens=1_300 + 500),
        Budget(money=13 * 420e-6 + 0.005),
    ],
    ids=["model_calls", "tool_calls", "tokens", "money"],
)
def test_f14_lanes_together_never_spend_more_than_the_budget(budget: Budget, slots: int) -> None:
    plan, dice, marks = new_plan(40), Random(slots), Counter[int]()  # noqa: S311 - to be repeated
    plan.budget.set(budget)
    model = MarkModel(dawdle(dice), Usage(90, 10, money=420e-6), PRICE)
    results = run_lanes(plan, loops(40), model, Mark(marks, dawdle(dice)), slots=slots)
    counted = Counter(results.values())
    assert set(counted) == {"done", "OUT_OF_BUDGET"}
    assert counted["done"] >= 13, "as many as one lane alone could do"
    spent = plan.budget.cost()
    for what in AMOUNTS:
        limit = getattr(budget, what)
        assert limit is None or getattr(spent, what) <= limit
    assert spent.model_calls == len(model.requests)
    assert sum(marks.values()) == counted["done"]


def test_x4_a_limit_of_a_task_stops_its_lane_alone() -> None:
    plan, marks = new_plan(3), Counter[int]()
    plan.budget.set(Budget(tool_calls=0), task=2)
    results = run_lanes(plan, loops(3), MarkModel(), Mark(marks))
    assert results == {1: "done", 2: "OUT_OF_BUDGET", 3: "done"}
    assert marks == Counter((1, 3))


# Failures


def test_a_lane_that_fails_ends_alone(caplog: pytest.LogCaptureFixture) -> None:
    plan, marks = new_plan(4), Counter[int]()

    def broken() -> e.Loop[str]:
        yield from e.record()
        raise ZeroDivisionError(2)

    results = run_lanes(plan, {**loops(4), 2: broken()}, MarkModel(), Mark(marks))
    assert results == {1: "done", 2: "ZeroDivisionError: 2", 3: "done", 4: "done"}
    assert marks == Counter((1, 3, 4))
    assert "the lane 2.2 failed" in caplog.text


def test_f5_a_lane_that_cannot_write_says_so_in_one_line(caplog: pytest.LogCaptureFixture) -> None:
    plan, marks = new_plan(2), Counter[int]()

    def broken() -> e.Loop[str]:
        yield from e.record()
        raise StoreError("state_home_failed", where="/x", problem="No space left on device")

    caplog.set_level("INFO", "outlast")
    results = run_lanes(plan, {**loops(2), 2: broken()}, MarkModel(), Mark(marks))
    assert results[1] == "done"
    assert str(results[2]).startswith("/x: No space left on device")
    assert "Traceback" not in caplog.text


def test_a_tool_or_a_model_that_fails_is_a_value_for_its_lane_alone() -> None:
    plan, marks = new_plan(4), Counter[int]()

    def fail(number: int) -> None:
        if number == 2:
            raise ZeroDivisionError(number)

    results = run_lanes(plan, loops(4), MarkModel(), Mark(marks, fail))
    assert results == {1: "done", 2: "ZeroDivisionError: 2", 3: "done", 4: "done"}
    again = run_lanes(plan, {2: work_on(2)}, MarkModel(fail), Mark(marks))
    assert again == {2: "ZeroDivisionError: 2"}
    outcomes = Counter((one.id[0], one.outcome) for one in ends(plan))
    assert outcomes["2", "failed"] == 2


def test_r0_12_a_store_error_with_several_lanes_stops_the_run_with_the_reason(
    tmp_path: Path,
) -> None:
    disk = FaultyDisk(QuickDisk(), error=OSError(28, "No space left on device"), lasting=True)
    plan, marks = files_plan(tmp_path, disk, 4), Counter[int]()

    def fill(number: int) -> None:
        if number == 3:
            disk.at, disk.deadly = len(disk.calls) + 1, "write"

    with pytest.raises(StoreError, match="No space left on device"):
        run_lanes(plan, loops(4), MarkModel(), Mark(marks, fill))
    disk.heal()
    assert plan.status == "running", "it is not replaced by a scratch plan"


def test_f4_a_lost_lease_ends_all_lanes_and_nothing_is_written_any_more() -> None:
    clock = FixedClock()
    plan, marks, revisions = new_plan(4, clock), Counter[int](), list[int]()

    def take_over(number: int) -> None:
        if number == 3:
            clock.advance(LEASE)
            plan.core.claim_plan(LEASE).stop()
            revisions.append(plan.revision)

    with pytest.raises(e.LeaseLost):
        run_lanes(plan, loops(4), MarkModel(), Mark(marks, take_over))
    assert revisions == [plan.revision]


# Cancellation


async def cancel_when(ready: Any, work: Any) -> None:
    task = asyncio.create_task(work)
    await ready
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_cancelling_the_run_cancels_all_lanes() -> None:
    plan, marks, cancelled = new_plan(4), Counter[int](), list[int]()
    hanging = asyncio.Barrier(5)

    async def hang(_number: int) -> None:
        await hanging.wait()
        await asyncio.Event().wait()

    def watched(task: int) -> e.Loop[str]:
        try:
            return (yield from work_on(task))
        except e.Cancelled:
            cancelled.append(task)
            yield from e.record(AskQuestion(f"Task {task}?", task=task))
            raise

    def hang_if(tasks: set[int]) -> Any:
        return lambda number: hang(number) if number in tasks else None

    model, tool = MarkModel(hang_if({1, 2})), Mark(marks, hang_if({3, 4}))

    async def drive() -> None:
        lane = open_lane(plan, model, tool)
        work = run(schedule({task: watched(task) for task in range(1, 5)}), lane)
        await cancel_when(hanging.wait(), work)

    asyncio.run(drive())
    assert sorted(cancelled) == [1, 2, 3, 4]
    open_now = plan.core.read(lambda state: [*state.ledger.attempts.values()])
    assert sorted((one.task, one.kind) for one in open_now) == [(3, "act"), (4, "act")]
    lost = [one.id for one in ends(plan) if one.outcome == "lost"]
    assert sorted(one[0] for one in lost) == ["1", "2"], "a thought that is cancelled is lost"
    assert len(plan.questions.open()) == 4, "each loop may leave its plan in order"
    assert [task.status for task in plan.tasks()] == ["in_progress"] * 4


class StuckDisk(QuickDisk):
    """A disk whose next write takes until a test lets it go on."""

    def __init__(self) -> None:
        self.is_armed = False
        self.entered, self.freed = threading.Event(), threading.Event()

    def write(self, fd: int, data: bytes) -> int:
        if self.is_armed:
            self.is_armed = False
            self.entered.set()
            assert self.freed.wait(60)
        return super().write(fd, data)


@pytest.mark.parametrize("kind", ["think", "act"])
def test_a_begin_that_never_ran_is_lost_at_no_cost(tmp_path: Path, kind: str) -> None:
    """The run is cancelled while the start of an attempt is written."""
    disk, marks, model = StuckDisk(), Counter[int](), MarkModel()
    plan = files_plan(tmp_path, disk, 1)
    plan.budget.set(Budget(tokens=100_000, tool_calls=9))

    def begin() -> e.Loop[None]:
        yield from e.record()
        disk.is_armed = True
        if kind == "think":
            yield from e.Think((Message("user", "Mark 1"),), ())
        else:
            yield from e.Act(Call("mark", {"n": 1}))

    async def drive() -> None:
        task = asyncio.create_task(run(schedule({1: begin()}), open_lane(plan, model, Mark(marks))))
        assert await asyncio.to_thread(disk.entered.wait, 60)
        task.cancel()
        for _ in range(5):
            await asyncio.sleep(0.001)
            assert not task.done(), "the commit cannot be prevented"
        disk.freed.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(drive())
    [end] = ends(plan)
    assert (end.outcome, plan.budget.cost()) == ("lost", Spend())
    assert (model.requests, marks) == ([], Counter())
    assert plan.core.read(lambda state: state.ledger.attempts) == {}


# People


class PatientPerson:
    """A person who answers when a test lets them."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.free = asyncio.Event()

    async def answer(self, question: Question) -> str | None:
        self.asked.append(question.text)
        await self.free.wait()
        return "blue"


def ask_first(task: int) -> e.Loop[str]:
    """Ask a person before the work on a task."""
    recorded_ = yield from e.record(AskQuestion("Which colour?", task=task))
    answered = yield from e.Ask(recorded_.plan.questions[-1])
    worked = yield from work_on(task)
    return f"{answered.outcome.text}, {worked}"


def watch_waits(loops_: dict[int, e.Loop[Any]], waits: list[int]) -> e.Loop[Ends]:
    lanes, results = dict[str, int](), Ends()
    for task, loop in loops_.items():
        lanes[(yield from e.Spawn(loop, task, f"agent/{task}")).outcome.lane] = task
    while lanes:
        match (yield from e.Join(tuple(lanes))).outcome:
            case Ended(lane, result, error):
                results[lanes.pop(lane)] = error or result
            case Waiting(lane):
                waits.append(lanes[lane])
    return results


def test_a_lane_that_waits_for_a_person_frees_its_slot_while_others_go_on() -> None:
    plan, marks, waits = new_plan(4), Counter[int](), list[int]()
    person = PatientPerson()

    def answer_last(number: int) -> None:
        if number == 4:
            assert marks == Counter((2, 3)), "the others did not wait"
            person.free.set()

    async def drive() -> Any:
        lane = open_lane(
            plan, model := MarkModel(), Mark(marks, answer_last), slots=1, person=person
        )
        results = await run(watch_waits({**loops(4), 1: ask_first(1)}, waits), lane)
        return results, model.most_at_once

    results, most = asyncio.run(drive())
    assert results == {1: "blue, done", 2: "done", 3: "done", 4: "done"}
    assert (waits, person.asked, most) == ([1], ["Which colour?"], 1)
    assert marks == Counter((1, 2, 3, 4))


def test_a_lane_takes_a_slot_again_before_it_goes_on() -> None:
    """Person and lane 2 are both ready, and there is one slot: they take turns."""
    plan, person, active = new_plan(2), PatientPerson(), list[int]()
    most: list[int] = []

    async def busy(number: int) -> None:
        person.free.set()
        active.append(number)
        most.append(len(active))
        for _ in range(9):
            await asyncio.sleep(0)
        active.remove(number)

    async def drive() -> Any:
        lane = open_lane(plan, MarkModel(busy), Mark(Counter()), slots=1, person=person)
        return await run(schedule({1: ask_first(1), 2: work_on(2)}), lane)

    assert asyncio.run(drive()) == {1: "blue, done", 2: "done"}
    assert most == [1, 1]


# What people see


def test_r4_11_transcript_lines_tell_run_lane_and_attempt_apart(tmp_path: Path) -> None:
    with create_plan(tmp_path, "Mark", "k") as plan:
        plan.add_all(NewTask(f"Mark {number}") for number in range(1, 5))
        path = Path(plan.files.paths()[0]).parent / "transcript.jsonl"
        for _ in range(2):
            transcript = TranscriptFile.beside(plan.files.paths()[0], Disk())
            run_lanes(
                plan,
                loops(4),
                MarkModel(lambda _: asyncio.sleep(0)),
                Mark(Counter()),
                transcript_of=lambda _, transcript=transcript: transcript,
            )
            for task in plan.tasks():
                plan.reopen(task.id)
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    conversations: dict[tuple[int, str], list[Any]] = {}
    for entry in entries:
        conversations.setdefault((entry["run"], entry["lane"]), []).append(entry)
    assert sorted(conversations) == [(run_, f"{n}.{n}") for run_ in (1, 2) for n in (1, 2, 3, 4)]
    for (_, lane), lines in conversations.items():
        number = int(lane[0])
        assert [line["kind"] for line in lines] == ["think", "thought", "act", "acted"]
        assert {line["task"] for line in lines} == {number}
        think, thought, act, acted = (line["attempt"] for line in lines)
        assert think == thought != act == acted
        assert think.startswith(f"{number}#")
        assert lines[1]["text"] == f"I mark {number}."
    assert len({entry["attempt"] for entry in entries}) == 16


def test_a5_the_streams_of_two_lanes_do_not_mix_and_hold_no_secret() -> None:
    """Two secrets arrive in pieces, in turn."""
    secrets = {1: f"API_KEY={CANARY}", 2: "token sk-ant-api03-" + "a1b2" * 10}
    plan, events, turn = new_plan(2), list[Event](), asyncio.Barrier(2)

    class Streaming(MarkModel):
        async def reply(self, request: Any) -> Reply:
            number = int(request.messages[0].text.rpartition(" ")[2])
            pieces = iter((f"<{number}> ", *secrets[number], f" </{number}>"))
            for _ in range(100):
                await turn.wait()
                request.on_text(next(pieces, ""))
            return Reply(f"said {number}", (), Usage(1, 1))

    run_lanes(plan, loops(2), Streaming(), Mark(Counter()), listener=events.append)
    streams = dict.fromkeys(("1.1", "2.2"), "")
    for event in events:
        if isinstance(event, Streamed):
            streams[event.lane] += event.text
    assert streams["1.1"] == "<1> API_KEY=[redacted] </1>"
    assert streams["2.2"].startswith("<2> token [redacted]")
    assert not any(secret in str(events) for secret in (CANARY, "a1b2a1b2"))


def test_r4_11_events_of_a_spawned_lane_carry_its_name_and_those_of_the_main_lane_none() -> None:
    plan, events = new_plan(2), list[Any]()

    def talk(work: dict[int, e.Loop[Any]]) -> e.Loop[Ends]:
        yield from e.Emit(Said("I begin"))
        return (yield from schedule(work))

    async def drive() -> None:
        lane = open_lane(plan, MarkModel(), Mark(Counter()), listener=events.append)
        await run(talk(loops(2)), lane)

    asyncio.run(drive())
    assert [one.lane for one in events if isinstance(one, Said)] == [""]
    for kind in (CallStarted, CallEnded):
        seen = {one.lane: one.call.params["n"] for one in events if isinstance(one, kind)}
        assert seen == {"1.1": 1, "2.2": 2}


# Commits


def test_a_refused_begin_does_not_refuse_the_ends_in_its_commit() -> None:
    plan, marks = new_plan(1), Counter[int]()

    def twice() -> e.Loop[list[str]]:
        yield from e.record(Complete(1, "agent/1"))
        first = yield from e.Act(Call("mark", {"n": 7}))
        second = yield from e.Act(Call("mark", {"n": 8}), task=99)
        return [first.outcome.error, second.outcome.code]

    results = run_lanes(plan, {1: twice()}, MarkModel(), Mark(marks))
    assert results == {1: ["", "TASK_NOT_FOUND"]}
    assert [one.outcome for one in ends(plan)] == ["done"]
    assert marks == Counter([7])


def test_an_end_that_another_party_settled_is_dropped_alone() -> None:
    """The ends of both attempts wait in one lane; the first is refused, the second is kept."""
    clock = FixedClock()
    plan, marks = new_plan(1, clock), Counter[int]()

    def settle_first(number: int) -> None:
        if number == 1:
            state = plan.core.read(lambda state: [*state.ledger.attempts])
            clock.advance(LEASE)
            settle(plan, state[-1], "lost")

    def work() -> e.Loop[list[str]]:
        first = yield from e.Act(Call("mark", {"n": 1}))
        second = yield from e.Act(Call("mark", {"n": 2}))
        return [first.outcome.code, second.outcome.code]

    assert run_lanes(plan, {1: work()}, MarkModel(), Mark(marks, settle_first)) == {
        1: ["INVALID_STATUS", ""]
    }
    changes = [one for one in recorded(plan) if isinstance(one, AttemptEnded)]
    assert [(one.outcome, one.settled_by) for one in changes] == [("lost", "person"), ("done", "")]


def test_two_commits_for_a_model_call_with_one_tool() -> None:
    plan, commits = new_plan(1), list[int]()

    def work() -> e.Loop[str]:
        yield from e.record()
        for number in range(5):
            commits.append(plan.revision)
            request = (yield from e.Think((), ())).outcome
            assert not request.error
            yield from e.Act(Call("mark", {"n": number}))
        return "done"

    class Silent(MarkModel):
        async def reply(self, request: Any) -> Reply:
            del request
            return Reply("", (), Usage(1, 1))

    run_lanes(plan, {1: work()}, Silent(), Mark(Counter()))
    assert [later - one for one, later in pairwise(commits)] == [2] * 4


def test_an_end_that_waits_is_committed_soon_on_its_own() -> None:
    plan = new_plan(1)

    async def until_ended(number: int) -> None:
        if number == 2:
            async with asyncio.timeout(10):
                while [one.outcome for one in ends(plan)] != ["done"]:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)

    def work() -> e.Loop[str]:
        yield from e.Act(Call("mark", {"n": 1}))
        yield from e.Act(Call("mark", {"n": 2}))
        return "done"

    assert run_lanes(plan, {1: work()}, MarkModel(), Mark(Counter(), until_ended)) == {1: "done"}
    assert [one.outcome for one in ends(plan)] == ["done", "done"]


# Hooks and reads


def test_r4_04_the_hooks_of_a_lane_see_the_plan_as_its_actor_does() -> None:
    plan, marks, seen = new_plan(2), Counter[int](), set[Any]()

    def look(context: HookContext, view: PlanView | None) -> None:
        if context.point == "pre_tool_use" and view is not None:
            seen.add((view.actor, view.current.name if view.current else ""))

    run_lanes(plan, loops(2), MarkModel(), Mark(marks), hooks=(look,))
    assert seen == {("agent/1", "Mark 1"), ("agent/2", "Mark 2")}


def test_a_read_that_raises_stop_iteration_does_not_hang_its_lane() -> None:
    async def drive() -> None:
        lane = open_lane(new_plan(1), MarkModel())
        await lane.perform(e.Record())
        async with asyncio.timeout(10):
            with pytest.raises(RuntimeError):
                await lane.read(lambda _: next(iter(())))

    asyncio.run(drive())


def test_a_lane_watches_the_plan_without_touching_its_files_on_the_event_loop(
    tmp_path: Path,
) -> None:
    class ThreadStore(Store):
        def subscribe(self, callback: Callable[[Commit], None]) -> Callable[[], None]:
            unsubscribe = super().subscribe(callback)

            def end() -> None:
                threads.append(threading.get_ident())
                unsubscribe()

            threads.append(threading.get_ident())
            return end

    threads = list[int]()
    files_plan(tmp_path, QuickDisk(), 1).close()
    now = FixedClock()()
    store = ThreadStore(FilesLog(str(tmp_path), QuickDisk(), now), now)

    async def watch() -> None:
        with new_plan(1, FixedClock(), store) as plan:
            unsubscribe = await open_lane(plan, MarkModel()).on_plan_change(lambda _: None)
            await unsubscribe()

    asyncio.run(watch())
    assert len(threads) == 2
    assert threading.get_ident() not in threads


def test_r0_12_a_side_lane_whose_last_commit_fails_says_so_and_the_main_lane_goes_on(
    tmp_path: Path,
) -> None:
    disk = FaultyDisk(QuickDisk(), error=OSError(ENOSPC, "No space left on device"), lasting=True)
    plan = files_plan(tmp_path, disk, 2)
    lane = open_lane(plan, MarkModel())

    async def drive() -> None:
        side = lane.open_lane(1, "")
        for each in (lane, side):
            await each.refresh()
            each.defer(AskQuestion("Which one?"))
        disk.deadly = "write"
        with pytest.raises(StoreError):
            await side.finish()
        assert lane.run.store_error is None
        await lane.finish()
        assert isinstance(lane.run.store_error, StoreError)

    asyncio.run(drive())
