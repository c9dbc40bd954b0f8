"""What a person meant, what agents were told is done, and what must be true of the plan."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from outlast.model.model import Task
    from outlast.model.state import PlanState

TOKEN = re.compile(r"[hpa]\d+[hpa]")
ASIDE = re.compile(r"\.(bad|edited)-")


@dataclass
class Wish:
    """What a person wants of one task, by the token that its name begins with.

    `unsure` are wishes of a save that broke off: both outcomes are right.
    """

    token: str
    name: str
    is_new: bool = False
    is_deleted: bool = False
    was_finished: bool = False  # when its line was deleted
    is_ticked: bool = False
    words: list[str] = field(default_factory=list)
    unsure: bool = False


class Meaning:
    """All wishes of a person; those of an edit count once it is saved."""

    def __init__(self) -> None:
        self.wishes: dict[str, Wish] = {}
        self.edits = 0
        self.saves = 0
        self._numbers = 0
        self._unsaved: list[tuple[Wish, Callable[[Wish], None]]] = []

    def find(self, token: str) -> Wish:
        """Return the wish about a task; the first time it is what the plan has."""
        return self.wishes.setdefault(token, Wish(token, ""))

    def _later(self, wish: Wish, change: Callable[[Wish], None]) -> None:
        self.edits += 1
        self._unsaved.append((wish, change))

    def _number(self) -> int:
        self._numbers += 1
        return self._numbers

    def add(self, word: str) -> Wish:
        token = f"h{self._number()}h"
        wish = self.wishes[token] = Wish(token, f"{token} {word}", is_new=True, unsure=True)
        self._later(wish, lambda wish: setattr(wish, "unsure", False))
        return wish

    def new_name(self, wish: Wish, word: str) -> str:
        return f"{wish.token} {word} {self._number()}"

    def rename(self, wish: Wish, name: str) -> None:
        def change(wish: Wish) -> None:
            wish.name, wish.is_deleted = name, False

        self._later(wish, change)

    def tick(self, wish: Wish) -> None:
        def change(wish: Wish) -> None:
            wish.is_ticked, wish.is_deleted = True, False

        self._later(wish, change)

    def delete(self, wish: Wish, *, shown_finished: bool) -> None:
        wish.was_finished = shown_finished

        def change(wish: Wish) -> None:
            wish.is_deleted = True
            wish.name, wish.is_ticked, wish.words = "", False, []

        self._later(wish, change)

    def describe(self, wish: Wish) -> str:
        word = f"d{self._number()}d"

        def change(wish: Wish) -> None:
            wish.words.append(word)
            wish.is_deleted = False

        self._later(wish, change)
        return word

    def save(self) -> None:
        """Let everything count that was edited until now."""
        self.saves += 1
        for wish, change in self._unsaved:
            change(wish)
        self._unsaved.clear()

    def break_off(self) -> None:
        """Let every wish that was edited since the last save be unsure."""
        for wish, _ in self._unsaved:
            wish.unsure = True
        self._unsaved.clear()


@dataclass
class Acknowledged:
    """What agents were told is done: the tasks they added and completed, and their notes."""

    tried: list[str] = field(default_factory=list)
    added: dict[int, str] = field(default_factory=dict)
    completed: dict[int, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def record(self, kind: str, task: int, name: str) -> None:
        """Remember one answer to an agent."""
        if kind in ("tried", "noted"):
            (self.tried if kind == "tried" else self.notes).append(name)
        elif kind == "added":
            self.added[task] = name
        else:
            self.completed[task] = name


@dataclass(frozen=True)
class Outcome:
    """A plan when everybody has ended: its state, its files, and what was reported."""

    state: PlanState
    files: Mapping[str, bytes]
    notices: Iterable[str]  # but for those about applied edits


class Oracle:
    """Finds what is wrong with an outcome.

    A conflict that is reported, with both versions kept, is no fault: the deletion of a task that
    agents work on, a line of such a task that may have been renamed or replaced, or a save that
    stalled for so long that it was set aside.
    """

    def __init__(self, meaning: Meaning, acknowledged: Acknowledged, outcome: Outcome) -> None:
        self._meaning = meaning
        self._acknowledged = acknowledged
        self._state = outcome.state
        self._files = outcome.files
        self._reports = "\n".join(outcome.notices)
        self._tasks: dict[str, list[Task]] = {}
        for task in outcome.state.tasks.values():
            for token in TOKEN.findall(task.name)[:1] or [task.name]:
                self._tasks.setdefault(token, []).append(task)
        for token, tasks in self._tasks.items():
            kept = [task for task in tasks if f"Task {task.id} has no line" in self._reports]
            if len(tasks) > 1 and len(kept) < len(tasks):
                self._tasks[token] = [task for task in tasks if task not in kept]

    def find_faults(self, *, broken_off: bool = False) -> list[str]:
        """Return what was lost, doubled, or set aside without need."""
        faults = [*self._double(), *self._strange()]
        for wish in self._meaning.wishes.values():
            if not wish.unsure and not self._is_set_aside(wish):
                faults += self._about(wish)
        faults += self._lost_by_agents()
        if not broken_off:
            faults += [f"set aside: {name}" for name in self._files if ".bad-" in name]
        return faults

    def _is_set_aside(self, wish: Wish) -> bool:
        """Return whether a wish is in a file that was set aside, as a notice says."""
        kept = [
            _compose(content.decode(errors="replace"))
            for name, content in self._files.items()
            if ASIDE.search(name) and name in self._reports
        ]
        words = [_compose(word) for word in (wish.name, *wish.words) if word]
        return any(word in text for word in words for text in kept)

    def _double(self) -> Iterable[str]:
        for token, tasks in self._tasks.items():
            if len(tasks) > 1:
                yield f"{token} is there {len(tasks)} times: {[task.name for task in tasks]}"

    def _strange(self) -> Iterable[str]:
        """Find tasks that nobody wrote, such as names that were cut."""
        tried = {TOKEN.findall(name)[0] for name in self._acknowledged.tried}
        for token in self._tasks.keys() - self._meaning.wishes.keys() - tried:
            if not re.fullmatch(r"p\d+p", token):
                yield f"nobody wrote {token}"

    def _about(self, wish: Wish) -> Iterable[str]:
        """Find wishes that were not granted; only a deletion can contradict what agents do."""
        tasks = self._tasks.get(wish.token, [])
        if wish.is_deleted:
            if tasks and not self._is_reported(wish.token, tasks[0].id):
                yield f"{wish.token} was deleted and is there"
        elif not tasks:
            yield f"{wish.token} is gone"
        else:
            task = tasks[0]
            if wish.name and _compose(wish.name) != _compose(task.name):
                yield f"{wish.token} was named {wish.name} and is {task.name}"
            if wish.is_ticked and task.status != "completed":
                yield f"{wish.token} was ticked and is {task.status}"
            lost = [word for word in wish.words if word not in task.description]
            if lost:
                yield f"{wish.token} lost {lost} from its description"

    def _is_reported(self, token: str, task: int) -> bool:
        names = re.compile(rf'{token}|[Tt]asks? (\d+, )*{task}\b|\b{task} "')
        return bool(names.search(self._reports))

    def _lost_by_agents(self) -> Iterable[str]:
        acknowledged = self._acknowledged
        for task, name in acknowledged.added.items():
            wish = self._meaning.wishes.get(TOKEN.findall(name)[0])
            if task not in self._state.tasks and not (wish and (wish.is_deleted or wish.unsure)):
                yield f"an agent's task {task} {name} is gone"
        for task, name in acknowledged.completed.items():
            wish = self._meaning.wishes.get(TOKEN.findall(name)[0])
            may_go = wish and wish.was_finished and (wish.is_deleted or wish.unsure)
            if task not in self._state.tasks:
                if not may_go:
                    yield f"the finished task {task} {name} is gone"
            elif self._state.tasks[task].status != "completed":
                yield f"the finished task {task} {name} is {self._state.tasks[task].status}"
        notes = Counter(finding.content for finding in self._state.notes.findings.values())
        for note in acknowledged.notes:
            if notes[note] != 1:
                yield f"the note {note} is there {notes[note]} times"


def _compose(text: str) -> str:
    return unicodedata.normalize("NFC", text)
