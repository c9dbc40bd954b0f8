"""The words for changes, in one table: a row for each kind, a column for each place that tells it.

The log, `undo` and `watch` say what a commit did to which thing, `show N` what happened to its
task, a notice about a save what its edits did, and a report how an attempt ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from outlast.documents.amount_words import amount_text, amount_texts, limits_in
from outlast.language import clauses, listing, status_words, text, visible, with_colon, with_details
from outlast.model import changes as c
from outlast.model.history.content import concerns_task
from outlast.model.history.salvage import is_applicable
from outlast.model.ledger import DELEGATE, THINK, Notes
from outlast.model.limits import default_title
from outlast.model.model import FINISHED, LABEL_TEXTS, PLAN, UNATTRIBUTED, Phase, Task, write_rule

if TYPE_CHECKING:
    from outlast.language import Language
    from outlast.model.changes import Change, Commit
    from outlast.model.model import Outcome, PauseReason, Question, Refuser, SettledBy
    from outlast.model.state import PlanState

Phrase = tuple[str, dict[str, object]]  # a text key and the values for its placeholders
COMMIT_CHARACTERS: Final = 12  # of a commit of the workspace

_CHANGES_SHOWN: Final = 5  # of one commit
_PHRASES_SHOWN: Final = 10  # in one line
_NAME_CHARACTERS: Final = 80

FIELD_TEXTS: Final = {
    "goal": "field_goal",
    "title": "field_title",
    "order": "field_order",
    "hold": "field_hold",
    "notes": "field_notes",
    "marked": "field_marked",
    "name": "field_name",
    "needs": "field_dependencies",
    "reasoning": "field_reasoning",
    "description": "field_description",
    "status": "field_status",
    "result": "field_result",
    "error": "field_error",
    "retry_count": "field_retry_count",
    "progress": "field_progress",
    "active_form": "field_active_form",
    "kind": "field_kind",
    "checks": "field_checks",
    "run": "field_run",
    "files": "field_files",
    "protect": "field_protect",
    "constraints": "field_constraints",
    "expected": "field_expected",
    "how": "field_how",
    "actor": "field_actor",
    "findings": "field_findings",
    "errors": "field_errors",
    "deliverable": "field_deliverable",
    "answer": "field_answer",
    "prose": "field_prose",
}
_FIELD_PHRASES: Final = {  # of an edited task
    "description": "change_description",
    "checks": "change_checks",
    "run": "change_run",
    "files": "change_files",
    "protect": "change_protect",
    "result": "change_result",
    "reasoning": "change_reasoning",
    "kind": "change_kind",
}
_SHOWN_FIELDS: Final = ("goal", "title", "name")  # short ones, with their old and new values

CONSEQUENCES: Final = ("change_needs_dropped", "change_needs_added")  # about a task
TOLD_PHRASES: Final = {  # where a model is told something else than a person
    "change_finding": "told_finding",
    "change_prose": "told_prose",
}

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


class _Wording(NamedTuple):
    """What the log and a report call the same thing."""

    log: str
    report: str


_OUTCOMES: Final[dict[Outcome, _Wording]] = {
    "done": _Wording("log_attempt_done", "attempt_done"),
    "failed": _Wording("attempt_failed", "attempt_failed"),
    "lost": _Wording("log_attempt_lost", "attempt_lost"),
}
_SETTLED: Final[dict[SettledBy, _Wording]] = {
    "check": _Wording("log_settled_by_check", "attempt_settled_check"),
    "key": _Wording("attempt_settled_key", "attempt_settled_key"),
    "session": _Wording("attempt_settled_session", "attempt_settled_session"),
    "person": _Wording("attempt_settled_person", "attempt_settled_person"),
    "tool": _Wording("log_settled_by_tool", "attempt_settled_tool"),
}


# What is said of a change, of a commit, of an attempt


def describe(
    change: Change, before: PlanState, language: Language = "en", *, subject: int | None = None
) -> str:
    """Return what a change did, given the plan before it.

    In the history of the task `subject` the task is not named, and what does not concern it has no
    words.
    """
    words = WORDS[type(change)]
    if subject is not None:
        if not concerns_task(change, before.ledger.conversation.questions, subject):
            return ""
        if words.event:
            details = (words.event_details or words.details)(change, before, language)
            return with_details(text(words.event, language), visible(details), language)
    if words.number is not None:
        return text(words.line, language, count=words.number(change))
    about = words.about(change, language)
    if isinstance(about, int):
        about = _task_name(about, before, language)
    what = visible(with_details(about, words.details(change, before, language), language))
    return text(words.line, language, what=what.strip()).strip().replace(" \uff08", "\uff08")


def describe_commit(
    commit: Commit, state: PlanState, language: Language = "en", chosen: Sequence[bool] = ()
) -> str:
    """Return what a commit changed; of many changes the first few.

    `chosen` tells of each change whether it is wanted; by default all are. `state` is the plan
    before the commit, so that things have the names of that time. The commit is applied to it.
    """
    chosen = chosen or [True] * len(commit.changes)
    flags, places = iter(chosen), count()

    def describe_chosen(change: Change) -> str:
        if not next(flags) or next(places) >= _CHANGES_SHOWN:
            return ""
        return describe(change, state, language)

    texts = describe_changes(commit, state, describe_chosen)
    more = sum(chosen) - _CHANGES_SHOWN
    if more > 0:
        texts.append(text("log_more", language, more=more))
    return clauses(texts, language)


def describe_changes(
    commit: Commit, state: PlanState, describe_one: Callable[[Change], str]
) -> list[str]:
    """Return the texts on the changes of a commit, each once; apply all of them to `state`.

    `describe_one` is called before a change is applied. A change without a text is left out.
    """
    texts: dict[str, None] = {}
    for change in commit.changes:
        texts[describe_one(change)] = None
        if is_applicable(state, change):  # unless the history is not complete
            change.apply(state, commit.at)
    return [*filter(None, texts)]


def matters(change: Change) -> bool:
    """Return whether a change is news to people who do not look for a fault."""
    match change:
        case c.TaskLeased():
            return change.id != PLAN
        case c.ProofNoted():
            return change.proof.stage == "later"  # else it is part of a start or a completion
    return type(change) not in _BOOKKEEPING


def author_name(commit: Commit, language: Language = "en") -> str:
    """Return who made a commit, with a person's name: `human (ada)`.

    For an edit that a tool may have made, that this is unknown.
    """
    if commit.author == UNATTRIBUTED:
        return text("log_unattributed", language)
    return visible(with_details(commit.author, commit.person, language))


def outcome_words(outcome: Outcome, language: Language, *, in_report: bool = False) -> str:
    """Return what became of an attempt."""
    return text(_OUTCOMES[outcome][in_report], language)


def settled_words(
    by: SettledBy, language: Language, *, in_report: bool = False
) -> tuple[str] | tuple[()]:
    """Return by whom or what an attempt was settled, if it was."""
    return (text(_SETTLED[by][in_report], language),) if by else ()


def times(count: int, language: Language) -> str:
    """Return how often something happened, if more than once."""
    return text("say_times", language, count=count) if count > 1 else ""


# The parts of a line of the log: a subject, which is a task's id or a text, and details


def _get_id(change: Any, _: Language) -> int | str:  # noqa: ANN401 - of many kinds
    about: int | str = getattr(change, "id", "")
    return about


def _no_details(_change: Change, _before: PlanState, _language: Language) -> str:
    return ""


def _task_name(task_id: int, before: PlanState, language: Language) -> str:
    if task_id == PLAN:
        return text("log_the_plan", language)
    task = before.tasks.get(task_id)
    return f"{task_id} {task.name}" if task else str(task_id)


def _question_title(question: Question, language: Language) -> str:
    from outlast.documents.waiting_edits import question_text

    return f"{question.id} {default_title(question_text(question, language))}"


def _edited_fields(
    change: c.PlanEdited | c.TaskEdited, before: PlanState, language: Language
) -> str:
    """Return the names of the changed fields; of a goal or a name, the old and the new one."""
    old = before.tasks.get(change.id) if isinstance(change, c.TaskEdited) else before
    fields = {
        name: value
        for name in change.__struct_fields__
        if name != "id" and (value := getattr(change, name)) is not None
    }
    if "goal" in fields:
        fields.pop("title", None)  # it follows the goal
    return listing(
        (_field_text(name, getattr(old, name, ""), new, language) for name, new in fields.items()),
        language,
    )


def _field_text(name: str, old: str, new: str, language: Language) -> str:
    field = text(FIELD_TEXTS[name], language)
    if name not in _SHOWN_FIELDS or not old:
        return field
    return with_colon(field, f"{default_title(old)} → {default_title(new)}", language)


def _proof_label(
    change: c.TaskCompleted | c.CompletionConfirmed, _: PlanState, language: Language
) -> str:
    return "" if change.how == "reported" else text(LABEL_TEXTS[change.how], language)


def _progress(change: c.TaskProgressed, _before: PlanState, _language: Language) -> str:
    progress = change.progress
    return f"{progress.current}/{progress.total}" if progress else ""


def _attempt_subject(change: c.AttemptBegan, language: Language) -> str:
    """Return the number of an attempt, and what it was: a call, or the size of a request."""
    first = change.what.partition(" ")[0]
    if change.kind == DELEGATE:  # an agent; the names of its order and session are for it
        return f"{change.id} {first}"
    if change.kind != THINK or not first.isdecimal():
        return f"{change.id} {change.what}"
    size = text("log_messages", language, count=int(first))
    return f"{change.id} {size}"


def _attempt_details(change: c.AttemptEnded, _: PlanState, language: Language) -> str:
    settled = settled_words(change.settled_by, language)
    return listing([*settled, *amount_texts(change.spent, language)], language)


def _footprint_subject(change: c.FootprintNoted, language: Language) -> str:
    """Return what an attempt changed beside the files of its task, or which commit it left."""
    left = change.footprint
    what = listing(left.outside, language) if left.count else left.after[:COMMIT_CHARACTERS]
    return with_colon(left.attempt, what, language) if what else left.attempt


def _pass_count(change: c.ProofNoted, _before: PlanState, _language: Language) -> str:
    evidence = change.proof.evidence
    return f"{sum(item.ok is True for item in evidence)}/{len(evidence)}" if evidence else ""


def _budget_limits(change: c.BudgetSet, _: PlanState, language: Language) -> str:
    limits = [amount_text(what, limit, language) for what, limit in limits_in(change.budget)]
    return listing(limits, language) or text("log_no_limit", language)


def _loop_counts(change: c.LoopNoted, _: PlanState, language: Language) -> str:
    texts = [text("log_managed", language)] if change.managed else []
    if change.stops is not None:
        texts.append(text("log_stops", language, count=change.stops))
    if change.seen is not None:
        texts.append(text("log_seen", language, revision=change.seen))
    return clauses(texts, language)


def _refusal_details(change: c.RefusalNoted, _: PlanState, language: Language) -> str:
    by = text(_REFUSED_BY[change.by], language)
    return with_colon(by, default_title(change.note), language) if change.note else by


def _pause_reason(change: c.PlanPaused, _: PlanState, language: Language) -> str:
    return text(PAUSE_REASONS[change.why], language) if change.why else ""


# The phrases of a notice


class PlanBefore(Struct, frozen=True):
    """A plan before a commit, as far as it is needed for phrases on its changes."""

    tasks: Mapping[int, Task]
    phases: Mapping[str, Phase]
    notes: Notes

    @classmethod
    def of(cls, state: PlanState) -> PlanBefore:
        """Return what a state has now; later changes of the state do not show in it."""
        return cls({**state.tasks}, state.phases, replace(state.notes))


class Phrases(list[Phrase]):
    """Phrases about changes, which become one line in either language."""

    def explain(self, language: Language = "en") -> str:
        """Return the phrases as one line: what was done, then what follows from it."""
        shown = self[:_PHRASES_SHOWN]
        done = [text(key, language, **about) for key, about in shown if key not in CONSEQUENCES]
        follows = [text(key, language, **about) for key, about in shown if key in CONSEQUENCES]
        if len(self) > _PHRASES_SHOWN:
            follows.append(text("log_more", language, more=len(self) - _PHRASES_SHOWN))
        comma = "\uff0c" if language == "zh" else ", "
        return clauses((*filter(None, (comma.join(done),)), *follows), language)


def list_phrases(before: PlanState | PlanBefore, commit: Commit) -> Phrases:
    """Return a phrase for each thing that a commit changed, each once, given the plan before it.

    What tasks wait for comes last: it may follow from another change, such as a removal. The
    bookkeeping of runs is left out.
    """
    told, phrases = _Told(before, commit), Phrases()
    for change in commit.changes:
        own = WORDS[type(change)].phrases
        for phrase in told.name(own, change) if isinstance(own, str) else own(change, told):
            if phrase not in phrases:
                phrases.append(phrase)
    phrases.sort(key=lambda phrase: phrase[0] in CONSEQUENCES)
    return phrases


class _Told:
    """What is known while the changes of one commit are told: the names and needs they lead to."""

    def __init__(self, before: PlanState | PlanBefore, commit: Commit) -> None:
        self._before = before
        self.names: dict[int, str] = {}
        self.needs: dict[int, tuple[int, ...]] = {}
        self.prose = before.notes.prose
        ended = (c.TaskCompleted, c.TaskSkipped)
        self.finished = {change.id for change in commit.changes if isinstance(change, ended)}

    def name(self, key: str, change: Any) -> Iterable[Phrase]:  # noqa: ANN401 - of many kinds
        """Return a phrase with the task or the phase that a change is about; none without a key."""
        about = getattr(change, "id", None)
        if not key:
            return ()
        if about is None:
            return ((key, {}),)
        return ((key, self.task(about) if isinstance(about, int) else self.phase(about)),)

    def task(self, task: int) -> dict[str, object]:
        known = self._before.tasks.get(task)
        name = self.names.get(task) or (known.name if known else "")
        return {"task": task, "name": _shorten(name)}

    def phase(self, phase: str) -> dict[str, object]:
        known = self.known_phase(phase)
        return {"name": _shorten(known.title if known else phase)}

    def known_phase(self, phase: str) -> Phase | None:
        return self._before.phases.get(phase)

    def known_needs(self, task: int) -> tuple[int, ...]:
        known = self._before.tasks.get(task)
        return self.needs.get(task, known.needs if known else ())

    def is_finished(self, task: int) -> bool:
        known = self._before.tasks.get(task)
        return task in self.finished or (known is not None and known.status in FINISHED)


def _shorten(name: str) -> str:
    shown = visible(" ".join(name.split()))
    return shown if len(shown) <= _NAME_CHARACTERS else f"{shown[: _NAME_CHARACTERS - 1]}…"


def _added_task(change: c.TaskAdded, told: _Told) -> Iterator[Phrase]:
    task = change.task
    told.names[task.id], told.needs[task.id] = task.name, task.needs
    yield "change_added", told.task(task.id)


def _started_task(change: c.TaskStarted, told: _Told) -> Iterator[Phrase]:
    if change.id not in told.finished:
        yield "change_started", told.task(change.id)


def _completed_task(change: c.TaskCompleted, told: _Told) -> Iterator[Phrase]:
    about = told.task(change.id)
    open_needs = [need for need in told.known_needs(change.id) if not told.is_finished(need)]
    if open_needs:
        yield "change_completed_early", {**about, "needs": open_needs}
    else:
        yield "change_completed", about


def _edited_plan(change: c.PlanEdited, _: _Told) -> Iterator[Phrase]:
    if change.goal is not None:
        yield "change_goal", {"name": _shorten(change.goal)}
    elif change.title is not None:
        yield "change_title", {"name": _shorten(change.title)}


def _edited_phase(change: c.PhaseEdited, told: _Told) -> Iterator[Phrase]:
    phase = change.phase
    old, title = told.known_phase(phase.id), _shorten(phase.title)
    if old is None or old.title != phase.title:
        yield "change_phase_renamed", {"old": told.phase(phase.id)["name"], "name": title}
    if old is None or old.notes != phase.notes:
        yield "change_phase_notes", {"name": title}


def _edited_task(change: c.TaskEdited, told: _Told) -> Iterator[Phrase]:
    if change.name is not None:
        told.names[change.id] = change.name
        yield "change_renamed", told.task(change.id)
    if change.needs is not None:
        known, about = told.known_needs(change.id), told.task(change.id)
        told.needs[change.id] = change.needs
        dropped = [need for need in known if need not in change.needs]
        added = [need for need in change.needs if need not in known]
        if dropped:
            yield "change_needs_dropped", {**about, "needs": dropped}
        if added:
            yield "change_needs_added", {**about, "needs": added}
    for field, key in _FIELD_PHRASES.items():
        if getattr(change, field) is not None:
            yield key, told.task(change.id)


def _kept_prose(change: c.ProseKept, told: _Told) -> Iterator[Phrase]:
    from outlast.documents.markdown.rejected import lines_by_people

    if lines_by_people(change.prose) != lines_by_people(told.prose):
        yield "change_prose", {}
    told.prose = change.prose


# The table


class Words(NamedTuple):
    """The words for one kind of change.

    `line` is a line of the log: with what the change is `about`, in brackets its `details`; or with
    a `number` alone. `event` stands in the history of its task, with `event_details` if they are
    others; without it the line does. `phrases` are told of a save: one on a task or a phase by its
    key, or several.
    """

    line: str
    about: Callable[[Any, Language], int | str] = _get_id
    details: Callable[[Any, PlanState, Language], str] = _no_details
    event: str = ""
    event_details: Callable[[Any, PlanState, Language], str] | None = None
    phrases: str | Callable[[Any, _Told], Iterable[Phrase]] = ""
    number: Callable[[Any], int] | None = None


def _of_error(change: c.TaskRetried | c.TaskFailed, _before: PlanState, _language: Language) -> str:
    return default_title(change.error)


# The bookkeeping of runs and of their calls.
_BOOKKEEPING: Final = (
    *(c.AttemptBegan, c.AttemptEnded, c.Charged, c.FootprintNoted, c.IdsSkipped),
    *(c.InterjectionsTaken, c.IterationCounted, c.LeaseEnded, c.LeaseRenewed, c.LoopNoted),
    *(c.LoopRestored, c.ProseKept, c.ReplanMoved, c.RunRemembered, c.SessionBegan),
    *(c.SessionEnded, c.StruckOut),
)
WORDS: Final[dict[type[Change], Words]] = {
    c.PlanCreated: Words(
        "log_plan_created", about=lambda change, _: change.title or default_title(change.goal)
    ),
    c.PlanEdited: Words("log_plan_edited", details=_edited_fields, phrases=_edited_plan),
    c.PlanBegun: Words("log_plan_begun"),
    c.PlanPaused: Words("log_plan_paused", details=_pause_reason, phrases="change_paused"),
    c.PlanResumed: Words("log_plan_resumed", phrases="log_plan_resumed"),
    c.PlanAborted: Words("log_plan_aborted"),
    c.PlanReset: Words("log_plan_reset", phrases="change_reset"),
    c.PlanRestored: Words("log_plan_restored"),
    c.ApprovalRequired: Words("log_approval_required"),
    c.PlanApproved: Words("log_plan_approved"),
    c.PhaseAdded: Words(
        "log_phase_added",
        about=lambda change, _: change.phase.title,
        phrases=lambda change, _: [("change_phase_added", {"name": _shorten(change.phase.title)})],
    ),
    c.PhaseEdited: Words(
        "log_phase_edited", about=lambda change, _: change.phase.title, phrases=_edited_phase
    ),
    c.PhaseMoved: Words("log_phase_moved", phrases="change_phase_moved"),
    c.PhaseRemoved: Words("log_phase_removed", phrases="change_phase_removed"),
    c.PhaseMarked: Words(
        "log_phase_marked",
        details=lambda change, _, language: status_words(change.status or "", language),
    ),
    c.TaskAdded: Words(
        "log_task_added",
        about=lambda change, _: f"{change.task.id} {change.task.name}",
        event="event_added",
        phrases=_added_task,
    ),
    c.TaskRemoved: Words("log_task_removed", event="event_removed", phrases="change_removed"),
    c.TaskEdited: Words(
        "log_task_edited", details=_edited_fields, event="event_edited", phrases=_edited_task
    ),
    c.TaskMoved: Words("log_task_moved", event="event_moved", phrases="change_moved"),
    c.TaskStarted: Words("log_task_started", event="event_started", phrases=_started_task),
    c.TaskCompleted: Words(
        "log_task_completed", details=_proof_label, event="event_completed", phrases=_completed_task
    ),
    c.CompletionConfirmed: Words(
        "log_completion_confirmed",
        details=_proof_label,
        event="event_completion_confirmed",
        phrases="change_confirmed",
    ),
    c.TaskRetried: Words(
        "log_task_retried", event="event_retried", event_details=_of_error, phrases="change_failed"
    ),
    c.TaskFailed: Words(
        "log_task_failed", event="event_failed", event_details=_of_error, phrases="change_failed"
    ),
    c.TaskSkipped: Words(
        "log_task_skipped",
        event="event_skipped",
        event_details=lambda change, _before, _language: default_title(change.reason),
        phrases="change_skipped",
    ),
    c.TaskReopened: Words("log_task_reopened", event="event_reopened", phrases="change_reopened"),
    c.TaskReturned: Words("log_task_returned", event="event_returned", phrases="change_returned"),
    c.TaskProgressed: Words(
        "log_task_progressed", event="event_progressed", event_details=_progress
    ),
    c.TaskRestored: Words("log_task_restored", event="event_restored", phrases="change_restored"),
    c.TaskLeased: Words(
        "log_task_leased",
        details=lambda change, _before, _language: change.holder,
        event="event_claimed",
    ),
    c.LeaseRenewed: Words("log_lease_renewed"),
    c.LeaseEnded: Words("log_lease_ended"),
    c.AttemptBegan: Words("log_attempt_began", about=_attempt_subject),
    c.AttemptEnded: Words(
        "log_attempt_ended",
        about=lambda change, language: f"{change.id} {outcome_words(change.outcome, language)}",
        details=_attempt_details,
    ),
    c.IterationCounted: Words("log_iteration_counted", about=lambda change, _: str(change.total)),
    c.IdsSkipped: Words("log_numbers_passed"),
    c.Undone: Words(
        "log_undone",
        about=lambda change, _: str(change.revision),
        phrases=lambda change, _: [("change_undone", {"revision": change.revision})],
    ),
    c.BudgetSet: Words(
        "log_budget_set",
        about=lambda change, _: change.task,
        details=_budget_limits,
        event="event_budget_set",
    ),
    c.Charged: Words(
        "log_charged",
        about=lambda change, _: change.task,
        details=lambda change, _, language: listing(amount_texts(change.spend, language), language),
    ),
    c.RunRemembered: Words(
        "log_run_remembered",
        about=lambda change, _: change.run.model or change.run.actor,
        details=lambda change, _, language: text(
            "log_run_limit", language, count=change.run.max_iterations
        ),
    ),
    c.ReportNoted: Words(
        "log_report_noted",
        about=lambda change, _: f"{change.report.attempt} {change.report.status}",
        details=lambda change, _before, _language: change.report.agent,
    ),
    c.DecisionNoted: Words(
        "log_decision_noted",
        about=lambda change, _: f"{change.decision.attempt} {change.decision.decision}",
        details=lambda change, _before, _language: default_title(change.decision.reason),
    ),
    c.SessionBegan: Words(
        "log_session_began", about=lambda change, _: f"{change.used.attempt} {change.used.agent}"
    ),
    c.SessionEnded: Words("log_session_ended", about=lambda _change, _language: ""),
    c.FootprintNoted: Words("log_footprint_noted", about=_footprint_subject),
    c.ReplanMoved: Words("log_replan_moved", about=lambda change, _: str(change.position.steps)),
    c.QuestionAsked: Words(
        "log_question_asked",
        about=lambda change, language: _question_title(change.question, language),
    ),
    c.QuestionAnswered: Words(
        "log_question_answered",
        about=lambda change, language: with_colon(
            change.id, default_title(change.answer), language
        ),
    ),
    c.Interjected: Words(
        "log_interjected", about=lambda change, _: default_title(change.interjection.text)
    ),
    c.InterjectionsTaken: Words(
        "log_interjections_taken", about=lambda change, _: str(change.last)
    ),
    c.LoopNoted: Words("log_loop_noted", details=_loop_counts),
    c.LoopRestored: Words("log_loop_retold"),
    c.StruckOut: Words("log_struck_out", about=lambda change, _: change.tool),
    c.StrikesCleared: Words(
        "log_strikes_cleared",
        about=lambda change, _: change.tool or "",
        details=lambda change, _, language: "" if change.tool else text("log_every_tool", language),
    ),
    c.RefusalNoted: Words(
        "log_refusal_noted",
        about=lambda change, _: default_title(change.what),
        details=_refusal_details,
    ),
    c.ProofNoted: Words(
        "log_proof_noted",
        about=lambda change, _: change.proof.task,
        details=_pass_count,
        event="event_checked",
    ),
    c.CheckConfirmed: Words(
        "log_check_confirmed",
        details=lambda change, _before, _language: write_rule(change.check),
        event="event_check_confirmed",
    ),
    c.FindingNoted: Words(
        "log_finding_noted",
        about=lambda change, _: f"{change.finding.id} {change.finding.title}",
        details=lambda change, _, language: times(change.finding.count, language),
        phrases=lambda change, _: [("change_finding", {"name": _shorten(change.finding.title)})],
    ),
    c.FindingForgotten: Words(
        "log_finding_forgotten",
        about=lambda change, _: str(change.id),
        phrases=lambda change, _: [("change_finding_removed", {"finding": change.id})],
    ),
    c.ErrorNoted: Words(
        "log_error_noted",
        about=lambda change, language: with_colon(
            change.error.tool, default_title(change.error.message), language
        ),
        details=lambda change, _, language: times(change.error.count, language),
        phrases="change_errors",
    ),
    c.ErrorsForgotten: Words(
        "log_errors_forgotten", number=lambda change: len(change.keys), phrases="change_errors"
    ),
    c.Delivered: Words(
        "log_delivered", number=lambda change: len(change.text), phrases="change_deliverable"
    ),
    c.ProseKept: Words(
        "log_prose_kept",
        number=lambda change: sum(len(prose.lines) for prose in change.prose),
        phrases=_kept_prose,
    ),
}
