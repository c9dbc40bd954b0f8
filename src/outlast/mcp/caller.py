"""The client that has sent a request, whatever the transport."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.mcp.json_rpc import Id, Json


class Session(Protocol):
    """A connection that a client has opened with a handshake."""

    async def notify(self, method: str, params: Json) -> None:
        """Send the client a notification."""


class Caller(Protocol):
    """The client that has sent a request, as that request knows it."""

    @property
    def request_id(self) -> Id:
        """The id of the request."""

    @property
    def is_stateless(self) -> bool:
        """Whether the request is of a version that has no handshake."""

    @property
    def can_ask(self) -> bool:
        """Whether the client shows forms to a person."""

    async def ask(self, message: str, schema: Json) -> Json:
        """Show a form to the person at a client with a session; return the result."""

    async def notify(self, method: str, params: Json) -> None:
        """Send the client a notification that belongs to the request."""

    @property
    def session(self) -> Session:
        """The client's session, of a client that has one."""

    def at_session_end(self, call: Callable[[], None]) -> None:
        """Make a call once the session has ended."""
