"""The journal: a header line, then a line for each commit. What it says has happened.

A commit says in `back` how many bytes before it were not known to be on disk when it was written:
those of its own batch, and those of others who may have died. Of what was never acknowledged a
power cut may keep the end and lose the beginning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from zlib import crc32

from msgspec import DecodeError, Struct
from msgspec.json import Decoder, Encoder
from msgspec.structs import replace

from outlast.domain import commands as c
from outlast.domain import loop_commands as loop
from outlast.domain import note_commands as n
from outlast.domain.changes import Commit
from outlast.domain.commands import CreatePlan, Fence, InitializePlan
from outlast.errors import InvalidArgument, NewerFormat
from outlast.formats.checksum import seal, unseal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outlast.domain.commands import Command

FORMAT: Final = 1
_BAD: Final = (DecodeError, RecursionError)
_ENCODER: Final = Encoder()
_COMMITS: Final = Decoder(Commit)


class Header(Struct, frozen=True, omit_defaults=True, tag="journal", tag_field="outlast"):
    """The first line: which form of journal it is, whose, and whether others may share it."""

    format: int
    key: str
    shared: bool = False


class _Back(Struct):
    back: int = 0


_HEADERS: Final = Decoder(Header)
_BACKS: Final = Decoder(_Back)


def write_header(key: str, *, shared: bool = False) -> bytes:
    """Return the first line of a new journal."""
    return seal(_ENCODER.encode(Header(FORMAT, key, shared)))


def read_header(line: bytes) -> Header | None:
    """Return the header, or None if the line is none; refuse a form that came after this one."""
    body = unseal(line)
    try:
        header = None if body is None else _HEADERS.decode(body)
    except _BAD:
        return None
    if header and header.format > FORMAT:
        raise NewerFormat("newer_format", found=header.format, known=FORMAT)
    return header


def write_commit(commit: Commit, back: int = 0) -> bytes:
    """Return the line of a commit."""
    body = _ENCODER.encode(commit)
    return seal(b'%b,"back":%d}' % (body[:-1], back) if back else body)


def read_commit(line: bytes) -> Commit | None:
    """Return the commit of a line, or None if the line is damaged."""
    body = unseal(line)
    try:
        return None if body is None else _COMMITS.decode(body)
    except _BAD:
        return None


def is_damage(lines: Sequence[tuple[int, bytes]]) -> bool:
    """Tell whether a bad line, the first of these, is more than the torn end of a last write.

    It is if it was written whole, or if a good line was written after it, not together with it.
    """
    bad, first = lines[0]
    return unseal(first) is not None or any(
        begin - _back(body) > bad for begin, line in lines[1:] if (body := unseal(line)) is not None
    )


def _back(body: bytes) -> int:
    try:
        return _BACKS.decode(body).back
    except _BAD:
        return 0


# A digest that was stored has to match later, so these names stay when a class is renamed.
COMMAND_NAMES: Final[dict[type[Command], str]] = {
    c.CreatePlan: "CreatePlan",
    c.InitializePlan: "InitializePlan",
    c.EditPlan: "EditPlan",
    c.AddPhase: "AddPhase",
    c.EditPhase: "EditPhase",
    c.MovePhase: "MovePhase",
    c.RemovePhase: "RemovePhase",
    c.AddTasks: "AddTasks",
    c.EditTask: "EditTask",
    c.MoveTask: "MoveTask",
    c.RemoveTask: "RemoveTask",
    c.Start: "Start",
    c.Complete: "Complete",
    c.Fail: "Fail",
    c.Skip: "Skip",
    c.Reopen: "Reopen",
    c.SetProgress: "SetProgress",
    c.Return: "Return",
    c.Claim: "Claim",
    c.ClaimPlan: "ClaimPlan",
    c.Renew: "Renew",
    c.Release: "Release",
    c.Fence: "Fence",
    c.BeginAttempt: "BeginAttempt",
    c.EndAttempt: "EndAttempt",
    c.Undo: "Undo",
    c.Pause: "Pause",
    c.Resume: "Resume",
    c.Abort: "Abort",
    c.Reset: "Reset",
    c.CountIteration: "CountIteration",
    loop.SetBudget: "SetBudget",
    loop.Charge: "Charge",
    loop.AskQuestion: "AskQuestion",
    loop.AnswerQuestion: "AnswerQuestion",
    loop.Interject: "Interject",
    loop.TakeInterjections: "TakeInterjections",
    loop.NoteLoop: "NoteLoop",
    loop.Strike: "Strike",
    loop.ClearStrikes: "ClearStrikes",
    n.NoteProof: "NoteProof",
    n.Confirm: "Confirm",
    n.MarkPhase: "MarkPhase",
    n.NoteFinding: "NoteFinding",
    n.EditFinding: "EditFinding",
    n.ForgetFinding: "ForgetFinding",
    n.NoteError: "NoteError",
    n.ForgetErrors: "ForgetErrors",
    n.Deliver: "Deliver",
    n.KeepProse: "KeepProse",
}


def digest(commands: Sequence[Command]) -> str:
    """Return a short mark of what was asked for, to tell it from something else.

    The id of a new plan is left out: it is another one each time somebody asks. So are fences:
    who takes work over asks for the same under another token.
    """
    wanted = (command for command in commands if not isinstance(command, Fence))
    asked = [(COMMAND_NAMES[type(command)], _without_id(command)) for command in wanted]
    try:
        return f"{crc32(_ENCODER.encode(asked)):08x}"
    except UnicodeEncodeError as error:
        raise InvalidArgument(
            "lone_surrogate", argument="commands", position=error.start
        ) from error


def _without_id(command: Command) -> Command:
    return replace(command, id="") if isinstance(command, CreatePlan | InitializePlan) else command


def split(data: bytes, begin: int = 0) -> Iterator[tuple[int, bytes]]:
    """Yield the complete lines from a place on, with the offset at which each begins."""
    while (end := data.find(b"\n", begin)) >= 0:
        yield begin, data[begin:end]
        begin = end + 1
