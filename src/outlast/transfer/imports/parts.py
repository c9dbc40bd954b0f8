"""Make tasks, phases and prose of a plan from the parts of an outline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.documents.json import foreign_fields
from outlast.documents.json.extension import infer_how_and_actor
from outlast.model.commands import CreatePlan
from outlast.model.limits import NAME_CHARACTERS, make_slug, shorten_name
from outlast.model.model import MAIN, MAIN_PHASE, Phase, Prose, Task
from outlast.redact.fast import TEXT_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from outlast.model.model import Order, TaskStatus
    from outlast.transfer.imports.outline import Entry, Section

Json = dict[str, Any]
_LONGEST_TEXT: Final = TEXT_BYTES // 4  # in characters of at most four bytes


def one_line(text: str) -> str:
    """Return a text with single spaces between its words."""
    return " ".join(text.split())


def make_task(  # noqa: PLR0913 - the fields that every form has
    task: int,
    text: str,
    status: TaskStatus,
    phase: str,
    *,
    description: str = "",
    extra: Json | None = None,
    **fields: Any,  # noqa: ANN401 - of `Task`
) -> Task:
    """Return a task; a text that is too long for its name is its description too."""
    name = one_line(text)
    if len(name) > NAME_CHARACTERS:
        description = f"{name}\n{description}".strip()
        name = shorten_name(name)
    how, actor = infer_how_and_actor(status)
    fields = {"how": how, "actor": actor, **fields}
    return Task(
        task,
        name,
        phase,
        description=description,
        status=status,
        extra=foreign_fields.dump(extra or {}, ""),
        **fields,
    )


def make_plan(  # noqa: PLR0913 - the parts of a plan
    plan_id: str,
    goal: str,
    phases: Sequence[Phase],
    tasks: Sequence[Task],
    *,
    order: Order = "sequential",
    title: str | None = None,
    extra: str = "",
) -> CreatePlan:
    """Return the command that creates the plan."""
    return CreatePlan(
        plan_id,
        goal,
        title=title,
        order=order,
        phases=tuple(phases) or (MAIN,),
        tasks=tuple(tasks),
        next_id=max((task.id for task in tasks), default=0) + 1,
        begun=any(task.status != "pending" for task in tasks),
        extra=extra,
    )


class Phases:
    """The phases of a plan, one for each section that has tasks."""

    def __init__(self) -> None:
        """Begin without any."""
        self._by_line: dict[int, Phase] = {}
        self._ids: set[str] = set()
        self._numbers: dict[str, int] = {}

    def id_of(self, section: Section, notes: str = "") -> str:
        """Return the phase of a section; the title of the file is none for the first one."""
        known = self._by_line.get(section.line)
        if known is None:
            title = "" if section.level <= 1 and not self._by_line else one_line(section.title)
            title = title[:NAME_CHARACTERS] or MAIN.title
            known = Phase(self._new_id(title), title, notes)
            self._by_line[section.line] = known
        return known.id

    def all(self) -> tuple[Phase, ...]:
        """Return the phases in their order."""
        return tuple(self._by_line.values())

    def _new_id(self, title: str) -> str:
        base = MAIN_PHASE if title == MAIN.title else make_slug(title, ())
        number = self._numbers.get(base, 0) + 1
        while (slug := base if number == 1 else f"{base}-{number}") in self._ids:
            number += 1
        self._numbers[base] = number
        self._ids.add(slug)
        return slug


def split_text(text: str) -> Iterator[str]:
    """Yield pieces of a text that are short enough for one field, cut between lines."""
    piece: list[str] = []
    length = 0
    for line in text.split("\n"):
        for start in range(0, len(line) or 1, _LONGEST_TEXT):
            part = line[start : start + _LONGEST_TEXT]
            if length + len(part) > _LONGEST_TEXT:
                yield "\n".join(piece)
                piece, length = [], 0
            piece.append(part)
            length += len(part) + 1
    yield "\n".join(piece)


def prose_of(lines: Mapping[str, Iterable[str]]) -> tuple[Prose, ...]:
    """Return the prose at each place, without empty ones."""
    blocks = (
        (anchor, tuple(piece for line in text for piece in split_text(line)))
        for anchor, text in lines.items()
    )
    return tuple(Prose(anchor, text) for anchor, text in blocks if any(map(str.strip, text)))


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    """Return tasks in the order of work: those nested in another one come before it."""
    done: list[Entry] = []
    stack = [entry for entry in entries if entry.parent is None]
    stack.reverse()
    expanded: set[int] = set()
    while stack:
        entry = stack[-1]
        if entry.children and entry.line not in expanded:
            expanded.add(entry.line)
            stack += reversed(entry.children)
        else:
            done.append(stack.pop())
    return done
