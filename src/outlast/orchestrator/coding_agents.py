"""Agents that carry out tasks, by name: those of Outlast, and those of installed packages."""

# ruff: noqa: TC001 - public signatures are read at run time
from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from outlast.agent.work import Agent, AgentSetup
from outlast.config.settings import MailboxSettings
from outlast.errors import AgentUnavailable, InvalidArgument, OutlastError
from outlast.language import visible
from outlast.orchestrator.mailboxes import locate_mailbox, mailbox_agent
from outlast.system.plugins import find_plugin

if TYPE_CHECKING:
    from collections.abc import Callable


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
        return mailbox_agent(mailbox, setup)
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
    from outlast.orchestrator.agents.process import find_program

    return ClaudeCodeAgent(
        setup.workspace,
        program=find_program("claude"),
        pass_env=setup.pass_env,
        language=setup.language,
    )


def _codex(setup: AgentSetup) -> Agent:
    from outlast.orchestrator.agents.codex import CodexAgent
    from outlast.orchestrator.agents.process import find_program

    return CodexAgent(
        setup.workspace,
        program=find_program("codex"),
        pass_env=setup.pass_env,
        language=setup.language,
    )


def _tools(setup: AgentSetup) -> Agent:
    from outlast.orchestrator.loop_agents import ToolsAgent

    return ToolsAgent(setup.language)


def _human(setup: AgentSetup) -> Agent:
    from outlast.orchestrator.loop_agents import HumanAgent

    return HumanAgent(setup.language)


def _mailbox(setup: AgentSetup) -> Agent:
    return mailbox_agent(locate_mailbox(MailboxSettings(), setup.workspace), setup)


_AGENTS: Final[dict[str, Callable[[AgentSetup], Agent]]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    HUMAN: _human,
    MAILBOX: _mailbox,
    SHELL: _shell,
    "tools": _tools,
}
