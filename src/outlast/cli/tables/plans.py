"""The commands on whole plans: create, show, choose, undo, end and archive them."""

from __future__ import annotations

from typing import Final

from outlast.console.command_index import (
    ARCHIVED,
    KEY,
    LAYOUT,
    UNLISTED_ARCHIVED,
    YES,
    Argument,
    Command,
    Option,
)

_REASON: Final = Argument("reason", "REASON", "argument_reason", required=False, many=True)
_PLAN_KEY: Final = Argument("key", "KEY", "argument_plan_key", required=False)
_STOP: Final = Option("stop", ("--stop",), "option_stop", person_only=True)

COMMANDS: Final = (
    Command(
        "new",
        "cli.commands.plans.lifecycle:new",
        (Argument("goal", "GOAL", "argument_goal", many=True),),
        (KEY, LAYOUT, Option("shared", ("--shared",), "option_shared")),
        needs_plan=False,
    ),
    Command(
        "show",
        "cli.commands.plans.show:show",
        (Argument("task", "N", "argument_task_or_name", required=False, many=True),),
        (
            Option("at", ("--at",), "option_at", "N"),
            Option("cost", ("--cost",), "option_cost"),
            Option("every", ("--all",), "option_whole_task"),
            ARCHIVED,
        ),
    ),
    Command(
        "context",
        "cli.commands.plans.context:context",
        (Argument("about", "ABOUT", "argument_about", required=False),),
        (
            Option("brief", ("--brief",), "option_brief"),
            Option("page", ("--page",), "option_page", "N", is_number=True),
            UNLISTED_ARCHIVED,
        ),
    ),
    Command(
        "list",
        "cli.commands.plans.show:list_all",
        options=(Option("archived", ("--archived",), "option_archived"),),
        needs_plan=False,
    ),
    Command(
        "graph",
        "cli.commands.plans.show:graph",
        options=(
            Option("form", ("--format",), "option_graph", choices=("ascii", "mermaid", "dot")),
            UNLISTED_ARCHIVED,
        ),
    ),
    Command(
        "log",
        "cli.commands.plans.history:log",
        options=(
            Option("limit", ("-n",), "option_limit", "COUNT", is_number=True),
            Option("since", ("--since",), "option_since", "TIME"),
            Option("task", ("--task",), "option_log_task", "N"),
            Option("by", ("--by",), "option_by", "NAME"),
            Option("every", ("--all",), "option_log_all"),
            Option("diff", ("--diff",), "option_diff", "A..B"),
            UNLISTED_ARCHIVED,
        ),
    ),
    Command(
        "report",
        "orchestrator.commands.report:report",
        options=(
            Option("md", ("--md",), "option_report_md", "FILE"),
            Option("html", ("--html",), "option_report_html", "FILE"),
            YES,
            UNLISTED_ARCHIVED,
        ),
    ),
    Command(
        "undo",
        "cli.commands.plans.history:undo",
        (Argument("number", "N", "argument_revision", required=False),),
    ),
    Command(
        "use",
        "cli.commands.plans.lifecycle:use",
        (Argument("key", "KEY", "argument_use"),),
        needs_plan=False,
    ),
    Command("pause", "cli.commands.plans.lifecycle:pause", (_REASON,)),
    Command("abort", "cli.commands.plans.lifecycle:abort", (_REASON,), (_STOP,)),
    Command(
        "drop",
        "cli.commands.plans.lifecycle:drop",
        (_PLAN_KEY,),
        (_STOP, Option("forget", ("--forget",), "option_forget_plan", person_only=True), YES),
        needs_plan=False,
    ),
    Command(
        "accept", "cli.commands.plans.lifecycle:accept", options=(YES,), rare=True, person_only=True
    ),
    Command(
        "reset", "cli.commands.plans.lifecycle:reset", options=(YES,), rare=True, person_only=True
    ),
    Command(
        "archive", "cli.commands.plans.lifecycle:archive", (_PLAN_KEY,), needs_plan=False, rare=True
    ),
    Command(
        "restore",
        "cli.commands.plans.lifecycle:restore",
        (Argument("name", "NAME", "argument_restore"),),
        needs_plan=False,
        rare=True,
    ),
    Command(
        "welcome",
        "cli.commands.plans.show:welcome",
        needs_plan=False,
        hidden=True,
        about="command_show",
    ),
)
