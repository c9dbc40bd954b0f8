"""An agent as the command line and the settings describe it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from outlast.config.amounts import read_budget
from outlast.config.settings import Settings
from outlast.config.sources import user_file
from outlast.domain.budget import Budget
from outlast.domain.model import PERSON
from outlast.errors import WrongUsage
from outlast.interfaces.cli.plan_context import here
from outlast.texts import Language, visible
from outlast.wiring.settings import settings_in

if TYPE_CHECKING:
    from outlast.interfaces.cli.call import Call

_AGENT = "agent"


class Wanted(Struct, frozen=True):
    """What was asked for: the settings with the options of the command line in them."""

    settings: Settings
    budget: Budget | None
    language: Language
    actor: str
    lease: int
    yes: bool

    def require_model(self) -> str:
        """Return the name of the model; none is an error that says how to get one."""
        if not self.settings.loop.model:
            raise WrongUsage("no_model", file=visible(user_file(os.environ)))
        return self.settings.loop.model


def wanted(call: Call) -> Wanted:
    """Put the options of a command line together with the settings; say what was not taken."""
    given = call.values
    options = {"loop.model": given.get("model"), "loop.max_iterations": given.get("max_iterations")}
    loaded = settings_in(here(), arguments=options)
    call.notices.extend(loaded.notices)
    settings = loaded.settings
    allow = (*settings.permissions.allow, *given.get("allow", ()))
    budget = given.get("budget")
    return Wanted(
        replace(settings, permissions=replace(settings.permissions, allow=allow)),
        None if budget is None else read_budget(budget),
        _language(call, settings),
        _actor(call),
        given.get("lease", 60),
        bool(given.get("yes")),
    )


def _language(call: Call, settings: Settings) -> Language:
    """Return the language of the agent: JSON is English, but an agent may be told another."""
    named = call.common.get("lang") or settings.language or call.language
    return "zh" if named == "zh" else "en"


def _actor(call: Call) -> str:
    named = call.named_actor or _AGENT
    if named == PERSON:
        raise WrongUsage("run_as_person", actor=named)
    return named
