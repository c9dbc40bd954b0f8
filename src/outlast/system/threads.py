"""Call functions in daemon threads, which are used again, and coroutines from plain code.

asyncio's own threads are few, so calls would wait for each other, and the process waits for them at
its end. Daemon threads delay neither.
"""

from __future__ import annotations

import os
from _thread import allocate_lock, start_new_thread
from asyncio import CancelledError, Future, create_task, get_running_loop, run, shield, wait
from contextlib import suppress
from contextvars import copy_context
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

T = TypeVar("T")
_IDLE_SECONDS: Final = 5.0  # after which a thread without work ends
_OWN_THREADS: Final = 8


def run_coroutine(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, also where an event loop is running: then in a thread."""
    try:
        get_running_loop()
    except RuntimeError:
        return run(work)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run, work).result()


async def call_in_thread(function: Callable[[], T]) -> T:
    """Call code that may block for long, such as a user's tool, off the event loop.

    There are as many threads as calls at a time, so none waits for another.
    """
    return await _call(function, _FOREIGN)


async def call_in_pool(function: Callable[[], T]) -> T:
    """Call our own code that reads or writes files off the event loop.

    A few threads carry out all such calls: with more of them, the event loop would wait longer for
    its turn.
    """
    return await _call(function, _OWN)


async def call_to_end(function: Callable[[], T]) -> T:
    """Do the same as `call_in_pool`; a cancellation is raised after the call has ended.

    For calls that acquire something, which would be lost otherwise.
    """
    call = create_task(call_in_pool(function))
    try:
        return await shield(call)
    except CancelledError:
        while not call.done():
            with suppress(CancelledError):  # once more: it is as cancelled as before
                await wait((call,))
        if not call.cancelled():
            call.exception()  # seen: the cancellation says more
        raise


def count_calls() -> int:
    """Return how many calls wait or are at work; the others have handed over their results."""
    return _FOREIGN.count_calls() + _OWN.count_calls()


async def _call(function: Callable[[], T], threads: _Threads) -> T:
    loop, context = get_running_loop(), copy_context()
    ended: Future[T] = loop.create_future()

    def call() -> None:
        try:
            result = context.run(function)
        except StopIteration as error:  # a future cannot hold it
            post(_fail, RuntimeError(f"StopIteration: {error}"))
        except BaseException as error:  # noqa: BLE001 - raised to the caller
            post(_fail, error)
        else:
            post(_succeed, result)

    def post(callback: Callable[..., None], value: object) -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(callback, ended, value)

    threads.submit(call)
    return await ended


class _Threads:
    """Threads that start when they are needed, at most `limit`, and end when they are idle."""

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self.reset()

    def reset(self) -> None:
        """Begin without threads; a forked child has none of its parent's."""
        self._calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._lock = allocate_lock()
        self._count = self._idle = self._backlog = 0

    def count_calls(self) -> int:
        """Return how many calls wait or are at work."""
        with self._lock:
            return self._count - self._idle + self._backlog

    def submit(self, call: Callable[[], None]) -> None:
        """Queue a call for a waiting thread, or a new one. Does not wait for the thread."""
        with self._lock:
            if self._idle:
                self._idle -= 1  # this thread takes the call, even if it is not awake yet
            elif self._count < self._limit:
                start_new_thread(self._work, ())
                self._count += 1
            else:
                self._backlog += 1
            self._calls.put(call)

    def _work(self) -> None:
        while True:
            try:
                call = self._calls.get(timeout=_IDLE_SECONDS)
            except Empty:
                with self._lock:
                    if not self._idle:  # a call was promised to this thread
                        continue
                    self._count -= 1
                    self._idle -= 1
                return
            call()
            del call
            with self._lock:
                if self._backlog:
                    self._backlog -= 1
                else:
                    self._idle += 1


_FOREIGN: Final = _Threads(float("inf"))
_OWN: Final = _Threads(_OWN_THREADS)
os.register_at_fork(after_in_child=_FOREIGN.reset)
os.register_at_fork(after_in_child=_OWN.reset)


def _succeed(ended: Future[T], result: T) -> None:
    if not ended.done():
        ended.set_result(result)


def _fail(ended: Future[T], error: BaseException) -> None:
    if not ended.done():
        ended.set_exception(error)
