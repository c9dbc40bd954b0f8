"""R1.11: a worker claims commands, drives an agent, and reports; it loses and doubles none."""

import asyncio
import os
import resource
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from outlast.agent.work import Report, WorkOrder, WorkProgress, WorkResult
from outlast.errors import AgentUnavailable, StoreError
from outlast.model.budget import Spend
from outlast.orchestrator.agents.mailbox.agent import MailboxAgent
from outlast.orchestrator.agents.mailbox.mailbox import Mailbox
from outlast.orchestrator.agents.mailbox.mailbox_files import CommandFile, parse_report
from outlast.orchestrator.agents.mailbox.worker import Claims, Worker
from tests.orchestrator.agents.mailbox.boxes import (
    AT,
    GOOD,
    ID,
    LONG,
    answer,
    command,
    command_id,
    contents,
    names,
    order,
    wait_until,
)
from tests.orchestrator.fake_agents import FakeAgent

DONE = {"commands/processed": [f"{ID}.md"], "reports/pending": [f"report-{ID}.md"]}


@pytest.fixture
def mailbox(tmp_path: Path) -> Mailbox:
    return Mailbox(str(tmp_path))


def report(tmp_path: Path, command: str = ID) -> Report:
    path = tmp_path / "reports" / "pending" / f"report-{command}.md"
    return parse_report(path.read_text(), path.name)


def serve(worker: Worker) -> int:
    """Let a worker carry out what waits."""
    return asyncio.run(asyncio.wait_for(worker.serve(once=True), LONG))


