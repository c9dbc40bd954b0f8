"""Plans to begin with and commands to give them, drawn by Hypothesis."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from hypothesis import strategies as st

from outlast.domain import commands as c
from outlast.domain import note_commands as n
from outlast.domain.model import (
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
from tests.domain.loop_wishes import KINDS, loop_command

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.domain.state import PlanState

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
class Wish:
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


def _some(state: PlanState, wish: Wish) -> tuple[int, ...]:
    return tuple(_task(state, number) for number in (wish.y, wish.z)[: wish.z % 3])


def _phase(state: PlanState, number: int) -> str:
    phases = list(state.phases)
    return phases[number % len(phases)] if number < _UNKNOWN else "unknown"


def _behind(state: PlanState, wish: Wish) -> int | None:
    return None if wish.x % 2 else _task(state, wish.y)


def _add(state: PlanState, wish: Wish) -> c.Command:
    phase = _phase(state, wish.y) if wish.x == 1 else None
    new = c.NewTask(f"task {wish.x}", phase, _some(state, wish), kind="k" * (wish.x % 2))
    return c.AddTasks((new,), None if phase else _behind(state, wish))


def _add_several(state: PlanState, wish: Wish) -> c.Command:
    peers = ((), (1,), (2,), (1, 3), (3,))
    tasks = (
        c.NewTask("one", peers=peers[wish.x % 5], needs=_some(state, wish)),
        c.NewTask("two", peers=peers[wish.y % 5]),
        c.NewTask("three", peers=peers[wish.z % 3]),
    )
    return c.AddTasks(tasks, _behind(state, wish))


def _edit(state: PlanState, wish: Wish) -> c.Command:
    return c.EditTask(
        _task(state, wish.x),
        name=f"name {wish.y}" if wish.y % 2 else None,
        needs=_some(state, wish) if wish.y % 3 else None,
        reasoning="because" if wish.z == 1 else None,
        active_form="" if wish.z == 2 else None,
        checks=(Check("command", "true"),) * (wish.z % 2) if wish.z > 2 else None,
    )


def _move(state: PlanState, wish: Wish) -> c.Command:
    task = _task(state, wish.x)
    if wish.z % 2:
        return c.MoveTask(task, insert_after=_task(state, wish.y))
    return c.MoveTask(task, _phase(state, wish.y) if wish.y else None, first=wish.z % 4 == 2)


def _initialize(_state: PlanState, wish: Wish) -> c.Command:
    tasks = tuple(c.NewTask(name, peers=(1,) if name > "a" else ()) for name in "abc"[: wish.z % 4])
    return c.InitializePlan(f"plan_{wish.x}", f"New goal {wish.y}", tasks)


def _edit_plan(_state: PlanState, wish: Wish) -> c.Command:
    order = (None, "graph", "sequential")[wish.x % 3]
    return c.EditPlan(
        goal=f"Goal {wish.y}" if wish.y % 2 else None,
        title=f"Title {wish.z}" if wish.z % 2 else None,
        order="sequential" if order == "sequential" else "graph" if order else None,
    )


def _on_task(
    make: Callable[[int, Wish], c.Command], *statuses: str
) -> Callable[[PlanState, Wish], c.Command]:
    """Take mostly a task in one of these states, or any."""

    def made(state: PlanState, wish: Wish) -> c.Command:
        fitting = [task.id for task in state.in_order() if task.status in statuses]
        if fitting and wish.x % 4:
            return make(fitting[wish.x % len(fitting)], wish)
        return make(_task(state, wish.x), wish)

    return made


def _actor(wish: Wish) -> str:
    return ("agent", "bo")[wish.y % 2]


def _seconds(wish: Wish) -> int:
    return (1, 4, 30, 86_400)[wish.z % 4]


def _held(state: PlanState, wish: Wish) -> tuple[int, int]:
    """Return a claimed task with its token, or with another one."""
    leases = list(state.ledger.leases.values())
    if not leases or wish.x == _UNKNOWN:
        return _task(state, wish.x), wish.y
    lease = leases[wish.x % len(leases)]
    return lease.task, lease.token if wish.y % 5 else max(1, lease.token - 1)


def _on_held(
    make: Callable[[int, int, Wish], c.Command],
) -> Callable[[PlanState, Wish], c.Command]:
    def made(state: PlanState, wish: Wish) -> c.Command:
        return make(*_held(state, wish), wish)

    return made


def _begin(state: PlanState, wish: Wish) -> c.Command:
    if wish.z % 4 == 0:
        return c.BeginAttempt(None, "tool", "look")
    busy = state.in_progress()
    task = busy[wish.x % len(busy)] if busy else _task(state, wish.x)
    lease = state.ledger.leases.get(task)
    token = lease.token if lease and wish.y % 4 else None
    return c.BeginAttempt(task, "command", f"run {wish.y}", "d" * wish.z, token)


def _end(state: PlanState, wish: Wish) -> c.Command:
    attempts = list(state.ledger.attempts.values())
    if not attempts:
        return c.EndAttempt(f"{wish.x}#{wish.y}", "lost")
    attempt = attempts[wish.x % len(attempts)]
    lease = state.ledger.leases.get(attempt.task)
    token = lease.token if lease and wish.y % 4 else None
    return c.EndAttempt(attempt.id, "done" if wish.z % 2 else "failed", "check", "seen", token)


def _set_rules(state: PlanState, wish: Wish) -> c.Command:
    return c.EditTask(
        _task(state, wish.x),
        checks=(Check("person", "look"),) * (wish.y % 2),
        run="make" * (wish.z % 2),
        files=("src/**", "docs/*.md")[: wish.z % 3],
        protect=("tests/**",) * (wish.y % 3 == 1),
        amend=wish.x % 3 == 0,
    )


def _proof(state: PlanState, task: int, wish: Wish, *, good: bool = False) -> Proof:
    """Return a proof of a task's checks; a good one passes, on what the baseline says."""
    found, known = state.find(task), state.ledger.proofs.get(task)
    checks = found.checks if found else ()
    stage = "done" if good else STAGES[wish.y % 4]
    before = known.baseline.protected if known and known.baseline else "p"
    evidence = tuple(Evidence(check, good or wish.z % 3 > 0, "seen") for check in checks)
    return Proof(task, stage, moment(wish.z), evidence, before if good else "p" * (wish.z % 2))


