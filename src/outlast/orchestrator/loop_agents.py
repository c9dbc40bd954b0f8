"""Agents that work as a loop of the run: `tools`, its own model, and `human`, a person."""

from __future__ import annotations

from typing import Final

from outlast.agent import effects as e
from outlast.agent.context.conversation import (
    add_missing_results,
    conversation_size,
    last_exchange,
    tool_message,
    unknown_tool,
)
from outlast.agent.effects import Acted, Thought
from outlast.agent.runtime.delegation import tools_messages
from outlast.agent.work import BY_PERSON, TIMED_OUT, Report, WorkOrder, WorkProgress, WorkResult
from outlast.context.chat_model import Call, Message, ToolSpec
from outlast.documents.contracts.contract import parse_contract
from outlast.errors import AgentUnavailable, ModelFailed, NotPermitted, OutOfBudget, PlanNotActive
from outlast.language import Language, text
from outlast.model.model import PERSON
from outlast.orchestrator.agents.report_answer import REPORT_SCHEMA, ReportAnswer, read_answer

SUBMIT_REPORT: Final = "submit_report"
_STOPPED: Final = (OutOfBudget.code, PlanNotActive.code)
_MOST_THOUGHTS: Final = 50
_MOST_REMINDERS: Final = 2  # that the work has to end with a report


class _RunAgent:
    """What can work only as a loop of a run."""

    name: str

    def __init__(self, language: Language = "en") -> None:
        """Speak a language."""
        self._language = language

    async def work(self, order: WorkOrder, progress: WorkProgress) -> WorkResult:
        """Raise: outside of a run there is no model, no tool, and nobody to answer."""
        del order, progress
        raise AgentUnavailable("agent_needs_run", agent=self.name)

    async def settle(self, order: str, session: str) -> WorkResult | None:
        """Return that the work was interrupted: it ended with its run, and its calls are known."""
        del order, session
        return WorkResult(error=text("work_interrupted", self._language))


class ToolsAgent(_RunAgent):
    """Works as a loop of the run; a conversation lasts as long as the process.

    Without it, an attempt is told what the earlier ones have done.
    """

    name = "tools"
    needs_model = True

    def __init__(self, language: Language = "en", context_characters: int = 100_000) -> None:
        """Shorten conversations that grow above `context_characters`."""
        super().__init__(language)
        self._limit = context_characters
        self._conversations: dict[str, list[Message]] = {}

    def loop(self, order: WorkOrder, tools: tuple[ToolSpec, ...]) -> e.Loop[WorkResult]:
        """Return the loop that carries out an order."""
        known = self._conversations.setdefault(order.session or order.id, [])
        return _ToolWork(order, tools, known, self._language, self._limit).run()

    async def end_session(self, session: str) -> None:
        """Forget a conversation."""
        self._conversations.pop(session, None)


