"""Run loops in this process with asyncio: each lane in a task of one task group."""

from __future__ import annotations

import asyncio
from asyncio import CancelledError, TaskGroup
from contextlib import AsyncExitStack, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from outlast.agent.effects import (
    Attempted,
    Cancelled,
    DeadlinePassed,
    Effect,
    Emit,
    Emitted,
    Ended,
    Join,
    JoinOutcome,
    LeaseLost,
    Loop,
    PlanChanged,
    Record,
    Reply,
    Spawn,
    Spawned,
    Waiting,
)
from outlast.agent.runtime.guards import is_cancelling
from outlast.errors import OutlastError
from outlast.system.logs import LOG

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.agent.runtime.lane import Lane

T = TypeVar("T")


def _never() -> bool:
    """Return False: a loop that says its last word is not cancelled once more."""
    return False


async def run(loop: Loop[T], lane: Lane) -> T:
    """Run a loop on the main lane of a run, and the loops that it spawns on lanes of their own.

    A cancellation is thrown into every loop as `Cancelled`, so that it can leave its plan in order,
    and is raised again afterwards. A second cancellation or an error of an effect ends a loop at
    once. A spawned lane that fails ends alone; a lost lease ends the run. A cancellation that
    foreign code swallowed, since its work had come to an end, counts after that is recorded.
    """
    failure: BaseException | None = None
    async with TaskGroup() as group:
        driver = _Driver(group)
        try:
            result = await driver.drive(loop, lane)
        except CancelledError:
            await driver.wait_for_lanes()  # the group would cancel them a second time
            raise
        except BaseException as error:  # noqa: BLE001 - raised after the other lanes have ended
            failure = error
        driver.cancel_lanes()
    if failure is not None:
        raise failure
    return result


class _Driver:
    """Advances loops, and carries out their `Control` effects."""

    def __init__(self, group: TaskGroup) -> None:
        self._group = group
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._ended: dict[str, Ended] = {}
        self._waiting: list[str] = []  # lanes that wait for a person, not yet reported
        self._lease_lost: LeaseLost | None = None
        self._changed = asyncio.Event()

    def cancel_lanes(self) -> None:
        """Cancel the spawned lanes that are still running."""
        for task in self._tasks.values():
            task.cancel()

    async def wait_for_lanes(self) -> None:
        """Wait until the spawned lanes have ended."""
        if self._tasks:
            await asyncio.wait(self._tasks.values())

    async def drive(self, loop: Loop[T], lane: Lane) -> T:
        """Run a loop to its end."""
        try:
            try:
                result = await self._advance(loop, lane, partial(next, loop), is_cancelling)
            except CancelledError:
                if lane.id not in self._tasks:  # the main lane, and with it the run
                    self.cancel_lanes()
                with suppress(Cancelled, LeaseLost):
                    await self._advance(loop, lane, partial(loop.throw, Cancelled()), _never)
                with suppress(LeaseLost):
                    await lane.finish()
                raise
            except Exception:
                with suppress(Exception):  # the error that passes says more
                    await lane.finish()
                raise
            await lane.finish()
            return result
        finally:
            try:
                loop.close()
            finally:
                lane.close()

    async def _advance(
        self,
        loop: Loop[T],
        lane: Lane,
        step: Callable[[], Effect],
        is_cancelled: Callable[[], bool],
    ) -> T:
        while True:
            if is_cancelled():
                raise CancelledError
            try:
                effect = step()
            except StopIteration as end:
                result: T = end.value
                return result
            if isinstance(effect, Attempted):
                await asyncio.sleep(0)  # a handler may never suspend; let other tasks run
            step = partial(loop.send, await self._perform(effect, lane))

    async def _perform(self, effect: Effect, lane: Lane) -> Reply[Any]:
        match effect:
            case Emit():
                lane.emit(effect.event)
                return await lane.reply(Emitted())
            case Spawn():
                return await lane.reply(self._spawn(effect, lane))
            case Join():
                return await lane.reply(await self._join(effect, lane))
            case _:
                return await lane.perform(effect)

    def _spawn(self, effect: Spawn, parent: Lane) -> Spawned:
        lane = parent.open_lane(effect.task, effect.actor)
        lane.on_wait(partial(self._note_wait, lane.id))
        self._tasks[lane.id] = self._group.create_task(self._run_lane(effect.loop, lane))
        return Spawned(lane.id)

    async def _run_lane(self, loop: Loop[Any], lane: Lane) -> None:
        try:
            await lane.take_slot()
            self._ended[lane.id] = Ended(lane.id, await self.drive(loop, lane))
        except LeaseLost as error:
            self._lease_lost = error
        except CancelledError:
            task = asyncio.current_task()
            self._ended[lane.id] = Ended(lane.id, error="CancelledError")
            if task is not None and task.cancelling():
                raise
        except OutlastError as error:  # such as a full disk: who joins the lane reports it
            LOG.info("the lane %s failed: %s", lane.id, error)
            self._ended[lane.id] = Ended(lane.id, error=str(error))
        except Exception as error:
            LOG.exception("the lane %s failed", lane.id)
            self._ended[lane.id] = Ended(lane.id, error=f"{type(error).__name__}: {error}")
        finally:
            loop.close()
            del self._tasks[lane.id]
            self._changed.set()

    def _note_wait(self, lane: str, is_waiting: bool) -> None:  # noqa: FBT001 - its one fact
        if is_waiting:
            self._waiting.append(lane)
            self._changed.set()
        elif lane in self._waiting:  # answered before anybody asked
            self._waiting.remove(lane)

    async def _join(self, effect: Join, lane: Lane) -> JoinOutcome:
        loop, revisions = asyncio.get_running_loop(), list[int]()

        def note_change(revision: int) -> None:
            revisions.append(revision)
            loop.call_soon_threadsafe(self._changed.set)

        async with AsyncExitStack() as stack:
            if effect.since_revision is not None:
                stack.push_async_callback(await lane.on_plan_change(note_change))
                revisions.append((await lane.perform(Record())).plan.revision)
            had_slot = lane.free_slot()  # the lanes that it waits for may need it
            outcome = await self._wait_for(effect, lane, revisions)
            if had_slot:
                await lane.take_slot()
            return outcome

    async def _wait_for(self, effect: Join, lane: Lane, revisions: list[int]) -> JoinOutcome:
        while True:
            self._changed.clear()
            outcome = self._look(effect, revisions)
            if outcome is not None:
                return outcome
            try:
                async with asyncio.timeout(_seconds_left(effect, lane)):
                    await self._changed.wait()
            except TimeoutError:
                return DeadlinePassed()

    def _look(self, effect: Join, revisions: list[int]) -> JoinOutcome | None:
        """Return the first thing that a `Join` waits for and that has happened."""
        if self._lease_lost is not None:
            raise self._lease_lost
        for lane in effect.lanes:
            if lane in self._ended:
                return self._ended[lane]
            if lane in self._waiting:
                self._waiting.remove(lane)
                return Waiting(lane)
        newest = max(revisions, default=0)
        if effect.since_revision is not None and newest > effect.since_revision:
            return PlanChanged(newest)
        return None


def _seconds_left(effect: Join, lane: Lane) -> float | None:
    if effect.deadline is None:
        return None
    return max((effect.deadline - lane.now()).total_seconds(), 0.0)
