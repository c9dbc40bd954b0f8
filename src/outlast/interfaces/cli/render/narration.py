"""What a commit changed, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.application.proof.labels import LABEL_TEXTS
from outlast.domain import changes as c
from outlast.domain import loop_changes as loop
from outlast.domain import note_changes as n
from outlast.domain.limits import default_title
from outlast.formats.check_rule import write_rule
from outlast.interfaces.cli.render.amounts import amounts, in_words, limited
from outlast.interfaces.cli.render.fields import FIELDS
from outlast.texts import clauses, status_words, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from outlast.domain.changes import Change, Commit
    from outlast.domain.model import PauseWhy
    from outlast.interfaces.cli.call import Call

_SHOWN: Final = 5
_THE_PLAN: Final = 0  # where a task is meant and there is none


def narrated(call: Call, commit: Commit, names: Mapping[int, str]) -> str:
    """Return what a commit changed; of many changes the first. `names` are those of the tasks."""
    shown = commit.changes[:_SHOWN]
    said = list(dict.fromkeys(_words(call, change, names) for change in shown))
    more = len(commit.changes) - len(shown)
    if more:
        said.append(call.say("log_more", more=more))
    return clauses(said, call.language)


def _words(call: Call, change: Change, names: Mapping[int, str]) -> str:
    kind = type(change)
    if kind in _COUNTS:
        return call.say(WORDS[kind], count=_COUNTS[kind](change))
    about = _ABOUT[kind](change) if kind in _ABOUT else getattr(change, "id", "")
    if isinstance(about, int):
        about = _task(call, about, names)
    detail = _DETAILS[kind](call, change) if kind in _DETAILS else ""
    what = " ".join(filter(None, (about, f"({detail})" if detail else "")))
    return call.say(WORDS[kind], what=visible(what)).rstrip()


def _task(call: Call, task_id: int, names: Mapping[int, str]) -> str:
    if task_id == _THE_PLAN:
        return call.say("log_the_plan")
    return f"{task_id} {names[task_id]}" if task_id in names else str(task_id)


def _fields(call: Call, change: c.PlanEdited | c.TaskEdited) -> str:
    """Return which fields were changed."""
    given = (name for name in change.__struct_fields__ if name != "id")
    return ", ".join(call.say(FIELDS[one]) for one in given if getattr(change, one) is not None)


def _how(call: Call, change: c.TaskCompleted) -> str:
    return "" if change.how == "reported" else call.say(LABEL_TEXTS[change.how])


def _settled(call: Call, change: c.AttemptEnded) -> str:
    settled = call.say("log_settled", by=change.settled_by) if change.settled_by else ""
    return ", ".join(filter(None, (settled, *amounts(change.spent, call.language))))


def _passed(_call: Call, change: n.ProofNoted) -> str:
    evidence = change.proof.evidence
    return f"{sum(one.ok for one in evidence)}/{len(evidence)}" if evidence else ""


def _times(call: Call, change: n.ErrorNoted) -> str:
    return call.say("say_times", count=change.error.count) if change.error.count > 1 else ""


def _limits(call: Call, change: loop.BudgetSet) -> str:
    given = limited(change.budget)
    said = [in_words(what, limit, call.language) for what, limit in given]
    return ", ".join(said) or call.say("log_no_limit")


def _counted(call: Call, change: loop.LoopNoted) -> str:
    said = [call.say("log_managed")] if change.managed else []
    if change.stops is not None:
        said.append(call.say("log_stops", count=change.stops))
    return clauses(said, call.language)


def _why(call: Call, change: c.PlanPaused) -> str:
    return call.say(_WHYS[change.why]) if change.why else ""


_WHYS: Final[dict[PauseWhy, str]] = {
    "limit": "log_why_limit",
    "budget": "log_why_budget",
    "interrupted": "log_why_interrupted",
    "cancelled": "log_why_cancelled",
    "waiting": "log_why_waiting",
    "model_failed": "log_why_model_failed",
    "unsettled": "log_why_unsettled",
}

# What a change is about where that is not its `id`: the id of a task, or words.
_ABOUT: Final[dict[type[Change], Callable[[Any], int | str]]] = {
    c.PlanCreated: lambda change: change.title or default_title(change.goal),
    c.PhaseAdded: lambda change: change.phase.title,
    c.PhaseEdited: lambda change: change.phase.title,
    c.TaskAdded: lambda change: f"{change.task.id} {change.task.name}",
    c.AttemptBegan: lambda change: f"{change.id} {change.what}",
    c.AttemptEnded: lambda change: f"{change.id} {change.outcome}",
    c.IterationCounted: lambda change: str(change.total),
    c.Undone: lambda change: str(change.revision),
    loop.BudgetSet: lambda change: change.task,
    loop.Charged: lambda change: change.task,
    loop.QuestionAsked: lambda change: (
        f"{change.question.id} {default_title(change.question.text)}"
    ),
    loop.QuestionAnswered: lambda change: f"{change.id}: {default_title(change.answer)}",
    loop.Interjected: lambda change: default_title(change.said.text),
    loop.InterjectionsTaken: lambda change: str(change.last),
    loop.StruckOut: lambda change: change.tool,
    loop.StrikesCleared: lambda change: change.tool or "",
    n.ProofNoted: lambda change: change.proof.task,
    n.FindingNoted: lambda change: f"{change.finding.id} {change.finding.title}",
    n.FindingForgotten: lambda change: str(change.id),
    n.ErrorNoted: lambda change: f"{change.error.tool}: {default_title(change.error.message)}",
}

# Changes that only report a number.
_COUNTS: Final[dict[type[Change], Callable[[Any], int]]] = {
    n.ErrorsForgotten: lambda change: len(change.keys),
    n.Delivered: lambda change: len(change.text),
    n.ProseKept: lambda change: sum(len(prose.lines) for prose in change.prose),
}

# What else there is to say about a change, in brackets.
_DETAILS: Final[dict[type[Change], Callable[[Call, Any], str]]] = {
    c.PlanEdited: _fields,
    c.TaskEdited: _fields,
    c.TaskCompleted: _how,
    c.TaskLeased: lambda _, change: change.holder,
    c.AttemptEnded: _settled,
    c.PlanPaused: _why,
    loop.BudgetSet: _limits,
    loop.Charged: lambda call, change: ", ".join(amounts(change.spend, call.language)),
    loop.LoopNoted: _counted,
    loop.StrikesCleared: lambda call, change: "" if change.tool else call.say("log_every_tool"),
    n.ProofNoted: _passed,
    n.CheckConfirmed: lambda _, change: write_rule(change.check),
    n.PhaseMarked: lambda call, change: status_words(change.status or "", call.language),
    n.ErrorNoted: _times,
}

WORDS: Final = {
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
    c.NumbersPassed: "log_numbers_passed",
    c.Undone: "log_undone",
    loop.BudgetSet: "log_budget_set",
    loop.Charged: "log_charged",
    loop.QuestionAsked: "log_question_asked",
    loop.QuestionAnswered: "log_question_answered",
    loop.Interjected: "log_interjected",
    loop.InterjectionsTaken: "log_interjections_taken",
    loop.LoopNoted: "log_loop_noted",
    loop.StruckOut: "log_struck_out",
    loop.StrikesCleared: "log_strikes_cleared",
    loop.LoopRetold: "log_loop_retold",
    n.ProofNoted: "log_proof_noted",
    n.CheckConfirmed: "log_check_confirmed",
    n.PhaseMarked: "log_phase_marked",
    n.FindingNoted: "log_finding_noted",
    n.FindingForgotten: "log_finding_forgotten",
    n.ErrorNoted: "log_error_noted",
    n.ErrorsForgotten: "log_errors_forgotten",
    n.Delivered: "log_delivered",
    n.ProseKept: "log_prose_kept",
}
