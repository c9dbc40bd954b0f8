"""What a command of the command line takes, and one call of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from outlast.language import text, visible
from outlast.model.limits import check_actor
from outlast.model.model import PERSON
from outlast.store.port import Notice
from outlast.system.caller import (
    ACTOR,
    choose_language,
    host_agent,
    person_name,
    refuse_person_inside_agent,
    refuse_persons_name,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.config.settings import Settings
    from outlast.language import Language


_PLAIN: Final = "_@%+=:,./-"  # beside letters and digits, what no shell expands
_RUNS: Final = ("run", "resume")
_TYPED_LATER: Final = ("answer", "resume", "run")  # what they print is typed later, if at all


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
    help_key: str
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()
    needs_plan: bool = True
    rare: bool = False
    hidden: bool = False
    person_only: bool = False

    def reserved_flags(self, values: Mapping[str, object]) -> list[str]:
        """Return the flags among the given values that only a person may use."""
        return [
            option.flags[-1]
            for option in self.options
            if option.person_only and values.get(option.name)
        ]


# Options that commands of several subjects take.
LAYOUTS: Final = ("outlast", "code-agent", "sessions")
ARCHIVED: Final = Option("archived", ("--archived",), "option_archived_name", "NAME")
UNLISTED_ARCHIVED: Final = replace(ARCHIVED, unlisted=True)
KEY: Final = Option("key", ("--key",), "option_key", "KEY")
MODEL: Final = Option("model", ("--model",), "option_model", "NAME")
REVIEW: Final = Option("review", ("--review",), "option_review")
LAYOUT: Final = Option("layout", ("--layout",), "option_layout", choices=LAYOUTS, unlisted=True)
YES: Final = Option("yes", ("--yes",), "option_yes", person_only=True)


class PlanContext(Struct):
    """The plan that a command is about, once that is known, and whether there are others beside it.

    An archived plan is not in it, and does not count as another. A command with a new goal ignores
    OUTLAST_PLAN. `where` is the directory that `doctor` was given, and that its advice repeats.
    `find_attached` returns the key of the plan, in a workspace with this root, that the coding
    agent's session works on which runs this command; empty if there is none.
    """

    key: str = ""
    is_one_of_several: bool = False
    ignores_variable: bool = False
    where: str = ""
    find_attached: Callable[[str], str] | None = None


class Call(Struct, frozen=True):
    """A parsed command line.

    `common` holds the options that every command has. `notices` collects what is printed beside the
    answer. `at_end` holds what is called once the answer is printed, and not if the process dies.
    """

    command: str
    values: dict[str, Any]
    common: dict[str, Any]
    notices: list[Notice] = []
    context: PlanContext = field(default_factory=PlanContext)
    at_end: list[Callable[[], object]] = []

    @property
    def wants_json(self) -> bool:
        """Whether the answer is printed as JSON."""
        return bool(self.common.get("json"))

    @property
    def plan(self) -> str | None:
        """The key given by `--plan` or OUTLAST_PLAN, if any."""
        if self.context.ignores_variable:
            return self.common.get("plan")
        return self._setting("plan", "OUTLAST_PLAN")

    @property
    def actor(self) -> str:
        """The actor: the named one, else the agent that runs this process, else a person."""
        named = self.named_actor
        return host_agent() or PERSON if named is None else named

    @property
    def asker(self) -> str:
        """Who types the command; `--as` of a run names the agent that works, not who asks."""
        return host_agent() or PERSON if self.command in _RUNS else self.actor

    @property
    def person(self) -> str:
        """The name of the person who acts, if it is one and the name is known."""
        return person_name() if self.actor == PERSON else ""

    @property
    def named_actor(self) -> str | None:
        """The actor given by `--as` or OUTLAST_ACTOR, if any.

        Inside an agent's environment neither `human` nor the user's own name can be given.
        """
        named = self._setting("actor", ACTOR)
        if named is None:
            return None
        argument = ACTOR if self.common.get("actor") is None else "--as"
        if check_actor(named, argument) == PERSON:
            refuse_person_inside_agent(argument)
        else:
            refuse_persons_name(named, argument)
        return named

    @property
    def language(self) -> Language:
        """The language of the answer; JSON is always English."""
        return "en" if self.wants_json else choose_language(self.common.get("lang"))

    @property
    def command_options(self) -> dict[str, str]:
        """What printed commands take over from this one, by the field of the texts for it."""
        return self.options_for("")

    def options_for(self, command: str) -> dict[str, str]:
        """Return what a printed command takes over from this one, by the field of the texts for it.

        The plan is named if it was named here, if the workspace has others, and if the command may
        be typed much later: after a run, or to answer a question.
        """
        key = self.context.key or self.plan
        is_later = self.command in _TYPED_LATER or command == "answer"
        is_named = self.plan is not None or self.context.is_one_of_several or is_later
        plan = f" --plan {shell_word(key)}" if key and is_named else ""
        actor = f" --as {shell_word(self.common['actor'])}" if self.common.get("actor") else ""
        lang = f" --lang {self.common['lang']}" if self.common.get("lang") else ""
        where = f" {shell_word(self.context.where)}" if self.context.where else ""
        options = {"common": f"{plan}{actor}{lang}", "as_person": f"{plan}{lang}"}
        return {**options, "lang": f"{where}{lang}"}

    def text(self, key: str, /, **values: object) -> str:
        """Return a text in the language of the answer, with commands for the same plan."""
        return text(key, self.language, **{**self.command_options, **values})

    def _setting(self, option: str, variable: str) -> str | None:
        value: str | None = self.common.get(option)
        return os.environ.get(variable) or None if value is None else value


def is_interactive(call: Call) -> bool:
    """Return whether a person reads the output and can answer; an agent's terminal has none."""
    streams = (sys.stdin, sys.stdout)
    return (
        not call.wants_json
        and not host_agent()
        and all(stream is not None and stream.isatty() for stream in streams)
    )


def choose_agent_language(call: Call, settings: Settings) -> Language:
    """Return the agent's language. `--json` means English answers, but not an English agent."""
    named = call.common.get("lang") or settings.language or call.language
    return "zh" if named == "zh" else "en"


def shell_word(word: str) -> str:
    """Return a word as a shell takes it, quoted if need be; control characters are spelled out.

    Unlike `shlex.quote` it leaves Chinese as it is.
    """
    if word and all(c.isalnum() or c in _PLAIN for c in word) and word[0] != "=":
        return word
    return "'" + visible(word).replace("'", "'\"'\"'") + "'"
