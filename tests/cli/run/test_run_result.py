"""The answer at the end of a run."""

import pytest

from outlast import Plan, create_plan
from outlast.agent.events import Stopped, StopReason
from outlast.cli.commands.runs.answer import answer
from outlast.cli.run.run_result import render_run_result
from outlast.console.call import Call, PlanContext

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
            (
                "See the costs: outlast show --cost --plan ship --lang en; "
                "what happened: outlast log --plan ship --lang en"
            ),
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
    assert lines[-1].startswith("See the costs: ")  # what has ended does not go on


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


def test_m8_a_cancelled_plan_says_how_to_take_it_back(plan: Plan) -> None:
    plan.abort()
    code, lines = result_of("cancelled", "The plan was cancelled", plan)
    assert (code, lines[0]) == (130, "The plan was cancelled")
    assert lines[-2] == "To continue it after all: outlast undo --plan ship --lang en"


def test_u2_the_end_of_a_run_names_its_plan_also_if_it_is_the_only_one(plan: Plan) -> None:
    assert result_of("limit", "…", plan)[1][-1].endswith("outlast resume --plan ship --lang en")
    assert result_of("overtaken", "…", plan)[1][-1].endswith("outlast watch --plan ship --lang en")


def test_u8_another_try_keeps_the_options() -> None:
    values = {
        "goal": ("Ship", "it"),
        "key": "ship",
        "budget": "tokens=1k",
        "allow": ("bash: ls *", "bash: make"),
        "max_iterations": 2,
        "dry_run": True,
    }
    call = Call("run", values, {}, context=PlanContext("ship", is_one_of_several=True))
    failed = render_run_result(call, Stopped("idle", "model_failed", "It failed"), None)
    assert failed.as_text().splitlines()[-1] == (
        "Continue with: outlast run 'Ship it' --max-iterations 2 --budget tokens=1k "
        "--allow 'bash: ls *' --allow 'bash: make' --key ship --dry-run"
    )


def test_without_a_plan_it_says_how_to_try_again() -> None:
    again = "outlast run 'Ship it' --model script:m.yaml --lang en"
    assert result_of("model_failed", "It failed", None) == (
        4,
        ["It failed", f"Continue with: {again}"],
    )
    raised = "outlast run 'Ship it' --model script:m.yaml --budget … --lang en"
    assert result_of("budget", "Spent", None)[1][-1] == f"Raise the budget and continue: {raised}"
    assert result_of("answered", "Well", None) == (0, [])
    assert result_of("answered", " ", None) == (0, ["The model returned an empty answer"])
