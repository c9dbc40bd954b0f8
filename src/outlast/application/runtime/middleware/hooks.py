"""Ask the hooks before a tool runs and after it, and where a loop consults them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.application.hooks.engine import HooksEngine
from outlast.application.runtime.middleware.plan_tools import owns
from outlast.errors import OutOfBudget, ToolFailed
from outlast.ports import effects as e
from outlast.ports.events import Notified
from outlast.ports.hook import HookContext, ToolResult
from outlast.texts import text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outlast.application.plan.plan import Plan
    from outlast.application.runtime.run import Desk
    from outlast.config.settings import Settings
    from outlast.ports.hook import Hook, HookResult
    from outlast.ports.model import Call
    from outlast.texts import Language

HOOK_REFUSED: Final = "HOOK_REFUSED"


class HooksAsked:
    """Wraps acting in `pre_tool_use`, `post_tool_use` and `on_error`; answers `Consult`.

    A call that a hook refuses is not run. One for which the budget has nothing left was not run
    either, so nobody is asked about its end.
    """

    def __init__(
        self,
        inner: e.Handler,
        desk: Desk,
        settings: Settings,
        hooks: Iterable[Hook] = (),
        language: Language = "en",
    ) -> None:
        """Wrap a handler; the rules speak of the plan that is on the desk."""
        self._inner, self._desk, self._language = inner, desk, language
        place = _OnDesk(desk)
        self._engine = HooksEngine(place, settings, hooks, language=language, is_own=owns)

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Ask the hooks of acting and consulting; let the rest through."""
        if isinstance(effect, e.Act):
            return await self._act(effect)
        if isinstance(effect, e.Consult):
            said = self._engine.ask(HookContext(effect.point, prompt=effect.text))
            return self._advised(said)
        return await self._inner.handle(effect)

    def _advised(self, said: HookResult) -> e.Advised:
        now, plan, notice = self._desk.now(), self._desk.look(), self._notice(said)
        return e.Advised(now, plan, said.should_continue, tuple(_told(said)), notice)

    async def _act(self, effect: e.Act) -> e.Reply:
        call = effect.call
        before = await self._ask(HookContext("pre_tool_use", call.name, call.params))
        if not before.should_continue:
            return self._refused(before)
        reply = await self._inner.handle(effect)
        if not isinstance(reply, e.Acted) or reply.code == OutOfBudget.code:
            return reply
        after = [await self._ask(context) for context in _ended(call, reply)]
        told = (one for said in (before, *after) for one in _told(said))
        return replace(reply, plan=self._desk.look(), inject=(*reply.inject, *told))

    def _refused(self, said: HookResult) -> e.Acted:
        now, plan = self._desk.now(), self._desk.look()
        failed = text("hook_refused", self._language)
        return e.Acted(now, plan, failed=failed, code=HOOK_REFUSED, inject=tuple(_told(said)))

    async def _ask(self, context: HookContext) -> HookResult:
        """Ask the hooks of a point, and tell people what they want them to know."""
        said = self._engine.ask(context)
        notice = self._notice(said)
        if notice:
            await self._inner.handle(e.Tell(Notified(notice, "hook")))
        return said

    def _notice(self, said: HookResult) -> str:
        """Return what people are to know; that the plan is lost they are told elsewhere, once."""
        desk = self._desk
        if not said.notification or not desk.kept:
            return said.notification
        desk.look()
        return "" if desk.trouble else said.notification


def _told(said: HookResult) -> Iterator[str]:
    if said.inject_context:
        yield said.inject_context


def _ended(call: Call, reply: e.Acted) -> Iterator[HookContext]:
    """Yield the points that a call comes to once it has ended; one that failed comes to two."""
    result = ToolResult(not reply.failed, reply.output, reply.failed)
    error = _CallFailed("call_failed", problem=reply.failed) if reply.failed else None
    yield HookContext("post_tool_use", call.name, call.params, result, error)
    if error is not None:
        yield HookContext("on_error", call.name, call.params, result, error)


class _CallFailed(ToolFailed):
    """A failed call, in the words that the tool chose."""

    def __str__(self) -> str:
        return str(self.details["problem"])


class _OnDesk:
    """The plan that a loop works on; a makeshift one is not spoken of."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    @property
    def shown(self) -> bool:
        return self._desk.kept

    def find(self) -> Plan:
        return self._desk.plan

    def need(self) -> Plan:
        return self._desk.plan
