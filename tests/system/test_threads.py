"""Threads that carry out calls for the event loop."""

import asyncio
import time
from threading import Event
from typing import Any

import pytest

from outlast.system.threads import call_in_pool, call_in_thread, count_calls


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
