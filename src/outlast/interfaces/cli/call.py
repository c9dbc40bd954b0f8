"""One call of the command line: command, values, common options, environment."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from outlast.domain.model import PERSON
from outlast.errors import InvalidArgument
from outlast.ports.store import Notice
from outlast.system.tool_process import is_inside_tool
from outlast.texts import text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.texts import Language


LANGUAGES: Final[tuple[Language, ...]] = ("en", "zh")


class Call(Struct, frozen=True):
    """A parsed command line.

    `common` holds the options that every command has. `notices` collects what is printed beside the
    answer.
    """

    command: str
    values: dict[str, Any]
    common: dict[str, Any]
    notices: list[Notice] = []

    @property
    def wants_json(self) -> bool:
        """Whether the answer is printed as JSON."""
        return bool(self.common.get("json"))

    @property
    def plan(self) -> str | None:
        """The key given by `--plan` or OUTLAST_PLAN, if any."""
        return self._setting("plan", "OUTLAST_PLAN")

    @property
    def actor(self) -> str:
        """The actor who acts; a person unless another one is named.

        What a tool or a check starts is an agent's: it acts as one, and never as a person.
        """
        named = self.named_actor
        if not is_inside_tool():
            return PERSON if named is None else named
        if named == PERSON:
            raise InvalidArgument("person_inside_tool", argument="--as")
        return "agent" if named is None else named

    @property
    def named_actor(self) -> str | None:
        """The actor given by `--as` or OUTLAST_ACTOR, if any."""
        return self._setting("actor", "OUTLAST_ACTOR")

    @property
    def language(self) -> Language:
        """The language of the answer; JSON is always English."""
        return "en" if self.wants_json else choose_language(self.common.get("lang"))

    def text(self, key: str, /, **values: object) -> str:
        """Return a text in the language of the answer."""
        return text(key, self.language, **values)

    def _setting(self, option: str, variable: str) -> str | None:
        value: str | None = self.common.get(option)
        return os.environ.get(variable) or None if value is None else value


def choose_language(chosen: str | None, environment: Mapping[str, str] | None = None) -> Language:
    """Return the language of `--lang`, else of OUTLAST_LANG, else of the system's locale."""
    environment = os.environ if environment is None else environment
    named = chosen or environment.get("OUTLAST_LANG")
    if not named:
        variables = ("LC_ALL", "LC_MESSAGES", "LANG")
        named = next((environment[name] for name in variables if environment.get(name)), "en")
    return "zh" if named.lower().startswith("zh") else "en"
