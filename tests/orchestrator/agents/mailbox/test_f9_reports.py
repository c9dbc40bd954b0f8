"""F9: a report is never read before it is complete, and is the answer to its own command only."""

import asyncio
import os
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from outlast.agent.work import AT_WORK, Report, WorkResult
from outlast.orchestrator.agents.mailbox.agent import MailboxAgent
from outlast.orchestrator.agents.mailbox.folder import CompletenessJudge
from outlast.orchestrator.agents.mailbox.mailbox import Mailbox
from outlast.orchestrator.agents.mailbox.mailbox_files import render_report
from tests.orchestrator.agents.mailbox.boxes import (
    GOOD,
    ID,
    LONG,
    OTHER,
    answer,
    command,
    command_id,
    contents,
    names,
    work,
)

ROUNDS = int(os.environ.get("OUTLAST_F9", "500"))
AT_A_TIME = 50
POLL = LONG  # nobody has to wait for it: the files are closed


@pytest.fixture
def mailbox(tmp_path: Path) -> Mailbox:
    return Mailbox(str(tmp_path))


class Writer:
    """Writes the report about one command as badly as it can, with others around it."""

    def __init__(self, root: Path, number: int) -> None:
        self.dice = Random(number)  # noqa: S311 - to be repeated
        self.id, self.uuid = command_id(number), command_id(number).removeprefix("task-")
        self.reports = root / "reports" / "pending"
        long = "长" * self.dice.randrange(2_000)
        self.report = Report("SUCCESS", "", f"{number} {long} end", "pit", f"next {number}")
        self.data = render_report(self.report, self.dice.choice(("en", "zh"))).encode()

    async def write(self) -> None:
        await self.dice.choice((self.dribble, self.rename, self.reopen, self.at_once))()
        if self.dice.random() < 0.3:
            path = self.reports / f"report-{self.uuid}.md"  # a second one, with other words
            path.write_text(render_report(Report("FAILED", "", "duplicate")))

    async def dribble(self) -> None:
        """Write pieces that end anywhere, also inside a character."""
        with self.path.open("wb", buffering=0) as file:
            for piece in self.pieces():
                file.write(piece)
                await asyncio.sleep(self.dice.random() * 0.03)

    async def rename(self) -> None:
        temporary = self.reports / f"{self.path.name}.tmp"
        with temporary.open("wb", buffering=0) as file:
            for piece in self.pieces():
                file.write(piece)
                await asyncio.sleep(self.dice.random() * 0.03)
        temporary.rename(self.path)

    async def reopen(self) -> None:
        """Begin, and go on later, before the front matter is complete."""
        self.path.write_bytes(self.data[: self.dice.randrange(15)])
        await asyncio.sleep(self.dice.random() * 0.05)
        with self.path.open("ab") as file:
            file.write(self.data[self.path.stat().st_size :])

    async def at_once(self) -> None:
        await asyncio.sleep(self.dice.random() * 0.03)
        self.path.write_bytes(self.data)

    @property
    def path(self) -> Path:
        return self.reports / f"report-{self.id}.md"

    def pieces(self) -> list[bytes]:
        cuts = sorted(self.dice.randrange(len(self.data)) for _ in range(4))
        edges = [0, *cuts, len(self.data)]
        return [self.data[a:b] for a, b in pairwise(edges)]


async def exchange(mailbox: Mailbox, agent: MailboxAgent, writer: Writer) -> None:
    mailbox.send(command(writer.id))
    waiting = asyncio.create_task(agent.wait(writer.id, LONG))
    if writer.dice.random() < 0.2:
        (writer.reports / f"report-task-{writer.uuid[::-1]}.md").write_text(GOOD)  # foreign
    await writer.write()
    result = await waiting
    assert result.report is not None, result.error
    found = (result.report.results, result.report.pitfalls, result.report.next_steps)
    own = (writer.report.results, writer.report.pitfalls, writer.report.next_steps)
    assert found == own, writer.id


