"""U2: nothing can start because others have tasks in progress; no model call is spent on that."""

import pytest

from outlast import Plan
from outlast.agent.events import Stopped
from outlast.language import Language
from outlast.model.commands import RequireApproval
from outlast.model.execute import return_commit
from tests.agent.loops.play import GOAL, Play, new_plan, poke
from tests.agent.loops.test_chat import hold

BUSY = "1 One is being done by human; nothing else can start"


def busy_plan(*names: str) -> Plan:
    """Return a plan whose first task a person has in progress."""
    plan = new_plan(*names)
    plan.acting_as("human").start(1)
    return plan


@pytest.mark.parametrize(
    ("language", "words"), [("en", BUSY), ("zh", "human 正在做 1 One；没有其他可以开始的任务")]
)
def test_u2_a_run_that_can_start_nothing_calls_no_model(language: Language, words: str) -> None:
    play = Play([], busy_plan("One", "Two"), language=language, advise=hold)
    for message in (GOAL, "continue"):
        assert play.say(message) == Stopped("running", "waiting", words)
    play.plan.pause()
    assert play.say("continue") == Stopped("running", "waiting", words), "a person goes on with it"


def test_u2_a_run_ends_once_only_the_tasks_of_others_are_left() -> None:
    plan = new_plan("One", "Two", order="graph")
    plan.acting_as("human").start(1)
    play = Play([("[Done]", poke())], plan, advise=hold)
    assert play.say(GOAL) == Stopped("running", "waiting", BUSY)
    assert play.statuses() == ["in_progress", "completed"]


def test_u2_a_model_that_was_told_something_answers_it_and_is_not_held_up() -> None:
    play = Play([("", poke()), "It is blue."], busy_plan("One", "Two"), advise=hold)
    stopped = play.say("Which colour is it?")
    assert stopped == Stopped("running", "waiting", BUSY, "It is blue.")
    assert play.said() == ["It is blue."]


def test_u2_a_plan_that_needs_approval_is_planned_on() -> None:
    plan = busy_plan("One", "Two")
    plan.core.commit((RequireApproval(),), return_commit)
    assert Play(["Planned."], plan).say(GOAL).answer == "Planned."
