"""The hooks that are installed, and their commands."""

import shlex

import pytest

from outlast.hosts.settings.hook_table import hook_command, hook_entries, status_line_command
from outlast.hosts.wire.events import HOST_NAMES, HostName
from outlast.hosts.wire.payload import TOOL_NAMES, host_tools
from outlast.hosts.wire.reply import EVENT_NAMES


@pytest.mark.parametrize("host", HOST_NAMES)
def test_r4_04_every_event_of_an_agent_has_its_hook(host: HostName) -> None:
    entries = hook_entries(host)
    assert {entry.moment for entry in entries} == set(EVENT_NAMES[host])
    assert all(EVENT_NAMES[host][entry.moment] == entry.event for entry in entries)
    kinds = [entry.kind for entry in entries if entry.moment == "post-tool"]
    assert kinds == (["work", "plan"] if host == "codex" else ["view", "work", "plan"])


@pytest.mark.parametrize("host", HOST_NAMES)
def test_r4_05_tools_are_matched_by_the_agents_names(host: HostName) -> None:
    entries = [
        each for each in hook_entries(host) if each.moment == "pre-tool" or each.kind == "work"
    ]
    assert {entry.moment for entry in entries} == {"pre-tool", "post-tool"}
    for entry in entries:
        critical = {"bash", "write_file", "edit_file"}
        assert {TOOL_NAMES[host][tool] for tool in entry.matcher.split("|")} == critical & set(
            TOOL_NAMES[host].values()
        )
    assert host_tools(host, ("no_tool",)) == ()


@pytest.mark.parametrize("host", HOST_NAMES)
def test_x2_a_hook_that_may_run_checks_has_time_for_them(host: HostName) -> None:
    entries = hook_entries(host)
    assert {entry.seconds for entry in entries} == {10, 600}
    for entry in entries:
        may_check = entry.moment in ("session-start", "prompt", "pre-tool", "stop")
        assert entry.seconds == (600 if may_check or entry.kind == "plan" else 10)


def test_a10_a_command_has_absolute_paths_and_is_quoted() -> None:
    (entry, *_) = (entry for entry in hook_entries("claude-code") if entry.kind == "view")
    command = hook_command("claude-code", entry, "/a b/it's.sh", "/v/bin/python")
    words = shlex.split(command)
    assert words[:5] == ["[", "!", "-f", "/a b/it's.sh", "]"]
    expected = ["post-tool", "claude-code", "/v/bin/python", "view"]
    assert words[6:] == ["exec", "/bin/sh", "/a b/it's.sh", *expected]
    words = shlex.split(status_line_command("/x/hook.sh", "/p"))
    assert words[-4:] == ["/x/hook.sh", "status-line", "claude-code", "/p"]
