"""Tools that an agent can call: the built-in ones, and how to make your own."""

from outlast.agent.tools.choice import as_tool, built_in_tools
from outlast.context.tool import (
    JournalParams,
    Level,
    PermissionRequest,
    Settlement,
    Tool,
    digest,
    is_same_text,
)

__all__ = [
    "JournalParams",
    "Level",
    "PermissionRequest",
    "Settlement",
    "Tool",
    "as_tool",
    "built_in_tools",
    "digest",
    "is_same_text",
]
