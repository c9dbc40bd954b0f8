"""The least that is needed to call the tools of an MCP server over its standard streams."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_TICKS: Final = os.sysconf("SC_CLK_TCK")
_USER_AND_SYSTEM: Final = slice(
    11, 15
)  # in /proc/<id>/stat, behind the name: also of dead children


class PeerFailed(Exception):
    """A call that was not answered as it should be."""

    def __init__(self, asked: str, answer: str) -> None:
        super().__init__(f"{asked}: {answer}")


class McpClient:
    """A running server."""

    def __init__(self, command: Sequence[str], place: Path, environ: Mapping[str, str]) -> None:
        self._server = subprocess.Popen(  # noqa: S603 - a program that the benchmark installed
            command,
            cwd=place,
            env={**os.environ, **environ},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._asked = 0
        about = {"name": "bench", "version": "1"}
        self._ask(
            "initialize", {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": about}
        )
        self._send({"method": "notifications/initialized"})

    def call(self, tool: str, arguments: Mapping[str, object]) -> None:
        """Call a tool; a refusal is an error."""
        answer = self._ask("tools/call", {"name": tool, "arguments": arguments})
        if "error" in answer or answer["result"].get("isError"):
            raise PeerFailed(tool, json.dumps(answer)[:200])

    def cpu(self) -> float:
        """Return the CPU seconds of the server and all it has started."""
        return _cpu(self._server.pid)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for child in _children(self._server.pid):
            os.kill(child, 15)
        self._server.kill()
        self._server.communicate()

    def _ask(self, method: str, params: Mapping[str, object]) -> dict[str, Any]:
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": params})
        assert self._server.stdout  # noqa: S101 - it was asked for
        for line in self._server.stdout:
            said = _read(line)
            if said.get("id") == self._asked and "method" not in said:
                return said
            if "method" in said and "id" in said:
                self._send({"id": said["id"], "result": {"roots": []}})
        raise PeerFailed(method, "the server has ended")

    def _send(self, said: Mapping[str, object]) -> None:
        assert self._server.stdin  # noqa: S101 - it was asked for
        self._server.stdin.write(json.dumps({"jsonrpc": "2.0", **said}).encode() + b"\n")
        self._server.stdin.flush()


def _read(line: bytes) -> dict[str, Any]:
    """Return a message; a server may print other things too."""
    try:
        said = json.loads(line)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _cpu(process: int) -> float:
    text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    own = text.rpartition(")")[2].split()[_USER_AND_SYSTEM]
    return sum(map(int, own)) / _TICKS + sum(map(_cpu, _children(process)))


def _children(process: int) -> list[int]:
    threads = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for one in threads for child in one.read_text(encoding="utf-8").split()]
