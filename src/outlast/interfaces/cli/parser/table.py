"""The table of commands: their names, where each is carried out, and what it takes."""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from outlast.domain.model import CATEGORIES, ORDERS
from outlast.interfaces.cli.language import LANGUAGES


class Argument(Struct, frozen=True):
    """A value that is told by its place; `many` takes all that are left."""

    name: str
    shown: str
    says: str
    required: bool = True
    many: bool = False


class Option(Struct, frozen=True):
    """A value that is told by its flag; one that shows no value is either there or not.

    A `quiet` one stands in no usage line: it is for people who have looked it up.
    """

    name: str
    flags: tuple[str, ...]
    says: str
    shown: str = ""
    many: bool = False
    choices: tuple[str, ...] = ()
    is_number: bool = False
    quiet: bool = False


class Command(Struct, frozen=True):
    """One command: `home` is the module and the function that carry it out.

    A `rare` one is shown by `help --all` only, a `hidden` one never.
    """

    name: str
    home: str
    says: str
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()
    on_plan: bool = True
    rare: bool = False
    hidden: bool = False


def _choice(name: str, flag: str, says: str, *choices: str) -> Option:
    return Option(name, (flag,), says, "|".join(choices), choices=choices)


def _number(name: str, flag: str, says: str, shown: str) -> Option:
    return Option(name, (flag,), says, shown, is_number=True)


DOCUMENTS: Final = ("plan.json", "manager", "markdown", "checklist")
GRAPHS: Final = ("ascii", "mermaid", "dot")

COMMON: Final = (
    Option("plan", ("--plan",), "option_plan", "KEY"),
    Option("actor", ("--as",), "option_as", "NAME"),
    _choice("lang", "--lang", "option_lang", *LANGUAGES),
    Option("json", ("--json",), "option_json"),
)

_TASK: Final = Argument("task", "N", "argument_task")
_MAYBE_TASK: Final = Argument("task", "N", "argument_task", required=False)
_REVISION: Final = Argument("number", "N", "argument_revision", required=False)
_REASON: Final = Argument("reason", "REASON", "argument_reason", required=False, many=True)
_FILE: Final = Argument("file", "FILE", "argument_import")
_MAYBE_FILE: Final = Argument("file", "FILE", "argument_export", required=False)
_KEY: Final = Option("key", ("--key",), "option_key", "KEY")
_NEEDS: Final = Option("needs", ("--needs",), "option_needs", "N,N", many=True)
_AFTER: Final = Option("after", ("--after",), "option_after", "N")
_PHASE: Final = Option("phase", ("--phase",), "option_phase", "PHASE")
_TOKEN: Final = _number("token", "--token", "option_token", "TOKEN")
_YES: Final = Option("yes", ("--yes",), "option_yes")
_FORM: Final = _choice("form", "--format", "option_document", *DOCUMENTS)
_BUDGET: Final = Option("budget", ("--budget",), "option_budget", "tokens=200k,money=2,time=30m")
_PROOF: Final = (
    Option("checks", ("--check",), "option_check", "RULE", many=True),
    Option("run", ("--run",), "option_run", "COMMAND"),
    Option("files", ("--files",), "option_files", "GLOB,GLOB", many=True),
    Option("protect", ("--protect",), "option_protect", "GLOB,GLOB", many=True),
)

_MODEL: Final = Option("model", ("--model",), "option_model", "NAME")
_AGENT: Final = (
    _MODEL,
    _number("max_iterations", "--max-iterations", "option_max_iterations", "COUNT"),
    _BUDGET,
    Option("allow", ("--allow",), "option_allow", "PATTERN", many=True),
    Option("yes", ("--yes",), "option_yes_to_all"),
    replace(_number("lease", "--lease", "option_lease", "SECONDS"), quiet=True),
)

