"""Hypothesis strategies: plans to start from, and commands for them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from hypothesis import strategies as st

from outlast.model import commands as c
from outlast.model.model import (
    CATEGORIES,
    MAIN,
    PERSON,
    PHASE_STATUSES,
    STAGES,
    Check,
    Evidence,
    Phase,
    Progress,
    Proof,
    Prose,
    Task,
)
from tests.model.loop_requests import KINDS, loop_command

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.model.state import PlanState

BEGINNING: Final = datetime(2024, 1, 1, tzinfo=UTC)


def moment(step: int) -> datetime:
    """Return a time of its own for every step."""
    return BEGINNING + timedelta(seconds=step, microseconds=step)


# --- plans to begin with ------------------------------------------------------------------------

_LATER: Final = (MAIN, Phase("build", "Build", "notes"), Phase("empty", "Empty"))
_TASKS: Final = (
    Task(3, "third", "build", (5,), actor="bo", status="in_progress", started_at=BEGINNING),
    Task(5, "fifth", status="completed", result="done", how="assumed", ended_at=BEGINNING),
    Task(1, "first", needs=(9,), checks=(Check("file", "x"),), extra='{"colour": "red"}'),
    Task(9, "ninth", "build", status="failed", error="broke", retry_count=3, alias="n"),
    Task(7, "seventh", "build", (3, 9), progress=Progress(1, 2), alias="step_70"),
    Task(8, "eighth", status="skipped", result="not needed", kind="test", active_form="Testing"),
    Task(6, "sixth", checks=(Check("person", "look"), Check("command", "true")), protect=("t/**",)),
)
_IN_SEQUENCE: Final = (
    Task(1, "first", status="completed", how="reported", actor="agent"),
    Task(2, "second", needs=(1,), status="in_progress", actor="agent"),
    Task(4, "fourth", "build", (2, 1)),
    Task(3, "third", "build"),
)
PLANS: Final = (
    c.CreatePlan("plan_a", "Goal"),
    c.CreatePlan("plan_b", "Goal", order="sequential"),
    c.CreatePlan("plan_c", "Goal\nin two lines", phases=_LATER, tasks=_TASKS, begun=True),
    c.CreatePlan("plan_d", "Goal", phases=_LATER, tasks=_TASKS, hold="paused", next_id=40),
    c.CreatePlan("plan_e", "Goal", key="k", order="sequential", phases=_LATER, tasks=_IN_SEQUENCE),
)

# --- commands -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Request:
    """A kind of command and three numbers that say which task, phase or text is meant."""

    kind: str
    x: int = 0
    y: int = 0
    z: int = 0

    def command(self, state: PlanState) -> c.Command:
        """Return the command that this is for a plan."""
        return COMMANDS[self.kind](state, self)


def _task(state: PlanState, number: int) -> int:
    order = state.graph.order
    return order[number % len(order)] if order and number < _UNKNOWN else number + 90


def _some(state: PlanState, request: Request) -> tuple[int, ...]:
    return tuple(_task(state, number) for number in (request.y, request.z)[: request.z % 3])


def _phase(state: PlanState, number: int) -> str:
    phases = list(state.phases)
    return phases[number % len(phases)] if number < _UNKNOWN else "unknown"


def _behind(state: PlanState, request: Request) -> int | None:
    return None if request.x % 2 else _task(state, request.y)


def _add(state: PlanState, request: Request) -> c.Command:
    phase = _phase(state, request.y) if request.x == 1 else None
    new = c.NewTask(f"task {request.x}", phase, _some(state, request), kind="k" * (request.x % 2))
    return c.AddTasks((new,), None if phase else _behind(state, request))


def _add_several(state: PlanState, request: Request) -> c.Command:
    peers = ((), (1,), (2,), (1, 3), (3,))
    tasks = (
        c.NewTask("one", peers=peers[request.x % 5], needs=_some(state, request)),
        c.NewTask("two", peers=peers[request.y % 5]),
        c.NewTask("three", peers=peers[request.z % 3]),
    )
    return c.AddTasks(tasks, _behind(state, request))


def _edit(state: PlanState, request: Request) -> c.Command:
    return c.EditTask(
        _task(state, request.x),
        name=f"name {request.y}" if request.y % 2 else None,
        needs=_some(state, request) if request.y % 3 else None,
        reasoning="because" if request.z == 1 else None,
        description="in\nlines" if request.z % 5 == 1 else None,
        active_form="" if request.z == 2 else None,
        checks=(Check("command", "true"),) * (request.z % 2) if request.z > 2 else None,
    )


def _move(state: PlanState, request: Request) -> c.Command:
    task = _task(state, request.x)
    if request.z % 2:
        return c.MoveTask(task, insert_after=_task(state, request.y))
    return c.MoveTask(
        task, _phase(state, request.y) if request.y else None, first=request.z % 4 == 2
    )


def _initialize(_state: PlanState, request: Request) -> c.Command:
    tasks = tuple(
        c.NewTask(name, peers=(1,) if name > "a" else ()) for name in "abc"[: request.z % 4]
    )
    return c.InitializePlan(f"plan_{request.x}", f"New goal {request.y}", tasks)


def _edit_plan(_state: PlanState, request: Request) -> c.Command:
    order = (None, "graph", "sequential")[request.x % 3]
    return c.EditPlan(
        goal=f"Goal {request.y}" if request.y % 2 else None,
        title=f"Title {request.z}" if request.z % 2 else None,
        order="sequential" if order == "sequential" else "graph" if order else None,
    )


def _on_task(
    make: Callable[[int, Request], c.Command], *statuses: str
) -> Callable[[PlanState, Request], c.Command]:
    """Take mostly a task in one of these states, or any."""

    def made(state: PlanState, request: Request) -> c.Command:
        fitting = [task.id for task in state.tasks_in_order() if task.status in statuses]
        if fitting and request.x % 4:
            return make(fitting[request.x % len(fitting)], request)
        return make(_task(state, request.x), request)

    return made


def _actor(request: Request) -> str:
    return ("agent", "bo")[request.y % 2]


def _seconds(request: Request) -> int:
    return (1, 4, 30, 86_400)[request.z % 4]


def _held(state: PlanState, request: Request) -> tuple[int, int]:
    """Return a claimed task with its token, or with another one."""
    leases = list(state.ledger.leases.values())
    if not leases or request.x == _UNKNOWN:
        return _task(state, request.x), request.y
    lease = leases[request.x % len(leases)]
    return lease.task, lease.token if request.y % 5 else max(1, lease.token - 1)


def _on_held(
    make: Callable[[int, int, Request], c.Command],
) -> Callable[[PlanState, Request], c.Command]:
    def made(state: PlanState, request: Request) -> c.Command:
        return make(*_held(state, request), request)

    return made


def _begin(state: PlanState, request: Request) -> c.Command:
    if request.z % 4 == 0:
        return c.BeginAttempt(None, "tool", "look")
    busy = state.tasks_in_progress()
    task = busy[request.x % len(busy)] if busy else _task(state, request.x)
    lease = state.ledger.leases.get(task)
    token = lease.token if lease and request.y % 4 else None
    return c.BeginAttempt(task, "command", f"run {request.y}", "d" * request.z, token)


def _end(state: PlanState, request: Request) -> c.Command:
    attempts = list(state.ledger.attempts.values())
    if not attempts:
        return c.EndAttempt(f"{request.x}#{request.y}", "lost")
    attempt = attempts[request.x % len(attempts)]
    lease = state.ledger.leases.get(attempt.task)
    token = lease.token if lease and request.y % 4 else None
    return c.EndAttempt(attempt.id, "done" if request.z % 2 else "failed", "check", "seen", token)


def _set_rules(state: PlanState, request: Request) -> c.Command:
    return c.EditTask(
        _task(state, request.x),
        checks=(Check("person", "look"),) * (request.y % 2),
        run="make" * (request.z % 2),
        files=("src/**", "docs/*.md")[: request.z % 3],
        protect=("tests/**",) * (request.y % 3 == 1),
        amend=request.x % 3 == 0,
    )


def _proof(state: PlanState, task: int, request: Request, *, good: bool = False) -> Proof:
    """Return a proof of a task's checks; a good one passes, on what the baseline says."""
    found, known = state.find(task), state.ledger.proofs.get(task)
    checks = found.checks if found else ()
    stage = "done" if good else STAGES[request.y % 4]
    before = known.baseline.protected if known and known.baseline else "p"
    evidence = tuple(Evidence(check, good or request.z % 3 > 0, "seen") for check in checks)
    return Proof(
        task, stage, moment(request.z), evidence, before if good else "p" * (request.z % 2)
    )


