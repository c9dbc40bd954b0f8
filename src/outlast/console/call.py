"""One call of the command line, with the plan it is about and who asks, and its answer."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from outlast.console.command_index import load_command
from outlast.errors import Unconfirmed
from outlast.language import Language, text, visible
from outlast.model.limits import check_actor
from outlast.model.model import PERSON
from outlast.store.port import Notice
from outlast.system.caller import (
    ACTOR,
    choose_language,
    find_host,
    host_agent,
    person_name,
    refuse_person_inside_agent,
    refuse_persons_name,
)

if TYPE_CHECKING:
    from outlast.config.settings import Settings
    from outlast.model.budget import Budget

Json = dict[str, Any]

OK: Final = 0
REFUSED: Final = 1
USAGE: Final = 2
NO_PLAN: Final = 3
FAILURE: Final = 4

BLANK: Final = "…"  # for people to fill in
QUOTED_BLANK: Final = f'"{BLANK}"'
_PLAIN: Final = "_@%+=:,./-"  # beside letters and digits, what no shell expands
_RUNS: Final = ("run", "resume")
_TYPED_LATER: Final = ("answer", "resume", "run")  # what they print is typed later, if at all


class PlanContext(Struct):
    """The plan that a command is about, once that is known, and whether there are others beside it.

    An archived plan is not in it, and does not count as another. A command with a new goal ignores
    OUTLAST_PLAN. `where` is the directory that `doctor` was given, and that its advice repeats.
    `find_attached` returns the key of the plan, in a workspace with this root, that the coding
    agent's session works on which runs this command; empty if there is none. `before_use` is called
    with the id of the plan before a command looks at it.
    """

    key: str = ""
    is_one_of_several: bool = False
    ignores_variable: bool = False
    where: str = ""
    find_attached: Callable[[str], str] | None = None
    before_use: Callable[[str], None] | None = None


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
    def is_interactive(self) -> bool:
        """Whether a person reads the output and can answer; an agent's terminal has none."""
        streams = (sys.stdin, sys.stdout)
        return (
            not self.wants_json
            and not host_agent()
            and all(stream is not None and stream.isatty() for stream in streams)
        )

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

    def suggest(self, command: str, *more: str, key: str | None = None) -> str:
        """Return a command for the plan of this call, or for the plan with this key.

        It answers in the same language and acts for the same actor, unless that is for a person to
        do.
        """
        words = [word if word in (BLANK, QUOTED_BLANK) else shell_word(word) for word in more]
        call = self if key is None else replace(self, context=replace(self.context, key=key))
        options = call.options_for(command)[_options_field(call, command, more)]
        return " ".join(["outlast", command, *words]) + options

    def text(self, key: str, /, **values: object) -> str:
        """Return a text in the language of the answer, with commands for the same plan."""
        return text(key, self.language, **{**self.options_for(""), **values})

    def agent_language(self, settings: Settings) -> Language:
        """Return the agent's language. `--json` means English answers, but not an English agent."""
        named = self.common.get("lang") or settings.language or self.language
        return "zh" if named == "zh" else "en"

    def require_person(self, command: str) -> None:
        """Raise `Unconfirmed` if an agent asks for a command that is reserved for people.

        What depends on the plan, such as another goal or other checks, the plan itself decides.
        """
        actor = self.asker
        if actor == PERSON:
            return
        asked, asker = f"outlast {command}", visible(actor)
        variable, agent = find_host()
        if agent:
            raise Unconfirmed(
                "only_people_elsewhere", command=asked, actor=asker, variable=variable
            )
        raise Unconfirmed("only_people", command=asked, actor=asker)

    def refuse_higher_budget(self, limits: Budget, wanted: Budget) -> None:
        """Raise `Unconfirmed` if an agent asks to raise or to remove a limit."""
        pairs = [
            (getattr(limits, name), getattr(wanted, name)) for name in limits.__struct_fields__
        ]
        if any(limit is not None and (new is None or new > limit) for limit, new in pairs):
            self.require_person(f"{self.command} --budget")

    def _setting(self, option: str, variable: str) -> str | None:
        value: str | None = self.common.get(option)
        return os.environ.get(variable) or None if value is None else value


class Answer(Struct, frozen=True):
    """What a command returns: JSON and text, of which only one is rendered, and the exit code.

    A `bare` text is printed without the plan's key: it is a document, or names the plan itself.
    """

    as_json: Callable[[], Json]
    as_text: Callable[[], str]
    code: int = OK
    bare: bool = False


def _options_field(call: Call, command: str, more: tuple[str, ...]) -> str:
    """Return the field of the texts for the options that a command takes over."""
    row = load_command(command)
    if "--plan" in more or not (row.needs_plan or command in _RUNS):
        return "lang"
    is_for_person = row.person_only or "--budget" in more  # only people raise a budget
    is_of_other_agent = command in _RUNS and call.command not in _RUNS
    return "as_person" if is_for_person or is_of_other_agent else "common"


def shell_word(word: str) -> str:
    """Return a word as a shell takes it, quoted if need be; control characters are spelled out.

    Unlike `shlex.quote` it leaves Chinese as it is.
    """
    if word and all(c.isalnum() or c in _PLAIN for c in word) and word[0] != "=":
        return word
    return "'" + visible(word).replace("'", "'\"'\"'") + "'"
