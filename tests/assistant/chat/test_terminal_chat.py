"""`outlast chat` at a terminal, used as a person would."""

import asyncio
import os
import pty
import signal
import subprocess
import sys
import termios
import time
from datetime import UTC, datetime
from pathlib import Path
from stat import S_IMODE
from threading import Event
from typing import Any

import pytest

from outlast.assistant.assistant import Assistant
from outlast.context.chat_model import Reply
from outlast.language import Language, text
from outlast.testing import ModelServer
from tests.assistant.chat.party import ANSWER, GOAL, QUESTION, RESULT, party_script
from tests.cli.agent_scripts import isolated_environment, isolated_home
from tests.cli.terminals import HANG, Terminal, read_before
from tests.fake_model import FakeModel, ModelRequest

EDITING = "\x1b[?2004h"  # the line editor is there
ENTER, CTRL_C, CTRL_D, TAB, UP = "\r", "\x03", "\x04", "\t", "\x1b[A"
ADDED = {"en": "Added todo 1: ", "zh": "已添加待办 1："}
LISTED = {"en": "ID  State  ", "zh": "编号  状态  "}
WAITS = {"en": "1 question is open, for the task: ", "zh": "有 1 个问题等待回答，任务："}


@pytest.fixture
def here(tmp_path: Path) -> Path:
    place = tmp_path / "here"
    place.mkdir()
    return place


def chat(here: Path, *arguments: str, **variables: Any) -> Terminal:
    """Start a chat and wait for its prompt."""
    terminal = Terminal(here, "chat", *arguments, **variables)
    terminal.until(EDITING)
    return terminal


def say(terminal: Terminal, line: str, until: str) -> None:
    """Type a line and read until something is shown, and then the next prompt."""
    terminal.shown = ""
    terminal.type(line + ENTER)
    terminal.until(until)
    terminal.shown = terminal.shown.rpartition(until)[2]
    terminal.until(EDITING)


def press_until_end(terminal: Terminal) -> int:
    """Press Ctrl-C until the chat has ended, however slow the machine; return the exit code."""
    while terminal.process.poll() is None:
        terminal.type(CTRL_C)
        time.sleep(0.1)
    return terminal.end()


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
def test_r3_08_a_person_uses_the_chat_and_comes_back_to_an_open_question(
    here: Path, language: Language
) -> None:
    model = party_script(here.parent, language)
    question = text("please_confirm", language, question=QUESTION[language])
    terminal = chat(here, "--model", model, "--lang", language)
    say(terminal, "/todo add 买牛奶", ADDED[language] + "买牛奶")
    say(terminal, GOAL[language], question)
    say(terminal, "/todo list", LISTED[language])
    assert text("chat_answer_prompt", language).strip() in terminal.shown
    say(terminal, ANSWER[language], RESULT[language])
    say(terminal, GOAL[language], question)
    terminal.type(CTRL_D)
    assert terminal.end() == 0
    assert text("chat_question_stays", language) in terminal.shown

    again = chat(here, "--model", model, "--lang", language)
    assert WAITS[language] + GOAL[language] in again.shown
    assert question in again.shown
    say(again, ANSWER[language], RESULT[language])
    again.type(CTRL_D)
    assert again.end() == 0
    assert text("chat_question_stays", language) not in again.shown


@pytest.mark.slow
def test_r3_10_the_line_editor_completes_commands_and_remembers_lines(here: Path) -> None:
    terminal = chat(here)
    terminal.type("/")
    terminal.until("/schedule")
    say(terminal, "to" + TAB + "ad" + TAB + "milk --pr" + TAB + "7", "Added todo 1: milk")
    say(terminal, "/todo done" + CTRL_C + "/todo get 1", "Priority")
    terminal.type(CTRL_D)
    assert terminal.end() == 0
    assert "Ctrl-D leaves; so does" not in terminal.shown

    again = chat(here)
    say(again, UP + UP, "Added todo 2: milk")
    again.type(CTRL_C)
    again.until("Ctrl-D leaves; so does Ctrl-C, pressed again.")
    assert press_until_end(again) == 130
    history = Path(isolated_home(here)["XDG_STATE_HOME"]) / "outlast/chat/history"
    assert S_IMODE(history.stat().st_mode) == 0o600
    assert history.read_text().count('"/todo add milk --priority 7"') == 2


