"""Which hooks a coding agent gets, how its settings have them, and the command of each."""

from __future__ import annotations

import re
from shlex import quote, split
from typing import Final

from msgspec import Struct

from outlast.hosts.wire.events import HOST_NAMES, HostName, Json, Moment
from outlast.hosts.wire.payload import PLAN_TOOLS, host_tools
from outlast.hosts.wire.reply import EVENT_NAMES

_CRITICAL: Final = ("bash", "write_file", "edit_file")
_VIEWS: Final = ("read_file", "glob", "grep", "list_directory", "web_fetch")
_SECONDS: Final = 10  # a slow hook is given up by the agent, and the work goes on without it
_CHECK_SECONDS: Final = 600  # where a task starts or is completed, its checks may run
_MILLISECONDS: Final = 1000
_SCRIPT: Final = re.compile(r"/outlast/hosts/hook/hook\.sh$")
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


class HookGroup(Struct, frozen=True):
    """One entry under an event: a matcher for tools, and one command."""

    event: str
    command: str
    matcher: str = ""
    timeout: int = 0

    def to_json(self) -> Json:
        """Return it as settings have it."""
        hook = {"type": "command", "command": self.command, "timeout": self.timeout}
        matcher = {"matcher": self.matcher} if self.matcher else {}
        return {**matcher, "hooks": [hook]}


def hook_groups(host: HostName, script: str, python: str) -> tuple[HookGroup, ...]:
    """Return the hooks of an agent, as its settings have them."""
    unit = _MILLISECONDS if host == "gemini" else 1
    return tuple(
        HookGroup(
            entry.event,
            hook_command(host, entry, script, python),
            entry.matcher,
            entry.seconds * unit,
        )
        for entry in hook_entries(host)
    )


def command_paths(command: str) -> tuple[str, str] | None:
    """Return the script and the Python of a command of ours; None for any other command."""
    try:
        words = split(command)
    except ValueError:
        return None
    for script, _, host, python in zip(words, words[1:], words[2:], words[3:], strict=False):
        if _SCRIPT.search(script) and host in HOST_NAMES:
            return script, python
    return None
