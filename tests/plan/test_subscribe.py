"""X1: `plan.subscribe` reports every commit once and in order, from any process."""

import os
import threading
from pathlib import Path
from threading import Event

import pytest

from outlast import Plan, PlanManager, create_plan, open_plan
from outlast.model import commands as c
from outlast.model.changes import Commit
from outlast.store.files.log import open_files
from outlast.store.port import Layout
from outlast.store.watcher import Subscription
from outlast.system.clock import now
from outlast.system.disk import Disk
from tests.plan.places import elsewhere, wait_until
from tests.store.operations import change, make_store

WATCHER_NAME = "outlast-watcher"


def watchers() -> int:
    return sum(thread.name == WATCHER_NAME for thread in threading.enumerate())


class Listener:
    """Notes what it is told."""

    def __init__(self, plan: Plan) -> None:
        self.told: list[Commit] = []
        self.end = plan.history.subscribe(self.told.append)

    def revisions(self) -> list[int]:
        return [commit.revision for commit in self.told]

    def wait_for(self, revision: int) -> None:
        wait_until(lambda: self.told and self.told[-1].revision >= revision)


@pytest.mark.parametrize("layout", ["outlast", "sessions"])
def test_x1_own_and_other_commits_are_told_once_and_in_order(
    layout: Layout, tmp_path: Path
) -> None:
    with create_plan(tmp_path, "Ship it", "ship", layout=layout) as plan:
        plan.add("before")
        listener = Listener(plan)
        plan.add("mine")
        elsewhere(tmp_path, "ship", 5)
        plan.complete(1, "done")
        listener.wait_for(plan.revision)
        assert listener.revisions() == list(range(3, 10))
        assert [commit.author for commit in listener.told] == ["agent", *["other"] * 5, "agent"]
        assert listener.told == plan.history.commits(7)[::-1]


def test_x1_none_is_missed_across_a_snapshot(tmp_path: Path) -> None:
    with create_plan(tmp_path, "Ship it", "ship") as plan, open_plan(tmp_path, "ship") as other:
        listener = Listener(plan)
        for _ in range(40):  # more than a megabyte
            other.add("a", reasoning="why " * 12_000)
        other.close()
        with open_plan(tmp_path, "ship") as third:
            third.add("b")
        listener.wait_for(42)
        assert listener.revisions() == list(range(2, 43))
    assert (tmp_path / ".outlast" / "plans" / "ship" / "snapshot.json").exists()


def test_x1_one_who_left_is_told_no_more_and_the_thread_ends(tmp_path: Path) -> None:
    with create_plan(tmp_path, "Ship it", "ship") as plan:
        first, second = Listener(plan), Listener(plan)
        plan.add("a")
        first.wait_for(2)
        second.wait_for(2)
        first.end()
        plan.add("b")
        second.wait_for(3)
        assert first.revisions() == [2]
        second.end()
        second.end()
        wait_until(lambda: not watchers())
        third = Listener(plan)
        plan.add("c")
        third.wait_for(4)
        assert (first.revisions(), second.revisions()) == ([2], [2, 3])


@pytest.mark.parametrize("where", ["memory:", "files", "sqlite"])
def test_x1_ending_and_closing_tell_what_was_committed_before(where: str, tmp_path: Path) -> None:
    places = {"files": str(tmp_path), "sqlite": f"sqlite:///{tmp_path}/plans.db"}
    with create_plan(places.get(where, where), "Ship it", "ship") as plan:
        first, second = Listener(plan), Listener(plan)
        for name in "abcde":
            plan.add(name)
        if where == "files":
            elsewhere(tmp_path, "ship", 5)
        last = plan.revision
        first.end()
        assert first.revisions() == [*range(2, last + 1)]
        plan.add("f")
    assert first.revisions() == [*range(2, last + 1)]
    assert second.revisions() == [*range(2, last + 2)]


def test_x1_closing_waits_for_a_call_in_progress(tmp_path: Path) -> None:
    plan, called, go_on, told = create_plan(tmp_path, "Ship"), Event(), Event(), list[int]()

    def wait(commit: Commit) -> None:
        called.set()
        assert go_on.wait(60)
        told.append(commit.revision)

    plan.history.subscribe(wait)
    plan.add("a")
    assert called.wait(60)
    plan.add("b")
    closing = threading.Thread(target=plan.close)
    closing.start()
    go_on.set()
    closing.join(60)
    assert told == [2, 3]


