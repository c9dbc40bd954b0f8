"""Our entries in the settings of coding agents."""

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.errors import InvalidDocument
from outlast.hosts.settings.entries import JsonSettings, SettingsEntries, TomlSettings
from outlast.hosts.settings.file_kinds import MergedText
from outlast.hosts.settings.hook_table import (
    command_paths,
    hook_entries,
    hook_groups,
    status_line_command,
)
from outlast.hosts.wire.events import HOST_NAMES, HostName
from tests.hosts.settings.test_json_edit import OBJECTS, STYLES, VALUES

SCRIPT = "/opt/my tools/outlast/hosts/hook/hook.sh"
PYTHON = "/opt/py 3/bin/python"
LINE = status_line_command(SCRIPT, PYTHON)
GROUPS = hook_groups("claude-code", SCRIPT, PYTHON)
WANTED = SettingsEntries(GROUPS, LINE, PYTHON)
JSON, TOML = JsonSettings(WANTED), TomlSettings(PYTHON)
EVENTS = st.sampled_from(["Stop", "PreToolUse", "SessionStart", "Other"])
FOREIGN = st.lists(
    st.fixed_dictionaries(
        {
            "hooks": st.lists(
                st.fixed_dictionaries({"type": st.just("command"), "command": st.text()})
            )
        },
        optional={"matcher": st.text(max_size=3)},
    ),
    max_size=2,
)
SETTINGS = st.builds(
    lambda rest, hooks, servers: {**rest, **hooks, **servers},
    OBJECTS,
    st.fixed_dictionaries({}, optional={"hooks": st.dictionaries(EVENTS, FOREIGN, max_size=3)}),
    st.fixed_dictionaries({}, optional={"mcpServers": OBJECTS, "statusLine": VALUES}),
)


@pytest.mark.parametrize("host", HOST_NAMES)
def test_every_hook_is_recognized_as_ours(host: HostName) -> None:
    groups = hook_groups(host, SCRIPT, PYTHON)
    assert len(groups) == len(hook_entries(host))
    assert {command_paths(group.command) for group in groups} == {(SCRIPT, PYTHON)}
    assert command_paths(LINE) == (SCRIPT, PYTHON)
    scale = 1000 if host == "gemini" else 1
    assert [group.timeout for group in groups] == [
        entry.seconds * scale for entry in hook_entries(host)
    ]


@pytest.mark.parametrize(
    "command",
    [
        "",
        "echo 'open",
        "sh hook.sh stop claude-code python",
        f"sh '{SCRIPT}' stop my-agent python",
        f"sh '{SCRIPT}'",
        "sh /other/interfaces/hook/hook.sh stop claude-code python",
    ],
)
def test_a_command_of_others_is_not_ours(command: str) -> None:
    assert command_paths(command) is None


@given(SETTINGS, STYLES, st.sampled_from(["\n", "\r\n"]))
def test_init_keeps_every_other_value_and_removal_is_the_identity(
    settings: dict[str, Any], style: dict[str, Any], newline: str
) -> None:
    before = json.dumps(settings, ensure_ascii=False, **style).replace("\n", newline)
    merged = JSON.merge(before)
    value = json.loads(merged.text)
    for key, kept in settings.items():
        if key not in ("hooks", "mcpServers"):
            assert value[key] == kept
    for event, groups in settings.get("hooks", {}).items():
        assert value["hooks"][event][: len(groups)] == groups
    assert settings.get("mcpServers", {}).items() <= value["mcpServers"].items()
    found = JSON.find(merged.text)
    assert set(found.hooks) == set(GROUPS)
    assert JSON.strip(merged.text, before) == before


def test_entries_are_found_as_they_were_added() -> None:
    merged = JSON.merge("{}")
    assert merged.left_alone == ()
    assert JSON.find(merged.text) == WANTED
    assert JSON.server(merged.text) == PYTHON
    assert JSON.find('{"mcpServers": 3, "hooks": [1]}') == SettingsEntries()
    deep = SettingsEntries(server=PYTHON, servers=("projects", "/a", "mcpServers"))
    text = JsonSettings(deep).merge('{"projects": {}}').text
    assert json.loads(text)["projects"]["/a"]["mcpServers"]["outlast"]["command"] == PYTHON
    assert JsonSettings(deep).find(text) == deep
    assert json.loads(JsonSettings(deep).strip(text, None)) == {}
    assert json.loads(JsonSettings(deep).strip(text, '{"projects": {}}')) == {"projects": {}}


