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

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec.structs import replace

from outlast.config.settings import Settings
from outlast.context.blocks import hook_note
from outlast.errors import StoreError
from outlast.hooks.custom import check_result, hook_function, hook_name, is_async
from outlast.hooks.port import Hook, HookContext, HookResult, Json, Point, ToolResult
from outlast.hooks.rules import (
    HookCounts,
    PlanSource,
    RuleContext,
    inject_current_task,
    inject_error_history,
    inject_existing_plan,
    inject_findings,
    refuse_early_stop,
    remind_to_note_findings,
    remind_to_update_plan,
)
from outlast.hooks.strikes import clear_strikes, log_strike, refuse_repeated_failure
from outlast.language import Language, text, visible
from outlast.plan.plan_view import plan_view
from outlast.system.logs import LOG

if TYPE_CHECKING:
    from outlast.context.plan_view import PlanView
    from outlast.hooks.rules import Rule

T = TypeVar("T")
RULES: Final[dict[Point, tuple[Rule, ...]]] = {
    "session_start": (inject_existing_plan,),
    "user_prompt": (),
    "pre_tool_use": (refuse_repeated_failure, inject_current_task, inject_error_history),
    "post_tool_use": (log_strike, clear_strikes, remind_to_note_findings, remind_to_update_plan),
    "on_error": (log_strike,),
    "pre_compact": (inject_findings, inject_current_task),
    "on_stop": (refuse_early_stop,),
}
# A coding agent's session tells where the plan is and decides about a stop itself. No rule shows a
# text there that a tool has written.
RULES_IN_HOST: Final[dict[Point, tuple[Rule, ...]]] = {
    "session_start": (),
    "user_prompt": (),
    "pre_tool_use": (refuse_repeated_failure,),
    "post_tool_use": (log_strike, clear_strikes),
    "on_error": (log_strike,),
    "pre_compact": (inject_current_task,),
    "on_stop": (),
}
# What a conversation needs no more that starts from a brief (R0.14).
_IN_BRIEF: Final = frozenset((inject_existing_plan, inject_findings))
_NO_OBJECTION: Final = HookResult()


def _is_never_plan_tool(_tool: str) -> bool:
    return False


