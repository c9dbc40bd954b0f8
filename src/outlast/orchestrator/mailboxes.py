"""The mailbox of a workspace: where it is, and the agent behind it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

if TYPE_CHECKING:
    from outlast.agent.work import Agent, AgentSetup
    from outlast.config.settings import MailboxLayout, MailboxSettings
    from outlast.orchestrator.agents.mailbox.mailbox import Mailbox
    from outlast.orchestrator.agents.mailbox.sections import HeadingLanguage

_DIRECTORIES: Final[dict[MailboxLayout, str]] = {
    "outlast": f".outlast{os.sep}mailbox",
    "volumes": "volumes",
}
_HEADINGS: Final[dict[MailboxLayout, HeadingLanguage]] = {"outlast": "en", "volumes": "zh"}


def locate_mailbox(settings: MailboxSettings, workspace: str) -> MailboxSettings:
    """Return the settings with the full path of the directory, which need not exist yet."""
    directory = settings.directory or _DIRECTORIES[settings.layout]
    return replace(settings, directory=os.path.abspath(os.path.join(workspace, directory)))  # noqa: PTH100, PTH118 - without the cost of pathlib


def find_owner(directory: str) -> str:
    """Return the workspace whose usual mailbox a directory is; empty if it is none."""
    usual = f"{os.sep}{_DIRECTORIES['outlast']}"
    return directory.removesuffix(usual) or os.sep if directory.endswith(usual) else ""


def open_mailbox(settings: MailboxSettings, workspace: str) -> Mailbox:
    """Open a mailbox that was located; raise `StoreError` if that is impossible.

    In the workspace no links are followed: the project may come from a stranger.
    """
    from outlast.orchestrator.agents.mailbox.mailbox import Mailbox

    return Mailbox(
        settings.directory,
        _HEADINGS[settings.layout],
        commands=settings.commands,
        reports=settings.reports,
        base=os.path.abspath(workspace),  # noqa: PTH100 - as above
    )


def mailbox_agent(settings: MailboxSettings, setup: AgentSetup) -> Agent:
    """Return the agent behind a mailbox that was located."""
    from outlast.orchestrator.agents.mailbox.agent import MailboxAgent

    return MailboxAgent(
        open_mailbox(settings, setup.workspace),
        poll=settings.poll_seconds,
        patience=setup.timeout,
        language=setup.language,
    )
