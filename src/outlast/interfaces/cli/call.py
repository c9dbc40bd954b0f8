"""What was asked on the command line, with what the environment adds to it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from outlast.interfaces.cli.language import language
from outlast.ports.store import Notice
from outlast.texts import text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.texts import Language


class Call(Struct, frozen=True):
    """A command with its values, and the options that every command has.

    `notices` gathers what is to be said beside the answer.
    """

    command: str
    values: dict[str, Any]
    common: dict[str, Any]
    notices: list[Notice] = []

    @property
    def as_json(self) -> bool:
        """Whether a program reads the answer."""
        return bool(self.common.get("json"))

    @property
    def plan(self) -> str | None:
        """The key of the plan that was named, if any."""
        return self._setting("plan", "OUTLAST_PLAN")

    @property
    def actor(self) -> str:
        """In whose name it is done."""
        named = self.named_actor
        return "human" if named is None else named

    @property
    def named_actor(self) -> str | None:
        """In whose name it is done, if that was said."""
        return self._setting("actor", "OUTLAST_ACTOR")

    @property
    def language(self) -> Language:
        """The language of the answer; programs read English."""
        return "en" if self.as_json else language(self.common.get("lang"))

    def say(self, key: str, /, **values: object) -> str:
        """Return a text in the language of the answer."""
        return text(key, self.language, **values)

    def _setting(
        self, option: str, variable: str, environment: Mapping[str, str] = os.environ
    ) -> str | None:
        given: str | None = self.common.get(option)
        return environment.get(variable) or None if given is None else given
