"""The words of a report, the same for every form. All texts are raw: the forms escape them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from outlast.documents.amount_words import amount_texts, duration, figure
from outlast.documents.change_words import COMMIT_CHARACTERS, outcome_words, settled_words
from outlast.documents.markdown.notes.mission import DECISION_TEXTS, shown_files
from outlast.language import (
    Language,
    check_result,
    clauses,
    listing,
    status_words,
    text,
    with_colon,
    with_details,
)
from outlast.model.history.work_record import count_calls
from outlast.model.model import LABEL_TEXTS, PLAN, Decision, Footprint, Question, write_rule

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime, tzinfo

    from outlast.model.budget import Spend
    from outlast.model.history.work_record import (
        AttemptRecord,
        CheckRecord,
        TaskRecord,
        WorkRecord,
        Worth,
    )

_AFTER_COLON: Final = re.compile(r": |\uff1a")
_PLAIN_KEY: Final = re.compile(r"[\w.-]+")
_TEXT_LINES: Final = 12
_TAIL_LINES: Final = 20
_LINE_CHARACTERS: Final = 300
_SUMMARY_LINES: Final = 60
_ATTEMPTS_SHOWN: Final = 20
_RESULTS: Final = {True: "report_green", False: "report_red", None: "report_unknown"}
ARROW: Final = " → "
_WORTH_TEXTS: Final[dict[Worth, str]] = {
    "failed": "worth_failed",
    "doubtful": "worth_doubtful",
    "unproved": "worth_unproved",
    "open": "worth_open",
    "pending": "worth_pending",
    "skipped": "worth_skipped",
    "weak": "worth_weak",
}
_TASK_COLUMNS: Final = (
    "section_task",
    "report_result",
    "report_agent",
    "report_attempts",
    "section_checks",
    "report_time",
    "report_cost",
)
_ATTEMPT_COLUMNS: Final = (
    "report_agent",
    "report_began",
    "report_time",
    "report_ended",
    "report_said",
    "report_decided",
    "report_cost",
)


class Box(Struct, frozen=True):
    """What an agent or a program wrote, below a heading of ours; it is shown as it is."""

    heading: str
    lines: tuple[str, ...]


class CheckRow(Struct, frozen=True):
    """A check: its rule, how it went from red to green, and what it showed last."""

    rule: str
    results: str
    shows: str
    state: Literal["good", "bad", "none"]
    box: Box | None = None


class AttemptRow(Struct, frozen=True):
    """An attempt of an agent: a cell for each column, and the reasons and texts below it."""

    cells: tuple[str, ...]
    reasons: tuple[str, ...] = ()


class ReportWords:
    """The words about a work record in one language; without a `zone`, times are local."""

    def __init__(self, record: WorkRecord, language: Language, zone: tzinfo | None = None) -> None:
        self.record, self.language, self._zone = record, language, zone

    def say(self, key: str, /, **values: object) -> str:
        """Return a text of the report."""
        return text(key, self.language, **values)

    # The top

    def headline(self) -> str:
        """Return in one line how many tasks are proved, and what is wrong with the others."""
        counts, total = self.record.counts, len(self.record.tasks)
        if not total:
            return self.say("report_nothing")
        proved = counts.pop("proved", 0)
        if proved == total:
            return self.say("report_all_proved", total=total)
        others = [self.say(_WORTH_TEXTS[worth], count=count) for worth, count in counts.items()]
        waiting = len(self.record.questions)
        if waiting:
            others.append(self.say("report_waiting", count=waiting))
        return clauses(
            [self.say("report_proved", count=proved, total=total), *others], self.language
        )

    def facts(self) -> list[str]:
        """Return the lines below the headline: state, times, costs, and what was lost."""
        record = self.record
        condition = status_words(record.condition, self.language)
        plan, revision = record.key or record.title, f"r{record.revision}"
        state = self.say("report_state", key=plan, revision=revision, condition=condition)
        lines = [state, self.say("report_written", at=self.moment(record.at))]
        attempts = record.attempts
        if attempts:
            end = max(attempt.until for attempt in attempts)
            time = duration(record.seconds, self.language)
            begin, took = attempts[0].began, (end - attempts[0].began).total_seconds()
            moments = {"begin": self.moment(begin), "end": self.moment(end)}
            took_text = duration(took, self.language)
            lines.append(self.say("report_worked", time=time, took=took_text, **moments))
            lines.append(self._costs())
        lost = sum(not attempt.observed for attempt in attempts)
        removed = sum(attempt.task != PLAN for attempt in record.other_attempts)
        outside = sum(
            task.footprint is not None and bool(task.footprint.count) for task in record.tasks
        )
        return [
            *lines,
            *([self.say("report_lost", count=lost)] if lost else []),
            *([self.say("report_removed", count=removed)] if removed else []),
            *([self.say("report_outside_tasks", count=outside)] if outside else []),
        ]

    def _costs(self) -> str:
        record = self.record
        amounts = amount_texts(_without_time(record.spent), self.language)
        if not amounts:
            return self.say("report_spent", what=self.say("report_unknown_cost"))
        spent = self.say("report_spent", what=listing(amounts, self.language))
        planned = amount_texts(_without_time(record.planning), self.language)
        if not planned:
            return spent
        planning = listing(planned, self.language)
        return clauses([spent, self.say("report_planning_spent", what=planning)], self.language)

    def question_heading(self, question: Question) -> str:
        """Return the heading of an open question; `outlast answer` takes its number."""
        key = "report_question_task" if question.task else "report_question"
        return self.say(key, id=question.id, task=question.task)

    def how_to_answer(self, question: Question) -> str:
        """Return what a person types to answer a question."""
        key = self.record.key
        plan = f" --plan {key}" if _PLAIN_KEY.fullmatch(key) else ""
        return self.say("report_answer", id=question.id, as_person=plan)

    def summary(self) -> Box | None:
        """Return the summary that the run ended with, if it has one."""
        if not self.record.summary.strip():
            return None
        lines = self._cut(self.record.summary, _SUMMARY_LINES)
        return Box(self.say("report_summary"), lines)

    # A task

    def columns(self) -> list[str]:
        """Return the headings of the table of tasks."""
        return list(map(self.say, _TASK_COLUMNS))

    def cells(self, task: TaskRecord) -> list[str]:
        """Return the row of a task in the table, without its name."""
        return [
            self.state(task),
            listing(task.agents, self.language),
            str(len(task.orders) or ""),
            self.check_results(task),
            duration(task.seconds, self.language) if task.attempts else "",
            self.cost(task),
        ]

    def state(self, task: TaskRecord) -> str:
        """Return the status of a task, and what its completion is worth."""
        status = status_words(task.task.status, self.language)
        label = LABEL_TEXTS.get(task.label)
        return status if label is None else listing([status, self.say(label)], self.language)

    def cost(self, task: TaskRecord) -> str:
        """Return the money that a task cost, or its tokens if that is all there is."""
        spent = task.spent
        if spent.money:
            return figure("money", spent.money, self.language)
        return text("amount_of_tokens", self.language, count=spent.tokens) if spent.tokens else ""

    def check_results(self, task: TaskRecord) -> str:
        """Return how the checks of a task went, in one cell."""
        if not task.checks:
            return ""
        found = dict.fromkeys(self._results(check) for check in task.checks)
        return listing(found, self.language)

    def _results(self, check: CheckRecord) -> str:
        if not check.results:
            return self.say("report_not_run")
        return ARROW.join(self.say(_RESULTS[ok]) for ok in check.results)

    def check_rows(self, task: TaskRecord) -> list[CheckRow]:
        """Return each check of a task with its result; a red one with the end of its output."""
        return [self._check_row(check) for check in task.checks]

    def _check_row(self, check: CheckRecord) -> CheckRow:
        last, shows, box = check.last, "", None
        if last is not None:
            parts = [check_result(last.says, self.language)] if last.says else []
            if last.code is not None and f"{last.code}" not in last.says:
                parts.append(self.say("report_exit", code=last.code))
            shows = listing(parts, self.language)
            if last.tail.strip():
                lines = last.tail.rstrip().splitlines()[-_TAIL_LINES:]
                box = Box(self.say("report_output"), _clip(lines))
        state: Literal["good", "bad", "none"] = "none"
        if last is not None:
            state = "none" if last.ok is None else "good" if last.ok else "bad"
        return CheckRow(write_rule(check.check), self._results(check), shows, state, box)

    def task_facts(self, task: TaskRecord) -> list[str]:
        """Return the lines about a task that its row has no room for."""
        item, facts = task.task, []
        if item.needs:
            facts.append(self._pair("report_needs", listing(item.needs, self.language)))
        if item.error:
            facts.append(self._pair("report_error", _one_line(item.error)))
        if item.status == "skipped" and item.result:
            facts.append(self._pair("report_reason", _one_line(item.result)))
        models, tools = count_calls(task.attempts)
        if tools:
            facts.append(self.say("report_calls", models=models, tools=tools))
        if task.revision and item.finished:
            facts.append(self._pair("report_revision", f"r{task.revision}"))
        return [*facts, *self._footprint_facts(task.footprint)]

    def _footprint_facts(self, footprint: Footprint | None) -> list[str]:
        """Return the commits of a task, and the files it changed although it does not name them."""
        if footprint is None:
            return []
        facts, meanwhile = list[str](), self.say("report_others_meanwhile")
        before, after = (id_[:COMMIT_CHARACTERS] for id_ in (footprint.before, footprint.after))
        if after:
            is_new = before != after
            made = ARROW.join(filter(None, (before, after)))
            commit = made if is_new else self.say("report_no_commit", commit=after)
            shared = meanwhile if footprint.shared and is_new else ""
            facts.append(self._pair("report_commit", with_details(commit, shared, self.language)))
        if footprint.count:
            files = shown_files(footprint, self.language)
            shared = meanwhile if footprint.shared else ""
            facts.append(self._pair("report_outside", with_details(files, shared, self.language)))
        return facts

    def boxes(self, task: TaskRecord) -> list[Box]:
        """Return what the last agent reported about a task, else its recorded result."""
        report = next((a.report for a in reversed(task.attempts) if a.report is not None), None)
        if report is None:
            result = task.task.result if task.task.status == "completed" else None
            sections = {"report_recorded": result or ""}
        else:
            sections = {
                "section_results": report.results,
                "section_pitfalls": report.pitfalls,
                "section_next_steps": report.next_steps,
            }
        return [
            Box(self.say(key), self._cut(content, _TEXT_LINES))
            for key, content in sections.items()
            if content.strip()
        ]

    # An attempt

    def attempt_columns(self) -> list[str]:
        """Return the headings of the table of attempts."""
        return ["#", *map(self.say, _ATTEMPT_COLUMNS)]

    def attempt_rows(self, task: TaskRecord) -> list[AttemptRow]:
        """Return the last attempts that agents made of a task."""
        asked = self._asked_about(task)
        rows = [
            self._attempt_row(number, attempt, asked if number == len(task.orders) else "")
            for number, attempt in enumerate(task.orders, 1)
        ]
        return rows[-_ATTEMPTS_SHOWN:]

    def _asked_about(self, task: TaskRecord) -> str:
        """Return which question about a task a person has not answered yet."""
        open_ones = (each.id for each in self.record.questions if each.task == task.task.id)
        number = next(open_ones, 0)
        return self.say("report_asked", id=number) if number else ""

    def _attempt_row(self, number: int, attempt: AttemptRecord, asked: str) -> AttemptRow:
        """Return the row of an attempt; `asked` is what is decided as long as nothing is."""
        decided = [self.decision(d.decision, d.by) for d in attempt.decisions] or [asked]
        said = [part for d in attempt.decisions for part in (d.reason, d.advice)]
        reasons = [
            with_colon(number, part, self.language)
            for part in _without_repetitions(map(_one_line, (attempt.note, *said)))
        ]
        return AttemptRow(
            (
                str(number),
                attempt.agent,
                self.moment(attempt.began),
                duration(attempt.seconds, self.language),
                self.outcome(attempt),
                attempt.report.status if attempt.report else self.say("report_no_report"),
                clauses(decided, self.language),
                figure("money", attempt.spent.money, self.language) if attempt.spent.money else "",
            ),
            tuple(reasons),
        )

    def decision(self, decision: Decision, by: str) -> str:
        """Return a decision, and who made it."""
        return self.say("report_decision", decision=self.say(DECISION_TEXTS[decision]), by=by)

    def outcome(self, attempt: AttemptRecord) -> str:
        """Return how an attempt ended, as far as anybody knows."""
        if not attempt.outcome:
            return self.say("attempt_running" if attempt.observed else "attempt_unknown")
        outcome = outcome_words(attempt.outcome, self.language, in_report=True)
        rejected = [self.say("attempt_rejected")] if attempt.is_rejected else []
        settled = settled_words(attempt.settled_by, self.language, in_report=True)
        return listing([outcome, *rejected, *settled], self.language)

    # Small things

    def moment(self, at: datetime) -> str:
        """Return a time as people read it, with its distance from UTC."""
        return self.clock(at, "%Y-%m-%d %H:%M:%S %z")

    def clock(self, at: datetime, form: str) -> str:
        """Return a time in the zone of the report, in the form of `strftime`."""
        return f"{at.astimezone(self._zone):{form}}"

    def _pair(self, key: str, value: str) -> str:
        return with_colon(self.say(key), value, self.language)

    def _cut(self, content: str, limit: int) -> tuple[str, ...]:
        """Return the first lines of a text, and how many there are more."""
        lines = content.strip().splitlines()
        more = len(lines) - limit
        shown = _clip(lines[:limit])
        return (*shown, self.say("report_shortened", count=more)) if more > 0 else shown


def _without_time(spend: Spend) -> Spend:
    """Return an amount without its time, which the report tells from the attempts."""
    return replace(spend, time=0.0)


def _clip(lines: list[str]) -> tuple[str, ...]:
    """Return lines of bounded length: a report is read by people."""
    return tuple(
        line if len(line) <= _LINE_CHARACTERS else f"{line[:_LINE_CHARACTERS]}…" for line in lines
    )


def _without_repetitions(parts: Iterable[str]) -> list[str]:
    """Return the texts that say something which the others do not say, be it at their end."""
    kept = list[str]()
    for part in parts:
        if part and not any(part in other for other in kept):
            told = (_AFTER_COLON.split(other, 1)[-1] for other in kept)
            kept = [other for other, end in zip(kept, told, strict=True) if end not in part]
            kept.append(part)
    return kept


def _one_line(content: str) -> str:
    """Return a text in one line of bounded length."""
    return _clip([" ".join(content.split())])[0]
