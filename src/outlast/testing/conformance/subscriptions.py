"""Subscriptions: every commit is delivered once and in order, until the subscription ends."""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from outlast.errors import PlanClosed
from outlast.testing.conformance.base import TIMEOUT, Conformance, add_task, commit, submit

if TYPE_CHECKING:
    from outlast.model.changes import Commit

    Commits = SimpleQueue[Commit]
    Revisions = SimpleQueue[int]

_QUIET_SECONDS = 0.3  # long enough for a commit to arrive


class SubscriptionConformance(Conformance):
    """What a subscriber receives."""

    def test_x6_every_commit_is_delivered_once_and_in_order(self) -> None:
        store = self.make_plan(tasks=2)
        delivered: Commits = SimpleQueue()
        end = store.subscribe(delivered.put)
        made = [commit(store, add_task()) for _ in range(20)]
        commit(store)  # changes nothing
        assert [delivered.get(timeout=TIMEOUT) for _ in made] == made
        made = [commit(store, add_task(), add_task()), commit(store, add_task())]
        assert [delivered.get(timeout=TIMEOUT) for _ in made] == made
        end()
        end()
        commit(store, add_task())
        assert _is_quiet(delivered)

    def test_x6_a_subscriber_that_fails_receives_the_next_commit(self) -> None:
        store = self.make_plan()
        delivered: Revisions = SimpleQueue()

        def fail(commit: Commit) -> None:
            delivered.put(commit.revision)
            raise ZeroDivisionError

        end = store.subscribe(fail)
        commit(store, add_task())
        commit(store, add_task())
        assert [delivered.get(timeout=TIMEOUT) for _ in range(2)] == [2, 3]
        end()

    def test_x6_a_subscriber_that_leaves_during_delivery_receives_no_more(self) -> None:
        store = self.make_plan()
        delivered: Revisions = SimpleQueue()

        def leave(commit: Commit) -> None:
            end()
            delivered.put(commit.revision)

        end = store.subscribe(leave)
        for _ in range(5):
            commit(store, add_task())
        assert delivered.get(timeout=TIMEOUT) == 2
        assert _is_quiet(delivered)

    def test_x6_ending_delivers_what_was_committed_before(self) -> None:
        store = self.make_plan()
        delivered: list[Commit] = []
        end = store.subscribe(delivered.append)
        made = [commit(store, add_task()) for _ in range(5)]
        end()
        assert delivered == made
        commit(store, add_task())
        end()
        assert delivered == made

    def test_x6_closing_delivers_what_was_committed_before(self) -> None:
        store = self.make_plan()
        first: list[Commit] = []
        second: list[Commit] = []
        store.subscribe(first.append)
        made = [commit(store, add_task())]
        store.subscribe(second.append)
        made += [submit(store, add_task()).result(TIMEOUT) for _ in range(5)]
        store.close()
        assert (first, second) == (made, made[1:])

    def test_x6_a_subscriber_may_close_the_store(self) -> None:
        store = self.make_plan()
        delivered: Revisions = SimpleQueue()

        def close(commit: Commit) -> None:
            delivered.put(commit.revision)
            store.close()

        store.subscribe(close)
        commit(store, add_task())
        with suppress(PlanClosed):
            commit(store, add_task())
        assert delivered.get(timeout=TIMEOUT) == 2

    def test_x6_a_closed_store_delivers_nothing(self) -> None:
        store = self.make_plan()
        delivered: Revisions = SimpleQueue()
        store.subscribe(lambda commit: delivered.put(commit.revision))
        store.close()
        with suppress(PlanClosed):  # a plan in memory is gone
            commit(self.reopen(store), add_task())
        assert _is_quiet(delivered)


def _is_quiet(delivered: Commits | Revisions) -> bool:
    try:
        delivered.get(timeout=_QUIET_SECONDS)
    except Empty:
        return True
    return False
