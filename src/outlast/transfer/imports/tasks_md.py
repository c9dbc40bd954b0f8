"""Parse the tasks.md of spec-kit and of Kiro, and checklists with nested tasks.

A task that has others nested in it needs them, and comes after them. The text of a section becomes
the notes of its phase; a section without tasks is kept as prose at the end.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec import Struct

from outlast.documents.markdown.document import UnparsedLine
from outlast.model.state import task_number
from outlast.transfer.imports.document import ImportSource, PlanDocument
from outlast.transfer.imports.outline import (
    Entry,
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
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from outlast.model.model import Order, TaskStatus

_MOST_NEEDS: Final = 100_000
SPEC_KIT: Final = "spec-kit"
KIRO: Final = "kiro"
CHECKLIST: Final = "checklist"
_SPEC_KIT_TASK: Final = re.compile(
    r"(?:\*\*)?T(\d{3,9})(?:\*\*)?:?\s+((?:\[[\w .,-]{1,20}\](?:\s+|$))*)(.*)"
)
_MARK: Final = re.compile(r"\[([^\]]*)\]")
_STORY: Final = re.compile(r"US\d+", re.IGNORECASE)
_STORY_PHASE: Final = re.compile(r"\bUser Story\b|用户故事", re.IGNORECASE)
_DEPENDS: Final = re.compile(r"\bdepends on\b([^).;]*)", re.IGNORECASE)
_TASK_ID: Final = re.compile(r"\bT(\d{3,9})\b")
_TITLE: Final = re.compile(
    r"(?:Tasks|Implementation (?:Plan|Tasks))\s*(?:[:\uff1a\u2013\u2014-]\s*|$)", re.IGNORECASE
)
_KIRO_TASK: Final = re.compile(r"(\d{1,6}(?:\.\d{1,6}){1,7}|\d{1,6}(?=\.))\.?\s+(.*)")
_REQUIREMENTS: Final = re.compile(
    r"(?:_Requirements?:([^_]*)_|Validates:[*\s]{0,9}Requirements?([^*_]*))", re.IGNORECASE
)
_KIRO_BOXES: Final[dict[str, TaskStatus]] = {"-": "in_progress", "~": "pending"}
_WAVES: Final = "waves"


class Step(Struct, frozen=True):
    """A task in the order of the list.

    A `parallel` one runs beside its parallel neighbours, nothing waits for an `optional` one. The
    phases of different stories run beside each other. `needs` are those that the file names.
    """

    task: int
    phase: str
    parallel: bool = False
    optional: bool = False
    story: bool = False
    needs: tuple[int, ...] = ()


def sequence(steps: Sequence[Step]) -> tuple[Order, dict[int, tuple[int, ...]]]:
    """Return the order of a plan and the needs of each task.

    Where every task waits for the one above it, that is the order `sequential`. Otherwise the order
    is `graph`, and each task needs what it has to wait for.
    """
    named = {step.task: step.needs for step in steps}
    if not any(step.parallel or step.optional or step.story for step in steps):
        return "sequential", named
    waits = _waits(steps)
    if sum(map(len, waits.values())) > _MOST_NEEDS:
        return "sequential", named
    return "graph", {task: (*waits[task], *_others(named[task], waits[task])) for task in named}


def _others(needs: tuple[int, ...], known: tuple[int, ...]) -> tuple[int, ...]:
    if not needs:
        return ()
    waited = set(known)
    return tuple(need for need in needs if need not in waited)


def _waits(steps: Sequence[Step]) -> Mapping[int, tuple[int, ...]]:
    """Return for each task those right before it that have to be done first."""
    waits: dict[int, tuple[int, ...]] = {}
    barrier: tuple[int, ...] = ()  # what the next task waits for
    group: list[int] = []  # the parallel tasks right above
    before_stories: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()  # of the stories
    previous: Step | None = None
    for step in steps:
        if previous is None or step.phase != previous.phase:
            barrier, group = tuple(group) or barrier, []
            was_story = previous is not None and previous.story
            ends = tuple(dict.fromkeys((*ends, *barrier))) if was_story else ()
            before_stories = before_stories if was_story else barrier
            if was_story or step.story:
                barrier = before_stories if step.story else ends
        if not step.parallel and group:
            barrier, group = tuple(group), []
        waits[step.task] = barrier
        if step.parallel:
            group += () if step.optional else (step.task,)
        elif not step.optional:
            barrier = (step.task,)
        previous = step
    return waits


class _Marks(NamedTuple):
    """What is written in the line of a task besides its name."""

    name: str
    number: str = ""
    parallel: bool = False
    story: str = ""
    extra: tuple[tuple[str, Any], ...] = ()


def is_spec_kit(outline: Outline) -> bool:
    """Return whether tasks have the ids of spec-kit."""
    return any(_SPEC_KIT_TASK.match(entry.text) for entry in outline.entries())


def is_kiro(outline: Outline) -> bool:
    """Return whether tasks are numbered, and something else is as Kiro writes it."""
    if not any(_KIRO_TASK.match(entry.text) for entry in outline.entries()):
        return False
    return (
        _TITLE.match(outline.title) is not None
        or any(entry.star for entry in outline.entries())
        or any(_REQUIREMENTS.search(line) for line in outline.lines)
    )


def is_nested(outline: Outline) -> bool:
    """Return whether a task is nested in another one."""
    return any(entry.parent for entry in outline.entries())


def read_spec_kit(source: ImportSource, plan_id: str) -> PlanDocument:
    """Read the tasks.md of spec-kit; its phases are the headings of the second level."""
    outline = Outline(source.text())
    entries = in_order(outline.entries())
    marks = {entry.line: _spec_kit_marks(entry) for entry in entries}
    wanted = [int(marks[entry.line].number or 0) for entry in entries]
    builder = _Builder(
        SPEC_KIT, outline, entries, marks, _free_numbers(wanted), phase_section=_phase_section
    )
    return builder.build(source, plan_id, sequence(builder.spec_kit_steps()))


def read_kiro(source: ImportSource, plan_id: str) -> PlanDocument:
    """Read the tasks.md of Kiro; nothing waits for the tasks that it marks as optional."""
    outline = Outline(source.text())
    entries = in_order(outline.entries())
    marks = {entry.line: _kiro_marks(entry) for entry in entries}
    wanted = [task_number(marks[entry.line].number) for entry in entries]
    builder = _Builder(KIRO, outline, entries, marks, _free_numbers(wanted))
    builder.boxes = _KIRO_BOXES
    waves = builder.kiro_waves()
    if waves:
        return builder.build(source, plan_id, ("graph", waves))
    return builder.build(source, plan_id, sequence(builder.kiro_steps()))


def read_nested(source: ImportSource, plan_id: str) -> PlanDocument:
    """Read a checklist with nested tasks."""
    outline = Outline(source.text())
    entries = in_order(outline.entries())
    marks = {entry.line: _Marks(entry.text) for entry in entries}
    numbers = list(range(1, len(entries) + 1))
    builder = _Builder(CHECKLIST, outline, entries, marks, numbers)
    return builder.build(source, plan_id, sequence(builder.kiro_steps()))


def _spec_kit_marks(entry: Entry) -> _Marks:
    match = _SPEC_KIT_TASK.match(entry.text)
    if match is None or not match[3]:
        return _Marks(entry.text)
    marks = _MARK.findall(match[2])
    stories = [mark for mark in marks if _STORY.fullmatch(mark)]
    others = [mark for mark in marks if mark not in ("P", *stories)]
    extra: dict[str, Any] = {"story": stories[0]} if stories else {}
    if "P" in marks:
        extra["parallel"] = True
    if others or stories[1:]:
        extra["marks"] = [*stories[1:], *others]
    story = stories[0].upper() if stories else ""
    return _Marks(match[3], match[1], "P" in marks, story, tuple(extra.items()))


def _kiro_marks(entry: Entry) -> _Marks:
    match = _KIRO_TASK.match(entry.text)
    name, number = (match[2], match[1]) if match else (entry.text, "")
    extra: dict[str, Any] = {"optional": True} if entry.star else {}
    references = [a or b for _, line in entry.below for a, b in _REQUIREMENTS.findall(line)]
    if references:
        words = (word.strip(" .") for text in references for word in text.split(","))
        extra["requirements"] = [*dict.fromkeys(filter(None, words))]
    if entry.box in _KIRO_BOXES:
        extra["box"] = entry.box
    return _Marks(name, number, extra=tuple(extra.items()))


def _free_numbers(wanted: Sequence[int]) -> list[int]:
    """Return a number for each task: the wanted one unless a task above has it, else a free one."""
    taken: set[int] = set()
    numbers = []
    free = max(wanted, default=0)
    for want in wanted:
        number = want
        if not want or want in taken:
            free += 1
            number = free
        taken.add(number)
        numbers.append(number)
    return numbers


def _phase_section(section: Section) -> Section:
    """Return the section of the second level that this one is in; else the section itself."""
    above: Section | None = section
    while above and above.level > 2:  # noqa: PLR2004 - the level of a phase
        above = above.parent
    return above if above and above.level else section


class _Builder:
    """Builds a plan from an outline."""

    def __init__(  # noqa: PLR0913 - what a form decides
        self,
        form: str,
        outline: Outline,
        entries: list[Entry],
        marks: Mapping[int, _Marks],
        numbers: list[int],
        *,
        phase_section: Callable[[Section], Section] = lambda section: section,
    ) -> None:
        self.boxes: Mapping[str, TaskStatus] = {}
        self._form = form
        self._outline = outline
        self._entries = entries
        self._marks = marks
        self._ids = {entry.line: task for entry, task in zip(entries, numbers, strict=True)}
        self._unread = [*outline.unread]
        self._phases = Phases()
        self._phase_of: dict[int, str] = {}  # by the line of a section
        self._kept_as_prose: list[str] = []
        self._add_phases(phase_section)

    def _add_phases(self, phase_section: Callable[[Section], Section]) -> None:
        notes: dict[int, list[str]] = {}
        homes = {s.line: phase_section(s) for s in self._outline.sections}
        with_tasks = {homes[s.line].line for s in self._outline.sections if s.entries}
        for section in self._outline.sections:
            home = homes[section.line]
            lines = notes.setdefault(home.line, [])
            if home.line not in with_tasks:
                self._keep(section)
                continue
            if home is not section:
                lines += ["", section.heading]
            text = join_lines(section.text)
            lines += ["", *text.split("\n")] if text else ()
            self._kept_as_prose += [line for _, line in section.comments]
        for section in self._outline.sections:
            home = homes[section.line]
            if home.line in with_tasks:
                text = "\n".join(notes[home.line]).strip("\n")
                notes[home.line] = [first_piece(text, self._kept_as_prose)]
                self._phase_of[section.line] = self._phases.id_of(home, *notes[home.line])

    def _keep(self, section: Section) -> None:
        """Keep a section without tasks as prose; the title of the file is the goal."""
        text = [line for _, line in section.lines]
        is_title = section.level == 1 and section.title == self._outline.title
        if section.level and not is_title:
            text = ["", section.heading, *text]
        self._kept_as_prose += text

    def spec_kit_steps(self) -> list[Step]:
        """Return the order of spec-kit: parallel tasks by `[P]`, stories beside each other."""
        titles = {phase.id: phase.title for phase in self._phases.all()}
        numbers: dict[int, int] = {}
        for entry in self._entries:
            if self._marks[entry.line].number:
                numbers.setdefault(int(self._marks[entry.line].number), self._ids[entry.line])
        done: set[int] = set()
        steps = []
        for entry in self._entries:
            marks, task = self._marks[entry.line], self._ids[entry.line]
            phase = self._phase_of[entry.section.line]
            named = [numbers.get(int(ref)) for ref in _named_tasks(entry.text)]
            needs = tuple(dict.fromkeys(need for need in named if need in done and need))
            if len(needs) < len({*named}):
                self._unread.append(UnparsedLine(entry.line, entry.raw, "import_need"))
            own = tuple(self._ids[child.line] for child in entry.children)
            story = bool(marks.story) or bool(_STORY_PHASE.search(titles[phase]))
            needs = tuple(dict.fromkeys((*own, *needs)))
            steps.append(Step(task, phase, marks.parallel, story=story, needs=needs))
            done.add(task)
        return steps

    def kiro_steps(self) -> list[Step]:
        """Return the tasks one after the other; those with a star are optional."""
        return [
            Step(
                self._ids[entry.line],
                self._phase_of[entry.section.line],
                optional=_is_optional(entry),
                needs=self._needed_children(entry),
            )
            for entry in self._entries
        ]

    def kiro_waves(self) -> dict[int, tuple[int, ...]]:
        """Return the needs by the waves of Kiro's dependency graph; empty without one.

        A task in a wave needs those of the wave before. Any other one needs all above it.
        """
        numbers = {self._marks[e.line].number: e for e in self._entries if not e.children}
        needs: dict[int, tuple[int, ...]] = {}
        before: tuple[int, ...] = ()
        most = len(self._entries)
        for wave in _read_waves(self._outline):
            entries = [numbers[ref] for ref in dict.fromkeys(wave) if ref in numbers]
            entries = [entry for entry in entries if self._ids[entry.line] not in needs]
            needs |= {self._ids[entry.line]: before for entry in entries}
            required = tuple(self._ids[e.line] for e in entries if not _is_optional(e))
            before = required or before
        if not needs or sum(map(len, needs.values())) > most * 100:
            return {}
        above: list[int] = []
        for entry in self._entries:
            task = self._ids[entry.line]
            if entry.children:
                needs[task] = self._needed_children(entry)
                children = {*needs[task]}
                while above and above[-1] in children:
                    above.pop()
            elif task not in needs:
                needs[task] = tuple(above)
                above = above if _is_optional(entry) else []
            if not _is_optional(entry):
                above.append(task)
        return needs

    def _needed_children(self, entry: Entry) -> tuple[int, ...]:
        return tuple(self._ids[child.line] for child in entry.children if not _is_optional(child))

    def build(
        self, source: ImportSource, plan_id: str, linked: tuple[Any, dict[int, tuple[int, ...]]]
    ) -> PlanDocument:
        """Return the whole plan."""
        order, needs = linked
        tasks = []
        aliases = {""}
        for entry in self._entries:
            marks, task = self._marks[entry.line], self._ids[entry.line]
            alias = self._alias(marks.number)
            tasks.append(
                make_task(
                    task,
                    marks.name,
                    self.boxes.get(entry.box) or entry.status or "pending",
                    self._phase_of[entry.section.line],
                    description=first_piece(entry.details, self._kept_as_prose),
                    extra=dict(marks.extra),
                    needs=needs[task],
                    alias="" if alias in aliases else alias,
                )
            )
            aliases.add(alias)
        goal = one_line(self._outline.title)
        heading = _TITLE.match(goal)
        goal = goal[heading.end() :] if heading else goal
        plan = make_plan(plan_id, goal or source.directory, self._phases.all(), tasks, order=order)
        return PlanDocument(
            self._form,
            plan,
            prose_of({"end": self._kept_as_prose}),
            tuple(sorted(self._unread, key=lambda line: line.line)),
        )

    def _alias(self, number: str) -> str:
        """Return the id that the file gives a task, unless it is its number anyway."""
        if self._form == SPEC_KIT and number:
            return f"T{number}"
        return "" if number.isdigit() else number


def _is_optional(entry: Entry) -> bool:
    """Return whether a task is marked as optional, or nested in one that is."""
    above: Entry | None = entry
    while above and not above.star:
        above = above.parent
    return above is not None


def _named_tasks(text: str) -> Iterable[str]:
    return (ref for part in _DEPENDS.findall(text) for ref in _TASK_ID.findall(part))


def _read_waves(outline: Outline) -> list[list[str]]:
    """Return the tasks in each wave of the dependency graph of Kiro, if there is one."""
    for section in outline.sections:
        text = join_lines(section.lines)
        if f'"{_WAVES}"' not in text:
            continue
        try:
            graph = json.loads(text[text.find("{") : text.rfind("}") + 1])
        except (ValueError, RecursionError):
            continue
        waves = graph.get(_WAVES) if isinstance(graph, dict) else None
        return [_refs(wave) for wave in waves] if isinstance(waves, list) else []
    return []


def _refs(wave: object) -> list[str]:
    """Return the numbers of the tasks of a wave: a list, or an object with one."""
    tasks = wave.get("tasks") if isinstance(wave, dict) else wave
    return [str(task) for task in tasks] if isinstance(tasks, list) else []
