"""The indexes of a plan, recomputed from its tasks; and a plan as a value to compare."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from outlast.model.budget import NO_LIMIT, NOTHING, cap_spend
from outlast.model.layers import compute_layers
from outlast.model.ledger import strike_key

if TYPE_CHECKING:
    from outlast.model.model import Task
    from outlast.model.state import PlanState

FINISHED = ("completed", "skipped")


def assert_indexes(state: PlanState) -> None:
    """Every index says what a walk over the tasks says."""
    tasks, graph = state.tasks, state.graph
    order = graph.order
    open_tasks = [task for task in order if tasks[task].status not in FINISHED]
    pending = {task for task in order if tasks[task].status == "pending"}
    unmet = {task: n for task in order if (n := len(_unmet(state, tasks[task])))}
    assert sorted(order) == sorted(tasks)
    assert graph.unmet == unmet
    assert graph.ready == pending - unmet.keys()
    assert graph.first_unfinished(tasks) == (open_tasks[0] if open_tasks else None)
    assert graph.holes == {task for task in order[: graph.frontier] if task in open_tasks}
    assert _as_sets(graph.dependents) == _dependents(state)
    assert sum(map(len, graph.dependents.values())) == sum(
        len(task.needs) for task in tasks.values()
    )
    assert graph.first_ready() == next((task for task in order if task in graph.ready), None)
    assert state.counts == {
        status: sum(task.status == status for task in tasks.values()) for status in state.counts
    }
    assert _as_sets(state.tasks_by_actor) == _busy(state)
    assert state.checked_tasks == {
        task.id for task in tasks.values() if task.checks or task.protect
    }
    ends = {(task.ended_at or state.created_at, task.id): task.status for task in tasks.values()}
    done = [end for end in sorted(ends) if ends[end] == "completed"]
    assert state.last_completed() == (done[-1][1] if done else None)
    assert state.aliases == {task.alias: task.id for task in tasks.values() if task.alias}
    assert all(task == value.id for task, value in tasks.items())
    assert state.next_id > max(tasks, default=0)
    assert_order(state)
    assert_ledger(state)
    assert_notes(state)
    assert_counters(state)


def assert_counters(state: PlanState) -> None:
    """Counts are of tasks in progress, no part costs more than all, and numbers stand in order."""
    books, talk = state.ledger.counters, state.ledger.conversation
    assert books.iterations.keys() <= {*state.tasks_in_progress()}
    assert not books.pause_reason or state.hold == "paused"
    assert NOTHING not in books.spent.values()
    assert NO_LIMIT not in books.budgets.values()
    whole_cost = books.spent.get(0, NOTHING)
    assert all(cap_spend(cost, whole_cost) == cost for cost in books.spent.values())
    assert cap_spend(books.planning, whole_cost) == books.planning
    assert all(number == question.id for number, question in talk.questions.items())
    assert [*talk.questions] == sorted(talk.questions)
    assert all(0 < number <= talk.last_question for number in talk.questions)
    said = [one.id for one in talk.interjections]
    assert said == sorted({*said})
    assert all(0 < number <= talk.last_interjection for number in said)
    assert all(state.ledger.strikes.values())


def assert_notes(state: PlanState) -> None:
    """Marks are on phases that there are, and nothing is numbered above its counter."""
    ledger, notes = state.ledger, state.notes
    assert ledger.phase_marks.keys() <= state.phases.keys()
    for task, known in ledger.proofs.items():
        assert 0 < task < state.next_id
        assert all(proof.task == task for proof in (known.baseline, known.latest) if proof)
        assert known.baseline is None or known.baseline.stage in ("set", "before")
        assert known.latest is None or known.latest.stage in ("done", "later")
        assert all(given.check.kind == "person" for given in known.confirmed)
    assert all(number == finding.id for number, finding in notes.findings.items())
    assert all(number <= notes.last_finding for number in notes.findings)
    numbers = [error.id for error in notes.errors.values()]
    assert len({*numbers}) == len(numbers)
    assert all(0 < number <= notes.last_error for number in numbers)
    assert all(key == strike_key(one.tool, one.message) for key, one in notes.errors.items())


def assert_ledger(state: PlanState) -> None:
    """A lease is on the plan (0) or on a task its holder has in progress; nothing counts twice."""
    ledger = state.ledger
    for task, lease in ledger.leases.items():
        assert lease.task == task
        if task:
            assert state.tasks[task].status == "in_progress"
            assert state.tasks[task].actor == lease.holder
    for task, done in ledger.done.items():
        assert state.tasks[task].status == "in_progress"
        assert 0 < len(done) <= 5
    tokens = [lease.token for lease in ledger.leases.values()]
    assert len({*tokens}) == len(tokens)
    assert all(0 < token <= ledger.last_token for token in tokens)
    numbers = [int(attempt.partition("#")[2]) for attempt in ledger.attempts]
    assert len({*numbers}) == len(numbers)
    assert all(0 < number <= ledger.attempts_begun for number in numbers)
    for key, attempt in ledger.attempts.items():
        assert key == attempt.id
        assert key.startswith(f"{attempt.task}#")


def assert_order(state: PlanState) -> None:
    """The list order follows the phases, and ranks and positions follow the list order."""
    graph, order = state.graph, state.graph.order
    ranks = [graph._ranks[task] for task in order]  # noqa: SLF001 - an index like the others
    assert len(graph._ranks) == len(order)  # noqa: SLF001
    assert ranks == sorted({*ranks})
    assert [graph.position(task) for task in order] == list(range(len(order)))
    places = [list(state.phases).index(state.tasks[task].phase) for task in order]
    assert places == sorted(places)
    assert state.phase_positions == {phase: place for place, phase in enumerate(state.phases)}
    assert all(phase == value.id for phase, value in state.phases.items())


def assert_layers(state: PlanState) -> None:
    """The cached view of the dependencies is that of the plan as it stands."""
    made = compute_layers(state)
    if state.order == "sequential":
        assert made.groups == tuple((task,) for task in state.graph.order)
        return
    level: dict[int, int] = {}
    while len(level) < len(state.tasks):
        for task in state.tasks_in_order():
            if all(d in level for d in task.needs):
                level[task.id] = 1 + max((level[d] for d in task.needs), default=-1)
    depth = 1 + max(level.values(), default=-1)
    assert made.groups == tuple(
        tuple(task for task in state.graph.order if level[task] == at) for at in range(depth)
    )
    path = made.critical_path
    assert [level[task] for task in path] == list(range(depth))
    assert all(path[at] in state.tasks[path[at + 1]].needs for at in range(depth - 1))


def snapshot(state: PlanState) -> dict[str, Any]:
    """Return all that an undo restores, indexes too: no counters, no facts."""
    graph = state.graph
    not_given_back = ("next_id", "revision", "updated_at", "ledger", "notes", "undo_log")
    left_out = (
        "graph",
        "checked_tasks",
        "layers",
        "last_completed_id",
        "tasks_by_actor",
        "tasks",
        "phases",
        *not_given_back,
    )
    return {
        **{name: _copy(getattr(state, name)) for name in state.__slots__ if name not in left_out},
        "tasks_by_actor": _as_sets(state.tasks_by_actor),
        "guarded": frozenset(state.checked_tasks),
        "completed last": state.last_completed(),
        "tasks": dict(state.tasks),
        "phases": list(state.phases.values()),
        "list order": tuple(graph.order),
        "dependents": _as_sets(graph.dependents),
        "unmet": dict(graph.unmet),
        "ready": frozenset(graph.ready),
        "first_open": graph.first_unfinished(state.tasks),
        "first ready": graph.first_ready(),
        "status": state.status,
        "executable": state.ready_tasks(),
    }


def encode_all(state: PlanState) -> dict[str, Any]:
    """Return a snapshot with what it leaves out."""
    return snapshot(state) | {
        "next_id": state.next_id,
        "revision": state.revision,
        "updated_at": state.updated_at,
        "ledger": deepcopy(state.ledger),
        "notes": deepcopy(state.notes),
    }


def _copy(value: object) -> object:
    return dict(value) if isinstance(value, dict) else value


def _as_sets(lists: dict[Any, list[int]]) -> dict[Any, frozenset[int]]:
    return {key: frozenset(values) for key, values in lists.items()}


def _unmet(state: PlanState, task: Task) -> list[int]:
    return [d for d in task.needs if state.tasks[d].status not in FINISHED]


def _dependents(state: PlanState) -> dict[int, frozenset[int]]:
    found = {
        task: frozenset(o.id for o in state.tasks.values() if task in o.needs)
        for task in state.tasks
    }
    return {task: dependents for task, dependents in found.items() if dependents}


def _busy(state: PlanState) -> dict[str, frozenset[int]]:
    own: dict[str, set[int]] = {}
    for task in state.tasks.values():
        if task.status == "in_progress":
            own.setdefault(task.actor, set()).add(task.id)
    return {actor: frozenset(tasks) for actor, tasks in own.items()}