def test_a_server_is_started_for_the_agent_that_it_serves() -> None:
    wanted = SettingsEntries(server=PYTHON, actor="gemini-cli")
    arguments = json.loads(JsonSettings(wanted).merge("").text)["mcpServers"]["outlast"]["args"]
    assert arguments == ["-P", "-m", "outlast", "mcp", "--as", "gemini-cli"]


def test_what_is_not_wanted_is_not_added() -> None:
    only_hooks = SettingsEntries(GROUPS)
    assert JSON.find(JsonSettings(only_hooks).merge("").text) == only_hooks
    assert JsonSettings(SettingsEntries()).merge('{"a": 1}') == MergedText('{"a": 1}')


def test_a_status_line_and_a_server_of_the_user_are_left_alone() -> None:
    before = '{"statusLine": {"command": "mine"}, "mcpServers": {"outlast": {"command": "uvx"}}}'
    merged = JsonSettings(SettingsEntries((), LINE, PYTHON)).merge(before)
    assert merged == MergedText(before, ("statusLine", "mcpServers.outlast"))
    assert JSON.strip(before, None) == before


def test_only_our_command_is_removed_from_a_group_with_others() -> None:
    ours, *_ = GROUPS
    hooks = [{"type": "command", "command": ours.command}, {"type": "command", "command": "x"}]
    text = json.dumps({"hooks": {"Stop": [{"hooks": hooks, "matcher": 3}]}})
    assert JSON.hook_places(text) == [("Stop", 0, 0)]
    assert JSON.find(text).hooks[0].matcher == ""
    left = json.loads(JSON.strip(text, None))
    assert left == {"hooks": {"Stop": [{"hooks": hooks[1:], "matcher": 3}]}}


def test_what_was_empty_before_stays_and_what_was_not_there_goes() -> None:
    for before in ('{"hooks": {}}', '{"hooks": {"Stop": []}}', "{}"):
        text = JSON.merge(before).text
        assert JSON.strip(text, before) == before
        assert json.loads(JSON.strip(text, None)) == {}
    other = JSON.strip(text, '{"hooks": [], "mcpServers": 3}')
    assert json.loads(other) == {"hooks": {}, "mcpServers": {}}


@pytest.mark.parametrize(
    ("text", "key", "expected"),
    [
        ('{"hooks": []}', "hooks", "object"),
        ('{"hooks": {"SessionStart": {}}}', "hooks.SessionStart", "array"),
        ('{"mcpServers": null}', "mcpServers", "object"),
    ],
)
def test_a_value_of_another_type_is_refused(text: str, key: str, expected: str) -> None:
    with pytest.raises(InvalidDocument) as refused:
        JSON.merge(text)
    assert refused.value.details == {"key": key, "expected": expected}


def test_texts_are_compared_by_their_values() -> None:
    assert JSON.is_same('{"a": 1}', '{ "a": 1.0 }')
    assert not JSON.is_same('{"a": 1, "b": 1}', '{"b": 1, "a": 1}')
    assert JSON.is_empty("\ufeff{ }\n")
    assert not JsonSettings(WANTED, comments=True).is_empty("{ // c\n}")
    assert not JSON.is_empty('{"a": 1}')


# --- Codex -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "before",
    [
        "",
        'model = "x"\n',
        'model = "x"\r\n\r\n[mcp_servers.other]\r\ncommand = "y"\r\n',
        '[projects."/a"] # c\ntrust_level = "trusted"\n',
    ],
)
def test_a_server_is_added_to_toml_and_removed(before: str) -> None:
    merged = TomlSettings("/a\x7f\\b").merge(before)
    assert merged.left_alone == ()
    value = tomllib.loads(merged.text)
    assert value["mcp_servers"]["outlast"]["args"] == [
        *("-P", "-m", "outlast", "mcp", "--as", "codex")
    ]
    assert TOML.server(merged.text) == "/a\x7f\\b"
    assert TOML.strip(merged.text, None) == before