class HooksEngine:
    """Calls rules and hooks, and merges what they want.

    A failure is logged, reported to people once, and never stops the agent. But what fails at
    `pre_tool_use` denies the call: it may have been there to refuse it. Of the rules only the
    refusal of a repeated failure denies.

    The methods that are named after a point block. Async code awaits `call_hooks`.
    """

    def __init__(  # noqa: PLR0913 - one keyword per option
        self,
        source: PlanSource,
        settings: Settings | None = None,
        hooks: Iterable[Hook] = (),
        *,
        language: Language = "en",
        is_plan_tool: Callable[[str], bool] = _is_never_plan_tool,
        in_loop: bool = False,
        in_host: bool = False,
        has_rules: bool = True,
        counts: HookCounts | None = None,
        reported: set[str] | None = None,
    ) -> None:
        """Call hooks about the plan of `source`; errors of plan tools do not count as strikes.

        `in_loop`: the loop of Outlast runs the agent. It opens conversations with a brief, so it
        needs no rule that repeats that, and it offers the plan's tools. `in_host`: a coding agent
        has a loop of its own, and is a process of its own for each event: its `counts`, and the
        failures that people have been `reported`, outlive the engine. Without `has_rules` only the
        hooks are called.
        """
        self._source, self._hooks, self._language = source, tuple(hooks), language
        self._settings = Settings() if settings is None else settings
        self._is_plan_tool, self._in_loop = is_plan_tool, in_loop
        self._rules: dict[Point, tuple[Rule, ...]] = {}
        if has_rules:
            self._rules = RULES_IN_HOST if in_host else RULES
        self._counts = HookCounts() if counts is None else counts
        self._reported = set[str]() if reported is None else reported

    def on_session_start(self) -> HookResult:
        """Call the hooks for the start of a session."""
        return self._call_hooks(HookContext("session_start"))

    def on_user_prompt(self, prompt: str) -> HookResult:
        """Call the hooks for a message of the user."""
        return self._call_hooks(HookContext("user_prompt", prompt=prompt))

    def pre_tool_use(self, tool_name: str, tool_params: Json | None = None) -> HookResult:
        """Call the hooks before a tool runs."""
        return self._call_hooks(HookContext("pre_tool_use", tool_name, tool_params or {}))

    def post_tool_use(
        self,
        tool_name: str,
        tool_params: Json | None = None,
        tool_result: ToolResult | None = None,
        key: str = "",
    ) -> HookResult:
        """Call the hooks after a tool ran; under a `key` the plan notes a failure once."""
        return self._call_hooks(
            HookContext("post_tool_use", tool_name, tool_params or {}, tool_result, key=key)
        )

    def on_error(
        self, tool_name: str, error: BaseException, tool_params: Json | None = None
    ) -> HookResult:
        """Call the hooks after a tool raised an error, instead of `post_tool_use`."""
        return self._call_hooks(HookContext("on_error", tool_name, tool_params or {}, error=error))

    def pre_compact(self) -> HookResult:
        """Call the hooks before the conversation is compacted."""
        return self._call_hooks(HookContext("pre_compact"))

    def on_stop(self, prompt: str = "") -> HookResult:
        """Call the hooks when the agent wants to stop."""
        return self._call_hooks(HookContext("on_stop", prompt=prompt))

    async def call_hooks(
        self,
        context: HookContext,
        counts: HookCounts | None = None,
        source: PlanSource | None = None,
    ) -> HookResult:
        """Call the rules and hooks of a point; none if the point is switched off.

        Async hooks are awaited. The rules and all other hooks run in threads, because they may
        read, write or wait. `counts` and `source` belong to one conversation; without them, to the
        engine.
        """
        from asyncio import CancelledError, current_task

        from outlast.system.threads import call_in_pool, call_in_thread

        if not self._is_on(context.point):
            return _NO_OBJECTION
        call_rules = partial(self._call_rules, context, counts, source)
        event, results, plan = await call_in_pool(call_rules)
        for hook in self._hooks:
            try:
                function = hook_function(hook, event.point)
                start = partial(function, event, plan)
                result = start() if is_async(function) else await call_in_thread(start)
                results.append(
                    check_result(hook, await result if isinstance(result, Awaitable) else result)
                )
            except (Exception, SystemExit, CancelledError) as error:
                task = current_task()
                if isinstance(error, CancelledError) and task is not None and task.cancelling():
                    raise  # the run is cancelled, not the hook
                results.append(self._report_failure(hook_name(hook), error, event.point))
        return _merge_results(results)

    def _call_hooks(self, context: HookContext) -> HookResult:
        """Do the same as `call_hooks` and block; an async hook gets an event loop of its own."""
        if not self._is_on(context.point):
            return _NO_OBJECTION
        event, results, plan = self._call_rules(context)
        for hook in self._hooks:
            try:
                result = hook_function(hook, event.point)(event, plan)
                result = _run_in_new_loop(result) if isinstance(result, Awaitable) else result
                results.append(check_result(hook, result))
            except (Exception, SystemExit) as error:  # noqa: BLE001 - a user's code
                results.append(self._report_failure(hook_name(hook), error, event.point))
        return _merge_results(results)

    def _is_on(self, point: Point) -> bool:
        return bool(getattr(self._settings.hooks, point))

    def _call_rules(
        self,
        context: HookContext,
        counts: HookCounts | None = None,
        source: PlanSource | None = None,
    ) -> tuple[HookContext, list[HookResult | None], PlanView | None]:
        """Call the rules of a point; return the context and the plan for the hooks as well."""
        counts = self._counts if counts is None else counts
        if context.point == "session_start":
            counts.views = 0
        if context.point == "user_prompt":
            counts.failures.clear()  # the user may have changed something
        event = replace(context, action_count=counts.views)
        rule_context = RuleContext(
            event,
            self._source if source is None else source,
            settings=self._settings,
            counts=counts,
            language=self._language,
            is_plan_tool=self._is_plan_tool,
            in_loop=self._in_loop,
        )
        left_out = _IN_BRIEF if self._in_loop else ()
        known = self._rules.get(event.point, ())
        rules = (rule for rule in known if rule not in left_out)
        results: list[HookResult | None] = []
        for rule in rules:
            results.append(result := self._call_rule(rule, rule_context))
            if result is not None and not result.should_continue:
                break  # what does not happen needs no further advice
        return event, results, self._plan_view(rule_context) if self._hooks else None

    def _call_rule(self, rule: Rule, context: RuleContext) -> HookResult | None:
        try:
            return rule(context)
        except (Exception, SystemExit) as error:
            if context.event.key and isinstance(error, StoreError):
                raise  # who reported the event keeps it, and reports it again
            point = context.event.point if rule is refuse_repeated_failure else None
            return self._report_failure(rule.__name__, error, point)

    def _plan_view(self, context: RuleContext) -> PlanView | None:
        try:
            plan = context.visible_plan()
            return (
                None if plan is None else plan.core.read(lambda state: plan_view(state, plan.actor))
            )
        except Exception:
            LOG.exception("the plan cannot be shown to hooks")
            return None

    def _report_failure(self, name: str, error: BaseException, point: Point | None) -> HookResult:
        """Log a failure and report it once; at `pre_tool_use`, deny the call and say why."""
        denies = point == "pre_tool_use"
        failure = f"{name} {point if denies else ''}"
        first_time = failure not in self._reported
        self._reported.add(failure)
        is_of_store = isinstance(error, StoreError)  # its message says enough
        trace = error if first_time and not is_of_store else None
        LOG.error(
            "the hook %s failed: %s", name, error if is_of_store else repr(error), exc_info=trace
        )
        key = "hook_failed_refused" if denies else "hook_failed"
        problem = text(key, self._language, name=visible(name), problem=type(error).__name__)
        return HookResult(
            should_continue=not denies,
            inject_context=hook_note(name, problem) if denies else "",
            notification=problem if first_time else "",
            refused_by=name if denies else "",
        )


def _run_in_new_loop(awaitable: Awaitable[T]) -> T:
    """Run an awaitable to its end in a thread; the caller's thread may have a loop that runs."""
    from asyncio import run
    from concurrent.futures import ThreadPoolExecutor

    async def wait() -> T:
        return await awaitable

    with ThreadPoolExecutor(1, "outlast-hook") as pool:
        return pool.submit(run, wait()).result()


def _merge_results(results: Iterable[HookResult | None]) -> HookResult:
    """Continue only if all results do; join texts, notifications and refusers in order."""
    wanted = [result for result in results if result is not None]
    if not wanted:
        return _NO_OBJECTION
    return HookResult(
        should_continue=all(result.should_continue for result in wanted),
        inject_context="\n\n".join(filter(None, (result.inject_context for result in wanted))),
        notification="\n".join(filter(None, (result.notification for result in wanted))),
        refused_by=", ".join(filter(None, (result.refused_by for result in wanted))),
    )