@pytest.mark.slow
def test_f9_whoever_writes_however_each_report_is_whole_and_taken_once(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    agent = MailboxAgent(mailbox, poll=POLL)

    async def play() -> None:
        for start in range(0, ROUNDS, AT_A_TIME):
            numbers = range(start, min(start + AT_A_TIME, ROUNDS))
            pairs = [exchange(mailbox, agent, Writer(tmp_path, number)) for number in numbers]
            await asyncio.gather(*pairs)
        mailbox.set_strays_aside(frozenset())

    asyncio.run(play())
    left = contents(tmp_path)
    assert left["reports/processed"] == [f"report-{command_id(n)}.md" for n in range(ROUNDS)]
    assert "reports/pending" not in left
    aside = left["reports/quarantine"]
    assert {f"{name}.reason" for name in aside if name.endswith(".md")} <= set(aside)


def test_f9_a_report_that_is_still_being_written_is_not_read(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    async def play() -> WorkResult:
        agent = MailboxAgent(mailbox, poll=LONG)
        mailbox.send(command())
        waiting = asyncio.create_task(agent.wait(ID, LONG))
        path = tmp_path / "reports" / "pending" / f"report-{ID}.md"
        with path.open("w") as file:
            for piece in (GOOD[:5], GOOD[5:30], GOOD[30:60], GOOD[60:]):
                file.write(piece)
                file.flush()
                await asyncio.sleep(0.1)
                assert not waiting.done()
        return await asyncio.wait_for(waiting, LONG)

    result = asyncio.run(play())
    assert result.report is not None
    assert result.report.results == "built"


def test_f9_a_writer_that_has_opened_its_report_and_thinks_is_waited_for(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    async def play() -> WorkResult:
        mailbox.send(command())
        waiting = asyncio.create_task(MailboxAgent(mailbox, poll=0.02).wait(ID, LONG))
        path = tmp_path / "reports" / "pending" / f"report-{ID}.md"
        with path.open("w") as file:
            await asyncio.sleep(0.3)  # many polls
            assert not waiting.done()
            file.write(GOOD)
        return await asyncio.wait_for(waiting, LONG)

    assert asyncio.run(play()).report is not None


def test_f9_foreign_late_and_double_reports_are_set_aside_with_the_reason(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    unknown, double = command_id(7), ID.removeprefix("task-")
    mailbox.send(command(OTHER))
    assert mailbox.give_up(OTHER)

    def act(reports: Path) -> None:
        answer(name=f"report-{OTHER}.md")(reports)
        answer(name="report-x.md")(reports)
        answer(name=f"report-{unknown}.md")(reports)
        answer("hello", "notes.txt")(reports)
        answer()(reports)

    assert work(mailbox, tmp_path, act).report is not None
    answer(name=f"report-{double}.md")(tmp_path / "reports" / "pending")
    mailbox.set_strays_aside(frozenset())
    aside = tmp_path / "reports" / "quarantine"
    reasons = {path.name: path.read_text().strip() for path in aside.glob("*.reason")}
    assert reasons == {
        f"report-{OTHER}.md.reason": "the report came after its command had been given up",
        f"report-{unknown}.md.reason": "no command with this id was sent",
        "report-x.md.reason": "no command with this id was sent",
        f"report-{double}.md.reason": "another report about the same command was taken before",
    }
    assert names(tmp_path / "reports" / "pending") == ["notes.txt"], "no report"


def test_f9_two_reports_of_the_same_name_are_both_kept_aside(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    for text in ("first", "second"):
        answer(text, "report-x.md")(tmp_path / "reports" / "pending")
        mailbox.set_strays_aside(frozenset())
    aside = tmp_path / "reports" / "quarantine"
    assert [(aside / name).read_text() for name in ("report-x.md", "report-x.md.2")] == [
        "first",
        "second",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "no front matter",
        "---\nstatus: DONE\n---\n",
        f"---\nstatus: SUCCESS\ntask_id: {OTHER}\n---\n",
        "---\nstatus: SUCCESS\n",
        "",
    ],
)
def test_f9_garbage_is_an_error_and_kept(mailbox: Mailbox, tmp_path: Path, text: str) -> None:
    result = work(mailbox, tmp_path, answer(text))
    assert result.report is None
    assert f"report-{ID}.md" in result.error
    assert f"report-{ID}.md" in names(tmp_path / "reports" / "quarantine")


@pytest.mark.parametrize("written", [10, len(GOOD) - 10])
def test_f9_what_is_never_complete_is_set_aside_at_the_timeout_and_is_no_answer(
    mailbox: Mailbox, tmp_path: Path, written: int
) -> None:
    with (tmp_path / "reports" / "pending" / f"report-{ID}.md").open("w") as file:
        file.write(GOOD[:written])
        file.flush()
        result = work(mailbox, tmp_path, lambda _: None, timeout=0.2, poll=LONG)
        assert (result.report, result.code) == (None, AT_WORK), "somebody writes it"
    assert ("front matter" in result.error) is (written == 10)
    assert f"report-{ID}.md" in names(tmp_path / "reports" / "quarantine")


def test_r1_03_where_the_system_cannot_tell_one_poll_without_a_change_must_do() -> None:
    judge = CompletenessJudge(0.0)
    assert judge.judge("a", (1,), is_closed=False, is_valid=True) == "complete"
    judge = CompletenessJudge(LONG)
    for _ in range(2):
        assert judge.judge("a", (1,), is_closed=False, is_valid=True) == "growing"
        assert judge.judge("b", (1,), is_closed=True, is_valid=False) == "growing"
