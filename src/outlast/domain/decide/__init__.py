"""From a command to the changes it means, or a refusal. Pure: facts in, values out.

When several rules are broken the first of these is said: argument, plan, task, status, dependency.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.domain import commands as c
from outlast.domain import note_commands as n
from outlast.domain.decide import (
    attempts,
    claims,
    fencing,
    notes,
    phases,
    plans,
    proofs,
    tasks,
    work,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from outlast.domain.changes import Change
    from outlast.domain.state import PlanState

    Decision = Callable[[PlanState, Any, datetime], tuple[Change, ...]]

DECISIONS: Final[dict[type[c.Command], Decision]] = {
    c.CreatePlan: plans.create,
    c.InitializePlan: plans.initialize,
    c.EditPlan: plans.edit,
    c.Pause: plans.pause,
    c.Resume: plans.resume,
    c.Abort: plans.abort,
    c.Reset: plans.reset,
    c.CountIteration: plans.count_iteration,
    c.AddPhase: phases.add,
    c.EditPhase: phases.edit,
    c.MovePhase: phases.move,
    c.RemovePhase: phases.remove,
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
    c.Claim: claims.claim,
    c.ClaimPlan: claims.claim_plan,
    c.Renew: claims.renew,
    c.Release: claims.release,
    c.Fence: fencing.demand,
    c.BeginAttempt: attempts.begin,
    c.EndAttempt: attempts.end,
    c.Undo: plans.undo,
    n.NoteProof: proofs.note,
    n.Confirm: proofs.confirm,
    n.MarkPhase: phases.mark,
    n.NoteFinding: notes.note_finding,
    n.EditFinding: notes.edit_finding,
    n.ForgetFinding: notes.forget_finding,
    n.NoteError: notes.note_error,
    n.ForgetErrors: notes.forget_errors,
    n.Deliver: notes.deliver,
    n.KeepProse: notes.keep_prose,
}
