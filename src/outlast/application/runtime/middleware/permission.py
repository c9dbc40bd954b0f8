"""Ask a person before a tool leaves the workspace or may destroy data.

Question and answer are recorded in the plan, so that its log shows who allowed what. This
middleware is outside of attempts: asking is not an attempt, and waiting for the person does not
count against the tool's timeout.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec import convert, to_builtins

from outlast.application.runtime.call_record import call_line
from outlast.domain.commands import AnswerQuestion, AskQuestion
from outlast.domain.limits import REF_CHARACTERS
from outlast.domain.model import PERSON, Question
from outlast.errors import NotPermitted, Refused
from outlast.formats.patterns import is_permitted
from outlast.formats.redact.fast import redact_text
from outlast.ports import effects as e
from outlast.ports.events import Asked
from outlast.ports.tool import PermissionRequest
from outlast.system.logs import LOG
from outlast.texts import explain, text, visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.application.runtime.run import Run
    from outlast.domain.changes import Commit
    from outlast.domain.state import PlanState
    from outlast.ports.tool import Tool
    from outlast.texts import Language

_PREVIEW_CHARACTERS: Final = 1_500  # of the subject
_ANSWER_CHARACTERS: Final = 200  # recorded of an answer
_QUESTIONS: Final = {"outside": "permit_outside", "destructive": "permit_destructive"}
_YES_WORDS: Final = frozenset(
    {"y", "yes", "ok", "allow", "once", "是", "好", "可以", "允许", "同意"}
)
_ALWAYS_WORDS: Final = frozenset({"a", "always", "all", "总是", "始终", "一直", "全部"})

_END_MARKS: Final = ".!\u3002\uff01"  # that may end an answer


class Permission:
    """Lets a call through that needs no permission or has it."""

    def __init__(  # noqa: PLR0913 - one keyword per option
        self,
        inner: e.Handler,
        run: Run,
        tools: Iterable[Tool],
        *,
        allow: Iterable[str] = (),
        yes: bool = False,
        language: Language = "en",
    ) -> None:
        """Wrap a handler; `allow` are patterns of allowed calls, `yes` allows all."""
        self._inner, self._run, self._language = inner, run, language
        self._tools = {tool.name: tool for tool in tools}
        self._allow, self._yes = tuple(allow), yes
        self._always: set[str] = set()

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Ask for permission before `Act` where it is needed."""
        if isinstance(effect, e.Act):
            refusal = await self._refusal(effect)
            return await self._inner.handle(effect) if refusal is None else refusal
        return await self._inner.handle(effect)

    async def _refusal(self, effect: e.Act) -> e.Acted | None:
        request = self._permission_request(effect)
        if request is None or self._yes:
            return None
        wanted = request.items or (f"{_pattern_kind(request, effect)}:{request.subject}",)
        if all(map(self._is_allowed, wanted)):
            return None
        try:
            answer = await self._ask(effect, request)
        except Refused as error:
            return self._denial(request, self._run.error_text(error))
        if _normalize(answer) in _ALWAYS_WORDS:
            self._always.update(wanted)
        return None if _is_allowance(answer) else self._denial(request, answer or "")

    def _permission_request(self, effect: e.Act) -> PermissionRequest | None:
        tool = self._tools.get(effect.call.name)
        if tool is None:
            return None
        try:
            declared = to_builtins(tool.permission_request(effect.call.params))
            return convert(declared, PermissionRequest | None)
        except Exception:
            LOG.exception("%s failed to say what to ask permission for", effect.call.name)
            return PermissionRequest("destructive", effect.call.name)

    def _is_allowed(self, wanted: str) -> bool:
        return wanted in self._always or any(
            is_permitted(pattern, wanted) for pattern in self._allow
        )

    async def _ask(self, effect: e.Act, request: PermissionRequest) -> str | None:
        """Ask a person and record the answer; return None if no person is present."""
        what, tool = _preview(request.subject, self._language), visible(effect.call.name)
        wording = text(_QUESTIONS[request.kind], self._language, tool=tool, what=what)
        command = AskQuestion(
            wording, "permit", call_line(effect.call)[:REF_CHARACTERS], effect.task
        )
        question = self._run.commit((command,), partial(_open_question, command))
        await self._inner.handle(e.Emit(Asked(question)))
        reply = await self._inner.handle(e.Ask(question))
        answer = reply.text if isinstance(reply, e.Answered) else None
        return self._record_answer(question, answer)

    def _record_answer(self, question: Question, answer: str | None = None) -> str | None:
        """Record an answer, or that there was none; an answer recorded before takes precedence."""
        given = (answer or "").strip()[:_ANSWER_CHARACTERS]
        actor = PERSON if given else self._run.plan.actor
        recorded = redact_text(given) or text("permit_nobody", self._language)
        try:
            command = AnswerQuestion(recorded, actor, question.id)
            self._run.commit((command,), self._run.view_after)
        except Refused:
            return self._run.read(lambda state: _stored_answer(state, question))
        return given or None

    def _denial(self, request: PermissionRequest, answer: str) -> e.Acted:
        key = "not_permitted_answer" if answer else "not_permitted"
        what, reply = _preview(request.subject, self._language), visible(answer)
        error = NotPermitted(key, what=what, answer=reply)
        message = explain(error, self._language)
        return e.Acted(self._run.now(), self._run.view(), error=message, code=error.code)


def _pattern_kind(request: PermissionRequest, effect: e.Act) -> str:
    return "path" if request.kind == "outside" else effect.call.name


def _preview(what: str, language: Language) -> str:
    """Return the subject on one line without secrets; both ends of a long one."""
    redacted = visible(redact_text(what))
    if len(redacted) <= _PREVIEW_CHARACTERS:
        return redacted
    half = _PREVIEW_CHARACTERS // 2
    gap = text("left_out", language, count=len(redacted) - 2 * half)
    return f"{redacted[:half]} {gap} {redacted[-half:]}"


def _normalize(answer: str | None) -> str:
    return (answer or "").strip().strip(_END_MARKS).casefold()


def _is_allowance(answer: str | None) -> bool:
    return _normalize(answer) in _YES_WORDS | _ALWAYS_WORDS


def _open_question(command: AskQuestion, state: PlanState, _commit: Commit) -> Question:
    """Return the question that a commit asked, or the equal one that was already open."""
    return next(
        question
        for question in reversed(state.ledger.conversation.questions.values())
        if (question.text, question.about, question.answer) == (command.text, command.about, None)
    )


def _stored_answer(state: PlanState, question: Question) -> str | None:
    stored = state.ledger.conversation.questions.get(question.id)
    return None if stored is None else stored.answer
