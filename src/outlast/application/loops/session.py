"""An agent's own conversation: what was said so far, and what it has to keep to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.json import encode

from outlast.application.context.compaction import last_within
from outlast.application.context.plan_block import plan_message
from outlast.application.context.prompt import PLANNING, opening, resuming, user_message
from outlast.domain.limits import TEXT_BYTES
from outlast.ports.model import Message

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.application.context.summary import Settled
    from outlast.application.loops.options import LoopOptions
    from outlast.ports.effects import PlanView
    from outlast.ports.model import ToolSpec
    from outlast.texts import Language

_BEGINNING: Final = ("todo_write", "plan_read", "initializePlan", "getPlanStatus")
_FULL: Final = "completeTask"  # by which the full set is known


class Session:
    """One run of a loop. It lives only as long as that: all that must outlive it is in the plan.

    `fresh` until a plan is founded for a new task, `founded` once that was tried, or need not be.
    `heard` is how many of the interjections that wait in the plan are in the conversation already;
    what people have said in this run is told again when it begins anew.
    """

    def __init__(
        self,
        tools: tuple[ToolSpec, ...],
        plan_tools: tuple[ToolSpec, ...],
        options: LoopOptions,
        language: Language,
    ) -> None:
        """Take what can be chosen."""
        self.options, self.language = options, language
        self.messages: list[Message] = []
        self.message = ""
        self.fresh = self.founded = False
        self.spent = self.heard = 0
        self._said: list[Message] = []
        self._tools, self._plan_tools = tools, plan_tools

    def begin(
        self, message: str, plan: PlanView, settled: Iterable[Settled] = (), *, resumed: bool
    ) -> None:
        """Begin the conversation, from a summary if the plan has a past."""
        self.message = message
        self.fresh = not plan.kept or plan.ended or not self.options.enable_planning
        self.founded = not self.fresh
        self._open(plan, settled, resumed=resumed or plan.iteration_count > 0)

    def begin_anew(self, plan: PlanView, kept: tuple[Message, ...]) -> None:
        """Begin the conversation once more from what is kept of it: it has grown too long."""
        self._open(plan, (), resumed=True)
        said = [one for one in self._said if one not in kept]
        self.messages += (*last_within(said, self.options.context_characters // 4), *kept)

    def _open(self, plan: PlanView, settled: Iterable[Settled], *, resumed: bool) -> None:
        if self.planned(plan) and resumed:
            limit = self.limit(plan)
            self.messages = resuming(
                self.message, plan, limit, self.language, settled, guide=self._guide
            )
        else:
            planning = not self.fresh or not self.founding_is_off
            guide = self._guide if planning else ""
            self.messages = opening(self.message, self.language, guide=guide)

    @property
    def _guide(self) -> str:
        """The prompt that speaks of the plan's tools by the names they have here."""
        return "planning_full" if self.is_plan_tool(_FULL) else PLANNING

    @property
    def founding_is_off(self) -> bool:
        """Whether no plan is made without being asked for."""
        return not (self.options.enable_planning and self.options.auto_create_plan)

    def planned(self, plan: PlanView) -> bool:
        """Tell whether the work is work on this plan."""
        return plan.kept and not self.fresh

    def task(self, plan: PlanView) -> int | None:
        """Return the task that the work is for; none beside a plan that has ended."""
        return plan.current.id if self.planned(plan) and plan.current else None

    def limit(self, plan: PlanView) -> int:
        """Return how many iterations the plan may have had at the end of this run."""
        return plan.iteration_count + self.options.max_iterations - self.spent

    def offered(self, plan: PlanView) -> tuple[ToolSpec, ...]:
        """Return the tools that a model may use now.

        The plan's are among them before there is a plan, which the first call begins: a request
        that begins like the last one is cheaper. Where no plan is made without being asked for, a
        model can ask for one.
        """
        if self.planned(plan) or not (self.founding_is_off or self.founded):
            return (*self._plan_tools, *self._tools)
        if not self.options.enable_planning or self.founded:
            return self._tools
        return (*(tool for tool in self._plan_tools if tool.name in _BEGINNING), *self._tools)

    def is_plan_tool(self, name: str) -> bool:
        """Tell whether a tool is one of the plan's."""
        return any(tool.name == name for tool in self._plan_tools)

    def request(
        self, plan: PlanView, tools: tuple[ToolSpec, ...]
    ) -> tuple[tuple[Message, ...], int]:
        """Return what a model is shown, and how many characters of all it sees are the plan's."""
        schemas = sum(len(encode(tool)) for tool in tools if self.is_plan_tool(tool.name))
        if not self.planned(plan):
            return tuple(self.messages), schemas
        block = plan_message(plan, self.language)
        return (*self.messages, block), len(block.text) + schemas

    @property
    def goal(self) -> str:
        """What the user asked for."""
        return goal_of(self.message)

    def is_spoken_to(self, plan: PlanView) -> bool:
        """Tell whether something was said that is not in the conversation yet."""
        return len(plan.said) > self.heard

    def hear(self, message: str) -> None:
        """Add what the user says."""
        said = user_message(message)
        self.messages.append(said)
        self._said.append(said)

    def inject(self, texts: Iterable[str]) -> None:
        """Add what hooks and our own rules say, as one message; never as the system."""
        said = "\n\n".join(filter(None, texts))
        if said:
            self.messages.append(Message("user", said))


def goal_of(message: str) -> str:
    """Return what a message asks for, as a plan can keep it."""
    return message.encode()[:TEXT_BYTES].decode(errors="ignore")
