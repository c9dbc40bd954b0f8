"""`AsyncPlan`: `Plan` for asynchronous programs, made from `Plan` itself."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial, wraps
from inspect import isfunction
from typing import TYPE_CHECKING, Any, Final, ParamSpec, Self

from outlast.model.commands import TaskRef
from outlast.model.limits import wrong_type_error
from outlast.model.model import Lease
from outlast.plan.plan import Plan
from outlast.plan.plans import create_plan, open_plan
from outlast.store.heartbeat import Heartbeat
from outlast.system.threads import call_in_pool, call_in_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator


P = ParamSpec("P")
FACETS: Final = ("budget", "checks", "files", "history", "notes", "questions")
IMMEDIATE: Final = ("actor", "owns", "tools")  # these neither read nor write the plan
_MAY_RUN_CHECKS: Final = frozenset(("claim", "complete", "confirm", "handle", "run", "start"))
_TWINS: Final[dict[type, type[_AsyncTwin]]] = {}


class _AsyncTwin:
    """Holds an object whose methods are awaited."""

    __slots__ = ("_sync",)

    def __init__(self, sync: Any) -> None:  # noqa: ANN401 - of the class that the twin is made of
        self._sync = sync

    def __repr__(self) -> str:
        return f"<Async{repr(self._sync).removeprefix('<')}"


def _async_factory(make: Callable[P, Plan]) -> Callable[P, Coroutine[Any, Any, AsyncPlan]]:
    @wraps(make)
    async def make_off_loop(*positional: P.args, **named: P.kwargs) -> AsyncPlan:
        return AsyncPlan(await call_in_pool(partial(make, *positional, **named)))

    return make_off_loop


class AsyncPlan(_AsyncTwin):
    """`Plan` for asynchronous programs: its methods are awaited, and work off the event loop.

    `create` and `open` take what `create_plan` and `open_plan` take. Properties are awaited too:
    `await plan.status`. Cancelling a call ends the wait for it; what it has begun to do is done all
    the same. `plan` is the `Plan` behind it.
    """

    __slots__ = ()

    create = staticmethod(_async_factory(create_plan))
    open = staticmethod(_async_factory(open_plan))

    def __init__(self, plan: Plan) -> None:
        """Serve a plan; `AsyncPlan.create` and `AsyncPlan.open` are the usual ways to get one."""
        if not isinstance(plan, Plan):
            raise wrong_type_error("plan", "Plan", plan)
        super().__init__(plan)

    def __repr__(self) -> str:
        return f"<AsyncPlan as {self._sync.actor}>"  # without a read, which might wait

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await call_in_pool(self._sync.close)

    @property
    def plan(self) -> Plan:
        """The plan, for synchronous code."""
        plan: Plan = self._sync
        return plan

    def acting_as(self, actor: str, *, person: str = "") -> Self:
        """Return a handle on the same plan that acts for another actor, or a person by name."""
        return type(self)(self._sync.acting_as(actor, person=person))

    def with_lease(self, lease: Lease, key: str = "") -> Self:
        """Return a handle whose changes raise `ClaimLost` once the lease is lost."""
        return type(self)(self._sync.with_lease(lease, key))

    async def as_of(self, revision: int) -> Self:
        """Return a read-only handle on the plan as it was at a revision."""
        return type(self)(await call_in_pool(partial(self._sync.as_of, revision)))

    @asynccontextmanager
    async def claim_with_heartbeat(
        self, task: TaskRef | None = None, seconds: int = 60
    ) -> AsyncIterator[Heartbeat]:
        """Claim a task, and renew the lease from a thread until the `async with` block ends."""
        lease = await call_in_thread(partial(self.plan.claim, task, seconds))
        heartbeat = Heartbeat(self.plan.core, lease, seconds)  # not before: a cancelled claim ends
        try:
            yield heartbeat
        except BaseException as error:
            await call_in_pool(partial(heartbeat.__exit__, type(error), error, None))
            raise
        await call_in_pool(partial(heartbeat.__exit__, None, None, None))


def _facet_twin(kind: type) -> type[_AsyncTwin]:
    """Return the asynchronous twin of a class of verbs, such as `PlanChecks`."""
    if kind not in _TWINS:
        members = {"__slots__": (), "__doc__": kind.__doc__, **dict(_async_members(kind))}
        _TWINS[kind] = type(f"Async{kind.__name__}", (_AsyncTwin,), members)
    return _TWINS[kind]


def _async_members(kind: type) -> Iterator[tuple[str, Any]]:
    for name, member in vars(kind).items():
        if name.startswith("_"):
            continue
        if isfunction(member):
            yield name, _async_method(member)
        elif isinstance(member, property) and member.fget is not None:
            yield name, property(_async_method(member.fget), doc=member.__doc__)


def _async_method(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that calls another one off the event loop."""
    call = call_in_thread if method.__name__ in _MAY_RUN_CHECKS else call_in_pool

    @wraps(method)
    async def call_off_loop(self: _AsyncTwin, /, *positional: object, **named: object) -> object:
        return await call(partial(method, self._sync, *positional, **named))

    return call_off_loop


def _immediate(name: str) -> Any:  # noqa: ANN401 - a property or a method
    member = vars(Plan)[name]
    if isinstance(member, property):
        return property(lambda self: getattr(self.plan, name), doc=member.__doc__)

    @wraps(member)
    def call(self: AsyncPlan, /, *positional: object, **named: object) -> object:
        return member(self.plan, *positional, **named)

    return call


def _facet(name: str) -> property:
    def facet(self: AsyncPlan) -> Any:  # noqa: ANN401 - the stub names its type
        sync: object = getattr(self.plan, name)
        return _facet_twin(type(sync))(sync)

    return property(facet, doc=vars(Plan)[name].__doc__)


for _name, _member in _async_members(Plan):
    if _name in FACETS:
        setattr(AsyncPlan, _name, _facet(_name))
    elif _name in IMMEDIATE:
        setattr(AsyncPlan, _name, _immediate(_name))
    elif _name not in vars(AsyncPlan):
        setattr(AsyncPlan, _name, _member)
