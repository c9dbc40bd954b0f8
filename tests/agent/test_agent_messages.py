"""R0.12 and M8: messages to a running agent: nobody is blocked, and none is lost."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from outlast import AgentLoop, Budget, Plan
from outlast.agent.plan_locator import PlanLocator
from outlast.agent.runtime.lease_holder import LeaseHolder
from outlast.context.chat_model import Call, Reply
from outlast.model.model import Lease
from tests.agent.runtime.poke_tool import Poke
from tests.agent.runtime.scene import agent_run
from tests.agent.runtime.test_lanes import StuckDisk, files_plan
from tests.fake_model import FakeModel, ModelRequest

POKE = Reply("", (Call("poke", {}, "p"),))


def shown(model: FakeModel) -> list[str]:
    """Return the messages of people in the last request."""
    return [one.text for one in model.last_messages if one.role == "user"]


def test_saying_something_on_the_event_loop_does_not_block_it(tmp_path: Path) -> None:
    disk = StuckDisk()
    plan, agents = files_plan(tmp_path, disk, 1), list[AgentLoop]()

    async def say(request: ModelRequest) -> None:
        if len(model.requests) == 1:
            disk.is_armed = True
            agents[0].say("Use blue paint")
            assert await asyncio.to_thread(disk.entered.wait, 60), "it is being written"
            disk.freed.set()
        del request

    model = FakeModel([POKE, Reply("Done")] * 9, on_request=say)
    agents.append(AgentLoop(model=model, tools=[Poke()], plan=plan, max_iterations=3))
    asyncio.run(agents[0].run("Paint it"))
    assert "Use blue paint" in shown(model)


def test_saying_something_in_another_thread_returns_when_it_is_stored(tmp_path: Path) -> None:
    plan, agents, stored = files_plan(tmp_path, StuckDisk(), 1), list[AgentLoop](), list[str]()

    def say_and_look() -> None:
        agents[0].say("Use blue paint")
        messages = plan.core.read(lambda state: state.ledger.conversation.interjections)
        stored.extend(message.text for message in messages)

    async def say(_request: ModelRequest) -> None:
        if len(model.requests) == 1:
            await asyncio.to_thread(say_and_look)

    model = FakeModel([POKE, Reply("Done")] * 9, on_request=say)
    agents.append(AgentLoop(model=model, tools=[Poke()], plan=plan, max_iterations=3))
    asyncio.run(agents[0].run("Paint it"))
    assert stored == ["Use blue paint"]
    assert shown(model).count("Use blue paint") == 1


class TalkativeLocator(PlanLocator):
    """A locator during whose work somebody says something."""

    def __init__(self, workdir: Path, talk: Callable[[], object]) -> None:
        super().__init__(None, workdir, "k", "agent")
        self._talk = talk

    def create(
        self, goal: str, acquire: Callable[[Plan], Lease], budget: Budget
    ) -> tuple[Plan, Lease]:
        self._talk()
        created = super().create(goal, acquire, budget)
        self._talk()
        return created


def test_what_is_said_while_the_plan_is_created_is_not_lost(tmp_path: Path) -> None:
    words, threads = iter(("one", "two", "three")), list[threading.Thread]()

    def talk() -> None:
        """Say something in a thread; it waits until the agent has switched to its plan."""
        thread = threading.Thread(target=run.say, args=(next(words),))
        threads.append(thread)
        thread.start()
        thread.join(0.05)

    model = FakeModel([POKE, POKE, Reply("Done"), Reply("Done")])
    place = TalkativeLocator(tmp_path, talk)
    with LeaseHolder(60) as holder:
        run = agent_run(holder, place, model, Poke(), max_iterations=3)
        run.say("zero")
        asyncio.run(run.execute("Paint it"))
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()
    assert [text for text in shown(model) if len(text) < 6] == ["zero", "one", "two"]
    place.close()


@pytest.mark.parametrize("seed", range(6))
def test_messages_of_another_thread_are_all_shown_once_and_in_order(
    tmp_path: Path, seed: int
) -> None:
    """A first run ends its plan; the second leaves it and creates another one meanwhile."""
    dice, said, over = Random(seed), list[str](), threading.Event()  # noqa: S311 - to be repeated
    step = Reply("[Step] One", POKE.calls)
    first = AgentLoop(
        model=FakeModel([step, Reply("[Done]")]), tools=[Poke()], workdir=tmp_path, key="k"
    )
    assert asyncio.run(first.run("First")).why == "finished"

    def talk() -> None:
        while not over.wait(dice.random() * 0.004):
            said.append(f"#{len(said)}")
            agent.say(said[-1])

    async def pause(_request: Any) -> None:
        await asyncio.sleep(dice.random() * 0.01)
        if len(model.requests) == 15:
            over.set()
            await asyncio.to_thread(thread.join, 60)

    model = FakeModel([*[POKE] * 16, *[Reply("Done")] * 9], on_request=pause)
    agent = AgentLoop(model=model, tools=[Poke()], workdir=tmp_path, key="k", max_iterations=17)
    thread = threading.Thread(target=talk)
    thread.start()
    asyncio.run(agent.run("Second"))
    thread.join(60)
    assert len(said) > 5
    assert [text for text in shown(model) if text.startswith("#")] == said
