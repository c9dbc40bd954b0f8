"""Commits in words, for `log`, `undo` and `watch`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.application.proof.labels import LABEL_TEXTS
from outlast.domain import changes as c
from outlast.domain.limits import default_title
from outlast.formats.checks import write_rule
from outlast.interfaces.cli.render.costs import amount_text, amount_texts, limits_in
from outlast.interfaces.cli.render.diff import FIELDS
from outlast.texts import clauses, status_words, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from outlast.domain.changes import Change, Commit
    from outlast.domain.model import PauseReason, Refuser
    from outlast.interfaces.cli.call import Call

_SHOWN: Final = 5
_THE_PLAN: Final = 0  # as the id of a task


def describe_commit(call: Call, commit: Commit, names: Mapping[int, str]) -> str:
    """Return what a commit changed; of many changes the first few. `names` are the tasks' names."""
    first = commit.changes[:_SHOWN]
    texts = list(dict.fromkeys(_describe_change(call, change, names) for change in first))
    more = len(commit.changes) - len(first)
    if more:
        texts.append(call.text("log_more", more=more))
    return clauses(texts, call.language)


def _describe_change(call: Call, change: Change, names: Mapping[int, str]) -> str:
    kind = type(change)
    if kind in _COUNTS:
        return call.text(TEXT_KEYS[kind], count=_COUNTS[kind](change))
    about = _ABOUT[kind](change) if kind in _ABOUT else getattr(change, "id", "")
    if isinstance(about, int):
        about = _task_name(call, about, names)
    detail = _DETAILS[kind](call, change) if kind in _DETAILS else ""
    what = " ".join(filter(None, (about, f"({detail})" if detail else "")))
    return call.text(TEXT_KEYS[kind], what=visible(what)).rstrip()


def _task_name(call: Call, task_id: int, names: Mapping[int, str]) -> str:
    if task_id == _THE_PLAN:
        return call.text("log_the_plan")
    return f"{task_id} {names[task_id]}" if task_id in names else str(task_id)


def _changed_fields(call: Call, change: c.PlanEdited | c.TaskEdited) -> str:
    """Return the names of the changed fields."""
    names = (name for name in change.__struct_fields__ if name != "id")
    return ", ".join(call.text(FIELDS[name]) for name in names if getattr(change, name) is not None)


def _proof_label(call: Call, change: c.TaskCompleted) -> str:
    return "" if change.how == "reported" else call.text(LABEL_TEXTS[change.how])


def _attempt_details(call: Call, change: c.AttemptEnded) -> str:
    settled = call.text("log_settled", by=change.settled_by) if change.settled_by else ""
    return ", ".join(filter(None, (settled, *amount_texts(change.spent, call.language))))


def _pass_count(_call: Call, change: c.ProofNoted) -> str:
    evidence = change.proof.evidence
    return f"{sum(item.ok for item in evidence)}/{len(evidence)}" if evidence else ""


def _error_count(call: Call, change: c.ErrorNoted) -> str:
    return call.text("say_times", count=change.error.count) if change.error.count > 1 else ""


def _budget_limits(call: Call, change: c.BudgetSet) -> str:
    items = limits_in(change.budget)
    limits = [amount_text(what, limit, call.language) for what, limit in items]
    return ", ".join(limits) or call.text("log_no_limit")


def _loop_counts(call: Call, change: c.LoopNoted) -> str:
    texts = [call.text("log_managed")] if change.managed else []
    if change.stops is not None:
        texts.append(call.text("log_stops", count=change.stops))
    return clauses(texts, call.language)


def _refusal_details(call: Call, change: c.RefusalNoted) -> str:
    by = call.text(_REFUSED_BY[change.by])
    return f"{by}: {default_title(change.note)}" if change.note else by


def _pause_reason(call: Call, change: c.PlanPaused) -> str:
    return call.text(_PAUSE_REASONS[change.why]) if change.why else ""


_PAUSE_REASONS: Final[dict[PauseReason, str]] = {
    "limit": "log_why_limit",
    "budget": "log_why_budget",
    "interrupted": "log_why_interrupted",
    "cancelled": "log_why_cancelled",
    "waiting": "log_why_waiting",
    "model_failed": "log_why_model_failed",
    "unsettled": "log_why_unsettled",
}

_REFUSED_BY: Final[dict[Refuser, str]] = {
    "hook": "log_refused_by_hook",
    "permission": "log_refused_by_permission",
}

