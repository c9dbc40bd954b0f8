"""The hooks engine (R4.04): calls the rules of a point in a fixed order and merges their results.

| point | rules, in this order; then the user's hooks, in the order they were given |
|---|---|
| session_start | existing plan |
| user_prompt | none |
| pre_tool_use | refusal of a repeated failure, current task, error history |
| post_tool_use | strikes, clearing of strikes, view reminder, write reminder |
| on_error | strikes |
| pre_compact | findings, current task |
| on_stop | completion check |
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.application.hooks.custom import call_hook, hook_name
from outlast.application.hooks.rules import (
    Counts,
    RuleContext,
    inject_current_task,
    inject_error_history,
    inject_existing_plan,
    inject_findings,
    refuse_early_stop,
    remind_to_note_findings,
    remind_to_update_plan,
)
from outlast.application.hooks.strikes import clear_strikes, log_strike, refuse_repeated_failure
from outlast.application.plan.plan_view import plan_view
from outlast.config.settings import Settings
from outlast.ports.hook import HookContext, HookResult, Point, ToolResult
from outlast.system.logs import LOG
from outlast.texts import text, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from outlast.application.hooks.rules import PlanSource, Rule
    from outlast.ports.effects import PlanView
    from outlast.ports.hook import Hook, Json
    from outlast.texts import Language

RULES: Final[dict[Point, tuple[Rule, ...]]] = {
    "session_start": (inject_existing_plan,),
    "user_prompt": (),
    "pre_tool_use": (refuse_repeated_failure, inject_current_task, inject_error_history),
    "post_tool_use": (log_strike, clear_strikes, remind_to_note_findings, remind_to_update_plan),
    "on_error": (log_strike,),
    "pre_compact": (inject_findings, inject_current_task),
    "on_stop": (refuse_early_stop,),
}
_NO_OBJECTION: Final = HookResult()


def _is_never_plan_tool(_tool: str) -> bool:
    return False


class HooksEngine:
    """Calls rules and hooks. A failing one is logged, reported once, and never stops the agent."""

    def __init__(
        self,
        source: PlanSource,
        settings: Settings | None = None,
        hooks: Iterable[Hook] = (),
        *,
        language: Language = "en",
        is_plan_tool: Callable[[str], bool] = _is_never_plan_tool,
    ) -> None:
        """Call hooks about the plan of `source`; errors of plan tools do not count as strikes."""
        self._source, self._hooks, self._language = source, tuple(hooks), language
        self._settings = Settings() if settings is None else settings
        self._is_plan_tool = is_plan_tool
        self._counts = Counts()
        self._reported: set[str] = set()

    def on_session_start(self) -> HookResult:
        """Call the hooks for the start of a session."""
        return self.call_hooks(HookContext("session_start"))

    def on_user_prompt(self, prompt: str) -> HookResult:
        """Call the hooks for a message of the user."""
        return self.call_hooks(HookContext("user_prompt", prompt=prompt))

    def pre_tool_use(self, tool_name: str, tool_params: Json | None = None) -> HookResult:
        """Call the hooks before a tool runs."""
        return self.call_hooks(HookContext("pre_tool_use", tool_name, tool_params or {}))

    def post_tool_use(
        self, tool_name: str, tool_params: Json | None = None, tool_result: ToolResult | None = None
    ) -> HookResult:
        """Call the hooks after a tool ran."""
        return self.call_hooks(
            HookContext("post_tool_use", tool_name, tool_params or {}, tool_result)
        )

    def on_error(
        self, tool_name: str, error: BaseException, tool_params: Json | None = None
    ) -> HookResult:
        """Call the hooks after a tool raised an error, instead of `post_tool_use`."""
        return self.call_hooks(HookContext("on_error", tool_name, tool_params or {}, error=error))

    def pre_compact(self) -> HookResult:
        """Call the hooks before the conversation is compacted."""
        return self.call_hooks(HookContext("pre_compact"))

    def on_stop(self, prompt: str = "") -> HookResult:
        """Call the hooks when the agent wants to stop."""
        return self.call_hooks(HookContext("on_stop", prompt=prompt))

    def call_hooks(self, context: HookContext) -> HookResult:
        """Call the rules and hooks of a point; none if the point is switched off."""
        if context.point == "session_start":
            self._counts.views = 0
        if not getattr(self._settings.hooks, context.point):
            return _NO_OBJECTION
        event = replace(context, action_count=self._counts.views)
        rule_context = self._rule_context(event)
        results = [
            self._call_safely(rule.__name__, partial(rule, rule_context))
            for rule in RULES[event.point]
        ]
        if self._hooks:
            plan = self._plan_view(rule_context)
            results += (
                self._call_safely(hook_name(hook), partial(call_hook, hook, event, plan))
                for hook in self._hooks
            )
        return _merge_results(result for result in results if result is not None)

    def _rule_context(self, event: HookContext) -> RuleContext:
        return RuleContext(
            event,
            self._source,
            settings=self._settings,
            counts=self._counts,
            language=self._language,
            is_plan_tool=self._is_plan_tool,
        )

    def _plan_view(self, context: RuleContext) -> PlanView | None:
        try:
            plan = context.visible_plan()
            return None if plan is None else plan.read(lambda state: plan_view(state, plan.actor))
        except Exception:
            LOG.exception("the plan cannot be shown to hooks")
            return None

    def _call_safely(self, name: str, call: Callable[[], HookResult | None]) -> HookResult | None:
        try:
            return call()
        except (Exception, SystemExit) as error:
            if name in self._reported:
                LOG.error("the hook %s failed again: %r", name, error)  # noqa: TRY400
                return None
            LOG.exception("the hook %s failed", name)
            self._reported.add(name)
            facts = {"name": visible(name), "problem": type(error).__name__}
            return HookResult(notification=text("hook_failed", self._language, **facts))


def _merge_results(given: Iterable[HookResult]) -> HookResult:
    """Continue only if all results do; join texts and notifications in order."""
    results = tuple(given)
    if not results:
        return _NO_OBJECTION
    return HookResult(
        should_continue=all(result.should_continue for result in results),
        inject_context="\n\n".join(filter(None, (result.inject_context for result in results))),
        notification="\n".join(filter(None, (result.notification for result in results))),
    )
