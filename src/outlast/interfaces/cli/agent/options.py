"""Agent options: the settings and what the plan remembers, overridden by the command line."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.config.amounts import parse_budget
from outlast.config.load import PLAN, user_file
from outlast.config.settings import Settings
from outlast.domain.budget import Budget
from outlast.domain.limits import LARGEST_ID, NAME_CHARACTERS, fold_actor
from outlast.domain.model import PERSON, LastRun
from outlast.errors import InvalidArgument, OutlastError, StoreError, WrongUsage
from outlast.formats.patterns import can_permit
from outlast.interfaces.cli.call import LANGUAGES
from outlast.ports.permissions import NO_PERMISSIONS
from outlast.system.hosts import OWN_AGENT, host_agent
from outlast.system.workspace_root import current_directory
from outlast.texts import Language, visible
from outlast.wiring.permissions import permissions_at
from outlast.wiring.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.application.plan.plan import Plan
    from outlast.interfaces.cli.call import Call
    from outlast.ports.permissions import PlanPermissions

_ASKING_TOOLS: Final = ("bash",)  # beside those that ask for paths
# Ready-made values would come from the plan, and so perhaps from a stranger.
_FLAGS: Final = {"loop.model": "--model NAME", "loop.max_iterations": "--max-iterations NUMBER"}


class RunOptions(Struct, frozen=True):
    """The settings of an agent, with the plan's memory and the command line applied.

    `is_model_remembered` tells that the model is that of the plan's last run.
    """

    settings: Settings
    budget: Budget | None
    language: Language
    actor: str
    lease: int
    yes: bool
    approve: bool
    allow: tuple[str, ...] = ()
    is_model_remembered: bool = False

    def require_model(self) -> str:
        """Return the model's name; raise `WrongUsage` with how to set one if there is none."""
        if not self.settings.loop.model:
            raise WrongUsage("no_model", file=visible(user_file(os.environ)))
        return self.settings.loop.model

    def explain_model_error(self, error: OutlastError) -> OutlastError:
        """Return the error of a model that cannot be used; it names a remembered one."""
        if not self.is_model_remembered:
            return error
        return InvalidArgument(
            "remembered_model_unusable",
            argument="--model",
            model=visible(self.settings.loop.model),
            problem=error,
        )


def read_options(call: Call, plan: Plan | None, home: str) -> RunOptions:
    """Merge settings, the memory of a plan in a workspace, and the options of the command line.

    Adds notices on what was ignored. Raises `WrongUsage` if the only model is one that the plan
    remembers and the user has not chosen.
    """
    values = call.values
    options = {
        "loop.model": values.get("model"),
        "loop.max_iterations": values.get("max_iterations"),
        "layout": values.get("layout"),
    }
    last_run = None if plan is None else plan.last_run
    chosen = NO_PERMISSIONS if plan is None else _read_permissions(home, plan.id)
    remembered = {} if last_run is None else _remembered_settings(last_run, chosen)
    loaded = load_settings(current_directory(), arguments=options, remembered=remembered)
    call.notices.extend(loaded.notices)
    settings = loaded.settings
    for key, value in loaded.ignored.items():
        name = visible(str(value))
        if key == "loop.model" and not settings.loop.model:
            raise WrongUsage("remembered_model_refused", value=name)
        call.notices.append(("remembered_ignored", {"value": name, "flag": _FLAGS[key]}))
    budget = values.get("budget")
    return RunOptions(
        settings,
        None if budget is None else parse_budget(budget),
        _language(call, settings),
        _actor(call, "" if last_run is None else last_run.actor),
        values.get("lease", 60),
        bool(values.get("yes")),
        bool(values.get("yes") or values.get("approve")),
        _allowed_patterns(values.get("allow", ())),
        loaded.origins["loop.model"] == PLAN,
    )


def _allowed_patterns(patterns: Sequence[str]) -> tuple[str, ...]:
    """Return the patterns of `--allow`; refuse one that allows nothing, such as `git push`."""
    for pattern in patterns:
        if not can_permit(pattern, _ASKING_TOOLS):
            raise WrongUsage("allow_unknown", pattern=visible(pattern))
    return tuple(patterns)


def _read_permissions(home: str, plan_id: str) -> PlanPermissions:
    """Return what the user has chosen for a plan; nothing if that cannot be read.

    The run reports a failure.
    """
    try:
        return permissions_at(home).read(plan_id)
    except StoreError:
        return NO_PERMISSIONS


def _remembered_settings(
    last_run: LastRun, chosen: PlanPermissions
) -> dict[str, tuple[object, bool]]:
    """Return the settings that a plan remembers, each with whether the user has chosen it.

    A plan may come from a stranger: what no run could have recorded is left out.
    """
    remembered: dict[str, tuple[object, bool]] = {}
    if last_run.model:
        remembered["loop.model"] = last_run.model, last_run.model == chosen.model
    if 0 < last_run.max_iterations <= LARGEST_ID:
        is_chosen = last_run.max_iterations <= chosen.max_iterations
        remembered["loop.max_iterations"] = last_run.max_iterations, is_chosen
    if last_run.language in LANGUAGES:
        remembered["language"] = last_run.language, True
    return remembered


def _language(call: Call, settings: Settings) -> Language:
    """Return the agent's language. `--json` means English answers, but not an English agent."""
    named = call.common.get("lang") or settings.language or call.language
    return "zh" if named == "zh" else "en"


def _actor(call: Call, remembered: str) -> str:
    """Return who the run acts as: the named actor, a coding agent, or that of the last run.

    OUTLAST_ACTOR says who asks: a person's run acts as an agent.
    """
    named = call.named_actor or host_agent()
    if not named or (named == PERSON and call.common.get("actor") is None):
        is_agent = bool(remembered.strip()) and remembered.isprintable()
        is_usable = is_agent and fold_actor(remembered) != PERSON
        named = remembered if is_usable and len(remembered) <= NAME_CHARACTERS else OWN_AGENT
    if named == PERSON:
        raise WrongUsage("run_as_person", actor=named)
    return named
