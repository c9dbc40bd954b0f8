"""Ask the program of a coding agent for its version, and an MCP server whether it answers."""

from __future__ import annotations

import json
import os
import signal
from contextlib import suppress
from select import select
from subprocess import DEVNULL, PIPE, Popen, SubprocessError, run
from tempfile import TemporaryFile
from time import monotonic
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.system.disk import describe_error

if TYPE_CHECKING:
    from collections.abc import Sequence

_VERSION_SECONDS: Final = 20.0
_PIECE: Final = 1 << 16
_TAIL: Final = 4096
_LAST: Final = 2
# Our server answers the handshake, and lists that are asked for without parameters, even if it
# cannot import the SDK.
_MESSAGES: Final = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "outlast doctor", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": _LAST, "method": "tools/list", "params": {"_meta": {}}},
)


class ServerReply(Struct, frozen=True):
    """How long an MCP server took to list its tools.

    `problem` is the last line that it printed if it has not listed them; "" if it printed nothing.
    """

    seconds: float
    problem: str | None = None


def program_version(program: str) -> str:
    """Return the first line that a program prints as its version; empty if it prints none."""
    try:
        done = run(  # noqa: S603 - the user's own agent, by its path
            [program, "--version"],
            capture_output=True,
            check=False,
            stdin=DEVNULL,
            timeout=_VERSION_SECONDS,
        )
    except (OSError, SubprocessError):
        return ""
    lines = done.stdout.decode(errors="replace").splitlines()
    return lines[0].strip() if lines else ""


def ask_server(command: Sequence[str], cwd: str, patience: float) -> ServerReply:
    """Start an MCP server, ask for its tools, and kill it with all that it has started."""
    began = monotonic()
    with TemporaryFile() as errors:
        try:
            server = Popen(  # noqa: S603 - the command that `init` has written
                command, cwd=cwd, start_new_session=True, stderr=errors, stdin=PIPE, stdout=PIPE
            )
        except OSError as error:
            return ServerReply(0.0, describe_error(error))
        try:
            answered = _list_tools(server, began + patience)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGKILL)
            server.communicate()
        seconds = monotonic() - began
        if answered:
            return ServerReply(seconds)
        errors.seek(max(0, errors.seek(0, os.SEEK_END) - _TAIL))
        said = errors.read().decode(errors="replace").strip().splitlines()
        return ServerReply(seconds, said[-1].strip() if said else "")


def _list_tools(server: Popen[bytes], until: float) -> bool:
    """Return whether the server listed its tools in time."""
    assert server.stdin is not None  # noqa: S101 - they are pipes
    assert server.stdout is not None  # noqa: S101
    with suppress(BrokenPipeError):
        server.stdin.writelines(f"{json.dumps(message)}\n".encode() for message in _MESSAGES)
        server.stdin.flush()
    output = b""
    while (left := until - monotonic()) > 0 and select([server.stdout], [], [], left)[0]:
        piece = os.read(server.stdout.fileno(), _PIECE)
        output += piece
        if not piece:
            return False
        if any(map(_is_answer, output.split(b"\n")[:-1])):
            return True
    return False


def _is_answer(line: bytes) -> bool:
    try:
        message = json.loads(line)
    except ValueError:
        return False
    return isinstance(message, dict) and message.get("id") == _LAST and "result" in message
