"""`hook.sh` in the shells that agents may have: each of its branches, and no noise."""

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from outlast.hosts.sessions import session_files
from outlast.hosts.wire.events import HOST_NAMES, HostName
from tests.hosts.coding_agent import CodingAgent, checked, files_below, make_plan
from tests.hosts.hook.shell import SCRIPT, Shell, installed

SIGNS = {"claude-code": "/", "codex": "$", "gemini": "/"}


def attached(home: Path, shell: Shell, host: HostName = "claude-code") -> CodingAgent:
    make_plan(home, "one", "two", "three")
    agent = CodingAgent(home, host, hook=shell)
    assert agent.types(f"{SIGNS[host]}outlast resume").model
    assert shell.started == ["prompt"]
    return agent


@pytest.mark.parametrize("host", HOST_NAMES)
def test_r4_04_unattached_nothing_is_started_but_for_a_gesture(
    home: Path, state: Path, shell: Shell, host: HostName
) -> None:
    make_plan(home, "one", "two")
    agent, before = CodingAgent(home, host, hook=shell), files_below(home, state)
    for said in (
        agent.before(),
        agent.after(),
        agent.views(),
        agent.fails("no"),
        agent.send("batch"),
        agent.types("hello"),
        agent.lists("TodoWrite", todos=[{"content": "x", "status": "pending"}]),
        agent.stops("All tasks are done."),
        agent.send("pre-compact"),
        agent.send("session-end"),
        agent.send("subagent-stop"),
    ):
        assert not said
    assert shell.run(host, "status-line", b'{"session_id":"s1"}') == b""
    assert shell.started == []
    assert agent.start().user
    assert not agent.types("what does /outlast do?")
    assert shell.started == ["session-start", "prompt"]
    assert files_below(home, state) == before


def test_r4_04_an_accepted_plan_attaches(home: Path, shell: Shell) -> None:
    agent = CodingAgent(home, hook=shell)
    assert "plan" in agent.accepts("# Add OAuth\n\n1. first\n2. second\n").model
    assert shell.started == ["post-tool"]
    assert agent.record is not None


@pytest.mark.parametrize("host", HOST_NAMES)
def test_r4_05_a_step_is_shown_by_the_shell_once(home: Path, shell: Shell, host: HostName) -> None:
    agent = attached(home, shell, host)
    tell = agent.after if host == "gemini" else agent.before
    assert not tell()
    with agent.plan() as plan:
        plan.complete(1)
    assert "two" in tell().model
    assert shell.started == ["post-tool" if host == "gemini" else "pre-tool"]
    for _ in range(3):
        assert not tell()
        assert not agent.before()
    assert shell.started == []


def test_r4_05_a_step_that_the_program_left_is_shown_without_it(home: Path, shell: Shell) -> None:
    agent = attached(home, shell)
    todos = [{"content": "one", "status": "completed"}, {"content": "two", "status": "pending"}]
    assert not agent.lists("TodoWrite", todos=todos)
    assert shell.started == ["post-tool"]
    assert "two" in agent.before().model
    assert not agent.before()
    assert shell.started == []


def test_r4_05_hooks_at_the_same_moment_show_a_text_once(home: Path, shell: Shell) -> None:
    agent = attached(home, shell)
    with agent.plan() as plan:
        plan.complete(1)
    with ThreadPoolExecutor(8) as pool:
        told = [said for said in pool.map(lambda _: agent.before(), range(8)) if said]
    assert len(told) == 1
    todos = [{"content": "two", "status": "completed"}]
    agent.lists("TodoWrite", todos=todos)
    with ThreadPoolExecutor(8) as pool:
        told = [said for said in pool.map(lambda _: agent.before(), range(8)) if said]
    assert len(told) == 1


