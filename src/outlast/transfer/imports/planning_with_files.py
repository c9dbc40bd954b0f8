"""Parse the files of planning-with-files: `task_plan.md`, `findings.md` and `progress.md`.

The status of a phase is what counts there, so a phase that is complete completes its tasks, as
assumed. Rows of the tables of decisions and errors become findings and errors. The comments of its
templates are kept as foreign fields.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from outlast.documents.json import foreign_fields
from outlast.documents.markdown.outline import BULLET
from outlast.language import times
from outlast.model.commands import NoteError, NoteFinding
from outlast.model.ledger import strike_key
from outlast.model.limits import NAME_CHARACTERS, shorten_name
from outlast.transfer.imports.document import ImportSource, PlanDocument
from outlast.transfer.imports.outline import (
    Lines,
    Outline,
    Phases,
    Section,
    first_piece,
    in_order,
    join_lines,
    make_plan,
    make_task,
    one_line,
    prose_of,
    split_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from outlast.model.model import Category, Task, TaskStatus

PLANNING_WITH_FILES: Final = "planning-with-files"
COMPANIONS: Final = ("findings.md", "progress.md")
_PLAN: Final = "task_plan.md"
_MOST_NOTES: Final = 5_000
_WORD: Final = re.compile(r"\w")

_TITLE: Final = re.compile(
    r"(?:Task Plan|任务计划|任務計劃|任務計畫)\s*(?:[:\uff1a]\s*|$)", re.IGNORECASE
)
_GOAL: Final = ("goal", "目标", "目標")
_DECISIONS: Final = re.compile(
    r"(?:technical |key |design )?decisions?(?: made| log)?"
    r"|(?:已做的?|做出的|技术|技術|关键|關鍵)?(?:决策|決策)(?:记录|記錄|紀錄)?",
    re.IGNORECASE,
)
_ERRORS: Final = re.compile(
    r"errors?(?: encountered| log)?|遇到的(?:错误|錯誤)|(?:错误|錯誤)(?:日志|日誌|记录|記錄|紀錄)",
    re.IGNORECASE,
)
_ISSUES: Final = re.compile(r"issues?(?: encountered)?|遇到的(?:问题|問題)", re.IGNORECASE)
_NOTES: Final = (_DECISIONS, _ERRORS, _ISSUES)
_QUESTIONS: Final = re.compile(
    r"(?:key |open )?questions?|(?:关键|關鍵)(?:问题|問題)", re.IGNORECASE
)
_PHASE: Final = re.compile(r"(?:Phase|阶段|階段|Fase)\s*\d", re.IGNORECASE)
_FIELD: Final = re.compile(
    r"\s*(?:[-*+]\s+)?\*\*([^*:\uff1a]{1,60})(?:[:\uff1a]\*\*|\*\*[:\uff1a])(.*)"
)
_STATUS: Final = ("status", "状态", "狀態", "estado", "الحالة")
_STATUSES: Final[dict[str, TaskStatus]] = {
    "pending": "pending",
    "in_progress": "in_progress",
    "in progress": "in_progress",
    "complete": "completed",
    "completed": "completed",
    "done": "completed",
}
_OTHER_STATUSES: Final = ("blocked", "failed")  # of a phase; kept in its notes
_PLACEHOLDER: Final = re.compile(r"\[[^\]]*\]")
_BULLET: Final = re.compile(rf"\s*{BULLET}\s+(\S.*)$")
_RULE: Final = frozenset(" \t|:-")
_CELLS: Final = re.compile(r"(?<!\\)\|")
_TIMES: Final = ("timestamp", "time", "date", "时间", "時間", "时间戳", "日期")


class _Row(NamedTuple):
    """A row of a table, or a bullet: its first cell, and the others by their headings."""

    first: str
    others: dict[str, str]


def is_planning_with_files(outline: Outline) -> bool:
    """Return whether sections have a status, or the title and the goal are as in its template."""
    if _TITLE.match(outline.title) and any(map(_is_goal, outline.sections)):
        return True
    sections = (s for s in outline.sections if s.entries or _PHASE.match(s.title))
    return any(_bare(_status_word(s)) in (*_STATUSES, *_OTHER_STATUSES) for s in sections)


def read(source: ImportSource, plan_id: str) -> PlanDocument:
    """Read `task_plan.md`, and what stands beside it."""
    reader = _PlanReader(Outline(source.text()))
    notes, comments = [*reader.notes], {_PLAN: reader.comments}
    for name in COMPANIONS:
        if name in source.files:
            text = source.text(name)
            outline = Outline(text)
            comments[name] = _comments(outline)
            notes += _read_notes(outline, name)
    if len(notes) > _MOST_NOTES:
        reader.prose += [line for lines in reader.noted for _, line in lines]
        texts = [(name, source.text(name)) for name in COMPANIONS if name in source.files]
        notes = [note for name, text in texts for note in _findings(name, text, name, "insight")]
    kept = {name: lines for name, lines in comments.items() if lines}
    plan = make_plan(
        plan_id,
        reader.goal or source.directory,
        reader.phases.all(),
        reader.tasks,
        title=reader.title[:NAME_CHARACTERS] or None,
        extra=foreign_fields.dump_of_form(PLANNING_WITH_FILES, {"comments": kept} if kept else {}),
    )
    return PlanDocument(
        PLANNING_WITH_FILES,
        plan,
        prose_of({"end": reader.prose}),
        tuple(reader.outline.unread),
        tuple(notes),
    )


class _PlanReader:
    """Reads `task_plan.md`."""

    def __init__(self, outline: Outline) -> None:
        """Read all sections."""
        self.outline = outline
        self.phases = Phases()
        self.tasks: list[Task] = []
        self.prose: list[str] = []
        self.notes: list[NoteFinding | NoteError] = []
        self.noted: list[Lines] = []  # of the sections that became notes
        self.comments = _comments(outline)
        title = one_line(outline.title)
        heading = _TITLE.match(title)
        title = title[heading.end() :] if heading else title
        self.title = self.goal = "" if _PLACEHOLDER.fullmatch(title) else title
        for section in outline.sections:
            self._read_section(section)

    def _read_section(self, section: Section) -> None:
        is_phase = section.entries or _PHASE.match(section.title)
        if _is_goal(section):
            first = first_piece(join_lines(section.content), self.prose)
            self.goal = self.goal if _PLACEHOLDER.fullmatch(first) or not first else first
        elif not is_phase and any(_is_title(section, pattern) for pattern in _NOTES):
            self.notes += _row_notes(section, _PLAN)
            self.noted.append(section.content)
            self._keep(section, _without_rows(section.content))
        elif is_phase and not _is_title(section, _QUESTIONS):
            self._read_phase(section)
        else:
            self._keep(section, section.content)

    def _keep(self, section: Section, lines: Lines) -> None:
        """Keep the lines of a section as prose, below its heading unless that is the title."""
        text = [line for _, line in lines]
        is_title = section.level <= 1 and section.title == self.outline.title
        if any(map(_WORD.search, text)):
            self.prose += ["", *text] if is_title else ["", section.heading, *text]

    def _read_phase(self, section: Section) -> None:
        status = _STATUSES.get(_bare(_status_word(section)))
        bullets = [] if section.entries else _bullets(section)
        taken = {line for line, _ in bullets}
        notes = []
        for number, line in section.text:
            if not (status and _is_status(line)) and number not in taken:
                notes.append((number, line))
        phase = self.phases.id_of(section, first_piece(join_lines(notes), self.prose))
        parts = [(e.text, e.status or "pending", e.details) for e in in_order(section.entries)]
        if not parts:
            texts = [text for _, text in bullets] or [section.title]
            parts = [(text, "pending", "") for text in texts]
        is_next = status == "in_progress" and all(s != "in_progress" for _, s, _ in parts)
        for text, box, details in parts:
            shown = box
            if box == "pending" and (status == "completed" or is_next):
                shown, is_next = status or box, False
            description = first_piece(details, self.prose)
            how: dict[str, Any] = {"how": "assumed"} if shown == "completed" != box else {}
            task = len(self.tasks) + 1
            self.tasks.append(make_task(task, text, shown, phase, description=description, **how))


def _comments(outline: Outline) -> list[str]:
    return [line for section in outline.sections for _, line in section.comments]


def _is_goal(section: Section) -> bool:
    return section.title.strip().lower() in _GOAL


def _is_title(section: Section, pattern: re.Pattern[str]) -> bool:
    """Return whether the title of a section is one of those that a pattern knows."""
    return pattern.fullmatch(re.sub(r"[^\w ]", "", section.title).strip()) is not None


def _is_status(line: str) -> bool:
    field = _FIELD.match(line)
    return field is not None and field[1].strip().lower() in _STATUS


def _status_word(section: Section) -> str:
    """Return the status that a section states; empty without one."""
    below = (line for entry in section.entries for _, line in entry.below)
    lines = (*(line for _, line in section.text), *below)
    return next(
        (match[2] for line in lines if _is_status(line) and (match := _FIELD.match(line))), ""
    )


def _bare(word: str) -> str:
    """Return a status without what decorates it, such as a tick."""
    return re.sub(r"[^a-z_ ]", "", word.lower()).strip()


def _bullets(section: Section) -> Lines:
    """Return the bullets of a section that are no fields, each without its marker."""
    return [
        (number, match[1])
        for number, line in section.text
        if (match := _BULLET.match(line)) and not _FIELD.match(line)
    ]


# Notes


def _row_notes(section: Section, name: str) -> Iterator[NoteFinding | NoteError]:
    """Yield the notes in a table or a list of decisions, errors or issues."""
    if _is_title(section, _ERRORS):
        yield from _errors(_rows(section.content), name)
    elif _is_title(section, _DECISIONS):
        yield from _row_findings(_rows(section.content), name, "architecture")
    elif _is_title(section, _ISSUES):
        yield from _row_findings(_rows(section.content), name, "issue")


def _read_notes(outline: Outline, name: str) -> Iterator[NoteFinding | NoteError]:
    """Yield the notes in `findings.md` or `progress.md`: one for each section, or for each row."""
    title = name
    text: Lines = []
    for section in outline.sections:
        notes = [*_row_notes(section, name)]
        lines = _without_rows(section.content) if notes else section.content
        if section.level <= 2:  # noqa: PLR2004 - deeper ones are a part of it
            yield from _section_finding(title, text, name)
            title, text = section.title or name, []
        elif not notes or any(line.strip() for _, line in lines):
            text.append((section.line, section.heading))
        text += lines
        yield from notes
    yield from _section_finding(title, text, name)


def _section_finding(title: str, lines: Lines, name: str) -> Iterator[NoteFinding]:
    text = join_lines(lines)
    if _WORD.search(text):
        yield from _findings(title, text, name, "insight")


def _findings(title: str, text: str, source: str, category: Category) -> Iterator[NoteFinding]:
    """Yield a finding, or several if the text is too long for one."""
    name = one_line(title)
    if len(name) > NAME_CHARACTERS:
        name, text = shorten_name(name), f"{name}\n\n{text}"
    for piece in split_text(text):
        yield NoteFinding(category, name, piece, source)


def _row_findings(rows: Iterable[_Row], source: str, category: Category) -> Iterator[NoteFinding]:
    for row in rows:
        others = row.others
        is_plain = len(others) <= 1
        text = "\n".join(others.values() if is_plain else map(": ".join, others.items()))
        yield from _findings(row.first, text, source, category)


def _errors(rows: Iterable[_Row], source: str) -> Iterator[NoteError]:
    """Yield an error for each message, with all of its rows as parameters."""
    groups: dict[str, list[tuple[str, dict[str, str], datetime | None]]] = {}
    for row in rows:
        fields, at, message = dict(row.others), None, row.first
        time = next((name for name in fields if name.lower() in _TIMES), None)
        if time is not None:
            at = times.read(fields[time])
        groups.setdefault(strike_key(source, message), []).append((message, fields, at))
    for group in groups.values():
        message, fields, at = group[-1]
        known: Mapping[str, object] = fields
        if len(group) > 1:
            known = {"rows": [{"error": text, **columns} for text, columns, _ in group]}
        params = json.dumps(known, ensure_ascii=False) if known else ""
        yield NoteError(source, message, params=params, count=len(group), at=at)


def _rows(lines: Lines) -> Iterator[_Row]:
    """Yield the rows of a table and the bullets among lines; empty ones are left out."""
    heading: list[str] = []
    bullet: list[str] = []
    in_table = False
    for (_, line), (_, below) in pairwise((*lines, (0, ""))):
        text = line.strip()
        item = _BULLET.match(line)
        was_in_table, in_table = in_table, text.startswith("|")
        if bullet and (item or in_table):
            yield _bullet_row(bullet)
            bullet = []
        if in_table and not _RULE.issuperset(text):
            cells = _CELLS.split(text[1:].removesuffix("|"))
            cells = [cell.strip().replace("\\|", "|") for cell in cells]
            if not heading or (not was_in_table and _is_rule(below.strip())):
                heading = cells
            elif row := _table_row(heading, cells):
                yield row
        elif item or (bullet and text and line[0].isspace()):
            bullet.append(item[1] if item else text)
    if bullet:
        yield _bullet_row(bullet)


def _is_rule(text: str) -> bool:
    """Return whether a line is the one between the heading of a table and its rows."""
    return text.startswith("|") and "-" in text and _RULE.issuperset(text)


def _table_row(heading: list[str], cells: list[str]) -> _Row | None:
    """Return a row; its first cell is not a time, and says something."""
    names = [*heading, *("" for _ in cells[len(heading) :])]
    fields = {
        name or str(number): cell
        for number, (name, cell) in enumerate(zip(names, cells, strict=False), 1)
    }
    first = next((name for name in fields if name.lower() not in _TIMES), "")
    text = fields.pop(first, "")
    if not _WORD.search(text):
        return None
    return _Row(text, {name: cell for name, cell in fields.items() if cell})


def _bullet_row(lines: list[str]) -> _Row:
    rest = "\n".join(lines[1:])
    return _Row(lines[0], {"": rest} if rest else {})


def _without_rows(lines: Lines) -> Lines:
    """Return the lines that are neither in a table nor in a bullet."""
    kept: Lines = []
    in_bullet = False
    for number, line in lines:
        is_row = line.lstrip().startswith("|")
        is_more = in_bullet and bool(line.strip()) and line[0].isspace()
        in_bullet = not is_row and (is_more or _BULLET.match(line) is not None)
        if not is_row and not in_bullet:
            kept.append((number, line))
    return kept
