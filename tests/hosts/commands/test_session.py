"""`outlast attach`, `detach` and `hook`, typed by a person or by an agent."""

import json
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from msgspec.structs import replace

from outlast import create_plan
from outlast.hosts.sessions import SessionFiles, session_files
from outlast.system.disk import Disk
from outlast.system.process_identity import identify_process
from outlast.system.state_home import StateHome
from tests.cli.processes import environment, outlast, stdout_of
from tests.small_disks import fill_disk, make_read_only, mount_small_disk

CLAUDE = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "c1"}
CODEX = {"CODEX_THREAD_ID": "t1", "CODEX_CI": "1"}


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state directory of its own."""
    place = tmp_path / "state"
    monkeypatch.setenv("XDG_STATE_HOME", str(place))
    return place


def test_u7_an_agent_attaches_its_own_session(workspace: Path) -> None:
    told = stdout_of(workspace, "attach", **CLAUDE)
    assert "You work on the plan ship" in told
    assert "\na\n" not in told
    record = session_files().read("claude-code", "c1")
    assert record is not None
    assert (record.key, record.guard, record.host_process) == ("ship", False, "")
    assert stdout_of(workspace, "detach", **CLAUDE) == "This session no longer works on ship\n"
    assert session_files().read("claude-code", "c1") is None
    again = stdout_of(workspace, "detach", **CLAUDE)
    assert again.startswith("This session works on no plan")


def test_u7_a_person_attaches_a_session_by_its_name(workspace: Path) -> None:
    named = ("--agent", "codex", "--session", "t7")
    assert stdout_of(workspace, "attach", "ship", "--guard", *named).startswith("Working on ship")
    record = session_files().read("codex", "t7")
    assert record is not None
    assert record.guard
    found = json.loads(stdout_of(workspace, "attach", *named, "--json"))
    assert {"agent": "codex", "session": "t7", "plan": "ship"}.items() <= found.items()
    assert json.loads(stdout_of(workspace, "detach", *named, "--json"))["plan"] == "ship"


@pytest.mark.parametrize("fault", ["full", "read-only", "no directory"])
def test_f5_a_home_that_cannot_be_written_is_an_error_in_a_line(
    fault: str, workspace: Path, tmp_path: Path
) -> None:
    """`outlast attach` and `detach` say so, and nothing is half done."""
    mounted = tmp_path / "mounted"
    mounted.mkdir()
    with ExitStack() as stack:
        if fault == "no directory":
            home = str(tmp_path / "file" / "below")
            (tmp_path / "file").write_text("in the way")
        else:
            stack.enter_context(mount_small_disk(mounted, 64))
            home = str(mounted)
        if fault == "full":
            fill_disk(mounted)
        elif fault == "read-only":
            make_read_only(mounted)
        variables = {**CLAUDE, "XDG_STATE_HOME": home}
        refused = outlast(workspace, "attach", **variables)
        assert (refused.returncode, refused.stdout) == (4, ""), refused
        [line] = refused.stderr.splitlines()
        assert home in line
        as_json = outlast(workspace, "attach", "--json", **variables)
        assert json.loads(as_json.stderr or as_json.stdout)["error"]["code"] == "STORE_ERROR"
        assert outlast(workspace, "detach", **variables).returncode in (0, 1, 4)
        files = SessionFiles(StateHome(home), Disk())
        assert files.all() == []
        shown = json.loads(stdout_of(workspace, "show", "--json"))
        assert not [task for task in shown["tasks"] if task["status"] == "in_progress"]
    stdout_of(workspace, "attach", **CLAUDE)


def test_f5_a_session_that_was_not_attached_is_not_if_its_texts_cannot_be_left(
    workspace: Path,
) -> None:
    """The disk becomes full right after the record was written."""
    stdout_of(workspace, "attach", **CLAUDE)
    stdout_of(workspace, "detach", **CLAUDE)
    place = Path(session_files().directory("claude-code", "c1"))
    (place / "base").mkdir(parents=True)  # no file can be put there
    (place / "base" / "in the way").touch()
    refused = outlast(workspace, "attach", **CLAUDE)
    assert (refused.returncode, len(refused.stderr.splitlines())) == (4, 1)
    assert session_files().read("claude-code", "c1") is None


def test_a13_an_agent_attaches_and_detaches_no_session_but_its_own(workspace: Path) -> None:
    named = ("--agent", "codex", "--session", "t7")
    refused = outlast(workspace, "attach", *named, **CLAUDE)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "only a person" in refused.stderr.lower() or "person" in refused.stderr
    assert session_files().read("codex", "t7") is None
    stdout_of(workspace, "attach", *named)
    assert outlast(workspace, "detach", *named, **CLAUDE).returncode == 1
    assert session_files().read("codex", "t7") is not None
    stdout_of(workspace, "attach", "--agent", "claude-code", "--session", "c1", **CLAUDE)


def test_a13_an_agent_does_not_leave_the_plan_that_its_user_has_put_on_guard(
    workspace: Path,
) -> None:
    create_plan(str(workspace), "Other", "other").close()
    named = ("--agent", "claude-code", "--session", "c1")
    stdout_of(workspace, "attach", "ship", "--guard", *named)
    for words in (("detach",), ("attach", "other")):
        assert outlast(workspace, *words, **CLAUDE).returncode == 1
    stdout_of(workspace, "attach", "ship", **CLAUDE)
    record = session_files().read("claude-code", "c1")
    assert record is not None
    assert (record.key, record.guard) == ("ship", True)
    assert stdout_of(workspace, "detach", *named) == "This session no longer works on ship\n"


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--agent", "codex"),
        ("--session", "t7"),
        ("--agent", "vim", "--session", "t7"),
        ("--agent", "codex", "--session", "../t7"),
        ("--agent", "codex", "--session", ""),
        ("no-such-plan", "--agent", "codex", "--session", "t7"),
    ],
)
def test_a4_what_names_no_session_attaches_nothing(
    workspace: Path, state: Path, arguments: tuple[str, ...]
) -> None:
    done = outlast(workspace, "attach", *arguments)
    assert (done.returncode != 0, done.stdout) == (True, "")
    assert not (state / "outlast" / "hosts").exists()


def test_x8_no_session_is_explained_in_both_languages(workspace: Path) -> None:
    assert "In the agent, type `/outlast resume`" in outlast(workspace, "attach").stderr
    assert "请在智能体中输入" in outlast(workspace, "attach", "--lang", "zh").stderr


def test_u7_the_commands_of_a_session_are_about_its_plan(workspace: Path) -> None:
    stdout_of(workspace, "attach", "ship", **CLAUDE)
    stdout_of(workspace, "attach", "ship", **CODEX)
    with create_plan(str(workspace), "Another", "newest") as plan:
        plan.add("z")
    assert "z" in stdout_of(workspace, "next")
    for variables in (CLAUDE, CODEX):
        assert "z" not in stdout_of(workspace, "next", **variables)
        assert "z" in stdout_of(workspace, "next", "--plan", "newest", **variables)
        assert "z" in stdout_of(workspace, "next", OUTLAST_PLAN="newest", **variables)
    other = {**CLAUDE, "CLAUDE_CODE_SESSION_ID": "c2"}
    assert "z" in stdout_of(workspace, "next", **other)


def test_u7_gemini_is_known_by_its_process(workspace: Path) -> None:
    """Its hooks know the session, and what its shell runs knows only that Gemini runs it."""
    hook = f"{sys.executable} -m outlast hook prompt --agent gemini"
    payload = {"session_id": "g1", "cwd": str(workspace), "prompt": "/outlast resume ship"}
    with create_plan(str(workspace), "Another", "newest") as plan:
        plan.add("z")
    stdout_of(workspace, "use", "newest")
    script = (
        "import os, subprocess, sys\n"
        f"given = {json.dumps(payload)!r}\n"
        f"subprocess.run(['sh', '-c', {hook!r}], input=given, text=True, check=True,\n"
        "    stdout=subprocess.DEVNULL, env={**os.environ, 'GEMINI_SESSION_ID': 'g1'})\n"
        f"subprocess.run(['sh', '-c', '{sys.executable} -m outlast next; true'], check=True,\n"
        "    env={**os.environ, 'GEMINI_CLI': '1'})\n"
    )
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", script],
        cwd=workspace,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "z" not in done.stdout
    record = session_files().read("gemini", "g1")
    assert record is not None
    assert record.host_process
    other = stdout_of(workspace, "next", GEMINI_CLI="1")  # not below that process
    assert "z" in other


def test_u7_what_is_said_to_a_session_is_announced_as_such(workspace: Path) -> None:
    """A run that comes later does not read it: the coding agent does, while it is there."""
    assert stdout_of(workspace, "say", "early").startswith("No agent is running")
    stdout_of(workspace, "attach", "ship", **CLAUDE)
    sessions = session_files()
    record = sessions.read("claude-code", "c1")
    assert record is not None
    assert stdout_of(workspace, "say", "unknown").startswith("No agent is running")
    sessions.write(replace(record, host_process=identify_process()))
    assert stdout_of(workspace, "say", "soon") == "The agent will read it before its next step\n"
    with create_plan(str(workspace), "Another", "newest") as plan:
        plan.questions.ask("Which colour?")
    assert "outlast resume" in stdout_of(workspace, "answer", "blue", "--plan", "newest")
    with subprocess.Popen(["true"]) as ended:  # noqa: S607 - its number and time are reused
        gone = identify_process().split("_")
        gone[1] = str(ended.pid)
    sessions.write(replace(record, host_process="_".join(gone)))
    assert stdout_of(workspace, "say", "late", "--plan", "ship").endswith(
        "No agent is running; the next run reads it\n"
    )


def test_r4_04_a_hook_is_answered_by_the_command(workspace: Path) -> None:
    payload = json.dumps({"session_id": "s1", "cwd": str(workspace), "source": "startup"})

    def hook(event: str, given: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # noqa: S603 - our own command
            [sys.executable, "-m", "outlast", "hook", event, "--agent", "claude-code"],
            input=given,
            text=True,
            capture_output=True,
            cwd=workspace,
            env=environment(**variables),
            check=False,
        )

    done = hook("session-start", payload)
    line = "1 unfinished plan here: ship 0/2 — /outlast resume"
    assert json.loads(done.stdout) == {"systemMessage": line}
    assert (done.returncode, done.stdout.count("\n")) == (0, 1)
    assert hook("session-start", payload, OUTLAST_OFF="1").stdout == ""
    for given in ("", "{", "[]"):
        done = hook("prompt", given)
        assert (done.returncode, done.stdout) == (0, "")
    assert hook("lunch", payload).returncode != 0
    assert os.environ["XDG_STATE_HOME"]