def test_r4_05_a_change_by_another_process_is_seen(home: Path, shell: Shell) -> None:
    agent = attached(home, shell)
    with agent.plan() as plan:
        plan.questions.say("use the staging server")
    assert "use the staging server" in agent.before().model
    path = home / ".outlast" / "plans" / "add-oauth" / "task_plan.md"
    path.write_text(path.read_text().replace("one", "number one"))
    assert "number one" in agent.types("look").model
    shell.started  # noqa: B018 - forgets them
    assert not agent.before()
    assert shell.started == []


def test_r4_06_what_a_subagent_has_done_counts_as_views_and_starts_no_python(
    home: Path, shell: Shell
) -> None:
    agent = attached(home, shell)
    assert not agent.send("batch")
    assert not agent.send("subagent-stop", last_assistant_message="Everything is done.")
    assert "If task 1 is done" in agent.send("batch").model
    assert shell.started == []


@pytest.mark.parametrize("host", ["claude-code", "gemini"])
def test_r4_06_a_reminder_comes_after_two_views_once_for_a_task(
    home: Path, shell: Shell, host: HostName
) -> None:
    agent = attached(home, shell, host)

    def look() -> str:
        said = agent.views()
        return str(said.model or (agent.send("batch").model if host == "claude-code" else ""))

    told = [look() for _ in range(6)]
    assert ["If task 1 is done" in text for text in told].count(True) == 1
    assert told[1]
    assert shell.started == []
    with agent.plan() as plan:
        plan.complete(1)
    assert agent.types("go on").model
    assert ["If task 2" in look() for _ in range(5)].count(True) == 1


def test_r4_07_the_third_equal_failure_is_warned_about(home: Path, shell: Shell) -> None:
    agent = attached(home, shell)
    assert not agent.fails("Exit code 3\nCANARY-7", command="make")
    assert shell.started == []
    assert not agent.fails("Exit code 4\nCANARY-7", command="make")
    assert shell.started == ["tool-failure"]
    said = agent.fails("Exit code 5\nCANARY-7", command="make")
    assert "three-strike-warning" in said.model
    assert "CANARY-7" not in said.printed
    assert shell.started == ["tool-failure"]
    assert not agent.after(command="make")
    assert shell.started == []


def test_r4_07_codex_tells_the_exit_code_in_its_record(
    home: Path, shell: Shell, tmp_path: Path
) -> None:
    agent, record = attached(home, shell, "codex"), tmp_path / "record of 'María'.jsonl"

    def run(code: int | None) -> str:
        last = {} if code is None else {"exit_code": code, "status": "x"}
        lines = [{"exit_code": 9}, {"text": '"exit_code":8', **last}]
        record.write_text("".join(f"{json.dumps(line, separators=(',', ':'))}\n" for line in lines))
        fields = {"tool_name": "Bash", "tool_input": {"command": "x"}, "tool_response": "CANARY-7"}
        path = {"transcript_path": str(record)}
        return str(agent.send("post-tool", "work", **path, **fields).model)

    assert not run(None)
    assert not run(0)
    assert [bool(run(3)) for _ in range(3)] == [False, False, True]
    assert not agent.send("post-tool", "work", transcript_path=None, tool_name="Bash")
    assert not agent.send("post-tool", "work", transcript_path="/nowhere", tool_name="Bash")


def test_r4_07_gemini_gives_the_exit_code_with_the_output(home: Path, shell: Shell) -> None:
    agent = attached(home, shell, "gemini")

    def run(code: int) -> str:
        output = {"llmContent": f"Output: Exit Code: 7\nExit Code: {code}\nPGID: 1"}
        return str(agent.after("run_shell_command", output, command="x").model)

    assert not any(run(0) for _ in range(4))
    assert [bool(run(3)) for _ in range(3)] == [False, False, True]


def test_r4_07_strict_mode_denies_a_struck_call(home: Path, shell: Shell, tmp_path: Path) -> None:
    config = tmp_path / "config" / "outlast"
    config.mkdir(parents=True)
    (config / "config.toml").write_text("[rules]\nstrict = true\n")
    shell.environment["XDG_CONFIG_HOME"] = str(tmp_path / "config")
    agent = attached(home, shell)
    for _ in range(3):
        agent.fails("no", command="make")
    assert agent.before(command="make").denial
    assert not agent.before(command="ls").denial
    agent.after(command="ls")
    assert not agent.before(command="make").denial
    shell.started  # noqa: B018 - forgets them
    assert not agent.before(command="make")
    assert shell.started == []


