"""What the server says of itself: its name, versions, capabilities, tools and resources.

A host starts its servers together and does without those that are late. So what the first answer
does not need is imported when it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.language import Language, text
from outlast.mcp.served_plans import ServedPlans

if TYPE_CHECKING:
    from outlast.mcp.json_rpc import Json
    from outlast.plan.tools.server_sets import ServerSet  # noqa: TC004 - this is never decoded

NAME: Final = "outlast"
_INSTRUCTIONS: Final[dict[ServerSet, str]] = {
    "default": "mcp_instructions_default",
    "planmanager": "mcp_instructions_planmanager",
    "todo": "mcp_instructions_todo",
}
HANDSHAKE_VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS_VERSIONS: Final = ("2026-07-28",)
_CAPABILITIES: Final[Json] = {
    "resources": {"listChanged": False, "subscribe": True},
    "tools": {"listChanged": False},
}


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

    @property
    def info(self) -> Json:
        """The server's name and version."""
        return {"name": NAME, "version": self.version}

    def handshake(self, protocol_version: str) -> Json:
        """Return the result of `initialize`; to a version that it does not know, the newest."""
        is_known = protocol_version in HANDSHAKE_VERSIONS
        return {
            "protocolVersion": protocol_version if is_known else HANDSHAKE_VERSIONS[-1],
            "capabilities": _CAPABILITIES,
            "instructions": self.instructions,
            "serverInfo": self.info,
        }

    def discovery(self) -> Json:
        """Return the result of `server/discover`, which is in place of the handshake since 2026."""
        return {
            "supportedVersions": [*STATELESS_VERSIONS],
            "capabilities": _CAPABILITIES,
            "instructions": self.instructions,
        }

    def tools(self) -> Json:
        """Return the result of `tools/list`."""
        from outlast.plan.tools.server_sets import tool_listing

        return {"tools": tool_listing(self.which)}

    def resources(self) -> Json:
        """Return the result of `resources/list`."""
        from outlast.mcp.resources import resource_listing

        return {"resources": resource_listing(self.plans)}

    @staticmethod
    def templates() -> Json:
        """Return the result of `resources/templates/list`."""
        from outlast.mcp.resources import template_listing

        return {"resourceTemplates": template_listing()}
