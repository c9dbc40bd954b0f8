"""X7: what is different between two revisions, by the identity of tasks and phases."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outlast.errors import Refused
from outlast.model import commands as c
from outlast.model.changes import fold
from outlast.model.execute import execute
from outlast.model.history.diff import TASK_FIELDS, Difference, differences, moved_items
from outlast.model.ledger import Notes
from outlast.model.model import Check, ErrorRecord, Finding, Progress, Prose, Task
from outlast.model.state import PlanState
from tests.model.strategies import BEGINNING, Request, moment, plans, requests
from tests.model.timed_plan import TimedPlan

if TYPE_CHECKING:
    from outlast.model.changes import Change

_settings = settings(
    max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


def state_at(plan: TimedPlan, revision: int) -> PlanState:
    state = PlanState(BEGINNING)
    for commit in plan.commits[:revision]:
        fold(state, commit.changes, commit.revision, commit.at)
    return state


def since(plan: TimedPlan, revision: int) -> list[tuple[Any, ...]]:
    """Return what is different now, as tuples of kind, what, field, old, new."""
    found = differences(state_at(plan, revision), plan.state)
    return [(one.kind, one.id or one.about, one.field, one.old, one.new) for one in found]


def test_x7_nothing_is_different_from_itself() -> None:
    plan = TimedPlan(3)
    assert since(plan, 2) == []


def test_x7_changes_of_a_task_are_listed_field_by_field() -> None:
    plan = TimedPlan(2)
    checks = (Check("file", "x"),)
    plan.do(c.EditTask(1, name="first", needs=(2,), reasoning="because", checks=checks))
    plan.do(c.EditTask(1, protect=("c",)))
    plan.do(c.EditTask(2, run="make", files=("a", "b"), kind="k"))
    plan.do(c.SetProgress(1, 1, 2))
    plan.do(c.Complete(2, "ann", "fine", "assumed"))
    assert since(plan, 2) == [
        ("changed", 1, "name", "task 0", "first"),
        ("changed", 1, "needs", (), (2,)),
        ("changed", 1, "reasoning", "", "because"),
        ("changed", 1, "progress", None, Progress(1, 2)),
        ("changed", 1, "checks", (), checks),
        ("changed", 1, "protect", (), ("c",)),
        ("changed", 2, "status", "pending", "completed"),
        ("changed", 2, "result", None, "fine"),
        ("changed", 2, "kind", "", "k"),
        ("changed", 2, "run", "", "make"),
        ("changed", 2, "files", (), ("a", "b")),
        ("changed", 2, "how", "", "assumed"),
        ("changed", 2, "actor", "", "ann"),
    ]


def test_x7_tasks_and_phases_come_go_and_move() -> None:
    plan = TimedPlan(4)
    plan.do(c.AddPhase("Old"))
    begun = plan.state.revision
    plan.do(c.AddPhase("Build", "how", "main"))
    plan.do(c.RemovePhase("old"))
    plan.do(c.RemoveTask(2))
    plan.do(c.MoveTask(4, first=True))
    plan.do(c.MoveTask(3, "build"))
    plan.do(c.AddTasks((c.NewTask("new", needs=(1,)),)))
    plan.do(c.EditPlan(goal="Other", order="sequential"))
    assert since(plan, begun) == [
        ("changed", "plan", "goal", "Goal", "Other"),
        ("changed", "plan", "title", "Goal", "Other"),
        ("changed", "plan", "order", "graph", "sequential"),
        ("added", "build", "", None, None),
        ("changed", "build", "notes", "", "how"),
        ("removed", "old", "", None, None),
        ("moved", 4, "after", 3, 0),
        ("added", 5, "phase", None, "main"),
        ("changed", 5, "needs", (), (1,)),
        ("moved", 3, "phase", "main", "build"),
        ("removed", 2, "", None, None),
    ]
    names = {one.id: one.name for one in differences(state_at(plan, begun), plan.state)}
    assert (names["old"], names[2], names[5]) == ("Old", "task 1", "new")


def test_x7_moved_phases_take_their_tasks_along() -> None:
    plan = TimedPlan(2)
    for title in ("Build", "Test"):
        plan.do(c.AddPhase(title))
    plan.do(c.AddTasks((c.NewTask("a", "test"),)))
    begun = plan.state.revision
    plan.do(c.MovePhase("test", None))
    plan.do(c.EditPhase("build", "Make"))
    plan.do(c.Pause())
    plan.state.ledger.phase_marks["main"] = "blocked"
    assert since(plan, begun) == [
        ("changed", "plan", "hold", "", "paused"),
        ("moved", "test", "after", "build", ""),
        ("changed", "main", "marked", None, "blocked"),
        ("changed", "build", "title", "Build", "Make"),
    ]


def test_x7_what_is_noted_is_counted() -> None:
    old, new = TimedPlan(1).state, TimedPlan(1).state
    old.notes = Notes(deliverable="x" * 3, answer="y" * 4, prose=(Prose("top", ("a", "b")),))
    error = ErrorRecord(1, "sh", "broke", BEGINNING, BEGINNING, count=3)
    new.notes = Notes({1: Finding(1, "code", "t", "c", BEGINNING)}, {"k": error})
    assert [(one.about, one.field, one.old, one.new) for one in differences(old, new)] == [
        ("plan", "findings", 0, 1),
        ("plan", "errors", 0, 3),
        ("plan", "deliverable", 3, 0),
        ("plan", "answer", 4, 0),
        ("plan", "prose", 2, 0),
    ]


def test_x7_a_plan_that_followed_has_nothing_in_common_with_the_one_before() -> None:
    plan = TimedPlan(1)
    plan.do(c.Skip(1))
    plan.do(c.InitializePlan("plan_b", "Next", (c.NewTask("one"),)))
    assert since(plan, 3) == [
        ("changed", "plan", "id", "plan_a", "plan_b"),
        ("changed", "plan", "goal", "Goal", "Next"),
        ("changed", "plan", "title", "Goal", "Next"),
        ("added", "main", "", None, None),
        ("removed", "main", "", None, None),
        ("added", 1, "phase", None, "main"),
        ("removed", 1, "", None, None),
    ]


@_settings
@given(st.permutations(range(6)), st.sets(st.integers(0, 5)), st.sets(st.integers(0, 5)))
def test_x7_no_fewer_could_have_moved(order: list[int], left: set[int], come: set[int]) -> None:
    old = [one for one in range(6) if one not in come]
    new = [one for one in order if one not in left]
    common = set(old) & set(new)
    found = moved_items(old, new)

    def explains(some: set[int]) -> bool:
        still = common - some
        return [one for one in old if one in still] == [one for one in new if one in still]

    assert found <= common
    assert explains(found)
    if found:
        assert not any(explains({*some}) for some in combinations(common, len(found) - 1))


@_settings
@given(plans, st.lists(requests, min_size=15, max_size=15), st.integers(0, 15))
def test_x7_the_differences_are_all_there_are(
    plan: c.CreatePlan, script: list[Request], place: int
) -> None:
    state, commits = PlanState(BEGINNING), list[tuple["Change", ...]]()
    for step, command in enumerate([lambda _: plan, *(request.command for request in script)]):
        try:
            commits.append(execute(state, (command(state),), moment(step)))
        except Refused:
            continue
    old = PlanState(BEGINNING)
    for step, changes in enumerate(commits[: place + 1]):
        fold(old, changes, step, moment(step))
    found = differences(old, state)
    assert len(set(map(repr, found))) == len(found)
    if old.id == state.id:
        assert _changed_tasks(found) == _told_apart(old, state)
        back = differences(state, old)
        assert _ids(found, "added") == _ids(back, "removed")
        assert _ids(found, "removed") == _ids(back, "added")


def _changed_tasks(found: list[Difference]) -> set[int | str]:
    return {one.id for one in found if one.about == "task" and one.kind == "changed"}


def _told_apart(old: PlanState, new: PlanState) -> set[int]:
    def fields(task: Task) -> list[object]:
        return [getattr(task, field) for field in TASK_FIELDS]

    return {
        one
        for one, task in new.tasks.items()
        if fields(task) != fields(old.tasks.get(one) or Task(one, task.name))
    }


def _ids(found: list[Difference], kind: str) -> set[tuple[str, int | str]]:
    return {(one.about, one.id) for one in found if one.kind == kind}


def test_x7_every_field_of_a_task_is_compared_but_for_times_and_where_it_came_from() -> None:
    left_out = {"id", "phase", "started_at", "ended_at", "alias", "extra"}
    assert {*TASK_FIELDS} == {*Task.__struct_fields__} - left_out
