"""`Orchestrate`: the loop in which agents carry out the tasks of a plan, and who they are."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from outlast.agent.agent_spec import AgentSpec, Delegation, directory_of
from outlast.agent.work import Agent, AgentSetup
from outlast.orchestrator.coding_agents import find_agent

if TYPE_CHECKING:
    from outlast.agent import effects as e
    from outlast.agent.events import Stopped
    from outlast.agent.work import Preflight
    from outlast.language import Language


class AgentCrew:
    """The agents of Outlast, those of installed packages, and the loop that they work in."""

    def find_worker(self, spec: AgentSpec) -> Agent | None:
        """Return the agent that carries out the tasks; raise an error if it cannot work here."""
        return find_worker(spec)

    def try_first(self, spec: AgentSpec, agent: Agent, directory: str) -> Preflight:
        """Return what tries an agent before its first task."""
        from outlast.orchestrator.agents.preflight import AgentPreflight
        from outlast.system.state_home import StateHome, state_home

        how, memory = spec.delegation or Orchestrate(), StateHome(state_home())
        place = os.path.abspath(directory)  # noqa: PTH100 - a text
        permissions, language = how.permissions, spec.language
        return AgentPreflight(agent, place, memory, permissions=permissions, language=language)

    def loop(self, how: Orchestrate, language: Language) -> e.Loop[Stopped]:
        """Return the loop that plans, delegates and judges."""
        from outlast.orchestrator.scheduler import orchestrate

        return orchestrate(how, language)


class Orchestrate(Delegation, frozen=True, kw_only=True):
    """An agent of Outlast or of an installed package carries out the tasks of a plan."""

    crew = AgentCrew()


def find_worker(spec: AgentSpec) -> Agent | None:
    """Return the agent that carries out the tasks; None if the model does that itself.

    Raises an error if it cannot work here.
    """
    how = spec.delegation
    if how is None:
        return None
    agent = how.agent
    if isinstance(agent, str):
        pass_env, home = spec.settings.tools.pass_env, directory_of(spec) or os.curdir
        agent = find_agent(
            agent, AgentSetup(home, spec.language, pass_env, how.timeout), how.mailbox
        )
    return agent
