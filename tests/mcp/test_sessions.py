"""Which plan a server works on: that of the agent's session, never one that nobody has chosen."""

import asyncio
import os
import shlex
import sys
from pathlib import Path

import pytest

import outlast
from outlast.hosts.session_plan import detach_session
from outlast.hosts.sessions import attach, session_files
from outlast.hosts.wire.events import HostName
from outlast.system.process_identity import identify_process
from tests.cli.processes import stdout_of
from tests.hosts.coding_agent import CodingAgent
from tests.mcp.clients import MODES, inside, over_stdio, read, run, text_of

both = pytest.mark.parametrize("mode", MODES)
CLAUDE = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "c1"}


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The variables of a coding agent's session, which is attached to no plan."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    variables = {**CLAUDE, "XDG_STATE_HOME": str(tmp_path / "state"), "PATH": path}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return variables


@pytest.fixture
def without_variables(session: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable of an agent, as Codex starts its servers."""
    assert session
    for name in CLAUDE:
        monkeypatch.delenv(name)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A directory with the plan of somebody else."""
    where = tmp_path / "project"
    where.mkdir()
    with outlast.create_plan(where, "Ship it") as plan:
        plan.add("A")
    return where


def tasks_of(where: Path, key: str) -> list[tuple[str, str]]:
    with outlast.open_plan(where, key) as plan:
        return [(task.name, task.status) for task in plan.tasks()]


@both
@pytest.mark.usefixtures("session")
def test_a_session_that_is_not_attached_neither_sees_nor_changes_the_plan_of_another(
    project: Path, mode: str
) -> None:
    calls: dict[str, dict[str, object]] = {
        "plan_read": {},
        "plan_details": {"about": "tasks"},
        "complete_task": {"task": 1, "result": "ok"},
        "skip_task": {"task": 1, "reason": "x"},
    }

    async def talk() -> None:
        async with inside(project, mode) as client:
            for tool, arguments in calls.items():
                answer = await text_of(client, tool, **arguments)
                assert "- ○" not in answer
                assert answer.endswith(
                    "Unfinished plans here that this session is not attached to: ship-it 0/1. Only "
                    "if the user wants to continue one, attach the session to it, such as with: "
                    "outlast attach ship-it"
                )
            assert "attach ship-it" in await read(client, "plan://current")
            assert "0/1 done" in await text_of(client, "add_tasks", tasks=["Mine"])
            mine = await text_of(client, "plan_read")
            assert "Mine" in mine
            assert "attached" not in mine

    run(talk())
    assert tasks_of(project, "ship-it") == [("A", "pending")]
    assert tasks_of(project, "mine") == [("Mine", "in_progress")]


@both
@pytest.mark.usefixtures("session")
def test_r2_the_functions_of_plan_manager_name_the_plans_that_wait(
    project: Path, mode: str
) -> None:
    async def talk() -> None:
        async with inside(project, mode, which="planmanager") as client:
            result = await client.call_tool("getPlanStatus", {})
            assert result.structured_content is not None
            assert result.structured_content["data"]["total_tasks"] == 0
            assert "outlast attach ship-it" in result.structured_content["notice"]
            assert "outlast attach ship-it" in str(result.content[0])

    run(talk())


@pytest.mark.usefixtures("session")
def test_u1_the_goal_of_a_plan_names_it_in_any_session(project: Path) -> None:
    async def talk() -> None:
        async with inside(project, "auto") as client:
            await text_of(client, "add_tasks", tasks=["B"], goal=" Ship  it")

    run(talk())
    assert [name for name, _ in tasks_of(project, "ship-it")] == ["A", "B"]


def test_a_session_works_on_the_plan_that_it_attaches_itself_to(
    project: Path, session: dict[str, str]
) -> None:
    async def talk() -> None:
        async with inside(project, "auto") as client:
            answer = await text_of(client, "plan_read")
            command = shlex.split(answer.rpartition(": ")[2])
            await asyncio.to_thread(stdout_of, project, *command[1:], **session)
            assert "1/1 done" in await text_of(client, "complete_task", task=1, result="ok")
            await asyncio.to_thread(stdout_of, project, "detach", **session)
            assert "A" not in (await text_of(client, "plan_read")).partition("\n")[0]

    run(talk())
    assert tasks_of(project, "ship-it") == [("A", "completed")]


@both
@pytest.mark.parametrize("host", ["codex", "gemini-cli"])
@pytest.mark.usefixtures("without_variables")
def test_a_server_that_init_has_set_up_is_for_an_attached_session_only(
    project: Path, monkeypatch: pytest.MonkeyPatch, mode: str, host: str
) -> None:
    if host == "gemini-cli":
        monkeypatch.setenv("GEMINI_CLI", "1")

    async def talk() -> None:
        async with inside(project, mode, actor=host) as client:
            assert "outlast attach ship-it" in await text_of(client, "plan_read")
            assert "0/1 done" in await text_of(client, "add_tasks", tasks=["Mine"])

    run(talk())
    assert tasks_of(project, "ship-it") == [("A", "pending")]


@both
@pytest.mark.parametrize("variable", ["GEMINI_CLI", "CLAUDECODE"])
@pytest.mark.parametrize("actor", [None, "nina"])
@pytest.mark.usefixtures("without_variables")
def test_a_server_that_knows_no_session_works_on_the_current_plan(
    project: Path, monkeypatch: pytest.MonkeyPatch, mode: str, variable: str, actor: str | None
) -> None:
    monkeypatch.setenv(variable, "1")

    async def talk() -> None:
        async with inside(project, mode, actor=actor) as client:
            assert "0/2 done" in await text_of(client, "add_tasks", tasks=["B"])
            assert "attach" not in await text_of(client, "plan_read")
            assert "1/2 done" in await text_of(client, "complete_task", task=1, result="ok")

    run(talk())
    assert [name for name, _ in tasks_of(project, "ship-it")] == ["A", "B"]


def test_an_agent_finds_the_command_that_a_notice_names(
    project: Path, session: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert session
    monkeypatch.setenv("PATH", str(tmp_path))

    async def talk() -> None:
        async with inside(project, "auto") as client:
            answer = await text_of(client, "plan_read")
            programs.append(shlex.split(answer.rpartition(": ")[2])[0])

    programs = list[str]()
    run(talk())
    assert Path(programs[0]).is_absolute()
    assert Path(programs[0]).is_file()


@both
@pytest.mark.parametrize("actor", ["agent", "codex"])
@pytest.mark.usefixtures("without_variables")
def test_a_server_without_variables_serves_the_session_of_its_agents_process(
    project: Path, mode: str, actor: str
) -> None:
    outlast.create_plan(project, "Current").close()
    assert CodingAgent(project, "codex").types("$outlast resume ship-it").model
    with outlast.open_plan(project, "current") as plan:
        plan.add("B")

    async def talk() -> None:
        async with inside(project, mode, actor=actor) as client:
            assert "1/1 done" in await text_of(client, "complete_task", task=1, result="ok")

    run(talk())
    assert tasks_of(project, "ship-it") == [("A", "completed")]


@both
@pytest.mark.parametrize(("host", "actor"), [("codex", "codex"), ("gemini", "gemini-cli")])
@pytest.mark.usefixtures("without_variables")
def test_where_processes_are_unknown_a_server_serves_the_session_that_was_used_last(
    project: Path, mode: str, host: HostName, actor: str
) -> None:
    outlast.create_plan(project, "Other").close()
    elsewhere = project.parent / "elsewhere"
    elsewhere.mkdir()
    with (
        outlast.open_plan(project, "ship-it") as used,
        outlast.open_plan(project, "other") as other,
        outlast.create_plan(elsewhere, "Third") as third,
    ):
        for session, plan in {"s1": other, "s2": used, "s3": third}.items():
            attach(host, session, plan)
        attach("claude-code", "s4", other)
    os.utime(f"{session_files().directory(host, 's1')}/session.json", (1, 1))

    async def talk() -> None:
        async with inside(project, mode, actor=actor, process="") as client:
            assert "1/1 done" in await text_of(client, "complete_task", task=1, result="ok")
            for session in ("s1", "s2"):
                detach_session(host, session)
            assert "attach" not in await text_of(client, "plan_read")
            assert "0/1 done" in await text_of(client, "add_tasks", tasks=["Mine"])

    run(talk())
    assert tasks_of(project, "ship-it") == [("A", "completed")]
    assert tasks_of(project, "other") == [("Mine", "in_progress")]


@pytest.mark.usefixtures("session")
def test_where_processes_are_unknown_the_session_that_is_named_counts(project: Path) -> None:
    with outlast.open_plan(project, "ship-it") as plan:
        attach("claude-code", "another", plan)

    async def talk() -> None:
        async with inside(project, "auto", process="") as client:
            assert "outlast attach ship-it" in await text_of(client, "plan_read")

    run(talk())


@both
@pytest.mark.parametrize("actor", [None, "codex"])
def test_a_nested_session_is_not_served_the_plan_of_the_outer_one(
    project: Path, session: dict[str, str], mode: str, actor: str | None
) -> None:
    CodingAgent(project, session="outer").types("/outlast resume ship-it")
    CodingAgent(project, "codex", session="outer").types("$outlast resume ship-it")
    assert session["CLAUDE_CODE_SESSION_ID"] == "c1"

    async def talk() -> None:
        async with inside(project, mode, actor=actor, process=identify_process()) as client:
            assert "outlast attach ship-it" in await text_of(client, "plan_read")

    run(talk())


@both
def test_a_server_goes_on_with_the_session_that_its_agent_goes_on_with(
    project: Path, session: dict[str, str], mode: str
) -> None:
    outlast.create_plan(project, "Other").close()
    first = CodingAgent(project, session=session["CLAUDE_CODE_SESSION_ID"])
    first.types("/outlast resume other")

    async def talk() -> None:
        async with inside(project, mode) as client:
            assert "Other" in await text_of(client, "plan_read")
            CodingAgent(project, session="c2").types("/outlast resume ship-it")
            assert "1/1 done" in await text_of(client, "complete_task", task=1, result="ok")

    run(talk())
    assert tasks_of(project, "ship-it") == [("A", "completed")]


@both
def test_u1_a_new_goal_leaves_an_attached_plan_that_has_ended(
    project: Path, session: dict[str, str], mode: str
) -> None:
    CodingAgent(project, session=session["CLAUDE_CODE_SESSION_ID"]).types("/outlast resume ship-it")

    async def talk() -> None:
        async with inside(project, mode) as client:
            await text_of(client, "add_tasks", tasks=["B"], goal="Another goal")
            await text_of(client, "complete_task", task=1, result="ok")
            assert "2/2 done" in await text_of(client, "complete_task", task=2, result="ok")
            assert "A" in await text_of(client, "plan_read", includeCompleted=True)
            assert "0/1 done" in await text_of(client, "add_tasks", tasks=["Boil"], goal="Tea")
            assert "1/1 done" in await text_of(client, "complete_task", task=1, result="ok")
            assert "Boil" in await text_of(client, "plan_read", includeCompleted=True)
            assert "2/3 done" in await text_of(client, "add_tasks", tasks=["C"], goal="Ship it")
            assert "3/3 done" in await text_of(client, "complete_task", task=3, result="ok")

    run(talk())
    assert tasks_of(project, "tea") == [("Boil", "completed")]


@pytest.mark.usefixtures("session")
def test_only_plans_that_are_unfinished_are_named(project: Path) -> None:
    for name in ("b", "c", "d"):
        outlast.create_plan(project, name, f"{name}\u202e it's").close()
    with outlast.open_plan(project, "ship-it") as plan:
        plan.complete(1, "ok")

    async def talk() -> None:
        async with inside(project, "auto") as client:
            answer = await text_of(client, "plan_read")
            assert "ship-it" not in answer
            assert "\u202e" not in answer
            assert answer.count("it's 0/0") == 3
        with outlast.create_plan(project, "e"):
            pass
        async with inside(project, "auto") as client:
            assert ", …." in await text_of(client, "plan_read")

    run(talk())


@pytest.mark.slow
def test_any_other_client_works_on_the_current_plan(project: Path) -> None:
    async def talk() -> None:
        async with over_stdio(project, "auto") as client:
            assert "1/1 done" in await text_of(client, "complete_task", task=1, result="ok")
        async with over_stdio(project, "auto", answer=None, heard=None, **CLAUDE) as client:
            assert "No plan exists" in await text_of(client, "plan_read")

    run(talk())


@both
@pytest.mark.parametrize(
    ("which", "tool", "arguments"),
    [
        (
            "todo",
            "todo_write",
            {
                "todos": [{"content": "Boil", "status": "pending", "activeForm": "Boiling"}],
                "persist": True,
                "planTitle": "Tea",
            },
        ),
        ("planmanager", "initializePlan", {"goal": "Tea", "tasks": [{"name": "Boil"}]}),
        ("default", "add_tasks", {"goal": "Tea", "tasks": ["Boil"]}),
    ],
)
@pytest.mark.parametrize("reads_first", [True, False])
def test_u1_a_goal_or_title_that_is_another_is_another_plan(  # noqa: PLR0913
    project: Path,
    mode: str,
    which: str,
    tool: str,
    arguments: dict[str, object],
    *,
    reads_first: bool,
) -> None:
    reading = "getTaskList" if which == "planmanager" else "plan_read"

    async def talk() -> None:
        async with inside(project, mode, which=which) as client:  # type: ignore[arg-type]
            if reads_first:
                assert "A" in await text_of(client, reading)
            assert not (await client.call_tool(tool, arguments)).is_error
            assert "Boil" in await text_of(client, reading)

    run(talk())
    assert [name for name, _ in tasks_of(project, "tea")] == ["Boil"]
    assert tasks_of(project, "ship-it") == [("A", "pending")]


def test_u1_a_new_goal_after_the_last_one_is_reached_is_another_plan(project: Path) -> None:
    async def talk() -> None:
        async with inside(project, "auto") as client:
            await text_of(client, "complete_task", task=1, result="ok")
            await text_of(client, "add_tasks", tasks=["Boil"], goal="Tea")

    run(talk())
    assert tasks_of(project, "ship-it") == [("A", "completed")]
    assert tasks_of(project, "tea") == [("Boil", "in_progress")]


@both
@pytest.mark.parametrize("rounds", range(3))
def test_parallel_first_calls_create_one_plan(tmp_path: Path, mode: str, rounds: int) -> None:
    async def talk() -> None:
        async with inside(tmp_path, mode) as client:
            await asyncio.gather(
                *(
                    text_of(
                        client,
                        "findings_write",
                        category="insight",
                        title=f"Finding {number}",
                        content=f"Round {rounds}",
                    )
                    for number in range(4)
                )
            )

    run(talk())
    (listed,) = outlast.list_plans(tmp_path)
    with outlast.open_plan(tmp_path, listed.key) as plan:
        assert len(plan.notes.findings()) == 4
