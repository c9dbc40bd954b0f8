"""Which heading is which phase: by its title, else by the tasks below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.formats.markdown.merge.placeholder import new_phase

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from outlast.formats.markdown.document import Section
    from outlast.formats.markdown.merge.context import Sides


def identify_phases(sides: Sides, tasks: Mapping[int, int]) -> dict[int, str]:
    """Return the phase of each heading by its line; none for one that others have taken out.

    A phase that is gone comes back if something was put below its heading.
    """
    sections = [section for section in sides.document.sections if section.title is not None]
    identity = _Identity(sides, tasks)
    identity.by_title(sections)
    identity.by_tasks(sections)
    return {
        section.line: phase
        for section in sections
        if (phase := identity.settled(section)) is not None
    }


class _Identity:
    """How far the headings have been told apart."""

    def __init__(self, sides: Sides, tasks: Mapping[int, int]) -> None:
        self._sides = sides
        self._tasks = tasks
        self._found: dict[int, str] = {}

    def by_title(self, sections: Iterable[Section]) -> None:
        """Give a heading the phase of its title, of several the one with most of its tasks."""
        base, current = self._sides.base.phases, self._sides.current.phases
        titled: dict[str, list[str]] = {}
        for phase in (*base.values(), *(p for p in current.values() if p.id not in base)):
            titled.setdefault(phase.title, []).append(phase.id)
        for section in sections:
            free = titled.get(section.title or "")
            if free:
                shared = self._shared(section)
                best = max(free, key=lambda phase: shared.get(phase, 0))
                free.remove(best)
                self._found[section.line] = best

    def by_tasks(self, sections: Iterable[Section]) -> None:
        """Give a heading that was renamed the phase that most of its tasks are from."""
        taken = set(self._found.values())
        for section in sections:
            if section.line not in self._found:
                shared = self._shared(section)
                free = [phase for phase in shared if phase not in taken]
                if free:
                    best = max(free, key=shared.__getitem__)
                    self._found[section.line] = best
                    taken.add(best)

    def settled(self, section: Section) -> str | None:
        """Return the phase of a heading as it is now."""
        phase = self._found.get(section.line)
        if phase is None:
            return new_phase(section.line)
        if phase in self._sides.current.phases:
            return phase
        tasks = self._sides.base.tasks
        ids = (self._tasks.get(item.line) for item in section.items)
        stays = all(task in tasks and tasks[task].phase == phase for task in ids)
        return None if stays else new_phase(section.line)

    def _shared(self, section: Section) -> dict[str, int]:
        """Return how many tasks of each phase stand below a heading."""
        shared: dict[str, int] = {}
        for item in section.items:
            task = self._tasks.get(item.line)
            if task is not None:
                phase = self._sides.base_task(task).phase
                shared[phase] = shared.get(phase, 0) + 1
        return shared
