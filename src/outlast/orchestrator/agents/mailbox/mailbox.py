"""The mailbox of a workspace: commands on their way to agents, reports on their way back (R1.04).

`commands/pending` → `commands/claimed` → `commands/processed`; `reports/pending` →
`reports/processed`, or `reports/quarantine` with the reason beside the file. Several orchestrators
may use one mailbox: what may be an answer to somebody else is left where it is.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from outlast.agent.work import Report
from outlast.errors import InvalidDocument, InvalidSetting, StoreError
from outlast.language import explain, text
from outlast.orchestrator.agents.mailbox.folder import Folder
from outlast.orchestrator.agents.mailbox.mailbox_files import (
    CommandFile,
    HeadingLanguage,
    is_command_id,
    parse_report,
    render_command,
)
from outlast.system.disk import describe_error
from outlast.system.logs import LOG

if TYPE_CHECKING:
    from outlast.config.settings import MailboxLayout, MailboxSettings

CommandState = Literal["absent", "pending", "claimed", "processed", "withdrawn"]
COMMANDS: Final = "commands/pending"
REPORTS: Final = "reports/pending"
COMMAND_NAME: Final = "{}.md"
REPORT_NAME: Final = "report-{}.md"
_WITHDRAWN_NAME: Final = "{}.withdrawn.md"
_REASON: Final = ".reason"
_ABOUT: Final = "\nabout: "
_PREFIX: Final = "task-"
_IGNORE: Final = ".gitignore"
_DIRECTORIES: Final[dict[MailboxLayout, str]] = {
    "outlast": f".outlast{os.sep}mailbox",
    "volumes": "volumes",
}
_HEADINGS: Final[dict[MailboxLayout, HeadingLanguage]] = {"outlast": "en", "volumes": "zh"}


class PendingReport(Struct, frozen=True):
    """A report that is there, and what changes while it is still being written.

    `is_closed` tells that nobody is writing it. One that `is_refused` is no plain text file of a
    reasonable size, and will never be one.
    """

    name: str
    report: Report | None
    stamp: tuple[int, int, int] = (0, 0, 0)
    is_closed: bool = False
    is_refused: bool = False
    problem: str = ""


class Mailbox:
    """The directories of a mailbox, created where they are missing.

    Links below `base` are not followed; without a base, none below the mailbox itself.
    """

    def __init__(
        self,
        root: str,
        headings: HeadingLanguage = "en",
        *,
        commands: str = COMMANDS,
        reports: str = REPORTS,
        base: str = "",
    ) -> None:
        """Use a directory; raise `StoreError` if that is impossible."""
        self.root, self.headings = root, headings
        inner = _names_below(base, root)
        start = base if inner else root
        if not inner:
            _create_root(root)
        command_names, report_names = _names(commands), _names(reports)
        self.pending = Folder(start, (*inner, *command_names))
        self.claimed = Folder(start, (*inner, *command_names[:-1], "claimed"))
        self.processed = Folder(start, (*inner, *command_names[:-1], "processed"))
        self.reports = Folder(start, (*inner, *report_names))
        self._accepted = Folder(start, (*inner, *report_names[:-1], "processed"))
        self._quarantine = Folder(start, (*inner, *report_names[:-1], "quarantine"))
        waiting = (self.pending, self.reports, self.claimed, self._quarantine)
        paths = {folder.path for folder in (*waiting, self.processed)}
        if len(paths) <= len(waiting) or self._accepted.path in {f.path for f in waiting}:
            raise InvalidSetting("mailbox_same_directory", commands=commands, reports=reports)
        for folder in (*waiting, self.processed, self._accepted):
            folder.create()
        with suppress(FileExistsError):  # an agent may commit everything that it finds
            Folder(start, inner).write(_IGNORE, "*\n")

    def send(self, command: CommandFile) -> str:
        """Write a command; return its path. Raises `StoreError` if it cannot be written."""
        name = COMMAND_NAME.format(command.id)
        return self.pending.write(name, render_command(command, self.headings))

    def command_state(self, command: str) -> CommandState:
        """Return how far a command has come."""
        name = COMMAND_NAME.format(command)
        places: dict[CommandState, Folder] = {
            "processed": self.processed,
            "claimed": self.claimed,
            "pending": self.pending,
        }
        for state, folder in places.items():
            if folder.has(name):
                return state
        is_withdrawn = self.processed.has(_WITHDRAWN_NAME.format(command))
        return "withdrawn" if is_withdrawn else "absent"

    def give_up(self, command: str, about: str = "") -> bool:
        """Wait no longer for a report; return whether the command could be withdrawn.

        It cannot if somebody has claimed it. A report that comes now is late: the reason is there
        already, with what the command was about.
        """
        reason, of_what = text("report_late", "en"), f"{_ABOUT}{about}" if about else ""
        self._note_reason(REPORT_NAME.format(command), f"{reason}{of_what}")
        withdrawn = _WITHDRAWN_NAME.format(command)
        return self.pending.move(COMMAND_NAME.format(command), self.processed, withdrawn)

    def find_report(self, command: str) -> PendingReport | None:
        """Return the report about a command, if one is there; it may still be incomplete."""
        return _find_report(self.reports, command)

    def find_ended_report(self, command: str) -> PendingReport | None:
        """Return a report that somebody, perhaps we before a crash, has accepted or set aside.

        One that only came late is a report; for any other that was set aside, the problem tells.
        """
        accepted = _find_report(self._accepted, command)
        aside = None if accepted is not None else _find_report(self._quarantine, command)
        if aside is None or aside.report is not None:
            return accepted or aside
        reason = self._read_reason(aside.name).partition(_ABOUT)[0]
        return replace(aside, problem=reason or aside.problem)

    def take_late_reports(self, about: str) -> list[Report]:
        """Return the late reports about the same thing, each only once."""
        late = list[Report]()
        for name in self._quarantine.names():
            noted = self._read_reason(name.removesuffix(_REASON)) if name.endswith(_REASON) else ""
            reason, _, found = noted.partition(_ABOUT)
            command = _command_of(name.removesuffix(_REASON)) if found == about else None
            report = None if command is None else _find_report(self._quarantine, command)
            if report is not None:
                self._quarantine.replace(name, f"{reason.strip()}\n")
                late += [report.report] if report.report is not None else []
        return late

    def accept(self, report: PendingReport) -> None:
        """Move a report away that was taken for the answer; one that cannot be moved is logged."""
        try:
            self.reports.move(report.name, self._accepted)
        except StoreError as error:
            LOG.warning("%s", explain(error, "en"))

    @property
    def quarantine_path(self) -> str:
        """The directory of the reports that were not used."""
        return self._quarantine.path

    def quarantine(self, name: str, reason: str) -> None:
        """Set a report aside that is no answer to anything, with the reason beside it."""
        kept, number = name, 1
        while self._quarantine.has(kept):
            number += 1
            kept = f"{name}.{number}"
        try:
            if self.reports.move(name, self._quarantine, kept):
                self._note_reason(kept, reason)
        except StoreError as error:
            LOG.warning("%s", explain(error, "en"))

    def set_strays_aside(self, expected: frozenset[str]) -> dict[str, str]:
        """Quarantine the reports that answer nothing; return their names with the reasons."""
        own = {name for command in expected for name in _report_names(command)}
        strays = {}
        for name in self.reports.names():
            reason = "" if name in own else self._stray_reason(name)
            if reason:
                strays[name] = text(reason, "en")
                self.quarantine(name, strays[name])
        return strays

    def _stray_reason(self, name: str) -> str:
        """Return why a report answers nothing; empty if it may be one for somebody else."""
        if not (name.startswith("report-") and name.endswith(".md")):
            return ""  # no report: perhaps a temporary file of one
        command = _command_of(name)
        if command is None:
            return "report_foreign"
        if any(self._accepted.has(each) for each in _report_names(command)):
            return "report_duplicate"
        state = self.command_state(command)
        if state == "absent":
            return "report_foreign"
        is_late = state == "withdrawn" or self._quarantine.has(
            f"{REPORT_NAME.format(command)}{_REASON}"
        )
        return "report_late" if is_late else ""

    def _note_reason(self, name: str, reason: str) -> None:
        with suppress(FileExistsError, StoreError):  # the report itself is safe
            self._quarantine.write(f"{name}{_REASON}", f"{reason}\n")

    def _read_reason(self, name: str) -> str:
        with suppress(FileNotFoundError, InvalidDocument):
            return self._quarantine.read(f"{name}{_REASON}").text(name).strip()
        return ""

    def has_report(self, command: str) -> bool:
        """Return whether there is or was a report about a command."""
        folders = (self.reports, self._accepted, self._quarantine)
        return any(folder.has(name) for folder in folders for name in _report_names(command))


def _find_report(folder: Folder, command: str) -> PendingReport | None:
    for name in _report_names(command):
        try:
            content = folder.read(name)
        except FileNotFoundError:
            continue
        except InvalidDocument as error:
            return PendingReport(name, None, is_refused=True, problem=explain(error, "en"))
        about = content.stamp, content.is_closed
        try:
            report = parse_report(content.text(name), name, command)
        except InvalidDocument as error:
            return PendingReport(name, None, *about, problem=explain(error, "en"))
        return PendingReport(name, report, *about)
    return None


def _report_names(command: str) -> tuple[str, ...]:
    """Return the names that a report may have: with and without `task-`."""
    return REPORT_NAME.format(command), REPORT_NAME.format(command.removeprefix(_PREFIX))


def _command_of(name: str) -> str | None:
    """Return the command that a report is about, by its name."""
    word = name.removeprefix("report-").removesuffix(".md")
    command = word if word.startswith(_PREFIX) else f"{_PREFIX}{word}"
    return command if is_command_id(command) else None


def _names(path: str) -> tuple[str, ...]:
    return tuple(path.split("/"))


def _names_below(base: str, root: str) -> tuple[str, ...]:
    """Return the directories from a base down to a directory; none if it is not below it."""
    with suppress(ValueError):
        return Path(root).relative_to(base).parts if base else ()
    return ()


def _create_root(root: str) -> None:
    try:
        os.makedirs(root, mode=0o700, exist_ok=True)  # noqa: PTH103 - a text
    except OSError as error:
        problem = describe_error(error)
        raise StoreError("mailbox_unusable", where=root, problem=problem) from error


def locate_mailbox(settings: MailboxSettings, workspace: str) -> MailboxSettings:
    """Return the settings with the full path of the directory, which need not exist yet."""
    directory = settings.directory or _DIRECTORIES[settings.layout]
    return replace(settings, directory=os.path.abspath(os.path.join(workspace, directory)))  # noqa: PTH100, PTH118 - without the cost of pathlib


def find_owner(directory: str) -> str:
    """Return the workspace whose usual mailbox a directory is; empty if it is none."""
    usual = f"{os.sep}{_DIRECTORIES['outlast']}"
    return directory.removesuffix(usual) or os.sep if directory.endswith(usual) else ""


def open_mailbox(settings: MailboxSettings, workspace: str) -> Mailbox:
    """Open a mailbox that was located; raise `StoreError` if that is impossible.

    In the workspace no links are followed: the project may come from a stranger.
    """
    return Mailbox(
        settings.directory,
        _HEADINGS[settings.layout],
        commands=settings.commands,
        reports=settings.reports,
        base=os.path.abspath(workspace),  # noqa: PTH100 - as above
    )