_ALL: Final = (
    Command(
        "run",
        "run.run",
        "command_run",
        (Argument("goal", "GOAL", "argument_goal", many=True),),
        (*_AGENT, Option("dry_run", ("--dry-run",), "option_dry_run")),
        on_plan=False,
    ),
    Command(
        "resume",
        "run.resume",
        "command_resume",
        (Argument("words", "TEXT", "argument_resume", required=False, many=True),),
        _AGENT,
        on_plan=False,
    ),
    Command(
        "answer",
        "answer.answer",
        "command_answer",
        (Argument("words", "[ID] TEXT", "argument_answer", many=True),),
    ),
    Command(
        "say",
        "answer.say",
        "command_say",
        (Argument("words", "TEXT", "argument_say", many=True),),
    ),
    Command(
        "demo",
        "demo.demo",
        "command_demo",
        (Argument("where", "DIR", "argument_demo", required=False),),
        (Option("model", ("--model",), "option_demo_model", "NAME"),),
        on_plan=False,
    ),
    Command(
        "new",
        "plan.new",
        "command_new",
        (Argument("goal", "GOAL", "argument_goal", many=True),),
        (
            _KEY,
            Option("shared", ("--shared",), "option_shared"),
        ),
        on_plan=False,
    ),
    Command(
        "add",
        "task.add",
        "command_add",
        (Argument("names", "NAME", "argument_names", many=True),),
        (_NEEDS, _AFTER, _PHASE, *_PROOF, replace(_BUDGET, says="option_task_budget")),
    ),
    Command(
        "edit",
        "edit.edit",
        "command_edit",
        (_MAYBE_TASK,),
        (
            Option("name", ("--name",), "option_name", "TEXT"),
            _AFTER,
            Option("first", ("--first",), "option_first"),
            _PHASE,
            Option("needs", ("--needs",), "option_needs_or_none", "N,N|none", many=True),
            Option("progress", ("--progress",), "option_progress", "DONE/ALL"),
            Option("reopen", ("--reopen",), "option_reopen"),
            *_PROOF,
            Option("no_checks", ("--no-checks",), "option_no_checks"),
            replace(_BUDGET, says="option_task_budget_or_none", shown=f"{_BUDGET.shown}|none"),
            Option("goal", ("--goal",), "option_goal", "TEXT"),
            Option("title", ("--title",), "option_title", "TEXT"),
            _choice("order", "--order", "option_order", *ORDERS),
            Option("reason", ("--reason",), "option_reason", "TEXT"),
            replace(_TOKEN, quiet=True),
        ),
    ),
    Command(
        "next",
        "work.upcoming",
        "command_next",
        options=(Option("every", ("--all",), "option_all"),),
    ),
    Command("start", "work.start", "command_start", (_MAYBE_TASK,)),
    Command(
        "done",
        "work.done",
        "command_done",
        (_MAYBE_TASK,),
        (
            Option("result", ("-m", "--result"), "option_result", "TEXT"),
            replace(_TOKEN, quiet=True),
            Option("force", ("--force",), "option_force", quiet=True),
        ),
    ),
    Command(
        "fail",
        "work.fail",
        "command_fail",
        (Argument("words", "[N] REASON", "argument_fail", many=True),),
        (Option("final", ("--no-retry",), "option_no_retry"), replace(_TOKEN, quiet=True)),
    ),
    Command(
        "check",
        "check.check",
        "command_check",
        (_MAYBE_TASK,),
        (
            Option("every", ("--all",), "option_all_checks"),
            Option("approve", ("--approve",), "option_approve"),
            Option("confirm", ("--confirm",), "option_confirm"),
        ),
    ),
    Command(
        "note",
        "note.note",
        "command_note",
        (Argument("words", "TEXT", "argument_note", required=False, many=True),),
        (
            _choice("category", "--category", "option_category", *CATEGORIES),
            Option("title", ("--title",), "option_note_title", "TEXT"),
            Option("source", ("--source",), "option_source", "TEXT"),
            Option("error", ("--error",), "option_error", "TOOL"),
            Option("allow", ("--allow",), "option_allow_tool"),
        ),
    ),
    Command("skip", "task.skip", "command_skip", (_TASK, _REASON)),
    Command("rm", "task.remove", "command_remove", (_TASK,)),
    Command(
        "show",
        "show.show",
        "command_show",
        options=(
            Option("at", ("--at",), "option_at", "N"),
            Option("cost", ("--cost",), "option_cost"),
        ),
    ),
    Command(
        "list",
        "plan.every",
        "command_list",
        options=(Option("archived", ("--archived",), "option_archived"),),
        on_plan=False,
    ),
    Command(
        "graph",
        "graph.graph",
        "command_graph",
        options=(_choice("form", "--format", "option_graph", *GRAPHS),),
    ),
    Command(
        "watch",
        "watch.watch",
        "command_watch",
        options=(
            Option("once", ("--once",), "option_once"),
            _number("seconds", "--for", "option_for", "SECONDS"),
        ),
    ),
    Command(
        "log",
        "history.log",
        "command_log",
        options=(
            _number("limit", "-n", "option_limit", "COUNT"),
            Option("diff", ("--diff",), "option_diff", "A..B"),
        ),
    ),
    Command("undo", "history.undo", "command_undo", (_REVISION,)),
    Command("pause", "plan.pause", "command_pause", (_REASON,)),
    Command("import", "transfer.take", "command_import", (_FILE,), (_FORM, _KEY), on_plan=False),
    Command("export", "transfer.give", "command_export", (_MAYBE_FILE,), (_FORM, _YES)),
    Command("models", "models.models", "command_models", on_plan=False),
    Command("config", "config.config", "command_config", on_plan=False),
    Command(
        "doctor",
        "doctor.doctor",
        "command_doctor",
        (Argument("where", "WHERE", "argument_where", required=False),),
        (Option("mend", ("--mend",), "option_mend"),),
        on_plan=False,
    ),
    Command(
        "help",
        "help.show",
        "command_help",
        (Argument("command", "COMMAND", "argument_command", required=False),),
        (Option("every", ("--all",), "option_all_commands"),),
        on_plan=False,
    ),
    Command(
        "claim",
        "claim.claim",
        "command_claim",
        (_MAYBE_TASK,),
        (_number("seconds", "--seconds", "option_seconds", "SECONDS"), _TOKEN),
        rare=True,
    ),
    Command(
        "release",
        "claim.release",
        "command_release",
        (_TASK,),
        (_TOKEN,),
        rare=True,
    ),
    Command("accept", "maintenance.accept", "command_accept", options=(_YES,), rare=True),
    Command("reset", "maintenance.reset", "command_reset", options=(_YES,), rare=True),
    Command(
        "archive",
        "maintenance.archive",
        "command_archive",
        (Argument("key", "KEY", "argument_archive", required=False),),
        on_plan=False,
        rare=True,
    ),
    Command("version", "help.version", "option_version", on_plan=False),
    Command("welcome", "plan.welcome", "command_show", on_plan=False, hidden=True),
)

COMMANDS: Final = {command.name: command for command in _ALL}

# What people and models try first; each stands for a command with its first arguments.
ALIASES: Final[dict[str, tuple[str, ...]]] = {
    "close": ("done",),
    "complete": ("done",),
    "continue": ("resume",),
    "create": ("add",),
    "delete": ("rm",),
    "diff": ("log", "--diff"),
    "findings": ("note",),
    "finish": ("done",),
    "history": ("log",),
    "init": ("new",),
    "ls": ("list",),
    "move": ("edit",),
    "mv": ("edit",),
    "notes": ("note",),
    "plans": ("list",),
    "ready": ("next", "--all"),
    "remove": ("rm",),
    "rename": ("edit",),
    "reopen": ("edit", "--reopen"),
    "status": ("show",),
    "tree": ("show",),
    "update": ("edit",),
    "verify": ("check",),
}


def unaliased(arguments: list[str]) -> list[str]:
    """Put the command in the place of an alias that stands first."""
    return [*ALIASES.get(arguments[0], arguments[:1]), *arguments[1:]]
