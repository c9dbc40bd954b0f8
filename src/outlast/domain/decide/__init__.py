"""From a command to the changes it means, or a refusal. Pure: facts in, values out.

When several rules are broken the first of these is said: argument, plan, task, status, dependency.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, get_args

from outlast.domain import commands as c
from outlast.domain.decide import fencing, plans, tasks, work

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from outlast.domain.changes import Change
    from outlast.domain.state import PlanState

    Decision = Callable[[PlanState, Any, datetime], tuple[Change, ...]]


def _seldom(state: PlanState, command: c.Command, now: datetime) -> tuple[Change, ...]:
    """Decide what many a process never has to, and so should not load."""
    from outlast.domain.decide.seldom import SELDOM

    return SELDOM[type(command)](state, command, now)


DECISIONS: Final[dict[type[c.Command], Decision]] = {
    **dict.fromkeys(get_args(c.Command), _seldom),
    c.CreatePlan: plans.create,
    c.InitializePlan: plans.initialize,
    c.EditPlan: plans.edit,
    c.Pause: plans.pause,
    c.Resume: plans.resume,
    c.Abort: plans.abort,
    c.Reset: plans.reset,
    c.CountIteration: plans.count_iteration,
    c.AddTasks: tasks.add,
    c.EditTask: tasks.edit,
    c.MoveTask: tasks.move,
    c.RemoveTask: tasks.remove,
    c.Start: work.start,
    c.Complete: work.complete,
    c.Fail: work.fail,
    c.Skip: work.skip,
    c.Reopen: work.reopen,
    c.SetProgress: work.progress,
    c.Return: work.give_back,
    c.Fence: fencing.demand,
    c.Undo: plans.undo,
}
