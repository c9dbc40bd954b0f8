"""Concurrency: many threads, and commits that are submitted without waiting."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from typing import Any

from outlast.errors import InvalidArgument, PlanClosed, Refused, TaskNotFound
from outlast.model import commands as c
from outlast.store.port import Request
from outlast.testing.conformance.base import (
    NOW,
    TIMEOUT,
    Conformance,
    add_task,
    commit,
    encode_state,
    expect_error,
    submit,
)

_THREADS, _EACH = 8, 50


class ConcurrencyConformance(Conformance):
    """No commit is lost, and none is refused because another thread commits."""

    def test_x6_what_is_submitted_is_committed_in_order(self) -> None:
        store = self.make_plan()
        futures = [submit(store, add_task(f"{n}")) for n in range(100)]
        assert [future.result(TIMEOUT).revision for future in futures] == [*range(2, 102)]
        names = store.read(lambda state: [task.name for task in state.tasks_in_order()])
        assert names == [f"{n}" for n in range(100)]

    def test_x6_a_refusal_comes_with_the_future(self) -> None:
        store = self.make_plan(tasks=1)
        wrong: Any = "nothing that a store knows"
        futures: list[Future[Any]] = [
            submit(store, c.RemoveTask(9)),
            submit(store, add_task(), key="a\nb"),
            store.submit(Request((add_task(),), "ann", NOW), lambda *_: 1 // 0),
            submit(store, wrong),
            submit(store, add_task()),
        ]
        expect_error(TaskNotFound, lambda: futures[0].result(TIMEOUT))
        expect_error(InvalidArgument, lambda: futures[1].result(TIMEOUT))
        assert isinstance(futures[2].exception(TIMEOUT), ZeroDivisionError)
        assert futures[3].exception(TIMEOUT) is not None
        assert futures[4].result(TIMEOUT).revision == 4

    def test_x6_a_submission_cancelled_before_it_starts_harms_no_other(self) -> None:
        store = self.make_plan()
        futures = [submit(store, add_task(f"{n}")) for n in range(50)]
        called_off = [future.cancel() for future in futures]
        kept = sum(not off for off in called_off)
        for future, off in zip(futures, called_off, strict=True):
            assert off or future.result(TIMEOUT).revision > 1
        assert submit(store, add_task()).result(TIMEOUT).revision == kept + 2

    def test_x6_closing_waits_for_what_was_submitted(self) -> None:
        store = self.make_plan()
        futures = [submit(store, add_task()) for _ in range(20)]
        store.close()
        assert [future.done() for future in futures] == [True] * 20
        assert [future.result().revision for future in futures] == [*range(2, 22)]

    def test_x6_a_closed_store_refuses_every_use(self) -> None:
        store = self.make_plan()
        store.close()
        store.close()
        for use in (
            lambda: store.read(lambda state: state.revision),
            lambda: commit(store, add_task()),
            lambda: submit(store, add_task()).result(TIMEOUT),
            lambda: submit(store).result(TIMEOUT),
            lambda: store.commits_since(0),
            lambda: store.state_before(1),
            lambda: store.subscribe(lambda _: None),
        ):
            assert expect_error(PlanClosed, use).code == "PLAN_CLOSED"

    def test_x6_a_request_without_commands_reads_what_those_before_it_led_to(self) -> None:
        store = self.make_plan()
        futures = []
        for _ in range(20):
            submit(store, add_task())
            futures.append(
                store.submit(
                    Request((), "ann", NOW), lambda state, commit: (state.revision, commit.changes)
                )
            )
        assert [future.result(TIMEOUT) for future in futures] == [(n, ()) for n in range(2, 22)]
        assert store.commit(Request((), "ann", NOW), lambda state, _: len(state.tasks)) == 20
        assert len(store.commits_since(0)) == 21

    def test_x6_a_callback_of_a_future_may_commit(self) -> None:
        store, called = self.make_plan(), Event()

        def follow(_: object) -> None:
            commit(store, add_task("by the callback"))
            called.set()

        submit(store, add_task()).add_done_callback(follow)
        assert called.wait(TIMEOUT)
        assert store.read(lambda state: state.revision) == 3

    def test_x6_threads_lose_nothing_and_are_not_refused(self) -> None:
        store = self.make_plan()

        def work(name: str) -> list[int]:
            made = []
            for number in range(_EACH):
                made.append(commit(store, add_task(f"{name} {number}")).revision)
                if number % 10 == 0:
                    made.append(submit(store, add_task()).result(TIMEOUT).revision)
            return made

        with ThreadPoolExecutor(_THREADS) as pool:
            revisions = [r for made in pool.map(work, map(str, range(_THREADS))) for r in made]
        count = _THREADS * (_EACH + _EACH // 10)
        assert sorted(revisions) == [*range(2, count + 2)]
        assert store.read(lambda state: len(state.tasks)) == count
        expected = store.read(encode_state)
        assert self.reopen(store).read(encode_state) == expected

    def test_x6_a_task_is_given_to_one_thread_only(self) -> None:
        store = self.make_plan(tasks=_EACH)

        def take(name: str) -> list[int]:
            taken: list[int] = []
            while True:
                try:
                    leased: Any = commit(store, c.Claim(name, None, 60)).changes[-1]
                except Refused:
                    return taken
                taken.append(leased.id)

        with ThreadPoolExecutor(_THREADS) as pool:
            taken = [task for own in pool.map(take, map(str, range(_THREADS))) for task in own]
        assert sorted(taken) == [*range(1, _EACH + 1)]

    def test_x1_one_key_used_by_many_threads_is_one_commit(self) -> None:
        store = self.make_plan()
        with ThreadPoolExecutor(_THREADS) as pool:
            made = [pool.submit(commit, store, add_task(), key="k") for _ in range(_EACH)]
            assert {future.result().revision for future in made} == {2}
        assert len(store.commits_since(0)) == 2

    def test_x6_readers_see_whole_commits_only(self) -> None:
        store, over = self.make_plan(), Event()

        def look() -> set[bool]:
            seen = set()
            while not over.is_set():
                seen.add(store.read(lambda state: len(state.tasks) == 3 * (state.revision - 1)))
            return seen

        with ThreadPoolExecutor(2) as pool:
            looking = [pool.submit(look) for _ in range(2)]
            for _ in range(_EACH):
                commit(store, add_task("a"), add_task("b"), add_task("c"))
            over.set()
            assert {whole for future in looking for whole in future.result()} <= {True}
