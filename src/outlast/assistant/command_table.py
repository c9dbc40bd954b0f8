"""The command that talks with the assistant."""

from __future__ import annotations

from typing import Final

from outlast.console.command_index import MODEL, REVIEW, Command, Option

COMMANDS: Final = (
    Command(
        "chat",
        "assistant.commands:chat",
        options=(
            MODEL,
            REVIEW,
            Option("max_steps", ("--max-steps",), "option_max_steps", "COUNT", is_number=True),
        ),
        needs_plan=False,
        person_only=True,
    ),
)
