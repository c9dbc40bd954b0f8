"""The handlers that a loop runs on, one around the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.wrappers.attempts import Attempts
from outlast.application.wrappers.calls_told import CallsTold
from outlast.application.wrappers.carry_out import CarryOut
from outlast.application.wrappers.desk import Desk
from outlast.application.wrappers.plan_tools import PLAN_TOOLS, PlanTools
from outlast.ports.model import ToolSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from outlast.application.planning import Plan
    from outlast.domain.model import Lease
    from outlast.ports.effects import Event, Handler
    from outlast.ports.model import Model
    from outlast.ports.tool import Tool


def stacked(  # noqa: PLR0913 - what a loop runs on
    plan: Plan,
    lease: Lease,
    model: Model,
    tools: Iterable[Tool],
    listener: Callable[[Event], object] | None = None,
    *,
    around: Callable[[Handler], Handler] | None = None,
) -> Handler:
    """Return a handler for all effects of a loop that holds this plan.

    `around` wraps what carries the effects out, within an attempt.
    """
    desk = Desk(plan, lease)
    inner: Handler = PlanTools(CarryOut(desk, model, tools, listener), desk)
    return Attempts(CallsTold(around(inner) if around else inner), desk)


def offered(tools: Iterable[Tool]) -> tuple[ToolSpec, ...]:
    """Return what a model is told of: the plan's tools and these."""
    given = (ToolSpec(tool.name, tool.description, tool.parameters) for tool in tools)
    return (*PLAN_TOOLS, *given)
