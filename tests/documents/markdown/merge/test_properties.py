"""F7, X1: any edits of a person against any commands of agents: nothing is lost."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from outlast.documents.markdown.merge.three_way import merge
from outlast.documents.markdown.parse import parse
from outlast.documents.markdown.render import render
from outlast.errors import OutlastError
from outlast.model.execute import execute
from tests.documents.markdown.plan_texts import apply_edits, copy, create_state, plans, visible_plan
from tests.model.indexes import assert_indexes
from tests.model.strategies import PLANS, Request, moment

if TYPE_CHECKING:
    from outlast.model.state import PlanState

EXAMPLES: Final = int(os.environ.get("OUTLAST_F7", "2000"))
EDITS: Final = (
    *("rename", "tick", "untick", "icon", "move", "take out", "add", "prose", "phase", "heading"),
    *("rename", "tick", "move", "add", "prose", "describe", "describe", "forget"),
    *("bullet", "strike", "box", "number"),
)
OTHERS: Final = (
    *("add", "add several", "edit", "move", "remove", "start next", "start", "complete", "fail"),
    *(
        "skip",
        "reopen",
        "return",
        "edit plan",
        "add phase",
        "edit phase",
        "move phase",
        "remove phase",
    ),
)
TASK: Final = re.compile(r"- \[(.)\] (.) ((?:\*\*(\d+)\*\* )?)(.*)$")


@dataclass
class Person:
    """A person with the file in an editor, and what they have done to it."""

    lines: list[str]
    written: list[str] = field(default_factory=list)
    changed: dict[int, str] = field(default_factory=dict)
    out: set[int] = field(default_factory=set)

    def tasks(self) -> list[int]:
        return [n for n, line in enumerate(self.lines) if TASK.match(line)]

    def places(self) -> list[int]:
        """Return where something can be put in: below the first heading of a phase."""
        start = next(n for n, line in enumerate(self.lines) if line.startswith("## "))
        end = next(n for n, line in enumerate(self.lines) if line.startswith("*Last updated"))
        return [*range(start + 2, end - 1)]

    def block(self, start: int) -> list[str]:
        """Take a task out of the file, with the lines below it that belong to it."""
        end = start + 1
        while self.belongs(end):
            end += 1
        taken, self.lines[start:end] = self.lines[start:end], []
        return taken

    def place(self, x: int) -> int:
        """Return a place that is not between a task and what belongs to it."""
        places = [n for n in self.places() if not self.belongs(n)]
        return places[x % len(places)]

    def belongs(self, n: int) -> bool:
        """Return whether a line is part of the task above it: indented, or blank among such."""
        return next((line for line in self.lines[n:] if line), "").startswith("  ")

    def edit(self, kind: str, x: int, y: int) -> None:
        """Do one thing."""
        tasks = self.tasks()
        new = f"{kind} {len(self.written)}!"
        if kind == "add":
            box = "xX"[x % 2] if y % 3 == 0 else " "
            self.lines.insert(self.place(x), f"- [{box}] {new}")
            self.written.append(new)
        elif kind == "bullet":
            self.lines.insert(self.place(x), f"{('-', '1.')[y % 2]} {new}")
            self.written.append(new)
        elif kind == "prose":
            self.lines[(at := self.place(x)) : at] = ["", new] if y % 2 else [new]
            self.written.append(new)
        elif kind == "phase":
            self.lines[(at := self.place(x)) : at] = ["", f"## {new}"]
            self.written.append(new)
        elif kind == "heading":
            headings = [n for n, line in enumerate(self.lines) if line.startswith("## ")]
            at = headings[x % len(headings)]
            self.written.append(new)
            self.lines[at] = f"## ◐ Phase: {new}"
        elif tasks:
            self._task(kind, tasks[x % len(tasks)], y, new)

    def _task(self, kind: str, at: int, y: int, new: str) -> None:
        found = TASK.match(self.lines[at])
        assert found
        box, icon, mark, number, name = found.groups()
        if kind == "take out":
            self.block(at)
            self.out.add(int(number or 0))
        elif kind == "move":
            block = self.block(at)
            self.lines[(there := self.place(y)) : there] = block
        elif kind == "describe":
            self.lines.insert(at + 1, f"  {new}")
            self.written.append(new)
        elif kind == "forget":
            self.lines.insert(at, self.block(at)[0])
            self.changed[int(number or 0)] = self.lines[at]
        else:
            box = {"tick": "x", "untick": " ", "box": "✓-~?"[y % 4]}.get(kind, box)
            icon = "○◐●⊘✖"[y % 5] if kind == "icon" else icon
            name = {"rename": new, "strike": f"~~{name}~~"}.get(kind, name)
            if kind == "number":
                self.out.add(int(number or 0))
                mark = ""
            self.lines[at] = f"- [{box}] {icon} {mark}{name}"
            self.changed[int(number or 0)] = self.lines[at]
            self.written += [new] if kind == "rename" else []


_numbers: Final = st.integers(0, 11)
_edits: Final = st.lists(
    st.tuples(st.sampled_from(EDITS), _numbers, _numbers), min_size=1, max_size=6
)
_others: Final = st.lists(
    st.builds(Request, st.sampled_from(OTHERS), _numbers, _numbers, _numbers), max_size=6
)
_plans: Final = st.one_of(st.sampled_from(PLANS[2:]).map(create_state), plans())
_quietly: Final = [HealthCheck.too_slow, HealthCheck.data_too_large]
_thorough: Final = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=_quietly, print_blob=True
)
_less: Final = settings(_thorough, max_examples=EXAMPLES // 4)


def work(state: PlanState, requests: list[Request]) -> None:
    """Let agents work on a plan, as far as it allows."""
    for step, request in enumerate(requests, 1):
        try:
            execute(state, (request.command(state),), moment(step))
        except OutlastError:
            continue


def edit(state: PlanState, edits: list[tuple[str, int, int]], *, ids: bool) -> Person:
    person = Person(render(state, bare=not ids).splitlines())
    for one in edits:
        person.edit(*one)
    text = "\n".join(person.lines)
    person.written = [one for one in person.written if one in text]
    return person


@pytest.mark.slow
@pytest.mark.soak
@_thorough
@given(_plans, _edits, _others)
@example(create_state(PLANS[2]), [("tick", 11, 0), ("icon", 11, 0)], [Request("complete", 1, 0, 0)])
@example(
    create_state(PLANS[2]),
    [("take out", 9, 0), ("take out", 3, 0), ("rename", 7, 0)],
    [Request("edit", 1, 0, 3), Request("remove", 1, 0, 0)],
)
@example(
    create_state(PLANS[4]),
    [("prose", 11, 0)],
    [Request("move phase", 8, 0, 0), Request("remove phase", 0, 0, 0)],
)
def test_f7_no_line_and_no_task_is_lost_whatever_others_do(
    state: PlanState, edits: list[tuple[str, int, int]], others: list[Request]
) -> None:
    base = copy(state)
    person = edit(base, edits, ids=True)
    work(state, others)
    before = {task.id: task for task in state.tasks_in_order()}
    found = merge(base, state, parse("\n".join(person.lines)))
    if found.needs_confirmation:
        assert not any("] ○ **" in line for line in person.lines)
        return
    apply_edits(state, found)
    assert_indexes(state)
    text = render(state)
    for line in person.written:
        assert line in text, (line, text)
    for task in before.values():
        assert task.id in state.tasks or task.id in person.out
        if task.id in state.tasks and task.id not in person.changed:
            now = state.tasks[task.id]
            assert (now.name, now.status) == (task.name, task.status)
            assert (now.checks, now.run) == (task.checks, task.run)
    again = merge(copy(state), state, parse(text))
    assert (again.edits, again.reports, again.prose) == ((), (), state.notes.prose)


@pytest.mark.slow
@pytest.mark.soak
@_less
@given(_plans, _edits)
def test_f7_what_a_person_wants_is_what_comes_out(
    state: PlanState, edits: list[tuple[str, int, int]]
) -> None:
    person = edit(state, edits, ids=True)
    document = parse("\n".join(person.lines))
    found = merge(copy(state), state, document)
    refused = apply_edits(state, found)
    if refused or found.reports:
        return
    wanted = [
        (section.title, [item.name for item in section.items]) for section in document.sections
    ]
    phases = visible_plan(state)["phases"]
    assert [(title, [task[1] for task in tasks]) for title, _, tasks in phases] == wanted
    for item, task in zip(document.items(), state.tasks_in_order(), strict=True):
        is_ticked = item.box == "completed"
        assert is_ticked == (task.status == "completed") or item.icon or item.box != "pending"


@pytest.mark.slow
@pytest.mark.soak
@_less
@given(_plans, _edits, _others)
def test_f7_without_ids_no_line_is_lost_either(
    state: PlanState, edits: list[tuple[str, int, int]], others: list[Request]
) -> None:
    base = copy(state)
    person = edit(base, edits, ids=False)
    work(state, others)
    before = len(state.tasks)
    found = merge(base, state, parse("\n".join(person.lines), bare=True))
    if found.needs_confirmation:
        return
    apply_edits(state, found)
    assert_indexes(state)
    text = render(state, bare=True)
    for line in person.written:
        assert line in text, (line, text)
    assert len(state.tasks) >= before - 2
