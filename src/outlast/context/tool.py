"""The protocol of a tool: run a call, ask permission before it, settle it after a crash."""

from __future__ import annotations

from typing import Any, Final, Literal, Protocol, runtime_checkable

from msgspec import Struct

from outlast.model.model import Attempt

Json = dict[str, Any]
Settlement = Literal["done", "not_done", "unknown"]
Level = Literal["read", "write", "execute"]
DIGEST: Final = "sha256:"
SettledAttempt = tuple[Attempt, Settlement]


class PermissionRequest(Struct, frozen=True):
    """A question for a person before a tool runs.

    `subject` is what the person is shown: a path or a command. `items` are the single permissions
    needed, such as `path:/etc/hosts` or `bash:rm -r x`.
    """

    kind: Literal["outside", "destructive"]
    subject: str
    items: tuple[str, ...] = ()


class Tool(Protocol):
    """A tool that an agent can call."""

    @property
    def name(self) -> str:
        """The name that a model calls."""

    @property
    def description(self) -> str:
        """What the tool does, for the model."""

    @property
    def parameters(self) -> Json:
        """The JSON Schema of the parameters of `run`."""

    @property
    def level(self) -> Level:
        """The most it can do: read, change files, or run programs."""

    def permission_request(self, params: Json) -> PermissionRequest | None:
        """Return what to ask a person before a run with these parameters, or None."""

    async def run(self, params: Json) -> str:
        """Run the call and return its result, or raise `ToolFailed`."""

    def settle(self, params: Json) -> Settlement:
        """Find out after a crash whether the call took place.

        `params` come from the journal: a string may be a digest, see `is_same_text`. "not_done"
        also means that the call has no effects and may be repeated.
        """


@runtime_checkable
class JournalParams(Protocol):
    """A tool that chooses what the journal records of a call instead of its parameters."""

    def journal_params(self, params: Json) -> Json:
        """Return, right before a run, what `settle` will need after a crash."""


def digest(text: str) -> str:
    """Return the digest that the journal records for a text that is long or secret."""
    from hashlib import sha256  # it loads OpenSSL

    return DIGEST + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def is_same_text(recorded: str, text: str) -> bool:
    """Return whether a parameter recorded in the journal is this text or its digest."""
    return recorded == (digest(text) if recorded.startswith(DIGEST) else text)
