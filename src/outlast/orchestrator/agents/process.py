"""Coding agents that are programs: run one, stream what it says, read its last word."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from asyncio import CancelledError, create_task, current_task, get_running_loop
from pathlib import Path
from shutil import which
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, Final, Protocol

from msgspec import DecodeError, Struct
from msgspec.json import decode
from msgspec.structs import replace

from outlast.agent.work import TIMED_OUT, Report, WorkOrder, WorkProgress, WorkResult, is_session_id
from outlast.errors import AgentUnavailable
from outlast.language import Language, clauses, text
from outlast.orchestrator.agents.report_answer import read_answer
from outlast.redact.secrets import redact
from outlast.system.disk import describe_error
from outlast.system.programs import OutputListener, run_program
from outlast.system.threads import call_in_pool

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from outlast.system.processes import ProcessResult

Json = dict[str, Any]
SESSION_UNKNOWN: Final = "SESSION_UNKNOWN"  # the code of an order for a session that is not there
_SETTLE_SECONDS: Final = 300.0
_TAIL_CHARACTERS: Final = 4_000
_PACKAGES: Final = {"claude": "@anthropic-ai/claude-code", "codex": "@openai/codex"}
_NOISE: Final = ("Reading additional input from stdin", "WARNING: proceeding, even though we could")
_MOST_LINES: Final = 100
_SAYS_CHARACTERS: Final = 500
_LONGEST_LINE: Final = 32 << 20
_SHELL: Final = "/bin/sh"
_WITH_INPUT: Final = 'exec "$@" <"$0"'


class Program(Struct, frozen=True):
    """A program to run: its arguments, where, with which environment, and for how long.

    `given` is its standard input: an argument must not be long, and everybody can see it.
    """

    arguments: tuple[str, ...]
    directory: str
    environment: dict[str, str]
    seconds: float
    given: str


class LineReader(Protocol):
    """What an agent makes of the JSON lines of its program.

    `session` is empty until it is known. Once it `is_hopeless` to wait, the program is stopped.
    """

    session: str
    is_hopeless: bool

    def read(self, line: Json) -> str:
        """Take a line; return what a person should see of it."""

    def result(self, tail: str) -> WorkResult:
        """Return what is known at the end; `tail` is what the program said in no such line."""


def find_program(name: str) -> str:
    """Return the path of an agent's program; raise `AgentUnavailable` if it is not installed."""
    path = which(name)
    if path is None:
        how = _PACKAGES.get(name)
        key = "agent_not_installed_how" if how else "agent_not_installed"
        raise AgentUnavailable(key, agent=name, command=f"npm install -g {how}")
    return os.path.abspath(path)  # noqa: PTH100 - no link is resolved


class ProgramAgent(ABC):
    """An agent that is a program, with one session for each task."""

    name: str
    needs_preflight = True
    _guide: str  # the file with the project's guidelines

    def __init__(
        self,
        workspace: str,
        program: str,
        model: str,
        pass_env: Collection[str],
        language: Language,
    ) -> None:
        """Take the directory to work in; the program is looked for on the first use."""
        self._workspace, self._program, self._model = workspace, program, model
        self._pass_env, self._language = pass_env, language

    async def work(self, order: WorkOrder, progress: WorkProgress) -> WorkResult:
        """Let the program carry out an order, in its session or in a new one."""
        prompt = await self._prompt(order)
        session = order.session if is_session_id(order.session) else ""
        result = await self._run(prompt, session, order, progress)
        if not session or result.code != SESSION_UNKNOWN:
            return result
        progress.say(text("session_unknown", self._language, agent=self.name, session=session))
        return await self._run(prompt, "", order, progress)

    async def settle(self, order: str, session: str) -> WorkResult | None:
        """Ask the session what it had done; None if there is no such session."""
        known = session or self._session_of(order)
        if not is_session_id(known):  # the plan may be a stranger's: it must not become an option
            return None
        asked = text("agent_settle_prompt", self._language)
        about = WorkOrder(order, 0, "", permissions="read", timeout=_SETTLE_SECONDS)
        result = await self._run(asked, known, about, WorkProgress())
        return None if result.report is None else result

    def _session_of(self, order: str) -> str:
        """Return the session that an order began, if its id tells."""
        del order
        return ""

    async def _prompt(self, order: WorkOrder) -> str:
        """Return the prompt of an order, with a pointer to the project's guidelines if it has any.

        An agent that does not use the settings of a project does not read them by itself, either.
        """
        guide = Path(self._workspace, self._guide)
        has_guide = await call_in_pool(guide.is_file)
        told = text("order_guide", self._language, file=self._guide) if has_guide else ""
        return "\n\n".join(filter(None, (order.prompt(self._language), told)))

    @abstractmethod
    async def _run(
        self, prompt: str, session: str, order: WorkOrder, progress: WorkProgress
    ) -> WorkResult:
        """Run the program with a prompt, in a session or in a new one, as an order permits."""


