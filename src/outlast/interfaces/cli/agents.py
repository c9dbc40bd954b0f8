"""An agent as the command line and the settings describe it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from outlast.config.amounts import read_budget
from outlast.config.settings import Settings
from outlast.domain.budget import NO_LIMIT, Budget
from outlast.domain.model import PERSON
from outlast.errors import WrongUsage
from outlast.interfaces.cli.opened import here
from outlast.texts import Language
from outlast.wiring.settings import settings_in

if TYPE_CHECKING:
    from outlast.application.planning import Plan
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
            raise WrongUsage("no_model")
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


def budget_of(plan: Plan | None, asked: Wanted) -> Budget | None:
    """Return what may be spent: what was said now changes only the limits that it names."""
    if asked.budget is None or (plan is not None and plan.budget() != NO_LIMIT):
        return asked.budget
    return replace(asked.settings.budget, **_named(asked.budget))


def _named(budget: Budget) -> dict[str, Any]:
    return {what: limit for what, limit in asdict(budget).items() if limit is not None}
