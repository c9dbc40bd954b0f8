"""R4: what our hooks do in real coding agents, against a model server on loopback."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from outlast import Plan, open_plan
from outlast.context.chat_model import Call
from tests.agents.client import CLIENTS, command, require_client, settings_path
from tests.agents.hosts.hooked import SUMMARY, HookedHost, approver, open_host
from tests.fake_model import ModelRequest

pytestmark = [pytest.mark.agents, pytest.mark.slow, pytest.mark.xdist_group("agents")]
GOAL: Final = f"Add OAuth to the web application {'so that people sign in ' * 20}once a day"
SAID: Final = "Never touch the file legacy.txt."
APPROVED: Final = "# Add OAuth\n\n1. Write the callback\n2. Store the token\n3. Sign people out\n"
INTRO: Final = "You work on the plan"
PLAN_FILE: Final = re.compile(r"/\S+/plans/[\w-]+\.md")
_SETTINGS: Final = {  # of a user, in forms that no program would write
    "claude-code": '{"model":   "opus",\n "hooks": {"Stop": [{"hooks": []}]}, "theme":"dark"}',
    "codex": '{\n\t"hooks": {"Stop": []}}\n\n',
    "gemini-cli": '// mine\n{"general": {"enableAutoUpdate": false},\n  "ui": {} }',
}


@pytest.fixture(params=CLIENTS)
def host(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[HookedHost]:
    with open_host(tmp_path, request.param) as opened:
        yield opened


@pytest.fixture
def claude(tmp_path: Path) -> Iterator[HookedHost]:
    with open_host(tmp_path, "claude-code") as opened:
        yield opened


def names(plan: Plan) -> list[str]:
    return [task.name for task in plan.tasks()]


def plan_of(host: HookedHost) -> Plan:
    return open_plan(host.scene.workspace)


def journals(host: HookedHost) -> dict[str, bytes]:
    found = (host.scene.workspace / ".outlast").rglob("*.jsonl")
    return {str(path): path.read_bytes() for path in found}


def make_plan(host: HookedHost, *check: str) -> None:
    host.outlast("new", GOAL, "--key", "oauth")
    host.outlast("add", "Write the callback", *check)
    host.outlast("add", "Store the token")


def write_plan(request: ModelRequest) -> Call:
    """Write the plan into the file that the agent wants it in."""
    told = "\n".join(message.text for message in request.messages)
    named = PLAN_FILE.search(told)
    assert named is not None, told
    return Call("Write", {"file_path": named[0], "content": APPROVED})


PLAN_MODE: Final = ("--permission-mode", "plan")


def test_r4_08_a_plan_accepted_in_plan_mode_becomes_the_plan_of_the_session(
    claude: HookedHost,
) -> None:
    turns = (write_plan, Call("ExitPlanMode", {}), "I begin.")
    run = claude.prompt("Plan it.", *turns, options=(*PLAN_MODE, *approver()))
    with plan_of(claude) as plan:
        assert names(plan) == ["Write the callback", "Store the token", "Sign people out"]
        assert plan.task(1).status == "in_progress"
        assert {commit.author for commit in plan.history.commits(20)} == {"claude-code"}
        key = plan.key
    assert f"The accepted plan is now Outlast's plan {key}" in run.request()

    done = claude.shell(command("done", "1", "-m", "written"))
    later = claude.prompt("Go on.", done, "More later.", session=run.session)
    assert "Store the token" in later.request(0), "the session has its plan"
    with plan_of(claude) as plan:
        assert plan.task(1).status == "completed"


def test_r4_08_a_plan_that_the_user_refuses_becomes_none(claude: HookedHost) -> None:
    turns = (write_plan, Call("ExitPlanMode", {}), "Then not.")
    claude.prompt("Plan it.", *turns, options=(*PLAN_MODE, *approver("refuse")))
    assert journals(claude) == {}


def test_r4_05_the_plan_is_in_the_next_request_and_is_told_once(host: HookedHost) -> None:
    make_plan(host)
    look = host.shell("ls")
    run = host.prompt(host.slash("resume"), look, look, "I have looked.")
    assert len(run.requests) == 3
    for request in range(3):
        assert run.request(request).count(INTRO) == 1
        assert GOAL in run.request(request)
        assert "Write the callback" in run.request(request)
    again = host.prompt("Go on.", look, "Yes.", session=run.session)
    assert GOAL in again.request(0)
    with plan_of(host) as plan:
        assert plan.task(1).status == "in_progress"


def test_u7_the_status_is_told_to_the_user_without_a_model(host: HookedHost) -> None:
    make_plan(host)
    run = host.prompt(host.slash("resume"), "I have looked.")
    told = host.prompt(host.slash("status"), session=run.session)
    assert told.requests == []
    if host.name != "codex":  # it shows the reason in its own window only
        assert "Write the callback" in told.output


@pytest.mark.parametrize("host", CLIENTS[:2], indirect=True)  # Gemini CLI says nothing after it
def test_r0_14_a_compaction_keeps_the_goal_and_what_the_user_said(host: HookedHost) -> None:
    make_plan(host)
    session = host.prompt(host.slash("resume"), "I have looked.").session
    host.prompt(SAID, "I will not.", session=session)
    host.compact(session)
    options = host.compacting
    run = host.prompt("Go on.", host.shell("ls"), "More later.", session=session, options=options)
    assert SUMMARY in run.request(), "the conversation was compacted"
    assert GOAL in run.request()
    assert SAID in run.request()
    assert "Write the callback" in run.request()


TODOS: Final = {  # the tool of each for its own list, with the names of its fields
    "claude-code": ("TodoWrite", "todos", "content"),
    "codex": ("update_plan", "plan", "step"),
    "gemini-cli": ("write_todos", "todos", "description"),
}
TODO_OPTIONS: Final = {"codex": ("--config", "tools.update_plan.enabled=true")}
TODO_VARIABLES: Final = {"CLAUDE_CODE_ENABLE_TODO_TOOLS": "1", "CLAUDE_CODE_ENABLE_TASKS": "0"}


def list_todos(host: HookedHost, *entries: tuple[str, str]) -> Call:
    """Return the call with which the agent writes its own list, of names and statuses."""
    tool, field, name = TODOS[host.name]
    todos = [{name: said, "status": status} for said, status in entries]
    if host.name == "claude-code":
        todos = [{**todo, "activeForm": todo[name]} for todo in todos]
    return Call(tool, {field: todos})


def test_r4_08_the_agents_own_list_is_kept_in_the_plan(host: HookedHost) -> None:
    make_plan(host)
    first = list_todos(host, ("Write the callback", "in_progress"), ("Ask Kim", "pending"))
    second = list_todos(host, ("Write the callback", "completed"), ("Ask Kim", "in_progress"))
    host.prompt(
        host.slash("resume"),
        first,
        second,
        "I go on tomorrow.",
        options=TODO_OPTIONS.get(host.name, ()),
        variables=TODO_VARIABLES,
    )
    with plan_of(host) as plan:
        assert plan.task(1).status == "completed"
        assert "Ask Kim" in names(plan)


def test_r4_07_a_tool_that_fails_three_times_brings_the_warning(host: HookedHost) -> None:
    make_plan(host)
    fails = host.shell("echo no such host; exit 3")
    run = host.prompt(host.slash("resume"), fails, fails, fails, "It does not work.")
    assert "<three-strike-warning>" in run.request()
    assert "<three-strike-warning>" not in run.request(2)


def test_r4_08_a_red_check_stops_a_false_done_once(host: HookedHost) -> None:
    make_plan(host, "--check", "test -f callback.py")
    said = "The callback is written and the task is done."
    run = host.prompt(host.slash("resume"), host.shell("touch notes.md"), said, said, said)
    assert len(run.requests) == 3, "it is held up once"
    assert "Task 1 is not done: test -f callback.py" in run.request()
    with plan_of(host) as plan:
        assert plan.task(1).status == "in_progress"


def test_r4_08_a_green_check_lets_it_go_and_the_task_is_done(host: HookedHost) -> None:
    make_plan(host, "--check", "test -f callback.py")
    said = "The callback is written and the task is done."
    edit = host.shell("touch notes.md")
    run = host.prompt(host.slash("resume"), edit, said, host.shell("touch callback.py"), said)
    assert len(run.requests) == 4
    with plan_of(host) as plan:
        assert (plan.task(1).status, plan.task(1).how) == ("completed", "proved")


def test_r4_08_an_agent_that_has_changed_nothing_may_stop(host: HookedHost) -> None:
    make_plan(host, "--check", "test -f callback.py")
    run = host.prompt(host.slash("resume"), "I have looked around and will go on tomorrow.")
    assert len(run.requests) == 1


def test_r4_08_an_unrelated_session_sees_and_changes_nothing(host: HookedHost) -> None:
    make_plan(host)
    host.prompt(host.slash("resume"), host.shell("ls"), "I have looked.")
    before = journals(host)
    run = host.prompt("What is the time?", host.shell("date"), "It is late. Everything is done.")
    assert len(run.requests) == 2
    for words in ("Outlast", "OAuth", "Write the callback"):
        assert words not in run.request(), words
    assert journals(host) == before


def test_u7_off_silences_every_hook(host: HookedHost) -> None:
    make_plan(host)
    session = host.prompt(host.slash("resume"), "I have looked.").session
    before = journals(host)
    run = host.prompt(
        "Go on.", host.shell("ls"), "Later.", session=session, variables={"OUTLAST_OFF": "1"}
    )
    assert len(run.requests) == 2
    assert journals(host) == before


@pytest.mark.parametrize("name", CLIENTS)
def test_u7_what_init_adds_is_removed_byte_for_byte(tmp_path: Path, name: str) -> None:
    require_client(name)
    with open_host(tmp_path, name) as host:
        host.init("--remove")
        path = settings_path(host.scene, name)
        assert "outlast" not in path.read_text() if path.exists() else name != "gemini-cli"
        path.parent.mkdir(exist_ok=True)
        path.write_text(_SETTINGS[name], encoding="utf-8")
        host.init()
        host.init()
        assert path.read_text(encoding="utf-8") != _SETTINGS[name]
        host.init("--remove")
        assert path.read_text(encoding="utf-8") == _SETTINGS[name]
        assert not list(host.scene.home.rglob("outlast.md"))
        assert not list(host.scene.home.rglob("outlast.toml"))
        assert not list(host.scene.home.rglob("skills/outlast"))
