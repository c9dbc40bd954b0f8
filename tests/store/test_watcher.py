"""X1, X6: one thread sleeps until a plan may have changed, and misses no commit."""

from __future__ import annotations

import subprocess
import sys
from collections import deque
from errno import EMFILE
from subprocess import PIPE
from threading import Condition, Event, Thread
from time import thread_time
from typing import TYPE_CHECKING

import pytest

from outlast import create_plan
from outlast.model.changes import Commit
from outlast.store.store import Store
from outlast.store.watcher import Subscription, Watcher
from outlast.system.clock import now
from tests.plan.places import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE = 30.0  # seconds: a guard against hanging
HOUR = 3_600.0
SECONDS, TENTH = 1.0, 0.1


class Told:
    """A feed that tells what a test lets it tell, and notes how long it was asked to wait."""

    def __init__(self) -> None:
        self.unwatchable = set[str]()
        self.waits: list[float] = []
        self.watched: dict[str, int] = {}
        self.unwatched: list[int] = []
        self.is_closed = False
        self._changes: deque[set[int] | None] = deque()
        self._told, self._sleeps = Condition(), False

    def watch(self, directory: str) -> int:
        if directory in self.unwatchable:
            return -1
        return self.watched.setdefault(directory, len(self.watched) + 1)

    def unwatch(self, number: int) -> None:
        self.unwatched.append(number)

    def wake(self) -> None:
        self.tell(set())

    def tell(self, changed: set[int] | None) -> None:
        with self._told:
            self._changes.append(changed)
            self._told.notify_all()

    def wait(self, seconds: float) -> set[int] | None:
        with self._told:
            self.waits.append(seconds)
            self._sleeps = True
            self._told.notify_all()
            assert self._told.wait_for(lambda: self._changes, PATIENCE)
            self._sleeps = False
            return self._changes.popleft()

    def wait_until_asleep(self) -> None:
        """Return when the thread sleeps and has no reason to wake."""
        with self._told:
            assert self._told.wait_for(lambda: self._sleeps and not self._changes, PATIENCE)

    def close(self) -> None:
        self.is_closed = True


class Plan:
    """A plan that others commit to, and how often it was looked at."""

    def __init__(self, directory: str | None = "here") -> None:
        self.commits: list[Commit] = []
        self.looks = 0
        self.told: list[int] = []
        self.subscription = Subscription(self.look, self.since, self.note, directory)
        self.looks = 0

    def look(self) -> tuple[int, int]:
        self.looks += 1
        return 0, len(self.commits)

    def since(self, revision: int) -> list[Commit]:
        return self.commits[revision:]

    def note(self, commit: Commit) -> None:
        self.told.append(commit.revision)

    def commit(self) -> None:
        self.commits.append(Commit(len(self.commits) + 1, now(), "ann", ()))


class Watched:
    """A watcher whose feed, clock and pauses are a test's own."""

    def __init__(self) -> None:
        self.feed = Told()
        self.pauses: list[float] = []
        self.time = 1_000.0
        self.watcher = Watcher(lambda: self.feed, self.pauses.append, lambda: self.time)

    def add(self, plan: Plan) -> None:
        self.watcher.add(plan.subscription)
        self.round()

    def round(self) -> float:
        """Wait until the thread sleeps after its work; return for how long it wants to."""
        self.feed.wait_until_asleep()
        return self.feed.waits[-1]

    def tell(self, *changed: int) -> float:
        self.feed.tell(set(changed))
        return self.round()

    def settle(self) -> None:
        """Let the time pass in which a change is followed up."""
        self.time += 3.0
        self.tell()
        self.tell()

    def end(self, *plans: Plan) -> None:
        for plan in plans:
            plan.subscription.end()
        wait_until(lambda: self.feed.is_closed)


@pytest.fixture
def watched() -> Iterator[Watched]:
    made = Watched()
    yield made
    made.watcher.reset()
    made.feed.wake()


def test_x1_only_the_plan_is_looked_at_that_was_told_of(watched: Watched) -> None:
    first, second = Plan("one"), Plan("two")
    watched.add(first)
    watched.add(second)
    watched.settle()
    assert watched.feed.waits[-1] > SECONDS
    looks = first.looks
    second.commit()
    watched.tell(2)
    assert (second.told, first.looks) == ([1], looks)
    watched.end(first, second)
    assert sorted(watched.feed.unwatched) == [1, 2]


def test_x1_a_plan_is_polled_for_a_while_after_a_change(watched: Watched) -> None:
    """SQLite writes, syncs, and only then lets others read what was written."""
    plan = Plan()
    watched.add(plan)
    watched.settle()
    assert watched.tell(1) <= TENTH
    plan.commit()
    watched.time += 1.0
    assert watched.tell() <= TENTH
    assert plan.told == [1]
    watched.settle()
    assert watched.feed.waits[-1] > SECONDS
    watched.end(plan)


def test_x1_what_cannot_be_watched_is_polled(watched: Watched) -> None:
    polled, told = Plan(""), Plan()
    watched.add(told)
    watched.add(polled)
    watched.settle()
    polled.commit()
    assert watched.tell() <= TENTH
    assert polled.told == [1]
    watched.end(polled, told)


def test_x1_a_directory_that_cannot_be_watched_yet_is_polled_until_it_can(watched: Watched) -> None:
    plan = Plan()
    watched.feed.unwatchable.add("here")
    watched.add(plan)
    watched.settle()
    assert watched.tell() <= TENTH
    watched.feed.unwatchable.clear()
    watched.tell()
    watched.settle()
    assert watched.tell() > SECONDS
    watched.end(plan)


