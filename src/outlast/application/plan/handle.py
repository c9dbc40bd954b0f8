"""A handle on a plan: in whose name it acts, and the one way in which it changes the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from outlast.application.plan.queries import Questions
from outlast.domain import commands as c
from outlast.domain.limits import check_name, check_text, wrong_type
from outlast.domain.model import Lease
from outlast.formats.redact.fast import without_secrets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime
    from typing import Self

    from outlast.application.proof.prover import Prover
    from outlast.domain.changes import Commit
    from outlast.domain.model import Task
    from outlast.domain.state import PlanState
    from outlast.ports.check import NewChecker
    from outlast.ports.clock import Clock, NewId
    from outlast.ports.store import Notice, Store

T = TypeVar("T")


class Handle(Questions):
    """What shaping a plan, working on it and looking back at it have in common."""

    __slots__ = ("_checker", "_clock", "_fence", "_key", "_new_id")

    def __init__(  # noqa: PLR0913 - what a handle is made of
        self,
        store: Store,
        clock: Clock,
        new_id: NewId,
        actor: str = "human",
        *,
        fence: tuple[c.Fence, ...] = (),
        key: str = "",
        checker: NewChecker | None = None,
    ) -> None:
        """Hold the plan in a store; `outlast.create_plan` is the usual way to get one."""
        self.actor = check_name(actor, "actor")
        self._store = store
        self._clock = clock
        self._new_id = new_id
        self._fence = fence
        self._key = key
        self._checker = checker

    def acting_as(self, actor: str) -> Self:
        """Return a handle on the same plan that acts in another name."""
        return self._twin(actor, self._fence, self._key)

    def fenced(self, lease: Lease, key: str = "") -> Self:
        """Return a handle whose changes are refused once the claim is lost.

        With a key it makes one change only: asked for it again, it gives the same answer.
        """
        fence = (c.Fence(checked(lease).token, lease.task),)
        return self._twin(self.actor, fence, key)

    def _twin(self, actor: str, fence: tuple[c.Fence, ...], key: str) -> Self:
        """Return another handle on the same plan."""
        store, clock, new_id, checker = self._store, self._clock, self._new_id, self._checker
        return type(self)(store, clock, new_id, actor, fence=fence, key=key, checker=checker)

    def _prover(self) -> Prover | None:
        """Return who runs checks for this handle; None where nobody can.

        What is noted on the way is not the one change that a key stands for.
        """
        if self._checker is None:
            return None
        from outlast.application.proof.prover import Prover

        beside = self._twin(self.actor, self._fence, "") if self._key else self
        tokens = [fence.token for fence in self._fence]
        return Prover(beside, self._checker(), self._store.since, tokens)

    def close(self) -> None:
        """Let go of the plan; what was done is kept already."""
        self._store.close()

    def __enter__(self) -> Self:
        """Hold the plan open for a `with` block."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Let go of it."""
        self.close()

    @property
    def notices(self) -> list[Notice]:
        """What had to be mended since the plan was opened, as text keys with details."""
        return self._store.notices

    def subscribe(self, callback: Callable[[Commit], None]) -> Callable[[], None]:
        """Have every commit told to a function from now on; return what ends that."""
        return self._store.subscribe(callback)

    def now(self) -> datetime:
        """Return the time by the plan's clock."""
        return self._clock()

    def commit(
        self,
        commands: Sequence[c.Command],
        then: Callable[[PlanState, Commit], T],
        *,
        reason: str = "",
        key: str = "",
    ) -> T:
        """Carry commands out, all or none, and answer with what `then` makes of it; for loops."""
        return self._store.commit(
            (*self._fence, *commands),
            then,
            author=self.actor,
            now=self._clock(),
            reason=check_text(without_secrets(reason), "reason"),
            key=key or self._key,
        )

    def _do(
        self,
        command: c.Command,
        then: Callable[[PlanState, Commit], T],
        reason: str | None = None,
    ) -> T:
        why = "" if reason is None else check_text(without_secrets(reason), "reason")
        return self._store.commit(
            (*self._fence, command),
            then,
            author=self.actor,
            now=self._clock(),
            reason=why,
            key=self._key,
        )


def last_id(_state: PlanState, commit: Commit) -> int:
    """Return the id of the task that the last change of a commit is about."""
    last: Any = commit.changes[-1]
    return int(last.id)


def last_task(state: PlanState, commit: Commit) -> Task:
    """Return the task that the last change of a commit is about."""
    last: Any = commit.changes[-1]
    return state.tasks[last.id]


def checked(lease: Lease) -> Lease:
    """Return what a caller gives for a lease, if it is one."""
    if not isinstance(lease, Lease):
        raise wrong_type("lease", "Lease", lease)
    return lease


def several(values: Iterable[T], argument: str) -> tuple[T, ...]:
    """Return several values as a tuple; a string is one value, not several."""
    if isinstance(values, str):
        raise wrong_type(argument, "array", values)
    try:
        return tuple(values)
    except TypeError as error:
        raise wrong_type(argument, "array", values) from error
