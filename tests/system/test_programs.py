"""F12: what a program says reaches the event loop, however much it is."""

import asyncio
import time
from threading import Thread

from outlast.system.programs import MOST_WAITING, OutputListener

WORDS = [str(number) for number in range(3 * MOST_WAITING)]


def speak(listener: OutputListener, said: list[str]) -> None:
    for word in WORDS:
        said.append(word)
        listener.say(word)


def block_until_silent(said: list[str]) -> None:
    """Keep the loop from hearing anything while the other thread still speaks."""
    while len(said) <= MOST_WAITING:
        time.sleep(0.001)
    time.sleep(0.05)


def test_f12_a_program_that_says_more_than_is_heard_has_to_wait() -> None:
    async def listen() -> None:
        said, heard = list[str](), list[str]()
        listener = OutputListener(heard.append, patience=600)
        thread = Thread(target=speak, args=(listener, said))
        thread.start()
        block_until_silent(said)
        assert len(said) == MOST_WAITING + 1, "no memory is filled"
        await asyncio.to_thread(thread.join)
        await asyncio.sleep(0)
        assert heard == WORDS

    asyncio.run(listen())


def test_f12_a_loop_that_hears_nothing_does_not_stop_a_program() -> None:
    async def listen() -> None:
        heard = list[str]()
        listener = OutputListener(heard.append, patience=0)
        thread = Thread(target=speak, args=(listener, []))
        thread.start()
        thread.join()
        await asyncio.sleep(0)
        assert heard == WORDS[:MOST_WAITING]

    asyncio.run(listen())
