"""Decide: turn a command into the changes it means, or refuse it. Pure functions.

If several rules are broken, the first of these is reported: argument, plan, task, status, need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.model import commands as c

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from outlast.model.changes import Change
    from outlast.model.state import PlanState

    Decision = Callable[[PlanState, Any, datetime], tuple[Change, ...]]

# Where each command is decided. A short process gives few commands and loads few of the modules.
_HOMES: Final[dict[type[c.Command], str]] = {
    c.CreatePlan: "plan.create",
    c.InitializePlan: "plan.initialize",
    c.EditPlan: "plan.edit",
    c.Pause: "plan.pause",
    c.Resume: "plan.resume",
    c.Abort: "plan.abort",
    c.Reset: "plan.reset",
    c.CountIteration: "plan.count_iteration",
    c.RememberRun: "runs.remember_run",
    c.NoteReport: "reports.note_report",
    c.NoteDecision: "reports.note_decision",
    c.NoteSession: "reports.note_session",
    c.NoteFootprint: "reports.note_footprint",
    c.EndSession: "reports.end_session",
    c.MoveReplan: "replan_position.move",
    c.RequireApproval: "runs.require_approval",
    c.ApprovePlan: "runs.approve_plan",
    c.Undo: "plan.undo",
    c.AddPhase: "phases.add",
    c.EditPhase: "phases.edit",
    c.MovePhase: "phases.move",
    c.RemovePhase: "phases.remove",
    c.MarkPhase: "phases.mark",
    c.AddTasks: "tasks.add",
    c.Replan: "replan.replan",
    c.EditTask: "tasks.edit",
    c.MoveTask: "tasks.move",
    c.RemoveTask: "tasks.remove",
    c.Start: "work.start",
    c.Complete: "work.complete",
    c.Fail: "work.fail",
    c.Skip: "work.skip",
    c.Reopen: "work.reopen",
    c.SetProgress: "work.set_progress",
    c.Return: "work.return_task",
    c.Claim: "claims.claim",
    c.ClaimPlan: "claims.claim_plan",
    c.Renew: "claims.renew",
    c.Release: "claims.release",
    c.Fence: "claims.require_fence",
    c.BeginAttempt: "attempts.begin",
    c.EndAttempt: "attempts.end",
    c.SetBudget: "budget.set_budget",
    c.Charge: "budget.charge",
    c.AskQuestion: "conversation.ask",
    c.AnswerQuestion: "conversation.answer",
    c.Interject: "conversation.interject",
    c.TakeInterjections: "conversation.take_interjections",
    c.NoteLoop: "conversation.note_loop",
    c.Strike: "conversation.strike",
    c.ClearStrikes: "conversation.clear_strikes",
    c.NoteRefusal: "conversation.note_refusal",
    c.NoteProof: "proof.note_proof",
    c.Confirm: "proof.confirm",
    c.NoteFinding: "notes.note_finding",
    c.EditFinding: "notes.edit_finding",
    c.ForgetFinding: "notes.forget_finding",
    c.NoteError: "notes.note_error",
    c.ForgetErrors: "notes.forget_errors",
    c.Deliver: "notes.deliver",
    c.KeepProse: "notes.keep_prose",
}


def _load_and_decide(state: PlanState, command: c.Command, now: datetime) -> tuple[Change, ...]:
    """Load a decision, register it, and decide."""
    home, _, name = _HOMES[type(command)].partition(".")
    module = __import__(f"outlast.model.decide.{home}", fromlist=[name])
    decision: Decision = getattr(module, name)
    DECISIONS[type(command)] = decision
    return decision(state, command, now)


DECISIONS: Final[dict[type[c.Command], Decision]] = dict.fromkeys(_HOMES, _load_and_decide)
