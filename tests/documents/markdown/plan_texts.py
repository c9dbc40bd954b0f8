"""`task_plan.md` in tests: plans to render, what the file shows of them, and edits by people."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from hypothesis import strategies as st

from outlast.documents.markdown.elements import shown_result
from outlast.documents.markdown.merge.applier import EditApplier
from outlast.documents.markdown.merge.three_way import merge
from outlast.documents.markdown.parse import parse
from outlast.documents.markdown.render import render
from outlast.errors import OutlastError
from outlast.model.commands import CreatePlan, KeepProse
from outlast.model.execute import execute
from outlast.model.limits import default_title
from outlast.model.model import TASK_STATUSES, Check, Phase, Prose, Task
from outlast.model.state import PlanState

if TYPE_CHECKING:
    from outlast.documents.markdown.merge.edits import MergeResult
    from outlast.model.commands import Command

NOW: Final = datetime(2026, 1, 14, 10, 30, tzinfo=UTC)


def create_state(command: CreatePlan, *more: Command) -> PlanState:
    """Return the plan that a command creates, after more commands."""
    state = PlanState(NOW)
    for one in (command, *more):
        execute(state, (one,), NOW)
    return state


def small(*names: str, order: Any = "graph") -> PlanState:
    """Return a plan with one phase and tasks of these names."""
    tasks = tuple(Task(number, name) for number, name in enumerate(names, 1))
    return create_state(
        CreatePlan("plan_x", "Goal", order=order, tasks=tasks, next_id=len(names) + 1)
    )


def two_phases() -> PlanState:
    """Return a plan with two tasks in each of two phases."""
    phases = (Phase("one", "One", "first"), Phase("two", "Two"))
    tasks = (
        Task(1, "a", "one"),
        Task(2, "b", "one", (1,)),
        Task(3, "c", "two"),
        Task(4, "d", "two"),
    )
    return create_state(CreatePlan("plan_x", "Goal", phases=phases, tasks=tasks, next_id=5))


def names(state: PlanState) -> list[str]:
    """Return the names of the tasks in list order."""
    return [task.name for task in state.tasks_in_order()]


def copy(state: PlanState) -> PlanState:
    """Return the same plan in another value."""
    twin = create_state(
        CreatePlan(
            state.id,
            state.goal,
            title=state.title,
            order=state.order,
            phases=tuple(state.phases.values()),
            tasks=tuple(state.tasks_in_order()),
            next_id=state.next_id,
            begun=state.begun,
            hold=state.hold,
        )
    )
    execute(twin, (KeepProse(state.notes.prose),), NOW)
    twin.revision = state.revision
    return twin


def visible_plan(state: PlanState, *, ids: bool = True) -> dict[str, Any]:
    """Return what the file shows of a plan: without ids, tasks by position."""
    place = {task: task if ids else n for n, task in enumerate(state.graph.order, 1)}
    return {
        "title": state.title,
        "goal": state.goal,
        "phases": [
            (
                phase.title,
                phase.notes,
                [
                    _task(task, place) + (_extent(task) if ids else ())
                    for task in state.tasks_in_order()
                    if task.phase == phase.id
                ],
            )
            for phase in state.phases.values()
        ],
    }


def _task(task: Task, place: dict[int, int]) -> tuple[Any, ...]:
    needs = tuple(place[one] for one in task.needs)
    rest = (task.checks, task.run, task.files, task.protect)
    return (place[task.id], task.name, task.status, needs, *rest)


def _extent(task: Task) -> tuple[Any, ...]:
    return task.description, shown_result(task.result), task.is_assumed


def apply_edits(state: PlanState, found: MergeResult) -> list[str]:
    """Apply the edits of a merge; return what was refused."""
    applier = EditApplier(found)
    refused = []
    for edit in found.edits:
        commands = applier.commands(edit)
        try:
            applier.record_applied(edit, execute(state, commands, NOW))
        except OutlastError as error:
            refused.append(f"{edit.kind} {edit.line}: {error.text}")
            applier.record_refused(edit)
    execute(state, (KeepProse(applier.prose()),), NOW)
    return refused


def edit_file(
    state: PlanState, *changes: tuple[str, str], ids: bool = True
) -> tuple[MergeResult, list[str]]:
    """Replace text in the file of a plan and apply it; return the merge and what was refused."""
    text = render(state, bare=not ids)
    for old, new in changes:
        assert old in text, (old, text)
        text = text.replace(old, new, 1)
    found = merge(copy(state), state, parse(text, bare=not ids))
    return found, apply_edits(state, found)


# --- any plan at all ----------------------------------------------------------------------------

NASTY: Final = (
    *(
        "- [x] fake",
        "# Title",
        "## ○ Phase: X",
        "```",
        "~~~",
        "---",
        "<!-- t7 -->",
        "a <!-- t1 -->",
    ),
    *("> quote", "○ a", "●", "&#45;", "&#38;#45;", " lead", "trail ", "\ta", "x,y", ", ", "a, b"),
    *("**Progress:** 1/2 steps completed", "**Objective:** x", "*Last updated: 2026-01-14T10Z*"),
    *("<!-- outlast r1 -->", "<!--", "-->", "Phase: x", "file: a", "person: b", "command: c", "2"),
    *(
        "after: 2",
        "needs: 2",
        "依赖\uff1a2",
        "run: x",
        "\u3000wide\u3000",
        "\u202eturned",
        "\x00\x1b",
        "<!-- -->",
        "t3",
    ),
    *("**2** x", "__7.__x", "**2**", "~~x~~", "~~", "~~~~x~~~~", "1. x", "2", "a → b", "[✓] x"),
    *(
        "- [x] fake",
        "[ ] ○ **2** b",
        "\uff3bx\uff3d x",
        "- x",
        "x \uff0c y、z",
        "→",
        "**a**",
        "~~x~~ y",
    ),
)
BLOCKS: Final = (  # lines that make up blocks below a task
    *(
        "",
        " ",
        "```",
        "```sh",
        "````",
        "  ```",
        "~~~ x",
        "<!-- a",
        "a -->",
        "- [ ] ○ a <!-- t1 -->",
    ),
    *("- needs: 1", "  - check: x", "- result: done", "- status: assumed", "- chek: x", "* x: y"),
    *("- [] a", "## P", "# T", "### S", "> **Objective:** g", "\tx", "a\r", "<<<<<<< x"),
    *("<!-- outlast r3 -->", "*Last updated: 2026-01-14T10Z*", "- [x] fake", "1. [x] b", "a  "),
    *("a <!-- t5 -->", "  - needs: 1", "---", "- item", "   > q"),
    *(
        "○ **2** b",
        "- **2** b",
        "- ○ x",
        "-[ ] x",
        "\uff3bx\uff3d a",
        "- run\uff1ax",
        "1) x",
        "[?] **1** a",
    ),
)
_characters: Final = st.characters(codec="utf-8")
lines: Final = st.one_of(
    st.sampled_from(NASTY),
    st.text(_characters, min_size=1, max_size=20),
    st.text("ab -[]#x`>\n", min_size=1),
).filter(lambda text: not text.isspace() and text.splitlines() == [text])
texts: Final = st.one_of(
    lines, st.text(_characters, max_size=30), st.lists(lines, max_size=4).map("\n".join)
)
descriptions: Final = st.one_of(
    st.just(""),
    texts,
    st.lists(st.one_of(lines, st.sampled_from(BLOCKS)), max_size=6).map("\n".join),
)
_checks: Final = st.builds(Check, st.sampled_from(["command", "file", "person"]), lines)
_patterns: Final = lines.filter(lambda one: one[0] != "/" and ".." not in one.split("/"))
_few: Final = st.lists(_patterns, max_size=2).map(tuple)


@st.composite
def plans(draw: st.DrawFn) -> PlanState:
    """Return any legal plan."""
    titles = draw(st.lists(lines, min_size=1, max_size=4))
    phases = tuple(Phase(f"p{n}", title, draw(texts)) for n, title in enumerate(titles))
    tasks: list[Task] = []
    for number in draw(st.lists(st.integers(1, 30), max_size=7, unique=True)):
        needs = (
            draw(st.lists(st.sampled_from([t.id for t in tasks]), max_size=2, unique=True))
            if tasks
            else []
        )
        status = draw(st.sampled_from(TASK_STATUSES))
        tasks.append(
            Task(
                number,
                draw(lines),
                draw(st.sampled_from(phases)).id,
                tuple(needs),
                description=draw(descriptions),
                status=status,
                result=draw(st.one_of(st.none(), texts)),
                how=draw(st.sampled_from(["reported", "assumed"])) if status == "completed" else "",
                actor="bo",
                checks=draw(st.lists(_checks, max_size=2).map(tuple)),
                run=draw(st.one_of(st.just(""), lines)),
                files=draw(_few),
                protect=draw(_few),
            )
        )
    goal = draw(texts)
    title = draw(st.one_of(st.just(default_title(goal)), lines))
    return create_state(
        CreatePlan("plan_x", goal, title=title, phases=phases, tasks=tuple(tasks), next_id=31)
    )


def prose(*lines: str, anchor: str = "head") -> KeepProse:
    """Return the command that keeps these lines."""
    return KeepProse((Prose(anchor, lines),))
