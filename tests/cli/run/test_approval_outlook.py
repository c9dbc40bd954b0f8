"""X3: before a run goes on it says what it will and will not do again."""

import pytest

from outlast import NewTask, Plan
from outlast.cli.run.approval import group_tasks, outlook_lines
from outlast.console.call import Call
from outlast.model import commands as c
from outlast.model.execute import return_commit
from tests.agent.runtime.lanes import new_plan

EN, ZH = Call("resume", {}, {"lang": "en"}), Call("resume", {}, {"lang": "zh"})


@pytest.fixture
def plan() -> Plan:
    return new_plan(0)


def do(plan: Plan, *commands: c.Command) -> None:
    plan.core.commit(commands, return_commit)


def begin(plan: Plan, task: int) -> str:
    """Let an agent begin to work on a task; return the attempt."""
    do(plan, c.Start(f"agent/{task}", task), c.BeginAttempt(task, "delegate", "fake task-1"))
    return plan.core.read(lambda state: next(reversed(state.ledger.attempts)))


def report(plan: Plan, task: int) -> str:
    attempt = begin(plan, task)
    do(plan, c.EndAttempt(attempt, "done"), c.NoteReport(attempt, "fake", "SUCCESS"))
    return attempt


def groups(plan: Plan) -> dict[str, list[int]]:
    found = plan.core.read(group_tasks)
    return {key.removeprefix("outlook_"): [t.id for t in tasks] for key, tasks in found.items()}


def test_x3_every_task_is_told_once_by_where_it_stands(plan: Plan) -> None:
    plan.add_all(NewTask(f"T{n}") for n in range(1, 10))
    do(plan, c.Start("agent/1", 1), c.Complete(1, "agent/1"))
    do(plan, c.Start("agent/2", 2), c.Fail(2, "agent/2", "no", retry=False))
    begin(plan, 3)
    report(plan, 4)
    do(plan, c.NoteDecision(report(plan, 5), "replan", "a tent", "agent"))
    asked = report(plan, 6)
    do(plan, c.AskQuestion("What now?", "ask", asked, 6))
    answered = report(plan, 7)
    do(plan, c.AskQuestion("And now?", "ask", answered, 7))
    do(plan, c.AnswerQuestion("retry", "human", 2))
    begun = begin(plan, 8)
    do(plan, c.EndAttempt(begun, "lost"))
    assert groups(plan) == {
        "done": [1],
        "failed": [2],
        "in_doubt": [3],
        "reported": [4],
        "replanned": [5],
        "asked": [6],
        "answered": [7],
        "begun": [8],
        "left": [9],
    }


def test_x3_an_evaluation_that_was_interrupted_leaves_no_doubt_about_the_agent(plan: Plan) -> None:
    plan.add("A")
    report(plan, 1)
    do(plan, c.BeginAttempt(1, "think", "2 messages"))
    assert groups(plan) == {"reported": [1]}


def test_x3_what_a_decision_followed_is_tried_again(plan: Plan) -> None:
    plan.add("A")
    do(plan, c.NoteDecision(report(plan, 1), "retry", "no door", "agent"))
    assert groups(plan) == {"begun": [1]}


def test_x3_a_new_plan_needs_no_outlook_and_a_long_list_is_cut(plan: Plan) -> None:
    plan.add_all(NewTask(f"T{n}") for n in range(1, 9))
    assert outlook_lines(plan, EN) == []
    report(plan, 1)
    assert outlook_lines(plan, EN) == [
        "Reported, still to be checked: 1 T1",
        "Still to do: 2 T2, 3 T3, 4 T4, 5 T5, 6 T6, 2 more",
    ]
    assert outlook_lines(plan, ZH)[0] == "已收到报告，尚待检查：1 T1"
