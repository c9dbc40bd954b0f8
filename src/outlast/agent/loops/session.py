"""A session: the conversation of an agent, and the options it follows."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.json import encode

from outlast.agent.context.conversation import (
    add_missing_results,
    conversation_size,
    tail_within,
    truncate_result,
    unknown_tool,
)
from outlast.agent.context.prompts import PLANNING, system_message, user_message
from outlast.agent.effects import Acted, Thought
from outlast.context.blocks import TOOL_NAMES, ToolNames, repeat_note
from outlast.context.chat_model import Call, Message, ToolSpec
from outlast.context.escape import quote
from outlast.context.plan_block import plan_message
from outlast.language import Language, text
from outlast.model.decide.conversation import MESSAGE_CHARACTERS
from outlast.model.intents import is_same_goal, is_yes
from outlast.model.markers import without_markers
from outlast.redact.secrets import redact
from outlast.redact.truncate import text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from outlast.agent.agent_spec import ToolLoop
    from outlast.context.plan_view import PlanView
    from outlast.model.model import Interjection

_ASK_USER: Final = "ask_user"
_CREATION_TOOLS: Final = ("todo_write", "plan_read", "initializePlan", "getPlanStatus")
_CUT_CHARACTERS: Final = 160  # for the note about the middle, and for a redaction
_FULL_SET_MARK: Final = "completeTask"  # only the full set has this tool
_UNKNOWN_LIMIT: Final = 3  # equal calls of an unknown tool; the last of them warns
_COMMITS: Final = 1_000  # at the end of the journal that are searched for edits of people
_USER_SHARE: Final = 4  # the part of a conversation that the messages of people may take


class History(Struct):
    """What the next run of the same agent continues.

    `messages` are the conversation so far, after the system prompt. `plan` is the plan that they
    are about, `goal` its goal as they tell it, and `iteration_count` what it had counted.
    `last_read` is the number of the last message to that plan that is among them, `questions` are
    the numbers of the questions whose answers are not. `user_messages` are those that no plan has
    recorded.
    """

    messages: tuple[Message, ...] = ()
    plan: str = ""
    goal: str = ""
    iteration_count: int = 0
    last_read: int = 0
    questions: set[int] = set()
    user_messages: tuple[Message, ...] = ()


class Session:
    """The conversation of one run. Everything that must survive the process is in the plan.

    `is_new_goal` holds until a plan is created for a new goal; `creation_tried` is set once that
    was tried or is not needed. `last_read` is the last message of the plan that is already in the
    conversation, `commands` are those that were only commands to the loop, `goal_shown` is the goal
    that the model knows. `words` is what the user's message was recorded as in the plan. `answer`
    is the model's last text without a call, `closing_text` its last text of any kind, without
    markers; one with a call has not been sent to people.

    While `may_start` is False, a person has not agreed to begin the steps. `end_told` is the task
    whose assumed completion would end the plan, once the model was told; `end_closed` is the same
    once it has closed after that. `withheld_text` is what it closed with; a shorter text that only
    confirms the end does not replace it. `question_held` is set once a question of the model was
    held up. `is_informed` tells that the conversation has what was done before it, and that the
    work was not stopped in between. `seen_revision` is the revision up to which the model is told
    what people changed; `has_told_edits` if its last request told it something.
    """

    def __init__(
        self,
        tools: tuple[ToolSpec, ...],
        plan_tools: tuple[ToolSpec, ...],
        options: ToolLoop,
        language: Language,
        history: History | None = None,
    ) -> None:
        self.options, self.language = options, language
        self.history = History() if history is None else history
        self.messages: list[Message] = []
        self._withheld = ""
        self._refused: tuple[str, dict[str, Any]] | None = None
        self._unknown_tools = Counter[str]()
        self.message = self.words = self.answer = self.closing_text = self.goal_shown = ""
        self.withheld_text = ""
        self.last_end = ""  # why the last run paused the plan, or that it died
        self.is_new_goal = self.creation_tried = self.is_closing_text_sent = False
        self.is_informed = self.has_told_edits = False
        self.seen_revision = 0
        self.iterations = self.last_read = self.end_told = self.end_closed = 0
        self.may_start, self.question_held = True, False
        self.edits_asked: set[int] = set()  # questions about edits that this run has asked
        self.answered = 0  # the question that the user's message answers
        self.unanswered: set[int] = set()  # questions that were asked in vain
        self.commands: list[int] = []
        self._user_messages: list[Message] = []
        self._tools = tools
        self._plan_tools = tuple(t for t in plan_tools if options.can_ask or t.name != _ASK_USER)
        self._schema_sizes = {tool.name: len(encode(tool)) for tool in self._plan_tools}
        self._measured = self._size = 0  # messages, and their characters

    def measure(self) -> int:
        """Return the characters of the conversation; each message is measured once."""
        self._size += conversation_size(self.messages[self._measured :])
        self._measured = len(self.messages)
        return self._size

    # The opening

    def start(self, plan: PlanView) -> None:
        """Set what the run is about: the plan, or a new goal."""
        self.goal_shown, self.may_start = plan.goal, has_consent(plan)
        self.is_new_goal = plan.is_scratch or plan.has_ended or not self.options.enable_planning
        self.creation_tried = not self.is_new_goal
        seen = min(plan.seen_revision or plan.revision, plan.revision)  # a repair may renumber
        self.seen_revision = max(seen, plan.revision - _COMMITS)
        if self.history.plan == plan.id:
            self.goal_shown, self.last_read = self.history.goal, self.history.last_read

    def continues(self, plan: PlanView) -> bool:
        """Return whether the conversation so far has all that was done and answered in the plan."""
        history = self.history
        answered = history.questions - {question.id for question in plan.questions}
        position = (history.plan, history.iteration_count)
        is_current = position == (plan.id, plan.iteration_count) and answered <= {self.answered}
        return bool(history.messages) and (is_current or not self.is_on_plan(plan))

    def open(self, *messages: Message) -> None:
        """Continue the conversation so far, or start one, with these messages."""
        with_guide = not self.is_new_goal or not self.is_creation_on_request
        guide, can_ask = self._guide if with_guide else "", self.options.can_ask
        system = system_message(self.language, guide=guide, can_ask=can_ask)
        self._set_messages(system, *self.history.messages, *messages)
        self._user_messages = [*messages[-1:]]

    def instruction(self, plan: PlanView) -> str:
        """Return what the user wants of an existing plan, whose goal the brief already tells."""
        is_goal = plan.iteration_count and is_same_goal(self.goal, plan.goal)
        return text("continue_word", self.language) if is_goal else self.message

    def compact(self, brief: Message | None, exchange: Sequence[Message]) -> None:
        """Shorten the conversation: keep what people said, and the last exchange.

        `brief` is what the plan knows of it; None without a plan.
        """
        limit = self.options.context_characters // _USER_SHARE
        earlier = tail_within(self.history.user_messages, limit)
        if brief:
            own = [brief]
        else:
            first, *later = self._user_messages
            own = [first, *tail_within([m for m in later if m not in exchange], limit)]
        self._set_messages(self.messages[0], *earlier, *own, *exchange)
        self.is_informed = False

    def _set_messages(self, *messages: Message) -> None:
        self.messages = [*messages]
        self._measured = self._size = 0

    def save(self, plan: PlanView) -> None:
        """Keep the conversation for the next run of the same agent."""
        if not self.messages:  # it was answered without a model
            return
        history, is_recorded = self.history, self.is_on_plan(plan)
        history.messages = tuple(add_missing_results(self.messages[1:], self.language))
        history.plan, history.iteration_count = plan.id, plan.iteration_count
        history.last_read, history.goal = self.last_read, self.goal_shown
        history.questions = self.unanswered.union(question.id for question in plan.questions)
        if not is_recorded:
            said = (*history.user_messages, *self._user_messages)
            limit = self.options.context_characters // _USER_SHARE
            history.user_messages = tuple(tail_within(said, limit))

    @property
    def _guide(self) -> str:
        """The prompt that names the plan tools of this session."""
        return "planning_full" if self._has_full_set else PLANNING

    @property
    def tool_names(self) -> ToolNames:
        """The names of the plan tools of this session."""
        return TOOL_NAMES["full" if self._has_full_set else "default"]

    @property
    def _has_full_set(self) -> bool:
        return self.is_plan_tool(_FULL_SET_MARK)

    # The plan

    @property
    def is_creation_on_request(self) -> bool:
        """Whether a plan is created only when the model asks for one."""
        return not (self.options.enable_planning and self.options.auto_create_plan)

    def is_on_plan(self, plan: PlanView) -> bool:
        """Return whether the work belongs to this plan."""
        return not plan.is_scratch and not self.is_new_goal

    def adopt_plan(self, plan: PlanView) -> None:
        """Work on the plan that was created for the goal of this run."""
        self.is_new_goal, self.goal_shown = False, plan.goal
        self.seen_revision = plan.revision

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

    def offered_tools(self, plan: PlanView) -> tuple[ToolSpec, ...]:
        """Return the tools of the next request: the available ones, without one that is withheld.

        A model that repeats a refused call is not offered that tool once, so that it has to do
        something else.
        """
        withheld, self._withheld = self._withheld, ""
        return tuple(tool for tool in self.available_tools(plan) if tool.name != withheld)

    def note_refusal(self, call: Call, *, is_refused: bool) -> None:
        """Withhold a tool whose call was refused twice in a row."""
        refused, self._refused = self._refused, (call.name, call.params) if is_refused else None
        if is_refused and refused == self._refused:
            self._withheld, self._refused = call.name, None

    def refuse_unknown_tool(self, name: str, available: Sequence[str]) -> Acted:
        """Answer the call of a tool that is not offered; from the third one on, with a warning."""
        self._unknown_tools[name] += 1
        count, error = self._unknown_tools[name], unknown_tool(name, available, self.language)
        warnings = (repeat_note(name, count, self.language),) if count >= _UNKNOWN_LIMIT else ()
        return Acted(error=error, inject=warnings)

    def is_plan_tool(self, name: str) -> bool:
        """Return whether a tool is one of the plan's."""
        return name in self._schema_sizes

    def request(
        self, plan: PlanView, tools: tuple[ToolSpec, ...]
    ) -> tuple[tuple[Message, ...], int]:
        """Return the messages for the model, and the characters of the request about the plan."""
        schemas = sum(self._schema_sizes.get(tool.name, 0) for tool in tools)
        if not self.is_on_plan(plan):
            return tuple(self.messages), schemas
        block = plan_message(plan, self.language)
        return (*self.messages, block), len(block.text) + schemas

    @property
    def has_message(self) -> bool:
        """Whether people have said something in this run that is more than a command."""
        return bool(self.words or self.answered) or len(self._user_messages) > 1

    @property
    def goal(self) -> str:
        """The goal in the user's message."""
        return text_of(self.message)

    # Messages

    def add_reply(self, thought: Thought) -> None:
        """Append the model's reply, and keep its text as what the run may answer."""
        self.messages.append(Message("assistant", thought.text, thought.calls))
        if not thought.calls:
            self.answer = thought.text or self.answer
        closing_text = without_markers(thought.text)
        if thought.calls:
            self.withheld_text = ""
        if len(closing_text) > len(self.withheld_text):
            self.closing_text, self.is_closing_text_sent = closing_text, not thought.calls

    def unread_messages(self, plan: PlanView) -> list[Interjection]:
        """Return the messages of the plan that are not in the conversation yet."""
        return [message for message in plan.new_messages if message.id > self.last_read]

    def add_user_message(self, message: str) -> None:
        """Append a message of the user."""
        entry = user_message(message)
        self.messages.append(entry)
        self._user_messages.append(entry)

    def show_goal(self, plan: PlanView) -> None:
        """Tell the model that a person has changed the goal: the plan block may cut it."""
        if self.is_on_plan(plan):
            self.goal_shown = plan.goal
            goal = quote(plan.goal, len(plan.goal))
            self.inject((text("goal_changed", self.language, goal=goal),))

    def inject(self, texts: Iterable[str]) -> None:
        """Append the texts of hooks and rules as one message, which never has the system role."""
        joined = "\n\n".join(filter(None, texts))
        if joined:
            self.messages.append(Message("user", joined))


def has_consent(plan: PlanView) -> bool:
    """Return whether the steps may begin: no person who was asked has said anything but yes."""
    has_begun = plan.done or plan.current
    return bool(has_begun or not plan.begin_answer or is_yes(plan.begin_answer))


def message_of(words: str) -> str:
    """Return what a person says as a plan stores it: redacted, without the middle if it is long."""
    shorter = truncate_result(redact(words), MESSAGE_CHARACTERS - _CUT_CHARACTERS)
    return redact(shorter)
