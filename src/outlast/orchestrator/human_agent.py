"""The agent `human`: a person carries out the tasks; what they say is a question of the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.agent.work import BY_PERSON, WorkResult
from outlast.errors import AgentUnavailable
from outlast.language import text
from outlast.model.model import PERSON

if TYPE_CHECKING:
    from outlast.agent import effects as e
    from outlast.agent.work import WorkOrder, WorkProgress
    from outlast.context.chat_model import ToolSpec
    from outlast.language import Language


class HumanAgent:
    """Leaves every order to a person, who may take days; the run need not wait for them."""

    name = PERSON
    needs_model = False

    def __init__(self, language: Language = "en") -> None:
        """Speak a language."""
        self._language = language

    def loop(self, order: WorkOrder, tools: tuple[ToolSpec, ...]) -> e.Loop[WorkResult]:
        """Return a loop that ends at once: a person has to be asked."""
        del order, tools
        yield from ()
        return WorkResult(code=BY_PERSON)

    async def work(self, order: WorkOrder, progress: WorkProgress) -> WorkResult:
        """Raise: outside of a run nobody could answer."""
        del order, progress
        raise AgentUnavailable("agent_needs_run", agent=self.name)

    async def settle(self, order: str, session: str) -> WorkResult | None:
        """Return that nobody was asked yet."""
        del order, session
        return WorkResult(error=text("work_interrupted", self._language))

    async def end_session(self, session: str) -> None:
        """Do nothing: a person has no session."""
        del session
