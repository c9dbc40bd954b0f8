"""The methods of the server as handlers of the SDK, which serves clients over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from outlast.mcp.json_rpc import Id, Json, ProtocolError
from outlast.mcp.params import Capabilities, read_params
from outlast.mcp.service import NAME

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server.connection import Connection
    from mcp.server.context import ServerRequestContext

    from outlast.mcp.server import PlanServer

_PARAMS: Final[dict[str, type[types.RequestParams]]] = {
    "resources/read": types.ReadResourceRequestParams,
    "resources/subscribe": types.SubscribeRequestParams,
    "resources/unsubscribe": types.UnsubscribeRequestParams,
    "subscriptions/listen": types.SubscriptionsListenRequestParams,
    "tools/call": types.CallToolRequestParams,
}
_NOTIFICATIONS: Final[dict[str, Any]] = {
    "notifications/resources/updated": types.ResourceUpdatedNotification,
    "notifications/subscriptions/acknowledged": types.SubscriptionsAcknowledgedNotification,
}


def sdk_server(server: PlanServer) -> Server[Any]:
    """Return a server of the SDK that answers as ours does."""
    service = server.service
    sdk: Server[Any] = Server(NAME, version=service.version, instructions=service.instructions)
    sdk.middleware.clear()  # it traces for a library that is not configured here

    async def answer(context: ServerRequestContext[Any, Any], _params: object) -> Json:
        try:
            params = {**(context.params or {})}
            return await server.answer(context.method, params, _SdkCaller(context))
        except ProtocolError as error:
            raise MCPError(error.code, error.message, error.data) from None

    for is_stateless in (False, True):
        for method in server.methods(is_stateless=is_stateless):
            sdk.add_request_handler(method, _PARAMS.get(method, types.RequestParams), answer)
    return sdk


class _SdkCaller:
    """The client of one request over HTTP."""

    def __init__(self, context: ServerRequestContext[Any, Any]) -> None:
        self._context = context
        self.request_id: Id = context.request_id if context.request_id is not None else ""
        self.is_stateless = context.protocol_version in MODERN_PROTOCOL_VERSIONS

    @property
    def can_ask(self) -> bool:
        said = self._context.session.client_capabilities
        return said is not None and read_params(Capabilities, said.model_dump()).can_ask

    async def ask(self, message: str, schema: Json) -> Json:
        session, number = self._context.session, self._context.request_id
        reply = await session.elicit_form(message, schema, related_request_id=number)
        said: Json = reply.model_dump(by_alias=True)
        return said

    async def notify(self, method: str, params: Json) -> None:
        notification = _NOTIFICATIONS[method].model_validate({"method": method, "params": params})
        await self._context.session.send_notification(notification, self._context.request_id)

    @property
    def session(self) -> Connection:
        return self._context.session._connection  # noqa: SLF001 - the SDK has no other way to it

    def at_session_end(self, call: Callable[[], None]) -> None:
        self.session.exit_stack.callback(call)
