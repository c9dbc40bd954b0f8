"""Checks exclude the tools of other lanes: a fair lock that can be cancelled."""

import asyncio
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from outlast import Check, create_plan
from outlast.agent import effects as e
from outlast.agent.runtime.workspace import WorkspaceLock
from outlast.context.chat_model import Call
from outlast.model.commands import Complete, Start
from outlast.model.model import PERSON
from tests.agent.runtime.lanes import Mark, MarkModel, run_lanes


class Crowd:
    """Lanes that want the workspace, and who had it with whom."""

    def __init__(self) -> None:
        self.lock, self.inside, self.order = WorkspaceLock(), Counter[str](), list[str]()

    async def enter(self, name: str, turns: int = 1) -> None:
        is_check = name.startswith("check")
        async with self.lock.for_checks() if is_check else self.lock.for_work():
            self.order.append(name)
            self.inside["check" if is_check else "tool"] += 1
            try:
                for _ in range(turns):
                    assert self.inside["check"] <= 1
                    assert not (self.inside["check"] and self.inside["tool"])
                    await asyncio.sleep(0)
            finally:
                self.inside["check" if is_check else "tool"] -= 1


async def wait_for_all(tasks: list[asyncio.Task[None]]) -> None:
    """Wait until all lanes have passed or were cancelled."""
    await asyncio.wait(tasks)
    for task in tasks:
        if not task.cancelled():
            task.result()


async def start(crowd: Crowd, *names: str, turns: int = 20) -> list[asyncio.Task[None]]:
    """Let lanes come in this order."""
    tasks = []
    for name in names:
        tasks.append(asyncio.create_task(crowd.enter(name, turns)))
        await asyncio.sleep(0)
    return tasks


def test_tools_run_together_and_checks_alone_in_the_order_in_which_they_came() -> None:
    async def come() -> list[str]:
        crowd = Crowd()
        tasks = await start(crowd, "tool 1", "check 1", "tool 2", "tool 3", "check 2", "tool 4")
        assert crowd.order == ["tool 1"], "a tool does not overtake a check that waits"
        await asyncio.gather(*tasks)
        return crowd.order

    names = ["tool 1", "check 1", "tool 2", "tool 3", "check 2", "tool 4"]
    assert asyncio.run(come()) == names


def test_several_tools_run_at_the_same_time() -> None:
    async def come() -> int:
        crowd = Crowd()
        await start(crowd, "tool 1", "tool 2", "tool 3", turns=99)
        return crowd.inside["tool"]

    assert asyncio.run(come()) == 3


@pytest.mark.parametrize("cancelled", ["check 1", "tool 2"])
def test_who_is_cancelled_while_waiting_lets_the_others_pass(cancelled: str) -> None:
    async def come() -> list[str]:
        crowd = Crowd()
        names = ["tool 1", "check 1", "tool 2", "check 2"]
        tasks = await start(crowd, *names)
        tasks[names.index(cancelled)].cancel()
        await wait_for_all(tasks)
        await crowd.enter("tool 9")
        return crowd.order

    left = [name for name in ("tool 1", "check 1", "tool 2", "check 2") if name != cancelled]
    assert asyncio.run(come()) == [*left, "tool 9"]


def test_who_is_cancelled_at_its_turn_passes_it_on() -> None:
    async def come() -> list[str]:
        crowd = Crowd()
        tasks = await start(crowd, "check 1", "check 2", "tool 3", turns=1)
        while crowd.inside["check"]:  # noqa: ASYNC110 - the turn right after it
            await asyncio.sleep(0)
        tasks[1].cancel()  # its turn has come, but it has not run yet
        await wait_for_all(tasks)
        return crowd.order

    assert asyncio.run(come()) in (["check 1", "tool 3"], ["check 1", "check 2", "tool 3"])


@pytest.mark.parametrize("seed", range(30))
def test_any_crowd_with_cancellations_leaves_a_free_workspace(seed: int) -> None:
    dice = Random(seed)  # noqa: S311 - to be repeated

    async def come() -> None:
        crowd, tasks = Crowd(), list[asyncio.Task[None]]()
        for number in range(30):
            kind = dice.choice(("check", "tool", "tool"))
            task = asyncio.create_task(crowd.enter(f"{kind} {number}", dice.randrange(4)))
            tasks.append(task)
            if dice.random() < 0.3:
                dice.choice(tasks).cancel()
            if dice.random() < 0.5:
                await asyncio.sleep(0)
        async with asyncio.timeout(60):
            await wait_for_all(tasks)
            await crowd.enter("check last")
            await crowd.enter("tool last")

    asyncio.run(come())


