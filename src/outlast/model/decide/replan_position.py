"""Moves of the replan loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from outlast.errors import InvalidArgument
from outlast.model import changes as c
from outlast.model.limits import LARGEST_ID, check_name, check_number, check_text, wrong_type_error
from outlast.model.replan_position import OBSERVATION_CHARACTERS, Observation, ReplanPosition

if TYPE_CHECKING:
    from datetime import datetime

    from msgspec import Struct

    from outlast.model import commands
    from outlast.model.state import PlanState

_OPEN: Final = ("pending", "in_progress")


def move(state: PlanState, command: commands.MoveReplan, _now: datetime) -> tuple[c.Change, ...]:
    """Record a position; the invariants of R3.14 hold in it.

    Its items are the open tasks of the plan behind those that are done. An answer that came after
    the loop read its position still calls for a replan (R3.02), but none is due while a question is
    open. Steps that fall or pass the limit are refused.
    """
    position = align_position(state, _check(state, command.position))
    position = position.take_over_answers(state.ledger.replan)
    if position.needs_replan and any(each.kind == "ask" for each in state.open_questions()):
        position = position.clear_replan()
    observation = None if command.observation is None else _cut(command.observation)
    if observation is None and position == state.ledger.replan:
        return ()
    return (c.ReplanMoved(position, observation),)


def align_position(state: PlanState, position: ReplanPosition) -> ReplanPosition:
    """Return a position whose items are the tasks that the plan has now.

    An item that a person has returned, or a reset of the plan, is not done any more.
    """
    open_tasks = [task for task in state.tasks_in_order() if task.status in _OPEN]
    pending = {task.id for task in open_tasks if task.status == "pending"}
    begun = {item for item in position.items if item in state.tasks} - pending
    return position.align((task.id for task in open_tasks), begun)


def _check(state: PlanState, position: object) -> ReplanPosition:
    """Refuse a position that is none, or whose steps fall or pass the limit."""
    if type(position) is not ReplanPosition or not _has_shape(position):
        raise wrong_type_error("position", "ReplanPosition", position)
    counts = (
        *(position.steps, position.limit, position.cursor, position.answers),
        *(position.successes, position.failures),
        *(position.failures_in_a_row, position.failed_rounds),
    )
    for count in counts:
        check_number(count, "position", 0, LARGEST_ID)
    for item in position.items:
        check_number(item, "position", 1, LARGEST_ID)
    texts = [position.conclusion, position.snapshot]
    if position.action is not None:
        texts += (position.action.tool, position.action.input)
        check_number(position.action.step, "position", 0, LARGEST_ID)
    for each in texts:
        check_text(each, "position")
    is_within = state.ledger.replan.steps <= position.steps <= position.limit
    if position.cursor > len(position.items) or not is_within:
        raise InvalidArgument("replan_position_invalid", argument="position")
    return position


def _has_shape(value: Struct) -> bool:
    """Return whether each field has the type that it is stored as."""
    try:
        msgspec.convert(msgspec.to_builtins(value), type(value))
    except (msgspec.MsgspecError, TypeError, ValueError):
        return False
    return True


def _cut(observation: object) -> Observation:
    if type(observation) is not Observation or not _has_shape(observation):
        raise wrong_type_error("observation", "Observation", observation)
    return replace(
        observation,
        tool=check_name(observation.tool, "tool"),
        input=check_text(observation.input[:OBSERVATION_CHARACTERS], "input"),
        result=check_text(observation.result[:OBSERVATION_CHARACTERS], "result"),
    )
