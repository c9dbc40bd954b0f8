"""A mailbox for tests: what is in it, and an order that goes through it."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from outlast.agent.work import Report, WorkOrder, WorkProgress, WorkResult
from outlast.orchestrator.agents.mailbox.agent import MailboxAgent
from outlast.orchestrator.agents.mailbox.mailbox import Mailbox
from outlast.orchestrator.agents.mailbox.mailbox_files import CommandFile, render_report

ID = "task-123e4567-e89b-12d3-a456-426614174000"
OTHER = "task-00000000-e89b-12d3-a456-426614174000"
AT = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
GOOD = render_report(Report("SUCCESS", "s-1", "built"))
LONG = 30.0  # seconds: a hang guard
PLACES = (
    "commands/pending",
    "commands/claimed",
    "commands/processed",
    "reports/pending",
    "reports/processed",
    "reports/quarantine",
)


def command_id(number: int) -> str:
    return f"task-{number:08x}-e89b-12d3-a456-426614174000"


def names(directory: Path) -> list[str]:
    return sorted(entry.name for entry in directory.iterdir())


def contents(root: Path) -> dict[str, list[str]]:
    """Return what is in the directories of a mailbox that are not empty."""
    found = {place: names(root / place) for place in PLACES}
    return {place: files for place, files in found.items() if files}


def command(id_: str = ID, about: str = "build") -> CommandFile:
    return CommandFile(id_, AT, about)


def order(timeout: float = LONG, *, id_: str = ID, session: str = "") -> WorkOrder:
    return WorkOrder(
        id_,
        1,
        "walls",
        "Build them",
        "no nails",
        "walls",
        ("make test",),
        files=("walls/**",),
        protect=("tests/**",),
        context="## Goal\nA house",
        advice="use screws",
        session=session,
        timeout=timeout,
    )


def answer(text: str = GOOD, name: str = f"report-{ID}.md") -> Callable[[Path], object]:
    return lambda reports: (reports / name).write_text(text)


async def wait_until(is_so: Callable[[], object]) -> None:
    """Wait for something outside of the event loop."""
    while not is_so():  # noqa: ASYNC110 - nobody would set an event
        await asyncio.sleep(0.005)


async def send_and_act(
    agent: MailboxAgent, root: Path, act: Callable[[Path], object], seconds: float = LONG
) -> WorkResult:
    """Send an order, act in the directory of the reports as soon as it is there; return."""
    working = asyncio.create_task(agent.work(order(seconds), WorkProgress()))
    await wait_until((root / "commands" / "pending" / f"{ID}.md").exists)
    act(root / "reports" / "pending")
    return await asyncio.wait_for(working, LONG)


def work(
    mailbox: Mailbox,
    root: Path,
    act: Callable[[Path], object],
    timeout: float = LONG,
    poll: float = 0.1,
) -> WorkResult:
    """Send an order through a mailbox, and act as the coding agent."""
    return asyncio.run(send_and_act(MailboxAgent(mailbox, poll=poll), root, act, timeout))
