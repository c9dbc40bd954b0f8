"""What is said when a loop has ended, and what an agent that only plans may do."""

import pytest

from outlast import Plan, create_plan
from outlast.domain.budget import Budget, Spend
from outlast.domain.commands import BeginAttempt
from outlast.domain.enact import receipt
from outlast.domain.loop_commands import Charge
from outlast.errors import TaskClaimed
from outlast.interfaces.cli.agent.planning_only import refusing_work
from outlast.interfaces.cli.agent.run_result import closed
from outlast.interfaces.cli.call import Call
from outlast.interfaces.cli.commands.answer import answer
from outlast.interfaces.cli.render.costs import cost_lines, whole_cost
from outlast.interfaces.cli.render.output import complaint
from outlast.interfaces.cli.render.tree import glance
from outlast.ports.events import Stopped, Why
from outlast.ports.hook import HookContext

RUN = Call("run", {"goal": ("Ship", "it"), "model": "script:m.yaml"}, {"lang": "en"})


def ended(why: Why, text: str, plan: Plan | None) -> tuple[int, list[str]]:
    answer = closed(RUN, Stopped("idle" if plan is None else plan.status, why, text), plan)
    return answer.code, answer.words().splitlines()


@pytest.fixture
def plan() -> Plan:
    made = create_plan("memory:", "Ship it", "ship")
    made.add("a")
    return made


def test_a_completed_plan_is_said_to_be_so_once(plan: Plan) -> None:
    plan.complete(1)
    assert ended("finished", "Plan completed: 1/1 steps", plan) == (
        0,
        [
            "Ship it  1/1 completed  [ship]",
            "  ● 1 a",
            "Look at it: outlast show --cost --lang en, outlast log --lang en",
        ],
    )
    code, lines = ended("overtaken", "The other run has ended it", plan)
    assert (code, lines[0]) == (0, "The other run has ended it")


def test_r4_08_a_model_that_is_let_go_early_has_not_succeeded(plan: Plan) -> None:
    plan.start(1)
    assert ended("answered", "I stop here.", plan)[0] == 1
    looking = Call("run", {"goal": ("/plan",)}, {"lang": "en"})
    assert closed(looking, Stopped(plan.status, "answered", "…"), plan).code == 0
    resumed = Call("resume", {}, {"lang": "en"})
    assert closed(resumed, Stopped(plan.status, "answered", "I stop."), plan).code == 1


@pytest.mark.parametrize("values", [{"goal": ("/help",)}, {"words": ("/help",)}])
def test_m8_what_a_slash_command_says_can_be_read(plan: Plan, values: dict[str, object]) -> None:
    call = Call("run" if "goal" in values else "resume", values, {"lang": "en"})
    for place in (plan, None):
        answer = closed(call, Stopped("running", "answered", "/plan: show it"), place)
        assert (answer.code, answer.words().splitlines()[0]) == (0, "/plan: show it")


def test_a_failed_plan_says_why(plan: Plan) -> None:
    plan.fail(1, "lost", retry=False)
    code, lines = ended("finished", "The plan has failed", plan)
    assert (code, lines[0]) == (1, "The plan has failed")
    assert lines[-1].startswith("Look at it: ")  # what has ended does not go on


def test_a_question_is_read_once_with_how_to_answer(plan: Plan) -> None:
    plan.ask("Which colour?")
    code, lines = ended("waiting", "A question waits for an answer: Which colour?", plan)
    assert code == 1
    assert [line for line in lines if "colour" in line] == ["Question 1: Which colour?"]


def test_m8_who_named_the_plan_is_told_commands_that_name_it(plan: Plan) -> None:
    plan.ask("Which colour?")
    plan.ask("Which size?")
    named = Call("answer", {}, {"lang": "en", "plan": "two words"})
    left = answer(plan, named, words=("red",)).words().splitlines()
    assert left[-1] == "  outlast answer 2 \"…\" --plan 'two words' --lang en"
    last = answer(plan, named, words=("large",)).words().splitlines()
    assert last[-1] == "The agent goes on with it: outlast resume --plan 'two words' --lang en"


