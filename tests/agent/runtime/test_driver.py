"""The local driver sends replies, throws cancellation in, and runs each lane in a task."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

import pytest

from outlast.agent import effects as e
from outlast.agent.effects import (
    DeadlinePassed,
    Ended,
    JoinOutcome,
    Outcome,
    PlanChanged,
    Recorded,
    Waiting,
)
from outlast.agent.events import Event, Said
from outlast.agent.runtime.driver import run
from outlast.agent.runtime.lane import Lane, Unsubscribe
from outlast.context.plan_view import PlanView
from outlast.model.commands import Pause
from outlast.testing import FixedClock

NOW = FixedClock()()
VIEW = PlanView("", "idle", 1, 0, 0, 0)


class EchoLane(Lane):
    """A lane that notes the reasons of its records, and fails or hangs where it should.

    All lanes of a run share what the first one knows.
    """

    def __init__(self, *, hang_at: str = "", error: BaseException | None = None) -> None:
        self.id, self.said = "main", list[str]()
        self.hang_at, self.error = hang_at, error
        self.hanging, self.lanes = asyncio.Event(), list[EchoLane]()
        self.changes: list[Callable[[int], object]] = []
        self.free_slots, self.finished, self.closed = 9, 0, 0
        self._on_wait: Callable[[bool], object] = bool

    async def perform(self, effect: e.Effect) -> e.Reply[Any]:
        if isinstance(effect, e.Ask):
            self._on_wait(True)  # noqa: FBT003 - as a lane calls it
            await asyncio.Event().wait()
        assert isinstance(effect, e.Record)
        await asyncio.sleep(0)
        if effect.reason:
            self.said.append(effect.reason)
        if self.error and effect.reason:
            raise self.error
        if effect.reason == self.hang_at:
            self.hanging.set()
            await asyncio.Event().wait()
        return self.latest_reply(Recorded())

    async def reply(self, outcome: Outcome) -> e.Reply[Any]:
        return self.latest_reply(outcome)

    def latest_reply(self, outcome: Outcome) -> e.Reply[Any]:
        return e.Reply(outcome, VIEW, NOW)

    async def finish(self) -> None:
        self.finished += 1

    def close(self) -> None:
        self.closed += 1

    def emit(self, event: Event) -> None:
        assert isinstance(event, Said)
        self.said.append(event.text)

    def open_lane(self, task: int | None, actor: str) -> "EchoLane":
        lane = EchoLane(hang_at=self.hang_at, error=self.error)
        lane.id, lane.said, lane.hanging = f"{task}.{len(self.lanes)}", self.said, self.hanging
        assert actor == f"agent/{task}"
        self.lanes.append(lane)
        return lane

    def on_wait(self, callback: Callable[[bool], object]) -> None:
        self._on_wait = callback

    def now(self) -> datetime:
        return NOW

    async def on_plan_change(self, callback: Callable[[int], object]) -> Unsubscribe:
        async def unsubscribe() -> None:
            self.changes.remove(callback)

        self.changes.append(callback)
        return unsubscribe

    async def take_slot(self) -> None:
        self.free_slots -= 1

    def free_slot(self) -> bool:
        self.free_slots += 1
        return True


def say_texts(*texts: str, last: str = "") -> e.Loop[int]:
    try:
        for text in texts:
            yield from e.record(Pause(), reason=text)
    except e.Cancelled:
        if not last:
            raise
        yield from e.record(Pause(), reason=last)
    return len(texts)


def test_a_loop_runs_to_its_end_and_its_result_is_returned() -> None:
    lane = EchoLane()
    assert asyncio.run(run(say_texts("a", "b"), lane)) == 2
    assert lane.said == ["a", "b"]
    assert (lane.finished, lane.closed) == (1, 1)
    assert asyncio.run(run(say_texts(), lane)) == 0


def test_an_event_needs_no_handler() -> None:
    def loop() -> e.Loop[str]:
        yield from e.Emit(Said("Hi"))
        return "end"

    lane = EchoLane()
    assert asyncio.run(run(loop(), lane)) == "end"
    assert lane.said == ["Hi"]


async def cancel_at_hang(loop: e.Loop[Any], lane: EchoLane) -> None:
    task = asyncio.create_task(run(loop, lane))
    await lane.hanging.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize(("last", "said"), [("sorry", ["a", "sorry"]), ("", ["a"])])
def test_a_cancelled_loop_may_say_a_last_word(last: str, said: list[str]) -> None:
    lane = EchoLane(hang_at="a")
    asyncio.run(cancel_at_hang(say_texts("a", "b", last=last), lane))
    assert lane.said == said
    assert (lane.finished, lane.closed) == (1, 1), "what waits in the lane is committed"


def test_a_loop_cancelled_twice_ends_at_once() -> None:
    lane = EchoLane(hang_at="a")
    loop = say_texts("a", last="b")

    async def cancel() -> None:
        task = asyncio.create_task(run(loop, lane))
        await lane.hanging.wait()
        lane.hang_at = "b"
        lane.hanging.clear()
        task.cancel()
        await lane.hanging.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert lane.closed == 1
    with pytest.raises(StopIteration):
        next(loop)


def test_a_cancellation_that_a_tool_swallowed_is_found() -> None:
    class Swallowing(EchoLane):
        async def perform(self, effect: e.Effect) -> e.Reply[Any]:
            if not self.said:
                task = asyncio.current_task()
                assert task is not None
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await asyncio.Event().wait()
            return await super().perform(effect)

    lane = Swallowing()
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run(say_texts("a", "never", last="b"), lane))
    assert lane.said == ["a", "b"]


def test_an_error_of_an_effect_ends_the_loop_and_comes_out() -> None:
    loop, lane = say_texts("a", "b"), EchoLane(error=ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        asyncio.run(run(loop, lane))
    assert (lane.finished, lane.closed) == (1, 1), "what waits in the lane is committed"
    with pytest.raises(StopIteration):
        next(loop)


# Lanes


def spawn(loop: e.Loop[Any], task: int) -> e.Loop[str]:
    return (yield from e.Spawn(loop, task, f"agent/{task}")).outcome.lane


def join(lanes: list[str], **options: Any) -> e.Loop[JoinOutcome]:
    return (yield from e.Join(tuple(lanes), **options)).outcome


def gather(*loops: e.Loop[Any]) -> e.Loop[dict[str, Any]]:
    """Spawn loops and return how each of them ended."""
    lanes, ends = list[str](), dict[str, Any]()
    for task, loop in enumerate(loops):
        lanes.append((yield from spawn(loop, task)))
    while lanes:
        ended = yield from join(lanes)
        assert isinstance(ended, Ended)
        lanes.remove(ended.lane)
        ends[ended.lane] = ended.error or ended.result
    return ends


def break_at(number: int) -> e.Loop[None]:
    yield from say_texts(*map(str, range(number)))
    raise ZeroDivisionError(number)


def test_lanes_run_side_by_side_and_their_results_are_joined() -> None:
    lane = EchoLane()
    ends = asyncio.run(run(gather(say_texts("a"), say_texts("b", "c"), say_texts()), lane))
    assert ends == {"0.0": 1, "1.1": 2, "2.2": 0}
    assert sorted(lane.said) == ["a", "b", "c"]
    assert [child.free_slots for child in lane.lanes] == [8, 8, 8], "each has taken one"
    assert [(child.finished, child.closed) for child in lane.lanes] == [(1, 1)] * 3


def test_a_lane_that_fails_ends_alone(caplog: pytest.LogCaptureFixture) -> None:
    lane = EchoLane()
    ends = asyncio.run(run(gather(break_at(1), say_texts("a", "b", "c")), lane))
    assert ends == {"0.0": "ZeroDivisionError: 1", "1.1": 3}
    assert "the lane 0.0 failed" in caplog.text


def test_a_lost_lease_of_one_lane_ends_the_run() -> None:
    def lose() -> e.Loop[None]:
        yield from say_texts("a")
        raise e.LeaseLost

    lane, other = EchoLane(hang_at="b"), say_texts("b", last="c")
    with pytest.raises(e.LeaseLost):
        asyncio.run(run(gather(other, lose()), lane))
    with pytest.raises(StopIteration):
        next(other)


def test_cancelling_the_run_cancels_all_lanes_and_each_may_say_a_last_word() -> None:
    lane = EchoLane(hang_at="z")
    loops = [say_texts(f"a{n}", "z", last=f"end {n}") for n in range(4)]
    asyncio.run(cancel_at_hang(gather(*loops), lane))
    assert sorted(word for word in lane.said if word[:3] == "end") == [f"end {n}" for n in range(4)]
    for loop in loops:
        with pytest.raises(StopIteration):
            next(loop)


def test_lanes_that_nobody_joins_end_with_the_run() -> None:
    def leave(other: e.Loop[Any]) -> e.Loop[str]:
        yield from spawn(other, 1)
        yield from say_texts("main")
        return "left"

    lane, other = EchoLane(hang_at="z"), say_texts("a", "z", last="b")
    assert asyncio.run(run(leave(other), lane)) == "left"
    with pytest.raises(StopIteration):
        next(other)


def test_join_tells_who_waits_for_a_person_once() -> None:
    def wait() -> e.Loop[None]:
        yield e.Ask(None)  # type: ignore[arg-type]

    def watch(loop: e.Loop[Any]) -> e.Loop[list[JoinOutcome]]:
        lane = yield from spawn(loop, 1)
        first = yield from join([lane])
        later = yield from join([lane], deadline=NOW + timedelta(seconds=0.01))
        return [first, later]

    outcomes = asyncio.run(run(watch(wait()), EchoLane()))
    assert outcomes == [Waiting("1.0"), DeadlinePassed()]


def test_join_tells_that_the_plan_has_changed_since() -> None:
    lane = EchoLane(hang_at="z")

    def watch() -> e.Loop[list[JoinOutcome]]:
        other = yield from spawn(say_texts("z"), 1)
        known = yield from join([other], since_revision=0)
        later = yield from join([other], since_revision=VIEW.revision)
        return [known, later]

    async def change() -> Any:
        task = asyncio.create_task(run(watch(), lane))
        while not lane.changes or not lane.hanging.is_set():  # noqa: ASYNC110 - a fake
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.01)
        await asyncio.to_thread(lane.changes[0], 7)  # a store calls in any thread
        return await task

    assert asyncio.run(change()) == [PlanChanged(1), PlanChanged(7)]
    assert lane.changes == [], "nobody listens any more"


def test_a_deadline_that_has_passed_ends_a_join_at_once() -> None:
    def watch() -> e.Loop[list[Any]]:
        other = yield from spawn(say_texts("z"), 1)
        late = yield from join([other], deadline=NOW - timedelta(seconds=5))
        return [late]

    assert asyncio.run(run(watch(), EchoLane(hang_at="z"))) == [DeadlinePassed()]


def test_an_end_counts_before_a_deadline() -> None:
    def watch() -> e.Loop[list[Any]]:
        other = yield from spawn(say_texts("a"), 1)
        first = yield from join([other])
        again = yield from join([other], deadline=NOW)
        return [first, again]

    ended = Ended("1.0", 1)
    assert asyncio.run(run(watch(), EchoLane())) == [ended, ended]


def test_a_killed_process_tells_no_loop() -> None:
    class Killed(BaseException):
        pass

    lane, loop = EchoLane(error=Killed()), say_texts("a", last="b")
    with pytest.raises(Killed):
        asyncio.run(run(loop, lane))
    assert (lane.said, lane.finished) == (["a"], 0)
