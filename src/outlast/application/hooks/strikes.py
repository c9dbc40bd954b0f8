"""The 3-strike rule (R4.07): what keeps failing in the same way has to be done differently.

A failure is logged to the plan once: where a result is told to have failed and an error is going to
be told as well, the error counts.
"""

from __future__ import annotations

from traceback import format_exception
from typing import TYPE_CHECKING, Final

from outlast.application.context import injected
from outlast.application.hooks.params import params_digest
from outlast.domain.enact import receipt
from outlast.domain.loop_commands import Strike
from outlast.errors import OutlastError
from outlast.formats.redact.engine import redact
from outlast.ports.hook import HookResult
from outlast.texts import text, visible

if TYPE_CHECKING:
    from outlast.application.hooks.scene import Scene
    from outlast.ports.hook import HookContext

_CHARACTERS: Final = 2_000
_NAME: Final = 200
_STACK: Final = 8_000


def strikes(scene: Scene) -> HookResult | None:
    """Log a failure; warn from the third of its kind on, and in strict mode refuse it then."""
    context, rules = scene.context, scene.rules
    message = _message(context, told_again=scene.hooks.on_error)
    if not message or scene.is_own(context.tool_name):
        return None
    plan, tool = scene.place.need(), tool_name(context)
    logged = plan.log_error(tool, _clean(message), context.tool_params or None, _stack(context))
    if logged.count < rules.error_strike_limit:
        return None
    if rules.strict:
        plan.commit((Strike(tool, params_digest(context.tool_params)),), receipt)
    if scene.plan() is None:
        return None
    return HookResult(inject_context=injected.strike_warning(logged.count, scene.language))


def tool_name(context: HookContext) -> str:
    """Return the name under which the errors of a tool are kept, whatever a model calls it."""
    return visible(context.tool_name)[:_NAME].strip() or "unknown"


def _message(context: HookContext, *, told_again: bool) -> str:
    if context.point == "on_error":
        return _words(context.error)
    result = context.tool_result
    if result is None or result.success or (context.error and told_again):
        return ""
    return result.error


def _words(error: BaseException | None) -> str:
    return str(error or "") or text("hook_unknown_error")


def _clean(message: str) -> str:
    return redact(message)[:_CHARACTERS].encode(errors="replace").decode()


def _stack(context: HookContext) -> str:
    """Return where an error came from, if it is none of ours."""
    error = context.error
    if error is None or isinstance(error, OutlastError):
        return ""
    stack = redact("".join(format_exception(error)))
    return stack[-_STACK:].encode(errors="replace").decode()
