"""`worker`: serve a mailbox with an agent."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from typing import TYPE_CHECKING, Final

from outlast.agent.loop_agent import LoopAgent
from outlast.agent.work import Agent, AgentSetup
from outlast.console.call import Answer, Call
from outlast.console.render.output import write
from outlast.console.stop_signals import stop_on_signals
from outlast.errors import AgentUnavailable, WrongUsage
from outlast.language import visible
from outlast.orchestrator.agents.mailbox.mailbox import find_owner, open_mailbox
from outlast.orchestrator.command_options import choose_agent, choose_mailbox
from outlast.orchestrator.known_agents import MAILBOX, SHELL, Orchestrate, find_agent
from outlast.plan.home.find import load_settings, project_root, workspace_at
from outlast.system.workspace_root import current_directory

if TYPE_CHECKING:
    from outlast.config.settings import Settings
    from outlast.orchestrator.agents.mailbox.worker import Worker

_OF_MAILBOX: Final = ("mailbox", "layout", "workspace")


def worker(
    call: Call,
    *,
    mailbox: str | None = None,
    workspace: str | None = None,
    layout: str | None = None,
    once: bool = False,
    **_given: object,
) -> Answer:
    """Carry out the commands of a mailbox with an agent until Ctrl-C; with `once` until none waits.

    A command that Ctrl-C interrupts is reported if its agent has come to its end; else the next
    worker settles it.
    """
    home = _find_workspace(workspace, mailbox)
    loaded = load_settings(home, arguments={"mailbox.layout": layout})
    call.notices.extend(loaded.notices)
    settings = loaded.settings
    choice = _choose_agent(call, home, settings)
    box = open_mailbox(choose_mailbox(mailbox, settings.mailbox, home), home)
    from outlast.orchestrator.agents.mailbox.worker import Worker

    gc.enable()  # it may run for days
    setup = AgentSetup(home, call.language, settings.tools.pass_env, choice.timeout)
    agent = _find_agent(choice.agent_name, setup)
    if not call.wants_json:
        places = {"where": visible(box.root), "workspace": visible(home)}
        write(call.text("worker_serves", agent=visible(agent.name), **places), sys.stderr)
    serving = Worker(
        box,
        agent,
        permissions=choice.permissions,
        timeout=choice.timeout,
        poll=settings.mailbox.poll_seconds,
        language=call.language,
        on_text=_show,
    )
    count = asyncio.run(_serve(serving, once=once))
    return Answer(lambda: {"commands": count}, lambda: call.text("worker_ended", count=count))


def _find_workspace(given: str | None, mailbox: str | None) -> str:
    """Return where the agent works: the given directory, that of the mailbox, or this one."""
    if given is not None:
        return workspace_at(given).root
    owner = "" if mailbox is None else find_owner(os.path.abspath(mailbox))  # noqa: PTH100 - a text
    return owner or project_root(current_directory())


def _choose_agent(call: Call, home: str, settings: Settings) -> Orchestrate:
    """Return the agent of the command line or the settings; refuse one that cannot serve."""
    values = {name: value for name, value in call.values.items() if name not in _OF_MAILBOX}
    choice = choose_agent(values, home, settings)
    if choice is None or choice.agent_name == MAILBOX:
        usage = "outlast worker --agent NAME --mailbox DIR"
        raise WrongUsage("argument_required", argument="--agent", usage=usage)
    if choice.agent_name == SHELL:
        raise WrongUsage("worker_of_shell")
    return choice


def _find_agent(name: str, setup: AgentSetup) -> Agent:
    """Return an agent by name; refuse one that works only inside a run."""
    agent = find_agent(name, setup)
    if isinstance(agent, LoopAgent):
        raise AgentUnavailable("agent_needs_run", agent=name)
    return agent


def _show(piece: str) -> None:
    """Print what the worker or its agent says."""
    write("\n".join(map(visible, piece.rstrip("\n").split("\n"))), sys.stderr)


async def _serve(serving: Worker, *, once: bool) -> int:
    """Serve until a signal comes, or until nothing waits; return how many commands there were."""
    working = asyncio.current_task()
    assert working is not None  # noqa: S101 - for the type: it is a coroutine
    with stop_on_signals(working.cancel):
        return await serving.serve(once=once)
