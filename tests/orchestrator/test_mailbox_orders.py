"""R1.03, R1.06, R1.12, X4: an orchestrator whose agents are behind a mailbox."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from outlast import NewTask, Plan
from outlast.agent.work import Report, WorkOrder, WorkResult
from outlast.model.budget import Spend
from outlast.model.commands import BeginAttempt, Start
from outlast.model.execute import return_commit
from outlast.orchestrator.agents.mailbox.agent import MailboxAgent
from outlast.orchestrator.agents.mailbox.mailbox import Mailbox
from outlast.orchestrator.agents.mailbox.mailbox_files import CommandFile, parse_command
from outlast.orchestrator.agents.mailbox.worker import Claims, Worker
from tests.fake_model import FakeModel
from tests.orchestrator.agents.mailbox.boxes import ID, command
from tests.orchestrator.fake_agents import FakeAgent
from tests.orchestrator.test_scheduler import Planner, empty_plan, orchestrated


def plan_with(*tasks: str) -> Plan:
    plan = empty_plan()
    plan.add_all([NewTask(name, files=(name,)) for name in tasks])
    return plan


def interrupted() -> Plan:
    """Return a plan whose run died while it waited for a report."""
    plan = plan_with("walls")
    core = plan.core.acting_as("agent/1")
    core.commit((Start("agent/1", 1), BeginAttempt(1, "delegate", f"mailbox {ID}")), return_commit)
    return plan


def behind(root: Path, patience: float = 30.0) -> MailboxAgent:
    return MailboxAgent(Mailbox(str(root)), poll=0.05, patience=patience)


@contextmanager
def serving(root: Path, agent: FakeAgent) -> Iterator[None]:
    """Let a worker serve a mailbox in a thread."""
    stop, worker = threading.Event(), Worker(Mailbox(str(root)), agent, poll=0.05)

    async def serve() -> None:
        while not stop.is_set():
            if not await worker.work_once():
                await asyncio.sleep(0.01)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def sent(root: Path) -> list[CommandFile]:
    paths = (root / "commands").rglob("task-*.md")
    return [parse_command(path.read_text(), path.name) for path in paths]


async def cost_money(order: WorkOrder) -> WorkResult:
    await asyncio.sleep(0)
    report = Report("SUCCESS", f"s-{order.description}", f"did {order.description}")
    return WorkResult(report, report.session_id, Spend(tokens=10, money=0.25))


def test_x4_what_agents_behind_a_mailbox_cost_counts(tmp_path: Path) -> None:
    plan = plan_with("floor", "walls")
    with serving(tmp_path, FakeAgent(cost_money)):
        end = orchestrated(plan, behind(tmp_path), FakeModel(), has_model=False)  # type: ignore[arg-type]
    assert end.why == "finished"
    assert plan.budget.cost().money == 0.5


def test_x4_the_cost_of_work_that_ended_while_the_run_was_dead_counts_too(tmp_path: Path) -> None:
    Mailbox(str(tmp_path)).send(command(about="walls"))
    plan, agent = interrupted(), FakeAgent(cost_money)
    with serving(tmp_path, agent):
        end = orchestrated(plan, behind(tmp_path), FakeModel(), has_model=False)  # type: ignore[arg-type]
    assert (end.why, len(agent.orders)) == ("finished", 1)
    assert plan.budget.cost().money == 0.25


def test_r1_12_an_order_that_somebody_works_on_is_not_sent_again(tmp_path: Path) -> None:
    mailbox = Mailbox(str(tmp_path))
    mailbox.send(command())
    claimed = Claims(mailbox).claim(ID)
    assert claimed is not None
    plan = interrupted()
    end = orchestrated(plan, behind(tmp_path, 0.1), FakeModel(), has_model=False)  # type: ignore[arg-type]
    assert end.why == "unsettled"
    assert [each.id for each in sent(tmp_path)] == [ID]
    assert plan.questions.open()[0].kind == "settle"


def test_r1_06_every_retry_has_a_new_id_and_the_session_of_the_report(tmp_path: Path) -> None:
    async def fail_first(order: WorkOrder) -> WorkResult:
        await asyncio.sleep(0)
        status = "SUCCESS" if order.session else "FAILED"
        return WorkResult(Report(status, "s-1", "tried"), "s-1")  # type: ignore[arg-type]

    with serving(tmp_path, FakeAgent(fail_first)):
        orchestrated(plan_with("walls"), behind(tmp_path), FakeModel(), has_model=False)  # type: ignore[arg-type]
    ended = [each for each in sent(tmp_path) if each.command_type == "end"]
    work = [each for each in sent(tmp_path) if each.command_type != "end"]
    assert {(each.command_type, each.session_id) for each in work} == {
        ("new", "auto"),
        ("continue", "s-1"),
    }
    assert len({each.id for each in sent(tmp_path)}) == 3
    assert [each.session_id for each in ended] == ["s-1"], "R1.09"


def test_r1_03_a_late_report_is_material_for_who_judges_the_next_attempt(tmp_path: Path) -> None:
    plan = plan_with("walls")
    mailbox = Mailbox(str(tmp_path))
    mailbox.send(command())
    assert Claims(mailbox).claim(ID) is not None
    about = plan.core.read(lambda state: state.id)
    mailbox.give_up(ID, f"{about} 1")
    late = "---\nstatus: SUCCESS\n---\n## Core results\nthe walls were up all along\n"
    (tmp_path / "reports" / "pending" / f"report-{ID}.md").write_text(late)
    model = Planner([], {})
    with serving(tmp_path, FakeAgent(cost_money)):
        assert orchestrated(plan, behind(tmp_path), model).why == "finished"  # type: ignore[arg-type]
    asked = [request.messages[1].text for request in model.requests]
    assert sum("the walls were up all along" in text for text in asked) == 1
