"""A tool that does what a test wants, and a model that uses it."""

from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

from outlast import Plan
from outlast.context.chat_model import Call, ToolSpec
from outlast.context.tool import Level, PermissionRequest, Settlement
from outlast.model.changes import AttemptBegan, AttemptEnded
from outlast.testing import Turn
from tests.fake_model import FakeModel

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

    def permission_request(self, params: dict[str, Any]) -> PermissionRequest | None:
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


def poke_once(then: str = "Well done") -> FakeModel:
    answered = Turn("poked", then), Turn("Failed", "Too bad")
    return FakeModel(turns=(*answered, Turn(None, calls=(POKE,))))


def recorded(plan: Plan) -> list[AttemptBegan | AttemptEnded]:
    commits = plan.core.store.commits_since(0)
    changes = (change for commit in commits for change in commit.changes)
    return [change for change in changes if isinstance(change, AttemptBegan | AttemptEnded)]


def ends(plan: Plan) -> list[AttemptEnded]:
    return [change for change in recorded(plan) if isinstance(change, AttemptEnded)]
