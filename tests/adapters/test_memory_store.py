"""The memory store: commits, idempotency keys, threads."""

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from outlast import NewTask, PlanManager, Task, create_plan
from outlast.domain.changes import PlanPaused
from outlast.domain.commands import AddTasks, Complete, Pause, Resume
from outlast.domain.enact import receipt
from outlast.errors import InvalidArgument, InvalidStatus
from outlast.testing import FixedClock, MemoryStore
from tests.making import make_plan

NOW = FixedClock()()


def run_together(*jobs: Callable[[], object]) -> None:
    with ThreadPoolExecutor(len(jobs)) as pool:
        for done in [pool.submit(job) for job in jobs]:
            done.result()


def test_x1_a_commit_says_what_when_who_and_why() -> None:
    store = MemoryStore(NOW)
    commit = store.commit((Pause(),), receipt, author="ann", now=NOW, reason="lunch", key="k1")
    assert (commit.revision, commit.at, commit.author, commit.reason, commit.key) == (
        *(1, NOW, "ann", "lunch", "k1"),
    )
    assert commit.changes == (PlanPaused(),)


def test_x1_a_key_is_answered_as_it_was_then() -> None:
    store = MemoryStore(NOW)
    first = store.commit((Pause(),), receipt, author="ann", now=NOW, key="k1")
    store.commit((Resume(),), receipt, author="ann", now=NOW)
    assert store.commit((Pause(),), receipt, author="ann", now=NOW, key="k1") is first
    assert store.read(lambda state: state).hold == ""


def test_x1_a_refusal_is_not_remembered() -> None:
    store = MemoryStore(NOW)
    with pytest.raises(InvalidStatus):
        store.commit((Resume(),), receipt, author="ann", now=NOW, key="k1")
    store.commit((Pause(),), receipt, author="ann", now=NOW)
    store.commit((Resume(),), receipt, author="ann", now=NOW, key="k1")
    assert store.read(lambda state: state).revision == 2


def test_x1_the_last_ten_thousand_keys_are_remembered() -> None:
    store = MemoryStore(NOW)
    first = store.commit((Pause(),), receipt, author="ann", now=NOW, key="0")
    for number in range(1, 10_000):
        store.commit((), receipt, author="ann", now=NOW, key=str(number))
    assert store.commit((Pause(),), receipt, author="ann", now=NOW, key="0") is first
    store.commit((), receipt, author="ann", now=NOW, key="10000")
    assert store.commit((), receipt, author="ann", now=NOW, key="0") is not first


def test_x1_a_key_is_answered_with_the_values_of_then() -> None:
    plan = make_plan("a")
    store = plan._store  # noqa: SLF001 - the store is what is tested
    command = Complete(1, "ann")

    def ask() -> Task:
        return store.commit(
            (command,), lambda state, _: state.task(1), author="ann", now=NOW, key="k"
        )

    done = ask()
    plan.reopen(1)
    plan.remove(1)
    assert ask() is done
    with pytest.raises(InvalidArgument) as caught:
        store.commit((Pause(),), receipt, author="ann", now=NOW, key="k")
    assert caught.value.text == "key_reused"


def test_a_question_may_ask_again_but_not_change_the_plan() -> None:
    plan = make_plan("a")
    assert plan.read(lambda _: plan.status) == "idle"
    with pytest.raises(InvalidStatus, match="while a question"):
        plan.read(lambda _: plan.add("b"))
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
            for view in (plan.graph, plan.dependency_text, plan.critical_path, manager.to_dict):
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


def test_what_changes_nothing_is_no_revision() -> None:
    store = MemoryStore(NOW)
    assert store.commit((AddTasks(()),), receipt, author="ann", now=NOW).revision == 0
    store.commit((Pause(),), receipt, author="ann", now=NOW)
    assert store.read(lambda state: state).revision == 1


@pytest.mark.parametrize("key", [5, "\ud800", "a\nb"])
def test_m1_a_key_is_one_line_of_text(key: Any) -> None:
    with pytest.raises(InvalidArgument, match="key: expected"):
        create_plan("memory:", "goal", key=key)


def test_a_plan_is_created_in_memory_only() -> None:
    with pytest.raises(InvalidArgument, match="where: expected one of memory:"):
        create_plan("elsewhere", "goal")
    plan = create_plan("memory:", "goal", "key", actor="ann")
    assert (plan.key, plan.actor) == ("key", "ann")
    assert plan.add_all([NewTask("a")])[0].id == 1
