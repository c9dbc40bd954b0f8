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
    Load = Callable[[], tuple[Decision, ...]]
    Commands = tuple[type[c.Command], ...]


def _load_and_decide(state: PlanState, command: c.Command, now: datetime) -> tuple[Change, ...]:
    """Load the decisions of a module, register them, and decide."""
    commands, load = _LOADERS[type(command)]
    DECISIONS.update(zip(commands, load(), strict=True))
    return DECISIONS[type(command)](state, command, now)


DECISIONS: Final[dict[type[c.Command], Decision]] = {}
_LOADERS: Final[dict[type[c.Command], tuple[Commands, Load]]] = {}


# A short process gives few commands and loads few of the modules.


def _plan() -> tuple[Decision, ...]:
    from outlast.model.decide import plan as m

    return (
        m.create,
        m.initialize,
        m.edit,
        m.pause,
        m.resume,
        m.abort,
        m.reset,
        m.count_iteration,
        m.undo,
    )


def _runs() -> tuple[Decision, ...]:
    from outlast.model.decide import runs as m

    return m.remember_run, m.require_approval, m.approve_plan


def _reports() -> tuple[Decision, ...]:
    from outlast.model.decide import reports as m

    return m.note_report, m.note_decision, m.note_session, m.note_footprint, m.end_session


def _phases() -> tuple[Decision, ...]:
    from outlast.model.decide import phases as m

    return m.add, m.edit, m.move, m.remove, m.mark


def _tasks() -> tuple[Decision, ...]:
    from outlast.model.decide import tasks as m

    return m.add, m.edit, m.move, m.remove


def _replan() -> tuple[Decision, ...]:
    from outlast.model.decide import replan as m

    return m.replan, m.move_replan


def _work() -> tuple[Decision, ...]:
    from outlast.model.decide import work as m

    return m.start, m.complete, m.fail, m.skip, m.reopen, m.set_progress, m.return_task


def _claims() -> tuple[Decision, ...]:
    from outlast.model.decide import claims as m

    return m.claim, m.claim_plan, m.renew, m.release, m.require_fence


def _attempts() -> tuple[Decision, ...]:
    from outlast.model.decide import attempts as m

    return m.begin, m.end


def _budget() -> tuple[Decision, ...]:
    from outlast.model.decide import budget as m

    return m.set_budget, m.charge


def _conversation() -> tuple[Decision, ...]:
    from outlast.model.decide import conversation as m

    return (
        m.ask,
        m.answer,
        m.interject,
        m.take_interjections,
        m.note_loop,
        m.strike,
        m.clear_strikes,
        m.note_refusal,
    )


def _proof() -> tuple[Decision, ...]:
    from outlast.model.decide import proof as m

    return m.note_proof, m.confirm


def _notes() -> tuple[Decision, ...]:
    from outlast.model.decide import notes as m

    return (
        m.note_finding,
        m.edit_finding,
        m.forget_finding,
        m.note_error,
        m.forget_errors,
        m.deliver,
        m.keep_prose,
    )


# The commands of each module, in the order in which its decisions are loaded.
_MODULES: Final[tuple[tuple[Load, Commands], ...]] = (
    (
        _plan,
        (
            c.CreatePlan,
            c.InitializePlan,
            c.EditPlan,
            c.Pause,
            c.Resume,
            c.Abort,
            c.Reset,
            c.CountIteration,
            c.Undo,
        ),
    ),
    (_runs, (c.RememberRun, c.RequireApproval, c.ApprovePlan)),
    (_reports, (c.NoteReport, c.NoteDecision, c.NoteSession, c.NoteFootprint, c.EndSession)),
    (_phases, (c.AddPhase, c.EditPhase, c.MovePhase, c.RemovePhase, c.MarkPhase)),
    (_tasks, (c.AddTasks, c.EditTask, c.MoveTask, c.RemoveTask)),
    (_replan, (c.Replan, c.MoveReplan)),
    (_work, (c.Start, c.Complete, c.Fail, c.Skip, c.Reopen, c.SetProgress, c.Return)),
    (_claims, (c.Claim, c.ClaimPlan, c.Renew, c.Release, c.Fence)),
    (_attempts, (c.BeginAttempt, c.EndAttempt)),
    (_budget, (c.SetBudget, c.Charge)),
    (
        _conversation,
        (
            c.AskQuestion,
            c.AnswerQuestion,
            c.Interject,
            c.TakeInterjections,
            c.NoteLoop,
            c.Strike,
            c.ClearStrikes,
            c.NoteRefusal,
        ),
    ),
    (_proof, (c.NoteProof, c.Confirm)),
    (
        _notes,
        (
            c.NoteFinding,
            c.EditFinding,
            c.ForgetFinding,
            c.NoteError,
            c.ForgetErrors,
            c.Deliver,
            c.KeepProse,
        ),
    ),
)
for _load, _commands in _MODULES:
    DECISIONS.update(dict.fromkeys(_commands, _load_and_decide))
    _LOADERS.update(dict.fromkeys(_commands, (_commands, _load)))
