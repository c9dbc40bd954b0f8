"""R0.01, R0.03, R0.12: agents in every layout, and the plans that follow under a key."""

import asyncio
import errno
import json
from pathlib import Path
from typing import Any

import pytest

from outlast import AgentLoop, Plan, create_plan, list_plans, open_plan, run
from outlast.agent import events as v
from outlast.cli.commands.program.doctor import inspect_plan
from outlast.errors import InvalidArgument, InvalidDocument, StoreError
from outlast.models import Call
from outlast.plan.home.layouts import LAYOUTS
from outlast.plan.home.workspace import Workspace
from outlast.plan.plan_list import repair_plan
from outlast.plans import Layout, archive_plan, list_archived, open_archived, restore_plan
from outlast.sessions import PlanningService
from outlast.settings import Settings
from outlast.system.clock import now
from outlast.testing import ScriptedModel, Turn
from tests.agent.runtime.poke_tool import POKE, Poke
from tests.plan.places import drop, names, wait_until
from tests.store.faults import FaultyDisk, Killed, QuickDisk

KEYS = ("telegram:123/..", "telegram:124/..")
DONE = Call("complete_task", {"task": 1, "result": "done"}, "d1")
WORK = (
    Turn("- Progress: 1/1", "It is done."),
    Turn("- Current step: 1.", calls=(POKE, DONE)),
    Turn(calls=(Call("add_tasks", {"tasks": ["One"]}, "a1"),)),
)
BROKEN = b'{"id": "plan_1", "goal": "Save me", "steps": ['
parametrize_layout = pytest.mark.parametrize("layout", LAYOUTS)


def agent_in(where: Path | str | None = None, key: str | None = None, **more: Any) -> AgentLoop:
    return AgentLoop(model=ScriptedModel(WORK), tools=[Poke()], workdir=where, key=key, **more)


def work(agent: AgentLoop, goal: str) -> None:
    assert asyncio.run(agent.run(goal)).status == "completed"


def layouts_in(workspace: Path) -> list[str]:
    """Return the layouts with plans of ours, without the archive."""
    paths = {layout: workspace.joinpath(*parts) for layout, parts in LAYOUTS.items()}
    return [layout for layout, path in paths.items() if [*path.glob("*/journal.jsonl")]]


@parametrize_layout
def test_r0_01_an_agent_works_in_a_layout_and_the_next_plans_stay_there(
    tmp_path: Path, layout: Layout
) -> None:
    agent = agent_in(tmp_path, "k", layout=layout)
    for goal in ("First", "Second"):
        work(agent, goal)
        assert layouts_in(tmp_path) == [layout]
    work(agent_in(tmp_path, "k"), "Third")
    other: Layout = "outlast" if layout == "sessions" else "sessions"
    work(agent_in(tmp_path, "k", layout=other), "Fourth")
    assert layouts_in(tmp_path) == [layout], "the key keeps its layout, whatever a program asks for"
    assert [plan.title for plan in list_archived(tmp_path)] == ["First", "Second", "Third"]
    archive_plan(tmp_path, "k")
    work(agent_in(tmp_path, "k", layout=other), "Fifth")
    assert layouts_in(tmp_path) == [layout], "also after everything was archived"


def test_r0_01_the_settings_and_run_choose_a_layout_too(tmp_path: Path) -> None:
    settings = Settings(layout="sessions")
    work(agent_in(tmp_path, "a", settings=settings), "First")
    asyncio.run(
        run(
            "Second", model=ScriptedModel(WORK), tools=[Poke()], workdir=tmp_path, layout="sessions"
        )
    )
    work(agent_in(tmp_path, "c", settings=settings, layout="code-agent"), "Third")
    assert layouts_in(tmp_path) == ["code-agent", "sessions"]
    work(agent_in(f"sqlite:///{tmp_path / 'plans.db'}", "d", settings=settings), "Fourth")
    with PlanningService(tmp_path, "e", settings=settings) as service:
        assert service.get_plan_directory() == str(tmp_path / ".sessions" / "e")
        service.initialize()
    assert (tmp_path / ".sessions" / "e" / "plan.json").exists()
    with PlanningService(tmp_path, "e", layout="code-agent") as service:
        assert service.get_plan_directory() == str(tmp_path / ".sessions" / "e")


