"""Find the task of each line and the phase of each heading: by id, else by what is common.

Before that, read what people write in place of a name: nothing, or the name and the result.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.documents.markdown.elements import shown_status
from outlast.documents.markdown.merge.edits import MergeContext, normalize, phase_placeholder
from outlast.model.model import FINISHED, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping

    from outlast.documents.markdown.document import Document, Item, Section
    from outlast.model.state import PlanState

_SIMILAR: Final = 0.6
_MOST_PAIRS: Final = 400
_CHARACTERS: Final = 200  # of each name that are compared
_ARROW: Final = re.compile(r"\s+(?:→|->)\s+")


def match_tasks(context: MergeContext) -> dict[int, int]:
    """Return the task of each line by its number; lines without one are new tasks."""
    return _TaskMatcher(context).matches


def has_ids(context: MergeContext) -> bool:
    """Return whether a file has the id of any task of this plan."""
    known = (context.base.tasks, context.current.tasks)
    return any(item.id in tasks for item in context.document.items() for tasks in known)


class _TaskMatcher:
    """Matches lines with tasks, the surest way first; each task has at most one line."""

    def __init__(self, context: MergeContext) -> None:
        self._context = context
        self.matches: dict[int, int] = {}
        self._taken: set[int] = set()
        numbered = [item for item in context.document.items() if item.id is not None]
        self._match_numbers(numbered)
        base = context.base.tasks
        titles = _titles(context.document)
        phases = context.base.phases
        self._match_groups(
            lambda t: (t.name, phases[t.phase].title), lambda i: (i.name, titles[i.line])
        )
        self._match_keys(
            self._free_tasks(),
            lambda t: (t.name, t.status, phases[t.phase].title),
            lambda i: (i.name, shown_status(i), titles[i.line]),
        )
        self._match_keys(
            self._free_tasks(), lambda t: (t.name, t.status), lambda i: (i.name, shown_status(i))
        )
        self._match_keys(self._free_tasks(), lambda t: t.name, lambda i: i.name)
        known = base.keys() | self._taken
        added = [t for t in context.current.tasks_in_order() if t.id not in known]
        self._match_keys(added, lambda t: t.name, lambda i: i.name)
        self._match_neighbours()
        self._report_numbers(numbered)

    def _claim(self, item: Item, task: int) -> None:
        self.matches[item.line] = task
        self._taken.add(task)

    def _free_tasks(self) -> list[Task]:
        return [task for task in self._context.base.tasks_in_order() if task.id not in self._taken]

    def _unmatched_items(self) -> list[Item]:
        return [item for item in self._context.document.items() if item.line not in self.matches]

    def _match_numbers(self, items: list[Item]) -> None:
        """Match lines by their numbers, but first those that people renumbered.

        These have the name of one task that no other line is.
        """
        base, current = self._context.base.tasks, self._context.current.tasks
        claims: dict[int, list[Item]] = {}
        for item in items:
            task = base.get(item.id or 0) or current.get(item.id or 0)
            if task and task.name == item.name and task.id not in self._taken:
                self._claim(item, task.id)
        self._match_renumbered([item for item in items if item.line not in self.matches])
        for item in items:
            if item.line not in self.matches and (item.id in base or item.id in current):
                claims.setdefault(item.id or 0, []).append(item)
        for number, rivals in claims.items():
            if number not in self._taken:
                self._claim(self._closest(number, rivals), number)

    def _match_renumbered(self, items: list[Item]) -> None:
        tasks: dict[str, list[int]] = {}
        for task in self._free_tasks():
            tasks.setdefault(task.name, []).append(task.id)
        lines: dict[str, list[Item]] = {}
        for item in items:
            lines.setdefault(item.name, []).append(item)
        for name, same in lines.items():
            if len(same) == len(tasks.get(name, ())) == 1:
                self._claim(same[0], tasks[name][0])

    def _closest(self, task: int, items: list[Item]) -> Item:
        """Return the line whose name is the most similar to that of a task."""
        name = self._context.base_task(task).name
        return max(items, key=lambda item: (_similarity(item.name, name), -item.line))

    def _report_numbers(self, items: Iterable[Item]) -> None:
        """Report numbers that are not those of their lines, unless a new task gets that number."""
        context = self._context
        first = context.current.next_id
        expected = range(first, first + len(self._unmatched_items()))
        right = {item.id for item in items if self.matches.get(item.line) == item.id}
        for item in items:
            if item.line in self.matches or item.id in expected:
                continue
            if item.id in right:
                context.report("task_plan_id_twice", item.line, id=item.id)
            elif item.id not in self._taken:
                context.report("task_plan_id_unknown", item.line, id=item.id)

    def _match_keys(
        self,
        tasks: Iterable[Task],
        of_task: Callable[[Task], Hashable],
        of_item: Callable[[Item], Hashable],
    ) -> None:
        """Match lines with tasks that have an equal key, both from top to bottom."""
        same: dict[Hashable, list[int]] = {}
        for task in tasks:
            same.setdefault(of_task(task), []).append(task.id)
        for free in same.values():
            free.reverse()
        for item in self._unmatched_items():
            free = same.get(of_item(item), [])
            if free:
                self._claim(item, free.pop())

    def _match_groups(
        self, of_task: Callable[[Task], Hashable], of_item: Callable[[Item], Hashable]
    ) -> None:
        """Match as many lines as tasks of one key in their order, if only their status changed."""
        tasks: dict[Hashable, list[Task]] = {}
        items: dict[Hashable, list[Item]] = {}
        for task in self._free_tasks():
            tasks.setdefault(of_task(task), []).append(task)
        for item in self._unmatched_items():
            items.setdefault(of_item(item), []).append(item)
        for key, row in items.items():
            same, shown = tasks.get(key, []), sorted(map(shown_status, row))
            if len(row) != len(same) or shown == sorted(task.status for task in same):
                continue  # the same statuses: at most they were moved
            for item, task in zip(row, same, strict=True):
                self._claim(item, task.id)

    def _match_neighbours(self) -> None:
        """Match lines with tasks that follow the same neighbour and have similar names."""
        tasks: dict[int, list[Task]] = {}
        items: dict[int, list[Item]] = {}
        neighbour = 0
        for task in self._context.base.tasks_in_order():
            if task.id in self._taken:
                neighbour = task.id
            else:
                tasks.setdefault(neighbour, []).append(task)
        neighbour = 0
        for item in self._context.document.items():
            if item.line in self.matches:
                neighbour = self.matches[item.line]
            else:
                items.setdefault(neighbour, []).append(item)
        is_plain = self._context.document.revision is None and not has_ids(self._context)
        for place, group in items.items():
            free = tasks.get(place, [])
            if len(group) * len(free) <= _MOST_PAIRS:
                self._pair_own(group, free)
                self._pair(group, free, by_position=is_plain)

    def _pair_own(self, items: list[Item], tasks: list[Task]) -> None:
        """Match lines with the tasks that earlier saves of the same buffer made of them.

        A name that is being typed begins as the one before. With another name, a line at the same
        place is still the same task; where there are several, if nobody has changed that since.
        """
        own = [task for task in tasks if task.id in self._context.earlier.added]
        free = [item for item in items if item.id is None]
        for item in [*free]:
            likely = _without_finished(own, item)
            best = max(likely, key=lambda task: _likeness(item.name, task.name), default=None)
            if best and _likeness(item.name, best.name) >= _SIMILAR:
                own.remove(best)
                free.remove(item)
                tasks.remove(best)
                self._claim(item, best.id)
        if len(own) != 1 or len(free) != 1:
            own = [task for task in own if self._context.is_untouched(task.id)]
        for item, task in zip(free, own, strict=False):
            if _without_finished([task], item):
                tasks.remove(task)
                self._claim(item, task.id)

    def _pair(self, items: list[Item], tasks: list[Task], *, by_position: bool) -> None:
        """Match lines that lost their number, by similar names and else by position."""
        items = [item for item in items if item.line not in self.matches]
        for item in items:
            likely = _without_finished(tasks, item)
            best = max(likely, key=lambda task: _similarity(item.name, task.name), default=None)
            if best and _similarity(item.name, best.name) >= _SIMILAR:
                tasks.remove(best)
                self._claim(item, best.id)
        left = [item for item in items if item.line not in self.matches]
        if by_position and len(left) == len(tasks):
            for item, task in zip(left, tasks, strict=True):
                if shown_status(item) == task.status:
                    self._claim(item, task.id)


def _without_finished(tasks: list[Task], item: Item) -> list[Task]:
    """Return the tasks that a line of another name may be: an open one is no finished task."""
    if shown_status(item) in FINISHED:
        return tasks
    return [task for task in tasks if not task.finished]


def _titles(document: Document) -> dict[int, str | None]:
    return {item.line: section.title for section in document.sections for item in section.items}


def match_phases(context: MergeContext, tasks: Mapping[int, int]) -> dict[int, str]:
    """Return the phase of each heading by its line; a phase that was removed since has none.

    A removed phase comes back as a new one if the person put something below its heading.
    """
    sections = [section for section in context.document.sections if section.title is not None]
    matcher = _PhaseMatcher(context, tasks)
    matcher.match_titles(sections)
    matcher.match_contents(sections)
    return {
        section.line: phase
        for section in sections
        if (phase := matcher.current_phase(section)) is not None
    }


class _PhaseMatcher:
    """Matches headings with phases: by title, then by the tasks below them."""

    def __init__(self, context: MergeContext, tasks: Mapping[int, int]) -> None:
        self._context = context
        self._tasks = tasks
        self._matches: dict[int, str] = {}

    def match_titles(self, sections: Iterable[Section]) -> None:
        """Match a heading with the phase of its title; of several, with the one of most tasks."""
        base, current = self._context.base.phases, self._context.current.phases
        titled: dict[object, list[str]] = {}
        for phase in (*base.values(), *(p for p in current.values() if p.id not in base)):
            titled.setdefault(normalize(phase.title), []).append(phase.id)
        for section in sections:
            free = titled.get(normalize(section.title))
            if free:
                counts = self._task_counts(section)
                best = max(free, key=lambda phase: counts.get(phase, 0))
                free.remove(best)
                self._matches[section.line] = best

    def match_contents(self, sections: Iterable[Section]) -> None:
        """Match a renamed heading with the phase that most of its tasks come from."""
        taken = set(self._matches.values())
        for section in sections:
            if section.line not in self._matches:
                counts = self._task_counts(section)
                free = [phase for phase in counts if phase not in taken]
                if free:
                    best = max(free, key=counts.__getitem__)
                    self._matches[section.line] = best
                    taken.add(best)

    def current_phase(self, section: Section) -> str | None:
        """Return the phase of a heading in the plan now, or a placeholder for a new one."""
        phase = self._matches.get(section.line)
        if phase is None:
            return phase_placeholder(section.line)
        if phase in self._context.current.phases:
            return phase
        tasks = self._context.base.tasks
        ids = (self._tasks.get(item.line) for item in section.items)
        stays = all(task in tasks and tasks[task].phase == phase for task in ids)
        return None if stays else phase_placeholder(section.line)

    def _task_counts(self, section: Section) -> dict[str, int]:
        """Count the tasks of each phase below a heading."""
        counts: dict[str, int] = {}
        for item in section.items:
            task = self._tasks.get(item.line)
            if task is not None:
                phase = self._context.base_task(task).phase
                counts[phase] = counts.get(phase, 0) + 1
        return counts


def _likeness(left: str, right: str) -> float:
    """Return how likely it is that one name was typed further, or corrected, into the other."""
    if left.startswith(right) or right.startswith(left):
        return 1.0
    return _similarity(left, right)


def _similarity(left: str, right: str) -> float:
    """Return 1 for equal names, 0 for names that have nothing in common."""
    from difflib import SequenceMatcher

    return SequenceMatcher(None, left[:_CHARACTERS], right[:_CHARACTERS], autojunk=False).ratio()


def read_names(document: Document, base: PlanState, current: PlanState) -> Document:
    """Return a file in which each line has the name of its task, and nothing else as its name.

    A line with a number and no name has the name of that task. `[x] Ask Kim → she agrees` is the
    task `Ask Kim` with a result, as `outlast show` writes it, unless that is what its name was.
    """
    if all(
        item.name and item.name.isascii() and not _ARROW.search(item.name)
        for item in document.items()
    ):
        return document
    tasks = {**current.tasks, **base.tasks}
    names = {task.name: task for task in tasks.values()}
    document = _compose_names(document, names)
    sections = (
        replace(section, items=tuple(_read_item(item, tasks, names) for item in section.items))
        for section in document.sections
    )
    return replace(document, sections=tuple(sections))


def _read_item(item: Item, tasks: Mapping[int, Task], names: Mapping[str, Task]) -> Item:
    task = tasks.get(item.id or 0) or names.get(item.name)
    if not item.name:
        return replace(item, name=task.name if task else str(item.id))
    if shown_status(item) != "completed" or (task and task.name == item.name):
        return item
    arrows = [*_ARROW.finditer(item.name)]
    known = (arrow for arrow in arrows if item.name[: arrow.start()] in names)
    arrow = next(known, arrows[0] if arrows and task and not _ARROW.search(task.name) else None)
    if arrow is None:
        return item
    return replace(item, name=item.name[: arrow.start()], result=item.name[arrow.end() :])


def _compose_names(document: Document, names: Mapping[str, Task]) -> Document:
    """Return a file with the names of tasks where a line has them in another Unicode form."""
    composed = {normalize(name): name for name in names if not name.isascii()}

    def compose(item: Item) -> Item:
        known = item.name in names or item.name.isascii()
        return item if known else replace(item, name=composed.get(normalize(item.name), item.name))

    sections = (
        replace(section, items=tuple(map(compose, section.items))) for section in document.sections
    )
    return replace(document, sections=tuple(sections))
