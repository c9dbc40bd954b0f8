"""F12: what a program says reaches the event loop, however much it is."""

import asyncio
import os
import time
from pathlib import Path
from threading import Thread

from outlast.system.programs import MOST_WAITING, OutputListener, run_program

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


def test_f12_a_program_is_run_where_and_with_what_it_is_given(tmp_path: Path) -> None:
    heard, (reader, writer) = list[bytes](), os.pipe()
    rule = f'pwd; echo "$WORD"; echo kept >/dev/fd/{writer}'
    run = run_program(
        ("/bin/sh", "-c", rule),
        str(tmp_path),
        20,
        keep=(writer,),
        environment={**os.environ, "WORD": "given"},
        on_output=heard.append,
    )
    try:
        ended = asyncio.run(run)
        assert os.read(reader, 100) == b"kept\n"
    finally:
        os.close(reader)
        os.close(writer)
    assert (ended.how, ended.code) == ("exit", 0)
    assert ended.tail == b"".join(heard) == b"%b\ngiven\n" % bytes(tmp_path.resolve())
