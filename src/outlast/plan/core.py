"""`PlanCore`: the store of a plan with the actor, clock and lease that its changes are made under.

Our own code changes plans through it; `Plan` puts the public verbs on top.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar, cast

from msgspec.structs import replace

from outlast.errors import InvalidArgument, ProofNeeded, StoreError
from outlast.model import commands as c
from outlast.model.changes import Commit, PhaseAdded, TaskAdded, TaskStarted
from outlast.model.commands import Command, Complete, EditTask, RemoveTask, TaskRef
from outlast.model.decide.tasks import RULES
from outlast.model.limits import check_actor, check_name, check_ref, check_text, wrong_type_error
from outlast.model.model import PERSON, PLAN, Check, Lease, Phase, Task
from outlast.redact.structs import redact_commands
from outlast.redact.text_fields import redact_text
from outlast.store.port import Request, Store, Views

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from concurrent.futures import Future
    from datetime import datetime

    from outlast.model.execute import Attempt, Compose
    from outlast.model.model import ProcessState
    from outlast.model.state import PlanState
    from outlast.proof.checks.checker import CheckerFactory
    from outlast.proof.prover import Prover
    from outlast.store.heartbeat import Heartbeat
    from outlast.system.clock import Clock, NewId

T = TypeVar("T")
_STARTS: Final = (c.Start, c.Claim)


def holder_state(process: str) -> ProcessState:
    """Return what has become of the process of a lease, as far as this machine knows."""
    if not process:
        return "unknown"
    from outlast.system.process_identity import holder_state

    return holder_state(process)


class Facet:
    """Verbs of a plan on one subject."""

    __slots__ = ("_core",)

    def __init__(self, core: PlanCore) -> None:
        self._core = core

    def __repr__(self) -> str:
        return f"<{type(self).__name__} as {self._core.actor}>"  # without a read, which might fail


class PlanCore:
    """One plan for one actor: reads, and commits that carry the fence and the key."""

    __slots__ = ("actor", "checker", "clock", "fence", "key", "new_id", "person", "store")

    def __init__(  # noqa: PLR0913 - what a core is made of
        self,
        store: Store,
        clock: Clock,
        new_id: NewId,
        actor: str = "agent",
        *,
        fence: tuple[c.Fence, ...] = (),
        key: str = "",
        checker: CheckerFactory | None = None,
        person: str = "",
    ) -> None:
        """Serve the plan in a store; without a `checker` no checks can be run.

        `person` is the name that commits of a person are recorded with.
        """
        self.actor = check_actor(actor)
        self.store = store
        self.clock = clock
        self.new_id = new_id
        self.fence = fence
        self.key = key
        self.checker = checker
        self.person = person and check_name(person, "person")

    def acting_as(self, actor: str, person: str = "") -> Self:
        """Return a core of the same plan for another actor, and perhaps another person."""
        return self._copy(actor, self.fence, self.key, person or self.person)

    def with_lease(self, lease: Lease, key: str = "") -> Self:
        """Return a core whose commits raise `ClaimLost` once the lease is lost.

        With a key it makes one commit only, and repeats the answer if it is called again.
        """
        fence = (c.Fence(check_lease(lease).token, lease.task),)
        return self._copy(self.actor, fence, key, self.person)

    def with_key(self, key: str) -> Self:
        """Return a core that makes one commit, and repeats its answer if it is called again."""
        return self._copy(self.actor, self.fence, key, self.person)

    def _copy(self, actor: str, fence: tuple[c.Fence, ...], key: str, person: str) -> Self:
        return type(self)(
            self.store,
            self.clock,
            self.new_id,
            actor,
            fence=fence,
            key=key,
            checker=self.checker,
            person=person,
        )

    @property
    def views(self) -> Views | None:
        """The files that people edit; None for a store without any."""
        views: Views | None = getattr(self.store, "views", None)
        return views

    def require_person(self, argument: str) -> None:
        """Refuse what only a person may do, if an agent acts or runs this process."""
        if self.actor != PERSON:
            raise InvalidArgument("only_a_person", argument=argument, person=PERSON)
        from outlast.system.caller import refuse_person_inside_agent

        refuse_person_inside_agent(argument)

    def now(self) -> datetime:
        """Return the time by the plan's clock."""
        return self.clock()

    def read(self, question: Callable[[PlanState], T]) -> T:
        """Call a function with the whole state while no change can happen."""
        return self.store.read(question)

    def commit(
        self,
        commands: Sequence[c.Command],
        then: Callable[[PlanState, Commit], T],
        *,
        reason: str | None = None,
        key: str = "",
    ) -> T:
        """Decide and save commands, all or none; return what `then` makes of the result."""
        return self.store.commit(self._request(commands, reason, key), then)

    def submit(
        self,
        commands: Sequence[c.Command],
        then: Callable[[PlanState, Commit], T],
        *,
        reason: str | None = None,
        key: str = "",
    ) -> Future[T]:
        """Queue a commit; without commands, queue a read of the newest state."""
        return self.store.submit(self._request(commands, reason, key), then)

    def commit_with_checks(
        self,
        commands: Sequence[c.Command],
        then: Callable[[PlanState, Commit], T],
        *,
        reason: str | None = None,
        key: str = "",
    ) -> T:
        """Commit commands of which the last one may complete or start a task.

        The checks of a task that it completes have to pass; those of a task that it starts are run
        as the baseline.
        """
        request, last = self._request(commands, reason, key), commands[-1]
        if type(last) in _STARTS:
            return self._commit_start(request, then)
        try:
            return self.store.commit(request, then)
        except ProofNeeded as error:
            prover = self.prover() if type(error) is ProofNeeded else None
            if prover is None or not isinstance(last, c.Complete):
                raise
        before = commands[:-1]
        return prover.complete(
            last, lambda proved: self.commit((*before, proved), then, reason=reason, key=key)
        )

    def commit_composed(
        self, compose: Compose, then: Callable[[PlanState, Commit], T], *, reason: str | None = None
    ) -> T:
        """Save what `compose` makes of the newest state, as one commit.

        The checks of the tasks that it starts are run afterwards, as their baseline.
        """
        started: list[int] = []

        def compose_redacted(state: PlanState, attempt: Attempt) -> None:
            compose(state, lambda commands: attempt(redact_commands(commands)))

        def note_started(state: PlanState, commit: Commit) -> T:
            started.extend(
                change.id
                for change in commit.changes
                if isinstance(change, TaskStarted)
                and change.id in state.checked_tasks
                and state.tasks[change.id].status == "in_progress"
            )
            return then(state, commit)

        request = replace(self._request((), reason, ""), compose=compose_redacted)
        answer = self.store.commit(request, note_started)
        for task in started:
            self._record_baseline(task, None)
        return answer

    def prove(self, command: c.Complete) -> c.Complete:
        """Run the checks of a task; return its completion with the proof, or raise why not."""
        prover = self.prover()
        if prover is None:
            return command
        from outlast.model.decide.proof import prove

        def require_proof(proved: c.Command) -> c.Complete:
            completion = cast("c.Complete", proved)
            self.read(lambda state: prove(state, completion, state.task(completion.task)))
            return completion

        return prover.complete(command, require_proof)

    def _commit_start(self, request: Request, then: Callable[[PlanState, Commit], T]) -> T:
        checked: tuple[int, int | None] | None = None

        def note_checks(state: PlanState, commit: Commit) -> T:
            nonlocal checked
            if state.checked_tasks:
                checked = _checked_start(state, commit)
            return then(state, commit)

        answer = self.store.commit(request, note_checks)
        if checked is not None:
            self._record_baseline(*checked)
        return answer

    def _record_baseline(self, task: int, token: int | None) -> None:
        """Record what the checks of a task show before the work on it begins."""
        with suppress(StoreError):  # the start is committed; the completion reports the problem
            prover = self.prover()
            if prover is not None:
                prover.record_baseline(task, token)

    def prover(self) -> Prover | None:
        """Return what runs checks for this actor; None where the plan has no checker.

        The prover commits without the key, which stands for one commit only.
        """
        if self.checker is None:
            return None
        from outlast.proof.prover import Prover

        keyless = self.with_key("") if self.key else self
        tokens = [fence.token for fence in self.fence]
        return Prover(keyless, self.checker(), self.store.history, tokens, self.views)

    def stop_checks(self) -> None:
        """Stop the checks that other threads are running on this plan."""
        if self.checker is not None:
            self.checker().stop()

    def claim_plan(self, seconds: int = 60) -> Heartbeat:
        """Claim the plan as its only runner and renew the lease until the block ends.

        The lease of a process that has ended on this machine is taken over at once, that of one
        that runs never.
        """
        from outlast.store.heartbeat import Heartbeat
        from outlast.system.process_identity import identify_process

        former = self.read(lambda state: state.ledger.leases.get(PLAN))
        held, state = (0, "") if former is None else (former.token, holder_state(former.process))
        ended, running = (held if state == name else 0 for name in ("ended", "running"))
        claim = c.ClaimPlan(self.actor, seconds, identify_process(), ended, running)
        return Heartbeat(self, self.commit((claim,), lease_of), seconds)

    def _request(self, commands: Sequence[c.Command], reason: str | None, key: str) -> Request:
        """Return the request for a commit, without the secrets in its texts.

        Inside an agent's environment nothing is committed as a person.
        """
        is_person = self.actor == PERSON
        if is_person:
            from outlast.system.caller import refuse_person_inside_agent

            refuse_person_inside_agent("actor")
        return Request(
            redact_commands((*self.fence, *commands) if self.fence else commands),
            self.actor,
            self.clock(),
            "" if reason is None else check_text(redact_text(reason), "reason"),
            key or self.key,
            self.person if is_person else "",
        )