def test_r1_11_a_command_becomes_a_report_and_is_processed(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    mailbox.send(CommandFile(ID, AT, "build", "no nails", "walls", session_id="s-7"))
    agent, said = FakeAgent(), list[str]()
    assert serve(Worker(mailbox, agent, on_text=said.append)) == 1
    (done,) = agent.orders
    assert (done.session, done.description, done.constraints) == ("s-7", "build", "no nails")
    assert (report(tmp_path).status, report(tmp_path).session_id) == ("SUCCESS", "s-7")
    assert contents(tmp_path) == DONE
    assert (said[0], said[-1]) == (f"{ID}: build", f"{ID}: reported SUCCESS")
    assert serve(Worker(mailbox, agent)) == 0


def test_r1_11_the_two_sides_work_together(mailbox: Mailbox, tmp_path: Path) -> None:
    async def play() -> WorkResult:
        serving = asyncio.create_task(Worker(Mailbox(str(tmp_path)), FakeAgent()).serve())
        try:
            sent = MailboxAgent(mailbox, poll=3 * LONG).work(order(), WorkProgress())
            return await asyncio.wait_for(sent, LONG)
        finally:
            serving.cancel()

    result = asyncio.run(play())
    assert result.report is not None
    assert result.report.status == "SUCCESS"


def test_r1_11_commands_are_carried_out_in_the_order_they_came(mailbox: Mailbox) -> None:
    later, sooner = command_id(1), command_id(2)
    for number, id_ in enumerate((sooner, later)):
        path = mailbox.send(command(id_))
        os.utime(path, (number, number))
    agent = FakeAgent()
    serve(Worker(mailbox, agent))
    assert [each.id for each in agent.orders] == [sooner, later]


def test_r1_09_an_end_is_passed_to_the_agent_and_has_no_report(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    mailbox.send(CommandFile(ID, AT, "", session_id="s-1", command_type="end"))
    agent = FakeAgent()
    assert serve(Worker(mailbox, agent)) == 0, "no work"
    assert agent.ended == ["s-1"]
    assert contents(tmp_path) == {"commands/processed": [f"{ID}.md"]}


def test_r1_09_an_end_that_fails_is_over_too(mailbox: Mailbox, tmp_path: Path) -> None:
    class Stubborn(FakeAgent):
        async def end_session(self, session: str) -> None:
            raise OSError(session)

    mailbox.send(CommandFile(ID, AT, "", session_id="s-1", command_type="end"))
    serve(Worker(mailbox, Stubborn()))
    assert contents(tmp_path) == {"commands/processed": [f"{ID}.md"]}


async def fail(_order: WorkOrder) -> WorkResult:
    await asyncio.sleep(0)
    return WorkResult(error="not installed", tail="sh: claude: not found", denied=("Bash; rm",))


async def raise_own(_order: WorkOrder) -> WorkResult:
    await asyncio.sleep(0)
    raise AgentUnavailable("agent_not_installed", agent="claude")


async def raise_foreign(_order: WorkOrder) -> WorkResult:
    await asyncio.sleep(0)
    raise FileNotFoundError("not installed")  # noqa: TRY003 - what an agent may raise


@pytest.mark.parametrize("act", [fail, raise_own, raise_foreign])
def test_r1_11_a_failing_agent_is_a_failed_report(
    mailbox: Mailbox, tmp_path: Path, act: Callable[[WorkOrder], object]
) -> None:
    mailbox.send(command())
    serve(Worker(mailbox, FakeAgent(act)))  # type: ignore[arg-type]
    assert report(tmp_path).status == "FAILED"
    assert "not installed" in report(tmp_path).pitfalls
    assert report(tmp_path).denied == (("Bash rm",) if act is fail else ())


def test_r1_11_what_the_work_has_cost_is_reported(mailbox: Mailbox, tmp_path: Path) -> None:
    async def spend(_order: WorkOrder) -> WorkResult:
        await asyncio.sleep(0)
        return WorkResult(Report("SUCCESS"), "s-1", Spend(tokens=7, money=0.25))

    mailbox.send(command())
    serve(Worker(mailbox, FakeAgent(spend)))
    assert report(tmp_path).spent == Spend(tokens=7, money=0.25)
    assert report(tmp_path).session_id == "s-1"


def test_r1_11_an_agent_that_takes_too_long_is_a_failed_report(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    async def sleep(_order: WorkOrder) -> WorkResult:
        await asyncio.sleep(2 * LONG)
        return WorkResult()

    mailbox.send(command())
    serve(Worker(mailbox, FakeAgent(sleep), timeout=0.05, grace=0.0))
    assert report(tmp_path).status == "FAILED"


def test_a5_no_secret_reaches_a_report(mailbox: Mailbox, tmp_path: Path) -> None:
    secret = "sk-ant-api03-" + "a1B2" * 20

    async def leak(_order: WorkOrder) -> WorkResult:
        await asyncio.sleep(0)
        return WorkResult(Report("SUCCESS", "", f"key {secret}", secret, secret))

    mailbox.send(command())
    serve(Worker(mailbox, FakeAgent(leak)))
    written = (tmp_path / "reports" / "pending" / f"report-{ID}.md").read_text()
    assert secret not in written
    assert "key [redacted]" in written


class Stoppable(FakeAgent):
    """Works until it is stopped, and says then what `at_stop` does."""

    def __init__(self, at_stop: WorkResult | None) -> None:
        super().__init__()
        self._at_stop = at_stop

    async def work(self, order: WorkOrder, progress: WorkProgress) -> WorkResult:
        self.orders.append(order)
        progress.began("s-5")
        try:
            await asyncio.sleep(2 * LONG)
        except asyncio.CancelledError:
            if self._at_stop is not None:
                return self._at_stop
            raise
        raise AssertionError


def stop_at_work(mailbox: Mailbox, agent: Stoppable) -> list[str]:
    """Let a worker work on a command until it is stopped; return what it said."""
    said: list[str] = []

    async def play() -> int:
        serving = asyncio.create_task(Worker(mailbox, agent, on_text=said.append).serve())
        await wait_until(lambda: agent.orders)
        serving.cancel()
        return await serving

    mailbox.send(command())
    assert asyncio.run(play()) in (0, 1)
    return said


def test_f36_what_an_agent_reports_while_its_worker_is_stopped_is_kept(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    reported = WorkResult(Report("SUCCESS", "s-5", "built"), "s-5")
    said = stop_at_work(mailbox, Stoppable(reported))
    assert (report(tmp_path).status, report(tmp_path).session_id) == ("SUCCESS", "s-5")
    assert contents(tmp_path) == DONE
    assert said[-1] == f"{ID}: reported SUCCESS"


@pytest.mark.parametrize("at_stop", [None, WorkResult(error="the program was killed")])
def test_f36_work_that_a_stop_of_its_worker_cuts_off_is_settled_by_the_next_worker(
    mailbox: Mailbox, tmp_path: Path, at_stop: WorkResult | None
) -> None:
    said = stop_at_work(mailbox, Stoppable(at_stop))
    assert said[-1].startswith(f"{ID}: stopped before its end")
    assert not (tmp_path / "reports" / "pending" / f"report-{ID}.md").exists()

    class Recalling(FakeAgent):
        async def settle(self, order: str, session: str) -> WorkResult | None:
            return WorkResult(Report("SUCCESS", session, f"did {order}"), session)

    agent = Recalling()
    assert serve(Worker(mailbox, agent)) == 1
    assert agent.orders == [], "it is not sent again"
    assert (report(tmp_path).status, report(tmp_path).session_id) == ("SUCCESS", "s-5")
    assert contents(tmp_path) == DONE


# Workers that die


def die_holding(mailbox: Mailbox, session: str | None = "") -> None:
    """Claim a command, start an agent unless `session` is None, and die."""
    claims = Claims(mailbox)
    claimed = claims.claim(ID)
    assert claimed is not None
    if session is not None:
        claims.note_work(claimed, session)
    os.close(claimed.lock)  # as the system does for a dead process


def test_x3_the_command_of_a_dead_worker_is_reported_as_unknown_and_not_repeated(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    mailbox.send(command())
    die_holding(mailbox, "s-7")
    agent = FakeAgent()
    assert serve(Worker(mailbox, agent)) == 1
    assert agent.orders == []
    assert (report(tmp_path).status, report(tmp_path).session_id) == ("PARTIAL_SUCCESS", "s-7")
    assert "look before you repeat" in report(tmp_path).pitfalls
    assert contents(tmp_path) == DONE


def test_x3_an_agent_that_never_started_is_started(mailbox: Mailbox, tmp_path: Path) -> None:
    mailbox.send(command())
    die_holding(mailbox, None)
    agent = FakeAgent()
    serve(Worker(mailbox, agent))
    assert len(agent.orders) == 1
    assert report(tmp_path).status == "SUCCESS"


def test_x3_an_agent_that_remembers_settles_it(mailbox: Mailbox, tmp_path: Path) -> None:
    class Recalling(FakeAgent):
        async def settle(self, order: str, session: str) -> WorkResult | None:
            return WorkResult(Report("SUCCESS", session, f"did {order}"), session)

    mailbox.send(command())
    die_holding(mailbox, "s-9")
    serve(Worker(mailbox, Recalling()))
    assert (report(tmp_path).results, report(tmp_path).session_id) == (f"did {ID}", "s-9")


def test_x3_a_report_from_before_the_death_only_needs_the_command_moved(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    mailbox.send(command())
    die_holding(mailbox)
    answer()(tmp_path / "reports" / "pending")
    agent = FakeAgent()
    serve(Worker(mailbox, agent))
    assert report(tmp_path).results == "built"
    assert agent.orders == []
    assert contents(tmp_path) == DONE


@pytest.mark.parametrize("place", ["pending", "processed", "quarantine"])
def test_f9_a_command_that_was_answered_by_hand_is_not_carried_out_again(
    mailbox: Mailbox, tmp_path: Path, place: str
) -> None:
    mailbox.send(command())
    (tmp_path / "reports" / place / f"report-{ID}.md").write_text(GOOD)
    agent = FakeAgent()
    serve(Worker(mailbox, agent))
    assert agent.orders == []
    assert contents(tmp_path) == {
        "commands/processed": [f"{ID}.md"],
        f"reports/{place}": [f"report-{ID}.md"],
    }


def test_a4_a_note_that_somebody_else_wrote_names_no_session(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    mailbox.send(command())
    die_holding(mailbox)
    note = tmp_path / "commands" / "claimed" / f"{ID}.work"
    note.write_text("started --dangerously-skip-permissions")
    serve(Worker(mailbox, FakeAgent()))
    assert report(tmp_path).session_id == ""


def test_a4_a_note_that_is_a_link_is_not_read(mailbox: Mailbox, tmp_path: Path) -> None:
    mailbox.send(command())
    die_holding(mailbox)
    note = tmp_path / "commands" / "claimed" / f"{ID}.work"
    note.unlink()
    note.symlink_to("/etc/hostname")
    serve(Worker(mailbox, FakeAgent()))
    assert (report(tmp_path).status, report(tmp_path).session_id) == ("PARTIAL_SUCCESS", "")


# Several workers


def test_r1_11_a_command_is_claimed_once_and_a_live_worker_keeps_it(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    mailbox.send(command())
    claimed = Claims(Mailbox(str(tmp_path))).claim(ID)
    assert claimed is not None
    assert claimed.command.description == "build"
    other = Claims(mailbox)
    assert (other.claim(ID), other.take_abandoned()) == (None, None)


def test_r1_11_all_commands_of_dead_workers_are_settled(mailbox: Mailbox) -> None:
    for number in range(3):
        mailbox.send(command(command_id(number)))
        claims = Claims(mailbox)
        claimed = claims.claim(command_id(number))
        assert claimed is not None
        os.close(claimed.lock)
    assert serve(Worker(mailbox, FakeAgent())) == 3


def test_r1_11_several_workers_carry_out_each_command_once(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    ids = [command_id(number) for number in range(12)]
    for each in ids:
        mailbox.send(command(each))
    agents = [FakeAgent() for _ in range(3)]

    async def play() -> None:
        workers = [Worker(Mailbox(str(tmp_path)), agent) for agent in agents]
        await asyncio.gather(*(worker.serve(once=True) for worker in workers))

    asyncio.run(play())
    done = [order.id for agent in agents for order in agent.orders]
    assert sorted(done) == ids
    assert all(mailbox.command_state(each) == "processed" for each in ids)


# Files that are no commands


def write_command(tmp_path: Path, text: str) -> None:
    (tmp_path / "commands" / "pending" / f"{ID}.md").write_text(text)


OTHERS_ID = f"---\nid: {command_id(9)}\ncreated_at: 2026-11-16T11:00:00Z\ncommand_type: new\n---\n"


@pytest.mark.parametrize("text", ["no command", "---\nid: task-1\n---\n", OTHERS_ID])
def test_f9_a_file_that_is_no_command_is_answered_with_what_is_wrong(
    mailbox: Mailbox, tmp_path: Path, text: str
) -> None:
    write_command(tmp_path, text)
    agent = FakeAgent()
    serve(Worker(mailbox, agent, poll=0.05))
    assert report(tmp_path).status == "FAILED"
    assert f"{ID}.md" in report(tmp_path).pitfalls
    assert agent.orders == []
    assert contents(tmp_path) == DONE


def test_f9_a_command_that_is_written_in_place_is_not_read_before_it_is_complete(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    whole = Path(mailbox.send(command(about="first\n\nlast"))).read_text()
    path = tmp_path / "commands" / "pending" / f"{ID}.md"
    path.unlink()
    agent = FakeAgent()

    async def play() -> None:
        serving = asyncio.create_task(Worker(mailbox, agent, poll=LONG).serve())
        with path.open("w") as file:
            for at in range(0, len(whole), 20):
                file.write(whole[at : at + 20])
                file.flush()
                await asyncio.sleep(0.01)
        await wait_until(lambda: agent.orders)
        serving.cancel()

    asyncio.run(asyncio.wait_for(play(), LONG))
    assert agent.orders[0].description == "first\n\nlast"


@pytest.mark.parametrize("kind", ["link", "pipe", "directory"])
def test_f10_what_is_no_plain_file_is_no_command(
    mailbox: Mailbox, tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "commands" / "pending" / f"{ID}.md"
    if kind == "link":
        path.symlink_to("/etc/hostname")
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    assert serve(Worker(mailbox, FakeAgent())) == 0
    assert report(tmp_path).status == "FAILED"
    assert contents(tmp_path) == DONE


def test_f10_a_claimed_file_that_was_swapped_for_a_pipe_is_answered(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    claimed = tmp_path / "commands" / "claimed"
    os.mkfifo(claimed / f"{ID}.md")
    (claimed / f"{ID}.work").write_text("claimed")
    assert serve(Worker(mailbox, FakeAgent())) == 0
    assert contents(tmp_path) == DONE


def test_r1_04_the_claim_of_a_program_that_knows_no_locks_is_left_alone(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    path = Path(mailbox.send(command()))
    path.rename(tmp_path / "commands" / "claimed" / path.name)
    agent = FakeAgent()
    assert serve(Worker(mailbox, agent)) == 0
    assert contents(tmp_path) == {"commands/claimed": [path.name]}


def test_a4_names_that_are_no_ids_are_not_commands(mailbox: Mailbox, tmp_path: Path) -> None:
    for name in ("task-..md", "README.md", f"{ID}.md.new", ID):
        (tmp_path / "commands" / "pending" / name).write_text("x")
    assert Claims(mailbox).waiting_commands() == []


# Bad disks


@contextmanager
def limited_files() -> Iterator[tuple[int, int]]:
    """Ignore the signal of a file that grows too large; restore the limit at once afterwards.

    What pytest prints may go to a file too.
    """
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        yield before
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_f5_on_a_full_disk_the_work_is_not_lost_and_reported_later(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    said = threading.Event()

    def listen(text: str) -> None:
        if "cannot be written" in text:
            said.set()

    class Filling(FakeAgent):
        async def work(self, order: WorkOrder, progress: WorkProgress) -> WorkResult:
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
            return await super().work(order, progress)

    agent = Filling()

    async def play(usual_limit: tuple[int, int]) -> int:
        serving = asyncio.create_task(
            Worker(mailbox, agent, poll=0.02, on_text=listen).serve(once=True)
        )
        await wait_until(said.is_set)
        assert names(tmp_path / "reports" / "pending") == []
        resource.setrlimit(resource.RLIMIT_FSIZE, usual_limit)
        return await asyncio.wait_for(serving, LONG)

    mailbox.send(command())
    with limited_files() as usual_limit:
        assert asyncio.run(play(usual_limit)) == 1
    assert len(agent.orders) == 1
    assert contents(tmp_path) == DONE


def test_f36_a_worker_that_is_stopped_while_the_disk_is_full_leaves_its_command(
    mailbox: Mailbox,
) -> None:
    said = threading.Event()

    def listen(text: str) -> None:
        if "cannot be written" in text:
            said.set()

    class Filling(FakeAgent):
        async def work(self, order: WorkOrder, progress: WorkProgress) -> WorkResult:
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
            return await super().work(order, progress)

    async def stop() -> None:
        serving = asyncio.create_task(Worker(mailbox, Filling(), on_text=listen).serve())
        await wait_until(said.is_set)
        serving.cancel()
        await asyncio.wait_for(serving, LONG)

    mailbox.send(command())
    with limited_files():
        asyncio.run(stop())
    assert asyncio.run(Worker(mailbox, FakeAgent()).serve(once=True)) == 1


def test_f5_an_order_that_cannot_be_written_is_one_clear_line(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    with limited_files() as (_, most):
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, most))
        with pytest.raises(StoreError, match="the mailbox cannot be used: File too large"):
            mailbox.send(command())
    assert contents(tmp_path) == {}
