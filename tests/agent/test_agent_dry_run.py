"""U3: `AgentLoop` records what it works with, and only plans while a plan needs approval."""

import asyncio
from pathlib import Path

import pytest

from outlast import AgentLoop, Plan, create_plan, open_plan
from outlast.agent.dry_run import planning_only_hook
from outlast.agent.events import Event, Notified
from outlast.agent.tools.choice import built_in_tools
from outlast.changes import RunRemembered
from outlast.errors import InvalidArgument
from outlast.hooks.port import HookContext, HookResult
from outlast.models import Call, Reply
from outlast.plans import LastRun
from tests.fake_model import FakeModel

TASKS = Call("add_tasks", {"tasks": [{"name": "one"}, {"name": "two"}]})
WRITE = Call("write_file", {"path": "out.txt", "content": "x"})
DONE = Call("complete_task", {"task": 1, "result": "done"})
PERSON = "human"


def test_an_agent_that_only_plans_ends_no_task_under_any_tool_name() -> None:
    hook = planning_only_hook(("read_file",), "en")

    def allowed(tool: str) -> bool:
        result = hook(HookContext("pre_tool_use", tool, {}), None)
        assert result is None or isinstance(result, HookResult)
        return result is None or result.should_continue

    assert all(map(allowed, ("read_file", "add_tasks", "plan_read", "findings_write", "ask_user")))
    work = ("complete_task", "completeTask", "todo_write", "skip_task", "write_file", "bash", "x")
    assert not any(map(allowed, work))
    assert hook(HookContext("on_stop"), None) is None


def work_on(
    root: Path, *replies: Reply, events: list[Event] | None = None, **options: object
) -> FakeModel:
    model = FakeModel(list(replies))
    agent = AgentLoop(
        model=model,
        tools=built_in_tools(str(root)),
        workdir=root,
        key="k",
        on_event=None if events is None else events.append,
        **options,  # type: ignore[arg-type]
    )
    asyncio.run(agent.run("Write it"))
    return model


def statuses(plan: Plan) -> list[str]:
    return [task.status for task in plan.tasks()]


def test_u3_a_loop_records_what_it_works_with_and_reads_nothing_of_it(tmp_path: Path) -> None:
    work_on(tmp_path, Reply("", (TASKS,)), Reply("Later."), actor="bot", max_iterations=2)
    with open_plan(tmp_path, "k") as plan:
        assert plan.last_run == LastRun("fake", "bot", "en", 2)
        first = plan.revision
    work_on(tmp_path, Reply("Later."), language="zh")
    with open_plan(tmp_path, "k") as plan:
        assert plan.last_run == LastRun("fake", "agent", "zh", 20)
        commits = plan.history.commits(1_000)
    recorded = [
        commit
        for commit in commits
        if commit.revision > first
        and any(isinstance(change, RunRemembered) for change in commit.changes)
    ]
    assert len(recorded) == 1, "one commit, which the start of a run makes anyway"


def test_u3_a_script_is_remembered_from_wherever_it_was_named(tmp_path: Path) -> None:
    script = tmp_path / "model.yaml"
    script.write_text("- say: Hello.\n", encoding="utf-8")
    with create_plan(tmp_path, "Say hello", "k") as plan:
        plan.add("one")
        asyncio.run(AgentLoop(model=f"script:{script}", plan=plan, max_iterations=1).run("Go"))
        assert plan.last_run == LastRun(f"script:{script}", "agent", "en", 1)


@pytest.mark.parametrize("name", ["", "two\nlines", "x" * 2_000, None])
def test_u3_a_model_without_a_usable_name_is_remembered_as_none(
    tmp_path: Path, name: str | None
) -> None:
    model = FakeModel([Reply("", (TASKS,)), Reply("Later.")])
    model.name = name  # type: ignore[assignment]
    asyncio.run(AgentLoop(model=model, workdir=tmp_path, key="k").run("Write it"))
    with open_plan(tmp_path, "k") as plan:
        assert plan.last_run == LastRun("", "agent", "en", 20)


