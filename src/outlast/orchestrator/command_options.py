"""Which agent carries out the tasks, by the options of a command and the memory of a plan."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from outlast.agent.permissions import NO_PERMISSIONS, PlanPermissions
from outlast.agent.work import PERMISSIONS, Permissions
from outlast.config.settings import MAILBOX_LAYOUTS, MailboxSettings, Settings
from outlast.errors import InvalidArgument, WrongUsage
from outlast.language import visible
from outlast.model.limits import LARGEST_ID, check_number
from outlast.model.model import ASSISTANT, LastRun, LoopName
from outlast.orchestrator.known_agents import MAILBOX, SHELL, WITHOUT_LEVELS, Orchestrate

if TYPE_CHECKING:
    from collections.abc import Mapping


_NEED_AGENT: Final = ("parallel", "permissions", "timeout", "sessions")
VOLUMES: Final = "volumes"  # the layout of a mailbox only
MOST_PARALLEL: Final = 64


def choose_loop(values: Mapping[str, Any], last_run: LastRun | None) -> LoopName:
    """Return the loop of the command line, else the one of the plan's last run."""
    remembered = "" if last_run is None else last_run.loop
    return "replan" if values.get("loop", remembered) in ("replan", ASSISTANT) else "tools"


def choose_agent(
    values: Mapping[str, Any],
    home: str,
    settings: Settings,
    last_run: LastRun | None = None,
    chosen: PlanPermissions = NO_PERMISSIONS,
) -> Orchestrate | None:
    """Return the agent of the command line, else the one that the user chose last for the plan.

    The agent `shell` needs no model: it gets one only if the command line names one.
    """
    given, mailbox = values.get("agent"), values.get("mailbox")
    if given not in (None, MAILBOX) and mailbox is not None:
        raise WrongUsage("agent_and_mailbox", agent=visible(given), mailbox=visible(mailbox))
    given = given or (MAILBOX if mailbox else "")
    usual = settings.mailbox
    if last_run is not None:
        settings = _recall_agent(settings, last_run, chosen, is_used=not given)
        usual = settings.mailbox if mailbox is None and "layout" not in values else usual
    known = settings.orchestrator
    if (given or known.agent) != MAILBOX and values.get("layout") == VOLUMES:
        raise WrongUsage("layout_needs_mailbox", layout=VOLUMES)
    name = given or known.agent
    if "loop" in values:
        if given or (last_run is not None and last_run.agent):
            raise WrongUsage("loop_with_agent", agent=visible(name))
        name = ""  # the command line is stronger than the settings
    if not name:
        _refuse_agent_options(values, choose_loop(values, last_run))
        return None
    return Orchestrate.from_settings(
        settings,
        name,
        parallel=check_number(
            values.get("parallel", known.parallel), "--parallel", 1, MOST_PARALLEL
        ),
        permissions=_choose_level(name, values, known.permissions),
        timeout=_check_seconds(values.get("timeout", known.attempt_seconds)),
        mailbox=choose_mailbox(mailbox, usual, home) if name == MAILBOX else None,
        has_model=bool(values.get("model") or (settings.loop.model and name != SHELL)),
    )


def _refuse_agent_options(values: Mapping[str, Any], loop: LoopName) -> None:
    """Refuse options that mean nothing to a model that does the work itself."""
    alone = [f"--{option}" for option in _NEED_AGENT if option in values]
    if alone:
        raise WrongUsage("agent_option_alone", options=alone)
    if "review" in values and loop != "replan":
        raise WrongUsage("review_alone")


def _recall_agent(
    settings: Settings, last_run: LastRun, chosen: PlanPermissions, *, is_used: bool
) -> Settings:
    """Return the settings with the agent that the user chose last for the plan.

    One that only the plan names is refused if it would be used: a stranger may have named it.
    """
    name = last_run.agent
    if is_used and name and name != chosen.agent:
        raise WrongUsage("remembered_agent_refused", value=visible(name))
    known = replace(settings.orchestrator, agent=name)
    if name and name == chosen.agent:
        level = chosen.level if is_used and chosen.level in PERMISSIONS else known.permissions
        review = known.review or last_run.review
        known = replace(known, parallel=last_run.parallel, permissions=level, review=review)
    box = settings.mailbox
    if name == MAILBOX and chosen.mailbox:
        layout = chosen.layout if chosen.layout in MAILBOX_LAYOUTS else box.layout
        box = replace(box, directory=chosen.mailbox, layout=layout)
    return replace(settings, orchestrator=known, mailbox=box)


def _choose_level(name: str, values: Mapping[str, Any], usual: Permissions) -> Permissions:
    if name not in WITHOUT_LEVELS:
        level: Permissions = values.get("permissions", usual)
        return level
    if "permissions" in values:
        raise WrongUsage("agent_without_levels", agent=name)
    return "edit"  # so that tasks with the same files wait for each other


def _check_seconds(value: float) -> float:
    return check_number(value, "--timeout", 1, LARGEST_ID) if type(value) is int else value


def choose_mailbox(given: str | None, settings: MailboxSettings, home: str) -> MailboxSettings:
    """Return the mailbox of the command line, relative to here, else that of the settings."""
    from outlast.orchestrator.agents.mailbox.mailbox import locate_mailbox

    if given is not None and not given.strip():
        raise InvalidArgument("name_blank", argument="--mailbox")
    own = replace(settings, directory=os.path.abspath(given)) if given else settings  # noqa: PTH100 - without the cost of pathlib
    return locate_mailbox(own, home)
