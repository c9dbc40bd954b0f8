"""A tool that does what a test wants, and a model that uses it."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, ClassVar

from outlast import Plan
from outlast.adapters.models.scripted.model import ScriptedModel, Turn
from outlast.domain.changes import AttemptBegan, AttemptEnded
from outlast.ports.model import Call, Message, Reply, ToolSpec
from outlast.ports.tool import Concern, Level, Settlement

SPEC = ToolSpec("poke", "Poke it.", {"type": "object"})
POKE = Call("poke", {"where": "here"}, "c1")


class Poke:
    """Pokes, unless something else is to happen first."""

    name, description, parameters = SPEC.name, SPEC.description, SPEC.parameters
    level: ClassVar[Level] = "read"

    def __init__(
        self,
        first: Callable[[], Awaitable[object] | None] = lambda: None,
        *,
        error: Exception | None = None,
        found: Settlement = "unknown",
    ) -> None:
        self._first, self.error, self.found = first, error, found
        self.settled: list[dict[str, Any]] = []

    def concern(self, params: dict[str, Any]) -> Concern | None:
        del params
        return None

    async def run(self, params: dict[str, Any]) -> str:
        waiting = self._first()
        if waiting is not None:
            await waiting
        if self.error:
            raise self.error
        return f"poked {params}"

    def settle(self, params: dict[str, Any]) -> Settlement:
        self.settled.append(params)
        return self.found


class Listening(ScriptedModel):
    """A scripted model that keeps what it was shown last, and may do something first."""

    shown: tuple[Message, ...] = ()
    first: Callable[[], object] = staticmethod(lambda: None)

    async def think(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        *,
        max_tokens: int | None = None,
        on_text: Callable[[str], object] | None = None,
    ) -> Reply:
        self.shown = tuple(messages)
        self.first()
        return await super().think(messages, tools, max_tokens=max_tokens, on_text=on_text)


def poke_once(then: str = "Well done") -> Listening:
    answered = Turn("poked", then), Turn("Failed", "Too bad")
    return Listening((*answered, Turn(None, calls=(POKE,))))


def recorded(plan: Plan) -> list[AttemptBegan | AttemptEnded]:
    commits = plan._store.since(0)  # noqa: SLF001 - what the journal would hold
    changes = (change for commit in commits for change in commit.changes)
    return [change for change in changes if isinstance(change, AttemptBegan | AttemptEnded)]


def ends(plan: Plan) -> list[AttemptEnded]:
    return [change for change in recorded(plan) if isinstance(change, AttemptEnded)]
