"""The commands on tasks, notes and checks."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from outlast.console.command_index import Argument, Command, Option
from outlast.model.model import CATEGORIES, ORDERS

_TASK: Final = Argument("task", "N", "argument_task")
_OPTIONAL_TASK: Final = Argument("task", "N", "argument_task", required=False)
_INSERT_AFTER: Final = Option("insert_after", ("--insert-after",), "option_insert_after", "N")
_PHASE: Final = Option("phase", ("--phase",), "option_phase", "PHASE")
_DESCRIPTION: Final = Option("description", ("-d", "--description"), "option_description", "TEXT")
_TOKEN: Final = Option("token", ("--token",), "option_token", "TOKEN", is_number=True)
_UNLISTED_TOKEN: Final = replace(_TOKEN, unlisted=True)
_LIMITS: Final = "tokens=200k,money=2,time=30m"
_PROOF: Final = (
    Option("checks", ("--check",), "option_check", "RULE", many=True),
    Option("run", ("--run",), "option_run", "COMMAND"),
    Option("files", ("--files",), "option_files", "GLOB,GLOB", many=True),
    Option("protect", ("--protect",), "option_protect", "GLOB,GLOB", many=True),
)

COMMANDS: Final = (
    Command(
        "add",
        "cli.commands.tasks.task:add",
        (Argument("names", "NAME", "argument_names", many=True),),
        (
            _DESCRIPTION,
            Option("needs", ("--needs",), "option_needs", "N,N", many=True),
            _INSERT_AFTER,
            _PHASE,
            *_PROOF,
            Option("budget", ("--budget",), "option_task_budget", _LIMITS),
        ),
    ),
    Command(
        "edit",
        "cli.commands.tasks.task:edit",
        (_OPTIONAL_TASK,),
        (
            Option("name", ("--name",), "option_name", "TEXT"),
            _DESCRIPTION,
            _INSERT_AFTER,
            Option("first", ("--first",), "option_first"),
            _PHASE,
            Option("needs", ("--needs",), "option_needs_or_none", "N,N|none", many=True),
            Option("progress", ("--progress",), "option_progress", "DONE/ALL"),
            Option("reopen", ("--reopen",), "option_reopen"),
            *_PROOF,
            Option("no_checks", ("--no-checks",), "option_no_checks"),
            Option("budget", ("--budget",), "option_task_budget_or_none", f"{_LIMITS}|none"),
            Option("goal", ("--goal",), "option_goal", "TEXT"),
            Option("title", ("--title",), "option_title", "TEXT"),
            Option("order", ("--order",), "option_order", choices=ORDERS),
            Option("reason", ("--reason",), "option_reason", "TEXT"),
            _UNLISTED_TOKEN,
        ),
    ),
    Command(
        "next",
        "cli.commands.tasks.work:next_task",
        options=(Option("every", ("--all",), "option_all"),),
    ),
    Command("start", "cli.commands.tasks.work:start", (_OPTIONAL_TASK,)),
    Command(
        "done",
        "cli.commands.tasks.work:complete",
        (_OPTIONAL_TASK,),
        (
            Option("result", ("-m", "--result"), "option_result", "TEXT"),
            _UNLISTED_TOKEN,
            Option("force", ("--force",), "option_force", unlisted=True, person_only=True),
        ),
    ),
    Command(
        "fail",
        "cli.commands.tasks.work:fail",
        (Argument("words", "[N] REASON", "argument_fail", many=True),),
        (Option("final", ("--no-retry",), "option_no_retry"), _UNLISTED_TOKEN),
    ),
    Command(
        "check",
        "cli.commands.tasks.check:check",
        (_OPTIONAL_TASK,),
        (
            Option("every", ("--all",), "option_all_checks"),
            Option("approve", ("--approve",), "option_approve", person_only=True),
            Option("confirm", ("--confirm",), "option_confirm", person_only=True),
        ),
    ),
    Command(
        "note",
        "cli.commands.tasks.note:note",
        (Argument("words", "TEXT", "argument_note", required=False, many=True),),
        (
            Option("category", ("--category",), "option_category", choices=CATEGORIES),
            Option("title", ("--title",), "option_note_title", "TEXT"),
            Option("source", ("--source",), "option_source", "TEXT"),
            Option("error", ("--error",), "option_error", "TOOL"),
            Option("allow", ("--allow",), "option_allow_tool"),
        ),
    ),
    Command(
        "skip",
        "cli.commands.tasks.task:skip",
        (_TASK, Argument("reason", "REASON", "argument_reason", required=False, many=True)),
    ),
    Command("rm", "cli.commands.tasks.task:remove", (_TASK,), about="command_remove"),
    Command(
        "claim",
        "cli.commands.tasks.work:claim",
        (_OPTIONAL_TASK,),
        (Option("seconds", ("--seconds",), "option_seconds", "SECONDS", is_number=True), _TOKEN),
        rare=True,
    ),
    Command("release", "cli.commands.tasks.work:release", (_TASK,), (_TOKEN,), rare=True),
)