def test_u3_a_dry_run_and_every_later_run_only_plan_until_a_person_approves(tmp_path: Path) -> None:
    events: list[Event] = []
    eager = (Reply("", (TASKS, WRITE)), Reply("", (DONE, WRITE)), Reply("First one, then two."))
    work_on(tmp_path, *eager, events=events, dry_run=True)
    refused = [event.text for event in events if isinstance(event, Notified)]
    assert any(text.startswith("Not done: complete_task") for text in refused)
    later = work_on(tmp_path, *eager[1:], max_iterations=2)
    assert "Only plan for now" in str(later.last_messages)
    assert not (tmp_path / "out.txt").exists()
    with open_plan(tmp_path, "k") as plan:
        assert (plan.needs_approval, statuses(plan)) == (True, ["pending", "pending"])
        with pytest.raises(InvalidArgument, match="only a person"):
            plan.approve()
        plan.acting_as(PERSON).approve()
        assert not plan.needs_approval
    work_on(tmp_path, Reply("", (WRITE, DONE)), Reply("Later."))
    with open_plan(tmp_path, "k") as plan:
        assert statuses(plan) == ["completed", "in_progress"]
    assert (tmp_path / "out.txt").exists()


@pytest.mark.parametrize("end", ["complete", "fail", "abort"])
def test_u3_the_next_plan_after_an_unapproved_one_needs_approval_too(
    tmp_path: Path, end: str
) -> None:
    work_on(tmp_path, Reply("", (TASKS,)), Reply("Planned."), dry_run=True)
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        end_plan(plan, end)
        assert (plan.status in ("completed", "failed"), plan.needs_approval) == (True, True)
        ended = plan.id
    work_on(tmp_path, Reply("", (TASKS, WRITE)), Reply("", (WRITE, DONE)), Reply("Later."))
    with open_plan(tmp_path, "k") as plan:
        assert (plan.id != ended, plan.needs_approval) == (True, True)
        assert statuses(plan) == ["pending", "pending"]
        assert not (tmp_path / "out.txt").exists()
        plan.acting_as(PERSON).approve()
    work_on(tmp_path, Reply("", (WRITE, DONE)), Reply("Later."))
    assert (tmp_path / "out.txt").exists()


def end_plan(plan: Plan, end: str) -> None:
    if end == "abort":
        plan.abort()
        return
    plan.complete(1)
    if end == "fail":
        plan.fail(2, "no", retry=False)
    else:
        plan.complete(2)


def test_u3_the_next_plan_in_memory_or_in_a_given_handle_needs_approval_too(tmp_path: Path) -> None:
    for plan in (create_plan("memory:", "Write it", "k"), create_plan(tmp_path, "Write it", "k")):
        with plan:
            tools = built_in_tools(str(tmp_path))
            dry = FakeModel([Reply("", (TASKS,)), Reply("Planned.")])
            asyncio.run(AgentLoop(model=dry, plan=plan, dry_run=True).run("Write it"))
            plan.acting_as(PERSON).abort()
            eager = FakeModel([Reply("", (TASKS, WRITE)), Reply("", (DONE, WRITE)), Reply("Done.")])
            asyncio.run(AgentLoop(model=eager, plan=plan, tools=tools).run("Something else"))
            assert plan.needs_approval
            assert not (tmp_path / "out.txt").exists()


def test_u3_a_dry_run_of_declared_steps_asks_nobody_whether_to_begin(tmp_path: Path) -> None:
    work_on(tmp_path, Reply("[Step] one\n[Step] two"), Reply("Planned."), dry_run=True, ask=True)
    with open_plan(tmp_path, "k") as plan:
        assert (plan.questions.open(), statuses(plan)) == ((), ["pending", "pending"])


def test_u3_brief_and_plan_block_tell_every_agent_that_it_may_only_plan(tmp_path: Path) -> None:
    work_on(tmp_path, Reply("", (TASKS,)), Reply("Planned."), dry_run=True)
    only = "Only plan: a person has to approve this plan before anything is changed or run"
    with open_plan(tmp_path, "k") as plan:
        for words in (plan.context(), plan.context(brief=True)):
            assert only in words
        assert "do none of them yet" in plan.context()
        plan.acting_as(PERSON).approve()
        assert only not in plan.context() + plan.context(brief=True)
