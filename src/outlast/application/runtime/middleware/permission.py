"""Ask a person before a tool leaves the workspace or may destroy something.

Question and answer are in the plan, so that its log says who allowed what. It stands outside of the
attempts: what is only asked about has not been tried, and nobody's time to think is the tool's.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec import convert, to_builtins

from outlast.application.runtime.call_record import kept
from outlast.domain.limits import REF_CHARACTERS
from outlast.domain.loop_commands import AnswerQuestion, AskQuestion
from outlast.domain.model import PERSON, Question
from outlast.errors import NotPermitted, Refused
from outlast.formats.permit_pattern import permits
from outlast.formats.redact.fast import without_secrets
from outlast.ports import effects as e
from outlast.ports.events import Asked
from outlast.ports.tool import Concern
from outlast.system.logs import LOG
from outlast.texts import explain, text, visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.application.runtime.run import Desk
    from outlast.domain.changes import Commit
    from outlast.domain.state import PlanState
    from outlast.ports.tool import Tool
    from outlast.texts import Language

_SHOWN: Final = 1_500  # characters of what is asked about
_ANSWER: Final = 200  # characters of an answer that are kept
_QUESTIONS: Final = {"outside": "permit_outside", "destructive": "permit_destructive"}
_ONCE: Final = frozenset({"y", "yes", "ok", "allow", "once", "是", "好", "可以", "允许", "同意"})
_ALWAYS: Final = frozenset({"a", "always", "all", "总是", "始终", "一直", "全部"})

_MARKS: Final = ".!\u3002\uff01"  # with which people end an answer


class Permission:
    """Lets a call through that nobody has to be asked about, or that is allowed."""

    def __init__(  # noqa: PLR0913 - what it needs
        self,
        inner: e.Handler,
        desk: Desk,
        tools: Iterable[Tool],
        *,
        allow: Iterable[str] = (),
        yes: bool = False,
        language: Language = "en",
    ) -> None:
        """Wrap a handler; `allow` are patterns of what is allowed, with `yes` everything is."""
        self._inner, self._desk, self._language = inner, desk, language
        self._tools = {tool.name: tool for tool in tools}
        self._allow, self._yes = tuple(allow), yes
        self._always: set[str] = set()

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Ask about acting where need be; let the rest through."""
        if isinstance(effect, e.Act):
            refusal = await self._refusal(effect)
            return await self._inner.handle(effect) if refusal is None else refusal
        return await self._inner.handle(effect)

    async def _refusal(self, effect: e.Act) -> e.Acted | None:
        concern = self._concern(effect)
        if concern is None or self._yes:
            return None
        wanted = concern.each or (f"{_kind(concern, effect)}:{concern.what}",)
        if all(map(self._is_allowed, wanted)):
            return None
        try:
            answer = await self._ask(effect, concern)
        except Refused as error:
            return self._refused(concern, self._desk.words(error))
        if _meaning(answer) in _ALWAYS:
            self._always.update(wanted)
        return None if _allows(answer) else self._refused(concern, answer or "")

    def _concern(self, effect: e.Act) -> Concern | None:
        tool = self._tools.get(effect.call.name)
        if tool is None:
            return None
        try:
            said = to_builtins(tool.concern(effect.call.params))
            return convert(said, Concern | None)
        except Exception:
            LOG.exception("%s failed to say what to ask", effect.call.name)
            return Concern("destructive", effect.call.name)

    def _is_allowed(self, wanted: str) -> bool:
        return wanted in self._always or any(permits(one, wanted) for one in self._allow)

    async def _ask(self, effect: e.Act, concern: Concern) -> str | None:
        """Ask, and write the answer down; None if nobody is there."""
        what, tool = _shown(concern.what, self._language), visible(effect.call.name)
        said = text(_QUESTIONS[concern.kind], self._language, tool=tool, what=what)
        command = AskQuestion(said, "permit", kept(effect.call)[:REF_CHARACTERS], effect.task)
        question = self._desk.commit((command,), partial(_asked, command))
        await self._inner.handle(e.Tell(Asked(question)))
        reply = await self._inner.handle(e.Ask(question))
        answer = reply.text if isinstance(reply, e.Answered) else None
        return self._close(question, answer)

    def _close(self, question: Question, answer: str | None = None) -> str | None:
        """Write an answer down, or that there was none; one that is there already counts."""
        given = (answer or "").strip()[:_ANSWER]
        actor = PERSON if given else self._desk.plan.actor
        said = without_secrets(given) or text("permit_nobody", self._language)
        try:
            command = AnswerQuestion(said, actor, question.id)
            self._desk.commit((command,), self._desk.view_after)
        except Refused:
            return self._desk.read(lambda state: _answer(state, question))
        return given or None

    def _refused(self, concern: Concern, answer: str) -> e.Acted:
        key = "not_permitted_said" if answer else "not_permitted"
        what, said = _shown(concern.what, self._language), visible(answer)
        error = NotPermitted(key, what=what, answer=said)
        failed = explain(error, self._language)
        return e.Acted(self._desk.now(), self._desk.look(), failed=failed, code=error.code)


def _kind(concern: Concern, effect: e.Act) -> str:
    return "path" if concern.kind == "outside" else effect.call.name


def _shown(what: str, language: Language) -> str:
    """Return what is asked about in one line, without secrets; if it is long, both its ends."""
    safe = visible(without_secrets(what))
    if len(safe) <= _SHOWN:
        return safe
    half = _SHOWN // 2
    cut = text("left_out", language, count=len(safe) - 2 * half)
    return f"{safe[:half]} {cut} {safe[-half:]}"


def _meaning(answer: str | None) -> str:
    return (answer or "").strip().strip(_MARKS).casefold()


def _allows(answer: str | None) -> bool:
    return _meaning(answer) in _ONCE | _ALWAYS


def _asked(command: AskQuestion, state: PlanState, _commit: Commit) -> Question:
    """Answer a commit with the question that it asked, or that was open already."""
    return next(
        one
        for one in reversed(state.ledger.talk.questions.values())
        if (one.text, one.about, one.answer) == (command.text, command.about, None)
    )


def _answer(state: PlanState, question: Question) -> str | None:
    known = state.ledger.talk.questions.get(question.id)
    return None if known is None else known.answer
