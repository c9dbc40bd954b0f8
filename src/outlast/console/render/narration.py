"""Commits in words, for `log`, `undo` and `watch`."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, Final

from outlast.console.render.diff import FIELDS
from outlast.documents.sync.waiting_edits import question_text
from outlast.language import clauses, listing, status_words, visible, with_colon, with_details
from outlast.model import changes as c
from outlast.model.amounts import amount_text, amount_texts, limits_in
from outlast.model.check_rules import write_rule
from outlast.model.history.salvage import is_applicable
from outlast.model.ledger import DELEGATE, THINK
from outlast.model.limits import default_title
from outlast.model.model import LABEL_TEXTS, UNATTRIBUTED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outlast.console.call import Call
    from outlast.model.changes import Change, Commit
    from outlast.model.model import Outcome, PauseReason, Question, Refuser, SettledBy
    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan

_SHOWN: Final = 5
_THE_PLAN: Final = 0  # as the id of a task


def describe_commits(plan: Plan, call: Call, commits: Sequence[Commit]) -> list[str]:
    """Return what each of some commits changed, given oldest first."""
    if not commits:
        return []
    state = plan.core.store.state_before(commits[0].revision)
    return [describe_commit(call, commit, state) for commit in commits]


def describe_commit(
    call: Call, commit: Commit, state: PlanState, chosen: Sequence[bool] = ()
) -> str:
    """Return what a commit changed; of many changes the first few.

    `chosen` tells of each change whether it is wanted; by default all are. `state` is the plan
    before the commit, so that things have the names of that time. The commit is applied to it.
    """
    chosen = chosen or [True] * len(commit.changes)
    flags, places = iter(chosen), count()

    def describe(change: Change) -> str:
        if not next(flags) or next(places) >= _SHOWN:
            return ""
        return describe_change(call, change, state)

    texts = describe_changes(commit, state, describe)
    more = sum(chosen) - _SHOWN
    if more > 0:
        texts.append(call.text("log_more", more=more))
    return clauses(texts, call.language)


def describe_changes(
    commit: Commit, state: PlanState, describe: Callable[[Change], str]
) -> list[str]:
    """Return the texts on the changes of a commit, each once; apply all of them to `state`.

    `describe` is called before a change is applied. A change without a text is left out.
    """
    texts: dict[str, None] = {}
    for change in commit.changes:
        texts[describe(change)] = None
        if is_applicable(state, change):  # unless the history is not complete
            change.apply(state, commit.at)
    return [*filter(None, texts)]


def describe_change(call: Call, change: Change, state: PlanState) -> str:
    """Return what a change did; `state` is from before it."""
    kind = type(change)
    if kind in _COUNTS:
        return call.text(TEXT_KEYS[kind], count=_COUNTS[kind](change))
    about = _ABOUT[kind](call, change) if kind in _ABOUT else getattr(change, "id", "")
    if isinstance(about, int):
        about = _task_name(call, about, state)
    what = visible(with_details(about, change_details(call, change, state), call.language))
    return call.text(TEXT_KEYS[kind], what=what.strip()).strip().replace(" \uff08", "\uff08")


def change_details(call: Call, change: Change, state: PlanState) -> str:
    """Return the details of a change, such as the fields that an edit changed."""
    kind = type(change)
    if kind in _EDITS:
        return _edited_fields(call, change, state)
    return _DETAILS[kind](call, change) if kind in _DETAILS else ""


def author_name(call: Call, commit: Commit) -> str:
    """Return who made a commit, with a person's name: `human (ada)`.

    For an edit that a tool may have made, that this is unknown.
    """
    if commit.author == UNATTRIBUTED:
        return call.text("log_unattributed")
    return visible(with_details(commit.author, commit.person, call.language))


def _question_title(call: Call, question: Question) -> str:
    return f"{question.id} {default_title(question_text(question, call.language))}"


def _task_name(call: Call, task_id: int, state: PlanState) -> str:
    if task_id == _THE_PLAN:
        return call.text("log_the_plan")
    task = state.tasks.get(task_id)
    return f"{task_id} {task.name}" if task else str(task_id)


def _edited_fields(call: Call, change: Change, state: PlanState) -> str:
    """Return the names of the changed fields; of a goal or a name, the old and the new one."""
    old = state.tasks.get(change.id) if isinstance(change, c.TaskEdited) else state
    fields = {
        name: value
        for name in change.__struct_fields__
        if name != "id" and (value := getattr(change, name)) is not None
    }
    if "goal" in fields:
        fields.pop("title", None)  # it follows the goal
    return listing(
        (_field_text(call, name, getattr(old, name, ""), new) for name, new in fields.items()),
        call.language,
    )


def _field_text(call: Call, name: str, old: str, new: str) -> str:
    field = call.text(FIELDS[name])
    if name not in _SHOWN_FIELDS or not old:
        return field
    return with_colon(field, f"{default_title(old)} → {default_title(new)}", call.language)


def _proof_label(call: Call, change: c.TaskCompleted | c.CompletionConfirmed) -> str:
    return "" if change.how == "reported" else call.text(LABEL_TEXTS[change.how])


def _attempt_details(call: Call, change: c.AttemptEnded) -> str:
    settled = [call.text(SETTLED_TEXTS[change.settled_by])] if change.settled_by else []
    return listing([*settled, *amount_texts(change.spent, call.language)], call.language)


def _attempt_subject(call: Call, change: c.AttemptBegan) -> str:
    """Return the number of an attempt, and what it was: a call, or the size of a request."""
    count = change.what.partition(" ")[0]
    if change.kind == DELEGATE:  # an agent; the names of its order and session are for it
        return f"{change.id} {count}"
    if change.kind != THINK or not count.isdecimal():
        return f"{change.id} {change.what}"
    size = call.text("log_messages", count=int(count))
    return f"{change.id} {size}"


def _footprint_subject(call: Call, change: c.FootprintNoted) -> str:
    """Return what an attempt changed beside the files of its task, or which commit it left."""
    left = change.footprint
    what = listing(left.outside, call.language) if left.count else left.after[:_COMMIT_CHARACTERS]
    return with_colon(left.attempt, what, call.language) if what else left.attempt


def _pass_count(_call: Call, change: c.ProofNoted) -> str:
    evidence = change.proof.evidence
    return f"{sum(item.ok for item in evidence)}/{len(evidence)}" if evidence else ""


def count_text(call: Call, count: int) -> str:
    """Return how often something happened, if more than once."""
    return call.text("say_times", count=count) if count > 1 else ""


def _budget_limits(call: Call, change: c.BudgetSet) -> str:
    items = limits_in(change.budget)
    limits = [amount_text(what, limit, call.language) for what, limit in items]
    return listing(limits, call.language) or call.text("log_no_limit")


def _loop_counts(call: Call, change: c.LoopNoted) -> str:
    texts = [call.text("log_managed")] if change.managed else []
    if change.stops is not None:
        texts.append(call.text("log_stops", count=change.stops))
    if change.seen is not None:
        texts.append(call.text("log_seen", revision=change.seen))
    return clauses(texts, call.language)


def _run_details(call: Call, change: c.RunRemembered) -> str:
    return call.text("log_run_limit", count=change.run.max_iterations)


def _refusal_details(call: Call, change: c.RefusalNoted) -> str:
    by = call.text(_REFUSED_BY[change.by])
    return with_colon(by, default_title(change.note), call.language) if change.note else by


def _pause_reason(call: Call, change: c.PlanPaused) -> str:
    return call.text(PAUSE_REASONS[change.why]) if change.why else ""


PAUSE_REASONS: Final[dict[PauseReason, str]] = {
    "limit": "log_why_limit",
    "budget": "log_why_budget",
    "interrupted": "log_why_interrupted",
    "cancelled": "log_why_cancelled",
    "waiting": "log_why_waiting",
    "model_failed": "log_why_model_failed",
    "unsettled": "log_why_unsettled",
    "dropped": "log_why_dropped",
}

_REFUSED_BY: Final[dict[Refuser, str]] = {
    "hook": "log_refused_by_hook",
    "permission": "log_refused_by_permission",
}

SETTLED_TEXTS: Final[dict[SettledBy, str]] = {
    "check": "log_settled_by_check",
    "key": "log_settled_by_key",
    "session": "log_settled_by_session",
    "person": "log_settled_by_person",
    "tool": "log_settled_by_tool",
}

OUTCOME_TEXTS: Final[dict[Outcome, str]] = {
    "done": "log_attempt_done",
    "failed": "log_attempt_failed",
    "lost": "log_attempt_lost",
}

_COMMIT_CHARACTERS: Final = 12
_EDITS: Final = (c.PlanEdited, c.TaskEdited)
_SHOWN_FIELDS: Final = ("goal", "title", "name")  # short ones, with their old and new values

# The subject of a change, if it is not its `id`: a task's id, or a text.
_ABOUT: Final[dict[type[Change], Callable[[Call, Any], int | str]]] = {
    c.PlanCreated: lambda _, change: change.title or default_title(change.goal),
    c.PhaseAdded: lambda _, change: change.phase.title,
    c.PhaseEdited: lambda _, change: change.phase.title,
    c.TaskAdded: lambda _, change: f"{change.task.id} {change.task.name}",
    c.AttemptBegan: _attempt_subject,
    c.AttemptEnded: lambda call, change: f"{change.id} {call.text(OUTCOME_TEXTS[change.outcome])}",
    c.IterationCounted: lambda _, change: str(change.total),
    c.Undone: lambda _, change: str(change.revision),
    c.RunRemembered: lambda _, change: change.run.model or change.run.actor,
    c.ReportNoted: lambda _, change: f"{change.report.attempt} {change.report.status}",
    c.DecisionNoted: lambda _, change: f"{change.decision.attempt} {change.decision.decision}",
    c.SessionBegan: lambda _, change: f"{change.used.attempt} {change.used.agent}",
    c.FootprintNoted: _footprint_subject,
    c.SessionEnded: lambda _, _change: "",
    c.ReplanMoved: lambda _, change: str(change.position.steps),
    c.BudgetSet: lambda _, change: change.task,
    c.Charged: lambda _, change: change.task,
    c.QuestionAsked: lambda call, change: _question_title(call, change.question),
    c.QuestionAnswered: lambda call, change: with_colon(
        change.id, default_title(change.answer), call.language
    ),
    c.Interjected: lambda _, change: default_title(change.interjection.text),
    c.InterjectionsTaken: lambda _, change: str(change.last),
    c.StruckOut: lambda _, change: change.tool,
    c.StrikesCleared: lambda _, change: change.tool or "",
    c.RefusalNoted: lambda _, change: default_title(change.what),
    c.ProofNoted: lambda _, change: change.proof.task,
    c.FindingNoted: lambda _, change: f"{change.finding.id} {change.finding.title}",
    c.FindingForgotten: lambda _, change: str(change.id),
    c.ErrorNoted: lambda call, change: with_colon(
        change.error.tool, default_title(change.error.message), call.language
    ),
}

# Changes that only report a number.
_COUNTS: Final[dict[type[Change], Callable[[Any], int]]] = {
    c.ErrorsForgotten: lambda change: len(change.keys),
    c.Delivered: lambda change: len(change.text),
    c.ProseKept: lambda change: sum(len(prose.lines) for prose in change.prose),
}

# Details of a change, for the brackets.
_DETAILS: Final[dict[type[Change], Callable[[Call, Any], str]]] = {
    c.TaskCompleted: _proof_label,
    c.CompletionConfirmed: _proof_label,
    c.TaskLeased: lambda _, change: change.holder,
    c.AttemptEnded: _attempt_details,
    c.PlanPaused: _pause_reason,
    c.RunRemembered: _run_details,
    c.ReportNoted: lambda _, change: change.report.agent,
    c.DecisionNoted: lambda _, change: default_title(change.decision.reason),
    c.BudgetSet: _budget_limits,
    c.Charged: lambda call, change: listing(
        amount_texts(change.spend, call.language), call.language
    ),
    c.LoopNoted: _loop_counts,
    c.StrikesCleared: lambda call, change: "" if change.tool else call.text("log_every_tool"),
    c.RefusalNoted: _refusal_details,
    c.ProofNoted: _pass_count,
    c.CheckConfirmed: lambda _, change: write_rule(change.check),
    c.PhaseMarked: lambda call, change: status_words(change.status or "", call.language),
    c.FindingNoted: lambda call, change: count_text(call, change.finding.count),
    c.ErrorNoted: lambda call, change: count_text(call, change.error.count),
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
    c.CompletionConfirmed: "log_completion_confirmed",
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
    c.RunRemembered: "log_run_remembered",
    c.ReportNoted: "log_report_noted",
    c.DecisionNoted: "log_decision_noted",
    c.SessionBegan: "log_session_began",
    c.FootprintNoted: "log_footprint_noted",
    c.SessionEnded: "log_session_ended",
    c.ReplanMoved: "log_replan_moved",
    c.ApprovalRequired: "log_approval_required",
    c.PlanApproved: "log_plan_approved",
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
