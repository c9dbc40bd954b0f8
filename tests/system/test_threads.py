"""Threads that carry out calls for the event loop."""

import asyncio
import time
from threading import Event
from typing import Any

import pytest

from outlast.system.threads import call_in_pool, call_in_thread, call_to_end, count_calls


@pytest.mark.parametrize("how", [call_in_pool, call_in_thread])
def test_a_call_counts_until_it_has_handed_over_its_result(how: Any) -> None:
    before, begun, go_on = count_calls(), Event(), Event()

    def wait() -> None:
        begun.set()
        go_on.wait()

    async def look() -> None:
        call = asyncio.create_task(how(wait))
        await asyncio.to_thread(begun.wait)
        assert count_calls() == before + 1
        go_on.set()
        await call

    asyncio.run(look())
    while count_calls() > before:  # the thread is done a moment after its result
        time.sleep(0.001)


def test_f4_a_call_that_is_cancelled_again_and_again_is_waited_for() -> None:
    begun, go_on, ended = Event(), Event(), Event()

    def wait() -> None:
        begun.set()
        go_on.wait()
        ended.set()

    async def look() -> None:
        call = asyncio.create_task(call_to_end(wait))
        await asyncio.to_thread(begun.wait)
        for _ in range(3):
            call.cancel()
            await asyncio.wait((call,), timeout=0.01)
        assert not call.done()
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert ended.is_set()

    asyncio.run(look())
