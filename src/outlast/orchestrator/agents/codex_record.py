"""What Codex records of a session: the commands that its sandbox refused, and the tokens.

The lines that it prints have neither the commands nor the tokens of a turn that was stopped.
"""

from __future__ import annotations

import os
import re
from glob import escape, glob
from typing import Any, Final

from msgspec import DecodeError, Struct
from msgspec.json import decode

from outlast.agent.work import is_session_id
from outlast.orchestrator.agents.answers import sum_counts, text_of
from outlast.system.disk import Disk
from outlast.system.files import read_from

Json = dict[str, Any]
COUNTS: Final = ("input_tokens", "output_tokens")  # the others are parts of these
LONGEST_COMMAND: Final = 200
_LARGEST: Final = 64 << 20  # bytes of one turn that are read
_FAILED: Final = re.compile(r"exited with code [1-9]")
_REFUSED: Final = re.compile("Read-only file system|Operation not permitted|Permission denied")


class Recorded(Struct, frozen=True):
    """The refused commands of a turn, and its tokens."""

    denied: tuple[str, ...] = ()
    tokens: int = 0


class SessionRecord:
    """The record of a session in the directory `sessions` of Codex, from now on."""

    def __init__(self, sessions: str, session: str) -> None:
        """Remember where the record ends before the turn; a new session has none."""
        self._sessions, self._start = sessions, 0
        path = self._find(session)
        if path:
            self._start = os.stat(path, follow_symlinks=False).st_size  # noqa: PTH116 - a text

    def read(self, session: str) -> Recorded:
        """Return what was recorded about a session since; nothing if there is no record."""
        path = self._find(session)
        if not path:
            return Recorded()
        disk = Disk()
        try:
            file = disk.open(path, os.O_RDONLY, 0)
            try:
                data = read_from(disk, file, self._start, _LARGEST)
            finally:
                disk.close(file)
        except OSError:
            return Recorded()
        return _read_lines(data.split(b"\n"))

    def _find(self, session: str) -> str:
        if not is_session_id(session):
            return ""
        name = f"rollout-*-{escape(session)}.jsonl"
        found = glob(os.path.join(escape(self._sessions), "*", "*", "*", name))  # noqa: PTH118, PTH207 - a text
        return found[0] if found else ""


def _read_lines(lines: list[bytes]) -> Recorded:
    commands, denied, tokens = dict[str, str](), list[str](), 0
    for line in lines:
        kind, payload = _entry(line)
        call = text_of(payload.get("call_id"))
        if kind == "token_usage_record":
            tokens += sum_counts(payload.get("usage"), COUNTS)
        elif payload.get("type") == "function_call":
            commands[call] = _command(text_of(payload.get("arguments")))
        elif payload.get("type") == "function_call_output" and call in commands:
            output = text_of(payload.get("output"))
            if _FAILED.search(output) and _REFUSED.search(output):
                denied.append(commands[call])
    return Recorded(tuple(denied), tokens)


def _entry(line: bytes) -> tuple[str, Json]:
    entry = _decode(line)
    payload = entry.get("payload")
    return text_of(entry.get("type")), payload if isinstance(payload, dict) else {}


def _command(arguments: str) -> str:
    given = _decode(arguments.encode(errors="replace"))
    return (text_of(given.get("cmd")) or arguments)[:LONGEST_COMMAND]


def _decode(line: bytes) -> Json:
    try:
        value = decode(line)
    except (DecodeError, RecursionError, UnicodeDecodeError):
        return {}
    return value if isinstance(value, dict) else {}
