"""The worker: the other side of a mailbox. It claims commands, drives an agent, and reports.

Any number of workers may serve one mailbox. A command is claimed by one of them; the command of a
worker that died is settled with its agent, never carried out again without a word.

Beside a claimed command a note tells that a worker has claimed it, whether its agent has started,
and in which session. The worker holds a lock on it; without the lock, it has died. A claimed
command without a note is that of a program that works in another way, and is left alone.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from outlast.agent.runtime.guards import is_cancelling
from outlast.agent.work import Report, WorkOrder, WorkProgress, WorkResult, is_session_id
from outlast.errors import InvalidDocument, OutlastError, StoreError
from outlast.language import Language, explain, text
from outlast.orchestrator.agents.mailbox.folder import BRIEF_SECONDS, CompletenessJudge
from outlast.orchestrator.agents.mailbox.mailbox import COMMAND_NAME, REPORT_NAME, Mailbox
from outlast.orchestrator.agents.mailbox.mailbox_files import (
    AUTO,
    CommandFile,
    is_command_id,
    parse_command,
    render_report,
)
from outlast.redact.secrets import redact
from outlast.system.logs import LOG
from outlast.system.threads import call_in_pool, call_to_end
from outlast.system.watch.directory_watch import DirectoryWatch

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.agent.work import Agent, Permissions
    from outlast.orchestrator.agents.mailbox.folder import FileContent, Folder

_NOTE_NAME: Final = "{}.work"
_CLAIMED: Final = "claimed"
_STARTED: Final = "started"
POLL_SECONDS: Final = 5.0
_GRACE_SECONDS: Final = 30.0
_PROBLEM_CHARACTERS: Final = 20_000
_SHOWN_CHARACTERS: Final = 100


class ClaimedCommand(Struct, frozen=True):
    """A command that this process works on; the lock tells others that it is alive."""

    command: CommandFile
    lock: int


class WaitingCommand(Struct, frozen=True):
    """A command that nobody has claimed, and what changes while it is still being written."""

    id: str
    stamp: tuple[int, int, int]
    is_closed: bool
    problem: str = ""


class WorkNote(Struct, frozen=True):
    """What a worker has noted: whether its agent has started, and in which session it works."""

    has_started: bool = True
    session: str = ""


class Claims:
    """Claims the commands of a mailbox for one worker."""

    def __init__(self, mailbox: Mailbox) -> None:
        """Use an open mailbox."""
        self._mailbox = mailbox

    @property
    def directories(self) -> tuple[str, ...]:
        """The directories where a command appears."""
        return (self._mailbox.pending.path,)

    def waiting_commands(self) -> list[WaitingCommand]:
        """Return the commands that nobody has claimed, the oldest first.

        Some may still be incomplete.
        """
        pending, found = self._mailbox.pending, list[WaitingCommand]()
        for command in _command_ids(pending):
            name = COMMAND_NAME.format(command)
            try:
                content = pending.read(name)
            except FileNotFoundError:
                continue
            except InvalidDocument as error:
                self._refuse(command, explain(error, "en"), pending)
                continue
            about = command, content.stamp, content.is_closed
            try:
                _parse_command(command, content)
            except InvalidDocument as error:
                found.append(WaitingCommand(*about, explain(error, "en")))
            else:
                found.append(WaitingCommand(*about))
        return sorted(found, key=lambda each: each.stamp[2])

    def claim(self, command: str) -> ClaimedCommand | None:
        """Claim a command; None if somebody else was quicker, or it is no command.

        It is locked and noted before it is moved, so that there is no moment without an owner.
        """
        mailbox, note = self._mailbox, _NOTE_NAME.format(command)
        lock = self._lock(mailbox.pending, command)
        if lock is None:
            return None
        try:
            mailbox.claimed.replace(note, _CLAIMED)
            if mailbox.pending.move(COMMAND_NAME.format(command), mailbox.claimed):
                return self._read(command, lock)
            mailbox.claimed.remove(note)
        except BaseException:
            os.close(lock)
            raise
        os.close(lock)
        return None

    def take_abandoned(self) -> ClaimedCommand | None:
        """Take over a claimed command whose worker has died, if there is one."""
        claimed, ended = self._mailbox.claimed, self._mailbox.processed
        for command in _command_ids(claimed, _NOTE_NAME):
            if ended.has(COMMAND_NAME.format(command)):  # it died at the very end
                self._end(command, claimed)
                continue
            lock = self._lock(claimed, command)
            taken = None if lock is None else self._read(command, lock)
            if taken is not None:
                return taken
        return None

    def note_work(self, claimed: ClaimedCommand, session: str = "") -> None:
        """Note that the agent starts to work, or in which session it does."""
        known = session if is_session_id(session) else ""
        note = _NOTE_NAME.format(claimed.command.id)
        self._mailbox.claimed.replace(note, f"{_STARTED} {known}".strip())

    def read_note(self, claimed: ClaimedCommand) -> WorkNote:
        """Return what was noted about a command; what is unclear counts as started."""
        name = _NOTE_NAME.format(claimed.command.id)
        try:
            state, _, session = self._mailbox.claimed.read(name).text(name).strip().partition(" ")
        except (FileNotFoundError, InvalidDocument):
            return WorkNote()
        return WorkNote(state != _CLAIMED, session if is_session_id(session) else "")

    def answer(self, claimed: ClaimedCommand, report: Report) -> None:
        """Write the report about a claimed command, then move the command to `processed`.

        A report that is there already, from before a crash, stays.
        """
        self._write_report(claimed.command.id, report)
        self.finish(claimed)

    def finish(self, claimed: ClaimedCommand) -> None:
        """Move a claimed command to `processed`, without a report of ours."""
        self._end(claimed.command.id, self._mailbox.claimed)
        os.close(claimed.lock)

    def _end(self, command: str, folder: Folder) -> None:
        """Move a command to `processed`, and remove what belonged to the work on it."""
        mailbox, note = self._mailbox, _NOTE_NAME.format(command)
        mailbox.pending.remove_leftover(COMMAND_NAME.format(command))
        mailbox.reports.remove_leftover(REPORT_NAME.format(command))
        folder.move(COMMAND_NAME.format(command), mailbox.processed)
        mailbox.claimed.remove(note)
        mailbox.claimed.remove_leftover(note)

    def refuse(self, command: WaitingCommand) -> None:
        """Report that a waiting file is no command, and set it aside."""
        self._refuse(command.id, command.problem, self._mailbox.pending)

    def _write_report(self, command: str, report: Report) -> None:
        if self._mailbox.has_report(command):
            return
        with suppress(FileExistsError):
            written = render_report(report, self._mailbox.headings)
            self._mailbox.reports.write(REPORT_NAME.format(command), written)

    def _lock(self, folder: Folder, command: str) -> int | None:
        """Lock a command; None if it is gone, or somebody else holds the lock."""
        try:
            fd = folder.open_file(COMMAND_NAME.format(command))
        except FileNotFoundError:
            return None
        except InvalidDocument as error:
            self._refuse(command, explain(error, "en"), folder)
            return None
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return None
        return fd

    def _read(self, command: str, lock: int) -> ClaimedCommand | None:
        """Read a claimed command; None if it was finished meanwhile, or is no command."""
        claimed = self._mailbox.claimed
        try:
            content = claimed.read(COMMAND_NAME.format(command))
            return ClaimedCommand(_parse_command(command, content), lock)
        except FileNotFoundError:
            os.close(lock)
        except InvalidDocument as error:
            self._refuse(command, explain(error, "en"), claimed)
            os.close(lock)
        return None

    def _refuse(self, command: str, problem: str, folder: Folder) -> None:
        self._write_report(command, Report("FAILED", pitfalls=problem))
        self._end(command, folder)


def _parse_command(command: str, content: FileContent) -> CommandFile:
    name = COMMAND_NAME.format(command)
    parsed = parse_command(content.text(name), name)
    if parsed.id != command:
        raise InvalidDocument("mailbox_field", where=name, field="id", value=parsed.id)
    return parsed


def _command_ids(folder: Folder, form: str = COMMAND_NAME) -> list[str]:
    """Return the ids of the commands that a directory has files about."""
    end = form.format("")
    ids = (name.removesuffix(end) for name in folder.names() if name.endswith(end))
    return [command for command in ids if is_command_id(command)]


class Worker:
    """Serves a mailbox with one agent, one command after the other."""

    def __init__(  # noqa: PLR0913 - one keyword for each choice
        self,
        mailbox: Mailbox,
        agent: Agent,
        *,
        permissions: Permissions = "edit",
        timeout: float = 600.0,
        poll: float = POLL_SECONDS,
        grace: float = _GRACE_SECONDS,
        language: Language = "en",
        on_text: Callable[[str], object] = lambda _: None,
    ) -> None:
        """Let an agent work for at most `timeout` seconds on each command.

        It ends itself then; one that does not is cancelled after `grace` seconds more.
        """
        self._mailbox, self._agent, self._claims = mailbox, agent, Claims(mailbox)
        self._permissions, self._timeout, self._grace = permissions, timeout, grace
        self._poll, self._judge = poll, CompletenessJudge(poll)
        self._language, self._on_text = language, on_text
        self._is_near, self._count = False, 0

    async def serve(self, *, once: bool = False) -> int:
        """Carry out commands until cancelled, or with `once` until none waits; return how many.

        The end of a session is not counted. A command whose agent has not come to its end then
        stays claimed, as after a crash: the next worker settles it.
        """
        watch = DirectoryWatch(self._claims.directories)
        try:
            while not is_cancelling():
                if await self.work_once():
                    continue
                if once and not await call_in_pool(self._claims.waiting_commands):
                    return self._count
                await watch.wait(BRIEF_SECONDS if self._is_near else self._poll)
        except asyncio.CancelledError:
            pass
        finally:
            watch.close()
        return self._count

    async def work_once(self) -> bool:
        """Carry out one command, or settle one of a dead worker; return whether there was one."""
        abandoned = await call_to_end(self._claims.take_abandoned)
        if abandoned is not None:
            await self._settle(abandoned)
            self._count += 1
            return True
        claimed = await call_to_end(self._claim)
        if claimed is None:
            return False
        if not await self._finish_answered(claimed):
            await self._carry_out(claimed)
        self._count += claimed.command.command_type != "end"
        return True

    def _claim(self) -> ClaimedCommand | None:
        """Claim the oldest command that is complete; report what is none."""
        self._is_near = False
        for command in self._claims.waiting_commands():
            verdict = self._judge.judge(
                command.id, command.stamp, is_closed=command.is_closed, is_valid=not command.problem
            )
            if verdict == "broken":
                LOG.warning("%s", command.problem)
                self._claims.refuse(command)
            claimed = self._claims.claim(command.id) if verdict == "complete" else None
            if claimed is not None:
                self._judge.forget(command.id)
                return claimed
            self._is_near |= verdict == "growing" and command.is_closed and not command.problem
        return None

    async def _carry_out(self, claimed: ClaimedCommand) -> None:
        command = claimed.command
        if command.command_type == "end":
            await self._end_session(command)
            await call_in_pool(partial(self._claims.finish, claimed))
            return
        self._say("worker_begins", command=command.id, about=_first_line(command.description))
        try:
            result = await self._work(claimed)
        except asyncio.CancelledError:
            self._leave(claimed)
            raise
        await self._report(claimed, result)

    def _leave(self, claimed: ClaimedCommand) -> None:
        """Leave a command claimed, without a report, to the next worker."""
        os.close(claimed.lock)
        self._say("worker_leaves", command=claimed.command.id)

    async def _work(self, claimed: ClaimedCommand) -> WorkResult:
        """Let the agent work on a command; whatever it raises, it failed, unless we are stopped."""
        command = claimed.command
        await call_in_pool(partial(self._claims.note_work, claimed, _session_of(command)))

        def note_session(session: str) -> None:
            try:
                self._claims.note_work(claimed, session)
            except StoreError as error:  # the work goes on
                LOG.warning("%s", explain(error, "en"))

        order = WorkOrder(
            command.id,
            0,
            text("worker_task", self._language),
            command.description,
            command.constraints,
            command.expected,
            session=_session_of(command),
            permissions=self._permissions,
            timeout=self._timeout,
        )
        try:
            async with asyncio.timeout(self._timeout + self._grace):
                result = await self._agent.work(order, WorkProgress(self._on_text, note_session))
        except TimeoutError:
            seconds = f"{self._timeout:g}"
            result = WorkResult(error=text("agent_too_slow", self._language, seconds=seconds))
        except Exception as error:  # noqa: BLE001 - an agent may be anybody's
            problem = explain(error, self._language) if isinstance(error, OutlastError) else error
            result = WorkResult(error=f"{problem}")
        if result.report is None and is_cancelling():
            raise asyncio.CancelledError
        return result

    async def _end_session(self, command: CommandFile) -> None:
        try:
            await self._agent.end_session(_session_of(command))
        except Exception:
            LOG.exception("%s failed to end a session", self._agent.name)

    async def _settle(self, claimed: ClaimedCommand) -> None:
        """Finish the command of a dead worker: with its report, or what its agent knows.

        If that is nothing, the sender is told, and decides whether to try again. An agent that
        never started is started now.
        """
        command = claimed.command
        if await self._finish_answered(claimed):
            return
        note = await call_in_pool(partial(self._claims.read_note, claimed))
        if not note.has_started:
            await self._carry_out(claimed)
            return
        try:
            result = await self._agent.settle(command.id, note.session)
        except Exception:
            LOG.exception("%s failed to settle an order", self._agent.name)
            result = None
        if result is None:
            interrupted = text("worker_died", self._language)
            report = Report("PARTIAL_SUCCESS", note.session, pitfalls=interrupted)
            result = WorkResult(report, note.session)
        await self._report(claimed, result)

    async def _finish_answered(self, claimed: ClaimedCommand) -> bool:
        """Finish a command that has a report; return whether it has.

        A worker that died had written it, or somebody who has not claimed the command.
        """
        if not await call_in_pool(partial(self._mailbox.has_report, claimed.command.id)):
            return False
        await call_in_pool(partial(self._claims.finish, claimed))
        return True

    async def _report(self, claimed: ClaimedCommand, result: WorkResult) -> None:
        """Write the report of the agent; without one, that it failed and why.

        On a disk that is full or read-only it waits: the work must not be lost.
        """
        report, told, command = _make_report(result), "", claimed.command.id
        while True:
            try:
                await call_in_pool(partial(self._claims.answer, claimed, report))
            except StoreError as error:
                problem = explain(error, self._language)
                if problem != told and not is_cancelling():
                    told, facts = problem, {"seconds": f"{self._poll:g}", "problem": problem}
                    self._say("worker_waits_for_disk", command=command, **facts)
                await self._pause(claimed)
            else:
                self._say("worker_reported", command=command, status=report.status)
                return

    async def _pause(self, claimed: ClaimedCommand) -> None:
        """Wait for the disk; leave the command if the worker is stopped by then."""
        is_stopped = is_cancelling()  # the agent has swallowed it
        try:
            await asyncio.sleep(0 if is_stopped else self._poll)
        except asyncio.CancelledError:
            is_stopped = True
        if is_stopped:
            self._leave(claimed)
            raise asyncio.CancelledError

    def _say(self, key: str, **facts: str) -> None:
        self._on_text(text(key, self._language, **facts))


def _make_report(result: WorkResult) -> Report:
    report = result.report
    if report is None:
        problem = "\n".join(filter(None, (result.error, result.tail)))
        report = Report("FAILED", pitfalls=problem[-_PROBLEM_CHARACTERS:])
    return replace(
        report,
        results=redact(report.results or report.content),
        pitfalls=redact(report.pitfalls),
        next_steps=redact(report.next_steps),
        session_id=report.session_id or result.session,
        denied=result.denied,
        spent=result.spent,
    )


def _first_line(description: str) -> str:
    return description.strip().partition("\n")[0][:_SHOWN_CHARACTERS]


def _session_of(command: CommandFile) -> str:
    return "" if command.session_id == AUTO else command.session_id
