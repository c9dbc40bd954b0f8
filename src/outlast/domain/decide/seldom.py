"""Decisions beside the way from one task to the next: phases, claims, notes, loops and people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain import commands as c
from outlast.domain import loop_commands as loop
from outlast.domain import note_commands as n
from outlast.domain.decide import attempts, budgets, claims, loops, notes, phases, proofs, talk

if TYPE_CHECKING:
    from outlast.domain.decide import Decision

SELDOM: Final[dict[type[c.Command], Decision]] = {
    c.AddPhase: phases.add,
    c.EditPhase: phases.edit,
    c.MovePhase: phases.move,
    c.RemovePhase: phases.remove,
    c.Claim: claims.claim,
    c.ClaimPlan: claims.claim_plan,
    c.Renew: claims.renew,
    c.Release: claims.release,
    c.BeginAttempt: attempts.begin,
    c.EndAttempt: attempts.end,
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
    loop.SetBudget: budgets.set_budget,
    loop.Charge: budgets.charge,
    loop.AskQuestion: talk.ask,
    loop.AnswerQuestion: talk.answer,
    loop.Interject: talk.interject,
    loop.TakeInterjections: talk.take,
    loop.NoteLoop: loops.note,
    loop.Strike: loops.strike,
    loop.ClearStrikes: loops.clear_strikes,
}