def test_r0_01_an_unknown_layout_is_refused() -> None:
    with pytest.raises(InvalidArgument):
        agent_in(layout="elsewhere")


@parametrize_layout
def test_r0_01_switching_the_key_switches_the_plan_of_an_agent(
    tmp_path: Path, layout: Layout
) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    for goal in ("First", "Second"):
        for key in KEYS:
            work(agent_in(workspace, key, layout=layout), f"{goal} of {key}")
    assert names(tmp_path) == ["workspace"]
    for key in KEYS:
        with open_plan(workspace, key) as plan:
            assert plan.goal == f"Second of {key}"
    assert len([*workspace.joinpath(*LAYOUTS[layout]).glob("*/journal.jsonl")]) == 2
    assert sorted(plan.key for plan in list_archived(workspace)) == sorted(KEYS)


@parametrize_layout
def test_r0_01_everything_works_in_every_layout(tmp_path: Path, layout: Layout) -> None:
    work(agent_in(tmp_path, "k", layout=layout), "First")
    assert [(plan.key, plan.done) for plan in list_plans(tmp_path)] == [("k", 1)]
    assert inspect_plan(str(tmp_path), "k").problem is None
    assert repair_plan(tmp_path, "k") == []
    with PlanningService(tmp_path, "other") as service:
        assert service.cleanup(0) == ["k"]
    assert restore_plan(tmp_path, "k") == "k"
    with open_plan(tmp_path, "k") as plan:
        assert plan.files.paths()
        assert plan.history.commits()


def test_r0_01_the_next_plan_of_a_shared_one_is_shared(tmp_path: Path) -> None:
    with create_plan(tmp_path, "First", "k", shared=True) as plan:
        plan.abort()
    work(agent_in(tmp_path, "k"), "Second")
    journal = tmp_path / ".outlast" / "plans" / "k" / "journal.jsonl"
    assert journal.stat().st_mode & 0o077, "as far as the umask allows"


# A plan that is given


def given_plan(where: str, layout: Layout | None) -> Plan:
    plan = create_plan(where, "First", "k", layout=layout)
    plan.notes.add_finding("insight", "The door is red", "Very red")
    return plan


@pytest.mark.parametrize("kind", [*LAYOUTS, "database"])
def test_r0_03_a_given_plan_is_archived_and_its_handle_goes_over_to_the_next(
    tmp_path: Path, kind: Any
) -> None:
    is_database = kind == "database"
    where = f"sqlite:///{tmp_path / 'plans.db'}" if is_database else str(tmp_path)
    commits: list[Any] = []
    with given_plan(where, None if is_database else kind) as plan:
        plan.core.store.subscribe(commits.append)
        agent = AgentLoop(model=ScriptedModel(WORK), tools=[Poke()], plan=plan)
        for goal in ("First", "Second", "Third"):
            result = asyncio.run(agent.run(goal))
            assert result.status == "completed"
            assert result.plan is plan
            assert (plan.goal, [task.name for task in plan.tasks()]) == (goal, ["One"])
        assert plan.notes.findings() == ()
        assert plan.notices == []
        wait_until(lambda: commits and commits[-1].revision == plan.revision)
    assert [plan.title for plan in list_archived(where)] == ["First", "Second"]
    first = list_archived(where)[0].name
    with open_archived(where, first) as archived:
        assert [found.title for found in archived.notes.findings()] == ["The door is red"]
        assert [task.name for task in archived.tasks()] == ["One"]
    assert [plan.title for plan in list_plans(where)] == ["Third"]
    if not is_database:
        assert layouts_in(tmp_path) == [kind]
        assert len([*tmp_path.rglob("transcript.jsonl")]) == 3, "each plan has its own"
    assert restore_plan(where, first) == "k"
    with open_plan(where, "k") as restored:
        assert restored.goal == "First"


# plan.json


