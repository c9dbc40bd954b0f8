"""`init`: what is there stays as it is, and goes as it came."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.processes import outlast
from tests.cli.terminals import Terminal
from tests.hosts.commands.scene import HOSTS, SCOPES, Scene, make_scene

FOREIGN = {
    "hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "mine"}]}],
        "SessionStart": [],
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "look"}]}],
    },
    "model": "opus",
}


def write(text: str | bytes) -> Callable[[Path], object]:
    data = text.encode() if isinstance(text, str) else text

    def make(path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    return make


def link(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    dotfiles = path.parent.parent / "dotfiles"
    dotfiles.mkdir()
    (dotfiles / "mine.json").write_text('{\n  "model": "opus"\n}\n')
    path.symlink_to("../dotfiles/mine.json")


def closed(path: Path) -> None:
    write('{"a": 1}\n')(path)
    path.chmod(0o640)


def absent(_path: Path) -> None:
    """Leave the file out."""


BEFORE = {
    "no file": absent,
    "empty file": write(""),
    "empty object": write("{}"),
    "hooks of others": write(json.dumps(FOREIGN, indent=2) + "\n"),
    "odd indentation": write('{\n\t"model":"opus",\n\t\t "hooks" : {"Stop":[ ]}\n  }'),
    "one line": write(json.dumps(FOREIGN)),
    "CRLF": write(json.dumps(FOREIGN, indent=4).replace("\n", "\r\n")),
    "no last line break": write('{\n  "a": "\u00e9 \u4e2d"\n}'),
    "byte order mark": write('\ufeff{\n  "a": 1\n}\n'),
    "symlink": link,
    "mode": closed,
}


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return make_scene(tmp_path)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("kind", BEFORE)
def test_init_can_be_repeated_and_removed_to_the_byte(
    scene: Scene, kind: str, host: str, scope: str
) -> None:
    file = scene.settings(host, scope)
    BEFORE[kind](file)
    before = scene.snapshot()
    scene.init(host, scope, "--mcp")
    assert "hook.sh stop" in file.read_text("utf-8-sig")
    after = scene.snapshot()
    assert {path for path in before if path not in after} == set()
    printed = scene.init(host, scope, "--mcp")
    assert printed == f"{host}: everything is set up already; nothing was changed.\n"
    assert scene.init(host, scope) == printed, "the server stays"
    assert scene.snapshot() == after
    scene.init(host, scope, "--remove")
    assert scene.snapshot() == before
    assert scene.init(host, scope, "--remove") == (
        f"{host}: Outlast is not set up there; nothing was changed.\n"
    )


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("host", HOSTS)
def test_what_others_wrote_meanwhile_stays(scene: Scene, host: str, scope: str) -> None:
    file = scene.settings(host, scope)
    write(json.dumps(FOREIGN, indent=2))(file)
    scene.init(host, scope)
    value = json.loads(file.read_text())
    value["added"] = True
    value["hooks"]["Other"] = [{"hooks": [{"type": "command", "command": "theirs"}]}]
    file.write_text(json.dumps(value))
    scene.init(host, scope, "--remove")
    expected = {**FOREIGN, "added": True}
    expected["hooks"] = {**FOREIGN["hooks"], "Other": value["hooks"]["Other"]}  # type: ignore[dict-item]
    assert json.loads(file.read_text()) == expected


@pytest.mark.parametrize("host", HOSTS)
def test_a_comment_is_refused_where_the_agent_would_not_read_it(scene: Scene, host: str) -> None:
    file = scene.settings(host, "--user")
    text = '{\n  // my model\n  "model": "opus"\n}\n'
    write(text)(file)
    before = scene.snapshot()
    if host == "gemini":
        scene.init(host)
        assert "// my model" in file.read_text()
        scene.init(host, "--remove")
    else:
        refused = scene.refusal(host, "--yes", code=4)
        assert refused == (
            f"outlast: {file}: line 2: not valid JSON, which must be corrected first; "
            "nothing was changed\n"
        )
    assert scene.snapshot() == before


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": 1,\n}', "line 2: not valid JSON"),
        (b'{"a":\n"\xff"}', "line 2: not UTF-8"),
        ('{"hooks": []}', "hooks should be of type object"),
        ('{"a": 1, "a": 2}', "line 1: the key a occurs twice"),
    ],
)
def test_settings_that_are_broken_are_refused(
    scene: Scene, host: str, scope: str, text: str | bytes, says: str
) -> None:
    file = scene.settings(host, scope)
    write(text)(file)
    before = scene.snapshot()
    refused = scene.refusal(host, scope, "--yes", code=4)
    assert str(file) in refused
    assert says in refused
    assert scene.snapshot() == before


@pytest.mark.parametrize("host", HOSTS)
def test_a_read_only_file_keeps_all_files_as_they_are(scene: Scene, host: str) -> None:
    file = scene.settings(host, "--user")
    write('{"a": 1}')(file)
    file.chmod(0o444)
    before = scene.snapshot()
    refused = scene.refusal(host, "--yes", "--mcp", code=4)
    assert refused == f"outlast: {file} is read-only; nothing was changed\n"
    assert scene.snapshot() == before


def test_f5_nothing_is_half_done_if_the_last_file_cannot_be_written(scene: Scene) -> None:
    (scene.home / ".claude.json").mkdir()
    before = scene.snapshot()
    refused = scene.refusal("claude-code", "--mcp", "--yes", code=4)
    assert ".claude.json" in refused
    assert scene.snapshot() == before
    (scene.home / ".claude" / "commands").write_text("")
    before = scene.snapshot()
    assert "commands" in scene.refusal("claude-code", "--yes", code=4)
    assert scene.snapshot() == before


def test_an_outdated_path_is_replaced_and_stands_once(scene: Scene) -> None:
    file = scene.settings("claude-code", "--user")
    write('{"a": 1}\n')(file)
    scene.init("claude-code", "--mcp")
    new = file.read_text()
    servers = scene.home / ".claude.json"
    file.write_text(new.replace("/outlast/hosts", "/old/outlast/hosts"))
    servers.write_text(servers.read_text().replace("python", "python2"))
    scene.init("claude-code")
    assert file.read_text() == new
    assert "python2" not in servers.read_text(), "a server that is set up is kept up to date"
    scene.init("claude-code", "--remove")
    assert file.read_text() == '{"a": 1}\n'


def test_a_status_line_of_the_user_is_left_alone_and_said(scene: Scene) -> None:
    file = scene.settings("claude-code", "--user")
    write('{"statusLine": {"type": "command", "command": "mine"}}')(file)
    said = scene.init("claude-code")
    assert f"{file}: statusLine is yours and was left alone" in said
    assert json.loads(file.read_text())["statusLine"]["command"] == "mine"
    assert "left alone" in scene.init("claude-code")


def test_a_command_file_of_the_user_is_left_alone(scene: Scene) -> None:
    file = scene.home / ".claude" / "commands" / "outlast.md"
    write("My own\n")(file)
    assert f"{file}: not written by init" in scene.init("claude-code")
    scene.init("claude-code", "--remove")
    assert file.read_text() == "My own\n"


def test_two_setups_in_one_file_do_not_disturb_each_other(scene: Scene) -> None:
    before = scene.snapshot()
    for host in HOSTS:
        for scope in SCOPES:
            scene.init(host, scope, "--mcp")
    for host in HOSTS:
        for scope in SCOPES:
            scene.init(host, scope, "--remove")
    assert scene.snapshot() == before


def test_what_was_stored_may_be_lost(scene: Scene, tmp_path: Path) -> None:
    settings = {**FOREIGN, "hooks": {"Stop": FOREIGN["hooks"]["Stop"]}}  # type: ignore[index]
    for host in HOSTS:
        write(json.dumps(settings, indent=2))(scene.settings(host, "--user"))
    before = scene.snapshot()
    for host in HOSTS:
        scene.init(host, "--mcp")
    subprocess.run(["rm", "-r", tmp_path / "state"], check=True)  # noqa: S603, S607 - our own
    for host in HOSTS:
        scene.init(host, "--remove")
    after = scene.snapshot()
    assert {path: after[path] for path in before} == before
    left = {Path(path).name for path in after.keys() - before.keys() if Path(path).is_file()}
    assert left == {".claude.json", "config.toml"}, "nobody knows who made them"


def test_another_installation_keeps_what_is_set_for_the_server(scene: Scene) -> None:
    config = scene.home / ".codex" / "config.toml"
    config.write_text('model = "x"\n')
    scene.init("codex", "--mcp")
    mine = 'enabled = false\n\n[mcp_servers.outlast.tools.plan_read]\napproval_mode = "x"\n'
    current = f"{config.read_text()}{mine}"
    config.write_text(current.replace(f'"{sys.executable}"', '"/old/bin/python"'))
    scene.init("codex", "--mcp")
    assert config.read_text() == current
    scene.init("codex", "--remove")
    assert config.read_text() == 'model = "x"\n'


def test_new_files_of_a_project_do_not_get_into_git(scene: Scene) -> None:
    subprocess.run(["git", "init", "--quiet", scene.project], check=True)  # noqa: S603, S607
    for host in HOSTS:
        scene.init(host, "--project")
    status = subprocess.run(  # noqa: S603 - the git here
        ["git", "-C", scene.project, "status", "--porcelain"],  # noqa: S607
        check=True,
        capture_output=True,
    )
    assert status.stdout == b""


def test_a_file_that_git_has_gets_no_paths_of_this_machine(scene: Scene) -> None:
    subprocess.run(["git", "init", "--quiet", scene.project], check=True)  # noqa: S603, S607
    write('{"hooks": {}}')(scene.settings("codex", "--project"))
    subprocess.run(["git", "-C", scene.project, "add", "."], check=True)  # noqa: S603, S607
    before = scene.snapshot()
    refused = scene.refusal("codex", "--project", "--yes", code=4)
    assert "outlast init codex --user" in refused
    assert scene.snapshot() == before


def test_variables_say_where_settings_are(scene: Scene, tmp_path: Path) -> None:
    other = tmp_path / "other"
    places = {"CLAUDE_CONFIG_DIR": f"{other}/c", "CODEX_HOME": f"{other}/x"}
    before = scene.snapshot()
    for host in ("claude-code", "codex"):
        done = outlast(
            scene.project, "init", host, "--mcp", "--yes", **{**scene.variables, **places}
        )
        assert (done.returncode, done.stderr) == (0, "")
    assert scene.snapshot() == before
    names = {str(path.relative_to(other)) for path in other.rglob("*") if path.is_file()}
    assert names == {
        "c/settings.json",
        "c/commands/outlast.md",
        "c/.claude.json",
        "x/hooks.json",
        "x/config.toml",
        "x/skills/outlast/SKILL.md",
        "x/skills/outlast/agents/openai.yaml",
    }
    assert {path.stat().st_mode & 0o777 for path in other.rglob("*") if path.is_file()} == {0o600}


@pytest.mark.parametrize("host", [*HOSTS, "agents-md"])
def test_without_a_person_only_the_changes_are_shown(scene: Scene, host: str) -> None:
    before = scene.snapshot()
    done = outlast(scene.project, "init", host, **scene.variables)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("--- /dev/null\n+++ ")
    assert done.stdout.endswith(
        "nothing was changed; to confirm the changes above, a person runs in a terminal: "
        f"outlast init {host}\n"
    )
    shown = scene.init_json(host, code=1)
    assert shown["applied"] is False
    assert {file["change"] for file in shown["files"]} == {"create"}
    assert scene.snapshot() == before


def test_an_agent_may_not_agree_for_the_person(scene: Scene) -> None:
    variables = {**scene.variables, "CLAUDECODE": "1"}
    done = outlast(scene.project, "init", "claude-code", "--yes", **variables)
    assert done.returncode == 1
    assert "outlast init --yes" in done.stderr


def test_a5_the_changes_that_are_shown_have_no_secrets(scene: Scene) -> None:
    key = "sk-ant-api03-" + "a1B2" * 20
    write(json.dumps({"env": {"ANTHROPIC_API_KEY": key}}, indent=2))(
        scene.settings("claude-code", "--user")
    )
    shown = scene.init("claude-code")
    assert key not in shown
    assert '"ANTHROPIC_API_KEY": "[redacted]"' in shown


def test_json_says_what_was_done(scene: Scene) -> None:
    file = scene.settings("claude-code", "--user")
    write('{"statusLine": {}}')(file)
    done = scene.init_json("claude-code", "--yes")
    [settings, command] = done["files"]
    assert (settings["path"], settings["change"]) == (str(file), "update")
    assert Path(settings["backup"]).read_text() == '{"statusLine": {}}'
    assert (command["change"], command["backup"]) == ("create", None)
    assert [done["host"], done["applied"], len(done["left_alone"])] == ["claude-code", True, 1]


# --- which agent -----------------------------------------------------------------------------


def test_without_a_person_the_agents_that_are_there_are_listed(scene: Scene) -> None:
    assert scene.refusal(code=2) == (
        "outlast: Found claude-code, codex, gemini; choose one: "
        "outlast init claude-code, outlast init codex, outlast init gemini\n"
    )


def test_a_program_on_the_path_counts_as_installed(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "home", tmp_path)
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "codex").write_text("#!/bin/sh\n")
    (programs / "codex").chmod(0o755)
    only = {**scene.variables, "PATH": str(programs)}
    done = outlast(tmp_path, "init", **only)
    assert done.stderr == "outlast: Found codex; choose one: outlast init codex\n"
    (programs / "codex").unlink()
    assert "No coding agent was found here" in outlast(tmp_path, "init", **only).stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["cursor"], "cursor is not an agent that can be set up; available: claude-code, codex"),
        (["codex", "--user", "--project"], "use only one of --user, --project and --plugin"),
        (["codex", "--plugin", "x"], "outlast init claude-code --plugin DIR"),
        (["agents-md", "--mcp"], "agents-md takes no --user, --project, --mcp or --plugin"),
        (["agents-md", "--user"], "agents-md takes no --user, "),
        (["agents-md", "--project"], "agents-md takes no --user, "),
        (["agents-md", "--plugin", "x"], "agents-md takes no --user, "),
    ],
)
def test_a_wrong_call_is_refused(scene: Scene, arguments: list[str], says: str) -> None:
    assert says in scene.refusal(*arguments, code=2)


@pytest.mark.parametrize("answer", ["y", "n", ""])
def test_a_person_is_asked_which_agent_and_whether_to_change(scene: Scene, answer: str) -> None:
    agreed = answer == "y"
    (scene.home / ".gemini").rmdir()
    before = scene.snapshot()
    terminal = Terminal(scene.project, "init", HOME=str(scene.home), PATH=os.defpath)
    terminal.until("Which one do you want to set up? claude-code, codex: ")
    terminal.type("cl\n")
    terminal.until("Change 2 files? [y/N] ")
    for name in ("settings.json", "commands/outlast.md"):  # the diff may have left the screen
        assert f"Will create: {scene.home}/.claude/{name}" in terminal.shown
    terminal.type(f"{answer}\n")
    assert terminal.end() == 0
    assert ("Wrote " in terminal.shown) is agreed
    undo = "To remove it: outlast init claude-code --remove"
    assert (undo in terminal.shown.splitlines()) is agreed, "to be copied as it is"
    assert ("Nothing was changed." in terminal.shown) is not agreed
    assert (scene.snapshot() == before) is not agreed


# --- agents without hooks, and the plugin ----------------------------------------------------


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("names", [(), ("CLAUDE.md",), ("AGENTS.md", "CLAUDE.md")])
def test_lines_for_agents_without_hooks_come_and_go(
    scene: Scene, names: tuple[str, ...], lang: str
) -> None:
    for name in names:
        (scene.project / name).write_text("# Rules\n\nBe kind.")
    before = scene.snapshot()
    scene.init("agents-md", "--lang", lang)
    file = scene.project / (names or ("AGENTS.md",))[0]
    assert "`outlast done N" in file.read_text()
    assert "nothing was changed" in scene.init("agents-md"), "the other language is as good"
    scene.init("agents-md", "--remove")
    assert scene.snapshot() == before


def test_a_plugin_comes_and_goes(scene: Scene) -> None:
    before = scene.snapshot()
    said = scene.init("claude-code", "--plugin", "plugin", "--mcp")
    assert "claude --plugin-dir plugin" in said
    names = {path.name for path in (scene.project / "plugin").rglob("*") if path.is_file()}
    assert names == {"plugin.json", "hooks.json", "outlast.md", ".mcp.json"}
    hooks = json.loads((scene.project / "plugin" / "hooks" / "hooks.json").read_text())
    assert len(hooks["hooks"]["PostToolUse"]) == 3
    assert "nothing was changed" in scene.init("claude-code", "--plugin", "plugin")
    scene.init("claude-code", "--plugin", "plugin", "--remove")
    assert scene.snapshot() == before


def test_a_plugin_does_not_mix_with_other_files(scene: Scene) -> None:
    (scene.project / "src").mkdir()
    (scene.project / "src" / "main.py").touch()
    refused = scene.refusal("claude-code", "--plugin", "src", "--yes", code=4)
    assert "src is not empty and has no plugin of Outlast" in refused


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("agents-md",), "AGENTS.md"),
        (("codex", "--project"), ".codex/hooks.json"),
        (("claude-code", "--project"), ".claude/commands/outlast.md"),
    ],
)
@pytest.mark.parametrize("exists", [True, False])
def test_a10_no_link_out_of_a_project_is_followed(
    scene: Scene,
    words: tuple[str, ...],
    name: str,
    exists: bool,  # noqa: FBT001 - a case
) -> None:
    outside = scene.project.parent / "outside"
    if exists:
        outside.write_text("{}\n")
    file = scene.project / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.symlink_to(outside)
    refused = scene.refusal(*words, "--yes", code=4)
    assert f"leads out of the project, to {outside}" in refused
    assert outside.exists() == exists
    assert not exists or outside.read_text() == "{}\n"


def test_a10_a_link_of_the_user_is_followed_and_named(scene: Scene) -> None:
    file = scene.settings("claude-code", "--user")
    link(file)
    assert f"+++ {file} → {file.resolve()}" in scene.init("claude-code")


def test_new_files_for_all_are_as_readable_as_others_and_settings_are_private(scene: Scene) -> None:
    before = os.umask(0o022)
    try:
        scene.init("agents-md")
        scene.init("claude-code")
    finally:
        os.umask(before)
    assert stat.S_IMODE((scene.project / "AGENTS.md").stat().st_mode) == 0o644
    assert stat.S_IMODE(scene.settings("claude-code", "--user").stat().st_mode) == 0o600