def test_r4_08_a_stop_is_decided_by_the_full_program(home: Path, shell: Shell) -> None:
    make_plan(home, checked("one"))
    agent = CodingAgent(home, hook=shell)
    agent.types("/outlast resume")
    assert agent.stops("The task is done.").reason
    assert shell.started == ["prompt", "stop"]


def test_r4_04_a_subagent_takes_no_text(home: Path, shell: Shell) -> None:
    agent = attached(home, shell)
    agent.lists("TodoWrite", todos=[{"content": "one", "status": "completed"}])
    assert not agent.send("pre-tool", tool_name="Bash", agent_id="a1")
    said = agent.send("pre-tool", tool_name="Bash", tool_input={"x": '"agent_id":"a1"'})
    assert "two" in said.model


def test_r4_04_the_status_line_is_read_until_the_plan_changes(home: Path, shell: Shell) -> None:
    agent = attached(home, shell)
    payload = b'{"session_id":"s1"}'
    assert shell.run("claude-code", "status-line", payload) == "add-oauth 0/3 ▸ one\n".encode()
    assert shell.started == []
    with agent.plan() as plan:
        plan.complete(1)
    line = shell.run("claude-code", "status-line", payload).decode()
    assert line == "add-oauth 1/3 ▸ two\n"
    assert shell.started == ["status-line"]


def test_r4_04_outlast_off_reads_nothing(home: Path, state: Path, shell: Shell) -> None:
    agent = attached(home, shell)
    before = files_below(home, state)
    shell.environment["OUTLAST_OFF"] = "1"
    for moment in ("session-start", "prompt", "pre-tool", "post-tool", "stop", "status-line"):
        assert shell.run("claude-code", moment, b'{"prompt":"/outlast off"}') == b""
    assert agent.stops("The task is done.").printed == ""
    assert shell.started == []
    assert files_below(home, state) == before


@pytest.mark.parametrize("variables", [{}, {"XDG_STATE_HOME": "relative"}, {"HOME": "/nowhere"}])
def test_a10_without_a_home_nothing_is_read_from_the_directory(
    home: Path, shell: Shell, variables: dict[str, str], tmp_path: Path
) -> None:
    for name in ("HOME", "XDG_STATE_HOME"):
        shell.environment.pop(name, None)
    shell.environment |= variables
    make_plan(home, "one")
    agent = CodingAgent(home, hook=shell)
    if not variables:
        shell.environment["HOME"] = ""
    assert not agent.before()
    assert not agent.types("hello")
    shell.environment["HOME"] = str(tmp_path)
    assert agent.types("/outlast resume").model
    assert (tmp_path / ".local/state/outlast/hosts/claude-code/s1/session.json").exists()


def test_a4_a_session_id_is_no_path(home: Path, state: Path, shell: Shell) -> None:
    make_plan(home, "one")
    before = files_below(home, state)

    def answer(host: HostName, session: str) -> bytes:
        payload = json.dumps({"session_id": session, "prompt": "/outlast resume"}).encode()
        return shell.run(host, "prompt", payload.replace(b": ", b":").replace(b", ", b","))

    for session in ("../s1", "a/b", "", ".", "a b", "a'b", "$(id)", "`id`", "a\\nb", "x" * 300):
        for host in HOST_NAMES:
            assert answer(host, session) == b""
    (state / "outlast" / "hooks.log").unlink(missing_ok=True)
    assert files_below(home) == {path: data for path, data in before.items() if "project" in path}
    assert not (state / "outlast" / "hosts").exists()
    for host in HOST_NAMES:
        assert b"There is no unfinished plan here" in answer(host, "s1"), "an id that is one counts"


