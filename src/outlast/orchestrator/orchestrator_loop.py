"""`OrchestratorLoop`: agents carry out the tasks of a plan; the model only plans and judges."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, Final

from msgspec import structs

from outlast.agent.agent_loop import AgentLoop
from outlast.agent.loop_agent import LoopAgent
from outlast.agent.runtime.workspace_probe import LocalWorkspace
from outlast.agent.work import Agent, Permissions  # noqa: TC001 - as above
from outlast.config.settings import MailboxSettings  # noqa: TC001 - public signatures are read at run time
from outlast.context.chat_model import Model, Price, Reply
from outlast.errors import ModelFailed, WrongUsage
from outlast.orchestrator.agents.preflight import AgentPreflight
from outlast.orchestrator.options import OrchestratorOptions
from outlast.plan.home.find import is_url
from outlast.system.state_home import StateHome, state_home

_ANY_PATH: Final = "path"


class OrchestratorLoop(AgentLoop):
    """Lets an agent carry out the tasks of a stored plan, `parallel` of them at a time.

    Without a model the plan is carried out as it is; with `plan_only` it is only made. An attempt
    may take `timeout` seconds. What is None is taken from the settings. `mailbox` is the one behind
    the agent, for later runs of the plan. `options` are keywords of `AgentLoop`.
    """

    def __init__(  # noqa: PLR0913 - one keyword for each choice
        self,
        *,
        agent: Agent,
        model: Model | str | None = None,
        parallel: int | None = None,
        permissions: Permissions | None = None,
        timeout: float | None = None,
        review: bool | None = None,
        plan_only: bool = False,
        mailbox: MailboxSettings | None = None,
        **options: Any,  # noqa: ANN401 - the keywords of another class
    ) -> None:
        """Validate the options; nothing is opened, created or called yet."""
        super().__init__(model=NoModel() if model is None else model, **options)
        if model is None and isinstance(agent, LoopAgent) and agent.needs_model:
            raise WrongUsage("agent_needs_own_model", agent=agent.name)
        known = self._chosen.settings.orchestrator
        allowed = permissions or known.permissions
        how = OrchestratorOptions(
            known.parallel if parallel is None else parallel,
            has_model=model is not None,
            read_only=allowed == "read",
            review=known.review if review is None else review,
            plan_only=plan_only,
            most_replans=known.replans,
            attempts=known.attempts,
            unattended=known.unattended,
            share_session=known.sessions == "shared",
        )
        chosen = structs.replace(self._chosen.chosen, agent=agent.name, level=allowed)
        if mailbox is not None:
            chosen = structs.replace(chosen, mailbox=mailbox.directory, layout=mailbox.layout)
        self._chosen = replace(
            self._chosen,
            orchestrator=how,
            agent=agent,
            allow=self._calls_allowed(agent, allowed),
            agent_permissions=allowed,
            agent_timeout=known.attempt_seconds if timeout is None else timeout,
            preflight=self._preflight(agent, allowed, options.get("workdir")),
            probe=_probe_of(options.get("workdir"), agent),
            chosen=chosen,
        )

    def _preflight(
        self, agent: Agent, permissions: Permissions, workdir: str | os.PathLike[str] | None
    ) -> AgentPreflight | None:
        """Return what tries an agent first that asks for it, unless the user does not want that."""
        is_wanted = self._chosen.settings.orchestrator.preflight
        if workdir is None or is_url(workdir) or not is_wanted:
            return None
        if not getattr(agent, "needs_preflight", False):
            return None
        place, memory = os.path.abspath(workdir), StateHome(state_home())  # noqa: PTH100 - a text
        language = self._chosen.language
        return AgentPreflight(agent, place, memory, permissions=permissions, language=language)

    def _calls_allowed(self, agent: Agent, permissions: Permissions) -> tuple[str, ...]:
        """Return what needs no question; with `full` an agent may use every tool of the run."""
        if not (isinstance(agent, LoopAgent) and permissions == "full"):
            return self._chosen.allow
        return (*self._chosen.allow, _ANY_PATH, *(tool.name for tool in self._chosen.tools))


def _probe_of(workdir: str | os.PathLike[str] | None, agent: Agent) -> LocalWorkspace | None:
    """Return what looks at the directory in which agents work, if there is one."""
    if workdir is None or is_url(workdir):
        return None
    own = getattr(agent, "own_directories", ())  # through which it is told what to do
    return LocalWorkspace(os.fspath(workdir), without=own)


class NoModel:
    """Stands in for a model where none is needed."""

    name = ""
    price = Price(0.0, 0.0)

    async def think(self, *_given: object, **_options: object) -> Reply:
        """Raise: nobody should ask."""
        raise ModelFailed("no_model_here")
