"""U7, A13: which agent or tool runs a process, and the name of the person who does."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from time import sleep

import pytest

from outlast.errors import InvalidArgument
from outlast.system.caller import (
    HOST_VARIABLES,
    HOSTS,
    MARK,
    account_name,
    has_marked_ancestor,
    host_agent,
    person_name,
    refuse_person_inside_agent,
    refuse_persons_name,
)

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "actors.md"


def test_u7_without_the_variables_of_an_agent_a_person_acts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert host_agent() == ""
    refuse_person_inside_agent("actor")
    for variable in HOST_VARIABLES:
        monkeypatch.setenv(variable, "")
    assert host_agent() == ""
    for variable in ("CODEX_HOME", "AIDER_MODEL", "GEMINI_API_KEY", "CURSOR_TRACE_ID", "AGENT"):
        monkeypatch.setenv(variable, "1")  # people have these too
    assert host_agent() == ""


@pytest.mark.parametrize(("variable", "agent"), HOSTS.items())
def test_u7_a_coding_agent_is_known_by_its_variable(
    variable: str, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "1")
    assert host_agent() == agent
    with pytest.raises(InvalidArgument) as refused:
        refuse_person_inside_agent("actor")
    assert refused.value.details == {"argument": "actor", "agent": agent, "variable": variable}


@pytest.mark.parametrize(
    ("value", "agent"),
    [
        ("goose@1.2.3", "goose"),
        ("claude-code_2.1.0_cli", "claude-code"),
        ("Amp", "amp"),
        ("1", "agent"),
        ("true", "agent"),
        ("human", "agent"),
        ("ＨＵＭＡＮ", "agent"),
        ("\x1b[2K", "2k"),
        ("/", "agent"),
    ],
)
def test_u7_another_agent_gives_its_name(
    value: str, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AI_AGENT", value)
    assert host_agent() == agent


@pytest.mark.parametrize(
    ("value", "agent"),
    [("bot", "bot"), ("Codex 2", "Codex 2"), ("human", ""), ("Human", "agent"), ("", "")],
)
def test_u7_the_actor_of_the_environment_is_the_agent_that_runs_this(
    value: str, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUTLAST_ACTOR", value)
    assert host_agent() == agent
    monkeypatch.setenv("GEMINI_CLI", "1")
    assert host_agent() == "gemini-cli"


def test_u7_inside_an_agent_the_user_lends_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USER", "codex")  # as in some containers
    monkeypatch.setenv("OUTLAST_NAME", "Mira")
    account = account_name(os.getuid())
    for name in ("mira", "Mira (away)", account):
        refuse_persons_name(name, "--as")
    monkeypatch.setenv("CLAUDECODE", "1")
    for name in ("mira", "Mira (away)", account):
        with pytest.raises(InvalidArgument, match=r"--as: .+ reads like a person"):
            refuse_persons_name(name, "--as")
    for name in ("codex", "bot", "()"):
        refuse_persons_name(name, "--as")


def test_u7_a_tool_of_our_own_is_an_agent_wherever_its_run_was_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv(f"{MARK}0a1b", "1")
    assert host_agent() == "agent"


def test_u7_the_page_lists_the_variables() -> None:
    rows = re.findall(r"^\| [^|]+ \| `([^`]+)` \| (.+) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    listed = {name: agent for agent, names in rows for name in re.findall("`([^`]+)`", names)}
    assert listed == HOSTS


@pytest.mark.parametrize(
    ("variables", "name"),
    [
        ({"OUTLAST_NAME": "Ada Lovelace", "LOGNAME": "al"}, "Ada Lovelace"),
        ({"OUTLAST_NAME": "", "LOGNAME": "al"}, ""),
        ({"LOGNAME": "al", "USER": "root"}, "al"),
        ({"LOGNAME": "", "USER": "bo"}, "bo"),
        ({"OUTLAST_NAME": " a\n\x1b[2Kb  c\udcff "}, "a[2Kb c"),
        ({"OUTLAST_NAME": "x" * 999}, "x" * 100),
    ],
)
def test_u7_a_persons_name_is_one_printable_line(
    variables: dict[str, str], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("OUTLAST_NAME", "LOGNAME", "USER"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    assert person_name() == name


def test_u7_without_variables_the_account_has_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("OUTLAST_NAME", "LOGNAME", "USER"):
        monkeypatch.delenv(variable, raising=False)
    assert person_name() == account_name(os.getuid())
    assert account_name(0) == "root"
    assert account_name(2**31 - 7) == "", "such as in a container"


@pytest.mark.skipif(sys.platform != "linux", reason="it is known on Linux only")
def test_a13_a_process_below_a_tool_is_recognized(tmp_path: Path) -> None:
    script = "sleep 100 & echo $!; wait"
    with subprocess.Popen(  # noqa: S603 - our own script
        ["/bin/sh", "-c", script],
        env={f"{MARK}1": "1"},
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as tool:
        assert tool.stdout is not None
        child = int(tool.stdout.readline())
        try:
            assert has_marked_ancestor(child)
            assert not has_marked_ancestor(tool.pid), "its own environment is not looked at"
        finally:
            os.killpg(tool.pid, 9)
    assert not has_marked_ancestor(2**22 + 1), "there is no such process"


@pytest.mark.skipif(sys.platform != "linux", reason="it is known on Linux only")
def test_a13_a_program_without_a_mark_is_recognized_by_its_watcher() -> None:
    programs = [
        subprocess.Popen(["/bin/sleep", "100"], env={}, start_new_session=True) for _ in range(2)
    ]
    watched, other = programs
    arguments = ["/bin/sh", "-c", "read word", "sh", str(watched.pid), f"{MARK}1"]
    watcher = subprocess.Popen(arguments, stdin=subprocess.PIPE)  # noqa: S603 - our own script
    try:
        while MARK not in Path(f"/proc/{watcher.pid}/cmdline").read_text():
            sleep(0.01)  # it has not begun
        assert has_marked_ancestor(watched.pid)
        assert not has_marked_ancestor(other.pid), "another child of the same process"
    finally:
        for program in programs:
            program.kill()
            program.wait()
        watcher.communicate(b"done\n")


@pytest.mark.skipif(sys.platform != "linux", reason="it is known on Linux only")
@pytest.mark.parametrize(
    ("leader", "server", "expected"),
    [
        ({}, {}, "False"),
        ({"CLAUDECODE": "1"}, {}, "False"),  # it may clear its environment: a person's
        ({}, {"CLAUDECODE": "1"}, "False"),  # a terminal: the agent starts it
        ({"CLAUDECODE": "1"}, {"CLAUDECODE": "1"}, "True"),  # a command, and what it starts
        ({"CODEX_CI": "1"}, {"CODEX_CI": "1"}, "True"),
        ({}, {"GEMINI_CLI": "1"}, "True"),  # its commands are in its own session
    ],
)
def test_a13_a_command_of_a_model_is_told_from_what_the_agent_itself_starts(
    leader: dict[str, str], server: dict[str, str], expected: str
) -> None:
    """The leader of a session starts a program, which starts the server."""
    asks = "from outlast.system.caller import may_be_run_by_model as f; print(f())"
    path = {"PATH": os.environ["PATH"]}
    starts = "import json, subprocess, sys; _, env, *words = sys.argv; "
    starts += "subprocess.run(words, check=True, env=json.loads(env))"
    command = [sys.executable, "-c", asks]
    for variables in ({**path, **server}, {**path, **server}):
        command = [sys.executable, "-c", starts, json.dumps(variables), *command]
    done = subprocess.run(  # noqa: S603 - our own programs
        command,
        capture_output=True,
        check=True,
        encoding="utf-8",
        env={**path, **leader},
        start_new_session=True,
    )
    assert done.stdout.strip() == expected


@pytest.mark.skipif(sys.platform != "linux", reason="it is known on Linux only")
def test_a13_the_first_program_of_a_command_is_the_models() -> None:
    asks = "from outlast.system.caller import may_be_run_by_model as f; print(f())"
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", asks],
        capture_output=True,
        check=True,
        encoding="utf-8",
        env={"PATH": os.environ["PATH"], "CLAUDECODE": "1"},
        start_new_session=True,
    )
    assert done.stdout.strip() == "True"


COMMAND, HOOK = {"CLAUDECODE": "1"}, {"CLAUDECODE": "1", "CLAUDE_PROJECT_DIR": "/p"}


def starting(program: str, variables: dict[str, str], *inner: str, leads: bool = True) -> list[str]:
    """Return what starts a program with just these variables, as leader of a session or not."""
    entries = [
        f"{name}={value}" for name, value in {"PATH": os.environ["PATH"], **variables}.items()
    ]
    return [*(["setsid", "-w"] if leads else []), "env", "-i", *entries, program, *inner]


@pytest.mark.skipif(sys.platform != "linux", reason="it is known on Linux only")
@pytest.mark.parametrize(
    ("around", "leader", "own", "expected"),
    [
        ({}, COMMAND, COMMAND, "True"),
        ({}, {**COMMAND, "\udcff": "1"}, COMMAND, "True"),
        ({}, HOOK, HOOK, "False"),
        (COMMAND, None, COMMAND, "False"),  # the agent starts it, in a terminal of another agent
        ({}, {}, COMMAND, "False"),
        ({}, COMMAND, {}, "False"),  # it hides
        (*[{"CLAUDE_CODE_ENTRYPOINT": "cli"}] * 3, "False"),  # an editor has started the agent
        ({}, {"CODEX_CI": "1"}, {"CODEX_CI": "1"}, "False"),  # another agent's
    ],
)
def test_a13_what_claude_codes_model_runs_is_told_from_its_hooks_and_the_agent_itself(
    tmp_path: Path,
    around: dict[str, str],
    leader: dict[str, str] | None,
    own: dict[str, str],
    expected: str,
) -> None:
    agent = tmp_path / "claude"
    agent.symlink_to("/bin/sh")
    asks = "from outlast.system.caller import is_run_by_model_of as f; print(f('claude-code'))"
    waits = ("-c", '"$@"; true', "sh")  # so that it stays the parent
    command = starting(sys.executable, own, "-c", asks, leads=False)
    if leader is not None:
        command = starting("/bin/sh", leader, *waits, *command)
    command = starting(str(agent), around, *waits, *command)
    command = starting("/bin/sh", around, *waits, *command)
    done = subprocess.run(command, capture_output=True, check=True, encoding="utf-8")  # noqa: S603 - our own programs
    assert done.stdout.strip() == expected