class Claims:
    """Who holds which files of a workspace, and who waits."""

    def __init__(self) -> None:
        self.lock, self.holders = WorkspaceLock(), dict[str, asyncio.Event]()

    async def claim(self, name: str, *files: str, task: int = 0) -> None:
        """Claim files until `release`; a name that begins with `check` claims them for checks."""
        enter = self.lock.for_checks if name.startswith("check") else self.lock.for_work
        async with enter(files, task):
            self.holders[name] = asyncio.Event()
            await self.holders[name].wait()
            del self.holders[name]

    async def come(self, *claims: tuple[str, ...], task: int = 0) -> list[str]:
        """Let some come in this order; return who holds the workspace then."""
        self._tasks = [*getattr(self, "_tasks", []), *(self._start(each, task) for each in claims)]
        return await self.settle()

    async def leave(self, name: str) -> list[str]:
        self.holders[name].set()
        return await self.settle()

    async def settle(self) -> list[str]:
        for _ in range(10):
            await asyncio.sleep(0)
        return sorted(self.holders)

    def _start(self, claim: tuple[str, ...], task: int) -> asyncio.Task[None]:
        return asyncio.create_task(self.claim(*claim, task=task))


def test_r1_13_a_check_waits_only_for_work_on_its_own_files_and_keeps_only_that_waiting() -> None:
    async def meet() -> None:
        claims = Claims()
        assert await claims.come(("a", "src/a/**"), ("b", "src/b/**")) == ["a", "b"]
        assert await claims.come(("check a", "src/a")) == ["a", "b"], "a works on them"
        assert await claims.come(("a2", "src/a/x.py")) == ["a", "b"], "the check came first"
        assert await claims.come(("c", "docs")) == ["a", "b", "c"]
        assert await claims.come(("check c", "docs/*.md")) == ["a", "b", "c"]
        assert await claims.leave("c") == ["a", "b", "check c"]
        assert await claims.leave("a") == ["b", "check a", "check c"], "checks go side by side"
        assert await claims.leave("check a") == ["a2", "b", "check c"]

    asyncio.run(meet())


def test_r1_13_unknown_files_are_all_files() -> None:
    async def meet() -> None:
        claims = Claims()
        assert await claims.come(("a", "a"), ("check",)) == ["a"]
        assert await claims.come(("b", "b")) == ["a"]
        assert await claims.leave("a") == ["check"]
        assert await claims.leave("check") == ["b"]
        assert await claims.come(("unknown",), ("check c", "c")) == ["b", "unknown"]
        assert await claims.leave("unknown") == ["b", "check c"]

    asyncio.run(meet())


def test_what_an_agent_does_inside_of_its_task_does_not_wait_for_those_who_wait_for_it() -> None:
    async def meet() -> None:
        claims = Claims()
        assert await claims.come(("agent", "src"), task=1) == ["agent"]
        assert await claims.come(("check all",), task=2) == ["agent"]
        assert await claims.come(("tool",), task=1) == ["agent", "tool"]
        assert await claims.come(("check own",), task=1) == ["agent", "check own", "tool"]
        await claims.leave("check own")
        await claims.leave("tool")
        assert await claims.leave("agent") == ["check all"]

    asyncio.run(meet())


def test_a_check_inside_of_a_task_waits_for_others_on_the_same_files_only() -> None:
    async def meet() -> None:
        claims = Claims()
        await claims.come(("agent", "src"), task=1)
        await claims.come(("other", "src/x"), task=2)
        await claims.come(("elsewhere", "docs"), task=3)
        assert await claims.come(("check own",), task=1) == ["agent", "elsewhere", "other"]
        assert await claims.leave("other") == ["agent", "check own", "elsewhere"]

    asyncio.run(meet())


def test_x2_no_tool_of_another_lane_runs_while_a_check_looks(tmp_path: Path) -> None:
    looking, marks, seen = tmp_path / "looking", Counter[int](), list[bool]()

    async def watch(_number: int) -> None:
        for _ in range(5):
            seen.append(looking.exists())
            await asyncio.sleep(0.002)

    def complete() -> e.Loop[str]:
        plan = (yield from e.record()).plan
        yield from e.record(Start(plan.actor, 1))
        return (yield from e.record(Complete(1, plan.actor))).outcome.code or "done"

    def use_tools() -> e.Loop[str]:
        for number in range(20):
            yield from e.Act(Call("mark", {"n": number}))
        return "done"

    with create_plan(tmp_path, "Look", "k", actor=PERSON) as plan:
        command = "touch looking; sleep 0.05; test -f looking && rm looking"
        plan.add("Checked", checks=[Check("command", command)])
        plan.add("Other")
        results = run_lanes(plan, {1: complete(), 2: use_tools()}, MarkModel(), Mark(marks, watch))
    assert results == {1: "done", 2: "done"}
    assert seen == [False] * 100
