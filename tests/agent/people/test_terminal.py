"""Questions at a terminal: without blocking, with control characters escaped."""

import asyncio
import os
import pty
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path
from select import select

import pytest

from outlast.agent.people.terminal import TerminalPerson
from outlast.language import Language
from outlast.model.model import Question
from outlast.testing import FixedClock

PLAIN = "Which colour?"


class Terminal:
    """A terminal with a person at its other end."""

    def __init__(self) -> None:
        self.master, self._slave = pty.openpty()
        self.name = os.ttyname(self._slave)

    def close(self) -> None:
        os.close(self.master)
        os.close(self._slave)

    def ask(self, text: str, typed: bytes, language: Language = "en") -> tuple[str | None, bytes]:
        """Ask, type once the question is there, and return the answer and what was shown."""
        return asyncio.run(self._ask(text, typed, language))

    async def _ask(self, text: str, typed: bytes, language: Language) -> tuple[str | None, bytes]:
        person = TerminalPerson(language, self.name)
        asking = asyncio.create_task(person.answer(Question(7, text, FixedClock()())))
        shown = await asyncio.to_thread(os.read, self.master, 4_096)
        os.write(self.master, typed)
        return await asking, shown


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    made = Terminal()
    yield made
    made.close()


def test_a_person_is_asked_and_answers(terminal: Terminal) -> None:
    answer, shown = terminal.ask(PLAIN, b"blue \r")
    assert answer == "blue"
    assert shown.replace(b"\r", b"") == (
        b"\n? 7  Which colour?\nAnswer (leave empty to answer later): "
    )


def test_x8_a_person_is_asked_in_chinese(terminal: Terminal) -> None:
    answer, shown = terminal.ask("颜色？", "蓝色\r".encode(), "zh")
    assert answer == "蓝色"
    assert "? 7  颜色？" in shown.decode()


def test_what_was_typed_before_the_question_is_no_answer_to_it(terminal: Terminal) -> None:
    os.write(terminal.master, b"yes\r")
    os.read(terminal.master, 4_096)  # its echo
    assert terminal.ask(PLAIN, b"no\r")[0] == "no"


@pytest.mark.parametrize("typed", [b"\x04", b"\r", b"  \r"])
def test_an_ended_input_or_an_empty_line_is_no_answer(typed: bytes, terminal: Terminal) -> None:
    assert terminal.ask(PLAIN, typed)[0] is None


def test_a6_a_question_cannot_steer_the_terminal(terminal: Terminal) -> None:
    _, shown = terminal.ask("a\x1b[2Jb\x07\u202e\nsecond", b"no\r")
    assert shown.replace(b"\r", b"") == (
        b"\n? 7  a\\x1b[2Jb\\x07\\u202e\nsecond\nAnswer (leave empty to answer later): "
    )


def test_without_a_terminal_there_is_no_answer(tmp_path: Path) -> None:
    person = TerminalPerson(terminal=str(tmp_path / "none"))
    read, write = os.pipe()
    before = os.dup(0)
    os.dup2(read, 0)  # so that there is no terminal on standard input either
    try:
        assert asyncio.run(person.answer(Question(1, PLAIN, FixedClock()()))) is None
    finally:
        os.dup2(before, 0)
        for fd in (before, read, write):
            os.close(fd)


def test_a_terminal_that_goes_away_is_no_answer(terminal: Terminal) -> None:
    async def hang_up() -> str | None:
        one, other = pty.openpty()
        name = os.ttyname(other)
        person = TerminalPerson(terminal=name)
        asking = asyncio.create_task(person.answer(Question(1, PLAIN, FixedClock()())))
        await asyncio.to_thread(os.read, one, 4_096)
        os.close(other)
        os.close(one)
        return await asking

    assert asyncio.run(hang_up()) is None
    assert terminal.name