def test_without_a_plan_it_is_said_how_to_try_again() -> None:
    again = "outlast run 'Ship it' --model script:m.yaml --lang en"
    assert ended("model_failed", "It failed", None) == (4, ["It failed", f"Go on with: {again}"])
    raised = "outlast run 'Ship it' --budget … --model script:m.yaml --lang en"
    assert ended("budget", "Spent", None)[1][-1] == f"Raise the budget and go on: {raised}"
    assert ended("answered", "Well", None) == (0, [])
    assert ended("answered", " ", None) == (0, ["The model ended without a word"])


@pytest.mark.parametrize("goal", ["Ship it", "/plan"])
def test_r0_03_a_goal_beside_a_paused_plan_is_said_not_to_be_begun(plan: Plan, goal: str) -> None:
    plan.pause()
    call = Call("run", {"goal": (goal,)}, {"lang": "en", "plan": "ship"})
    answer = closed(call, Stopped("paused", "answered", "Well"), plan)
    begun = goal == "/plan"
    assert answer.code == (0 if begun else 1)
    assert ("outlast run 'Ship it' --plan NAME" in answer.words()) != begun


def test_x4_replans_are_shown_with_what_is_left_of_them(plan: Plan) -> None:
    plan.set_budget(Budget(replans=3))
    plan.commit((Charge(Spend(replans=1), 1, planning=Spend(replans=1)),), receipt)
    shown = plan.read(lambda state: whole_cost(state, "en"))
    assert shown[:2] == ["Used: replans 1", "Left: replans 2 of 3"]
    assert shown[-2:] == ["Of this, planning itself: replans 1", "  1 a: replans 1"]


def test_x4_what_is_set_aside_is_not_said_to_be_used(plan: Plan) -> None:
    plan.set_budget(Budget(time=100))
    assert plan.read(lambda state: cost_lines(state, "en"))[0].startswith("Left: ")
    begun = BeginAttempt(None, "act", "bash", reserve=Spend(time=40))
    plan.commit((Charge(Spend(time=5)), begun), receipt)
    assert plan.read(lambda state: cost_lines(state, "en"))[:3] == [
        "Used: time 5.0 s",
        "Set aside for what has begun: time 40.0 s",
        "Left: time 55.0 s of 1 min 40 s",
    ]


def test_of_a_long_plan_a_glance_is_enough(plan: Plan) -> None:
    assert "more" not in glance(plan, "en", {})
    for _ in range(99):
        plan.add("b")
    plan.start(50)
    lines = glance(plan, "en", {}).splitlines()
    assert (len(lines), "(80 more)" in lines[-1]) == (22, True)
    assert any("50" in line for line in lines)


def test_who_only_plans_ends_no_task_by_whatever_name() -> None:
    hook = refusing_work(("read_file",), "en")

    def allowed(tool: str) -> bool:
        said = hook(HookContext("pre_tool_use", tool, {}), None)
        return said is None or said.should_continue

    assert all(map(allowed, ("read_file", "add_tasks", "plan_read", "findings_write", "ask_user")))
    work = ("complete_task", "completeTask", "todo_write", "skip_task", "write_file", "bash", "x")
    assert not any(map(allowed, work))
    assert hook(HookContext("on_stop"), None) is None


def test_x6_who_is_refused_for_another_run_is_told_how_to_follow_it(plan: Plan) -> None:
    plan.acting_as("bob").hold_plan().stop()
    with pytest.raises(TaskClaimed) as refused:
        plan.hold_plan()
    call = Call("run", {"goal": ("Ship it",)}, {"lang": "en", "plan": "a b"})
    lines = complaint(refused.value, call).splitlines()
    assert "bob" in lines[0]
    assert lines[1:] == ["Follow the other run: outlast watch --plan 'a b' --lang en"]
    overtaken = closed(call, Stopped("running", "overtaken", "Taken over"), plan).words()
    assert overtaken.endswith("Follow the other run: outlast watch --plan ship --lang en")
