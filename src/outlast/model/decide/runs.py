"""What a plan remembers of its last run, and whether a person has approved it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.model import changes as c
from outlast.model import commands
from outlast.model.decide.proof import require_person
from outlast.model.limits import LARGEST_ID, check_flag, check_name, check_number, wrong_type_error
from outlast.model.model import LastRun

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.model.state import PlanState


def remember_run(
    state: PlanState, command: commands.RememberRun, _now: datetime
) -> tuple[c.Change, ...]:
    """Record what a run works with, if it differs from the last one."""
    run = command.run
    if type(run) is not LastRun:
        raise wrong_type_error("run", "LastRun", run)
    for name in ("model", "actor", "language", "agent", "loop"):
        value = getattr(run, name)
        if value != "" or name not in ("model", "agent"):
            check_name(value, f"run.{name}")
    check_number(run.max_iterations, "run.max_iterations", 1, LARGEST_ID)
    check_number(run.parallel, "run.parallel", 1, LARGEST_ID)
    check_flag(run.review, "run.review")
    return () if run == state.last_run else (c.RunRemembered(run),)


def require_approval(
    state: PlanState, _command: commands.RequireApproval, _now: datetime
) -> tuple[c.Change, ...]:
    """Require a person's approval, if it is not required yet."""
    return () if state.needs_approval else (c.ApprovalRequired(),)


def approve_plan(
    state: PlanState, command: commands.ApprovePlan, _now: datetime
) -> tuple[c.Change, ...]:
    """Approve the plan as a person, if it needs that."""
    actor = check_name(command.actor, "actor")
    require_person(actor, "actor")
    return (c.PlanApproved(actor),) if state.needs_approval else ()
