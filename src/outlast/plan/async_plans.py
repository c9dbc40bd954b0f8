"""`AsyncPlan` with ways to create and open a plan off the event loop."""

from __future__ import annotations

from functools import partial, wraps
from typing import TYPE_CHECKING, Any, ParamSpec

from outlast.plan import async_plan
from outlast.plan.plans import create_plan, open_plan
from outlast.system.threads import call_in_pool

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from outlast.plan.plan import Plan

P = ParamSpec("P")


def _async_factory(make: Callable[P, Plan]) -> Callable[P, Coroutine[Any, Any, AsyncPlan]]:
    @wraps(make)
    async def make_off_loop(*positional: P.args, **named: P.kwargs) -> AsyncPlan:
        return AsyncPlan(await call_in_pool(partial(make, *positional, **named)))

    return make_off_loop


class AsyncPlan(async_plan.AsyncPlan):
    """`Plan` for asynchronous programs.

    `create` and `open` take what `create_plan` and `open_plan` take.
    """

    __slots__ = ()

    create = staticmethod(_async_factory(create_plan))
    open = staticmethod(_async_factory(open_plan))
