"""The memory store: commits, idempotency keys, threads."""

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from outlast import PlanManager, Task, create_plan
from outlast.errors import InvalidArgument, InvalidStatus
from outlast.model.commands import AddPhase, Complete, Pause
from outlast.model.execute import return_commit
from outlast.store.port import Request
from outlast.stores import MemoryStore
from outlast.testing import FixedClock
from tests.making import make_plan

NOW = FixedClock()()


def run_together(*jobs: Callable[[], object]) -> None:
    with ThreadPoolExecutor(len(jobs)) as pool:
        for done in [pool.submit(job) for job in jobs]:
            done.result()


def test_x1_a_key_is_answered_with_the_values_of_then() -> None:
    plan = make_plan("a")
    store = plan.core.store
    command = Complete(1, "ann")

    def ask() -> Task:
        return store.commit(
            Request((command,), "ann", NOW, key="k"), lambda state, _: state.task(1)
        )

    done = ask()
    plan.reopen(1)
    plan.remove(1)
    assert ask() == done
    with pytest.raises(InvalidArgument) as caught:
        store.commit(Request((Pause(),), "ann", NOW, key="k"), return_commit)
    assert caught.value.text == "key_reused"


def test_x1_without_a_past_a_key_is_answered_on_the_plan_as_it_is() -> None:
    store = MemoryStore(NOW, keep_history=False)
    for _ in range(2):
        answer = store.commit(
            Request((AddPhase("A"),), "ann", NOW, key="k"), lambda state, _: len(state.phases)
        )
    assert answer == 1
    assert store.commits_since(0) == []


def test_a_question_may_ask_again_but_not_change_the_plan() -> None:
    plan = make_plan("a")
    assert plan.core.read(lambda _: plan.status) == "idle"
    with pytest.raises(InvalidStatus, match="from inside a read"):
        plan.core.read(lambda _: plan.add("b"))
    assert plan.add("b").id == 2


def test_x6_threads_lose_nothing() -> None:
    plan = make_plan()
    run_together(*[lambda: [plan.add("x") for _ in range(200)]] * 8)
    assert [task.id for task in plan.tasks()] == list(range(1, 1601))
    assert plan.revision == 1601


def test_x6_readers_see_one_moment_while_others_write() -> None:
    plan = make_plan(*"abcdef")
    failures: list[str] = []
    busy = [True]

    def write(manager: PlanManager) -> None:
        for _ in range(300):
            added = manager.addTask("x", [1])["data"]["new_task"]["id"]
            manager.removeTask(added)
            if (started := manager.startNextTask())["success"]:
                manager.completeTask(started["data"]["task"]["id"], "x")
                manager.reopenTask(started["data"]["task"]["id"], "x")
        busy[0] = False

    def look(manager: PlanManager) -> None:
        while busy[0]:
            status = manager.getPlanStatus()["data"]
            kinds = ("pending", "in_progress", "completed", "failed", "skipped")
            if sum(status[f"{kind}_tasks"] for kind in kinds) != status["total_tasks"]:
                failures.append("the counts do not add up")
            listed = manager.getTaskList()["data"]
            if len(listed["tasks"]) != listed["total"]:
                failures.append("the list is torn")
            for view in (
                plan.graph,
                partial(plan.graph, "words"),
                plan.critical_path,
                manager.to_dict,
            ):
                view()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        run_together(
            *(partial(write, PlanManager(plan, actor=f"w{n}")) for n in range(2)),
            *(partial(look, PlanManager(plan, actor=f"r{n}")) for n in range(2)),
        )
    finally:
        sys.setswitchinterval(interval)
    assert failures == []


@pytest.mark.parametrize("key", [5, "\ud800", "a\nb"])
def test_m1_a_key_is_one_line_of_text(key: Any) -> None:
    with pytest.raises(InvalidArgument, match="key: expected"):
        create_plan("memory:", "goal", key=key)