def _prove(state: PlanState, request: Request) -> c.Command:
    guarded = [t.id for t in state.tasks_in_order() if (t.checks or t.protect) and not t.finished]
    task = guarded[request.x % len(guarded)] if guarded else _task(state, request.x)
    proof = _proof(state, task, request, good=request.z % 4 > 0)
    return c.Complete(task, PERSON, "proved", proof=proof, amend=request.y % 2 > 0)


def _confirm(state: PlanState, request: Request) -> c.Command:
    asked = [(t.id, k) for t in state.tasks_in_order() for k in t.checks if k.kind == "person"]
    task, check = asked[request.x % len(asked)] if asked else (request.x, Check("person", "look"))
    return c.Confirm(task, check, PERSON if request.y % 6 else "bo")


def _finding(state: PlanState, request: Request) -> int:
    known = list(state.notes.findings)
    return known[request.x % len(known)] if known and request.x % 5 else request.x


def _edit_finding(state: PlanState, request: Request) -> c.Command:
    title = f"title {request.y}" if request.y % 2 else None
    category = CATEGORIES[request.y % 5] if request.y % 3 else None
    return c.EditFinding(
        _finding(state, request), category, title, "content" if request.y > 6 else None
    )


def _forget_errors(state: PlanState, request: Request) -> c.Command:
    keys = tuple(state.notes.errors)[: request.x % 3]
    return c.ForgetErrors(None if request.y % 3 == 0 else (*keys, "unknown"))