strict = pytest.mark.parametrize("shell", ["dash", "bash-posix"], indirect=True)
GARBAGE = {
    "empty": b"",
    "no json": b"not json",
    "cut": b'{"session_id":"s1","prompt":"/outlast re',
    "bytes": b'{"session_id":"s1","prompt":"\xff\xfe/outlast \xc3"}',
    "nul": b'{"session_id":"s1","prompt":"a\x00b"}',
    "deep": b'{"session_id":"s1","tool_input":' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    "nested": b'{"session_id":"s1","tool_input":{"a":' + b"[" * 900 + b"]" * 900 + b"}}",
    "list": b'["session_id"]',
    "types": b'{"session_id":"s1","cwd":1,"tool_name":[],"tool_input":7,"prompt":{},"source":0}',
    "surrogate": b'{"session_id":"s1","tool_name":"\\ud800","prompt":"\\udfff","error":"\\ud800"}',
    "digits": b'{"session_id":"s1","error":"Exit code '
    + b"9" * 5_000
    + b'","n":1'
    + b"0" * 5_000
    + b"}",
}


@strict
@pytest.mark.parametrize("host", HOST_NAMES)
@pytest.mark.parametrize("garbage", GARBAGE)
def test_r4_04_no_payload_makes_a_hook_fail(
    home: Path, shell: Shell, garbage: str, host: HostName
) -> None:
    attached(home, shell, host)
    moments = ("session-start", "prompt", "pre-tool", "tool-failure", "tool-failure", "batch")
    for moment in (*moments, "stop", "pre-compact", "status-line"):
        printed = shell.run(host, moment, GARBAGE[garbage])
        assert printed.count(b"\n") <= 1 or moment == "pre-compact"
    for kind in ("view", "work", "plan"):
        shell.run(host, "post-tool", GARBAGE[garbage], kind)


@strict
@pytest.mark.parametrize("host", HOST_NAMES)
def test_r4_04_a_huge_payload_is_answered(home: Path, shell: Shell, host: HostName) -> None:
    agent, huge = attached(home, shell, host), "x" * (16 << 20)
    agent.lists("TodoWrite", todos=[{"content": "one", "status": "completed"}])
    assert (
        not agent.after("Bash", {"llmContent": huge}, command=huge[:100]).printed
        or host == "gemini"
    )
    agent.before(command=huge)
    assert shell.run(host, "pre-tool", huge.encode()) == b""
    agent.fails("no", command=huge[: 8 << 20])
    agent.fails("no", command=huge[: 8 << 20])


def test_r4_04_what_was_uninstalled_is_no_refusal(home: Path, shell: Shell, tmp_path: Path) -> None:
    attached(home, shell)
    gone = str(tmp_path / "it's gone")
    payload = b'{"session_id":"s1"}'
    for script, python in ((gone, str(shell.python)), (SCRIPT, gone)):
        for interpreter in ("dash", "bash"):
            command = installed("claude-code", "stop", script, python)
            assert shell.execute([interpreter, "-c", command], "claude-code", payload) == b""
    lonely = tmp_path / "hook.sh"
    shutil.copy(SCRIPT, lonely)
    shell.script = str(lonely)
    assert shell.run("claude-code", "stop", payload) == b""


def test_r4_04_the_installed_command_answers(home: Path, shell: Shell, tmp_path: Path) -> None:
    make_plan(home, "one")
    package = tmp_path / "packages of 'María' $x 包"
    package.mkdir()
    (package / "outlast").symlink_to(Path(SCRIPT).parents[2])
    script = str(package / "outlast/hosts/hook/hook.sh")
    command = installed("codex", "session-start", script, str(shell.python))
    payload = json.dumps({"session_id": "s1", "cwd": str(home)}, separators=(",", ":")).encode()
    for interpreter in ("dash", "bash"):
        printed = shell.execute([interpreter, "-c", command], "codex", payload)
        assert json.loads(printed)["systemMessage"].endswith("$outlast resume")


