"""Agent options: the settings, overridden by the command line."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from outlast.config.amounts import parse_budget
from outlast.config.load import user_file
from outlast.config.settings import Settings
from outlast.domain.budget import Budget
from outlast.domain.model import PERSON
from outlast.errors import WrongUsage
from outlast.system.workspace_root import current_directory
from outlast.texts import Language, visible
from outlast.wiring.settings import load_settings

if TYPE_CHECKING:
    from outlast.interfaces.cli.call import Call

_AGENT = "agent"


class RunOptions(Struct, frozen=True):
    """The settings of an agent, with the options of the command line applied."""

    settings: Settings
    budget: Budget | None
    language: Language
    actor: str
    lease: int
    yes: bool

    def require_model(self) -> str:
        """Return the model's name; raise `WrongUsage` with how to set one if there is none."""
        if not self.settings.loop.model:
            raise WrongUsage("no_model", file=visible(user_file(os.environ)))
        return self.settings.loop.model


def read_options(call: Call) -> RunOptions:
    """Merge the command line's options into the settings; add notices on ignored settings."""
    values = call.values
    options = {
        "loop.model": values.get("model"),
        "loop.max_iterations": values.get("max_iterations"),
        "layout": values.get("layout"),
    }
    loaded = load_settings(current_directory(), arguments=options)
    call.notices.extend(loaded.notices)
    settings = loaded.settings
    allow = (*settings.permissions.allow, *values.get("allow", ()))
    budget = values.get("budget")
    return RunOptions(
        replace(settings, permissions=replace(settings.permissions, allow=allow)),
        None if budget is None else parse_budget(budget),
        _language(call, settings),
        _actor(call),
        values.get("lease", 60),
        bool(values.get("yes")),
    )


def _language(call: Call, settings: Settings) -> Language:
    """Return the agent's language. `--json` means English answers, but not an English agent."""
    named = call.common.get("lang") or settings.language or call.language
    return "zh" if named == "zh" else "en"


def _actor(call: Call) -> str:
    named = call.named_actor or _AGENT
    if named == PERSON:
        raise WrongUsage("run_as_person", actor=named)
    return named