def last_id(_state: PlanState, commit: Commit) -> int:
    """Return the id of the task that the last change of a commit is about."""
    last: Any = commit.changes[-1]
    return int(last.id)


def last_task(state: PlanState, commit: Commit) -> Task:
    """Return the task that the last change of a commit is about."""
    last: Any = commit.changes[-1]
    return state.tasks[last.id]


def lease_of(state: PlanState, commit: Commit) -> Lease:
    """Return the lease that the last change of a commit is about."""
    return state.ledger.leases[last_id(state, commit)]


def _checked_start(state: PlanState, commit: Commit) -> tuple[int, int | None] | None:
    """Return the task that a commit started, and the token of its lease, if it has checks."""
    task = last_id(state, commit)
    lease = state.ledger.leases.get(task)
    token = None if lease is None else lease.token
    return (task, token) if task in state.checked_tasks else None


def check_lease(lease: Lease) -> Lease:
    """Return the lease that a caller passed; raise `InvalidArgument` for anything else."""
    if not isinstance(lease, Lease):
        raise wrong_type_error("lease", "Lease", lease)
    return lease


def token_of(lease: Lease | None) -> int | None:
    """Return the fence token of a lease that a caller may pass."""
    return None if lease is None else check_lease(lease).token


def as_tuple(values: Iterable[T], argument: str) -> tuple[T, ...]:
    """Return an iterable as a tuple; a string is refused, since it is one value."""
    if isinstance(values, str):
        raise wrong_type_error(argument, "list", values)
    try:
        return tuple(values)
    except TypeError as error:
        raise wrong_type_error(argument, "list", values) from error


