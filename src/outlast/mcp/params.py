"""The parameters of requests, and the error that answers wrong ones."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from msgspec import Meta, Struct, ValidationError, convert, field

from outlast.mcp.json_rpc import INVALID_PARAMS, Json, ProtocolError

T = TypeVar("T")
PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion"
CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"


class Elicitation(Struct):
    """In which ways a client asks the person who uses it."""

    form: Json | None = None
    url: Json | None = None


class Capabilities(Struct):
    """What a client can do, of all that it says."""

    elicitation: Elicitation | None = None

    @property
    def can_ask(self) -> bool:
        """Whether the client shows forms to a person; one that names no way does."""
        ways = self.elicitation
        return ways is not None and (ways.form is not None or ways.url is None)


class ClientInfo(Struct):
    """The name and version of a client."""

    name: str
    version: str


class Params(Struct, rename="camel"):
    """The parameters of any request."""

    meta: Json | None = field(default=None, name="_meta")


class InitializeParams(Params, kw_only=True):
    """A handshake."""

    protocol_version: str
    capabilities: Capabilities
    client_info: ClientInfo


class ListParams(Params):
    """A list, from some place on; here all lists have one page."""

    cursor: str | None = None


class Reply(Struct):
    """What a person has done with a form, and what they have filled in."""

    action: Literal["accept", "decline", "cancel"]
    content: Json | None = None


class CallParams(Params, kw_only=True):
    """A call of a tool; since 2026 with the answers of the person to what the last one asked."""

    name: str
    arguments: Json | None = None
    input_responses: dict[str, Reply] | None = None
    request_state: str | None = None


class AddressParams(Params, kw_only=True):
    """Something about one resource."""

    uri: str


class Filter(Struct, rename="camel"):
    """What a client wants to be notified of."""

    resource_subscriptions: Annotated[list[str], Meta(max_length=1_000)] | None = None


class ListenParams(Params, kw_only=True):
    """A stream of notifications."""

    notifications: Filter


class Envelope(Struct):
    """What each request says of its client since 2026."""

    protocol_version: str = field(name=PROTOCOL_VERSION)
    capabilities: Capabilities = field(name=CLIENT_CAPABILITIES)
    client_info: ClientInfo | None = field(default=None, name="io.modelcontextprotocol/clientInfo")


def read_params(kind: type[T], params: Any) -> T:  # noqa: ANN401 - any JSON
    """Read parameters. Raises `ProtocolError` for wrong ones."""
    try:
        return convert(params, kind)
    except (ValidationError, RecursionError) as error:
        problem = f"Invalid request parameters: {error}"
        raise ProtocolError(INVALID_PARAMS, problem) from None


def form_params(message: str, schema: Json) -> Json:
    """Return the parameters of `elicitation/create`."""
    return {"mode": "form", "message": message, "requestedSchema": schema}
