"""The memory store: commits, idempotency keys, threads."""

from threading import Thread

import pytest

from outlast import NewTask, create_plan
from outlast.adapters.stores import memory
from outlast.domain.changes import PlanPaused
from outlast.domain.commands import AddTasks, Pause, Resume
from outlast.errors import InvalidArgument, InvalidStatus
from outlast.testing import FixedClock, MemoryStore
from tests.making import make_plan

NOW = FixedClock()()


def test_x1_a_commit_says_what_when_who_and_why() -> None:
    store = MemoryStore(NOW)
    commit = store.commit((Pause(),), author="ann", now=NOW, reason="lunch", key="k1")
    assert (commit.revision, commit.at, commit.author, commit.reason, commit.key) == (
        *(1, NOW, "ann", "lunch", "k1"),
    )
    assert commit.changes == (PlanPaused(),)


def test_x1_a_key_is_answered_as_it_was_then() -> None:
    store = MemoryStore(NOW)
    first = store.commit((Pause(),), author="ann", now=NOW, key="k1")
    store.commit((Resume(),), author="ann", now=NOW)
    assert store.commit((Pause(),), author="ann", now=NOW, key="k1") is first
    assert store.state.hold == ""


def test_x1_a_refusal_is_not_remembered() -> None:
    store = MemoryStore(NOW)
    with pytest.raises(InvalidStatus):
        store.commit((Resume(),), author="ann", now=NOW, key="k1")
    store.commit((Pause(),), author="ann", now=NOW)
    store.commit((Resume(),), author="ann", now=NOW, key="k1")
    assert store.state.revision == 2


def test_x1_the_last_ten_thousand_keys_are_remembered() -> None:
    store = MemoryStore(NOW)
    first = store.commit((Pause(),), author="ann", now=NOW, key="0")
    for number in range(1, 10_000):
        store.commit((), author="ann", now=NOW, key=str(number))
    assert store.commit((Resume(),), author="ann", now=NOW, key="0") is first
    store.commit((), author="ann", now=NOW, key="10000")
    assert store.commit((), author="ann", now=NOW, key="0") is not first
    assert memory.__doc__


def test_x6_threads_lose_nothing() -> None:
    plan = make_plan()
    threads = [Thread(target=lambda: [plan.add("x") for _ in range(200)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [task.id for task in plan.tasks()] == list(range(1, 1601))
    assert plan.revision == 1601


def test_what_changes_nothing_is_no_revision() -> None:
    store = MemoryStore(NOW)
    assert store.commit((AddTasks(()),), author="ann", now=NOW).revision == 0
    store.commit((Pause(),), author="ann", now=NOW)
    assert store.state.revision == 1


def test_a_plan_is_created_in_memory_only() -> None:
    with pytest.raises(InvalidArgument, match="where: expected one of memory:"):
        create_plan("/tmp/x", "goal")  # noqa: S108 - a name, not a file
    plan = create_plan("memory:", "goal")
    assert plan.add_all([NewTask("a")])[0].id == 1