def test_a_server_of_the_user_in_toml_is_left_alone() -> None:
    before = '[mcp_servers.outlast]\ncommand = "uvx"\n'
    assert TOML.merge(before) == MergedText(before, ("mcp_servers.outlast",))
    assert TOML.server(before) == ""
    assert TOML.strip(before, None) == before


OURS = TOML.merge("").text
MORE = """
[mcp_servers.mine]
command = "x" # c

# of Codex
[hooks.state."a.b"]
trusted_hash = "h"
"""


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f'model = "x"\n\n{OURS}{MORE}# end', f'model = "x"\n{MORE}# end'),
        (f"{OURS}# mine\n", "# mine\n"),
        (f"{OURS}enabled = false\n", ""),
        (f"{OURS}\n[mcp_servers.outlast.tools.plan]\nmode = 'ask'\n{MORE}", MORE),
        (OURS.replace("outlast]", "'outlast' ] # c").replace("\n", "\r\n"), ""),
        (f"[mcp_servers]\n{OURS}", "[mcp_servers]\n"),
        (f"a = [nan]\n{OURS}", "a = [nan]\n"),
    ],
)
def test_r4_08_only_our_server_is_removed_whatever_codex_wrote_around_it(
    text: str, left: str
) -> None:
    assert TOML.server(text) == PYTHON
    assert TOML.strip(text, None) == left


@pytest.mark.parametrize(
    "text",
    [
        "[mcp_servers]\noutlast = {SERVER}\n",
        "mcp_servers.outlast = {SERVER}\n",
        f"{OURS}notes = '''\n[x]\n'''\n",
        f"notes = '''\n[mcp_servers.outlast]\n'''\n{OURS}",
    ],
)
def test_a_server_that_has_no_table_of_its_own_is_not_removed(text: str) -> None:
    server = f'{{ command = "{PYTHON}", args = ["-P", "-m", "outlast", "mcp"] }}'
    with pytest.raises(InvalidDocument) as refused:
        TOML.strip(text.replace("{SERVER}", server), None)
    assert refused.value.text == "settings_no_table"


OF_USER = """enabled = false # mine
'args' = [ # ours
  "-P", "-m", "outlast", "mcp", "--plan", "x",
]
env_vars = ["MINE", "OUTLAST_OFF"]
command = "/old/python"
tool_timeout_sec = nan

[mcp_servers.outlast.tools.plan_read]
command = "kept"
"""
UPDATED = f"""[mcp_servers.outlast]
command = "{PYTHON}"
args = ["-P", "-m", "outlast", "mcp", "--plan", "x", "--as", "codex"]
env_vars = ["MINE", "OUTLAST_OFF", "CODEX_HOME", "OUTLAST_LANG", "XDG_CONFIG_HOME", \
"XDG_DATA_HOME", "XDG_STATE_HOME"]
enabled = false # mine
tool_timeout_sec = nan

[mcp_servers.outlast.tools.plan_read]
command = "kept"
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_update_keeps_what_the_user_has_set_for_our_server(newline: str) -> None:
    before, after = (
        f"{text}{MORE}".replace("\n", newline)
        for text in (f"[mcp_servers.outlast]\n{OF_USER}", UPDATED)
    )
    merged = TOML.merge(before)
    assert merged == MergedText(after)
    assert TOML.merge(merged.text) == merged


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers.outlast = { command = "x", args = ["-P", "-m", "outlast", "mcp"] }\n',
        f"notes = '''\n{OURS}'''\n[mcp_servers.outlast]\n{OF_USER}",
        OURS.replace("env_vars = [", 'env_vars = [{ name = "x" }, '),
    ],
)
def test_a_server_whose_lines_are_not_clear_is_not_updated(text: str) -> None:
    with pytest.raises(InvalidDocument) as refused:
        TomlSettings("/new/python").merge(text)
    assert refused.value.text == "settings_no_table"


@pytest.mark.parametrize(
    ("text", "line"), [("a = \n", 1), ("\na = [1\n", 3), ("mcp_servers = {}\n", 3)]
)
def test_what_is_no_toml_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(InvalidDocument) as refused:
        TOML.merge(text)
    assert (refused.value.text, refused.value.details["line"]) == ("settings_no_toml", line)


def test_servers_that_are_no_table_are_refused() -> None:
    with pytest.raises(InvalidDocument) as refused:
        TOML.merge("mcp_servers = 3\n")
    assert refused.value.text == "settings_wrong_type"
