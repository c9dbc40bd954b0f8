"""Lines that a person types at a terminal, with completion and the history of earlier chats.

The history is a private file. Each line of it is a JSON string. Several chats at a time append to
it; at the beginning of a chat it is cut to the newest entries.
"""

from __future__ import annotations

import sys
import termios
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from msgspec import DecodeError, json
from prompt_toolkit import PromptSession
from prompt_toolkit.application import in_terminal
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import Condition, has_focus
from prompt_toolkit.history import History
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.utils import is_dumb_terminal

from outlast.assistant.chat.chat import Key, Lines
from outlast.assistant.chat.completion import common_addition, last_word, suggest
from outlast.assistant.slash.parse import narrow_slash
from outlast.errors import OutlastError, StoreError
from outlast.language import Language, text, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from prompt_toolkit.document import Document

    from outlast.assistant.chat.completion import Knowledge, Suggestion
    from outlast.system.state_home import StateHome

_PROMPT: Final = "> "
_MENU_ROWS: Final = 6
_KIND: Final = "chat"
_NAME: Final = "history"
_MOST: Final = 1_000  # entries that are kept
_LONGEST: Final = 4_000  # characters of an entry; a longer one is not kept
_BYTES: Final = 64 << 20


class TerminalLines(Lines):
    """Reads lines at the terminal of this process."""

    is_live = True

    def __init__(
        self,
        language: Language,
        knowledge: Knowledge,
        earlier: Sequence[str],
        keep: Callable[[str], None] | None = None,
        *,
        colours: bool,
    ) -> None:
        """Read in a language; `knowledge` completes slash commands.

        The history begins with `earlier` lines; `keep` is called with each new one.
        """
        self._language: Language = language
        self._before: list[Any] | None = None
        propose = partial(_propose, knowledge)
        self._session: PromptSession[str] = PromptSession(
            history=_KeptHistory(earlier, keep),
            completer=_SlashCompleter(propose),
            complete_while_typing=Condition(self._types_command),
            reserve_space_for_menu=_MENU_ROWS,
            enable_history_search=False,
            key_bindings=_key_bindings(propose),
            color_depth=None if colours else ColorDepth.DEPTH_1_BIT,
            output=_output(),
        )

    async def read(self, *, answering: bool) -> str | Key:
        """Return the next line, or the key that was pressed instead."""
        prompt = text("chat_answer_prompt", self._language) if answering else _PROMPT
        try:
            return await self._session.prompt_async(prompt, handle_sigint=False)
        except KeyboardInterrupt:
            return Key.INTERRUPT
        except (EOFError, OSError, termios.error):  # Ctrl-D, or the terminal is gone
            return Key.END

    async def interleave(self, show: Callable[[], None]) -> None:
        """Show something above the line that is typed now."""
        async with in_terminal():
            show()

    def interrupt(self) -> None:
        """Press Ctrl-C at the prompt; between two prompts there is nothing to interrupt."""
        if self._session.app.is_running:
            self._session.app.key_processor.send_sigint()

    def open(self) -> None:
        """Do not echo keys during a turn: they would be drawn into the progress.

        They belong to the next line.
        """
        with suppress(OSError, termios.error):  # the terminal may be gone
            fd = sys.stdin.fileno()
            quiet = termios.tcgetattr(fd)
            if self._before is None:
                self._before = [*quiet]
            quiet[3] &= ~(termios.ECHO | termios.ICANON)
            termios.tcsetattr(fd, termios.TCSADRAIN, quiet)

    def close(self) -> None:
        """Give the terminal the settings that it had before the chat."""
        before, self._before = self._before, None
        if before is not None:
            with suppress(OSError, termios.error):  # the terminal may be gone
                termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, before)

    def discard_typed(self) -> None:
        """Drop the keys that were pressed and not read."""
        with suppress(OSError, termios.error):
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)

    def _types_command(self) -> bool:
        return narrow_slash(self._session.default_buffer.text).startswith("/")