def test_r0_01_the_loop_writes_plan_json_from_the_first_commit_on(tmp_path: Path) -> None:
    view, seen = tmp_path / ".sessions" / "k" / "plan.json", list[Any]()

    def look() -> None:
        seen.append(json.loads(view.read_bytes()))

    turns = (
        Turn("- Progress: 2/2", "Both are done."),
        Turn("- Current step: 2.", say="[Done] It is in all of them."),
        Turn("- Current step: 1.", say="[Done]", calls=(POKE,)),
        Turn("- Progress: 0/2", calls=(POKE,)),
        Turn(say="[Step] Find the reports\n[Step] Read them", calls=(POKE,)),
    )
    agent = AgentLoop(
        model=ScriptedModel(turns), tools=[Poke(look)], workdir=tmp_path, key="k", layout="sessions"
    )
    assert asyncio.run(agent.run("Read the reports")).status == "completed"
    assert (seen[0]["goal"], seen[0]["status"]) == ("Read the reports", "running")
    document = json.loads(view.read_bytes())
    assert list(document) == [
        "id",
        "goal",
        "status",
        "created_at",
        "updated_at",
        "steps",
        "current_step_index",
        "iteration_count",
    ]
    assert (document["status"], document["current_step_index"]) == ("completed", 2)
    assert [step["description"] for step in document["steps"]] == ["Find the reports", "Read them"]
    assert [sorted(step) for step in document["steps"]] == [
        ["completed_at", "description", "id", "result", "started_at", "status"]
    ] * 2
    assert (view.parent / "deliverable.md").read_text().startswith("It is in all of them.\n")
    assert names(view.parent) == [
        *("deliverable.md", "journal.jsonl", "plan.json", "rendered.json", "transcript.jsonl")
    ]


# A file of another program that is no plan


@pytest.mark.parametrize(
    "content",
    [BROKEN, b"", b"[]", b"\x00\xff", b'{"id": "p", "goal": "g", "steps": [{"id": 1}]}'],
    ids=["truncated", "empty", "a list", "no text", "no steps"],
)
def test_r0_12_a_broken_plan_json_is_set_aside_and_work_goes_on(
    tmp_path: Path, content: bytes
) -> None:
    view, events = drop(tmp_path, content, "k"), list[Any]()
    agent = agent_in(tmp_path, "k", on_event=events.append)
    work(agent, "Save me")
    [kept] = view.parent.glob("plan.json.bad-*")
    assert kept.read_bytes() == content
    told = [event.text for event in events if isinstance(event, v.Notified)]
    assert (str(view) in told[0], str(kept) in told[0]) == (True, True)
    assert sum(str(kept) in text for text in told) == 1
    assert layouts_in(tmp_path) == ["sessions"]
    assert json.loads(view.read_bytes())["goal"] == "Save me"