@pytest.mark.slow
def test_r3_10_a_reminder_appears_above_the_line_that_is_typed(here: Path) -> None:
    terminal = chat(here)
    terminal.type("half a li")
    terminal.until("half a li")
    terminal.shown = ""
    store = Path(isolated_home(here)["XDG_DATA_HOME"]) / "outlast"
    day = datetime(2020, 1, 1, tzinfo=UTC)
    with Assistant(None, store, zone=UTC, clock=lambda: day) as earlier:
        earlier.handle("/todo add Call Ann --due 2020-01-02 09:00 --remind 2020-01-02 08:00")
    terminal.until("half a li")  # drawn again, below
    assert "Call Ann" in terminal.shown
    terminal.process.send_signal(signal.SIGINT)  # drops the line
    terminal.type("/todo get 1" + ENTER)
    terminal.until("2020-01-02 09:00")
    terminal.type(CTRL_D)
    assert terminal.end() == 0


def test_a_history_that_others_could_write_is_not_used(here: Path) -> None:
    history = Path(isolated_home(here)["XDG_STATE_HOME"]) / "outlast/chat/history"
    history.parent.mkdir(parents=True)
    history.write_text('"echo bad"\n')
    history.parent.chmod(0o777)
    terminal = chat(here)
    assert "What you type is not kept for the next chat: " in terminal.shown
    terminal.type("/exit" + ENTER)
    assert terminal.end() == 0
    assert history.read_text() == '"echo bad"\n'


class SharedTerminal:
    """A chat on a terminal that others can use too, as a shell does."""

    def __init__(self, here: Path, *arguments: str, **variables: str) -> None:
        self.ours, self._its = pty.openpty()
        self.before = self.settings
        self.process = subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, "-m", "outlast", "chat", *arguments],
            cwd=here,
            env=isolated_environment(here, **{"TERM": "xterm", **variables}),
            stdin=self._its,
            stdout=self._its,
            stderr=self._its,
        )

    @property
    def settings(self) -> list[Any]:
        return termios.tcgetattr(self._its)

    @property
    def echoes(self) -> bool:
        return bool(self.settings[3] & termios.ECHO)

    def restore(self) -> None:
        termios.tcsetattr(self._its, termios.TCSANOW, self.before)

    def until(self, text: str) -> None:
        shown = ""
        while text not in shown:
            shown += read_before(time.monotonic() + HANG, self.ours, shown)

    def terminate(self) -> None:
        self.process.terminate()
        assert self.process.wait(timeout=HANG) == 143
        assert self.settings == self.before
        os.close(self._its)
        os.close(self.ours)


def test_a_chat_that_is_terminated_gives_the_terminal_back(here: Path) -> None:
    terminal = SharedTerminal(here)
    terminal.until(EDITING)
    assert terminal.settings != terminal.before
    terminal.terminate()


class HeldModel(FakeModel):
    """A model that thinks until it is released, and then says what no contract allows."""

    def __init__(self) -> None:
        super().__init__(name="held")
        self.released = Event()

    async def reply(self, request: ModelRequest) -> Reply:  # noqa: ARG002 - it never listens
        while not self.released.is_set():  # noqa: ASYNC110 - a test sets it in another thread
            await asyncio.sleep(0.01)
        return Reply("no JSON")


def test_keys_are_not_echoed_into_the_progress_after_ctrl_z(here: Path) -> None:
    model = HeldModel()
    with ModelServer(model) as server:
        terminal = SharedTerminal(here, "--model", "openai:held", **server.environment)
        terminal.until(EDITING)
        os.write(terminal.ours, f"{GOAL['en']}{ENTER}".encode())
        terminal.until(" s  thinking  (Ctrl-C stops)")
        assert not terminal.echoes
        terminal.process.send_signal(signal.SIGSTOP)
        terminal.restore()  # as a shell does
        terminal.process.send_signal(signal.SIGCONT)
        latest = time.monotonic() + HANG
        while terminal.echoes and time.monotonic() < latest:
            time.sleep(0.01)
        assert not terminal.echoes
        terminal.terminate()
        model.released.set()


@pytest.mark.slow
def test_u10_a_person_sees_seconds_types_ahead_and_stops_the_turn_by_ctrl_c(here: Path) -> None:
    thinking, model = " s  thinking  (Ctrl-C stops)", HeldModel()
    with ModelServer(model) as server:
        terminal = chat(here, "--model", "openai:held", **server.environment)
        terminal.type(GOAL["en"] + ENTER)
        terminal.until(thinking)
        terminal.type("/todo add milk" + ENTER)
        model.released.set()
        terminal.until("Added todo 1: milk")
        assert "unavailable" in terminal.shown

        model.released.clear()
        terminal.shown = ""
        terminal.type(GOAL["en"] + ENTER)
        terminal.until(thinking)
        say(terminal, CTRL_C, "Stopped")
        terminal.shown = ""
        terminal.type("continue" + ENTER)
        terminal.until(thinking)
        assert press_until_end(terminal) == 130
        model.released.set()
