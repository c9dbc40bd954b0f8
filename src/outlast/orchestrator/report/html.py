"""The report as one HTML page: no script, nothing from elsewhere, light and dark.

Every text is escaped, and a policy in the page forbids whatever is not its own style.
"""

from __future__ import annotations

from html import escape as escape_html
from typing import TYPE_CHECKING, Final

from outlast.language import visible
from outlast.orchestrator.report import timeline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outlast.model.history.work_record import TaskRecord
    from outlast.orchestrator.report.words import Box, CheckRow, ReportWords

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_LANGUAGES: Final = {"en": "en", "zh": "zh-Hans"}
_CALM: Final = ("proved", "skipped", "pending")  # tasks of this worth are folded up
_CHECK_SIGNS: Final = {"good": "✓", "bad": "✗", "none": "○"}
_SIGNS: Final = {
    "attempt_done": '<rect class="bar done" y="1" width="22" height="12" rx="2"/>',
    "timeline_failed": '<rect class="bar failed" y="1" width="22" height="12" rx="2"/>',
    "timeline_lost": '<rect class="bar lost" x="1" y="1" width="20" height="12" rx="2"/>',
    "attempt_running": '<rect class="bar running" x="1" y="1" width="20" height="12" rx="2"/>',
    "show_attempts": '<rect class="bar calls" y="4" width="22" height="6" rx="2"/>',
    "timeline_green": '<g class="check green"><circle cx="11" cy="7" r="5"/></g>',
    "timeline_unknown": '<g class="check unknown"><circle cx="11" cy="7" r="5"/></g>',
    "timeline_red": '<g class="check red"><path d="M6 2 L16 12 M6 12 L16 2"/></g>',
}


STYLE: Final = """
:root { color-scheme: light dark; --back: #fff; --text: #1f2328; --faint: #59636e; --line: #d1d9e0;
  --box: #f6f8fa; --good: #1a7f37; --bad: #cf222e; --warn: #9a6700; --work: #0969da;
  --call: #8c959f; }
@media (prefers-color-scheme: dark) {
  :root { --back: #0d1117; --text: #e6edf3; --faint: #9198a1; --line: #3d444d; --box: #151b23;
    --good: #3fb950; --bad: #f85149; --warn: #d29922; --work: #58a6ff; --call: #6e7681; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 1.5rem 1rem 4rem; background: var(--back);
  color: var(--text); font: 15px/1.5 system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif;
  overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--line); }
h3 { font-size: .9rem; margin: 1rem 0 .25rem; color: var(--faint); font-weight: 600; }
ul { padding-left: 1.25rem; margin: .5rem 0; }
.headline { font-size: 1.1rem; font-weight: 600; padding: .6rem .9rem; margin: 0;
  border-left: .35rem solid var(--warn); background: var(--box); }
.headline.proved { border-color: var(--good); }
.headline.failed, .headline.doubtful { border-color: var(--bad); }
.faint, .legend { color: var(--faint); font-size: .85rem; }
pre { background: var(--box); border: 1px solid var(--line); border-radius: 6px; margin: .25rem 0;
  padding: .6rem .8rem; font: 12.5px/1.45 ui-monospace, monospace; white-space: pre-wrap; }
code { font: 12.5px ui-monospace, monospace; background: var(--box); padding: .1em .3em; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem .35rem 0;
  border-bottom: 1px solid var(--line); overflow-wrap: normal; }
th { color: var(--faint); font-weight: 600; white-space: nowrap; }
td:first-child { min-width: 9rem; }
table.attempts td:first-child { min-width: 0; }
details { border: 1px solid var(--line); border-left: .3rem solid var(--call); border-radius: 6px;
  margin: .5rem 0; padding: .4rem .9rem; }
summary { cursor: pointer; }
.failed, .doubtful { border-left-color: var(--bad); }
.unproved, .open, .weak { border-left-color: var(--warn); }
.proved { border-left-color: var(--good); }
.state { color: var(--faint); }
.check { margin: .5rem 0 0; }
.good { color: var(--good); }
.bad { color: var(--bad); }
.none { color: var(--faint); }
svg.timeline { display: block; width: 100%; min-width: 44rem; height: auto; }
svg text { font: 11px system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif; fill: var(--text); }
svg .tick { text-anchor: middle; fill: var(--faint); font-size: 10px; }
svg .grid { stroke: var(--line); }
svg .cut { fill: var(--box); stroke: var(--line); stroke-dasharray: 2 3; }
svg .bar { fill: var(--work); stroke: var(--back); }
svg .bar.failed { fill: var(--bad); }
svg .bar.lost { fill: var(--back); stroke: var(--bad); stroke-dasharray: 3 2; }
svg .bar.running { fill: var(--back); stroke: var(--work); stroke-width: 2; }
svg .bar.calls { fill: var(--call); }
svg .check circle { fill: var(--good); stroke: var(--back); stroke-width: 1.5; }
svg .check.unknown circle { fill: var(--call); }
svg .check path { stroke: var(--bad); stroke-width: 2.5; }
.legend span { white-space: nowrap; }
.legend svg { width: 1.6rem; height: .9rem; vertical-align: -.1rem; margin: 0 .25rem 0 .9rem; }
@media print { details { break-inside: avoid; } body { max-width: none; } }
"""


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
            _heading(words.say("section_goal")),
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
    yield _heading(words.say("section_tasks"))
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
