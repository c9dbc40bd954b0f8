"""What a spec needs to run: its model, tools, agent and hooks, found or made and checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import structs

from outlast.agent.agent_spec import AgentSpec, Crew, Replan, directory_of
from outlast.agent.loop_agent import LoopAgent
from outlast.agent.people.permission_file import choices_to_keep, permissions_at
from outlast.agent.permissions import PlanPermissions
from outlast.agent.plan_locator import PlanLocator
from outlast.agent.runtime.lease_holder import LeaseHolder
from outlast.agent.runtime.run import Resources
from outlast.agent.tools.choice import collect_tools, installed_tools
from outlast.context.chat_model import Model, Price, Reply
from outlast.errors import InvalidArgument, ModelFailed, WrongUsage
from outlast.model.model import PERSON
from outlast.plan.home.find import is_url, workspace_at
from outlast.plan.tools.tool_sets import NAMES
from outlast.system.caller import host_agent

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.agent.events import Event
    from outlast.agent.runtime.workspace import WorkspaceProbe
    from outlast.agent.work import Agent, Preflight
    from outlast.context.tool import Tool

_ANY_PATH: Final = "path"


def locate_plan(spec: AgentSpec) -> PlanLocator:
    """Return the place of the plan; refuse a missing directory.

    The agent would fall back to a scratch plan. A database has no layout, whatever the settings
    say.
    """
    ref, layout = spec.plan, spec.plan.layout
    if ref.plan is None and ref.workdir is not None and not is_url(ref.workdir):
        workspace_at(ref.workdir)
    return PlanLocator(
        ref.plan,
        ref.workdir,
        ref.key,
        spec.actor,
        layout=layout if layout or is_url(ref.workdir) else spec.settings.layout,
        needs_approval=spec.dry_run,
        order="sequential" if isinstance(spec.loop, Replan) else "graph",
        language=spec.language,
    )


def find_resources(
    spec: AgentSpec, locator: PlanLocator, listener: Callable[[Event], object]
) -> Resources:
    """Find or make what the runs of a spec need; `listener` gets their events."""
    settings = spec.settings
    directory = directory_of(spec)
    is_kept = spec.remember_permissions and directory is not None
    tools = collect_tools((*spec.tools, *installed_tools(settings.tools.enabled)), NAMES)
    how = spec.delegation
    crew: Crew | None = None if how is None else how.crew
    agent = None if crew is None else crew.find_worker(spec)
    model = _find_model(spec)
    if spec.limits().money is not None and model.price is None:  # it could not be enforced
        raise InvalidArgument("price_unknown", argument="budget.money", model=model.name)
    return Resources(
        model=model,
        tools=tools,
        holder=LeaseHolder(spec.lease_seconds),
        create_plan=locator.create,
        create_scratch=locator.scratch_plan,
        transcript_of=locator.transcript_of,
        listener=listener,
        hooks=spec.hooks,
        allow=_calls_allowed(spec, agent, tools),
        permission_store=permissions_at(directory) if is_kept and directory else None,
        chosen=_choices(spec, is_kept=is_kept),
        agent=agent,
        preflight=_preflight(spec, agent, directory),
        probe=_probe(agent, directory),
        speaker=spec.actor if host_agent() else PERSON,
    )


def _find_model(spec: AgentSpec) -> Model:
    if not isinstance(spec.model, str):
        return spec.model
    if spec.delegation is not None and not spec.delegation.has_model:
        return NoModel()
    from outlast.agent.models.choice import find_model

    return find_model(spec.model, spec.settings)


def _choices(spec: AgentSpec, *, is_kept: bool) -> PlanPermissions:
    """Return what a person has chosen with the spec; the rest the plan remembers by itself."""
    chosen, how = PlanPermissions(tuple(spec.allow)), spec.delegation
    if is_kept:
        chosen = choices_to_keep(chosen.patterns, spec.model_name, spec.loop.max_iterations)
    if how is None:
        return chosen
    chosen = structs.replace(chosen, agent=how.agent_name, level=how.permissions)
    if how.mailbox is None:
        return chosen
    return structs.replace(chosen, mailbox=how.mailbox.directory, layout=how.mailbox.layout)


def _calls_allowed(
    spec: AgentSpec, agent: Agent | None, tools: tuple[Tool, ...]
) -> tuple[str, ...]:
    """Return what needs no question; with `full` an agent may use every tool of the run."""
    allow, how = spec.settings.permissions.allow, spec.delegation
    if how is None or not isinstance(agent, LoopAgent):
        return allow
    if agent.needs_model and not how.has_model:
        raise WrongUsage("agent_needs_own_model", agent=agent.name)
    if how.permissions != "full":
        return allow
    return (*allow, _ANY_PATH, *(tool.name for tool in tools))


def _preflight(spec: AgentSpec, agent: Agent | None, directory: str | None) -> Preflight | None:
    """Return what tries an agent first that asks for it, unless the user does not want that."""
    is_wanted = spec.settings.orchestrator.preflight and getattr(agent, "needs_preflight", False)
    how = spec.delegation
    if agent is None or how is None or directory is None or not is_wanted:
        return None
    crew: Crew = how.crew
    return crew.try_first(spec, agent, directory)


def _probe(agent: Agent | None, directory: str | None) -> WorkspaceProbe | None:
    """Return what looks at the directory in which agents work, if there is one."""
    if agent is None or directory is None:
        return None
    from outlast.agent.runtime.workspace import LocalWorkspace

    own = getattr(agent, "own_directories", ())  # through which it is told what to do
    return LocalWorkspace(directory, without=own)


class NoModel:
    """Stands in for a model where none is needed."""

    name = ""
    price = Price(0.0, 0.0)

    async def think(self, *_given: object, **_options: object) -> Reply:
        """Raise: nobody should ask."""
        raise ModelFailed("no_model_here")
