"""The command that serves a plan over MCP."""

from __future__ import annotations

from typing import Final

from outlast.console.command_index import Command, Option

COMMANDS: Final = (
    Command(
        "mcp",
        "mcp.commands:mcp",
        options=(
            Option("http", ("--http",), "option_http", "PORT"),
            Option(
                "tools",
                ("--tools",),
                "option_mcp_tools",
                choices=("default", "planmanager", "todo"),
            ),
            Option("workspace", ("--workspace",), "option_mcp_workspace", "DIR"),
        ),
        needs_plan=False,
    ),
)
