"""R1.11, R1.12: either side of a mailbox, killed at any file operation, loses and doubles nothing.

A child process counts its file operations and kills itself before the chosen one, as `kill -9` or a
power cut would; the system releases its locks. Then somebody else goes on.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from outlast.agent.work import Report, WorkOrder, WorkProgress, WorkResult
from outlast.orchestrator.agents.mailbox.agent import MailboxAgent
from outlast.orchestrator.agents.mailbox.mailbox import Mailbox
from outlast.orchestrator.agents.mailbox.mailbox_files import parse_report
from outlast.orchestrator.agents.mailbox.worker import Worker
from tests.orchestrator.agents.mailbox.boxes import (
    GOOD,
    ID,
    LONG,
    command,
    contents,
    order,
    wait_until,
)

OPERATIONS = frozenset(("os.link", "os.listdir", "os.remove", "os.rename", "fcntl.flock"))
DONE = {"commands/processed": [f"{ID}.md"], "reports/pending": [f"report-{ID}.md"]}


class Doer:
    """An agent that leaves a trace of each thing it does."""

    name = "doer"

    def __init__(self, root: Path) -> None:
        self.deeds = root / "deeds"

    async def work(self, order: WorkOrder, progress: WorkProgress) -> WorkResult:
        progress.began("s-1")
        await asyncio.sleep(0)
        with self.deeds.open("a") as file:
            file.write(f"{order.id}\n")
        return WorkResult(Report("SUCCESS", "s-1", "did it"), "s-1")

    async def settle(self, order: str, session: str) -> WorkResult | None:
        del order, session
        return None

    async def end_session(self, session: str) -> None:
        del session

    def count(self) -> int:
        return len(self.deeds.read_text().splitlines()) if self.deeds.exists() else 0


def die_at(number: int, act: Callable[[], object]) -> bool:
    """Act in a child that is killed before its file operation number so much; True if it was."""
    child = os.fork()
    if not child:
        left = number

        def watch(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal left
            is_file = event == "open" and str(arguments[0]).endswith((".md", ".work", ".new"))
            if is_file or event in OPERATIONS:
                left -= 1
                if not left:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(watch)
        act()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


def serve(root: Path) -> None:
    worker = Worker(Mailbox(str(root)), Doer(root), poll=0.01)
    asyncio.run(asyncio.wait_for(worker.serve(once=True), LONG))


def report(root: Path) -> Report:
    path = root / "reports" / "pending" / f"report-{ID}.md"
    return parse_report(path.read_text(), path.name)


@pytest.mark.slow
def test_r1_11_a_worker_killed_at_any_file_operation_loses_and_doubles_nothing(
    tmp_path: Path,
) -> None:
    unknown = 0
    for at in count(1):
        root = tmp_path / str(at)
        Mailbox(str(root)).send(command())
        was_killed = die_at(at, partial(serve, root))
        deeds = Doer(root).count()
        serve(root)
        assert contents(root) == DONE, at
        after, found = Doer(root).count(), report(root)
        assert after <= 1, at
        if found.status == "SUCCESS":
            assert after == 1, at
        else:  # it had started, and nobody knows how far it came
            assert (found.status, after) == ("PARTIAL_SUCCESS", deeds), at
            unknown += 1
        if not was_killed:
            break
    assert at > 30
    assert unknown < at / 2


def test_r1_12_a_sender_killed_at_any_file_operation_sends_once_and_loses_no_report(
    tmp_path: Path,
) -> None:
    async def send(root: Path) -> None:
        agent = MailboxAgent(Mailbox(str(root)), poll=0.02)
        working = asyncio.create_task(agent.work(order(), WorkProgress()))
        await wait_until((root / "commands" / "pending" / f"{ID}.md").exists)
        (root / "report").rename(root / "reports" / "pending" / f"report-{ID}.md")
        await working

    def run_send(root: Path) -> None:
        asyncio.run(send(root))

    for at in count(1):
        root = tmp_path / str(at)
        Mailbox(str(root))
        (root / "report").write_text(GOOD)
        was_killed = die_at(at, partial(run_send, root))
        is_sent = (root / "commands" / "pending" / f"{ID}.md").exists()
        agent = MailboxAgent(Mailbox(str(root)), poll=0.02, patience=0.1)
        settled = asyncio.run(asyncio.wait_for(agent.settle(ID, ""), LONG))
        assert settled is not None
        if settled.report is None:
            has_report = any((root / "reports").rglob("report-*.md"))
            assert not has_report, (at, settled.error)
            assert ("never sent" in settled.error) is not is_sent
        else:
            assert settled.report.results == "built"
        if not was_killed:
            break
    assert at > 8
