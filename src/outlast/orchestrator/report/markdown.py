"""The report as Markdown that can be pasted into a pull request.

Nothing that agents, programs or people wrote is taken for Markdown: it makes no link, image,
mention or heading. Longer texts are in fences, short ones are escaped.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from outlast.documents.markdown.foreign_text import code, escape, fence
from outlast.orchestrator.report.timeline import bar_kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outlast.model.history.work_record import AttemptRecord, TaskRecord
    from outlast.orchestrator.report.words import Box, ReportWords

_PLAIN: Final = re.compile(r"[^\w ./-]")
_CHECK_MARKS: Final = {"good": "✅", "bad": "❌", "none": "⬜"}
_MARKS: Final = {"done": "done", "calls": "done", "failed": "crit", "lost": "crit"}
_GANTT: Final = "%Y-%m-%dT%H:%M:%S"
_BARS: Final = 200  # more are no picture
_NAME_CHARACTERS: Final = 40


def render(words: ReportWords) -> str:
    """Return the report."""
    return "\n".join([line for part in _PARTS for line in part(words)])


def _top(words: ReportWords) -> Iterator[str]:
    record = words.record
    yield f"# {escape(words.say('report_title', title=record.title))}"
    yield ""
    yield f"**{escape(words.headline())}**"
    yield ""
    yield from (f"- {escape(line)}" for line in words.facts())
    yield ""


def _goal(words: ReportWords) -> Iterator[str]:
    yield from _heading(words.say("section_goal"))
    yield from (*fence(words.record.goal.splitlines()), "")
    summary = words.summary()
    if summary is not None:
        yield from (*_heading(summary.heading), *fence(summary.lines), "")


def _questions(words: ReportWords) -> Iterator[str]:
    questions = words.record.questions
    if questions:
        yield from _heading(words.say("report_questions"))
        for question in questions:
            yield from (f"**{escape(words.question_heading(question))}**", "")
            yield from (*fence(question.text.splitlines()), "")
            yield from (escape(words.how_to_answer(question)), "")


def _heading(content: str) -> list[str]:
    return [f"## {content}", ""]


def _box(box: Box) -> list[str]:
    return [f"{box.heading}:", "", *fence(box.lines), ""]


# The timeline, as a picture that GitHub and GitLab draw


def _timeline(words: ReportWords) -> Iterator[str]:
    drawn = [(task, task.orders or list(task.attempts)) for task in words.record.tasks]
    drawn = [(task, attempts) for task, attempts in drawn if attempts]
    if not drawn or sum(len(attempts) for _, attempts in drawn) > _BARS:
        return
    drawn.sort(key=lambda pair: pair[1][0].began)
    yield from (*_heading(words.say("report_timeline")), "```mermaid", "gantt")
    yield from ("    dateFormat YYYY-MM-DDTHH:mm:ss", "    axisFormat %H:%M:%S")
    for task, attempts in drawn:
        yield f"    section {_plain(f'{task.task.id} {task.task.name}')}"
        for number, attempt in enumerate(attempts, 1):
            yield f"    {_bar(words, number, attempt)}"
    yield from ("```", "")


def _bar(words: ReportWords, number: int, attempt: AttemptRecord) -> str:
    mark = _MARKS.get(bar_kind(attempt), "active")
    name = _plain(f"{number} {attempt.agent or attempt.kind} {words.outcome(attempt)}")
    began, until = (words.clock(at, _GANTT) for at in (attempt.began, attempt.until))
    return f"{name} :{mark}, {began}, {until}"


def _plain(content: str) -> str:
    """Return a text of letters, digits and spaces: the picture has no escapes."""
    return " ".join(_PLAIN.sub(" ", content).split())[:_NAME_CHARACTERS]


# Tasks


def _tasks(words: ReportWords) -> Iterator[str]:
    tasks = words.record.tasks
    if not tasks:
        return
    yield from _heading(words.say("section_tasks"))
    columns = words.columns()
    yield from (_row(columns), _row(["---"] * len(columns)))
    for task in tasks:
        yield _row([_name(task), *map(escape, words.cells(task))])
    yield ""
    yield from (f"*{words.say('report_agent_words')}*", "")
    for task in tasks:
        details = list(_details(words, task))
        if details:
            yield from (f"### {_name(task)}: {escape(words.state(task))}", "", *details)


def _name(task: TaskRecord) -> str:
    return f"{task.task.id} {escape(task.task.name)}"


def _details(words: ReportWords, task: TaskRecord) -> Iterator[str]:
    facts = [*words.task_facts(task)]
    if facts:
        yield from (*(f"- {escape(fact)}" for fact in facts), "")
    rows = words.attempt_rows(task)
    if rows:
        columns = words.attempt_columns()
        yield from (_row(columns), _row(["---"] * len(columns)))
        yield from (_row(map(escape, row.cells)) for row in rows)
        yield ""
        reasons = [reason for row in rows for reason in row.reasons]
        yield from (*(f"- {escape(reason)}" for reason in reasons), *([""] if reasons else []))
    for check in words.check_rows(task):
        mark = _CHECK_MARKS[check.state]
        shows = f" ({escape(check.shows)})" if check.shows else ""
        yield from (f"{mark} {code(check.rule)}: {escape(check.results)}{shows}", "")
        if check.box is not None and check.state == "bad":
            yield from _box(check.box)
    for box in words.boxes(task):
        yield from _box(box)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


_PARTS: Final = (_top, _questions, _goal, _timeline, _tasks)
