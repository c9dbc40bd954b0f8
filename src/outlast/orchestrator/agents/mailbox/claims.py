"""The agent's side of a mailbox: claim commands, and answer them.

Beside a claimed command a note tells that a worker has claimed it, whether its agent has started,
and in which session. The worker holds a lock on it; without the lock, it has died. A claimed
command without a note is that of a program that works in another way, and is left alone.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.agent.work import Report, is_session_id
from outlast.errors import InvalidDocument
from outlast.language import explain
from outlast.orchestrator.agents.mailbox import command_file, report_file
from outlast.orchestrator.agents.mailbox.command_file import CommandFile, is_command_id
from outlast.orchestrator.agents.mailbox.mailbox import COMMAND_NAME, REPORT_NAME

if TYPE_CHECKING:
    from outlast.orchestrator.agents.mailbox.folder import FileContent, Folder
    from outlast.orchestrator.agents.mailbox.mailbox import Mailbox

_NOTE_NAME: Final = "{}.work"
_CLAIMED: Final = "claimed"
_STARTED: Final = "started"


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
        for command in _ids(pending):
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
                _parse(command, content)
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
        for command in _ids(claimed, _NOTE_NAME):
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
            written = report_file.render(report, self._mailbox.headings)
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
            return ClaimedCommand(_parse(command, content), lock)
        except FileNotFoundError:
            os.close(lock)
        except InvalidDocument as error:
            self._refuse(command, explain(error, "en"), claimed)
            os.close(lock)
        return None

    def _refuse(self, command: str, problem: str, folder: Folder) -> None:
        self._write_report(command, Report("FAILED", pitfalls=problem))
        self._end(command, folder)


def _parse(command: str, content: FileContent) -> CommandFile:
    name = COMMAND_NAME.format(command)
    parsed = command_file.parse(content.text(name), name)
    if parsed.id != command:
        raise InvalidDocument("mailbox_field", where=name, field="id", value=parsed.id)
    return parsed


def _ids(folder: Folder, form: str = COMMAND_NAME) -> list[str]:
    """Return the ids of the commands that a directory has files about."""
    end = form.format("")
    ids = (name.removesuffix(end) for name in folder.names() if name.endswith(end))
    return [command for command in ids if is_command_id(command)]
