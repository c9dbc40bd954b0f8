"""One task in full, for `show N`: what it is, what proves it, what was tried, its history."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import asdict, replace

from outlast.console.render.json import plan_json, proof_json, task_json
from outlast.console.render.outline import RESULT_MARKS, phase_title
from outlast.console.render.output import terminal_width
from outlast.console.render.overview import question_lines
from outlast.console.render.shorten import problem_line
from outlast.documents.amount_words import amount_texts, duration, limits_in, part_of_limit
from outlast.documents.change_words import (
    FIELD_TEXTS,
    author_name,
    describe,
    describe_changes,
    outcome_words,
    settled_words,
    times,
)
from outlast.errors import StoreError
from outlast.language import (
    STATUS_ICONS,
    Language,
    check_result,
    clauses,
    listing,
    status_words,
    visible,
    with_colon,
    with_details,
)
from outlast.language.columns import wrap_line
from outlast.model import changes as c
from outlast.model.budget import NO_LIMIT, NOTHING, Spend
from outlast.model.changes import Change, Commit
from outlast.model.ledger import THINK
from outlast.model.model import (
    LABEL_TEXTS,
    MAX_RETRIES,
    ErrorRecord,
    Evidence,
    Finding,
    Lease,
    Outcome,
    Proof,
    Question,
    SettledBy,
    Task,
    write_rule,
)
from outlast.model.plan_costs import spent_amount, used_amount
from outlast.plan.tools.call_record import describe_recorded_call
from outlast.proof.labels import ProofStatus, task_proofs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from outlast.console.call import Call, Json
    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan

_SHOWN: Final = 10  # lines of a text, attempts, events
_TAIL: Final = 5  # lines of what a check printed
_MARKS: Final = {None: "◐", "done": "✔", "failed": "✖", "lost": "✖"}
_INDENT: Final = "  "


class RecordedAttempt(Struct, frozen=True):
    """A call of a tool, or of a model if `what` is empty; without an `outcome` it is open."""

    id: str
    what: str
    at: datetime
    outcome: Outcome | None = None
    settled_by: SettledBy = ""
    note: str = ""
    spent: Spend = NOTHING


class TaskRecord(Struct):
    """The commits that changed a task, in words; its attempts; what was noted while it was current.

    Findings and errors are by id, with how often they were noted.
    """

    events: list[tuple[Commit, str]] = []
    attempts: dict[str, RecordedAttempt] = {}
    findings: dict[int, int] = {}
    errors: dict[int, int] = {}


def read_task_record(plan: Plan, task_id: int, language: Language) -> TaskRecord:
    """Read the journal of a plan, oldest commit first."""
    record = TaskRecord()
    commits = plan.core.store.history()
    first = next(iter(commits), None)
    state = plan.core.store.state_before(first.revision if first else 1)
    for commit in commits:
        if any(isinstance(change, c.PlanCreated) for change in commit.changes):
            record = TaskRecord()  # the tasks of an earlier plan have the same numbers
        was_current = _is_current(state, task_id)
        words = describe_changes(
            commit, state, lambda change: describe(change, state, language, subject=task_id)
        )
        if words:
            record.events.append((commit, clauses(words, language)))
        is_current = was_current or _is_current(state, task_id)
        for change in commit.changes:
            _note_attempt(record, change, commit, task_id)
            if is_current:
                _note_notes(record, change)
    return record


def _is_current(state: PlanState, task_id: int) -> bool:
    task = state.tasks.get(task_id)
    return task is not None and task.status == "in_progress"


def _note_attempt(record: TaskRecord, change: Change, commit: Commit, task_id: int) -> None:
    if isinstance(change, c.AttemptBegan) and change.task == task_id:
        what = "" if change.kind == THINK else describe_recorded_call(change.what)
        record.attempts[change.id] = RecordedAttempt(change.id, what, commit.at)
    elif isinstance(change, c.AttemptEnded) and change.id in record.attempts:
        record.attempts[change.id] = replace(
            record.attempts[change.id],
            outcome=change.outcome,
            settled_by=change.settled_by,
            note=change.note,
            spent=change.spent,
        )


def _note_notes(record: TaskRecord, change: Change) -> None:
    if isinstance(change, c.FindingNoted):
        number = change.finding.id
        record.findings[number] = record.findings.get(number, 0) + 1
    elif isinstance(change, c.ErrorNoted):
        number = change.error.id
        record.errors[number] = record.errors.get(number, 0) + 1


class TaskPage:
    """What a plan and its journal tell about one task, as text and as JSON.

    The text shortens what is long, unless `whole`. `options` are those of the `show` command that
    shows it whole.
    """

    def __init__(
        self,
        plan: Plan,
        call: Call,
        task_id: int,
        *,
        whole: bool = False,
        options: Sequence[str] = (),
    ) -> None:
        self._plan, self._call, self._whole, self._options = plan, call, whole, options
        self._task_id = task_id
        self._proof = self._read_proof()
        self._record: TaskRecord = read_task_record(plan, task_id, call.language)

    def _read_proof(self) -> ProofStatus:
        """Return the label and the last run of the checks; add a notice if they cannot be read.

        Before the first try to complete the task, they ran when it was started.
        """
        try:
            status = self._plan.checks.proof(self._task_id)
        except StoreError as error:
            self._call.notices.append((error.text, error.details))
            return ProofStatus(self._task_id, "")
        return status if status.proof else replace(status, proof=self._baseline())

    def _baseline(self) -> Proof | None:
        return self._plan.core.read(
            lambda state: task_proofs(state, state.tasks[self._task_id]).baseline
        )

    # JSON

    def as_json(self) -> Json:
        """Return everything that the text has, whole."""
        about = plan_json(self._plan)
        return self._plan.core.read(lambda state: {"plan": about, **self._to_json(state)})

    def _to_json(self, state: PlanState) -> Json:
        task = state.tasks[self._task_id]
        budget = state.ledger.counters.budgets.get(task.id)
        lease = state.ledger.leases.get(task.id)
        return {
            "task": task_json(task, state.blocked_by(task)),
            "phase": asdict(state.phases[task.phase]),
            "needs": [_neighbour_json(state.tasks[need]) for need in task.needs],
            "needed_by": [_neighbour_json(each) for each in _dependents(state, task)],
            "proof": proof_json(self._proof),
            "claim": None if lease is None else self._claim_json(lease),
            "attempts": [
                {**asdict(attempt), "spent": asdict(attempt.spent)}
                for attempt in self._record.attempts.values()
            ],
            "cost": asdict(spent_amount(state, task.id)),
            "used": asdict(used_amount(state, task.id)),
            "budget": None if budget is None else asdict(budget),
            "findings": [asdict(finding) for finding in self._findings(state)],
            "errors": [{**asdict(error), "count": count} for error, count in self._errors(state)],
            "questions": [asdict(question) for question in _questions(state, task)],
            "history": [
                {
                    "revision": commit.revision,
                    "at": commit.at,
                    "author": commit.author,
                    "person": commit.person,
                    "text": words,
                }
                for commit, words in self._record.events
            ],
        }

    def _claim_json(self, lease: Lease) -> Json:
        is_live = lease.is_live(self._plan.core.now())
        return {"holder": lease.holder, "until": lease.until, "is_live": is_live}

    # Text

    def as_text(self) -> str:
        """Return the page, wrapped to the width of the terminal."""
        width = terminal_width()
        lines = [*self._plan.core.read(lambda state: [*self._lines(state)]), *self._history_lines()]
        return "\n".join(piece for line in lines for piece in _wrap(line, width))

    def _lines(self, state: PlanState) -> Iterator[str]:
        task = state.tasks[self._task_id]
        yield f"{_name(task)}  {self._status(task)}"
        if len(state.phases) > 1:
            title = phase_title(state.phases[task.phase], self._call.language)
            yield _INDENT + self._call.text("diff_phase", what=title)
        yield from self._field("description", task.description)
        yield from self._neighbours("field_dependencies", map(state.tasks.__getitem__, task.needs))
        yield from self._neighbours("show_needed_by", _dependents(state, task))
        yield from self._details(task)
        yield from self._check_lines(task)
        yield from self._text_lines("field_result", task.result or "", whole=True)
        yield from self._field("error", task.error or "")
        if task.retry_count:
            yield from self._field("retry_count", f"{task.retry_count}/{MAX_RETRIES}")
        yield from self._claim_lines(state)
        yield from self._attempt_lines(state)
        yield from self._budget_lines(state)
        yield from self._note_lines(state)
        for line in question_lines(self._call, tuple(_questions(state, task))):
            yield from (f"{_INDENT}{each}" for each in line.splitlines())

    def _status(self, task: Task) -> str:
        label = self._proof.label
        labels = [self._call.text(LABEL_TEXTS[label])] if label else []
        return listing(
            [status_words(task.status, self._call.language), *labels], self._call.language
        )

    def _details(self, task: Task) -> Iterator[str]:
        progress, language = task.progress, self._call.language
        yield from self._field("reasoning", task.reasoning)
        yield from self._field("constraints", task.constraints)
        yield from self._field("expected", task.expected)
        yield from self._field("kind", task.kind)
        yield from self._field("run", task.run)
        yield from self._field("files", listing(task.files, language))
        yield from self._field("protect", listing(task.protect, language))
        yield from self._field(
            "progress", f"{progress.current}/{progress.total}" if progress else ""
        )
        yield from self._field("actor", self._actor(task))
        if task.started_at is not None:
            yield from self._label_lines(
                "show_time", [self._period(task.started_at, task.ended_at)]
            )

    def _period(self, started: datetime, ended: datetime | None) -> str:
        if ended is None:
            return self._call.text("show_since", at=_moment(started))
        seconds = (ended - started).total_seconds()
        if seconds < 1:
            return _moment(ended)
        period = f"{_moment(started)} → {_moment(ended)}"
        return with_details(period, duration(seconds, self._call.language), self._call.language)

    def _actor(self, task: Task) -> str:
        """Return who works or worked on the task, with a person's name."""
        person = next(
            (
                commit.person
                for commit, _ in reversed(self._record.events)
                if commit.author == task.actor
            ),
            "",
        )
        return with_details(task.actor, person, self._call.language)

    def _field(self, name: str, value: str) -> Iterator[str]:
        return self._text_lines(FIELD_TEXTS[name], value)

    def _text_lines(self, label: str, value: str, *, whole: bool = False) -> Iterator[str]:
        """Yield a text after its label; several lines stand below it."""
        lines = [visible(line) for line in value.strip("\n").split("\n")] if value else []
        return self._label_lines(label, lines if whole else self._shorten(lines))

    def _neighbours(self, label: str, tasks: Iterable[Task]) -> Iterator[str]:
        return self._label_lines(label, self._shorten([_name(task) for task in tasks]))

    def _label_lines(self, label: str, lines: Sequence[str]) -> Iterator[str]:
        """Yield a line after its label, or several below it."""
        head, language = self._call.text(label), self._call.language
        if len(lines) == 1:
            yield _INDENT + with_colon(head, lines[0], language)
        elif lines:
            yield _INDENT + with_colon(head, "", language).rstrip()
            yield from (f"{_INDENT * 2}{line}".rstrip() for line in lines)

    def _shorten(self, lines: list[str], *, from_end: bool = False) -> list[str]:
        """Return the first or the last few lines, and the command that shows all."""
        more = len(lines) - _SHOWN
        if self._whole or more <= 0:
            return lines
        options = (*self._options, "--all")
        command = self._call.suggest("show", str(self._task_id), *options)
        note = self._call.text("show_more", count=more, command=command)
        return [note, *lines[more:]] if from_end else [*lines[:_SHOWN], note]

    def _check_lines(self, task: Task) -> Iterator[str]:
        """Yield each check with what it showed last, and when."""
        if not task.checks:
            return
        proof, label = self._proof.proof, self._call.text(FIELD_TEXTS["checks"])
        when = _moment(proof.at) if proof else ""
        yield (
            _INDENT
            + with_colon(
                with_details(label, when, self._call.language), "", self._call.language
            ).rstrip()
        )
        shown = {evidence.check: evidence for evidence in proof.evidence} if proof else {}
        for check in task.checks:
            rule, evidence = visible(write_rule(check)), shown.get(check)
            if evidence is None:
                yield f"{_INDENT * 2}○ {rule}"
            else:
                yield from self._evidence_lines(rule, evidence)

    def _evidence_lines(self, rule: str, evidence: Evidence) -> Iterator[str]:
        result = visible(check_result(evidence.says, self._call.language))
        yield f"{_INDENT * 2}{RESULT_MARKS[evidence.ok]} {rule}  {result}".rstrip()
        printed = evidence.tail.splitlines()
        printed = printed if self._whole else printed[-_TAIL:]
        yield from (f"{_INDENT * 4}{visible(line)}".rstrip() for line in printed)

    def _claim_lines(self, state: PlanState) -> Iterator[str]:
        lease = state.ledger.leases.get(self._task_id)
        if lease is not None:
            is_live = lease.is_live(self._plan.core.now())
            yield _INDENT + self._call.text(
                "show_claimed" if is_live else "show_claim_expired",
                holder=visible(lease.holder),
                until=_moment(lease.until),
            )

    def _attempt_lines(self, state: PlanState) -> Iterator[str]:
        """Yield what was spent on the task, and each call of a model or a tool."""
        language, attempts = self._call.language, [*self._record.attempts.values()]
        spent = listing(amount_texts(spent_amount(state, self._task_id), language), language)
        if spent:
            yield _INDENT + self._call.text("show_used", what=spent)
        lines = self._shorten([self._describe_attempt(each) for each in attempts], from_end=True)
        if lines:
            yield _INDENT + with_colon(self._call.text("show_attempts"), "", language).rstrip()
            yield from (f"{_INDENT * 2}{line}" for line in lines)

    def _describe_attempt(self, attempt: RecordedAttempt) -> str:
        call, language = self._call, self._call.language
        what = visible(attempt.what) or call.text("show_model_call")
        if attempt.outcome is None:
            details = [call.text("show_attempt_open")]
        else:
            is_done = attempt.outcome == "done"
            outcome = [] if is_done else [outcome_words(attempt.outcome, language)]
            settled = settled_words(attempt.settled_by, language)
            details = [*outcome, *settled, *_amounts(attempt, call)]
        line = f"{_MARKS[attempt.outcome]} {what}"
        note = self._problem(attempt.note)
        told = with_details(line, listing(details, language), language)
        told = with_colon(told, note, language) if note else told
        return f"{attempt.at.astimezone():%Y-%m-%d %H:%M:%S}  {told}"

    def _problem(self, text: str) -> str:
        """Return an error in one line."""
        return visible(" ".join(text.split())) if self._whole else problem_line(text)

    def _budget_lines(self, state: PlanState) -> Iterator[str]:
        language, used = self._call.language, used_amount(state, self._task_id)
        limits = limits_in(state.ledger.counters.budgets.get(self._task_id, NO_LIMIT))
        parts = [part_of_limit(kind, getattr(used, kind), most, language) for kind, most in limits]
        if parts:
            yield _INDENT + self._call.text("show_budget", what=clauses(parts, language))

    def _note_lines(self, state: PlanState) -> Iterator[str]:
        """Yield the findings and the errors that were noted while it was in progress."""
        language = self._call.language
        findings = [f"{each.id} {visible(each.title)}" for each in self._findings(state)]
        errors = [
            with_details(
                with_colon(visible(error.tool), self._problem(error.message), language),
                times(count, language),
                language,
            )
            for error, count in self._errors(state)
        ]
        for label, lines in (("field_findings", findings), ("show_errors", errors)):
            yield from self._label_lines(label, self._shorten(lines, from_end=True))

    def _findings(self, state: PlanState) -> list[Finding]:
        known = state.notes.findings
        return [known[number] for number in self._record.findings if number in known]

    def _errors(self, state: PlanState) -> list[tuple[ErrorRecord, int]]:
        counts = self._record.errors
        errors = state.notes.errors.values()
        return [(error, counts[error.id]) for error in errors if error.id in counts]

    def _history_lines(self) -> Iterator[str]:
        """Yield the commits that changed the task, the newest last."""
        language = self._call.language
        lines = [
            f"r{commit.revision}  {_moment(commit.at)}  {author_name(commit, language)}  {words}"
            for commit, words in self._record.events
        ]
        if lines:
            head = with_colon(self._call.text("show_history"), "", language)
            yield _INDENT + head.rstrip()
            yield from (f"{_INDENT * 2}{line}" for line in self._shorten(lines, from_end=True))


def _wrap(line: str, width: int) -> Iterator[str]:
    indent = line[: len(line) - len(line.lstrip())]
    return wrap_line(line, width, f"{indent}{_INDENT}")


def _moment(at: datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M}"


def _name(task: Task) -> str:
    return f"{STATUS_ICONS[task.status]} {task.id} {visible(task.name)}"


def _dependents(state: PlanState, task: Task) -> list[Task]:
    return [state.tasks[each] for each in sorted(state.graph.dependents.get(task.id, ()))]


def _questions(state: PlanState, task: Task) -> list[Question]:
    return [question for question in state.open_questions() if question.task == task.id]


def _amounts(attempt: RecordedAttempt, call: Call) -> list[str]:
    """Return the cost of an attempt, except that it was one."""
    return amount_texts(replace(attempt.spent, model_calls=0, tool_calls=0), call.language)


def _neighbour_json(task: Task) -> Json:
    return {"id": task.id, "name": task.name, "status": task.status}
