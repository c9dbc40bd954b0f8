"""The built-in rules: plan injection (R4.05), reminders (R4.06) and the completion check (R4.08).

A rule takes a `RuleContext` and returns a `HookResult`, or None for nothing.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, Protocol

from outlast.context import blocks
from outlast.context.blocks import TOOL_NAMES, PlanOutline, findings_summary
from outlast.hooks.port import HookContext, HookResult
from outlast.language import Language, text, visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.config.settings import Settings
    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan

    Rule = Callable[["RuleContext"], HookResult | None]

_NOTE_TOOL: Final = "findings_write"
_MAX_FAILURES: Final = 1_000  # calls that are remembered
_MAX_LISTED: Final = 20  # open tasks in a completion check


class PlanSource(Protocol):
    """Gives the rules access to the plan."""

    @property
    def is_visible(self) -> bool:
        """Whether models and people are shown the plan."""

    def find(self) -> Plan | None:
        """Return the plan, or None."""

    def get_or_create(self) -> Plan:
        """Return the plan; create an empty one if there is none."""


class HookCounts:
    """What the rules remember of one conversation.

    `views` counts the view operations since the last reminder, `last_step` is the step that the
    model was told last, `failures` counts how often a call has failed since something changed.
    """

    def __init__(self) -> None:
        self.views = 0
        self.last_step: tuple[str, str] | None = None
        self.failures: dict[str, int] = {}

    def add_failure(self, call: str) -> int:
        """Count a failure of a call; return how often it has failed."""
        if len(self.failures) >= _MAX_FAILURES:
            self.failures.clear()
        self.failures[call] = self.failures.get(call, 0) + 1
        return self.failures[call]


class RuleContext:
    """What a rule can look at: the event, the plan, the settings.

    `is_plan_tool` tells the plan's own tools from the others. `in_loop`: the loop of Outlast runs
    the agent and offers it those tools.
    """

    def __init__(  # noqa: PLR0913 - what a rule can look at
        self,
        event: HookContext,
        source: PlanSource,
        *,
        settings: Settings,
        counts: HookCounts,
        language: Language,
        is_plan_tool: Callable[[str], bool],
        in_loop: bool = False,
    ) -> None:
        self.event, self.source, self.language = event, source, language
        self.rules, self.counts, self.is_plan_tool = settings.rules, counts, is_plan_tool
        self.hooks, self.in_loop = settings.hooks, in_loop
        self.tools = TOOL_NAMES[settings.loop.plan_tools] if in_loop else None

    @property
    def has_succeeded(self) -> bool:
        """Whether the tool of the event succeeded."""
        result = self.event.tool_result
        return result is not None and result.success

    def visible_plan(self) -> Plan | None:
        """Return the plan; None if it is hidden, or has neither a goal nor tasks."""
        plan = self.source.find() if self.source.is_visible else None
        if plan is None or plan.core.read(lambda state: not state.tasks and not state.goal):
            return None
        return plan


def step_in_progress(state: PlanState, actor: str) -> tuple[str, str] | None:
    """Return the phase and name of the actor's task in progress, else of any other actor's."""
    current = state.current_task(actor) or next(iter(state.tasks_in_progress()), None)
    if current is None:
        return None
    task = state.tasks[current]
    return state.phases[task.phase].title, task.name


def inject_existing_plan(context: RuleContext) -> HookResult | None:
    """Describe an unfinished plan to a session that starts."""
    plan = context.visible_plan()
    if plan is None:
        return None

    def describe(state: PlanState) -> HookResult | None:
        if state.status in ("completed", "failed"):
            return None
        paused = state.status == "paused"
        outline = PlanOutline(
            state.title, state.goal, state.finished_count, len(state.tasks), paused
        )
        current = step_in_progress(state, plan.actor)
        block = blocks.existing_plan(outline, current, context.language)
        notice = text("hook_found", context.language, title=visible(state.title))
        return HookResult(inject_context=block, notification=notice)

    return plan.core.read(describe)


def inject_current_task(context: RuleContext) -> HookResult | None:
    """Repeat the task in progress before a critical tool, and before a compaction."""
    tool = context.event.tool_name
    if context.event.point == "pre_tool_use" and tool not in context.rules.critical_tools:
        return None
    plan = context.visible_plan()
    step = (
        None if plan is None else plan.core.read(lambda state: step_in_progress(state, plan.actor))
    )
    if step is None or (context.in_loop and not _is_news(step, context)):
        return None
    return HookResult(inject_context=blocks.current_task(*step, context.language))


def _is_news(step: tuple[str, str], context: RuleContext) -> bool:
    """Return whether the model has to be told the step: a loop shows it in every request anyway."""
    is_told = context.event.point != "pre_tool_use" or context.counts.last_step == step
    context.counts.last_step = step
    return not is_told


def inject_error_history(context: RuleContext) -> HookResult | None:
    """List the recent errors of a critical tool before it runs."""
    tool, plan = context.event.tool_name, context.visible_plan()
    if plan is None or tool not in context.rules.critical_tools:
        return None
    errors = plan.notes.errors(tool)
    if not errors:
        return None
    return HookResult(inject_context=blocks.error_history(tool, errors, context.language))


def inject_findings(context: RuleContext) -> HookResult | None:
    """List the titles of the findings before a compaction."""
    plan = context.visible_plan()
    summary = "" if plan is None else findings_summary(plan.notes.findings(), context.language)
    return HookResult(inject_context=summary) if summary else None


def remind_to_note_findings(context: RuleContext) -> HookResult | None:
    """Remind the model after a few view operations without a finding (2-action rule)."""
    tool, counts = context.event.tool_name, context.counts
    if not context.has_succeeded:
        return None
    if tool == _NOTE_TOOL:
        counts.views = 0
    if tool not in context.rules.view_tools:
        return None
    counts.views += 1
    if counts.views < context.rules.action_threshold:
        return None
    count, counts.views = counts.views, 0
    has_tool = context.tools is None or context.tools["note"]
    if context.visible_plan() is None or not has_tool:
        return None
    reminder = blocks.view_reminder(count, context.language, context.tools)
    return HookResult(inject_context=reminder)


def remind_to_update_plan(context: RuleContext) -> HookResult | None:
    """Remind the model to update the plan after it wrote a file."""
    has_written = context.has_succeeded and context.event.tool_name in context.rules.write_tools
    if not has_written or context.visible_plan() is None:
        return None
    return HookResult(inject_context=blocks.write_reminder(context.language, context.tools))


def refuse_early_stop(context: RuleContext) -> HookResult | None:
    """Refuse a stop while tasks are open, unless the plan is paused or failed."""
    plan = context.visible_plan()
    if plan is None:
        return None
    return plan.core.read(lambda state: _check_completion(state, context, plan.actor))


def _check_completion(state: PlanState, context: RuleContext, actor: str) -> HookResult | None:
    language = context.language
    if state.status == "completed":
        done = text("loop_completed", language, done=state.finished_count, total=len(state.tasks))
        return HookResult(notification=done)
    if not state.tasks or state.status in ("paused", "failed"):
        return None
    if context.tools is not None:
        return _hold_loop(state, actor, context.tools["skip"], language)
    by_phase: dict[str, list[str]] = {}
    open_tasks = (
        task for task in state.tasks_in_order() if not task.finished or task is state.assumed_end
    )
    for task in islice(open_tasks, _MAX_LISTED):
        by_phase.setdefault(state.phases[task.phase].title, []).append(task.name)
    hidden = max(len(state.tasks) - state.finished_count - _MAX_LISTED, 0)
    return HookResult(
        should_continue=False,
        inject_context=blocks.completion_check(tuple(by_phase.items()), hidden, language),
        notification=text("hook_verify", language),
    )


def _hold_loop(state: PlanState, actor: str, skip: str, language: Language) -> HookResult | None:
    """Name the step to go on with; the end of a plan that is only assumed is up to the loop."""
    first = state.current_task(actor) or state.next_ready()
    task = state.tasks.get(first or 0) or next(
        (task for task in state.tasks_in_order() if not task.finished), None
    )
    if task is None:
        return None
    counts = {"done": state.finished_count, "total": len(state.tasks)}
    return HookResult(
        should_continue=False,
        inject_context=text("stop_held", language, step=task.id, skip=skip, **counts),
        notification=text("loop_held", language, **counts),
    )
