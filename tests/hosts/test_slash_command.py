"""`/outlast …`: the user's own command attaches a session, and works on its plan."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from outlast import open_plan
from outlast.hosts.sessions import ACTORS
from outlast.hosts.wire.events import HOST_NAMES, HostName
from outlast.plan.plan_list import list_plans
from tests.hosts.coding_agent import CodingAgent, checked, make_plan

COMMAND_VARIABLES: Final = {
    "claude-code": "CLAUDECODE",
    "codex": "CODEX_THREAD_ID",
    "gemini": "GEMINI_CLI",
}


def keys_in(home: Path) -> list[str]:
    return [plan.key for plan in list_plans(str(home))]


@pytest.mark.parametrize("host", HOST_NAMES)
def test_u7_a_goal_becomes_the_plan_of_the_session(home: Path, host: HostName) -> None:
    agent = CodingAgent(home, host)
    sign = "$" if host == "codex" else "/"
    said = agent.types(f"{sign}outlast Add OAuth to the app\nwith refresh tokens")
    assert said.model.startswith("Outlast has created the plan add-oauth")
    assert "Add its tasks first: `" in said.model
    assert "Add OAuth to the app" in said.model
    assert said.user.startswith("Working on add-oauth")
    assert not said.reason
    with agent.plan() as plan:
        assert plan.core.read(lambda state: state.order) == "sequential"
        wanted = (
            "Add OAuth to the app"
            if host == "gemini"
            else "Add OAuth to the app\nwith refresh tokens"
        )
        assert plan.goal == wanted
        actors = {commit.author for commit in plan.core.store.history()}
        assert actors == {ACTORS[host]}


def test_u1_the_goal_of_an_unfinished_plan_goes_on_with_it(home: Path) -> None:
    make_plan(home, "one", goal="Add OAuth")
    agent = CodingAgent(home)
    assert "one" in agent.types("/outlast  Add   OAuth ").model
    assert keys_in(home) == ["add-oauth"]
    agent.types("/outlast Add OAuth again")
    assert len(keys_in(home)) == 2
    record = agent.record
    assert record is not None
    assert record.key != "add-oauth"


def test_u7_resume_without_a_key_takes_the_plan_used_last(home: Path) -> None:
    make_plan(home, "one", key="first")
    make_plan(home, "two", key="second")
    agent = CodingAgent(home)
    assert agent.types("/outlast resume").user.startswith("Working on second")
    assert agent.types("/outlast resume fir").user.startswith("Working on first")
    assert agent.types("/outlast resume").user.startswith("Working on first")
    said = agent.types("/outlast resume nothing-like-it")
    assert "nothing-like-it" in said.reason
    assert not said.model
    record = agent.record
    assert record is not None
    assert record.key == "first"


def test_u7_resume_continues_a_paused_plan(home: Path) -> None:
    make_plan(home, "one")
    with open_plan(home) as plan:
        plan.pause()
    agent = CodingAgent(home)
    agent.types("/outlast resume")
    with agent.plan() as plan:
        assert plan.status != "paused"


def test_u7_status_shows_the_plan_without_the_model(home: Path) -> None:
    make_plan(home, "one", "two")
    agent = CodingAgent(home)
    for command in ("status", "", "off", "done", "guard"):
        said = agent.types(f"/outlast {command}")
        assert said.reason == "This session works on no plan; to choose one, type: /outlast resume"
    agent.types("/outlast resume")
    for command in ("/outlast", "/outlast status", "$outlast status"):
        said = agent.types(command)
        assert said.reason.startswith("Working on add-oauth: Add OAuth 0/2\n")
        assert "one" in said.reason
        assert not said.model


def test_u7_without_a_plan_it_says_how_to_begin_one(home: Path) -> None:
    agent = CodingAgent(home)
    for command in ("", "status", "resume", "off", "done"):
        expected = "There is no unfinished plan here; begin one with: /outlast GOAL"
        assert agent.types(f"/outlast {command}").reason == expected
    codex = CodingAgent(home, "codex")
    assert codex.types("$outlast status").reason == expected.replace("/outlast", "$outlast")
    assert not (home / ".outlast").exists()


def test_u7_a_single_word_begins_no_plan_and_the_commands_are_named(home: Path) -> None:
    agent = CodingAgent(home)
    for word in ("help", "--help", "list", "Pause"):
        said = agent.types(f"/outlast {word}")
        assert said.reason.startswith(f"/outlast has no command {word}, and a goal needs more")
        assert "Type /outlast GOAL, or /outlast followed by: status, done" in said.reason
        assert not said.model
    assert "$outlast GOAL" in CodingAgent(home, "codex").types("$outlast help").reason
    assert not (home / ".outlast").exists()
    (home / "outlast.toml").write_text('language = "zh"\n')
    assert "没有命令 help" in agent.types("/outlast help").reason


def test_u7_done_completes_the_current_task_or_a_named_one(home: Path) -> None:
    make_plan(home, "one", "two", "three")
    agent = CodingAgent(home)
    agent.types("/outlast resume")
    assert agent.types("/outlast done").reason == "Done: 1 one (1/3)"
    assert agent.types("/outlast done 3 it was there").reason == "Done: 3 three (2/3)"
    assert "9" in agent.types("/outlast done 9").reason
    with agent.plan() as plan:
        assert plan.task(3).result == "it was there"


def test_x2_done_is_refused_while_a_check_is_red(home: Path) -> None:
    make_plan(home, checked("one"))
    agent = CodingAgent(home)
    agent.types("/outlast resume")
    said = agent.types("/outlast done")
    assert said.reason == "Task 1 is not done: test -e done: exited with code 1"
    (home / "done").touch()
    assert agent.types("/outlast done").reason == "Done: 1 one (1/1)"


def test_u7_off_detaches_the_session(home: Path, state: Path) -> None:
    make_plan(home, "one")
    agent = CodingAgent(home)
    agent.types("/outlast resume")
    assert agent.types("/outlast off").reason == "This session no longer works on add-oauth"
    assert agent.record is None
    assert not [path for path in (state / "outlast" / "hosts").rglob("*") if path.is_file()]
    assert not agent.stops("All tasks are done.")
    assert agent.start().user.startswith("1 unfinished plan")


def test_u7_guard_is_set_and_lifted(home: Path) -> None:
    make_plan(home, "one")
    agent = CodingAgent(home)
    agent.types("/outlast resume")
    for command, guard in (("guard", True), ("guard off", False), ("guard on", True)):
        assert "add-oauth" in agent.types(f"/outlast {command}").reason or not guard
        record = agent.record
        assert record is not None
        assert record.guard is guard
    agent.types("/outlast resume")
    record = agent.record
    assert record is not None
    assert record.guard


def test_x8_the_answers_are_in_the_language_of_the_settings(home: Path) -> None:
    make_plan(home, "one")
    (home / "outlast.toml").write_text('language = "zh"\n')
    agent = CodingAgent(home)
    assert agent.types("/outlast status").reason.startswith("此会话未关联计划")
    assert agent.types("/outlast resume").user.startswith("正在执行 add-oauth")
    assert agent.types("/outlast guard").reason.startswith("已开启 guard")
    assert agent.types("/outlast done 7").reason
    assert agent.types("/outlast done").reason == "已完成：1 one（1/1）"
    assert agent.types("/outlast off").reason == "此会话已与计划 add-oauth 解除关联"


def test_r4_04_commands_of_others_do_nothing_here(home: Path) -> None:
    make_plan(home, "one")
    agent = CodingAgent(home)
    for prompt in (
        "/outlaster x",
        "/outlast.md",
        "see /outlast resume",
        "/outlast/x",
        "outlast resume",
    ):
        assert not agent.types(prompt), prompt
    assert agent.record is None


def test_a4_a_key_with_path_characters_attaches_nothing(home: Path) -> None:
    make_plan(home, "one")
    agent = CodingAgent(home)
    for key in ("../../etc", "/etc/passwd", "..", "a\0b", "%2e%2e", "add-oauth/../add-oauth"):
        assert agent.types(f"/outlast resume {key}").reason
    assert agent.record is None


ATTEMPTS = ("/outlast guard off", "/outlast off", "/outlast resume other", "/outlast a new goal")


def run_as_command_of_the_model(agent: CodingAgent, moment: str, **fields: object) -> str:
    """Report an event as a command of the model can, whose shell leads a session."""
    payload = {"session_id": agent.session, "cwd": str(agent.home), **fields}
    program = [sys.executable, "-m", "outlast", "hook", moment, "--agent", agent.host]
    return run_in_session(json.dumps(payload), *program, **{COMMAND_VARIABLES[agent.host]: "1"})


def run_in_session(given: str, *program: str, **variables: str) -> str:
    done = subprocess.run(  # noqa: S603 - our own program
        ["/bin/sh", "-c", 'exec 3>&1; "$@" >&3; true', "sh", *program],
        input=given,
        capture_output=True,
        check=True,
        encoding="utf-8",
        env={**os.environ, **variables},
        start_new_session=True,
    )
    return done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="it is known on Linux only")
@pytest.mark.parametrize("host", HOST_NAMES)
def test_a13_a_command_of_the_model_types_nothing_for_the_user(home: Path, host: HostName) -> None:
    make_plan(home, "one", key="other", goal="other")
    make_plan(home, "one")
    agent = CodingAgent(home, host)
    agent.types(f"{'$' if host == 'codex' else '/'}outlast resume add-oauth")
    agent.types(f"{'$' if host == 'codex' else '/'}outlast guard")
    before = agent.record
    for prompt in ATTEMPTS:
        said = run_as_command_of_the_model(agent, "prompt", prompt=prompt)
        assert "Only the user may do this" in said, prompt
        assert agent.record == before
    stranger = CodingAgent(home, host, session="s2")
    run_as_command_of_the_model(stranger, "prompt", prompt="/outlast resume")
    plan = {"tool_name": "ExitPlanMode", "tool_input": {"plan": "# X\n\n1. a b\n2. c d\n"}}
    said = run_as_command_of_the_model(stranger, "post-tool", **plan)
    assert "could not save the accepted plan: a command of the model reported it" in said
    assert stranger.record is None


@pytest.mark.skipif(sys.platform != "linux", reason="it is known on Linux only")
def test_a13_a_command_of_the_model_may_ask_and_report(home: Path) -> None:
    make_plan(home, "one")
    agent = CodingAgent(home)
    agent.types("/outlast resume")
    assert "Working on" in run_as_command_of_the_model(agent, "prompt", prompt="/outlast status")
    assert "Done: 1 one" in run_as_command_of_the_model(agent, "prompt", prompt="/outlast done")


def test_u7_what_the_agent_starts_as_its_hook_is_the_users(home: Path) -> None:
    make_plan(home, "one")
    given = json.dumps({"session_id": "s1", "cwd": str(home), "prompt": "/outlast resume"})
    program = (sys.executable, "-m", "outlast", "hook", "prompt", "--agent", "claude-code")
    run_in_session(given, *program, CLAUDECODE="1", CLAUDE_PROJECT_DIR=str(home))
    assert CodingAgent(home).record is not None


@pytest.mark.skipif(sys.platform != "linux", reason="it is known on Linux only")
def test_a13_a_command_that_poses_as_a_hook_is_recognized(home: Path) -> None:
    make_plan(home, "one")
    given = json.dumps({"session_id": "s1", "cwd": str(home), "prompt": "/outlast resume"})
    program = (sys.executable, "-m", "outlast", "hook", "prompt", "--agent", "claude-code")
    poses = ("setsid", "-w", "env", f"CLAUDE_PROJECT_DIR={home}")
    said = run_in_session(given, *poses, *program, CLAUDECODE="1")
    assert "Only the user may do this" in said
    assert CodingAgent(home).record is None


def make_agent(program: Path) -> str:
    """Return a program that starts another one as the agent starts its hooks."""
    program.write_text('#!/bin/sh\nCLAUDE_PROJECT_DIR=. "$@"\ntrue\n')
    program.chmod(0o755)
    return str(program)


@pytest.mark.skipif(sys.platform != "linux", reason="it is known on Linux only")
@pytest.mark.parametrize(
    ("name", "variables"),
    [
        ("node", {"CLAUDE_CODE_ENTRYPOINT": "claude-vscode"}),  # an editor starts the agent
        ("claude", {"CLAUDECODE": "1"}),  # in a terminal that another agent has opened
    ],
)
def test_u7_what_the_agent_was_started_with_makes_its_hooks_no_commands(
    home: Path, tmp_path: Path, name: str, variables: dict[str, str]
) -> None:
    make_plan(home, "one")
    given = json.dumps({"session_id": "s1", "cwd": str(home), "prompt": "/outlast resume"})
    program = (sys.executable, "-m", "outlast", "hook", "prompt", "--agent", "claude-code")
    said = run_in_session(given, make_agent(tmp_path / name), *program, **variables)
    assert "Working on add-oauth" in said
    assert CodingAgent(home).record is not None
