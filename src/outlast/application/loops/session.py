"""A session: the conversation of one run, and the options it follows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct
from msgspec.json import encode

from outlast.application.context.compaction import conversation_size, tail_within
from outlast.application.context.plan_block import plan_message
from outlast.application.context.prompt import (
    PLANNING,
    opening_messages,
    resume_messages,
    user_message,
)
from outlast.domain.limits import TEXT_BYTES
from outlast.formats.redact.secrets import redact
from outlast.ports.model import Message

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.application.context.summary import SettledAttempt
    from outlast.domain.model import Interjection
    from outlast.ports.effects import PlanView
    from outlast.ports.model import ToolSpec
    from outlast.texts import Language

_CREATION_TOOLS: Final = ("todo_write", "plan_read", "initializePlan", "getPlanStatus")
_GOAL_BYTES: Final = TEXT_BYTES - 64  # a redaction at the end may need some more
_FULL_SET_MARK: Final = "completeTask"  # only the full set has this tool

Policy = Literal["auto", "words", "explicit"]


class LoopOptions(Struct, frozen=True):
    """Options of a conversation; the defaults are those of the settings.

    `max_iterations` limits one run. `policy`, `words`, `least_iterations` and `most_iterations`
    decide when a task counts as done without a report. A conversation longer than
    `context_characters` is compacted to a summary. `stop_limit` is how often a model that stops too
    early is held up.
    """

    max_iterations: int = 20
    policy: Policy = "auto"
    words: tuple[str, ...] = ()
    least_iterations: int = 2
    most_iterations: int = 10
    auto_create_plan: bool = True
    context_characters: int = 200_000
    enable_planning: bool = True
    stop_limit: int = 3


class Session:
    """The conversation of one run. Everything that must survive the run is in the plan.

    `is_new_goal` holds until a plan is created for a new goal; `creation_tried` is set once that
    was tried or is not needed. `last_read` is the last message of the plan that is already in the
    conversation, `answer` the model's last text without a tool call. A compaction repeats the
    messages that people sent during this run.
    """

    def __init__(
        self,
        tools: tuple[ToolSpec, ...],
        plan_tools: tuple[ToolSpec, ...],
        options: LoopOptions,
        language: Language,
    ) -> None:
        self.options, self.language = options, language
        self.messages: list[Message] = []
        self.message = self.answer = ""
        self.is_new_goal = self.creation_tried = False
        self.iterations = self.last_read = 0
        self._user_messages: list[Message] = []
        self._tools, self._plan_tools = tools, plan_tools
        self._measured = self._size = 0  # messages, and their characters

    def measure(self) -> int:
        """Return the characters of the conversation; each message is measured once."""
        self._size += conversation_size(self.messages[self._measured :])
        self._measured = len(self.messages)
        return self._size

    def start(
        self, message: str, plan: PlanView, settled: Iterable[SettledAttempt] = (), *, resumed: bool
    ) -> None:
        """Open the conversation; with a summary if the plan has a history."""
        self.message = message
        self.is_new_goal = plan.is_scratch or plan.has_ended or not self.options.enable_planning
        self.creation_tried = not self.is_new_goal
        self._set_opening(plan, settled, resumed=resumed or plan.iteration_count > 0)

    def restart(self, plan: PlanView, last_exchange: tuple[Message, ...]) -> None:
        """Compact the conversation: open it with a summary and append the last exchange."""
        self._set_opening(plan, (), resumed=True)
        earlier = [message for message in self._user_messages if message not in last_exchange]
        self.messages += (
            *tail_within(earlier, self.options.context_characters // 4),
            *last_exchange,
        )

    def _set_opening(
        self, plan: PlanView, settled: Iterable[SettledAttempt], *, resumed: bool
    ) -> None:
        self._measured = self._size = 0
        if self.is_on_plan(plan) and resumed:
            limit = self.iteration_limit(plan)
            self.messages = resume_messages(
                self.message, plan, limit, self.language, settled, guide=self._guide
            )
        else:
            with_guide = not self.is_new_goal or not self.is_creation_on_request
            guide = self._guide if with_guide else ""
            self.messages = opening_messages(self.message, self.language, guide=guide)

    @property
    def _guide(self) -> str:
        """The prompt that names the plan tools of this session."""
        return "planning_full" if self.is_plan_tool(_FULL_SET_MARK) else PLANNING

    @property
    def is_creation_on_request(self) -> bool:
        """Whether a plan is created only when the model asks for one."""
        return not (self.options.enable_planning and self.options.auto_create_plan)

    def is_on_plan(self, plan: PlanView) -> bool:
        """Return whether the work belongs to this plan."""
        return not plan.is_scratch and not self.is_new_goal

    def current_task(self, plan: PlanView) -> int | None:
        """Return the task that the work is for; None beside a plan that has ended."""
        return plan.current.id if self.is_on_plan(plan) and plan.current else None

    def iteration_limit(self, plan: PlanView) -> int:
        """Return the plan's iteration count at which this run would reach its limit."""
        return plan.iteration_count + self.options.max_iterations - self.iterations

    def available_tools(self, plan: PlanView) -> tuple[ToolSpec, ...]:
        """Return the tools that the model may use now.

        The plan tools are included before there is a plan, which the first call creates: requests
        with an equal prefix are cheaper. If plans are created only on request, the tools to request
        one are included.
        """
        if self.is_on_plan(plan) or not (self.is_creation_on_request or self.creation_tried):
            return (*self._plan_tools, *self._tools)
        if not self.options.enable_planning or self.creation_tried:
            return self._tools
        return (*(tool for tool in self._plan_tools if tool.name in _CREATION_TOOLS), *self._tools)

    def is_plan_tool(self, name: str) -> bool:
        """Return whether a tool is one of the plan's."""
        return any(tool.name == name for tool in self._plan_tools)

    def request(
        self, plan: PlanView, tools: tuple[ToolSpec, ...]
    ) -> tuple[tuple[Message, ...], int]:
        """Return the messages for the model, and the characters of the request about the plan."""
        schemas = sum(len(encode(tool)) for tool in tools if self.is_plan_tool(tool.name))
        if not self.is_on_plan(plan):
            return tuple(self.messages), schemas
        block = plan_message(plan, self.language)
        return (*self.messages, block), len(block.text) + schemas

    @property
    def goal(self) -> str:
        """The goal in the user's message."""
        return goal_of(self.message)

    def unread_messages(self, plan: PlanView) -> list[Interjection]:
        """Return the messages of the plan that are not in the conversation yet."""
        return [message for message in plan.new_messages if message.id > self.last_read]

    def add_user_message(self, message: str) -> None:
        """Append a message of the user."""
        entry = user_message(message)
        self.messages.append(entry)
        self._user_messages.append(entry)

    def inject(self, texts: Iterable[str]) -> None:
        """Append the texts of hooks and rules as one message, which never has the system role."""
        joined = "\n\n".join(filter(None, texts))
        if joined:
            self.messages.append(Message("user", joined))


def goal_of(message: str) -> str:
    """Return a message as the goal that a plan stores: redacted and truncated."""
    goal = redact(message).encode()[:_GOAL_BYTES].decode(errors="ignore")
    return redact(goal)
