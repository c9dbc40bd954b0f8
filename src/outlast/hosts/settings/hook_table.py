"""Which hooks a coding agent gets, and the command of each."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.hosts.wire.events import Moment
from outlast.hosts.wire.payload import PLAN_TOOLS
from outlast.hosts.wire.reply import EVENT_NAMES
from outlast.hosts.wire.tool_names import host_tools

if TYPE_CHECKING:
    from outlast.hosts.wire.events import HostName

_CRITICAL: Final = ("bash", "write_file", "edit_file")
_VIEWS: Final = ("read_file", "glob", "grep", "list_directory", "web_fetch")
_SECONDS: Final = 10  # a slow hook is given up by the agent, and the work goes on without it
_CHECK_SECONDS: Final = 600  # where a task starts or is completed, its checks may run
_MAY_CHECK: Final = ("session-start", "prompt", "stop")


class HookEntry(Struct, frozen=True):
    """A hook to install: the agent's event, and the tools that it is for (all if empty).

    `kind` tells the command what those tools do: `view`, `work`, or `plan`.
    """

    event: str
    moment: Moment
    matcher: str = ""
    kind: str = ""
    seconds: int = _SECONDS


def hook_entries(host: HostName) -> tuple[HookEntry, ...]:
    """Return the hooks of an agent, in the order in which its settings get them."""
    entries = []
    for moment, event in EVENT_NAMES[host].items():
        if moment == "pre-tool":
            match = _match(host_tools(host, _CRITICAL))
            entries.append(HookEntry(event, moment, match, seconds=_CHECK_SECONDS))
        elif moment == "post-tool":
            views = host_tools(host, _VIEWS)
            if views:
                entries.append(HookEntry(event, moment, _match(views), "view"))
            entries.append(HookEntry(event, moment, _match(host_tools(host, _CRITICAL)), "work"))
            match = _match(PLAN_TOOLS)
            entries.append(HookEntry(event, moment, match, "plan", _CHECK_SECONDS))
        else:
            seconds = _CHECK_SECONDS if moment in _MAY_CHECK else _SECONDS
            entries.append(HookEntry(event, moment, seconds=seconds))
    return tuple(entries)


def _match(tools: tuple[str, ...]) -> str:
    """Return a pattern for the names of tools."""
    return "|".join(tools)


def hook_command(host: HostName, entry: HookEntry, script: str, python: str) -> str:
    """Return the command of a hook: absolute paths, so that it depends on no environment."""
    return _command(script, entry.moment, host, python, entry.kind)


def status_line_command(script: str, python: str) -> str:
    """Return the command that prints the status line of Claude Code."""
    return _command(script, "status-line", "claude-code", python)


def _command(script: str, *words: str) -> str:
    """Return a command that does nothing once the script is gone: a shell would exit with 2.

    For an agent that is a refusal.
    """
    run = " ".join(quote(word) for word in ("exec", "/bin/sh", script, *words) if word)
    return f"[ ! -f {quote(script)} ] || {run}"
