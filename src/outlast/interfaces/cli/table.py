"""The table of commands: their names, where each is carried out, and what it takes."""

from __future__ import annotations

from typing import Final

from msgspec import Struct


class Argument(Struct, frozen=True):
    """A value that is told by its place; `many` takes all that are left."""

    name: str
    shown: str
    says: str
    required: bool = True
    many: bool = False


class Option(Struct, frozen=True):
    """A value that is told by its flag; one that shows no value is either there or not."""

    name: str
    flags: tuple[str, ...]
    says: str
    shown: str = ""
    many: bool = False


class Command(Struct, frozen=True):
    """One command: `home` is the module and the function that carry it out."""

    name: str
    home: str
    says: str
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()
    on_plan: bool = True
    hidden: bool = False


COMMON: Final = (
    Option("plan", ("--plan",), "option_plan", "KEY"),
    Option("actor", ("--as",), "option_as", "NAME"),
    Option("lang", ("--lang",), "option_lang", "en|zh"),
    Option("json", ("--json",), "option_json"),
)

_TASK: Final = Argument("task", "N", "argument_task")
_MAYBE_TASK: Final = Argument("task", "N", "argument_task", required=False)
_REASON: Final = Argument("reason", "REASON", "argument_reason", required=False, many=True)

_ALL: Final = (
    Command(
        "new",
        "plans.new",
        "command_new",
        (Argument("goal", "GOAL", "argument_goal", many=True),),
        (
            Option("key", ("--key",), "option_key", "KEY"),
            Option("shared", ("--shared",), "option_shared"),
        ),
        on_plan=False,
    ),
    Command(
        "add",
        "tasks.add",
        "command_add",
        (Argument("names", "NAME", "argument_names", many=True),),
        (
            Option("needs", ("--needs",), "option_needs", "N,N", many=True),
            Option("after", ("--after",), "option_after", "N"),
            Option("phase", ("--phase",), "option_phase", "PHASE"),
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
        (Option("result", ("-m", "--result"), "option_result", "TEXT"),),
    ),
    Command(
        "fail",
        "work.fail",
        "command_fail",
        (Argument("words", "[N] REASON", "argument_fail", many=True),),
        (Option("final", ("--no-retry",), "option_no_retry"),),
    ),
    Command("skip", "tasks.skip", "command_skip", (_TASK, _REASON)),
    Command("rm", "tasks.remove", "command_remove", (_TASK,)),
    Command("show", "plans.show", "command_show"),
    Command("list", "plans.every", "command_list", on_plan=False),
    Command(
        "log",
        "history.log",
        "command_log",
        options=(Option("limit", ("-n",), "option_limit", "COUNT"),),
    ),
    Command("undo", "history.undo", "command_undo"),
    Command("pause", "plans.pause", "command_pause", (_REASON,)),
    Command("resume", "plans.resume", "command_resume"),
    Command(
        "doctor",
        "doctor.doctor",
        "command_doctor",
        options=(Option("mend", ("--mend",), "option_mend"),),
        on_plan=False,
    ),
    Command(
        "help",
        "manual.show",
        "command_help",
        (Argument("command", "COMMAND", "argument_command", required=False),),
        on_plan=False,
    ),
    Command("version", "manual.version", "option_version", on_plan=False),
    Command("welcome", "plans.welcome", "command_show", on_plan=False, hidden=True),
)

COMMANDS: Final = {command.name: command for command in _ALL}

# What people and models try first; each stands for a command with its first arguments.
ALIASES: Final[dict[str, tuple[str, ...]]] = {
    "close": ("done",),
    "complete": ("done",),
    "continue": ("resume",),
    "create": ("add",),
    "delete": ("rm",),
    "finish": ("done",),
    "init": ("new",),
    "ls": ("list",),
    "ready": ("next", "--all"),
    "remove": ("rm",),
    "status": ("show",),
}


def unaliased(arguments: list[str]) -> list[str]:
    """Put the command in the place of an alias that stands first."""
    return [*ALIASES.get(arguments[0], arguments[:1]), *arguments[1:]]
