"""A tool: something that a loop can have done in the world, and ask about afterwards."""

from __future__ import annotations

from hashlib import sha256
from typing import Any, Final, Literal, Protocol, runtime_checkable

from msgspec import Struct

Json = dict[str, Any]
Settlement = Literal["done", "not_done", "unknown"]
Level = Literal["read", "write", "execute"]
DIGEST: Final = "sha256:"


class Concern(Struct, frozen=True):
    """Why a person should be asked before a tool runs, and about what: a path, a command.

    `each` are the single things that have to be allowed, as `path:/etc/hosts` or `bash:rm -r x`.
    """

    kind: Literal["outside", "destructive"]
    what: str
    each: tuple[str, ...] = ()


class Tool(Protocol):
    """One thing that can be done.

    `parameters` is the JSON Schema of what `run` takes.
    """

    @property
    def name(self) -> str:
        """What it is called by."""

    @property
    def description(self) -> str:
        """What it does, for a model."""

    @property
    def parameters(self) -> Json:
        """What it takes, as a JSON Schema."""

    @property
    def level(self) -> Level:
        """What it can do at most: look, change files, run programs."""

    def concern(self, params: Json) -> Concern | None:
        """Say what a person should be asked before a run with these parameters; mostly nothing."""

    async def run(self, params: Json) -> str:
        """Do it and say what came of it, or raise `ToolFailed`."""

    def settle(self, params: Json) -> Settlement:
        """Find out, after a crash, whether a run with these parameters took place.

        The parameters are as the journal keeps them: a string in them may be a digest (`is_kept`).
        "not_done" also stands for a run that leaves nothing behind and may simply be repeated.
        """


@runtime_checkable
class Traced(Protocol):
    """A tool that says itself what the journal should keep of a run, in place of the parameters."""

    def trace(self, params: Json) -> Json:
        """Say, right before a run, what `settle` will need to find out whether it took place."""


def digest(text: str) -> str:
    """Return the mark under which a text is kept that is too long, or not to be kept."""
    return DIGEST + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def is_kept(kept: str, text: str) -> bool:
    """Tell whether a parameter that the journal has kept stands for this text."""
    return kept == (digest(text) if kept.startswith(DIGEST) else text)
