"""What the server does: the methods of the protocol, for every client over every transport.

Until 2025-11-25 a client opens a connection with a handshake, subscribes to resources one by one,
and is sent requests of the server's. Since 2026-07-28 each request stands alone: one that a person
has to answer is sent again with the answer, and subscriptions are the stream of one request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.mcp.json_rpc import METHOD_NOT_FOUND, Json, ProtocolError
from outlast.mcp.params import ListParams, read_params
from outlast.system.threads import call_in_thread

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from outlast.mcp.caller import Caller
    from outlast.mcp.resource_requests import ResourceRequests
    from outlast.mcp.service import Service
    from outlast.mcp.tool_requests import ToolRequests

_SERVER_INFO: Final = "io.modelcontextprotocol/serverInfo"
# Results that a client may keep since 2026; ours are out of date at once.
_CACHEABLE: Final = (
    *("tools/list", "resources/list", "resources/templates/list", "resources/read"),
    "server/discover",
)


class PlanServer:
    """Answers requests, of any number of clients."""

    def __init__(self, service: Service) -> None:
        """Prepare to serve."""
        self.service = service
        self._tools: ToolRequests | None = None
        self._resources: ResourceRequests | None = None
        shared = {
            "tools/list": self._list_tools,
            "tools/call": self._call_tool,
            "resources/list": self._list_resources,
            "resources/templates/list": self._list_templates,
            "resources/read": self._read_resource,
        }
        self._methods: dict[bool, dict[str, Callable[[Json, Caller], Awaitable[Json]]]] = {
            False: {
                "ping": self._ping,
                "resources/subscribe": self._subscribe,
                "resources/unsubscribe": self._unsubscribe,
                **shared,
            },
            True: {
                "server/discover": self._discover,
                "subscriptions/listen": self._listen,
                **shared,
            },
        }

    def methods(self, *, is_stateless: bool) -> list[str]:
        """Return the names of the methods that a client can call."""
        return [*self._methods[is_stateless]]

    async def answer(self, method: str, params: Json, caller: Caller) -> Json:
        """Return the result of a request. Raises `ProtocolError`."""
        handle = self._methods[caller.is_stateless].get(method)
        if handle is None:
            raise ProtocolError(METHOD_NOT_FOUND, "Method not found", method)
        result = await handle(params, caller)
        return self._complete(method, result) if caller.is_stateless else result

    def _complete(self, method: str, result: Json) -> Json:
        """Return a result with what all have since 2026."""
        fresh = {"ttlMs": 0, "cacheScope": "private"} if method in _CACHEABLE else {}
        meta = {**result.get("_meta", {}), _SERVER_INFO: self.service.info}
        return {"resultType": "complete", **fresh, **result, "_meta": meta}

    async def close(self) -> None:
        """End all subscriptions."""
        if self._resources is not None:
            await self._resources.close()

    async def _ping(self, _params: Json, _caller: Caller) -> Json:
        return {}

    async def _discover(self, _params: Json, _caller: Caller) -> Json:
        return self.service.discovery()

    async def _list_tools(self, params: Json, _caller: Caller) -> Json:
        read_params(ListParams, params)
        return self.service.tools()

    async def _list_resources(self, params: Json, _caller: Caller) -> Json:
        read_params(ListParams, params)
        return await call_in_thread(self.service.resources)

    async def _list_templates(self, params: Json, _caller: Caller) -> Json:
        read_params(ListParams, params)
        return self.service.templates()

    async def _call_tool(self, params: Json, caller: Caller) -> Json:
        if self._tools is None:
            from outlast.mcp.tool_requests import ToolRequests

            self._tools = ToolRequests(self.service)
        return await self._tools.answer(params, caller)

    @property
    def resources(self) -> ResourceRequests:
        """What answers requests about resources."""
        if self._resources is None:
            from outlast.mcp.resource_requests import ResourceRequests

            self._resources = ResourceRequests(self.service)
        return self._resources

    async def _read_resource(self, params: Json, _caller: Caller) -> Json:
        return await self.resources.read(params)

    async def _subscribe(self, params: Json, caller: Caller) -> Json:
        return await self.resources.subscribe(params, caller)

    async def _unsubscribe(self, params: Json, caller: Caller) -> Json:
        return await self.resources.unsubscribe(params, caller)

    async def _listen(self, params: Json, caller: Caller) -> Json:
        return await self.resources.listen(params, caller)
