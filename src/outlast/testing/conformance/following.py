"""Following a plan: every commit is told, in order, until nobody wants to know."""

from __future__ import annotations

from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from outlast.testing.conformance.making import PATIENCE, Conformance, add, do

if TYPE_CHECKING:
    from outlast.domain.changes import Commit

    Told = SimpleQueue[Commit]
    Numbers = SimpleQueue[int]

_A_WHILE = 0.3  # seconds in which a commit would have been told


class FollowingConformance(Conformance):
    """What a subscriber is told."""

    def test_x6_every_commit_is_told_once_and_in_order(self) -> None:
        store = self.begun(tasks=2)
        told: Told = SimpleQueue()
        end = store.subscribe(told.put)
        made = [do(store, add()) for _ in range(20)]
        do(store)  # changes nothing
        assert [told.get(timeout=PATIENCE) for _ in made] == made
        made = [do(store, add(), add()), do(store, add())]
        assert [told.get(timeout=PATIENCE) for _ in made] == made
        end()
        end()
        do(store, add())
        assert _nothing(told)

    def test_x6_a_subscriber_that_fails_is_told_the_next_one_too(self) -> None:
        store = self.begun()
        told: Numbers = SimpleQueue()

        def fail(commit: Commit) -> None:
            told.put(commit.revision)
            raise ZeroDivisionError

        end = store.subscribe(fail)
        do(store, add())
        do(store, add())
        assert [told.get(timeout=PATIENCE) for _ in range(2)] == [2, 3]
        end()

    def test_x6_a_subscriber_that_leaves_while_being_told_is_told_no_more(self) -> None:
        store = self.begun()
        told: Numbers = SimpleQueue()

        def leave(commit: Commit) -> None:
            end()
            told.put(commit.revision)

        end = store.subscribe(leave)
        for _ in range(5):
            do(store, add())
        assert told.get(timeout=PATIENCE) == 2
        assert _nothing(told)

    def test_x6_a_closed_store_tells_nothing(self) -> None:
        store = self.begun()
        told: Numbers = SimpleQueue()
        store.subscribe(lambda commit: told.put(commit.revision))
        store.close()
        do(store, add())
        assert _nothing(told)
        store.close()


def _nothing(told: Told | Numbers) -> bool:
    try:
        told.get(timeout=_A_WHILE)
    except Empty:
        return True
    return False
