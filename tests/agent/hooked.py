"""An agent whose model plays calls one after the other and remembers what it was shown."""

from __future__ import annotations

from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from outlast.agent.agent_loop import AgentLoop
from outlast.context.chat_model import Call, Reply
from outlast.errors import ToolFailed
from tests.fake_model import FakeModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast import Plan
    from outlast.agent.events import Event
    from outlast.context.tool import Level, PermissionRequest, Settlement

MAKE = Call("bash", {"command": "make"})


class ListedCallsModel(FakeModel):
    """A model that plays a list of calls, then says that it stops."""

    def __init__(self, calls: Sequence[Call]) -> None:
        replies = (Reply("", (call,)) for call in calls)
        super().__init__(chain(replies, repeat(Reply("I stop here"))))

    @property
    def injected(self) -> list[str]:
        """What was injected into the last conversation, in order."""
        said = [one.text for one in self.last_messages if one.role == "user"]
        return [one for one in said[1:] if not one.startswith("<plan>")]


class Bash:
    """A tool that fails unless it is told to work."""

    description = "runs a command"
    level: Level = "execute"

    def __init__(self, name: str = "bash") -> None:
        self.name = name
        self.parameters: dict[str, Any] = {"type": "object", "properties": {}}
        self.ran: list[dict[str, Any]] = []

    def permission_request(self, _params: dict[str, Any]) -> PermissionRequest | None:
        return None

    async def run(self, params: dict[str, Any]) -> str:
        self.ran.append(params)
        if params.get("command") == "make":
            raise ToolFailed("call_failed", problem="exit 1")
        return "fine"

    def settle(self, _params: dict[str, Any]) -> Settlement:
        return "not_done"


class Played:
    """One run of such an agent, and what came of it."""

    def __init__(self, plan: Plan | None, *calls: Call, **options: Any) -> None:
        self.model = ListedCallsModel(calls)
        self.events: list[Event] = []
        self.tools = (Bash(), Bash("read_file"), Bash("write_file"))
        self.agent = AgentLoop(
            model=self.model, tools=self.tools, plan=plan, on_event=self.events.append, **options
        )

    @property
    def ran(self) -> list[dict[str, Any]]:
        return self.tools[0].ran

    def told(self, kind: str) -> list[str]:
        """Return what people were notified of."""
        return [getattr(one, "text", "") for one in self.events if getattr(one, "kind", "") == kind]
