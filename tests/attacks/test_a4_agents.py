"""A4, A10: what a plan or a report of a stranger names is no option, no path and no program."""

import asyncio
import os
from pathlib import Path

import pytest

from outlast import NewTask, Plan, create_plan
from outlast.agent.runtime.delegation import make_order
from outlast.agent.work import Agent, WorkOrder, WorkProgress
from outlast.config.settings import MailboxSettings
from outlast.model.commands import BeginAttempt, NoteReport, NoteSession, Start
from outlast.model.execute import return_commit
from outlast.orchestrator.agents.claude_code import ClaudeCodeAgent
from outlast.orchestrator.agents.codex import CodexAgent
from outlast.orchestrator.agents.mailbox.agent import MailboxAgent
from outlast.orchestrator.agents.mailbox.mailbox import open_mailbox
from tests.making import make_plan
from tests.orchestrator.agents.programs import call, fake_program

IDS = (
    "--dangerously-skip-permissions",
    "-p",
    "../../evil",
    "/etc/passwd",
    "..",
    "a/b",
    "a\x00b",
    "a b",
    "a\nb",
    "\u202eevil",
    "x" * 300,
    "*",
)


def arguments_of(path: Path) -> list[str]:
    """Return the arguments of the last call; nothing if the program was not called."""
    return call(path)[0] if (path / "call.json").exists() else []


@pytest.mark.parametrize("session", IDS)
def test_a4_a_session_is_never_an_option_of_claude_code(tmp_path: Path, session: str) -> None:
    program = fake_program(tmp_path / "claude", [])
    agent = ClaudeCodeAgent(str(tmp_path), program=program, config=str(tmp_path / "c"))
    asyncio.run(agent.settle(session, session))
    assert arguments_of(tmp_path) == []
    order = WorkOrder("task-1", 1, "a", session=session, timeout=30)
    asyncio.run(agent.work(order, WorkProgress()))
    assert "--dangerously-skip-permissions" not in arguments_of(tmp_path)
    assert "--resume" not in arguments_of(tmp_path)


@pytest.mark.parametrize("session", [each for each in IDS if "\x00" not in each])
def test_a4_a_session_is_never_an_option_of_codex(tmp_path: Path, session: str) -> None:
    program = fake_program(tmp_path / "codex", [])
    agent = CodexAgent(str(tmp_path), program=program)

    def arguments(session: str) -> list[str]:
        order = WorkOrder("task-1", 1, "a", session=session, timeout=30)
        asyncio.run(agent.work(order, WorkProgress()))
        return arguments_of(tmp_path)

    given = arguments(session)
    assert "exec" in given
    assert session not in given or "--" in given[: given.index(session)]
    known = arguments("0199-session")
    assert "--" in known[: known.index("0199-session")], "one that is a session is gone on with"


@pytest.mark.parametrize("order", IDS)
def test_a4_an_order_is_never_a_path_out_of_the_mailbox(tmp_path: Path, order: str) -> None:
    inside = tmp_path / "a" / "b"
    inside.mkdir(parents=True)
    settings = MailboxSettings(directory=str(inside / "box"))
    agent: Agent = MailboxAgent(open_mailbox(settings, str(inside)), poll=0.01, patience=0.05)
    before = sorted(tmp_path.rglob("*"))
    assert asyncio.run(agent.settle(order, order)) is None
    outside = [path for path in tmp_path.rglob("*") if not path.is_relative_to(inside / "box")]
    assert sorted(outside) == [path for path in before if not path.is_relative_to(inside / "box")]


@pytest.mark.parametrize("session", IDS)
def test_a4_a_session_of_a_strangers_plan_is_not_handed_on(session: str) -> None:
    plan = make_plan("a")
    order = plan.core.read(
        lambda state: make_order(state, state.task(1), "task-1", "en", session=session)
    )
    assert order.session == ""


@pytest.mark.parametrize("attempt", ["../1#1", "0#1", "1#../2", "1", "", "99#1", "1#-1"])
def test_a4_a_report_about_no_attempt_of_a_task_is_refused(attempt: str) -> None:
    plan = make_plan("a")
    for command in (NoteReport(attempt, "x", "SUCCESS"), NoteSession(attempt, "x", "s")):
        with pytest.raises(Exception, match=r".") as refused:
            plan.core.commit((command,), return_commit)
        assert type(refused.value).__name__ in ("InvalidArgument", "TaskNotFound")


TRAPS = ("claude", "codex", "git", "node", "python", "sh")


def set_traps(here: Path) -> None:
    """Put programs into a project that leave a file behind when they run."""
    for place in (here, here / "node_modules/.bin", here / ".claude", here / ".git/hooks"):
        place.mkdir(parents=True, exist_ok=True)
        for name in TRAPS:
            fake = place / name
            fake.write_text(f"#!/bin/sh\ntouch {here}/sprung\n")
            fake.chmod(0o755)
    (here / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (here / ".git/config").write_text(f"[core]\n\tfsmonitor = {here}/sh\n\thooksPath = {here}\n")


def test_a10_a_strangers_plan_with_an_open_attempt_runs_nothing_when_it_is_opened(
    tmp_path: Path,
) -> None:
    set_traps(tmp_path)
    with create_plan(tmp_path, "Ship it", "ship", actor="human") as plan:
        plan.add_all([NewTask("a", run="touch sprung")])
        _leave_open(plan)
    with create_plan(tmp_path, "Other", "other", actor="human") as other:
        assert other.status == "idle"
    os.utime(tmp_path)
    assert not (tmp_path / "sprung").exists()


def _leave_open(plan: Plan) -> None:
    began = BeginAttempt(1, "delegate", "claude-code task-1 --help")
    plan.core.commit((Start("human/1", 1), began), return_commit)
