"""The protocol of an agent that works as a loop inside a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from outlast.agent.work import Agent, WorkOrder, WorkResult

if TYPE_CHECKING:
    from outlast.agent.effects import Loop
    from outlast.context.chat_model import ToolSpec


@runtime_checkable
class LoopAgent(Agent, Protocol):
    """An agent that works with the model, the tools, the budget and the permissions of the run.

    It keeps the time of an order itself: nothing that it has begun is stopped half-way.
    """

    @property
    def needs_model(self) -> bool:
        """Whether it cannot work in a run without a model."""

    def loop(self, order: WorkOrder, tools: tuple[ToolSpec, ...]) -> Loop[WorkResult]:
        """Return the loop that carries out an order on a lane of its own."""
