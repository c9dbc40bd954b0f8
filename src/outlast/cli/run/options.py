"""Agent options: the settings and what the plan remembers, overridden by the command line."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from outlast.agent.agent_spec import AgentSpec, Loop, Orchestrate, PlanRef, Replan, ToolLoop
from outlast.agent.people.permission_store import permissions_at
from outlast.agent.permissions import NO_PERMISSIONS
from outlast.agent.work import PERMISSIONS, Permissions
from outlast.config.amounts import parse_budget
from outlast.config.load import PLAN
from outlast.config.settings import MAILBOX_LAYOUTS, MailboxSettings, Settings
from outlast.errors import InvalidArgument, StoreError, WrongUsage
from outlast.language import LANGUAGES, Language, visible
from outlast.model.limits import LARGEST_ID, NAME_CHARACTERS, check_number, fold_actor
from outlast.model.model import ASSISTANT, PERSON, LastRun, LoopName
from outlast.orchestrator.coding_agents import MAILBOX, SHELL, WITHOUT_LEVELS
from outlast.orchestrator.mailboxes import locate_mailbox
from outlast.plan.project_settings import load_settings
from outlast.system.caller import OWN_AGENT, host_agent, person_name
from outlast.system.patterns import can_permit
from outlast.system.workspace_root import current_directory

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outlast.agent.permissions import PlanPermissions
    from outlast.cli.run.job import AgentJob
    from outlast.console.call import Call
    from outlast.plan.plan import Plan
    from outlast.store.port import Layout

_ASKING_TOOLS: Final = ("bash",)  # beside those that ask for paths
# Ready-made values would come from the plan, and so perhaps from a stranger.
_NEED_AGENT: Final = ("parallel", "permissions", "timeout", "sessions")
VOLUMES: Final = "volumes"  # the layout of a mailbox only
MOST_PARALLEL: Final = 64
_FLAGS: Final = {"loop.model": "--model NAME", "loop.max_iterations": "--max-iterations NUMBER"}


def read_job(
    call: Call, plan: Plan | None, home: str, *, dry_run: bool = False, resume: bool = False
) -> AgentJob:
    """Merge settings, the memory of a plan in a workspace, and the options of the command line.

    Adds notices on what was ignored. Raises `WrongUsage` if the only model is one that the plan
    remembers and the user has not chosen.
    """
    values = call.values
    options = {
        "loop.model": values.get("model"),
        "loop.max_iterations": values.get("max_iterations"),
        "layout": plan_layout(values),
        "orchestrator.sessions": values.get("sessions"),
        "orchestrator.review": values.get("review"),
        "mailbox.layout": None if plan_layout(values) else values.get("layout"),
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
    agent = choose_agent(values, home, settings, last_run, chosen)
    is_reviewed = settings.orchestrator.review or (last_run is not None and last_run.review)
    loop: Loop = agent or ToolLoop.from_settings(settings)
    if agent is None and choose_loop(values, last_run) == "replan":
        loop = Replan.from_settings(settings, review=is_reviewed, in_chat=False)
    has_model = agent is None or agent.has_model
    spec = AgentSpec(
        model=settings.loop.model if has_model else "",
        loop=loop,
        plan=PlanRef(workdir=home),
        budget=None if budget is None else parse_budget(budget),
        settings=settings,
        actor=_actor(call, "" if last_run is None else last_run.actor),
        lease_seconds=values.get("lease", 60),
        language=choose_agent_language(call, settings),
        person_name=person_name(),
        allow=_allowed_patterns(values.get("allow", ())),
        yes=bool(values.get("yes")),
        dry_run=dry_run,
        remember_permissions=True,
    )
    from outlast.cli.run.job import AgentJob

    return AgentJob(
        call,
        spec,
        home,
        approve=bool(values.get("yes") or values.get("approve")),
        is_model_remembered=loaded.origins["loop.model"] == PLAN,
        is_assistant=last_run is not None and last_run.loop == ASSISTANT and "loop" not in values,
        resume=resume,
    )


def plan_layout(values: Mapping[str, Any]) -> Layout | None:
    """Return the layout of the plan's files that the command line names, if any."""
    layout: Layout | None = None if values.get("layout") == VOLUMES else values.get("layout")
    return layout


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
    if given is not None and not given.strip():
        raise InvalidArgument("name_blank", argument="--mailbox")
    own = replace(settings, directory=os.path.abspath(given)) if given else settings  # noqa: PTH100 - without the cost of pathlib
    return locate_mailbox(own, home)


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


def choose_agent_language(call: Call, settings: Settings) -> Language:
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
