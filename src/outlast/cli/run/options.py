"""Agent options: the settings and what the plan remembers, overridden by the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.agent.agent_spec import AgentSpec, Loop, PlanRef, Replan, ToolLoop
from outlast.agent.people.permission_store import permissions_at
from outlast.agent.permissions import NO_PERMISSIONS
from outlast.config.amounts import parse_budget
from outlast.config.load import PLAN
from outlast.console.call import choose_agent_language
from outlast.errors import StoreError, WrongUsage
from outlast.language import LANGUAGES, visible
from outlast.model.limits import LARGEST_ID, NAME_CHARACTERS, fold_actor
from outlast.model.model import ASSISTANT, PERSON, LastRun
from outlast.orchestrator.command_options import VOLUMES, choose_agent, choose_loop
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
