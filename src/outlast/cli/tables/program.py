"""The commands about Outlast itself: help, settings, health, a demonstration."""

from __future__ import annotations

from typing import Final

from outlast.console.command_index import Argument, Command, Option

COMMANDS: Final = (
    Command(
        "demo",
        "cli.commands.program.demo:demo",
        (Argument("where", "DIR", "argument_demo", required=False),),
        (Option("model", ("--model",), "option_demo_model", "NAME"),),
        needs_plan=False,
    ),
    Command("models", "cli.commands.program.config:models", needs_plan=False),
    Command("config", "cli.commands.program.config:config", needs_plan=False),
    Command(
        "doctor",
        "cli.commands.program.doctor:doctor",
        (Argument("where", "WHERE", "argument_where", required=False),),
        (
            Option("repair", ("--repair",), "option_repair"),
            Option("restore", ("--restore",), "option_restore"),
            Option(
                "new_identity", ("--new-identity",), "option_new_identity", "KEY", person_only=True
            ),
        ),
        needs_plan=False,
    ),
    Command(
        "help",
        "cli.commands.program.help:show_help",
        (Argument("command", "COMMAND", "argument_command", required=False),),
        (Option("every", ("--all",), "option_all_commands"),),
        needs_plan=False,
    ),
    Command(
        "version", "cli.commands.program.help:version", needs_plan=False, about="option_version"
    ),
)
