"""`Orchestrate`: agents carry out the tasks of a plan; which there are, by name."""

from __future__ import annotations

import os
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

from outlast.agent.agent_spec import AgentSpec, Delegation, directory_of
from outlast.agent.work import Agent, AgentSetup, Preflight
from outlast.config.settings import MailboxSettings
from outlast.errors import AgentUnavailable, InvalidArgument, OutlastError
from outlast.language import Language, visible
from outlast.system.plugins import find_plugin

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.agent import effects as e
    from outlast.agent.events import Stopped

GROUP: Final = "outlast.agents"
MAILBOX: Final = "mailbox"
SHELL: Final = "shell"
HUMAN: Final = "human"
WITHOUT_LEVELS: Final = (SHELL, HUMAN)  # they do what the plan says
_SHOWN: Final = 80
_PARTS: Final = ("name", "work", "settle", "end_session")


def find_agent(name: str, setup: AgentSetup, mailbox: MailboxSettings | None = None) -> Agent:
    """Return the agent with a name, ready to work; raise with what is missing.

    A package offers one as a function of the setup, under the entry point `outlast.agents`. Only
    the agent `mailbox` needs a mailbox, which must have been located.
    """
    if name == MAILBOX and mailbox is not None:
        return _mailbox_agent(mailbox, setup)
    make = _AGENTS.get(name)
    if make is not None:
        return make(setup)
    plugin = find_plugin(GROUP, name, lambda known: _unknown_error(name, known))
    try:
        agent: Agent = plugin.load()(setup)
    except OutlastError:
        raise
    except Exception as error:  # whatever a package raises, its agent cannot work
        problem = f"{type(error).__name__}: {error}"
        raise AgentUnavailable("agent_broken", agent=name, problem=visible(problem)) from error
    missing = [part for part in _PARTS if not hasattr(agent, part)]
    if missing:
        raise AgentUnavailable("agent_incomplete", agent=name, parts=missing)
    return agent


def _unknown_error(name: str, installed: list[str]) -> InvalidArgument:
    known = sorted({*_AGENTS, *installed})
    close = get_close_matches(name, known, 1)
    key = "agent_unknown_close" if close else "agent_unknown"
    return InvalidArgument(
        key, argument="--agent", name=visible(name)[:_SHOWN], known=known, close="".join(close)
    )


def _shell(setup: AgentSetup) -> Agent:
    from outlast.orchestrator.agents.shell import ShellAgent

    return ShellAgent(setup.workspace, setup.pass_env, setup.language)


def _claude_code(setup: AgentSetup) -> Agent:
    from outlast.orchestrator.agents.claude_code import ClaudeCodeAgent

    return ClaudeCodeAgent(setup.workspace, **_program_options("claude", setup))


def _codex(setup: AgentSetup) -> Agent:
    from outlast.orchestrator.agents.codex import CodexAgent

    return CodexAgent(setup.workspace, **_program_options("codex", setup))


def _program_options(name: str, setup: AgentSetup) -> dict[str, Any]:
    """Return the options of an agent that is a program; raise if it is not installed."""
    from outlast.orchestrator.agents.process import find_program

    program = find_program(name)
    return {"program": program, "pass_env": setup.pass_env, "language": setup.language}


def _tools(setup: AgentSetup) -> Agent:
    from outlast.orchestrator.loop_agents import ToolsAgent

    return ToolsAgent(setup.language)


def _human(setup: AgentSetup) -> Agent:
    from outlast.orchestrator.loop_agents import HumanAgent

    return HumanAgent(setup.language)


def _mailbox(setup: AgentSetup) -> Agent:
    from outlast.orchestrator.agents.mailbox.mailbox import locate_mailbox

    return _mailbox_agent(locate_mailbox(MailboxSettings(), setup.workspace), setup)


def _mailbox_agent(settings: MailboxSettings, setup: AgentSetup) -> Agent:
    """Return the agent behind a mailbox that was located."""
    from outlast.orchestrator.agents.mailbox.agent import MailboxAgent
    from outlast.orchestrator.agents.mailbox.mailbox import open_mailbox

    return MailboxAgent(
        open_mailbox(settings, setup.workspace),
        poll=settings.poll_seconds,
        patience=setup.timeout,
        language=setup.language,
    )


_AGENTS: Final[dict[str, Callable[[AgentSetup], Agent]]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    HUMAN: _human,
    MAILBOX: _mailbox,
    SHELL: _shell,
    "tools": _tools,
}


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


class AgentCrew:
    """The agents of Outlast, those of installed packages, and the loop that they work in."""

    find_worker = staticmethod(find_worker)

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
