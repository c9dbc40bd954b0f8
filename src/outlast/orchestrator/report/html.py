"""The report as one HTML page: no script, nothing from elsewhere, light and dark.

Every text is escaped, and a policy in the page forbids whatever is not its own style.
"""

from __future__ import annotations

from html import escape as escape_html
from typing import TYPE_CHECKING, Final

from outlast.language import visible
from outlast.orchestrator.report import timeline
from outlast.orchestrator.report.style import STYLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outlast.model.history.work_record import TaskRecord
    from outlast.orchestrator.report.words import Box, CheckRow, ReportWords

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_LANGUAGES: Final = {"en": "en", "zh": "zh-Hans"}
_CALM: Final = ("proved", "skipped", "pending")  # tasks of this worth are folded up
_CHECK_SIGNS: Final = {"good": "✓", "bad": "✗", "none": "○"}
_SIGNS: Final = {
    "timeline_done": '<rect class="bar done" y="1" width="22" height="12" rx="2"/>',
    "timeline_failed": '<rect class="bar failed" y="1" width="22" height="12" rx="2"/>',
    "timeline_lost": '<rect class="bar lost" x="1" y="1" width="20" height="12" rx="2"/>',
    "timeline_running": '<rect class="bar running" x="1" y="1" width="20" height="12" rx="2"/>',
    "timeline_calls": '<rect class="bar calls" y="4" width="22" height="6" rx="2"/>',
    "timeline_green": '<g class="check green"><circle cx="11" cy="7" r="5"/></g>',
    "timeline_red": '<g class="check red"><path d="M6 2 L16 12 M6 12 L16 2"/></g>',
}


def render(words: ReportWords) -> str:
    """Return the page."""
    title = escape(words.say("report_title", title=words.record.title))
    worst = next(iter(words.record.counts), "pending")
    return "\n".join(
        (
            "<!doctype html>",
            f'<html lang="{_LANGUAGES[words.language]}">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">',
            f"<title>{title}</title>",
            f"<style>{STYLE}</style>",
            "</head>",
            "<body>",
            f"<h1>{title}</h1>",
            f'<p class="headline {worst}">{escape(words.headline())}</p>',
            _list(words.facts()),
            *_questions(words),
            _heading(words.say("report_goal")),
            _pre(words.record.goal.splitlines()),
            *_summary(words),
            *_timeline(words),
            *_tasks(words),
            "</body>",
            "</html>",
            "",
        )
    )


def escape(content: str) -> str:
    """Return a text in one line as HTML shows it; control characters are spelled out."""
    return escape_html(visible(" ".join(content.split())))


def _heading(content: str) -> str:
    return f"<h2>{escape(content)}</h2>"


def _pre(lines: Iterable[str]) -> str:
    shown = "\n".join(escape_html(visible(line.expandtabs(4))) for line in lines)
    return f"<pre>{shown}</pre>"


def _list(lines: list[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>" if lines else ""


def _box(box: Box) -> str:
    return f"<h3>{escape(box.heading)}</h3>\n{_pre(box.lines)}"


def _questions(words: ReportWords) -> Iterator[str]:
    if words.record.questions:
        yield _heading(words.say("report_questions"))
        for question in words.record.questions:
            yield f"<h3>{escape(words.question_heading(question))}</h3>"
            yield _pre(question.text.splitlines())
            yield f'<p class="faint">{escape(words.how_to_answer(question))}</p>'


def _summary(words: ReportWords) -> Iterator[str]:
    summary = words.summary()
    if summary is not None:
        yield _heading(summary.heading)
        yield _pre(summary.lines)


def _timeline(words: ReportWords) -> Iterator[str]:
    drawn = timeline.draw(words)
    if not drawn:
        return
    yield _heading(words.say("report_timeline"))
    yield f'<div class="wide">{drawn}</div>'
    signs = (
        f'<span><svg viewBox="0 0 22 14" aria-hidden="true">{sign}</svg>'
        f"{escape(words.say(key))}</span> "
        for key, sign in _SIGNS.items()
    )
    yield f'<p class="legend">{"".join(signs)}</p>'
    left_out = timeline.rows_left_out(words.record)
    if left_out:
        yield f'<p class="faint">{escape(words.say("timeline_more", count=left_out))}</p>'


def _tasks(words: ReportWords) -> Iterator[str]:
    tasks = words.record.tasks
    if not tasks:
        return
    yield _heading(words.say("report_tasks"))
    rows = ([_name(task), *words.cells(task)] for task in tasks)
    yield _table(words.columns(), rows)
    yield f'<p class="faint">{escape(words.say("report_agent_words"))}</p>'
    for task in tasks:
        details = list(_details(words, task))
        if details:
            is_open = "" if task.worth in _CALM else " open"
            state = f'<span class="state">{escape(words.state(task))}</span>'
            yield f'<details class="{task.worth}"{is_open}>'
            yield f"<summary><strong>{escape(_name(task))}</strong> {state}</summary>"
            yield from (*details, "</details>")


def _name(task: TaskRecord) -> str:
    return f"{task.task.id} {task.task.name}"


def _details(words: ReportWords, task: TaskRecord) -> Iterator[str]:
    facts = words.task_facts(task)
    if facts:
        yield _list(facts)
    attempts = words.attempt_rows(task)
    if attempts:
        rows = (list(row.cells) for row in attempts)
        yield _table(words.attempt_columns(), rows, "attempts")
        reasons = [reason for row in attempts for reason in row.reasons]
        if reasons:
            yield _list(reasons)
    for check in words.check_rows(task):
        yield _check(check)
    for box in words.boxes(task):
        yield _box(box)


def _check(check: CheckRow) -> str:
    kind, sign = check.state, _CHECK_SIGNS[check.state]
    shows = f" ({escape(check.shows)})" if check.shows else ""
    line = (
        f'<p class="check"><span class="{kind}">{sign}</span> <code>{escape(check.rule)}</code> '
        f"{escape(check.results)}{shows}</p>"
    )
    return line if check.box is None or check.state == "good" else f"{line}\n{_box(check.box)}"


def _table(columns: Iterable[str], rows: Iterable[list[str]], kind: str = "tasks") -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "\n".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return (
        f'<div class="wide"><table class="{kind}">\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )
