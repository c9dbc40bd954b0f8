"""The commands: what one takes, which table holds it, its aliases, the options that many take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from outlast.language import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Mapping


class Argument(Struct, frozen=True):
    """A positional value; `many` takes all that are left, so it comes last."""

    name: str
    metavar: str
    help_key: str
    required: bool = True
    many: bool = False


class Option(Struct, frozen=True):
    """A value given by a flag; without a `metavar` and `choices` it is a switch.

    An `unlisted` option is in no usage line: people look it up when they need it. A `person_only`
    option is refused to agents.
    """

    name: str
    flags: tuple[str, ...]
    help_key: str
    metavar: str = ""
    many: bool = False
    choices: tuple[str, ...] = ()
    is_number: bool = False
    unlisted: bool = False
    person_only: bool = False

    @property
    def value(self) -> str:
        """How the value is spelled in a usage line; a switch has none."""
        return self.metavar or "|".join(self.choices)


class Command(Struct, frozen=True):
    """One command; `function` is `module:name`, the module named below `outlast`.

    A `rare` command is shown by `help --all` only, a `hidden` one never. A `person_only` command is
    refused to agents.
    """

    name: str
    function: str
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()
    needs_plan: bool = True
    rare: bool = False
    hidden: bool = False
    person_only: bool = False
    about: str = ""

    @property
    def help_key(self) -> str:
        """The key of the text that explains it, which follows from the name or is `about`."""
        return self.about or f"command_{self.name}"

    def reserved_flags(self, values: Mapping[str, object]) -> list[str]:
        """Return the flags among the given values that only a person may use."""
        return [
            option.flags[-1]
            for option in self.options
            if option.person_only and values.get(option.name)
        ]


# Options that commands of several subjects take.
_LAYOUTS: Final = ("outlast", "code-agent", "sessions")
ARCHIVED: Final = Option("archived", ("--archived",), "option_archived_name", "NAME")
UNLISTED_ARCHIVED: Final = replace(ARCHIVED, unlisted=True)
KEY: Final = Option("key", ("--key",), "option_key", "KEY")
MODEL: Final = Option("model", ("--model",), "option_model", "NAME")
REVIEW: Final = Option("review", ("--review",), "option_review")
LAYOUT: Final = Option("layout", ("--layout",), "option_layout", choices=_LAYOUTS, unlisted=True)
YES: Final = Option("yes", ("--yes",), "option_yes", person_only=True)
COMMON: Final = (
    Option("plan", ("--plan",), "option_plan", "KEY"),
    Option("actor", ("--as",), "option_as", "NAME"),
    Option("lang", ("--lang",), "option_lang", choices=LANGUAGES),
    Option("json", ("--json",), "option_json"),
)
VERSION: Final = Option("version", ("--version",), "option_version")
HELP: Final = Option("help", ("-h", "--help"), "option_help")

_TASKS: Final = "cli.tables.tasks"
_PLANS: Final = "cli.tables.plans"
_TRANSFER: Final = "transfer.command_table"
_AGENT: Final = "cli.tables.runs"
_ASSISTANT: Final = "assistant.command_table"
_ORCHESTRATOR: Final = "orchestrator.command_table"
_HOSTS: Final = "hosts.command_table"
_MCP: Final = "mcp.command_table"
_PROGRAM: Final = "cli.tables.program"

# The tables, with the commands of each, in the order of the help.
_COMMANDS: Final = (
    (_AGENT, ("run", "resume")),
    (_ASSISTANT, ("chat",)),
    (_ORCHESTRATOR, ("worker",)),
    (_MCP, ("mcp",)),
    (_HOSTS, ("attach", "detach", "hook")),
    (_AGENT, ("answer", "say")),
    (_PROGRAM, ("demo",)),
    (_PLANS, ("new",)),
    (_TASKS, ("add", "edit", "next", "start", "done", "fail", "check", "note", "skip", "rm")),
    (_PLANS, ("show", "context", "list", "graph")),
    (_AGENT, ("watch",)),
    (_PLANS, ("log", "report", "undo", "use", "pause", "abort", "drop")),
    (_TRANSFER, ("import", "export")),
    (_PROGRAM, ("models", "config")),
    (_AGENT, ("permissions",)),
    (_PROGRAM, ("doctor",)),
    (_HOSTS, ("init",)),
    (_PROGRAM, ("help",)),
    (_TASKS, ("claim", "release")),
    (_PLANS, ("accept", "reset", "archive", "restore")),
    (_PROGRAM, ("version",)),
    (_PLANS, ("welcome",)),
)
TABLES: Final = {name: table for table, names in _COMMANDS for name in names}

# Words that people and models try first, each for a command with its first arguments.
ALIASES: Final[dict[str, tuple[str, ...]]] = {
    "brief": ("context", "--brief"),
    "cancel": ("abort",),
    "close": ("done",),
    "complete": ("done",),
    "continue": ("resume",),
    "create": ("add",),
    "delete": ("rm",),
    "diff": ("log", "--diff"),
    "findings": ("note",),
    "finish": ("done",),
    "history": ("log",),
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


def load_command(name: str) -> Command:
    """Return a command of the index; no table but its own is loaded."""
    table: tuple[Command, ...] = load_attribute(f"{TABLES[name]}:COMMANDS")
    return next(command for command in table if command.name == name)


def load_commands() -> dict[str, Command]:
    """Return all commands that people see, in the order of the help."""
    commands = map(load_command, TABLES)
    return {command.name: command for command in commands if not command.hidden}


def find_command(name: str) -> Command | None:
    """Return the command that people can call by this name, if there is one."""
    command = load_command(name) if name in TABLES else None
    return None if command is None or command.hidden else command


def load_attribute(path: str) -> Any:  # noqa: ANN401 - whatever the module holds
    """Return what `module:name` stands for, the module named below `outlast`."""
    module, _, name = path.partition(":")
    return getattr(__import__(f"outlast.{module}", fromlist=[name]), name)