async def run_lines(
    program: Program, reader: LineReader, progress: WorkProgress, language: Language
) -> WorkResult:
    """Run a program that prints JSON lines; nothing of it is left when this returns."""
    output = _Output(reader, progress)
    running = create_task(_run(program, output.take))
    output.on_hopeless = running.cancel
    try:
        ended = await running
    except CancelledError:
        task = current_task()
        is_hopeless = reader.is_hopeless and task is not None and not task.cancelling()
        output.end()
        result = reader.result("")
        if is_hopeless or result.report is not None:  # it had reported before it was stopped
            return result
        raise
    except (OSError, ValueError) as error:
        return WorkResult(error=describe_error(error))
    tail = output.end()
    result = replace(reader.result(tail), exit_code=ended.code, tail=tail)
    if result.report is not None:
        return replace(result, error="", code="")
    return _fail(result, ended, program.seconds, language)


def _fail(
    result: WorkResult, ended: ProcessResult, seconds: float, language: Language
) -> WorkResult:
    """Return the result of a program that has not reported, with how it ended."""
    if ended.how == "exit":
        says = result.error or result.tail
        return replace(result, error=_describe_end(ended.code, says, language))
    problem = text("agent_too_slow", language, seconds=f"{seconds:g}")
    problem = clauses(filter(None, (problem, result.error)), language)
    return replace(result, error=problem, code=TIMED_OUT)


async def _run(program: Program, take: Callable[[bytes], object]) -> ProcessResult:
    with TemporaryFile() as given:
        given.write(program.given.encode(errors="replace"))
        given.flush()
        return await run_program(
            (_SHELL, "-c", _WITH_INPUT, f"/dev/fd/{given.fileno()}", *program.arguments),
            program.directory,
            program.seconds,
            keep=(given.fileno(),),
            environment=program.environment,
            on_output=take,
        )


def _describe_end(code: int, says: str, language: Language) -> str:
    """Return how a program ended that has not reported."""
    if code < 0:
        return text("agent_killed", language, signal=-code)
    key = "agent_no_report" if says else "agent_silent"
    return text(key, language, code=code, says=says[-_SAYS_CHARACTERS:])


class _Output:
    """What a program prints, in the thread that waits for it; who listens is in the event loop."""

    def __init__(self, reader: LineReader, progress: WorkProgress) -> None:
        self._reader, self._progress, self._loop = reader, progress, get_running_loop()
        self._listener = OutputListener(progress.say)
        self._lines, self._others, self._is_stopped = _Lines(), list[str](), False
        self.on_hopeless: Callable[[], object] = bool

    def take(self, piece: bytes) -> None:
        """Take a piece of output; tell what it says."""
        for line in self._lines.add(piece):
            before = self._reader.session
            shown = self._read(line)
            if self._reader.session != before:
                self._loop.call_soon_threadsafe(self._progress.began, self._reader.session)
            if shown:
                self._listener.say(shown)
            if self._reader.is_hopeless and not self._is_stopped:
                self._is_stopped = True  # once: the end of the program is waited for
                self._loop.call_soon_threadsafe(self.on_hopeless)

    def end(self) -> str:
        """Take what stands after the last line end; return the end of what was no JSON."""
        for line in self._lines.rest():
            self._read(line)
        return redact("\n".join(self._others))[-_TAIL_CHARACTERS:].strip()

    def _read(self, line: bytes) -> str:
        """Pass a JSON line to the reader; keep any other one."""
        data = decode_json(line)
        if isinstance(data, dict):
            return self._reader.read(data)
        words = line.decode(errors="replace").strip()
        if words and not words.startswith(_NOISE):
            self._others.append(words)
            del self._others[:-_MOST_LINES]
        return ""


class _Lines:
    """Splits output into lines as it comes; a line that is too long is dropped."""

    def __init__(self) -> None:
        self._open = b""

    def add(self, piece: bytes) -> list[bytes]:
        """Return the lines that a piece completes."""
        *lines, self._open = (self._open + piece).split(b"\n")
        if len(self._open) > _LONGEST_LINE:
            self._open = b""
        return lines

    def rest(self) -> list[bytes]:
        """Return what stands after the last line end."""
        rest, self._open = self._open, b""
        return [rest] if rest.strip() else []


def decode_json(line: str | bytes) -> object:
    """Return the value that a line is as JSON; None if it is none."""
    try:
        return decode(line)
    except (DecodeError, RecursionError, UnicodeError):
        return None


def text_of(value: object) -> str:
    """Return a value that should be a text; anything else is an empty one."""
    return value if isinstance(value, str) else ""


def sum_counts(usage: object, names: tuple[str, ...]) -> int:
    """Return the sum of some numbers of tokens; what is no such number does not count."""
    if not isinstance(usage, dict):
        return 0
    return sum(value for name in names if type(value := usage.get(name)) is int and value > 0)


def read_report(value: object, session: str) -> Report | None:
    """Return the report in an answer that follows `REPORT_SCHEMA`; None if it does not."""
    answer = read_answer(value).value
    return None if answer is None else answer.report(session)