def _keep_prose(_state: PlanState, request: Request) -> c.Command:
    prose = tuple(Prose(f"task:{line}", ("a line",) * request.y) for line in range(request.x % 3))
    return c.KeepProse(prose)


def _note_finding(_state: PlanState, request: Request) -> c.Command:
    source = "source" * (request.y % 2)
    return c.NoteFinding(CATEGORIES[request.x % 5], f"found {request.y}", "content", source, "bo")


def _note_error(_state: PlanState, request: Request) -> c.Command:
    message = f"{'line' if request.y % 2 else 'row'} {request.y}"
    return c.NoteError(f"tool {request.x % 2}", message, count=request.y % 3 + 1)


def _note(state: PlanState, request: Request) -> c.Command:
    return _KINDS_OF_NOTE[request.z % len(_KINDS_OF_NOTE)](state, request)


_KINDS_OF_NOTE: Final[tuple[Callable[[PlanState, Request], c.Command], ...]] = (
    _note_finding,
    _note_error,
    _edit_finding,
    lambda state, request: c.ForgetFinding(_finding(state, request)),
    _forget_errors,
    lambda _, request: c.Deliver("out " * (request.x % 3), answer=request.x % 2 == 1),
    _keep_prose,
)
_NOTES: Final[dict[str, Callable[[PlanState, Request], c.Command]]] = {
    "set rules": _set_rules,
    "prove": _prove,
    "force": _on_task(
        lambda task, request: c.Complete(task, PERSON, force=True, amend=request.y % 2 > 0),
        "pending",
    ),
    "amend": _on_task(lambda task, _: c.EditTask(task, name="amended", amend=True)),
    "remove amending": _on_task(lambda task, _: c.RemoveTask(task, amend=True)),
    "note proof": lambda state, request: c.NoteProof(
        _proof(state, _task(state, request.x), request)
    ),
    "confirm": _confirm,
    "mark phase": lambda state, request: c.MarkPhase(
        _phase(state, request.x), PHASE_STATUSES[request.y % 4] if request.z % 3 else None
    ),
    "note": _note,
    "loop": lambda state, request: loop_command(state, request.z, request.x, request.y),
    "more loop": lambda state, request: loop_command(
        state, request.z + _UNKNOWN, request.x, request.y
    ),
}
COMMANDS: Final[dict[str, Callable[[PlanState, Request], c.Command]]] = {
    "add": _add,
    "add several": _add_several,
    "edit": _edit,
    "move": _move,
    "remove": _on_task(lambda task, _: c.RemoveTask(task), "pending"),
    "start next": lambda _, request: c.Start(_actor(request)),
    "start": _on_task(lambda task, request: c.Start(_actor(request), task), "pending"),
    "complete": _on_task(
        lambda task, request: c.Complete(task, _actor(request), "done"), "in_progress"
    ),
    "confirm assumed": _on_task(
        lambda task, request: c.Complete(task, _actor(request), "sure" if request.z % 2 else None),
        "completed",
    ),
    "assume": _on_task(lambda task, request: c.Complete(task, _actor(request), None, "assumed")),
    "fail": _on_task(
        lambda task, request: c.Fail(task, _actor(request), "broke", request.z % 3 > 0),
        "in_progress",
    ),
    "skip": _on_task(lambda task, request: c.Skip(task, "" if request.z % 2 else "no need")),
    "reopen": _on_task(lambda task, _: c.Reopen(task), "completed", "failed", "skipped"),
    "progress": _on_task(lambda task, request: c.SetProgress(task, request.y % 3, 2)),
    "return": _on_task(lambda task, _: c.Return(task, "no time"), "in_progress"),
    "claim next": lambda _, request: c.Claim(_actor(request), None, _seconds(request)),
    "claim": _on_task(
        lambda task, request: c.Claim(_actor(request), task, _seconds(request)),
        "pending",
        "in_progress",
    ),
    "claim plan": lambda _, request: c.ClaimPlan(_actor(request), _seconds(request)),
    "fence": _on_held(lambda task, token, _: c.Fence(token, task)),
    "renew": _on_held(lambda task, token, request: c.Renew(task, token, _seconds(request))),
    "release": _on_held(lambda task, token, _: c.Release(task, token)),
    "complete held": _on_held(
        lambda task, token, request: c.Complete(task, _actor(request), "done", token=token)
    ),
    "fail held": _on_held(lambda task, token, _: c.Fail(task, "bo", "broke", token=token)),
    "progress held": _on_held(lambda task, token, _: c.SetProgress(task, 1, 3, token)),
    "return held": _on_held(lambda task, token, _: c.Return(task, token=token)),
    "begin attempt": _begin,
    "end attempt": _end,
    "undo nothing": lambda state, request: c.Undo(request.x, state.revision - request.y % 2, ()),
    "pause": lambda _, __: c.Pause(),
    "resume": lambda _, __: c.Resume(),
    "abort": lambda _, __: c.Abort(),
    "reset": lambda _, __: c.Reset(),
    "count": lambda _, __: c.CountIteration(),
    "edit plan": _edit_plan,
    "initialize": _initialize,
    "add phase": lambda state, request: c.AddPhase(
        f"Phase {request.x % 3}", "", _phase(state, request.y) if request.z % 2 else None
    ),
    "edit phase": lambda state, request: c.EditPhase(
        _phase(state, request.x), f"Title {request.y}", "notes" if request.z % 2 else None
    ),
    "move phase": lambda state, request: c.MovePhase(
        _phase(state, request.x), _phase(state, request.y) if request.z % 2 else None
    ),
    "remove phase": lambda state, request: c.RemovePhase(_phase(state, request.x)),
    **_NOTES,
}

_UNKNOWN: Final = 11
_numbers: Final = st.integers(0, _UNKNOWN)
plans: Final = st.sampled_from(PLANS)
_kinds: Final = st.sampled_from(
    [*COMMANDS, *["add", "start next", "fail", "complete", "reopen", "claim next", "resume"] * 2]
    + ["loop"] * 3
)
RARE: Final = (  # what chance seldom brings together
    Request("confirm assumed", 1),
    *(Request("begin attempt"), Request("end attempt"), Request("claim plan", z=2)),
    *(Request("renew", y=1, z=3), Request("release", y=1)),
    *(Request("note", 1, 1, kind) for kind in (0, 2, 3, 1, 4, 5, 6)),
    *(Request("mark phase", y=1, z=1), Request("confirm", y=1), Request("prove", y=1, z=1)),
    *(Request("loop", x, 1, kind) for kind in range(KINDS) for x in (1, 2)),
    *(Request("move phase", 1, z=0), Request("remove phase", 2), Request("remove amending", 5)),
)
requests: Final = st.builds(Request, _kinds, _numbers, _numbers, _numbers)
