"""The commands that let an agent work on a plan, and that talk with it."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from outlast.console.command_index import KEY, LAYOUT, MODEL, REVIEW, Argument, Command, Option
from outlast.orchestrator.command_table import AGENT_PERMISSIONS, AGENT_TIMEOUT, MAILBOX_LAYOUTS

_TASK_AGENT: Final = (
    Option("agent", ("--agent",), "option_agent", "NAME"),
    Option("parallel", ("--parallel",), "option_parallel", "COUNT", is_number=True),
    AGENT_PERMISSIONS,
    AGENT_TIMEOUT,
    Option("mailbox", ("--mailbox",), "option_mailbox", "DIR", unlisted=True),
    Option(
        "sessions", ("--sessions",), "option_sessions", choices=("task", "shared"), unlisted=True
    ),
    REVIEW,
)
_WORK: Final = (
    *_TASK_AGENT,
    Option("loop", ("--loop",), "option_loop", choices=("tools", "replan")),
    MODEL,
    Option(
        "max_iterations", ("--max-iterations",), "option_max_iterations", "COUNT", is_number=True
    ),
    Option("budget", ("--budget",), "option_budget", "tokens=200k,money=2,time=30m"),
    Option("allow", ("--allow",), "option_allow", "PATTERN", many=True, person_only=True),
    Option("yes", ("--yes",), "option_yes_to_all", person_only=True),
    Option("lease", ("--lease",), "option_lease", "SECONDS", is_number=True, unlisted=True),
)
_RUN_LAYOUTS: Final = (*LAYOUT.choices, MAILBOX_LAYOUTS[1])
_DRY_RUN: Final = Option("dry_run", ("--dry-run",), "option_dry_run")

COMMANDS: Final = (
    Command(
        "run",
        "cli.commands.runs.run:run",
        (Argument("goal", "GOAL", "argument_run_goal", required=False, many=True),),
        (
            *_WORK,
            KEY,
            _DRY_RUN,
            replace(LAYOUT, help_key="option_run_layout", choices=_RUN_LAYOUTS),
        ),
        needs_plan=False,
    ),
    Command(
        "resume",
        "cli.commands.runs.run:resume",
        (Argument("words", "TEXT", "argument_resume", required=False, many=True),),
        (
            *_WORK,
            _DRY_RUN,
            replace(LAYOUT, help_key="option_mailbox_layout", choices=MAILBOX_LAYOUTS),
            Option("approve", ("--approve",), "option_approve_plan", person_only=True),
        ),
        needs_plan=False,
    ),
    Command(
        "answer",
        "cli.commands.runs.answer:answer",
        (Argument("words", "[ID] TEXT", "argument_answer", many=True),),
        (Option("file", ("--file",), "option_answer_file", "FILE", unlisted=True),),
        person_only=True,
    ),
    Command(
        "say",
        "cli.commands.runs.answer:say",
        (Argument("words", "TEXT", "argument_say", many=True),),
    ),
    Command(
        "watch",
        "cli.commands.runs.watch:watch",
        options=(
            Option("once", ("--once",), "option_once"),
            Option("seconds", ("--for",), "option_for", "SECONDS", is_number=True),
        ),
    ),
    Command(
        "permissions",
        "cli.commands.runs.permissions:permissions",
        options=(Option("forget", ("--forget",), "option_forget"),),
        rare=True,
    ),
)