def _output() -> Vt100_Output | None:
    """Return the terminal; it is not asked for the cursor's position, which some never answer.

    For one that can only print, the editor finds a way of its own.
    """
    if is_dumb_terminal():
        return None
    output = Vt100_Output.from_pty(sys.stdout)
    output.enable_cpr = False
    return output


def _key_bindings(propose: Callable[[str], list[Suggestion]]) -> KeyBindings:
    """Bind Ctrl-C, which drops the line or is a key of its own, and Tab, which completes it."""
    bindings = KeyBindings()

    @bindings.add("c-c", filter=has_focus(DEFAULT_BUFFER))
    @bindings.add("<sigint>")
    def _interrupt(event: KeyPressEvent) -> None:
        buffer = event.app.current_buffer
        if buffer.text:
            buffer.reset()
        else:
            event.app.exit(exception=KeyboardInterrupt())

    @bindings.add("tab", filter=has_focus(DEFAULT_BUFFER))
    def _complete(event: KeyPressEvent) -> None:
        buffer = event.app.current_buffer
        line = buffer.document.text_before_cursor
        addition = common_addition(line, propose(line))
        if addition:
            buffer.insert_text(addition)
        elif buffer.complete_state:
            buffer.complete_next()
        else:
            buffer.start_completion()

    return bindings


class _KeptHistory(History):
    """The history of the chats of this user; a line that cannot be kept is forgotten at the end."""

    def __init__(self, earlier: Sequence[str], keep: Callable[[str], None] | None) -> None:
        super().__init__()
        self._earlier, self._keep = earlier, keep

    def load_history_strings(self) -> Iterable[str]:
        """Return the lines of earlier chats, newest first."""
        return reversed(self._earlier)

    def store_string(self, string: str) -> None:
        """Keep a line."""
        if self._keep is not None:
            with suppress(StoreError):  # such as a full disk
                self._keep(string)


class _SlashCompleter(Completer):
    """Shows what a slash command may go on with."""

    def __init__(self, propose: Callable[[str], list[Suggestion]]) -> None:
        self._propose = propose

    def get_completions(
        self,
        document: Document,
        complete_event: CompleteEvent,  # noqa: ARG002 - of the base class
    ) -> Iterable[Completion]:
        """Return the proposals for the word before the cursor."""
        line = document.text_before_cursor
        begun = len(last_word(line))
        for each in self._propose(line):
            yield Completion(each.word, -begun, display_meta=visible(each.note))


def _propose(knowledge: Knowledge, line: str) -> list[Suggestion]:
    """Return what a line may go on with; nothing if that cannot be looked up."""
    try:
        return suggest(line, knowledge)
    except OutlastError:  # the command itself will report it
        return []


class TypedLines:
    """The lines of all chats of a user, oldest first."""

    def __init__(self, home: StateHome) -> None:
        """Keep them in the user's state directory."""
        self._home = home

    def load(self) -> list[str]:
        """Return the newest lines; raise `StoreError` if they cannot be read."""
        lines = self._read()
        if len(lines) > 2 * _MOST:
            with self._home.lock(_KIND):  # another chat may have added a line
                lines = self._read()[-_MOST:]
                self._home.write_value(_KIND, _NAME, "".join(map(_encode, lines)))
        return lines[-_MOST:]

    def add(self, line: str) -> None:
        """Append a line; raise `StoreError` if that fails."""
        if len(line) <= _LONGEST:
            with self._home.lock(_KIND):
                self._home.append_value(_KIND, _NAME, _encode(line))

    def _read(self) -> list[str]:
        data = self._home.read_private(_KIND, _NAME, _BYTES)
        return [line for raw in data.splitlines() if (line := _decode(raw))]


def _encode(line: str) -> str:
    return json.encode(line.encode(errors="replace").decode()).decode() + "\n"


def _decode(raw: bytes) -> str:
    try:
        return json.decode(raw, type=str)
    except DecodeError:  # written by a process that was killed
        return ""