def test_r0_12_the_notice_is_chinese_for_a_chinese_agent(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    view, events = drop(tmp_path, BROKEN, "k"), list[Any]()
    model = ScriptedModel([Turn(say="好")])
    asyncio.run(
        run("你好", model=model, workdir=tmp_path, key="k", language="zh", on_event=events.append)
    )
    [kept] = view.parent.iterdir()
    [told] = [event.text for event in events if isinstance(event, v.Notified)]
    assert told == f"{view} 不是可以读取的计划，已移开：{kept}；该标识可以用于新的计划"
    assert f"was set aside: {kept}" in caplog.text


def test_r0_12_a_broken_file_under_another_key_is_named_and_left_alone(tmp_path: Path) -> None:
    view, events = drop(tmp_path, BROKEN, "chat 7"), list[Any]()
    work(agent_in(tmp_path, on_event=events.append), "Save me")
    told = [event.text for event in events if isinstance(event, v.Notified)]
    assert told[0].startswith(f"{view} is not a plan that can be read; fix the file, or set it")
    assert told[0].endswith("outlast doctor --repair --plan 'chat 7'")
    assert view.read_bytes() == BROKEN
    [plan] = [plan for plan in list_plans(tmp_path) if plan.problem is None]
    assert (plan.title, plan.status) == ("Save me", "completed")


def test_r0_12_a_broken_file_is_no_plan_to_choose_from(tmp_path: Path) -> None:
    view = drop(tmp_path, BROKEN, "broken")
    with pytest.raises(InvalidDocument, match=f"{view} is not a plan that can be read") as error:
        open_plan(tmp_path)
    assert "Unterminated" not in str(error.value), "no parser's sentence"
    create_plan(tmp_path, "Good", "good").close()
    with open_plan(tmp_path) as plan:
        assert plan.goal == "Good"
        assert [key for key, _ in plan.notices] == ["plan_file_unreadable"]


def test_r0_12_a_file_that_was_repaired_meanwhile_is_not_set_aside(tmp_path: Path) -> None:
    drop(tmp_path, BROKEN, "k")
    assert [key for key, _ in repair_plan(tmp_path, "k")] == ["plan_file_set_aside"]
    create_plan(tmp_path, "New", "k").close()
    assert layouts_in(tmp_path) == ["sessions"], "where the broken file was"
    assert repair_plan(tmp_path, "k") == []
    good = drop(tmp_path, b'{"goal": "Good", "steps": []}', "good")
    assert repair_plan(tmp_path, "good") == []
    assert good.exists()


def test_r0_12_a_broken_task_plan_is_set_aside_too(tmp_path: Path) -> None:
    view = tmp_path / ".code-agent" / "plans" / "k" / "task_plan.md"
    view.parent.mkdir(parents=True)
    view.write_bytes(b"\xff\xfe# No text")
    work(agent_in(tmp_path, "k"), "Save me")
    assert layouts_in(tmp_path) == ["code-agent"]
    assert [path.read_bytes() for path in view.parent.glob("*.bad-*")] == [b"\xff\xfe# No text"]


def test_r0_12_a_merge_conflict_is_a_persons_to_resolve(tmp_path: Path) -> None:
    view = tmp_path / ".outlast" / "plans" / "k" / "task_plan.md"
    view.parent.mkdir(parents=True)
    view.write_text("# Plan\n\n<<<<<<< HEAD\n- [ ] ○ a\n=======\n- [ ] ○ b\n>>>>>>> theirs\n")
    with pytest.raises(InvalidDocument, match="resolve the conflict first"):
        asyncio.run(agent_in(tmp_path, "k").run("Save me"))
    assert repair_plan(tmp_path, "k") == []
    assert names(view.parent) == ["task_plan.md"]


def test_r0_12_a_file_that_cannot_be_set_aside_stays_and_the_agent_goes_on(tmp_path: Path) -> None:
    view, events = drop(tmp_path, BROKEN, "k"), list[Any]()
    view.unlink()
    view.mkdir()
    agent = agent_in(tmp_path, "k", on_event=events.append)
    asyncio.run(agent.run("Save me"))
    assert [event.kind for event in events if isinstance(event, v.Notified)][:1] == ["degraded"]
    assert view.is_dir()


def test_f1_a_crash_while_a_broken_file_is_set_aside_loses_nothing(tmp_path: Path) -> None:
    view = drop(tmp_path, BROKEN, "k")
    for at in range(1, 100):
        try:
            Workspace(str(tmp_path), FaultyDisk(QuickDisk(), at)).set_unreadable_aside("k", now())
        except Killed:
            [left] = view.parent.iterdir()
            assert left.read_bytes() == BROKEN
            left.rename(view)
        else:
            assert at > 5
            break
    [kept] = view.parent.iterdir()
    assert (kept.name.startswith("plan.json.bad-"), kept.read_bytes()) == (True, BROKEN)


def test_f5_a_broken_file_that_cannot_be_renamed_stays(tmp_path: Path) -> None:
    view = drop(tmp_path, BROKEN, "k")
    disk = FaultyDisk(QuickDisk(), error=OSError(errno.EROFS, ""))
    disk.deadly = "rename"
    with pytest.raises(StoreError):
        Workspace(str(tmp_path), disk).set_unreadable_aside("k", now())
    assert view.read_bytes() == BROKEN
