"""The 3-strike rule (R4.07): warn about a repeated failure, and refuse to repeat it.

Each failure is logged to the plan once: if `post_tool_use` and `on_error` both report it,
`on_error` counts.

The loop of Outlast does not run a call again that has failed three times, until another call may
have changed something or the user says something; with or without a plan, in one conversation. In
strict mode the refusal is stored in the plan and survives restarts: the call is allowed again once
another call of the tool succeeds, the errors are cleared, or a person allows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.context import blocks
from outlast.context.tool import digest
from outlast.errors import OutlastError
from outlast.hooks.port import HookContext, HookResult, Json
from outlast.language import text, visible
from outlast.model.commands import ClearStrikes, Strike
from outlast.model.execute import return_commit

if TYPE_CHECKING:
    from outlast.hooks.rules import RuleContext
    from outlast.plan.plan import Plan

_MESSAGE_CHARACTERS: Final = 2_000
_NAME_CHARACTERS: Final = 200
_STACK_CHARACTERS: Final = 8_000


def log_strike(context: RuleContext) -> HookResult | None:
    """Log a failure. From the limit on, warn; in strict mode, also mark the call as refused."""
    event, rules = context.event, context.rules
    message = _message(event, reported_again=context.hooks.on_error)
    if not message:
        return None
    repeats = context.counts.add_failure(_call_key(event))
    if context.is_plan_tool(event.tool_name):
        return _repeat_note(context, repeats)
    plan, tool = context.source.get_or_create(), tool_name(event)
    params, stack = event.tool_params or None, _stack(event)
    error = plan.notes.add_error(tool, _sanitize(message), params, stack, key=event.key)
    if error.count < rules.error_strike_limit:
        return None
    if rules.strict:
        plan.core.commit((Strike(tool, params_digest(event.tool_params)),), return_commit)
    if context.visible_plan() is None:
        return _repeat_note(context, error.count)
    warning = blocks.strike_warning(error.count, context.language, context.tools)
    return HookResult(inject_context=warning)


def _repeat_note(context: RuleContext, count: int) -> HookResult | None:
    """Tell the model of a loop that a call keeps failing, where no plan can be mentioned."""
    if not context.in_loop or count < context.rules.error_strike_limit:
        return None
    tool = tool_name(context.event)
    return HookResult(inject_context=blocks.repeat_note(tool, count, context.language))


def tool_name(event: HookContext) -> str:
    """Return the name under which a tool's errors are stored: printable, limited, never blank."""
    return visible(event.tool_name)[:_NAME_CHARACTERS].strip() or "unknown"


def _message(event: HookContext, *, reported_again: bool) -> str:
    if event.point == "on_error":
        return str(event.error or "") or text("hook_unknown_error")
    result = event.tool_result
    if result is None or result.success or (event.error and reported_again):
        return ""
    return result.error


def _sanitize(message: str) -> str:
    from outlast.redact.secrets import redact

    return redact(message).strip()[:_MESSAGE_CHARACTERS].encode(errors="replace").decode()


def _stack(event: HookContext) -> str:
    """Return the traceback of a foreign error; none for the project's own errors."""
    error = event.error
    if error is None or isinstance(error, OutlastError):
        return ""
    from traceback import format_exception

    from outlast.redact.secrets import redact

    stack = redact("".join(format_exception(error)))
    return stack[-_STACK_CHARACTERS:].encode(errors="replace").decode()


def params_digest(params: Json) -> str:
    """Return a digest of parameters that does not depend on the order of the keys."""
    import json

    return digest(json.dumps(params, sort_keys=True, separators=(",", ":"), default=str))


def _call_key(event: HookContext) -> str:
    """Return what makes calls equal: the tool and the parameters that are not empty."""
    from outlast.documents.contracts.fit import is_empty

    params = {name: value for name, value in event.tool_params.items() if not is_empty(value)}
    return f"{tool_name(event)} {params_digest(params)}"


def refuse_repeated_failure(context: RuleContext) -> HookResult | None:
    """Refuse a call that reached the strike limit."""
    plan = context.source.find() if context.rules.strict else None
    if plan is not None and (refusal := _refuse_struck(context, plan)) is not None:
        return refusal
    if not context.in_loop or not context.counts.failures:
        return None
    count = context.counts.failures.get(_call_key(context.event), 0)
    is_plan_tool = context.is_plan_tool(context.event.tool_name)  # others may change the plan
    if count < context.rules.error_strike_limit or is_plan_tool:
        return None
    note = blocks.strike_refusal(tool_name(context.event), context.language)
    return HookResult(should_continue=False, inject_context=note)


def _refuse_struck(context: RuleContext, plan: Plan) -> HookResult | None:
    tool = tool_name(context.event)
    struck = plan.core.read(lambda state: state.ledger.strikes.get(tool, ()))
    if params_digest(context.event.tool_params) not in struck:
        return None
    from shlex import quote

    about = f" --plan {quote(plan.key)}" if plan.key else ""
    return HookResult(
        should_continue=False,
        inject_context=blocks.strike_refusal(tool, context.language),
        notification=text("hook_struck_notice", context.language, tool=tool, common=about),
    )


def clear_strikes(context: RuleContext) -> None:
    """Allow all calls of a tool again after one of them succeeded.

    A success that may have changed something also lets every other call be tried again.
    """
    if context.has_succeeded and context.event.tool_name not in context.rules.view_tools:
        context.counts.failures.clear()
    plan = context.source.find() if context.has_succeeded else None
    if plan is not None:
        tool = tool_name(context.event)
        if plan.core.read(lambda state: tool in state.ledger.strikes):
            plan.core.commit((ClearStrikes(tool),), return_commit)