BACKGROUND = """
import asyncio, os, pty
from outlast.agent.people.terminal import TerminalPerson
from outlast.model.model import Question
from outlast.testing import FixedClock
child, master = pty.fork()
if child == 0:
    asking = os.fork()
    if asking == 0:
        os.setpgid(0, 0)
        answer = asyncio.run(TerminalPerson().answer(Question(1, "?", FixedClock()())))
        os._exit(7 if answer is None else 8)
    _, status = os.waitpid(asking, os.WUNTRACED)
    os._exit(9 if os.WIFSTOPPED(status) else os.waitstatus_to_exitcode(status))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_in_the_background_no_question_is_asked_and_nothing_stops() -> None:
    ended = subprocess.run(  # noqa: S603 - our own lines
        [sys.executable, "-c", BACKGROUND], capture_output=True, check=True, text=True
    )
    assert ended.stdout.strip() == "7"


def test_asking_can_be_cancelled_and_holds_nothing_up(terminal: Terminal) -> None:
    async def cancelled() -> int:
        person = TerminalPerson(terminal=terminal.name)
        asking = asyncio.create_task(person.answer(Question(1, PLAIN, FixedClock()())))
        await asyncio.to_thread(os.read, terminal.master, 4_096)
        open_before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        return open_before - len(os.listdir("/proc/self/fd"))  # noqa: PTH208

    assert asyncio.run(cancelled()) == 1
    assert terminal.ask(PLAIN, b"red\r")[0] == "red", "the next question is heard"


def ask_drawn(terminal: Terminal, *typed: bytes) -> tuple[str | None, list[str | None], bytes]:
    """Ask with a display that draws; return the answer, what was drawn, and what was echoed."""
    drawn: list[str | None] = []

    async def ask() -> str | None:
        person = TerminalPerson(terminal=terminal.name, draw=lambda _, text: drawn.append(text))
        asking = asyncio.create_task(person.answer(Question(7, PLAIN, FixedClock()())))
        for keys in typed:
            count = len(drawn)
            while len(drawn) == count and not asking.done():
                await asyncio.sleep(0)
                if count == 0 and drawn:
                    break
            os.write(terminal.master, keys)
        return await asking

    answer = asyncio.run(ask())
    os.set_blocking(terminal.master, False)
    try:
        echoed = os.read(terminal.master, 4_096)
    except BlockingIOError:
        echoed = b""
    return answer, drawn, echoed


def test_r1_06_a_display_draws_what_is_typed_key_by_key(terminal: Terminal) -> None:
    before = termios.tcgetattr(terminal.master)
    answer, drawn, echoed = ask_drawn(terminal, b"skip\r")
    assert (answer, drawn[0], drawn[-1], echoed) == ("skip", "", None, b"")
    assert termios.tcgetattr(terminal.master) == before, "as it was"


@pytest.mark.parametrize("typed", [b"\x04", b"\r", b"  \r"])
def test_r1_06_a_drawn_question_can_be_left_open(typed: bytes, terminal: Terminal) -> None:
    assert ask_drawn(terminal, typed)[0] is None


@pytest.mark.parametrize("is_drawn", [True, False])
def test_r1_06_a_question_that_is_withdrawn_leaves_the_terminal_as_it_was(
    terminal: Terminal, *, is_drawn: bool
) -> None:
    before, drawn = termios.tcgetattr(terminal.master), list[str | None]()

    async def withdraw() -> None:
        draw = (lambda _, text: drawn.append(text)) if is_drawn else None
        person = TerminalPerson(terminal=terminal.name, draw=draw)
        asking = asyncio.create_task(person.answer(Question(7, PLAIN, FixedClock()())))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    asyncio.run(withdraw())
    assert termios.tcgetattr(terminal.master) == before
    assert drawn[-1:] == ([None] if is_drawn else [])
    shown = b"\n" if is_drawn else b""
    while not shown.endswith(b"\n"):  # what comes next is a new line
        assert select([terminal.master], [], [], 30)[0], shown
        shown += os.read(terminal.master, 4_096)


def test_r1_12_a_process_that_ends_at_once_gives_the_terminal_back(terminal: Terminal) -> None:
    before = termios.tcgetattr(terminal.master)
    script = (
        "import asyncio, os, sys\n"
        "from outlast.model.model import Question\n"
        "from outlast.testing import FixedClock\n"
        "from outlast.agent.people.terminal import TerminalPerson, restore_terminals\n"
        "def draw(question, typed):\n"
        "    restore_terminals()\n"
        "    os._exit(130)\n"
        "asyncio.run(TerminalPerson('en', draw=draw).answer(Question(7, 'Now?', FixedClock()())))\n"
    )
    fd = os.open(terminal.name, os.O_RDWR | os.O_NOCTTY)
    ended = subprocess.run([sys.executable, "-c", script], stdin=fd, check=False)  # noqa: S603
    os.close(fd)
    assert ended.returncode == 130
    assert termios.tcgetattr(terminal.master) == before