@pytest.mark.parametrize("host", HOST_NAMES)
@pytest.mark.parametrize("path", ["", "hostile:"])
def test_a10_the_installed_command_runs_no_program_of_the_path(
    home: Path, shell: Shell, tmp_path: Path, host: HostName, path: str
) -> None:
    make_plan(home, "one")
    hostile, ran = tmp_path / "hostile", tmp_path / "ran"
    hostile.mkdir()
    for name in ("sh", "cat", "env", "mv", "tail", "python", "python3"):
        (hostile / name).write_text(f"#!/bin/sh\n: >'{ran}'\n")
        (hostile / name).chmod(0o755)
    path = path.replace("hostile", str(hostile))
    shell.environment["PATH"] = f"{path}{os.defpath}" if path else ""
    payload = json.dumps({"session_id": "s1", "cwd": str(home)}, separators=(",", ":")).encode()
    command = installed(host, "session-start", SCRIPT, str(shell.python))
    printed = shell.execute(["/bin/sh", "-c", command], host, payload)
    assert "1 unfinished plan here" in json.loads(printed)["systemMessage"]
    assert not ran.exists()


def test_r4_04_a_payload_that_nobody_reads_is_no_noise(home: Path, shell: Shell) -> None:
    attached(home, shell)
    shell.environment["OUTLAST_DEBUG"] = "1"
    assert shell.run("claude-code", "pre-tool", b"x" * 300_000) == b""


def test_r4_04_what_fails_is_shown_with_debug_only(home: Path, shell: Shell, state: Path) -> None:
    attached(home, shell)
    (state / "outlast/hosts/claude-code/s1/paths").unlink()
    assert shell.run("claude-code", "pre-tool", b"{}") == b""
    command = [*shell.interpreter, SCRIPT, "pre-tool", "claude-code", str(shell.python)]
    variables = {"CLAUDE_CODE_SESSION_ID": "s1", "OUTLAST_DEBUG": "1"}
    done = subprocess.run(  # noqa: S603 - our own program
        command, input=b"{}", capture_output=True, check=False, env=shell.environment | variables
    )
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"paths" in done.stderr


def test_f5_a_state_directory_that_cannot_be_written_is_no_failure(
    home: Path, shell: Shell, state: Path
) -> None:
    agent = attached(home, shell)
    with agent.plan() as plan:
        plan.complete(1)
    directory = state / "outlast" / "hosts" / "claude-code" / "s1"
    try:
        subprocess.run(["chattr", "+i", str(directory)], check=True, capture_output=True)  # noqa: S603, S607 - root ignores modes
    except (subprocess.CalledProcessError, FileNotFoundError):
        (directory / "spool").rmdir()
        (directory / "spool").write_text("in the way")
        (directory / "lock").unlink()
        (directory / "lock").mkdir()
    try:
        for _ in range(2):
            for moment in ("pre-tool", "tool-failure", "batch", "prompt", "stop", "session-start"):
                printed = shell.run("claude-code", moment, b'{"session_id":"s1"}')
                assert printed.count(b"\n") <= 1
            shell.run("claude-code", "post-tool", b'{"session_id":"s1"}', "view")
    finally:
        subprocess.run(["chattr", "-i", str(directory)], check=False, capture_output=True)  # noqa: S603, S607 - root ignores modes


def test_u7_a_shell_command_of_an_attached_session_is_about_its_plan(
    home: Path, shell: Shell
) -> None:
    make_plan(home, "other", key="another")
    agent = attached(home, shell)
    assert session_files().read("claude-code", "s1") is not None
    make_plan(home, "newest", key="newest")
    environment = shell.environment | {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s1"}
    done = subprocess.run(
        [sys.executable, "-m", "outlast", "next"],
        cwd=home,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "one" in done.stdout
    record = agent.record
    assert record is not None
    assert record.key == "add-oauth"
    assert os.path.isdir(record.root)  # noqa: PTH112 - as it is stored
