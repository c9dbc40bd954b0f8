"""F39: a fork holds SQLite back for a moment, in no process longer."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from outlast.store.sqlite.connection import FORK_GATE

GUARD = 30


def is_open() -> bool:
    """Return whether another thread may use SQLite."""
    if FORK_GATE.acquire(timeout=GUARD):
        FORK_GATE.release()
        return True
    return False


def in_another_thread(ask: Callable[[], bool]) -> bool:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(ask).result()


def test_f39_after_a_fork_other_threads_go_on_in_both_processes() -> None:
    child = os.fork()
    if not child:
        try:
            os._exit(0 if in_another_thread(is_open) else 1)
        finally:
            os._exit(2)
    _, status = os.waitpid(child, 0)
    assert status == 0
    assert in_another_thread(is_open)


def test_f39_who_holds_the_gate_keeps_others_out() -> None:
    with FORK_GATE:
        assert not in_another_thread(lambda: FORK_GATE.acquire(blocking=False))
    assert in_another_thread(is_open)
