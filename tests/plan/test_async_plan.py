"""`AsyncPlan` has every verb of `Plan`, and none of them holds up the event loop."""

import asyncio
import inspect
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest

from outlast import AsyncPlan, Plan, create_plan
from outlast.errors import InvalidArgument, TaskClaimed, TaskNotFound
from outlast.model.changes import Commit
from outlast.model.commands import CreatePlan
from outlast.model.execute import return_commit
from outlast.model.state import PlanState
from outlast.plan.async_plan import FACETS, IMMEDIATE
from outlast.plan.core import PlanCore
from outlast.store.port import Request
from outlast.stores import MemoryStore
from outlast.system.clock import new_plan_id, now
from scripts.make_stub import ASYNC_PLAN, async_stub
from tests.making import make_plan

T = TypeVar("T")
SECONDS = 60  # a guard against a test that hangs


def play(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(asyncio.wait_for(work, SECONDS))


def public_names(kind: type) -> set[str]:
    return {name for name in vars(kind) if not name.startswith("_")}


class SlowStore(MemoryStore):
    """A store whose commits wait until they are let through."""

    def __init__(self) -> None:
        super().__init__(now())
        self.free = threading.Event()
        self.free.set()
        self.waiting = threading.Event()
        self.ended = threading.Event()
        self.threads: set[int] = set()

    def commit(self, request: Request, then: Callable[[PlanState, Commit], T]) -> T:
        self.threads.add(threading.get_ident())
        self.waiting.set()
        assert self.free.wait(SECONDS)
        try:
            return super().commit(request, then)
        finally:
            self.ended.set()


def slow_plan(*tasks: str) -> tuple[SlowStore, AsyncPlan]:
    store = SlowStore()
    core = PlanCore(store, now, new_plan_id)
    core.commit((CreatePlan("plan_1", "Dinner"),), return_commit)
    for task in tasks:
        Plan(core).add(task)
    return store, AsyncPlan(Plan(core))


async def hold_up(store: SlowStore, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Begin some work, and return when its commit waits for the store."""
    store.threads.clear()
    store.free.clear()
    store.waiting.clear()
    store.ended.clear()
    task = asyncio.create_task(work)
    assert await asyncio.to_thread(store.waiting.wait, SECONDS)
    return task


def test_the_stub_matches_plan() -> None:
    assert ASYNC_PLAN.read_text(encoding="utf-8") == async_stub(), "run ./dev stub"


def test_every_verb_of_plan_is_there_and_has_its_signature() -> None:
    assert public_names(Plan) - {"core"} <= public_names(AsyncPlan)
    for name, member in vars(Plan).items():
        if inspect.isfunction(member) and not name.startswith("_"):
            twin = getattr(AsyncPlan, name)
            wanted, given = inspect.signature(member), inspect.signature(twin)
            assert list(wanted.parameters) == list(given.parameters), name
            is_immediate = name in (*IMMEDIATE, "acting_as", "with_lease", "claim_with_heartbeat")
            assert inspect.iscoroutinefunction(twin) is not is_immediate, name
            assert inspect.getdoc(twin)


@pytest.mark.parametrize("name", FACETS)
def test_every_verb_of_a_facet_is_there(name: str) -> None:
    plan = make_plan("a")
    sync, twin = getattr(plan, name), getattr(AsyncPlan(plan), name)
    names = public_names(type(sync))
    assert names
    assert names == public_names(type(twin))
    assert type(twin).__name__ == f"Async{type(sync).__name__}"
    for method in names:
        assert inspect.iscoroutinefunction(getattr(twin, method))
        wanted = inspect.signature(getattr(sync, method))
        assert inspect.signature(getattr(twin, method)) == wanted


def test_a_plan_is_created_worked_on_and_opened_again(tmp_path: Path) -> None:
    async def work() -> None:
        async with await AsyncPlan.create(tmp_path, "Dinner", "dinner") as plan:
            first = await plan.add("Cook")
            await plan.add("Serve", [first.id])
            assert (await plan.start()).id == first.id
            await plan.complete(first.id, "soup")
            finding = await plan.notes.add_finding("insight", "salt", "more of it")
            assert finding.id == 1
            assert await plan.progress == (await plan.as_of(await plan.revision)).plan.progress
            assert (await plan.acting_as("ada").start()).actor == "ada"
            assert plan.actor == "agent"
            call = {"name": "plan_read", "arguments": {}}
            assert plan.owns(call)
            assert (await plan.handle(call))["isError"] is False
            assert plan.tools("mcp") == plan.plan.tools("mcp")
            assert await plan.context() == plan.plan.context()
            assert await plan.context(brief=True) == plan.plan.context(brief=True)
        async with await AsyncPlan.open(tmp_path, "dinner") as again:
            assert [task.status for task in await again.tasks()] == ["completed", "in_progress"]
            assert len(await again.history.commits()) == await again.revision

    play(work())


def test_a_refusal_is_raised_to_the_caller() -> None:
    async def work() -> None:
        with pytest.raises(TaskNotFound):
            await AsyncPlan(make_plan("a")).complete(9)
        with pytest.raises(InvalidArgument, match="plan: expected Plan, got str"):
            AsyncPlan("plan")  # type: ignore[arg-type]

    play(work())


def test_the_event_loop_goes_on_while_a_store_is_slow() -> None:
    store, plan = slow_plan()

    async def work() -> None:
        adding = await hold_up(store, plan.add("a"))
        assert not adding.done()
        store.free.set()
        assert (await adding).id == 1
        assert threading.get_ident() not in store.threads

    play(work())


def test_a_cancelled_call_does_what_it_has_begun() -> None:
    store, plan = slow_plan()

    async def work() -> None:
        adding = await hold_up(store, plan.add("a"))
        adding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await adding
        store.free.set()
        assert await asyncio.to_thread(store.ended.wait, SECONDS)
        assert [task.name for task in await plan.tasks()] == ["a"]

    play(work())


def test_many_calls_at_once_are_all_carried_out() -> None:
    async def work() -> None:
        plan = AsyncPlan(create_plan("memory:", "Much"))
        added = await asyncio.gather(*(plan.add(f"task {number}") for number in range(200)))
        assert sorted(task.id for task in added) == list(range(1, 201))

    play(work())


def heartbeats() -> set[threading.Thread]:
    return {one for one in threading.enumerate() if one.name == "outlast-heartbeat"}


def test_a_claim_is_renewed_until_the_block_ends() -> None:
    before = heartbeats()

    async def work() -> None:
        plan = AsyncPlan(make_plan("a", "b"))
        async with plan.claim_with_heartbeat() as held:
            assert len(heartbeats() - before) == 1
            with pytest.raises(TaskClaimed):
                await plan.acting_as("other").complete(held.lease.task)
            await plan.complete(held.lease.task, "done", lease=held.lease)
        with pytest.raises(ZeroDivisionError):
            async with plan.claim_with_heartbeat():
                raise ZeroDivisionError
        assert [task.status for task in await plan.tasks()] == ["completed", "pending"]
        assert heartbeats() <= before

    play(work())


def test_a_cancelled_claim_renews_nothing() -> None:
    store, plan = slow_plan("a")
    before = heartbeats()

    async def claim() -> None:
        async with plan.claim_with_heartbeat():
            pytest.fail("the claim was cancelled")

    async def work() -> None:
        claiming = await hold_up(store, claim())
        claiming.cancel()
        with pytest.raises(asyncio.CancelledError):
            await claiming
        store.free.set()
        assert await asyncio.to_thread(store.ended.wait, SECONDS)
        assert await plan.current()
        assert heartbeats() <= before

    play(work())
