"""The command that serves a mailbox."""

from __future__ import annotations

from typing import Final

from outlast.console.command_index import Command, Option

MAILBOX_LAYOUTS: Final = ("outlast", "volumes")
AGENT_PERMISSIONS: Final = Option(
    "permissions",
    ("--permissions",),
    "option_agent_permissions",
    choices=("read", "edit", "full"),
    person_only=True,
)
AGENT_TIMEOUT: Final = Option(
    "timeout", ("--timeout",), "option_agent_timeout", "SECONDS", is_number=True, unlisted=True
)

COMMANDS: Final = (
    Command(
        "worker",
        "orchestrator.commands.worker:worker",
        options=(
            Option("agent", ("--agent",), "option_worker_agent", "NAME"),
            AGENT_PERMISSIONS,
            AGENT_TIMEOUT,
            Option("mailbox", ("--mailbox",), "option_worker_mailbox", "DIR"),
            Option("workspace", ("--workspace",), "option_worker_workspace", "DIR"),
            Option("layout", ("--layout",), "option_mailbox_layout", choices=MAILBOX_LAYOUTS),
            Option("once", ("--once",), "option_worker_once"),
        ),
        needs_plan=False,
        rare=True,
    ),
)
