"""The journal: a header line, then one line for each commit.

`back` of a commit is the number of bytes before it that were not known to be on disk when it was
written: those of its own batch and of other writers that may have died. A power cut may keep the
end of such a span and lose its beginning; nothing in it was acknowledged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, get_args
from zlib import crc32

from msgspec import DecodeError, Struct
from msgspec.json import Decoder, Encoder
from msgspec.structs import replace

from outlast.errors import InvalidArgument, NewerFormat
from outlast.model import commands as c
from outlast.model.changes import Change, Commit
from outlast.model.commands import Command, CreatePlan, Fence, InitializePlan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


_TAIL: Final = len(b',"crc":"00000000"}')
TAIL_BYTES: Final = _TAIL + 1  # at the end of a line, line end included: they identify it
MARK: Final = slice(-11, -3)  # of a line with its line end: the checksum
FORMAT: Final = 1
_DECODE_ERRORS: Final = (DecodeError, RecursionError)
_ENCODER: Final = Encoder()
_COMMITS: Final = Decoder(Commit)


def add_checksum(body: bytes) -> bytes:
    """Return the line of an object: its body with the checksum, and a line end."""
    return b'%b,"crc":"%08x"}\n' % (body[:-1], crc32(body))


def verify_checksum(line: bytes) -> bytes | None:
    """Return the body of a line, or None if the checksum does not match."""
    body = line[:-_TAIL] + b"}"
    return body if line[-_TAIL:] == b',"crc":"%08x"}' % crc32(body) else None


class Header(Struct, frozen=True, omit_defaults=True, tag="journal", tag_field="outlast"):
    """The first line: format, key of the plan, and whether other users may read and write it."""

    format: int
    key: str
    shared: bool = False


class _Back(Struct):
    back: int = 0


class _Tag(Struct):
    type: str


class _TaggedCommit(Struct):
    revision: int
    changes: list[_Tag]


_HEADERS: Final = Decoder(Header)

_BACKS: Final = Decoder(_Back)

_TAGGED: Final = Decoder(_TaggedCommit)


def write_header(key: str, *, shared: bool = False) -> bytes:
    """Return the first line of a new journal."""
    return add_checksum(_ENCODER.encode(Header(FORMAT, key, shared)))


def read_header(line: bytes) -> Header | None:
    """Return the header, or None if the line is not one; raise `NewerFormat` for a later format."""
    body = verify_checksum(line)
    try:
        header = None if body is None else _HEADERS.decode(body)
    except _DECODE_ERRORS:
        return None
    if header and header.format > FORMAT:
        raise NewerFormat("newer_format", found=header.format, known=FORMAT)
    return header


def write_commit(commit: Commit, back: int = 0) -> bytes:
    """Return the line of a commit."""
    body = _ENCODER.encode(commit)
    return add_checksum(b'%b,"back":%d}' % (body[:-1], back) if back else body)


def read_commit(line: bytes) -> Commit | None:
    """Return the commit of a line, or None if the line is damaged.

    Raises `NewerFormat` for a sound line with a kind of change that only a later version knows.
    """
    body = verify_checksum(line)
    try:
        return None if body is None else _COMMITS.decode(body)
    except _DECODE_ERRORS:
        _refuse_newer(line)
        return None


def _refuse_newer(line: bytes) -> None:
    tags = {kind.__struct_config__.tag for kind in get_args(Change)}
    try:
        commit = _TAGGED.decode(line)
    except _DECODE_ERRORS:
        return
    for change in commit.changes:
        if change.type not in tags:
            raise NewerFormat("newer_change", revision=commit.revision, change=change.type)


def mark_of(line: bytes) -> str:
    """Return the checksum at the end of a line, which tells its commit from any other."""
    return (line.rstrip(b"\n") + b"\n")[MARK].decode(errors="replace")


def is_damage(lines: Iterable[tuple[int, bytes]]) -> bool:
    """Return whether a bad line, the first of these, is damage and not the torn end of a write.

    It is damage if its checksum matches, or if a good line was written in a later batch.
    """
    remaining = iter(lines)
    bad, first = next(remaining)
    return verify_checksum(first) is not None or any(
        begin - bytes_back(body) > bad
        for begin, line in remaining
        if (body := verify_checksum(line)) is not None
    )


def bytes_back(body: bytes) -> int:
    """Return how many bytes before a commit were not known to be on disk."""
    try:
        return _BACKS.decode(body).back
    except _DECODE_ERRORS:
        return 0


# Stored digests contain these names, so they stay when a class is renamed.
COMMAND_NAMES: Final[dict[type[Command], str]] = {
    c.CreatePlan: "CreatePlan",
    c.InitializePlan: "InitializePlan",
    c.EditPlan: "EditPlan",
    c.AddPhase: "AddPhase",
    c.EditPhase: "EditPhase",
    c.MovePhase: "MovePhase",
    c.RemovePhase: "RemovePhase",
    c.AddTasks: "AddTasks",
    c.Replan: "Replan",
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
    c.RememberRun: "RememberRun",
    c.NoteReport: "NoteReport",
    c.NoteDecision: "NoteDecision",
    c.NoteSession: "NoteSession",
    c.NoteFootprint: "NoteFootprint",
    c.EndSession: "EndSession",
    c.MoveReplan: "MoveReplan",
    c.RequireApproval: "RequireApproval",
    c.ApprovePlan: "ApprovePlan",
    c.SetBudget: "SetBudget",
    c.Charge: "Charge",
    c.AskQuestion: "AskQuestion",
    c.AnswerQuestion: "AnswerQuestion",
    c.Interject: "Interject",
    c.TakeInterjections: "TakeInterjections",
    c.NoteLoop: "NoteLoop",
    c.Strike: "Strike",
    c.ClearStrikes: "ClearStrikes",
    c.NoteRefusal: "NoteRefusal",
    c.NoteProof: "NoteProof",
    c.Confirm: "Confirm",
    c.MarkPhase: "MarkPhase",
    c.NoteFinding: "NoteFinding",
    c.EditFinding: "EditFinding",
    c.ForgetFinding: "ForgetFinding",
    c.NoteError: "NoteError",
    c.ForgetErrors: "ForgetErrors",
    c.Deliver: "Deliver",
    c.KeepProse: "KeepProse",
}


def digest(commands: Sequence[Command]) -> str:
    """Return a short digest of a request, to detect a key that is reused for another request.

    It leaves out the id of a new plan, which is different in each retry, and fences: another
    worker repeats the same request under another token.
    """
    unfenced = (command for command in commands if not isinstance(command, Fence))
    named = [(COMMAND_NAMES[type(command)], _without_id(command)) for command in unfenced]
    try:
        return f"{crc32(_ENCODER.encode(named)):08x}"
    except UnicodeEncodeError as error:
        raise InvalidArgument(
            "lone_surrogate", argument="commands", position=error.start
        ) from error


def _without_id(command: Command) -> Command:
    return replace(command, id="") if isinstance(command, CreatePlan | InitializePlan) else command


def split_lines(data: bytes, begin: int = 0) -> Iterator[tuple[int, bytes]]:
    """Yield the complete lines from an offset on, each with its own offset."""
    while (end := data.find(b"\n", begin)) >= 0:
        yield begin, data[begin:end]
        begin = end + 1
