"""What the server says of itself: its name, capabilities, tools and resources, as the JSON sent.

Nothing here imports the SDK: a client may ask for it while the SDK is still being imported.
"""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

from outlast.language import Language, text
from outlast.mcp.resources import resource_listing, template_listing
from outlast.mcp.served_plans import ServedPlans
from outlast.plan.tools.server_sets import ServerSet, tool_listing

Json = dict[str, Any]
NAME: Final = "outlast"
_INSTRUCTIONS: Final[dict[ServerSet, str]] = {
    "default": "mcp_instructions_default",
    "planmanager": "mcp_instructions_planmanager",
    "todo": "mcp_instructions_todo",
}
HANDSHAKE_VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


class Service(Struct, frozen=True):
    """What a server offers: a set of tools, for which plans and in which language.

    The program that starts a server can answer what it asks. So what only a person may decide is
    asked only if the client counts as the person's (`is_persons_client`).
    """

    version: str
    which: ServerSet
    plans: ServedPlans
    language: Language = "en"
    is_persons_client: bool = False

    @property
    def instructions(self) -> str:
        """How a model is to use the tools."""
        return text(_INSTRUCTIONS[self.which])

    def handshake(self, protocol_version: str) -> Json:
        """Return the result of `initialize`."""
        return {
            "protocolVersion": protocol_version,
            "capabilities": {
                "resources": {"listChanged": False, "subscribe": True},
                "tools": {"listChanged": False},
            },
            "instructions": self.instructions,
            "serverInfo": {"name": NAME, "version": self.version},
        }

    def tools(self) -> Json:
        """Return the result of `tools/list`."""
        return {"tools": tool_listing(self.which)}

    def resources(self) -> Json:
        """Return the result of `resources/list`."""
        return {"resources": resource_listing(self.plans)}

    @staticmethod
    def templates() -> Json:
        """Return the result of `resources/templates/list`."""
        return {"resourceTemplates": template_listing()}
