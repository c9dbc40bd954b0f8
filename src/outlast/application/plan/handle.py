"""The base of `Plan`: actor, fence and store, and `commit`, the one way to change a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from outlast.application.plan.queries import PlanQueries
from outlast.domain import commands as c
from outlast.domain.limits import check_name, check_text, wrong_type_error
from outlast.domain.model import Lease
from outlast.formats.redact.fast import redact_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime
    from typing import Self

    from outlast.application.proof.prover import Prover
    from outlast.domain.changes import Commit
    from outlast.domain.model import Task
    from outlast.domain.state import PlanState
    from outlast.ports.check import CheckerFactory
    from outlast.ports.clock import Clock, NewId
    from outlast.ports.store import Notice, Store

T = TypeVar("T")


class PlanHandle(PlanQueries):
    """What all verbs of a plan share: the store, the clock, the actor, and `commit`."""

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
        checker: CheckerFactory | None = None,
    ) -> None:
        """Wrap a store; `outlast.create_plan` is the usual way to get a handle."""
        self.actor = check_name(actor, "actor")
        self._store = store
        self._clock = clock
        self._new_id = new_id
        self._fence = fence
        self._key = key
        self._checker = checker

    def acting_as(self, actor: str) -> Self:
        """Return a handle on the same plan that acts for another actor."""
        return self._copy(actor, self._fence, self._key)

    def with_lease(self, lease: Lease, key: str = "") -> Self:
        """Return a handle whose changes raise `ClaimLost` once the lease is lost.

        With a key the handle makes one change only, and repeats the answer if it is called again.
        """
        fence = (c.Fence(check_lease(lease).token, lease.task),)
        return self._copy(self.actor, fence, key)

    def _copy(self, actor: str, fence: tuple[c.Fence, ...], key: str) -> Self:
        store, clock, new_id, checker = self._store, self._clock, self._new_id, self._checker
        return type(self)(store, clock, new_id, actor, fence=fence, key=key, checker=checker)

    def _prover(self) -> Prover | None:
        """Return what runs checks for this handle; None where the plan has no checker.

        The prover commits without the handle's key, which stands for one change only.
        """
        if self._checker is None:
            return None
        from outlast.application.proof.prover import Prover

        handle = self._copy(self.actor, self._fence, "") if self._key else self
        tokens = [fence.token for fence in self._fence]
        return Prover(handle, self._checker(), self._store.commits_since, tokens)

    def close(self) -> None:
        """Close the store; every change has been saved already."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    @property
    def notices(self) -> list[Notice]:
        """What was repaired or applied since the plan was opened, as text keys with details."""
        return self._store.notices

    def subscribe(self, callback: Callable[[Commit], None]) -> Callable[[], None]:
        """Call a function with every commit from now on; return a function that ends that."""
        return self._store.subscribe(callback)

    def now(self) -> datetime:
        """Return the time by the plan's clock."""
        return self._clock()

    def commit(
        self,
        commands: Sequence[c.Command],
        then: Callable[[PlanState, Commit], T],
        *,
        reason: str | None = None,
        key: str = "",
    ) -> T:
        """Decide and save commands, all or none; return what `then` makes of the result."""
        return self._store.commit(
            (*self._fence, *commands),
            then,
            author=self.actor,
            now=self._clock(),
            reason="" if reason is None else check_text(redact_text(reason), "reason"),
            key=key or self._key,
        )


def last_id(_state: PlanState, commit: Commit) -> int:
    """Return the id of the task that the last change of a commit is about."""
    last: Any = commit.changes[-1]
    return int(last.id)


def last_task(state: PlanState, commit: Commit) -> Task:
    """Return the task that the last change of a commit is about."""
    last: Any = commit.changes[-1]
    return state.tasks[last.id]


def check_lease(lease: Lease) -> Lease:
    """Return the lease that a caller passed; raise `InvalidArgument` for anything else."""
    if not isinstance(lease, Lease):
        raise wrong_type_error("lease", "Lease", lease)
    return lease


def as_tuple(values: Iterable[T], argument: str) -> tuple[T, ...]:
    """Return an iterable as a tuple; a string is refused, since it is one value."""
    if isinstance(values, str):
        raise wrong_type_error(argument, "array", values)
    try:
        return tuple(values)
    except TypeError as error:
        raise wrong_type_error(argument, "array", values) from error