# The subject of a change, if it is not its `id`: a task's id, or a text.
_ABOUT: Final[dict[type[Change], Callable[[Any], int | str]]] = {
    c.PlanCreated: lambda change: change.title or default_title(change.goal),
    c.PhaseAdded: lambda change: change.phase.title,
    c.PhaseEdited: lambda change: change.phase.title,
    c.TaskAdded: lambda change: f"{change.task.id} {change.task.name}",
    c.AttemptBegan: lambda change: f"{change.id} {change.what}",
    c.AttemptEnded: lambda change: f"{change.id} {change.outcome}",
    c.IterationCounted: lambda change: str(change.total),
    c.Undone: lambda change: str(change.revision),
    c.BudgetSet: lambda change: change.task,
    c.Charged: lambda change: change.task,
    c.QuestionAsked: lambda change: f"{change.question.id} {default_title(change.question.text)}",
    c.QuestionAnswered: lambda change: f"{change.id}: {default_title(change.answer)}",
    c.Interjected: lambda change: default_title(change.interjection.text),
    c.InterjectionsTaken: lambda change: str(change.last),
    c.StruckOut: lambda change: change.tool,
    c.StrikesCleared: lambda change: change.tool or "",
    c.RefusalNoted: lambda change: default_title(change.what),
    c.ProofNoted: lambda change: change.proof.task,
    c.FindingNoted: lambda change: f"{change.finding.id} {change.finding.title}",
    c.FindingForgotten: lambda change: str(change.id),
    c.ErrorNoted: lambda change: f"{change.error.tool}: {default_title(change.error.message)}",
}

# Changes that only report a number.
_COUNTS: Final[dict[type[Change], Callable[[Any], int]]] = {
    c.ErrorsForgotten: lambda change: len(change.keys),
    c.Delivered: lambda change: len(change.text),
    c.ProseKept: lambda change: sum(len(prose.lines) for prose in change.prose),
}

# Details of a change, for the brackets.
_DETAILS: Final[dict[type[Change], Callable[[Call, Any], str]]] = {
    c.PlanEdited: _changed_fields,
    c.TaskEdited: _changed_fields,
    c.TaskCompleted: _proof_label,
    c.TaskLeased: lambda _, change: change.holder,
    c.AttemptEnded: _attempt_details,
    c.PlanPaused: _pause_reason,
    c.BudgetSet: _budget_limits,
    c.Charged: lambda call, change: ", ".join(amount_texts(change.spend, call.language)),
    c.LoopNoted: _loop_counts,
    c.StrikesCleared: lambda call, change: "" if change.tool else call.text("log_every_tool"),
    c.RefusalNoted: _refusal_details,
    c.ProofNoted: _pass_count,
    c.CheckConfirmed: lambda _, change: write_rule(change.check),
    c.PhaseMarked: lambda call, change: status_words(change.status or "", call.language),
    c.ErrorNoted: _error_count,
}

TEXT_KEYS: Final = {
    c.PlanCreated: "log_plan_created",
    c.PlanEdited: "log_plan_edited",
    c.PhaseAdded: "log_phase_added",
    c.PhaseEdited: "log_phase_edited",
    c.PhaseMoved: "log_phase_moved",
    c.PhaseRemoved: "log_phase_removed",
    c.TaskAdded: "log_task_added",
    c.TaskRemoved: "log_task_removed",
    c.TaskEdited: "log_task_edited",
    c.TaskMoved: "log_task_moved",
    c.TaskStarted: "log_task_started",
    c.TaskCompleted: "log_task_completed",
    c.TaskRetried: "log_task_retried",
    c.TaskFailed: "log_task_failed",
    c.TaskSkipped: "log_task_skipped",
    c.TaskReopened: "log_task_reopened",
    c.TaskReturned: "log_task_returned",
    c.TaskProgressed: "log_task_progressed",
    c.TaskRestored: "log_task_restored",
    c.TaskLeased: "log_task_leased",
    c.LeaseRenewed: "log_lease_renewed",
    c.LeaseEnded: "log_lease_ended",
    c.AttemptBegan: "log_attempt_began",
    c.AttemptEnded: "log_attempt_ended",
    c.PlanBegun: "log_plan_begun",
    c.PlanPaused: "log_plan_paused",
    c.PlanResumed: "log_plan_resumed",
    c.PlanAborted: "log_plan_aborted",
    c.PlanReset: "log_plan_reset",
    c.PlanRestored: "log_plan_restored",
    c.IterationCounted: "log_iteration_counted",
    c.IdsSkipped: "log_numbers_passed",
    c.Undone: "log_undone",
    c.BudgetSet: "log_budget_set",
    c.Charged: "log_charged",
    c.QuestionAsked: "log_question_asked",
    c.QuestionAnswered: "log_question_answered",
    c.Interjected: "log_interjected",
    c.InterjectionsTaken: "log_interjections_taken",
    c.LoopNoted: "log_loop_noted",
    c.StruckOut: "log_struck_out",
    c.StrikesCleared: "log_strikes_cleared",
    c.RefusalNoted: "log_refusal_noted",
    c.LoopRestored: "log_loop_retold",
    c.ProofNoted: "log_proof_noted",
    c.CheckConfirmed: "log_check_confirmed",
    c.PhaseMarked: "log_phase_marked",
    c.FindingNoted: "log_finding_noted",
    c.FindingForgotten: "log_finding_forgotten",
    c.ErrorNoted: "log_error_noted",
    c.ErrorsForgotten: "log_errors_forgotten",
    c.Delivered: "log_delivered",
    c.ProseKept: "log_prose_kept",
}