def test_x1_the_directory_that_has_the_name_now_is_watched(watched: Watched) -> None:
    plan, other = Plan(), Plan()
    watched.add(plan)
    watched.add(other)
    watched.settle()
    watched.feed.watched["here"] = 7  # another directory
    watched.tell(1)
    assert watched.feed.unwatched == [1]
    watched.settle()
    plan.commit()
    other.commit()
    watched.tell(7)
    assert (plan.told, other.told) == ([1], [1])
    watched.end(plan, other)


def test_x1_every_plan_is_looked_at_now_and_then(watched: Watched) -> None:
    """Perhaps a directory above was renamed, of which nothing is told."""
    plan = Plan()
    watched.add(plan)
    watched.settle()
    plan.commit()
    watched.time += watched.tell()
    watched.tell()
    assert plan.told == [1]
    watched.end(plan)


def test_x1_every_plan_is_looked_at_when_too_much_happened_at_once(watched: Watched) -> None:
    plans = [Plan("one"), Plan("two")]
    for plan in plans:
        watched.add(plan)
    watched.settle()
    for plan in plans:
        plan.commit()
    watched.feed.tell(None)
    watched.round()
    assert [plan.told for plan in plans] == [[1], [1]]
    watched.end(*plans)


def test_x1_a_plan_of_this_process_alone_is_looked_at_after_its_own_commits(
    watched: Watched,
) -> None:
    plan = Plan(None)
    watched.add(plan)
    assert watched.feed.waits[-1] > SECONDS
    looks = plan.looks
    watched.time += HOUR
    watched.tell()
    assert plan.looks == looks
    plan.commit()
    plan.subscription.nudge()
    watched.round()
    assert (plan.told, watched.feed.watched) == ([1], {})
    watched.end(plan)


def test_x1_the_thread_rests_in_proportion_to_its_work(watched: Watched) -> None:
    """Of a plan that others change all the time, it takes a part of a core and not all of it."""

    class Slow(Plan):
        def look(self) -> tuple[int, int]:
            end = thread_time() + self.work
            while thread_time() < end:
                pass
            return super().look()

        work = 0.005

    plan = Slow()
    watched.add(plan)
    watched.tell(1)
    assert watched.pauses[-1] > 5 * plan.work
    plan.work = 0.05
    watched.tell(1)
    assert watched.pauses[-1] == TENTH  # and no commit waits for longer than it always did
    watched.end(plan)


def test_x1_a_plan_that_was_left_is_looked_at_no_more(watched: Watched) -> None:
    plan, other = Plan("one"), Plan("two")
    watched.add(plan)
    watched.add(other)
    plan.subscription.end()
    watched.round()
    looks = plan.looks
    watched.time += HOUR
    watched.tell(1)
    assert plan.looks == looks
    plan.commit()
    plan.subscription.end_with(plan.commits)
    assert plan.told == []
    watched.end(other)


def test_x1_without_a_thread_nobody_is_subscribed(watched: Watched) -> None:
    """There was none to be had; the next one who subscribes gets one."""

    def refuse() -> Told:
        raise OSError(EMFILE, "too many open files")

    watcher = Watcher(refuse)
    with pytest.raises(OSError, match="too many"):
        watcher.add(Plan().subscription)
    watched.add(plan := Plan())
    watched.end(plan)
    watched.feed.is_closed = False
    watched.add(plan := Plan())
    watched.end(plan)


def test_x1_a_plan_can_be_closed_while_a_subscriber_that_left_is_busy(tmp_path: Path) -> None:
    """It waits for whoever closes the plan, in another thread."""
    plan, was_closed = create_plan(tmp_path, "Ship it"), list[bool]()
    left, closed = Event(), Event()

    def leave_and_wait(_: Commit) -> None:
        end()
        left.set()
        was_closed.append(closed.wait(PATIENCE))

    end = plan.history.subscribe(leave_and_wait)

    def close() -> None:
        plan.close()
        closed.set()

    plan.add("a")
    assert left.wait(PATIENCE)
    other = Thread(target=close)
    other.start()
    other.join(2 * PATIENCE)
    wait_until(lambda: was_closed)
    assert was_closed == [True]


COMMITTING = """
import sys
from outlast import open_plan
with open_plan(sys.argv[1], "ship") as plan:
    for line in sys.stdin:
        plan.add(line.strip())
        print("done", flush=True)
"""


@pytest.mark.parametrize("where", ["files", "sqlite"])
def test_x1_commits_of_another_process_are_told_without_polling(where: str, tmp_path: Path) -> None:
    """A watcher that looks again only after an hour would miss them."""
    if sys.platform != "linux":
        pytest.skip("only Linux tells of changes")
    workdir = str(tmp_path) if where == "files" else f"sqlite:///{tmp_path}/plans.db"
    told, watcher = list[int](), Watcher(moment=lambda: 0.0)
    with create_plan(workdir, "Ship it", "ship") as plan:
        store = plan.core.store
        assert isinstance(store, Store)
        directory = store.replica.log.watched_directory()
        subscription = Subscription(
            lambda: (0, store.revision()),
            store.commits_since,
            lambda commit: told.append(commit.revision),
            directory,
        )
        watcher.add(subscription)
        command = [sys.executable, "-c", COMMITTING, workdir]
        with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True) as other:  # noqa: S603 - our own
            assert other.stdin
            assert other.stdout
            for number in range(5):
                print(f"task {number}", file=other.stdin, flush=True)
                assert other.stdout.readline() == "done\n"
                wait_until(lambda number=number: told[-1:] == [number + 2])  # type: ignore[misc]
            other.stdin.close()
        subscription.end()
    assert directory
    assert told == [2, 3, 4, 5, 6]
