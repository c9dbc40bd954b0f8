"""The answer at the end of a run."""

import pytest

from outlast import Plan, create_plan
from outlast.interfaces.cli.agent.run_result import render_run_result
from outlast.interfaces.cli.call import Call
from outlast.interfaces.cli.commands.answer import answer
from outlast.ports.events import Stopped, StopReason

RUN = Call("run", {"goal": ("Ship", "it"), "model": "script:m.yaml"}, {"lang": "en"})


def result_of(why: StopReason, text: str, plan: Plan | None) -> tuple[int, list[str]]:
    answer = render_run_result(
        RUN, Stopped("idle" if plan is None else plan.status, why, text), plan
    )
    return answer.code, answer.as_text().splitlines()


@pytest.fixture
def plan() -> Plan:
    made = create_plan("memory:", "Ship it", "ship")
    made.add("a")
    return made


def test_a_completed_plan_is_reported_once(plan: Plan) -> None:
    plan.complete(1)
    assert result_of("finished", "Plan completed: 1/1 steps", plan) == (
        0,
        [
            "Ship it  1/1 completed  [ship]",
            "  ● 1 a",
            "See the details: outlast show --cost --lang en, outlast log --lang en",
        ],
    )
    code, lines = result_of("overtaken", "The other run has finished it", plan)
    assert (code, lines[0]) == (0, "The other run has finished it")


def test_r4_08_a_model_that_stops_early_has_not_succeeded(plan: Plan) -> None:
    plan.start(1)
    assert result_of("answered", "I stop here.", plan)[0] == 1
    looking = Call("run", {"goal": ("/plan",)}, {"lang": "en"})
    assert render_run_result(looking, Stopped(plan.status, "answered", "…"), plan).code == 0
    resumed = Call("resume", {}, {"lang": "en"})
    assert render_run_result(resumed, Stopped(plan.status, "answered", "I stop."), plan).code == 1


@pytest.mark.parametrize("values", [{"goal": ("/help",)}, {"words": ("/help",)}])
def test_m8_the_answer_to_a_slash_command_is_shown(plan: Plan, values: dict[str, object]) -> None:
    call = Call("run" if "goal" in values else "resume", values, {"lang": "en"})
    for place in (plan, None):
        answer = render_run_result(call, Stopped("running", "answered", "/plan: show it"), place)
        assert (answer.code, answer.as_text().splitlines()[0]) == (0, "/plan: show it")


def test_a_failed_plan_says_why(plan: Plan) -> None:
    plan.fail(1, "lost", retry=False)
    code, lines = result_of("finished", "Plan failed", plan)
    assert (code, lines[0]) == (1, "Plan failed")
    assert lines[-1].startswith("See the details: ")  # what has ended does not go on


def test_a_question_is_read_once_with_how_to_answer(plan: Plan) -> None:
    plan.questions.ask("Which colour?")
    code, lines = result_of("waiting", "A question is waiting for an answer: Which colour?", plan)
    assert code == 1
    assert [line for line in lines if "colour" in line] == ["Question 1: Which colour?"]


def test_m8_suggested_commands_name_the_plan_that_was_named(plan: Plan) -> None:
    plan.questions.ask("Which colour?")
    plan.questions.ask("Which size?")
    named = Call("answer", {}, {"lang": "en", "plan": "two words"})
    left = answer(plan, named, words=("red",)).as_text().splitlines()
    assert left[-1] == "  outlast answer 2 \"…\" --plan 'two words' --lang en"
    last = answer(plan, named, words=("large",)).as_text().splitlines()
    assert last[-1] == "Let the agent continue with it: outlast resume --plan 'two words' --lang en"


def test_without_a_plan_it_says_how_to_try_again() -> None:
    again = "outlast run 'Ship it' --model script:m.yaml --lang en"
    assert result_of("model_failed", "It failed", None) == (
        4,
        ["It failed", f"Continue with: {again}"],
    )
    raised = "outlast run 'Ship it' --budget … --model script:m.yaml --lang en"
    assert result_of("budget", "Spent", None)[1][-1] == f"Raise the budget and continue: {raised}"
    assert result_of("answered", "Well", None) == (0, [])
    assert result_of("answered", " ", None) == (0, ["The model returned an empty answer"])


@pytest.mark.parametrize(
    ("goal", "named"), [("Ship it", {}), ("/plan", {}), ("Ship it", {"plan": "ship"})]
)
def test_r0_03_a_goal_beside_a_paused_plan_is_reported_as_not_started(
    plan: Plan, goal: str, named: dict[str, str]
) -> None:
    plan.pause()
    call = Call("run", {"goal": (goal,)}, {"lang": "en", **named})
    answer = render_run_result(call, Stopped("paused", "answered", "Well"), plan)
    begun = goal == "/plan" or bool(named)  # a command, or a message to the plan
    assert answer.code == (0 if begun else 1)
    assert ("outlast run 'Ship it' --plan NAME" in answer.as_text()) != begun