def _prove(state: PlanState, wish: Wish) -> c.Command:
    guarded = [t.id for t in state.in_order() if (t.checks or t.protect) and not t.finished]
    task = guarded[wish.x % len(guarded)] if guarded else _task(state, wish.x)
    proof = _proof(state, task, wish, good=wish.z % 4 > 0)
    return c.Complete(task, PERSON, "proved", proof=proof, amend=wish.y % 2 > 0)


def _confirm(state: PlanState, wish: Wish) -> c.Command:
    asked = [(t.id, k) for t in state.in_order() for k in t.checks if k.kind == "person"]
    task, check = asked[wish.x % len(asked)] if asked else (wish.x, Check("person", "look"))
    return n.Confirm(task, check, PERSON if wish.y % 6 else "bo")


def _finding(state: PlanState, wish: Wish) -> int:
    known = list(state.notes.findings)
    return known[wish.x % len(known)] if known and wish.x % 5 else wish.x


def _edit_finding(state: PlanState, wish: Wish) -> c.Command:
    title = f"title {wish.y}" if wish.y % 2 else None
    category = CATEGORIES[wish.y % 5] if wish.y % 3 else None
    return n.EditFinding(_finding(state, wish), category, title, "content" if wish.y > 6 else None)


def _forget_errors(state: PlanState, wish: Wish) -> c.Command:
    keys = tuple(state.notes.errors)[: wish.x % 3]
    return n.ForgetErrors(None if wish.y % 3 == 0 else (*keys, "unknown"))


def _keep_prose(_state: PlanState, wish: Wish) -> c.Command:
    prose = tuple(Prose(f"task:{line}", ("a line",) * wish.y) for line in range(wish.x % 3))
    return n.KeepProse(prose)


def _note_finding(_state: PlanState, wish: Wish) -> c.Command:
    source = "source" * (wish.y % 2)
    return n.NoteFinding(CATEGORIES[wish.x % 5], f"found {wish.y}", "content", source, "bo")


def _note_error(_state: PlanState, wish: Wish) -> c.Command:
    message = f"{'line' if wish.y % 2 else 'row'} {wish.y}"
    return n.NoteError(f"tool {wish.x % 2}", message, count=wish.y % 3 + 1)


def _note(state: PlanState, wish: Wish) -> c.Command:
    return _KINDS_OF_NOTE[wish.z % len(_KINDS_OF_NOTE)](state, wish)


