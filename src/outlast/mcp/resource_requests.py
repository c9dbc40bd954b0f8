"""Requests about resources: reading them, and being notified when what they show has changed."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Final

from outlast.errors import OutlastError
from outlast.language import explain
from outlast.mcp.json_rpc import INTERNAL_ERROR, Json, ProtocolError
from outlast.mcp.params import AddressParams, ListenParams, read_params
from outlast.mcp.resources import parse_address, read_resource
from outlast.mcp.watch import ResourceWatch
from outlast.system.threads import call_in_thread

if TYPE_CHECKING:
    from outlast.mcp.caller import Caller, Session
    from outlast.mcp.service import Service

_RESOURCE_MISSING: Final = -32002  # as the protocol numbers it until 2025-11-25
_MOST_STREAMS: Final = 1_000
_SUBSCRIPTION: Final = "io.modelcontextprotocol/subscriptionId"
_UPDATED: Final = "notifications/resources/updated"


class ResourceRequests:
    """Reads resources, and keeps the subscriptions of all clients."""

    def __init__(self, service: Service) -> None:
        """Show the plans of a service."""
        self._service = service
        self._watch = ResourceWatch(service.plans, service.language, self._publish)
        self._subscriptions: dict[Session, set[str]] = {}
        self._streams: set[_Stream] = set()
        self._is_closed = False

    async def close(self) -> None:
        """End all subscriptions."""
        self._is_closed = True
        for stream in self._streams:
            stream.close()
        await self._watch.close()

    async def read(self, params: Json) -> Json:
        """Return what a resource shows."""
        uri, service = read_params(AddressParams, params).uri, self._service
        try:
            part = parse_address(uri).part
            shown = await call_in_thread(
                partial(read_resource, service.plans, uri, service.language)
            )
        except OutlastError as error:
            raise ProtocolError(_RESOURCE_MISSING, explain(error), {"uri": uri}) from None
        return {"contents": [{"uri": uri, "mimeType": part.mime_type, "text": shown}]}

    async def subscribe(self, params: Json, caller: Caller) -> Json:
        """Notify a session of the changes of one resource."""
        uri, session = _check_uri(read_params(AddressParams, params).uri), caller.session
        if session not in self._subscriptions:
            self._subscriptions[session] = set()
            caller.at_session_end(partial(self._end_subscriptions, session))
        uris = self._subscriptions[session]
        if uri not in uris:
            uris.add(uri)
            await self._watch.add(uri)
        return {}

    async def unsubscribe(self, params: Json, caller: Caller) -> Json:
        """Undo a subscription."""
        uri = read_params(AddressParams, params).uri
        uris = self._subscriptions.get(caller.session, set())
        if uri in uris:
            uris.remove(uri)
            self._watch.remove(uri)
        return {}

    def _end_subscriptions(self, session: Session) -> None:
        """Drop the subscriptions of a session that has ended."""
        for uri in self._subscriptions.pop(session):
            self._watch.remove(uri)

    async def listen(self, params: Json, caller: Caller) -> Json:
        """Notify of changes until the client cancels the request, or the server ends."""
        wanted = read_params(ListenParams, params).notifications.resource_subscriptions or []
        if len(self._streams) >= _MOST_STREAMS:
            raise ProtocolError(INTERNAL_ERROR, "Too many streams of notifications are open")
        uris = {_check_uri(uri): None for uri in wanted}
        stream, meta = _Stream([*uris]), {_SUBSCRIPTION: caller.request_id}
        watched = []
        try:
            self._streams.add(stream)
            if self._is_closed:
                stream.close()
            for uri in stream.uris:
                watched.append(uri)
                await self._watch.add(uri)
            honored = {"resourceSubscriptions": stream.uris} if uris else {}
            acknowledged = {"notifications": honored, "_meta": meta}
            await caller.notify("notifications/subscriptions/acknowledged", acknowledged)
            while (changed := await stream.next_change()) is not None:
                await caller.notify(_UPDATED, {"uri": changed, "_meta": meta})
        finally:
            self._streams.discard(stream)
            for uri in watched:
                self._watch.remove(uri)
        return {"_meta": meta}

    async def _publish(self, uri: str) -> None:
        """Notify every client that has subscribed to a resource that it has changed."""
        for stream in self._streams:
            stream.note(uri)
        for session, uris in list(self._subscriptions.items()):
            if uri in uris:
                await session.notify(_UPDATED, {"uri": uri})


class _Stream:
    """One client's stream of changes; a resource that changes twice before it is read counts once.

    So a client that reads nothing costs no more than the resources it has named.
    """

    def __init__(self, uris: list[str]) -> None:
        self.uris = uris
        self._changed: dict[str, None] = {}
        self._news = asyncio.Event()
        self._is_closed = False

    def note(self, uri: str) -> None:
        if uri in self.uris:
            self._changed[uri] = None
            self._news.set()

    def close(self) -> None:
        self._is_closed = True
        self._news.set()

    async def next_change(self) -> str | None:
        """Return the next resource that has changed; None once the stream is closed."""
        while not self._changed:
            if self._is_closed:
                return None
            self._news.clear()
            await self._news.wait()
        uri = next(iter(self._changed))
        del self._changed[uri]
        return uri


def _check_uri(uri: str) -> str:
    try:
        parse_address(uri)
    except OutlastError as error:
        raise ProtocolError(_RESOURCE_MISSING, explain(error), {"uri": uri}) from None
    return uri
