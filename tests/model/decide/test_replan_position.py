"""R3.02, R3.14: moves of the replan loop, and what questions and answers do to its position."""

import pytest

from outlast.model import commands as c
from outlast.model.model import PERSON
from outlast.model.replan_position import START, Observation, PlannedAction, ReplanPosition
from tests.model.timed_plan import TimedPlan

PLANNED = START.begin_first_list(20)


def planned() -> TimedPlan:
    """Return a plan whose open tasks are the items of the loop."""
    plan = TimedPlan()
    plan.do(c.MoveReplan(PLANNED))
    return plan


def position(plan: TimedPlan) -> ReplanPosition:
    return plan.state.ledger.replan


def test_r3_02_the_items_are_the_open_tasks_behind_those_that_are_done() -> None:
    plan = planned()
    first, second, *rest = [task.id for task in plan.state.tasks_in_order()]
    assert position(plan).items == (first, second, *rest)
    plan.do(c.Start("agent", first), c.Skip(second))
    plan.do(c.MoveReplan(position(plan).finish_item("")))
    assert (position(plan).items, position(plan).cursor) == ((first, *rest), 1)


@pytest.mark.parametrize("undo", [c.Return(1), c.Reset()])
def test_r3_14_an_item_that_is_pending_again_is_not_done(undo: c.Command) -> None:
    plan = planned()
    plan.do(c.Start("agent", 1))
    plan.do(c.MoveReplan(position(plan).finish_item("")))
    assert position(plan).cursor == 1
    plan.do(undo)
    plan.do(c.MoveReplan(position(plan)))
    assert position(plan).cursor == 0
    assert 1 in position(plan).items


@pytest.mark.parametrize("gone", [c.Complete(1, PERSON), c.Skip(1)])
def test_r3_04_an_action_of_an_item_that_is_over_is_dropped_unless_it_has_begun(
    gone: c.Command,
) -> None:
    for is_begun in (False, True):
        plan, action = planned(), PlannedAction("todo", "/todo delete 1", 1, is_begun)
        plan.do(c.Start("agent", 1))
        plan.do(c.MoveReplan(position(plan).decide("", action)))
        plan.do(c.Skip(2))
        plan.do(c.MoveReplan(position(plan)))
        assert position(plan).action == action, "its item is still the present one"
        plan.do(gone)
        plan.do(c.MoveReplan(position(plan)))
        assert position(plan).action == (action if is_begun else None)


def test_a_move_that_changes_nothing_is_no_change() -> None:
    plan = planned()
    revision = plan.state.revision
    plan.do(c.MoveReplan(position(plan)))
    assert plan.state.revision == revision


def test_r3_11_observations_are_cut_and_the_last_are_kept() -> None:
    plan = planned()
    for number in range(101):
        long = Observation("sh", "x" * 10_001, ok=True, result=f"{number} " + "x" * 10_000)
        plan.do(c.MoveReplan(position(plan), long))
    kept = plan.state.ledger.observations
    assert len(kept) == 100
    assert kept[0].result.startswith("1 ")
    assert {len(part) for each in kept for part in (each.input, each.result)} == {10_000}


@pytest.mark.parametrize(
    "wrong",
    [PLANNED.begin_first_list(3), ReplanPosition(steps=30), ReplanPosition(steps=5, cursor=1)],
)
def test_r3_14_steps_never_fall_nor_pass_the_limit(wrong: ReplanPosition) -> None:
    plan = planned()
    for _ in range(4):
        plan.do(c.MoveReplan(position(plan).begin_step()))
    plan.refused("INVALID_ARGUMENT", c.MoveReplan(wrong))


def test_r3_02_an_answer_calls_for_a_replan_wherever_it_is_given() -> None:
    plan = planned()
    plan.do(c.AskQuestion("Which?"), c.AskQuestion("And why?"))
    plan.do(c.AnswerQuestion("this", PERSON, 1))
    assert not position(plan).needs_replan, "another question is open"
    plan.do(c.AnswerQuestion("so", PERSON, 2))
    assert position(plan).needs_replan


def test_r3_02_a_move_that_does_not_know_of_an_answer_calls_for_a_replan_too() -> None:
    plan = planned()
    before = position(plan)
    plan.do(c.AskQuestion("Which?"))
    plan.do(c.AnswerQuestion("this", PERSON))
    plan.do(c.MoveReplan(before.begin_new_list()))
    assert (position(plan).needs_replan, position(plan).answers) == (True, 1)
    plan.do(c.MoveReplan(position(plan).begin_new_list()))
    assert not position(plan).needs_replan


def test_r3_14_nothing_is_replanned_while_a_question_is_open() -> None:
    plan = planned()
    plan.do(c.MoveReplan(position(plan).finish_item("")))
    plan.do(c.AskQuestion("Which?"))
    assert not position(plan).needs_replan
    plan.do(c.MoveReplan(position(plan).finish_item("")))
    assert not position(plan).needs_replan
    plan.do(c.AnswerQuestion("this", PERSON))
    assert position(plan).needs_replan


def test_questions_without_a_replan_loop_are_as_they_were() -> None:
    plan = TimedPlan()
    plan.do(c.AskQuestion("Which?"))
    plan.do(c.AnswerQuestion("this", PERSON))
    assert position(plan) == START


def test_questions_of_other_kinds_leave_the_loop_alone() -> None:
    plan = planned()
    plan.do(c.MoveReplan(position(plan).finish_item("")))
    plan.do(c.AskQuestion("Change it?", "replan", '{"attempt": "1", "tasks": []}'))
    assert position(plan).needs_replan
    plan.do(c.AnswerQuestion("approve", PERSON))
    assert position(plan).needs_replan
