"""The chat: read a line, let the assistant work on it, show what it does, until the person leaves.

Ctrl-C stops the turn at work, and pressed twice within two seconds it leaves the chat.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from contextlib import aclosing, suppress
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, BinaryIO, Final, NoReturn

from outlast.agent.events import Replied
from outlast.assistant.chat.display import ChatDisplay, ScreenGone
from outlast.assistant.slash.parse import narrow_slash, split_commands
from outlast.console.stop_signals import stop_signals
from outlast.errors import OutlastError
from outlast.model.intents import is_slash_command
from outlast.system.threads import call_in_thread, call_to_end

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.assistant.assistant import Assistant
    from outlast.assistant.tasks import PendingPlanTask

REMINDER_SECONDS: Final = 5.0  # from one look for reminders to the next
INTERRUPTED: Final = 130  # the exit code after Ctrl-C
_ENDED_BY_SIGNAL: Final = 128  # and the number of the signal
_REFUSED: Final = 1
_TWICE_SECONDS: Final = 2.0
_TICK_SECONDS: Final = 0.25
_LEAVE_COMMANDS: Final = ("/exit", "/quit")
_HELP: Final = "/help"
_LEAVE_WORDS: Final = ("exit", "quit", "退出")
_FAILURES: Final = ("error", "no_model", "unavailable")


class Key(Enum):
    """A key that a person pressed instead of typing a line."""

    INTERRUPT = "Ctrl-C"
    END = "Ctrl-D"


class Lines:
    """Where the lines come from; `is_live` means that a person types them now.

    What has to do with a terminal does nothing unless a subclass has one.
    """

    is_live = False

    async def read(self, *, answering: bool) -> str | Key:
        """Return the next line, or the key that was pressed instead: without lines, their end."""
        del answering
        return Key.END

    async def interleave(self, show: Callable[[], None]) -> None:
        """Show something while a line is typed, above it."""
        show()

    def interrupt(self) -> None:
        """Let the read at work, if there is one, return `Key.INTERRUPT`."""

    def open(self) -> None:
        """Prepare the terminal for a chat, once more after another program has used it."""

    def close(self) -> None:
        """Give the terminal back as it was; the process may end at once."""

    def discard_typed(self) -> None:
        """Drop what was typed before the person could read a question."""


class PipedLines(Lines):
    """Reads one line after the other, each in a thread: the event loop must hear Ctrl-C.

    There is no terminal to prepare, and nobody types ahead.
    """

    is_live = False

    def __init__(self, stream: BinaryIO) -> None:
        """Read from a stream of bytes; what is not UTF-8 in it is replaced."""
        self._stream = stream
        self._is_interrupted = asyncio.Event()

    async def read(self, *, answering: bool) -> str | Key:  # noqa: ARG002 - there is no prompt
        """Return the next line. After Ctrl-C the thread is left to itself: nothing can wake it."""
        reading = asyncio.ensure_future(call_in_thread(self._read_line))
        interrupted = asyncio.ensure_future(self._is_interrupted.wait())
        await asyncio.wait((reading, interrupted), return_when=asyncio.FIRST_COMPLETED)
        if self._is_interrupted.is_set():
            reading.cancel()
            return Key.INTERRUPT
        interrupted.cancel()
        return reading.result().decode("utf-8-sig", errors="replace") or Key.END

    def interrupt(self) -> None:
        """End the chat with the read at work, or with the next one."""
        self._is_interrupted.set()

    def _read_line(self) -> bytes:
        try:
            return self._stream.readline()
        except OSError:  # such as a terminal that was closed
            return b""


class Chat:
    """One chat of a person, or of the lines in a pipe, with the assistant."""

    def __init__(
        self,
        assistant: Assistant,
        lines: Lines,
        display: ChatDisplay,
        *,
        reminder_seconds: float = REMINDER_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take what the chat is made of; `clock` returns seconds.

        A person is shown reminders, which are looked up every `reminder_seconds`; 0 is never.
        """
        self._assistant, self._lines, self._display = assistant, lines, display
        self._reminder_seconds = reminder_seconds if lines.is_live else 0
        self._clock = clock
        self._pressed_at: float | None = None
        self._reminders: tuple[str, ...] = ()
        self._question: tuple[str, str] | None = None  # that the person has read: task and text
        self._is_working = self._is_stopping = self._has_failed = False

    async def run(self) -> int:
        """Talk until the person leaves; return the exit code."""
        loop = asyncio.get_running_loop()
        ends = [number for number in stop_signals() if number is not signal.SIGINT]
        loop.add_signal_handler(signal.SIGINT, self._interrupt)
        for number in ends:
            loop.add_signal_handler(number, self._exit, _ENDED_BY_SIGNAL + number)
        loop.add_signal_handler(signal.SIGCONT, self._resume)
        self._lines.open()
        try:
            return await self._talk()
        except ScreenGone:
            return 0
        finally:
            self._lines.close()
            for handled in (signal.SIGINT, signal.SIGCONT, *ends):
                loop.remove_signal_handler(handled)

    async def _talk(self) -> int:
        if self._lines.is_live:  # who reads a pipe may not be the person who waits for an answer
            await self._greet()
        if not self._reminder_seconds:
            return await self._converse()
        reminding = asyncio.create_task(self._remind())
        try:
            return await self._converse()
        finally:
            reminding.cancel()
            with suppress(asyncio.CancelledError):
                await reminding
            self._show_reminders()

    async def _greet(self) -> None:
        """Show who is there and what waits; without its tasks, the assistant serves commands."""
        partner = self._assistant
        try:
            tasks = await call_to_end(partner.tasks)
            answers = await call_to_end(partner.missed_answers)
        except OutlastError as error:
            self._display.greet(partner.model_name, ())
            self._display.say("chat_tasks_lost", problem=error)
        else:
            self._display.greet(partner.model_name, tasks, answers)

    async def _converse(self) -> int:
        while True:
            typed = await self._read()
            if typed is Key.INTERRUPT:
                if self._press_interrupt() or not self._lines.is_live:
                    return INTERRUPTED
                self._display.say("chat_how_to_leave")
            elif typed is Key.END or await self._is_leaving(typed):
                return await self._leave()
            else:
                for line in split_commands(typed):  # several can be pasted
                    if not await self._use(line):
                        return INTERRUPTED

    async def _read(self) -> str | Key:
        if self._lines.is_live:
            await self._show_new_question()
        return await self._lines.read(answering=self._question is not None)

    async def _remind(self) -> None:
        """Show reminders as they fall due, also during a turn; say once that none can be read."""
        is_lost = False
        while True:
            try:
                await call_to_end(self._collect_reminders)
            except OutlastError as error:
                if not is_lost:
                    say = partial(self._display.say, "chat_reminders_lost", problem=error)
                    await self._lines.interleave(say)
                is_lost = True
            else:
                is_lost = False
            if self._reminders:
                await self._lines.interleave(self._show_reminders)
            await asyncio.sleep(self._reminder_seconds)

    def _collect_reminders(self) -> None:
        """Keep what has fallen due until it is shown: it is given once."""
        self._reminders += self._assistant.reminders()

    def _show_reminders(self) -> None:
        reminders, self._reminders = self._reminders, ()
        self._display.show_reminders(reminders)

    async def _use(self, line: str) -> bool:
        """Work on a line; return whether the chat goes on.

        A question that another chat has led to meanwhile is shown first: the line cannot be meant
        as its answer.
        """
        is_text = self._lines.is_live and not is_slash_command(line)
        if is_text and await self._show_new_question():
            return True
        await self._turn(line)
        return self._lines.is_live or self._pressed_at is None

    async def _show_new_question(self) -> bool:
        """Show the question that waits, unless that was done; return whether it was new."""
        task = await self._waiting_task()
        question = None if task is None else (task.key, task.question_shown)
        before, self._question = self._question, question
        if task is None or question == before:
            return False
        self._display.show_question(task)
        return True

    async def _turn(self, line: str) -> None:
        """Let the assistant work on a line, and show what it does."""
        self._display.begin_turn(line)
        is_asked, self._is_working, self._is_stopping = False, True, False
        self._pressed_at = None
        ticking = asyncio.create_task(self._tick())
        try:
            async with aclosing(self._assistant.stream(line)) as events:
                async for event in events:
                    self._display.show_event(event)
                    if isinstance(event, Replied):
                        is_asked = event.reply.kind == "question"
                        self._has_failed |= event.reply.kind in _FAILURES
        finally:
            ticking.cancel()
            await asyncio.gather(ticking, return_exceptions=True)
            self._is_working = False
        if self._lines.is_live and narrow_slash(line.strip()) == _HELP:
            self._display.say("chat_help_leaving")
        if is_asked and (task := await self._waiting_task()):
            self._question = task.key, task.question_shown
            self._lines.discard_typed()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            self._display.tick()

    def _interrupt(self) -> None:
        """Stop the turn at work; a second Ctrl-C ends the process, as a turn may not stop soon."""
        if not self._is_working:
            self._lines.interrupt()
            return
        if self._press_interrupt() or self._is_stopping:
            self._exit(INTERRUPTED)
        self._is_stopping = True
        self._display.stop_turn()
        self._assistant.cancel()

    def _resume(self) -> None:
        """Take the terminal again after Ctrl-Z in a turn: a shell has had it meanwhile."""
        if self._is_working:
            self._lines.open()

    def _exit(self, code: int) -> NoReturn:
        """End the process at once; what it worked on goes on with the next chat."""
        from outlast.documents.views.synced_views import render_all_at_exit

        self._lines.close()
        render_all_at_exit()
        os._exit(code)

    def _press_interrupt(self) -> bool:
        """Note that Ctrl-C was pressed; return whether that was the second time in a row."""
        before, self._pressed_at = self._pressed_at, self._clock()
        return before is not None and self._pressed_at - before <= _TWICE_SECONDS

    async def _waiting_task(self) -> PendingPlanTask | None:
        """Return the task whose question the next line answers."""
        try:
            task = await call_to_end(self._assistant.pending_task)
        except OutlastError:  # the next turn reports it
            return None
        return task if task is not None and task.state == "waiting" else None

    async def _is_leaving(self, line: str) -> bool:
        word = narrow_slash(line.strip())
        is_word = word in _LEAVE_WORDS and not await self._waiting_task()
        return is_word or word in _LEAVE_COMMANDS

    async def _leave(self) -> int:
        if self._lines.is_live and await self._waiting_task():
            self._display.say("chat_question_stays")
        return _REFUSED if self._has_failed and not self._lines.is_live else 0
