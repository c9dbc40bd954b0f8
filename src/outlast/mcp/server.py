"""The server on top of the SDK: its handlers for tools, resources, subscriptions and questions."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Any, Final, TypeVar

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from outlast.errors import OutlastError
from outlast.language import explain, text
from outlast.mcp import tool_calls
from outlast.mcp.resources import parse_address, read_resource
from outlast.mcp.service import NAME, Service
from outlast.mcp.watch import ResourceWatch
from outlast.plan.tools.server_sets import server_tools
from outlast.system.processes import run_stoppable
from outlast.system.threads import call_in_thread

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server.connection import Connection
    from mcp.server.context import ServerRequestContext

    from outlast.plan.tools.plan_tool import PlanTool

T = TypeVar("T")
Context = Any  # `ServerRequestContext` of the SDK, whose parameters say nothing here
_RESOURCE_MISSING: Final = -32002  # as the protocol numbers it until 2025-11-25
_INVALID: Final = -32602
# Tools that only the package mcplanmanager has, and the commands that do the same.
_COMMANDS: Final = {"dumpPlan": "outlast export", "loadPlan": "outlast import FILE"}


class PlanServer:
    """The handlers of one server, for all of its connections."""

    def __init__(self, service: Service) -> None:
        """Prepare to serve; `sdk` is what a transport drives."""
        self._service = service
        self._tools = server_tools(service.which)
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus)
        self._watch = ResourceWatch(service.plans, service.language, self._publish)
        self._subscriptions: dict[Connection, set[str]] = {}
        self.sdk: Server[Any] = Server(
            NAME,
            version=service.version,
            instructions=service.instructions,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._unsubscribe,
            on_subscriptions_listen=self._follow,
        )
        self.sdk.middleware.clear()  # it traces for a library that is not configured here

    async def close(self) -> None:
        """End all subscriptions."""
        self._listen.close()
        await self._watch.close()

    # Lists

    async def _list_tools(self, _context: Context, _params: object) -> types.ListToolsResult:
        return types.ListToolsResult.model_validate(self._service.tools())

    async def _list_resources(
        self, _context: Context, _params: object
    ) -> types.ListResourcesResult:
        listing = await call_in_thread(self._service.resources)
        return types.ListResourcesResult.model_validate(listing)

    async def _list_templates(
        self, _context: Context, _params: object
    ) -> types.ListResourceTemplatesResult:
        listing = self._service.templates()
        return types.ListResourceTemplatesResult.model_validate(listing)

    # Tools

    async def _call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        tool = self._find_tool(params.name)
        if tool.name in tool_calls.ASKING:
            answer = await self._ask(context, params, tool)
            if isinstance(answer, types.InputRequiredResult):
                return answer
        else:
            answer = await self._run(
                partial(
                    tool_calls.call_plan_tool, self._service.plans, tool, params.arguments or {}
                )
            )
        return types.CallToolResult(
            content=[types.TextContent(text=answer.text)],
            structured_content=answer.structured,
            is_error=answer.is_error,
        )

    def _find_tool(self, name: str) -> PlanTool:
        tool = self._tools.get(name)
        if tool is not None:
            return tool
        if name in _COMMANDS and self._service.which == "planmanager":
            raise MCPError(_INVALID, text("mcp_tool_is_command", command=_COMMANDS[name]))
        from difflib import get_close_matches

        nearest = get_close_matches(name[:100], self._tools, 1, 0)[0]
        raise MCPError(_INVALID, text("mcp_tool_unknown", nearest=nearest))

    @staticmethod
    async def _run(function: Callable[[], T]) -> T:
        """Run what may block; if the client cancels the call, stop the checks that this runs."""
        stop = Event()
        try:
            return await call_in_thread(partial(run_stoppable, function, stop))
        finally:
            stop.set()

    async def _ask(
        self, context: Context, params: types.CallToolRequestParams, tool: PlanTool
    ) -> tool_calls.ToolAnswer | types.InputRequiredResult:
        """Ask the person at the client: in a request of ours, or since 2026 in the result.

        In the second form the client calls again with the answer, which counts if it is one to
        the question as it would be asked now.
        """
        may_decide = self._service.is_persons_client or tool.name not in tool_calls.DECISIONS
        if not (may_decide and _can_ask(context)):
            return tool_calls.refuse_to_ask(tool)
        service, arguments = self._service, params.arguments or {}
        form = await call_in_thread(
            partial(tool_calls.prepare_form, service.plans, tool, arguments, service.language)
        )
        if isinstance(form, tool_calls.ToolAnswer):
            return form
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            reply = (params.input_responses or {}).get(tool_calls.FIELD)
            if reply is None or params.request_state != form.digest:
                return types.InputRequiredResult(
                    input_requests={tool_calls.FIELD: _elicitation(form)}, request_state=form.digest
                )
        else:
            reply = await context.session.elicit_form(
                form.message, form.schema, related_request_id=context.request_id
            )
        answer = None
        if isinstance(reply, types.ElicitResult) and reply.action == "accept":
            answer = (reply.content or {}).get(tool_calls.FIELD)
        return await call_in_thread(partial(tool_calls.record_answer, tool, form, answer))

    # Resources

    async def _read_resource(
        self, _context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        service = self._service
        try:
            part = parse_address(params.uri).part
            shown = await call_in_thread(
                partial(read_resource, service.plans, params.uri, service.language)
            )
        except OutlastError as error:
            raise MCPError(_RESOURCE_MISSING, explain(error), {"uri": params.uri}) from None
        contents = types.TextResourceContents(uri=params.uri, mime_type=part.mime_type, text=shown)
        return types.ReadResourceResult(contents=[contents])

    async def _subscribe(
        self, context: Context, params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        uri, connection = _check_uri(params.uri), _connection(context)
        if connection not in self._subscriptions:
            self._subscriptions[connection] = set()
            connection.exit_stack.callback(self._unsubscribe_all, connection)
        uris = self._subscriptions[connection]
        if uri not in uris:
            uris.add(uri)
            await self._watch.add(uri)
        return types.EmptyResult()

    async def _unsubscribe(
        self, context: Context, params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        uris = self._subscriptions.get(_connection(context), set())
        if params.uri in uris:
            uris.remove(params.uri)
            self._watch.remove(params.uri)
        return types.EmptyResult()

    def _unsubscribe_all(self, connection: Connection) -> None:
        """Drop the subscriptions of a connection that has ended."""
        for uri in self._subscriptions.pop(connection):
            self._watch.remove(uri)

    async def _follow(
        self, context: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Serve a stream of notifications, the form of subscriptions since 2026."""
        uris = [_check_uri(uri) for uri in params.notifications.resource_subscriptions or ()]
        with ExitStack() as stack:
            for uri in uris:
                stack.callback(self._watch.remove, uri)
                await self._watch.add(uri)
            ended: types.SubscriptionsListenResult = await self._listen(context, params)
            return ended

    async def _publish(self, uri: str) -> None:
        """Notify every client that has subscribed to a resource that it has changed."""
        await self._bus.publish(ResourceUpdated(uri))
        for connection, uris in list(self._subscriptions.items()):
            if uri in uris:
                await connection.send_resource_updated(uri)


def _check_uri(uri: str) -> str:
    try:
        parse_address(uri)
    except OutlastError as error:
        raise MCPError(_RESOURCE_MISSING, explain(error), {"uri": uri}) from None
    return uri


def _connection(context: ServerRequestContext[Any, Any]) -> Connection:
    """Return the connection of a request: a session over HTTP, or the standard streams."""
    return context.session._connection  # noqa: SLF001 - the SDK has no other way to its exit stack


def _can_ask(context: ServerRequestContext[Any, Any]) -> bool:
    """Return whether the client has said that it shows forms to a person."""
    capabilities = context.session.client_capabilities
    elicitation = None if capabilities is None else capabilities.elicitation
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def _elicitation(form: tool_calls.Form) -> types.ElicitRequest:
    params = types.ElicitRequestFormParams(message=form.message, requested_schema=form.schema)
    return types.ElicitRequest(params=params)
