"""What the lanes of a run share: messages while the plan changes, and budget that becomes free."""

from __future__ import annotations

import asyncio
import dataclasses
from threading import Event, Thread
from typing import TYPE_CHECKING

import pytest

from outlast.agent.runtime.pipeline import main_lane
from outlast.agent.runtime.run import Resources, Run
from outlast.model.execute import return_commit
from tests.agent.runtime.scene import LEASE, memory_plan, parts
from tests.fake_model import FakeModel

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from outlast import Plan
    from outlast.model.changes import Commit

GUARD = 60
A_MOMENT = 0.2  # long enough for a thread that nothing holds back


def make_run(plan: Plan, kind: type[Resources] = Resources) -> Run:
    spec, resources = parts(plan, FakeModel())
    fields = {each.name: getattr(resources, each.name) for each in dataclasses.fields(resources)}
    return Run(plan, plan.core.claim_plan(LEASE).lease, spec, kind(**fields))


async def switch(run: Run, plan: Plan, begun: Event | None = None) -> None:
    """Go over to another plan, as the middleware does."""
    lane = main_lane(run)
    async with run.hold_messages():
        if begun is not None:
            begun.set()
        await lane.refresh()
        handover = run.handover_commands()
        run.switch_to(plan, run.resources.holder.acquire(plan))
        await lane.commit(handover, return_commit)


class Pausing(Resources):
    """The speaker is looked up for each message: once before the lock is taken, once under it."""

    pause: Callable[[], object] = staticmethod(lambda: None)
    count = 0

    def __getattribute__(self, name: str) -> object:
        if name == "speaker":
            Pausing.count += 1
            if Pausing.count % 2 == 0:
                Pausing.pause()
        return super().__getattribute__(name)


def unread(plan: Plan) -> list[str]:
    return [
        message.text
        for message in plan.core.read(lambda state: state.ledger.conversation.interjections)
    ]


@pytest.fixture
def pausing() -> type[Pausing]:
    Pausing.count, Pausing.pause = 0, staticmethod(lambda: None)
    return Pausing


def test_r1_06_a_message_on_its_way_while_the_plan_changes_is_not_left_behind(
    pausing: type[Pausing],
) -> None:
    old, new = memory_plan(), memory_plan()
    run, switched, stored = make_run(old, pausing), Event(), list["Future[Commit]"]()
    said = Event()

    def wait_for_the_switch() -> None:
        said.set()
        switched.wait(A_MOMENT)  # without the lock the switch would be over now

    pausing.pause = staticmethod(wait_for_the_switch)
    speaker = Thread(target=lambda: stored.append(run.post_message("Use blue paint")))
    speaker.start()
    assert said.wait(GUARD)
    asyncio.run(switch(run, new))
    switched.set()
    speaker.join(GUARD)
    stored[0].result(GUARD)
    assert run.plan is new
    assert unread(new) == ["Use blue paint"]


def test_r1_06_messages_of_a_switch_keep_their_order(pausing: type[Pausing]) -> None:
    old, new = memory_plan(), memory_plan()
    run, second_is_stored = make_run(old, pausing), Event()
    speakers: list[Thread] = []

    def say_second() -> None:
        run.post_message("second").result(GUARD)
        second_is_stored.set()

    def speak_meanwhile() -> None:
        if not speakers:  # while the first one is passed on to the new plan
            speakers.append(Thread(target=say_second))
            speakers[0].start()
            second_is_stored.wait(A_MOMENT)

    async def go() -> Future[Commit]:
        async with run.hold_messages():
            first = run.post_message("first")
            run.switch_to(new, run.resources.holder.acquire(new))
            assert unread(new) == []
            pausing.count, pausing.pause = 1, staticmethod(speak_meanwhile)
        return first

    asyncio.run(go()).result(GUARD)
    speakers[0].join(GUARD)
    assert unread(new) == ["first", "second"]


def test_f14_budget_that_became_free_before_the_wait_is_seen() -> None:
    run = make_run(memory_plan())

    async def go() -> None:
        before = run.ended_attempts
        run.attempt_began("a")
        run.attempts_ended(["a"])  # between the look at the budget and the wait
        async with asyncio.timeout(GUARD):
            assert await run.wait_for_budget(before)
            assert not await run.wait_for_budget(run.ended_attempts), "nothing will become free"

    asyncio.run(go())


def test_f14_the_end_of_an_attempt_wakes_who_waits_for_budget() -> None:
    run = make_run(memory_plan())

    async def go() -> None:
        run.attempt_began("a")
        waiting = asyncio.ensure_future(run.wait_for_budget(run.ended_attempts))
        await asyncio.sleep(0)
        assert not waiting.done()
        run.attempts_ended(["a"])
        async with asyncio.timeout(GUARD):
            assert await waiting

    asyncio.run(go())
