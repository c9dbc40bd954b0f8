"""Many at once: threads, and commits that nobody waits for."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TYPE_CHECKING, Any

from outlast.domain import commands as c
from outlast.errors import InvalidArgument, Refused, TaskNotFound
from outlast.testing.conformance.making import (
    NOW,
    PATIENCE,
    Conformance,
    add,
    do,
    picture,
    refuses,
    send,
)

if TYPE_CHECKING:
    from concurrent.futures import Future

_THREADS, _EACH = 8, 50


class SharingConformance(Conformance):
    """Nothing is lost, and nobody is refused because somebody else commits."""

    def test_x6_what_is_submitted_is_committed_in_order(self) -> None:
        store = self.begun()
        futures = [send(store, add(f"{n}")) for n in range(100)]
        assert [future.result(PATIENCE).revision for future in futures] == [*range(2, 102)]
        names = store.read(lambda state: [task.name for task in state.in_order()])
        assert names == [f"{n}" for n in range(100)]

    def test_x6_a_refusal_comes_with_the_future(self) -> None:
        store = self.begun(tasks=1)
        wrong: Any = "nothing that a store knows"
        futures: list[Future[Any]] = [
            send(store, c.RemoveTask(9)),
            send(store, add(), key="a\nb"),
            store.submit((add(),), lambda *_: 1 // 0, author="ann", now=NOW),
            send(store, wrong),
            send(store, add()),
        ]
        refuses(TaskNotFound, lambda: futures[0].result(PATIENCE))
        refuses(InvalidArgument, lambda: futures[1].result(PATIENCE))
        assert isinstance(futures[2].exception(PATIENCE), ZeroDivisionError)
        assert futures[3].exception(PATIENCE) is not None
        assert futures[4].result(PATIENCE).revision == 4

    def test_x6_what_is_called_off_before_it_is_begun_harms_nobody(self) -> None:
        store = self.begun()
        futures = [send(store, add(f"{n}")) for n in range(50)]
        called_off = [future.cancel() for future in futures]
        kept = sum(not off for off in called_off)
        for future, off in zip(futures, called_off, strict=True):
            assert off or future.result(PATIENCE).revision > 1
        assert send(store, add()).result(PATIENCE).revision == kept + 2

    def test_x6_closing_waits_for_what_was_submitted(self) -> None:
        store = self.begun()
        futures = [send(store, add()) for _ in range(20)]
        store.close()
        assert [future.done() for future in futures] == [True] * 20
        store.close()
        assert send(store, add()).result(PATIENCE).revision == 22
        assert self.reopen(store).read(lambda state: state.revision) == 22

    def test_x6_a_callback_of_a_future_may_commit(self) -> None:
        store, told = self.begun(), Event()

        def follow(_: object) -> None:
            do(store, add("by the callback"))
            told.set()

        send(store, add()).add_done_callback(follow)
        assert told.wait(PATIENCE)
        assert store.read(lambda state: state.revision) == 3

    def test_x6_threads_lose_nothing_and_nobody_is_refused(self) -> None:
        store = self.begun()

        def work(name: str) -> list[int]:
            made = []
            for number in range(_EACH):
                made.append(do(store, add(f"{name} {number}")).revision)
                if number % 10 == 0:
                    made.append(send(store, add()).result(PATIENCE).revision)
            return made

        with ThreadPoolExecutor(_THREADS) as pool:
            revisions = [r for made in pool.map(work, map(str, range(_THREADS))) for r in made]
        count = _THREADS * (_EACH + _EACH // 10)
        assert sorted(revisions) == [*range(2, count + 2)]
        assert store.read(lambda state: len(state.tasks)) == count
        expected = store.read(picture)
        assert self.reopen(store).read(picture) == expected

    def test_x6_a_task_is_given_to_one_thread_only(self) -> None:
        store = self.begun(tasks=_EACH)

        def take(name: str) -> list[int]:
            taken: list[int] = []
            while True:
                try:
                    leased: Any = do(store, c.Claim(name, None, 60)).changes[-1]
                except Refused:
                    return taken
                taken.append(leased.id)

        with ThreadPoolExecutor(_THREADS) as pool:
            taken = [task for own in pool.map(take, map(str, range(_THREADS))) for task in own]
        assert sorted(taken) == [*range(1, _EACH + 1)]

    def test_x1_one_key_used_by_many_threads_is_one_commit(self) -> None:
        store = self.begun()
        with ThreadPoolExecutor(_THREADS) as pool:
            made = [pool.submit(do, store, add(), key="k") for _ in range(_EACH)]
            assert {future.result().revision for future in made} == {2}
        assert len(store.since(0)) == 2

    def test_x6_readers_see_whole_commits_only(self) -> None:
        store, over = self.begun(), Event()

        def look() -> set[bool]:
            seen = set()
            while not over.is_set():
                seen.add(store.read(lambda state: len(state.tasks) == 3 * (state.revision - 1)))
            return seen

        with ThreadPoolExecutor(2) as pool:
            looking = [pool.submit(look) for _ in range(2)]
            for _ in range(_EACH):
                do(store, add("a"), add("b"), add("c"))
            over.set()
            assert {whole for future in looking for whole in future.result()} <= {True}
