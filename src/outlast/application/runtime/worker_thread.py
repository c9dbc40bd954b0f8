"""Let something be done to a plan in a thread, since it may run checks, which takes time."""

from __future__ import annotations

from asyncio import CancelledError, create_task, shield, wait
from functools import partial
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

from outlast.system.threads import in_thread

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.application.plan.plan import Plan
    from outlast.domain.state import PlanState

P = ParamSpec("P")
T = TypeVar("T")
_AGAIN: Final = 0.1  # seconds: a check may have been between two programs


def has_checks(state: PlanState) -> bool:
    """Tell whether there is anything that takes time in a plan."""
    return bool(state.checked)


async def meanwhile(plan: Plan, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function in a thread; if this is cancelled, break its checks off and see it end."""
    calling = create_task(in_thread(partial(function, *args, **kwargs)))
    try:
        return await shield(calling)
    except CancelledError:
        while not calling.done():
            plan.stop_checks()
            await wait((calling,), timeout=_AGAIN)
        raise
