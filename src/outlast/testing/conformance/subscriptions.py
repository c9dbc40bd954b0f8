"""Subscriptions: every commit is delivered once and in order, until the subscription ends."""

from __future__ import annotations

from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from outlast.testing.conformance.base import TIMEOUT, Conformance, add_task, commit

if TYPE_CHECKING:
    from outlast.domain.changes import Commit

    Commits = SimpleQueue[Commit]
    Revisions = SimpleQueue[int]

_QUIET_SECONDS = 0.3  # seconds in which a commit would have been told


class SubscriptionConformance(Conformance):
    """What a subscriber receives."""

    def test_x6_every_commit_is_told_once_and_in_order(self) -> None:
        store = self.make_plan(tasks=2)
        told: Commits = SimpleQueue()
        end = store.subscribe(told.put)
        made = [commit(store, add_task()) for _ in range(20)]
        commit(store)  # changes nothing
        assert [told.get(timeout=TIMEOUT) for _ in made] == made
        made = [commit(store, add_task(), add_task()), commit(store, add_task())]
        assert [told.get(timeout=TIMEOUT) for _ in made] == made
        end()
        end()
        commit(store, add_task())
        assert _is_quiet(told)

    def test_x6_a_subscriber_that_fails_is_told_the_next_one_too(self) -> None:
        store = self.make_plan()
        told: Revisions = SimpleQueue()

        def fail(commit: Commit) -> None:
            told.put(commit.revision)
            raise ZeroDivisionError

        end = store.subscribe(fail)
        commit(store, add_task())
        commit(store, add_task())
        assert [told.get(timeout=TIMEOUT) for _ in range(2)] == [2, 3]
        end()

    def test_x6_a_subscriber_that_leaves_while_being_told_is_told_no_more(self) -> None:
        store = self.make_plan()
        told: Revisions = SimpleQueue()

        def leave(commit: Commit) -> None:
            end()
            told.put(commit.revision)

        end = store.subscribe(leave)
        for _ in range(5):
            commit(store, add_task())
        assert told.get(timeout=TIMEOUT) == 2
        assert _is_quiet(told)

    def test_x6_a_closed_store_tells_nothing(self) -> None:
        store = self.make_plan()
        told: Revisions = SimpleQueue()
        store.subscribe(lambda commit: told.put(commit.revision))
        store.close()
        commit(store, add_task())
        assert _is_quiet(told)
        store.close()


def _is_quiet(told: Commits | Revisions) -> bool:
    try:
        told.get(timeout=_QUIET_SECONDS)
    except Empty:
        return True
    return False
