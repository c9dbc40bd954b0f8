"""The commands for sessions of coding agents."""

from __future__ import annotations

from typing import Final

from outlast.console.command_index import Argument, Command, Option

SETUPS: Final = ("claude-code", "codex", "gemini", "agents-md")

_SESSION: Final = (
    Option("agent", ("--agent",), "option_hook_agent", "NAME", unlisted=True),
    Option("session", ("--session",), "option_host_session", "ID", unlisted=True),
)

COMMANDS: Final = (
    Command(
        "attach",
        "hosts.commands.session:attach",
        (Argument("key", "KEY", "argument_plan_key", required=False),),
        (*_SESSION, Option("guard", ("--guard",), "option_guard")),
        needs_plan=False,
    ),
    Command(
        "detach", "hosts.commands.session:detach", options=_SESSION, needs_plan=False, rare=True
    ),
    Command(
        "hook",
        "hosts.commands.session:hook",
        (Argument("event", "EVENT", "argument_hook_event"),),
        (Option("agent", ("--agent",), "option_hook_agent", "NAME"),),
        needs_plan=False,
        rare=True,
    ),
    Command(
        "init",
        "hosts.commands.init:init",
        (Argument("host", "|".join(SETUPS), "argument_init_host", required=False),),
        (
            Option("project", ("--project",), "option_init_project"),
            Option("user", ("--user",), "option_init_user"),
            Option("mcp", ("--mcp",), "option_init_mcp"),
            Option("plugin", ("--plugin",), "option_init_plugin", "DIR"),
            Option("remove", ("--remove",), "option_init_remove"),
            Option("yes", ("--yes",), "option_init_yes", person_only=True),
        ),
        needs_plan=False,
    ),
)