def test_x1_many_plans_share_one_thread(tmp_path: Path) -> None:
    plans = [create_plan(tmp_path, "Ship it", f"plan {n}") for n in range(10)]
    plans.append(create_plan("memory:", "Ship it"))
    plans.append(PlanManager(goal="Ship it").plan)
    listeners = [Listener(plan) for plan in plans]
    for plan in plans:
        plan.add("a")
    for listener in listeners:
        listener.wait_for(2)
        assert listener.revisions() == [2]
    assert watchers() == 1
    for plan in plans:
        plan.close()
    wait_until(lambda: not watchers())


def fail_once(commit: Commit) -> None:
    assert commit.revision != 2, "told to fail"


def test_x1_a_listener_that_fails_is_logged_and_the_rest_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with create_plan(tmp_path, "Ship it", "ship") as plan:
        plan.history.subscribe(fail_once)
        listener = Listener(plan)
        for name in "abc":
            plan.add(name)
        listener.wait_for(4)
        assert listener.revisions() == [2, 3, 4]
    assert caplog.text.count("a subscriber failed") == 1
    assert "told to fail" in caplog.text


def test_x1_a_listener_may_use_the_plan_and_leave(tmp_path: Path) -> None:
    with create_plan(tmp_path, "Ship it", "ship") as plan:
        told: list[int] = []

        def follow(commit: Commit) -> None:
            told.append(commit.revision)
            if len(told) == 3:
                leave()
            else:
                plan.add(f"because of {commit.revision}")

        leave = plan.history.subscribe(follow)
        plan.add("a")
        wait_until(lambda: len(told) == 3)
        last = Listener(plan)
        plan.add("b")
        last.wait_for(plan.revision)
        assert told == [2, 3, 4]


class CountingDisk(Disk):
    """A disk that counts what is open, and what is read."""

    def __init__(self) -> None:
        self.held: set[int] = set()
        self.bytes = 0

    def open(self, path: str, flags: int, mode: int) -> int:
        fd = super().open(path, flags, mode)
        self.held.add(fd)
        return fd

    def close(self, fd: int) -> None:
        super().close(fd)
        self.held.discard(fd)

    def read(self, fd: int, offset: int, count: int) -> bytes:
        data = super().read(fd, offset, count)
        self.bytes += len(data)
        return data


def test_x1_a_closed_plan_is_not_looked_at(tmp_path: Path) -> None:
    make_store(tmp_path).close()
    disk = CountingDisk()
    for _ in range(20):
        store = open_files(str(tmp_path), disk, now())
        store.subscribe(lambda _: None)
        store.close()
    wait_until(lambda: not watchers())
    assert disk.held == set()


def test_x1_following_a_long_plan_does_not_read_all_of_it_each_time(tmp_path: Path) -> None:
    writer = make_store(tmp_path)
    for number in range(200):
        change(writer, (_task(f"{number} " * 400),))
    disk = CountingDisk()
    store = open_files(str(tmp_path), disk, now())
    size = (tmp_path / "journal.jsonl").stat().st_size
    disk.bytes = 0
    for number in range(50):
        seen = store.read(lambda state: state.revision)
        made = [change(writer, (_task(f"new {number}.{n}"),)) for n in range(number % 3)]
        assert store.commits_since(seen) == made
    assert disk.bytes < size
    assert len(store.commits_since(0)) == store.read(lambda state: state.revision)
    assert store.commits_since(seen) == made
    store.close()
    store = open_files(str(tmp_path), disk, now())
    assert store.commits_since(seen - 5)[-1:] == writer.commits_since(seen - 5)[-1:]


def _task(name: str) -> c.Command:
    return c.AddTasks((c.NewTask("x", reasoning=name),))


def test_x1_a_plan_that_cannot_be_read_is_looked_at_again_and_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store, told = make_store(tmp_path), list[Commit]()
    journal = tmp_path / "journal.jsonl"
    watch = Subscription(lambda: (0, store.revision()), store.commits_since, told.append)
    change(store, (_task("a"),))
    content = journal.read_bytes()
    journal.unlink()
    for _ in range(3):
        watch.poll()
    assert (told, caplog.text.count("watching: ")) == ([], 1)
    journal.write_bytes(content)
    watch.poll()
    assert len(told) == 1


def test_x6_a_child_is_not_told_what_its_parent_wants_to_know(tmp_path: Path) -> None:
    with create_plan(tmp_path, "Ship it", "ship") as plan:
        listener = Listener(plan)
        child = os.fork()
        if not child:
            try:
                own = Listener(plan)
                plan.add("by the child")
                own.wait_for(2)
                os._exit(int(bool(listener.told) or watchers() != 1))
            finally:
                os._exit(2)
        assert os.waitpid(child, 0)[1] == 0
        listener.wait_for(2)
        assert listener.revisions() == [2]
