"""Call the hooks around a tool call, and at the points where a loop consults them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.application.hooks.engine import HooksEngine
from outlast.application.runtime.middleware.plan_tools import is_plan_tool
from outlast.errors import OutOfBudget, ToolFailed
from outlast.ports import effects as e
from outlast.ports.events import Notified
from outlast.ports.hook import HookContext, ToolResult
from outlast.texts import text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outlast.application.plan.plan import Plan
    from outlast.application.runtime.run import Run
    from outlast.config.settings import Settings
    from outlast.ports.hook import Hook, HookResult
    from outlast.ports.model import Call
    from outlast.texts import Language

HOOK_REFUSED: Final = "HOOK_REFUSED"


class HookMiddleware:
    """Calls `pre_tool_use`, `post_tool_use` and `on_error` around `Act`; answers `Consult`.

    A call that a hook refuses is not run. A call without budget was not run either, so its end is
    not reported to hooks.
    """

    def __init__(
        self,
        inner: e.Handler,
        run: Run,
        settings: Settings,
        hooks: Iterable[Hook] = (),
        language: Language = "en",
    ) -> None:
        """Wrap a handler; the rules look at the plan of the run."""
        self._inner, self._run, self._language = inner, run, language
        source = _RunPlanSource(run)
        self._engine = HooksEngine(
            source, settings, hooks, language=language, is_plan_tool=is_plan_tool
        )

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Call the hooks for `Act` and `Consult`."""
        if isinstance(effect, e.Act):
            return await self._act(effect)
        if isinstance(effect, e.Consult):
            result = self._engine.call_hooks(HookContext(effect.point, prompt=effect.text))
            return self._advice(result)
        return await self._inner.handle(effect)

    def _advice(self, result: HookResult) -> e.Advised:
        now, plan, notice = self._run.now(), self._run.view(), self._notice(result)
        return e.Advised(now, plan, result.should_continue, tuple(_injections(result)), notice)

    async def _act(self, effect: e.Act) -> e.Reply:
        call = effect.call
        before = await self._call_hooks(HookContext("pre_tool_use", call.name, call.params))
        if not before.should_continue:
            return self._refusal(before)
        reply = await self._inner.handle(effect)
        if not isinstance(reply, e.Acted) or reply.code == OutOfBudget.code:
            return reply
        after = [await self._call_hooks(context) for context in _end_events(call, reply)]
        injected = (block for result in (before, *after) for block in _injections(result))
        return replace(reply, plan=self._run.view(), inject=(*reply.inject, *injected))

    def _refusal(self, result: HookResult) -> e.Acted:
        now, plan = self._run.now(), self._run.view()
        error = text("hook_refused", self._language)
        return e.Acted(now, plan, error=error, code=HOOK_REFUSED, inject=tuple(_injections(result)))

    async def _call_hooks(self, context: HookContext) -> HookResult:
        """Call the hooks of a point and emit their notification."""
        result = self._engine.call_hooks(context)
        notice = self._notice(result)
        if notice:
            await self._inner.handle(e.Emit(Notified(notice, "hook")))
        return result

    def _notice(self, result: HookResult) -> str:
        """Return the notification, unless the plan is lost: `Fallback` reports that once."""
        run = self._run
        if not result.notification or run.is_scratch:
            return result.notification
        run.view()
        return "" if run.store_error else result.notification


def _injections(result: HookResult) -> Iterator[str]:
    if result.inject_context:
        yield result.inject_context


def _end_events(call: Call, reply: e.Acted) -> Iterator[HookContext]:
    """Yield the points after a call: `post_tool_use`, and `on_error` if it failed."""
    result = ToolResult(not reply.error, reply.output, reply.error)
    error = _CallFailed("call_failed", problem=reply.error) if reply.error else None
    yield HookContext("post_tool_use", call.name, call.params, result, error)
    if error is not None:
        yield HookContext("on_error", call.name, call.params, result, error)


class _CallFailed(ToolFailed):
    """A failed call, in the words of the tool."""

    def __str__(self) -> str:
        return str(self.details["problem"])


class _RunPlanSource:
    """The plan of a run; a scratch plan is hidden."""

    def __init__(self, run: Run) -> None:
        self._run = run

    @property
    def is_visible(self) -> bool:
        return not self._run.is_scratch

    def find(self) -> Plan:
        return self._run.plan

    def get_or_create(self) -> Plan:
        return self._run.plan
