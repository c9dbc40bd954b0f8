"""Requests that call a tool: on the plan that the server is about, or by asking a person."""

from __future__ import annotations

from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Final, TypeVar

from outlast.language import text
from outlast.mcp import tool_calls
from outlast.mcp.json_rpc import INVALID_PARAMS, Json, ProtocolError
from outlast.mcp.params import CallParams, form_params, read_params
from outlast.plan.tools.server_sets import server_tools
from outlast.system.processes import run_stoppable
from outlast.system.threads import call_in_thread

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.mcp.caller import Caller
    from outlast.mcp.service import Service
    from outlast.plan.tools.plan_tool import PlanTool

T = TypeVar("T")
# Tools that only the package mcplanmanager has, and the commands that do the same.
_COMMANDS: Final = {"dumpPlan": "outlast export", "loadPlan": "outlast import FILE"}


class ToolRequests:
    """Calls the tools of one set."""

    def __init__(self, service: Service) -> None:
        """Take the set of a service."""
        self._service = service
        self._tools = server_tools(service.which)

    async def answer(self, params: Json, caller: Caller) -> Json:
        """Return the result of a call. Raises `ProtocolError` if there is no such tool."""
        call = read_params(CallParams, params)
        tool = self._find_tool(call.name)
        if tool.name in tool_calls.ASKING:
            return await self._ask(tool, call, caller)
        plans, arguments = self._service.plans, call.arguments or {}
        return _tool_result(await _run(partial(tool_calls.call_plan_tool, plans, tool, arguments)))

    def _find_tool(self, name: str) -> PlanTool:
        tool = self._tools.get(name)
        if tool is not None:
            return tool
        if name in _COMMANDS and self._service.which == "planmanager":
            raise ProtocolError(
                INVALID_PARAMS, text("mcp_tool_is_command", command=_COMMANDS[name])
            )
        from difflib import get_close_matches

        nearest = get_close_matches(name[:100], self._tools, 1, 0)[0]
        raise ProtocolError(INVALID_PARAMS, text("mcp_tool_unknown", nearest=nearest))

    async def _ask(self, tool: PlanTool, call: CallParams, caller: Caller) -> Json:
        """Ask the person at the client: in a request of ours, or since 2026 in the result.

        In the second form the client calls again with the answer, which counts if it is one to
        the question as it would be asked now.
        """
        may_decide = self._service.is_persons_client or tool.name not in tool_calls.DECISIONS
        if not (may_decide and caller.can_ask):
            return _tool_result(tool_calls.refuse_to_ask(tool))
        service, arguments = self._service, call.arguments or {}
        form = await call_in_thread(
            partial(tool_calls.prepare_form, service.plans, tool, arguments, service.language)
        )
        if isinstance(form, tool_calls.ToolAnswer):
            return _tool_result(form)
        if caller.is_stateless:
            given = (call.input_responses or {}).get(tool_calls.FIELD)
            if given is None or call.request_state != form.digest:
                return _input_required(form)
            reply = {"action": given.action, "content": given.content}
        else:
            reply = await caller.ask(form.message, form.schema)
        content = reply.get("content") if reply.get("action") == "accept" else None
        answer = content.get(tool_calls.FIELD) if isinstance(content, dict) else None
        return _tool_result(
            await call_in_thread(partial(tool_calls.record_answer, tool, form, answer))
        )


async def _run(function: Callable[[], T]) -> T:
    """Run what may block; if the client cancels the call, stop the checks that this runs."""
    stop = Event()
    try:
        return await call_in_thread(partial(run_stoppable, function, stop))
    finally:
        stop.set()


def _tool_result(answer: tool_calls.ToolAnswer) -> Json:
    return {
        "content": [{"type": "text", "text": answer.text}],
        "structuredContent": answer.structured,
        "isError": answer.is_error,
    }


def _input_required(form: tool_calls.Form) -> Json:
    """Return the result that asks the client to call again with the person's answer."""
    asked = {"method": "elicitation/create", "params": form_params(form.message, form.schema)}
    return {
        "resultType": "input_required",
        "inputRequests": {tool_calls.FIELD: asked},
        "requestState": form.digest,
    }