_KINDS_OF_NOTE: Final[tuple[Callable[[PlanState, Wish], c.Command], ...]] = (
    _note_finding,
    _note_error,
    _edit_finding,
    lambda state, wish: n.ForgetFinding(_finding(state, wish)),
    _forget_errors,
    lambda _, wish: n.Deliver("out " * (wish.x % 3)),
    _keep_prose,
)
_NOTES: Final[dict[str, Callable[[PlanState, Wish], c.Command]]] = {
    "set rules": _set_rules,
    "prove": _prove,
    "force": _on_task(
        lambda task, wish: c.Complete(task, PERSON, force=True, amend=wish.y % 2 > 0), "pending"
    ),
    "amend": _on_task(lambda task, _: c.EditTask(task, name="amended", amend=True)),
    "remove amending": _on_task(lambda task, _: c.RemoveTask(task, amend=True)),
    "note proof": lambda state, wish: n.NoteProof(_proof(state, _task(state, wish.x), wish)),
    "confirm": _confirm,
    "mark phase": lambda state, wish: n.MarkPhase(
        _phase(state, wish.x), PHASE_STATUSES[wish.y % 4] if wish.z % 3 else None
    ),
    "note": _note,
    "loop": lambda state, wish: loop_command(state, wish.z, wish.x, wish.y),
    "more loop": lambda state, wish: loop_command(state, wish.z + _UNKNOWN, wish.x, wish.y),
}
COMMANDS: Final[dict[str, Callable[[PlanState, Wish], c.Command]]] = {
    "add": _add,
    "add several": _add_several,
    "edit": _edit,
    "move": _move,
    "remove": _on_task(lambda task, _: c.RemoveTask(task), "pending"),
    "start next": lambda _, wish: c.Start(_actor(wish)),
    "start": _on_task(lambda task, wish: c.Start(_actor(wish), task), "pending"),
    "complete": _on_task(lambda task, wish: c.Complete(task, _actor(wish), "done"), "in_progress"),
    "assume": _on_task(lambda task, wish: c.Complete(task, _actor(wish), None, "assumed")),
    "fail": _on_task(
        lambda task, wish: c.Fail(task, _actor(wish), "broke", wish.z % 3 > 0), "in_progress"
    ),
    "skip": _on_task(lambda task, wish: c.Skip(task, "" if wish.z % 2 else "no need")),
    "reopen": _on_task(lambda task, _: c.Reopen(task), "completed", "failed", "skipped"),
    "progress": _on_task(lambda task, wish: c.SetProgress(task, wish.y % 3, 2)),
    "return": _on_task(lambda task, _: c.Return(task, "no time"), "in_progress"),
    "claim next": lambda _, wish: c.Claim(_actor(wish), None, _seconds(wish)),
    "claim": _on_task(
        lambda task, wish: c.Claim(_actor(wish), task, _seconds(wish)), "pending", "in_progress"
    ),
    "claim plan": lambda _, wish: c.ClaimPlan(_actor(wish), _seconds(wish)),
    "fence": _on_held(lambda task, token, _: c.Fence(token, task)),
    "renew": _on_held(lambda task, token, wish: c.Renew(task, token, _seconds(wish))),
    "release": _on_held(lambda task, token, _: c.Release(task, token)),
    "complete held": _on_held(
        lambda task, token, wish: c.Complete(task, _actor(wish), "done", token=token)
    ),
    "fail held": _on_held(lambda task, token, _: c.Fail(task, "bo", "broke", token=token)),
    "progress held": _on_held(lambda task, token, _: c.SetProgress(task, 1, 3, token)),
    "return held": _on_held(lambda task, token, _: c.Return(task, token=token)),
    "begin attempt": _begin,
    "end attempt": _end,
    "undo nothing": lambda state, wish: c.Undo(wish.x, state.revision - wish.y % 2, ()),
    "pause": lambda _, __: c.Pause(),
    "resume": lambda _, __: c.Resume(),
    "abort": lambda _, __: c.Abort(),
    "reset": lambda _, __: c.Reset(),
    "count": lambda _, __: c.CountIteration(),
    "edit plan": _edit_plan,
    "initialize": _initialize,
    "add phase": lambda state, wish: c.AddPhase(
        f"Phase {wish.x % 3}", "", _phase(state, wish.y) if wish.z % 2 else None
    ),
    "edit phase": lambda state, wish: c.EditPhase(
        _phase(state, wish.x), f"Title {wish.y}", "notes" if wish.z % 2 else None
    ),
    "move phase": lambda state, wish: c.MovePhase(
        _phase(state, wish.x), _phase(state, wish.y) if wish.z % 2 else None
    ),
    "remove phase": lambda state, wish: c.RemovePhase(_phase(state, wish.x)),
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
    *(Wish("begin attempt"), Wish("end attempt"), Wish("claim plan", z=2)),
    *(Wish("renew", y=1, z=3), Wish("release", y=1)),
    *(Wish("note", 1, 1, kind) for kind in (0, 2, 3, 1, 4, 5, 6)),
    *(Wish("mark phase", y=1, z=1), Wish("confirm", y=1), Wish("prove", y=1, z=1)),
    *(Wish("loop", x, 1, kind) for kind in range(KINDS) for x in (1, 2)),
    *(Wish("move phase", 1, z=0), Wish("remove phase", 2), Wish("remove amending", 5)),
)
wishes: Final = st.builds(Wish, _kinds, _numbers, _numbers, _numbers)