class _ToolWork:
    """The work on one order: think and act until there is a report, or no time."""

    def __init__(
        self,
        order: WorkOrder,
        tools: tuple[ToolSpec, ...],
        messages: list[Message],
        language: Language,
        limit: int,
    ) -> None:
        self._order, self._language, self._limit = order, language, limit
        told = text("submit_report_tool", language)
        self._tools = (*tools, ToolSpec(SUBMIT_REPORT, told, REPORT_SCHEMA))
        self._messages = messages  # which outlive this work
        self._denied: list[str] = []
        self._reminders = 0
        self._is_informed = False  # about the calls of earlier attempts

    def run(self) -> e.Loop[WorkResult]:
        began = yield from e.record()
        opening = tools_messages(self._order, began.plan.recent_work, self._language)
        known = add_missing_results(self._messages, self._language)
        self._is_informed = bool(known)
        self._messages[:] = (*known, *opening[1:]) if known else opening
        for _ in range(_MOST_THOUGHTS):
            reply = yield from e.Think(tuple(self._messages), self._tools, task=self._order.task)
            thought = reply.outcome
            if thought.error:
                is_model = thought.code not in _STOPPED
                return self._fail(thought.error, ModelFailed.code if is_model else thought.code)
            self._messages.append(Message("assistant", thought.text, thought.calls))
            result = yield from self._answer(thought)
            if result is None and reply.seconds - began.seconds >= self._order.timeout:
                seconds = f"{self._order.timeout:g}"
                too_slow = text("agent_too_slow", self._language, seconds=seconds)
                result = self._fail(too_slow, TIMED_OUT)
            if result is not None:
                return result
            yield from self._shorten()
        return self._fail(text("work_too_long", self._language, count=_MOST_THOUGHTS))

    def _answer(self, thought: Thought) -> e.Loop[WorkResult | None]:
        """Run the calls of a reply; return the result if the work ends with it."""
        if thought.invalid_calls:
            self._tell(text("call_unread", self._language))
            return None
        if not thought.calls:
            return self._read_words(thought.text)
        self._reminders = 0
        for call in thought.calls:
            if call.name == SUBMIT_REPORT:
                result = self._read_report(call)
                if result is not None:
                    return result
                continue
            acted = yield from self._run(call)
            if acted.code in _STOPPED:
                return self._fail(acted.error, acted.code)
            self._messages.append(tool_message(call, acted.output, acted.error, self._language))
            for note in acted.inject:
                self._tell(note)
        return None

    def _run(self, call: Call) -> e.Loop[Acted]:
        known = [tool.name for tool in self._tools]
        if call.name not in known:
            return Acted(error=unknown_tool(call.name, known, self._language))
        acting = e.Act(call, self._is_informed, task=self._order.task)
        acted = (yield from acting).outcome
        if acted.code == NotPermitted.code:
            self._denied.append(call.name)
        return acted

    def _read_report(self, call: Call) -> WorkResult | None:
        """Return the result that a call reports; ask for a correction of a report with problems."""
        answer = read_answer(call.params)
        if answer.value is not None:
            taken = text("report_taken", self._language)
            self._messages.append(tool_message(call, taken, "", self._language))
            return self._end(answer.value.report())
        problems = answer.repair_request(self._language)
        self._messages.append(tool_message(call, "", problems, self._language))
        return None

    def _read_words(self, words: str) -> WorkResult | None:
        """Return the result in a reply without calls; remind the model of the report.

        Who reports in its own words only has not said how it ended.
        """
        answer = parse_contract(words, ReportAnswer).value
        if answer is not None:
            return self._end(answer.report())
        if self._reminders < _MOST_REMINDERS:
            self._reminders += 1
            self._tell(text("report_wanted", self._language, tool=SUBMIT_REPORT))
            return None
        return self._end(Report("PARTIAL_SUCCESS", results=words.strip()))

    def _end(self, report: Report) -> WorkResult:
        """Return the result; a success shows that nothing was needed of what was not permitted."""
        denied = () if report.status == "SUCCESS" else tuple(dict.fromkeys(self._denied))
        return WorkResult(report, self._session, denied=denied)

    def _fail(self, error: str, code: str = "") -> WorkResult:
        return WorkResult(session=self._session, error=error, code=code)

    @property
    def _session(self) -> str:
        return self._order.session or self._order.id

    def _tell(self, words: str) -> None:
        self._messages.append(Message("user", words))

    def _shorten(self) -> e.Loop[None]:
        """Keep only the order and the last exchange of a conversation that has grown too long."""
        if conversation_size(self._messages) <= self._limit:
            return
        yield from e.Consult("pre_compact")
        plan = (yield from e.record()).plan
        exchange = last_exchange(self._messages, self._limit // 2, self._language)
        opening = tools_messages(self._order, plan.recent_work, self._language)
        self._messages[:] = [*opening, *exchange]


class HumanAgent(_RunAgent):
    """Leaves every order to a person, who may take days; the run need not wait for them."""

    name = PERSON
    needs_model = False

    def loop(self, order: WorkOrder, tools: tuple[ToolSpec, ...]) -> e.Loop[WorkResult]:
        """Return a loop that ends at once: a person has to be asked."""
        del order, tools
        yield from ()
        return WorkResult(code=BY_PERSON)

    async def end_session(self, session: str) -> None:
        """Do nothing: a person has no session."""
        del session