def edit_task(
    core: PlanCore, task: TaskRef, commands: Sequence[Command], *, reason: str | None = None
) -> Task:
    """Commit commands about one task together, all or none; record its checks if they change."""
    for command in commands:
        if isinstance(command, EditTask | RemoveTask):
            check_amend(core, amend=command.amend)
    before = core.read(lambda state: state.task(check_ref(task, "task")))
    if core.actor != PERSON and (before.checks or before.protect):
        _require_same_rules(core, before, commands)
    edited = core.commit(commands, lambda state, _: state.task(before.id), reason=reason)
    if (edited.commands, edited.protect) != (before.commands, before.protect):
        record_checks(core, (edited,), before.commands)
    return edited


def check_amend(core: PlanCore, *, amend: bool) -> None:
    """Refuse `amend` to anyone but a person."""
    if amend:
        core.require_person("amend")


def _require_same_rules(core: PlanCore, task: Task, commands: Sequence[Command]) -> None:
    """Refuse commands that change the checks or the protected files of a task."""
    for command in commands:
        if isinstance(command, EditTask):
            for field in RULES:
                if getattr(command, field) not in (None, getattr(task, field)):
                    core.require_person(field)


def record_checks(
    core: PlanCore, tasks: tuple[Task, ...], before: tuple[Check, ...] = ()
) -> tuple[Task, ...]:
    """Record protected files, and approve what a person lets run beside what was there `before`."""
    if any(task.checks or task.run or task.protect or before for task in tasks):
        checks = (check for task in tasks for check in task.commands)
        with suppress(StoreError):  # the change is committed; a later check reports the problem
            prover = core.prover()
            if prover is not None:
                prover.record_new_checks(tasks, [check for check in checks if check not in before])
    return tasks


def find_completed(core: PlanCore, command: Complete) -> Task | None:
    """Return the task if the reused key can stand for this very completion.

    That commit carried a proof, so that the same command cannot be made again.
    """
    task = core.read(lambda state: state.task(check_ref(command.task, "task")))
    is_proved = task.status == "completed" and task.how in ("proved", "unproved")
    return task if is_proved and task.result == redact_text(command.result) else None


def new_tasks_of(state: PlanState, commit: Commit) -> tuple[Task, ...]:
    """Return the tasks that a commit added."""
    return tuple(
        state.tasks[change.task.id] for change in commit.changes if isinstance(change, TaskAdded)
    )


def new_phase_of(_state: PlanState, commit: Commit) -> Phase:
    """Return the phase that a commit added."""
    return next(change.phase for change in commit.changes if isinstance(change, PhaseAdded))
