"""Decide: turn a command into the changes it means, or refuse it. Pure functions.

If several rules are broken, the first of these is reported: argument, plan, task, status, need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, get_args

from outlast.domain import commands as c
from outlast.domain.decide import claims, plan, proof, tasks, work

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from outlast.domain.changes import Change
    from outlast.domain.state import PlanState

    Decision = Callable[[PlanState, Any, datetime], tuple[Change, ...]]


def _load_and_decide(state: PlanState, command: c.Command, now: datetime) -> tuple[Change, ...]:
    """Load the decisions that many processes never need, register them, and decide."""
    from outlast.domain.decide import attempts, budget, conversation, notes, phases

    DECISIONS.update(
        {
            c.AddPhase: phases.add,
            c.EditPhase: phases.edit,
            c.MovePhase: phases.move,
            c.RemovePhase: phases.remove,
            c.BeginAttempt: attempts.begin,
            c.EndAttempt: attempts.end,
            c.MarkPhase: phases.mark,
            c.NoteFinding: notes.note_finding,
            c.EditFinding: notes.edit_finding,
            c.ForgetFinding: notes.forget_finding,
            c.NoteError: notes.note_error,
            c.ForgetErrors: notes.forget_errors,
            c.Deliver: notes.deliver,
            c.KeepProse: notes.keep_prose,
            c.SetBudget: budget.set_budget,
            c.Charge: budget.charge,
            c.AskQuestion: conversation.ask,
            c.AnswerQuestion: conversation.answer,
            c.Interject: conversation.interject,
            c.TakeInterjections: conversation.take_interjections,
            c.NoteLoop: conversation.note_loop,
            c.Strike: conversation.strike,
            c.ClearStrikes: conversation.clear_strikes,
        }
    )
    return DECISIONS[type(command)](state, command, now)


DECISIONS: Final[dict[type[c.Command], Decision]] = {
    **dict.fromkeys(get_args(c.Command), _load_and_decide),
    c.CreatePlan: plan.create,
    c.InitializePlan: plan.initialize,
    c.EditPlan: plan.edit,
    c.Pause: plan.pause,
    c.Resume: plan.resume,
    c.Abort: plan.abort,
    c.Reset: plan.reset,
    c.CountIteration: plan.count_iteration,
    c.AddTasks: tasks.add,
    c.EditTask: tasks.edit,
    c.MoveTask: tasks.move,
    c.RemoveTask: tasks.remove,
    c.Start: work.start,
    c.Complete: work.complete,
    c.Fail: work.fail,
    c.Skip: work.skip,
    c.Reopen: work.reopen,
    c.SetProgress: work.set_progress,
    c.Return: work.return_task,
    c.Fence: claims.require_fence,
    c.Undo: plan.undo,
    c.Claim: claims.claim,
    c.ClaimPlan: claims.claim_plan,
    c.Renew: claims.renew,
    c.Release: claims.release,
    c.NoteProof: proof.note_proof,
    c.Confirm: proof.confirm,
}
