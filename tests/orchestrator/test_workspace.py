"""R1.13: agents side by side in one workspace: who waits for whom, and who changed what."""

import asyncio
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from outlast import NewTask, Plan, create_plan
from outlast.agent.events import Event, Notified, Stopped
from outlast.agent.runtime.driver import run
from outlast.agent.runtime.workspace import LocalWorkspace
from outlast.agent.work import WorkOrder, WorkResult
from outlast.context.chat_model import Reply
from outlast.model.model import Check, Footprint
from outlast.orchestrator.known_agents import Orchestrate
from outlast.orchestrator.scheduler import orchestrate
from tests.agent.runtime.lanes import open_lane
from tests.fake_model import FakeModel
from tests.orchestrator.fake_agents import FakeAgent, succeed

Work = Callable[[str], Awaitable[None]]


@pytest.fixture
def plan(tmp_path: Path) -> Iterator[Plan]:
    with create_plan(tmp_path, "Ship it", "ship", actor="human") as plan:
        yield plan


def carry_out(plan: Plan, here: Path, work: Work, **options: Any) -> Stopped:
    """Let two agents carry out a plan; they work on each task as told."""

    async def attempt(order: WorkOrder) -> WorkResult:
        await work(order.name)
        return await succeed(order)

    needs = {"agent": FakeAgent(attempt), "probe": LocalWorkspace(str(here)), **options}
    how = Orchestrate(parallel=2, has_model=False)
    lane = open_lane(plan, FakeModel(), slots=2, **needs)
    return asyncio.run(asyncio.wait_for(run(orchestrate(how, "en"), lane), 30))


async def wait_for(path: Path) -> None:
    while not path.exists():  # noqa: ASYNC110, ASYNC240 - a check in another thread makes it
        await asyncio.sleep(0.01)


def footprints(plan: Plan) -> dict[int, Footprint]:
    return plan.core.read(lambda state: dict(state.ledger.footprints))


def outside(plan: Plan) -> dict[int, tuple[str, ...]]:
    return {task: left.outside for task, left in footprints(plan).items() if left.outside}


def write(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(str(path.stat().st_size if path.exists() else 0))


def test_r1_13_a_check_does_not_wait_for_a_task_with_other_files(
    plan: Plan, tmp_path: Path
) -> None:
    """The long task ends only after the checks of the short one have run."""
    proved = Check("command", "touch proved; test -e proved")
    plan.add_all([NewTask("short", files=("s",), checks=(proved,)), NewTask("long", files=("l",))])

    async def work(name: str) -> None:
        if name == "long":
            await wait_for(tmp_path / "proved")

    assert carry_out(plan, tmp_path, work).why == "finished"


def test_r1_13_checks_of_a_task_wait_for_the_work_on_the_files_that_they_look_at(
    plan: Plan, tmp_path: Path
) -> None:
    """The check looks at a file that another task, which takes its time, is about to change."""
    ready = Check("file", "other/ready ~ yes")
    plan.add_all([NewTask("a", files=("a",), checks=(ready,)), NewTask("b", files=("other",))])

    async def work(name: str) -> None:
        if name == "b":
            write(tmp_path / "other/ready")
            await asyncio.sleep(0.2)
            (tmp_path / "other/ready").write_text("yes")
        else:
            await wait_for(tmp_path / "other/ready")

    carry_out(plan, tmp_path, work)
    assert plan.task(1).retry_count == 0, "it was never seen half-way"
    assert plan.task(1).how == "proved"


def test_r1_13_files_that_a_task_does_not_name_are_reported(plan: Plan, tmp_path: Path) -> None:
    plan.add_all([NewTask("a", files=("src/**",))])
    write(tmp_path / "kept")
    write(tmp_path / "removed")
    told: list[Event] = []

    async def work(_name: str) -> None:
        for name in ("src/x", "new file", "deep/down/y", ".github/ci.yml"):
            write(tmp_path / name)
        (tmp_path / "removed").unlink()

    carry_out(plan, tmp_path, work, listener=told.append)
    expected = (".github/ci.yml", "deep/down/y", "new file", "removed")
    assert outside(plan) == {1: expected}
    assert not footprints(plan)[1].shared
    notices = [event.text for event in told if isinstance(event, Notified)]
    assert notices == [
        "Task 1 changed files that it does not name: .github/ci.yml, deep/down/y, new file, removed"
    ]


def test_r1_13_the_model_that_judges_a_report_is_told_of_files_that_the_task_does_not_name(
    plan: Plan, tmp_path: Path
) -> None:
    plan.add_all([NewTask("a", files=("src/**",))])

    async def stray(order: WorkOrder) -> WorkResult:
        write(tmp_path / "stray.txt")
        return await succeed(order)

    model = FakeModel([Reply('{"decision": "next", "reason": "ok"}'), Reply("Done.")])
    lane = open_lane(plan, model, agent=FakeAgent(stray), probe=LocalWorkspace(str(tmp_path)))
    asyncio.run(asyncio.wait_for(run(orchestrate(Orchestrate(parallel=1), "en"), lane), 30))
    asked = model.requests[0].messages[1].text
    assert "does not name them\n- stray.txt\n" in asked


def test_r1_13_many_files_are_counted(plan: Plan, tmp_path: Path) -> None:
    plan.add_all([NewTask("a", files=("src",))])
    told: list[Event] = []

    async def work(_name: str) -> None:
        for number in range(30):
            write(tmp_path / f"f{number:02}")

    carry_out(plan, tmp_path, work, listener=told.append)
    left = footprints(plan)[1]
    assert (len(left.outside), left.count) == (20, 30)
    [notice] = [event.text for event in told if isinstance(event, Notified)]
    assert notice.endswith("f00, f01, f02, f03, f04 and 25 others")


def test_r1_13_a_task_that_names_no_files_may_change_all(plan: Plan, tmp_path: Path) -> None:
    plan.add_all([NewTask("a"), NewTask("b", peers=(1,), files=("b",))])

    async def work(name: str) -> None:
        write(tmp_path / name)

    carry_out(plan, tmp_path, work)
    assert footprints(plan) == {}


def test_r1_13_side_by_side_each_file_belongs_to_the_task_that_names_it(
    plan: Plan, tmp_path: Path
) -> None:
    plan.add_all([NewTask("a", files=("a",)), NewTask("b", files=("b",))])
    both = asyncio.Barrier(2)

    async def work(name: str) -> None:
        await both.wait()
        write(tmp_path / name / "x")
        await both.wait()

    carry_out(plan, tmp_path, work)
    assert outside(plan) == {}


def test_r1_13_side_by_side_a_file_that_nobody_names_is_reported_for_both(
    plan: Plan, tmp_path: Path
) -> None:
    plan.add_all([NewTask("a", files=("a",)), NewTask("b", files=("b",))])
    both = asyncio.Barrier(2)

    async def work(name: str) -> None:
        await both.wait()
        if name == "a":
            write(tmp_path / "stray")
        await both.wait()

    told: list[Event] = []
    carry_out(plan, tmp_path, work, listener=told.append)
    assert outside(plan) == {1: ("stray",), 2: ("stray",)}
    assert all(left.shared for left in footprints(plan).values())
    notices = {event.text for event in told if isinstance(event, Notified)}
    said = "While task {} and others ran, files changed that none of them names: stray"
    assert notices == {said.format(1), said.format(2)}


def test_r1_13_the_files_of_a_task_that_has_ended_are_nobody_elses(
    plan: Plan, tmp_path: Path
) -> None:
    plan.add_all([NewTask("a", files=("a",)), NewTask("b", files=("b",))])
    started = asyncio.Event()

    async def work(name: str) -> None:
        if name == "a":
            await started.wait()
            write(tmp_path / "a/own")
            return
        started.set()
        while plan.task(1).status != "completed":  # noqa: ASYNC110 - another lane changes it
            await asyncio.sleep(0.01)
        write(tmp_path / "a/foreign")

    carry_out(plan, tmp_path, work)
    assert outside(plan) == {2: ("a/foreign",)}


def test_r1_13_what_people_change_while_nobody_works_is_not_an_agents(
    plan: Plan, tmp_path: Path
) -> None:
    touched = Check("command", "touch by-check")
    first = NewTask("a", files=("a",), checks=(touched,))
    plan.add_all([first, NewTask("b", peers=(1,), files=("b",))])

    async def work(_name: str) -> None:
        await asyncio.sleep(0)

    carry_out(plan, tmp_path, work)
    assert (tmp_path / "by-check").exists()
    assert footprints(plan) == {}


def test_f10_names_of_files_are_made_visible(plan: Plan, tmp_path: Path) -> None:
    plan.add_all([NewTask("a", files=("a",))])

    async def work(_name: str) -> None:
        for name in (b"two\nlines", b"\x1b[31mred", b"\xff\xfe"):
            (tmp_path / name.decode(errors="surrogateescape")).write_text("x")

    carry_out(plan, tmp_path, work)
    assert outside(plan) == {1: ("\\x1b[31mred", "two\\nlines", "\\udcff\\udcfe")}


def test_r1_13_an_agent_that_only_reads_is_not_watched(plan: Plan, tmp_path: Path) -> None:
    plan.add_all([NewTask("a", files=("a",))])

    async def work(_name: str) -> None:
        write(tmp_path / "x")

    carry_out(plan, tmp_path, work, permissions="read")
    assert footprints(plan) == {}


def test_the_commits_before_and_after_each_attempt_are_recorded(plan: Plan, tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        command = ("git", "-C", str(tmp_path), *who, *arguments)
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "first")
    first = git("rev-parse", "HEAD")
    plan.add_all([NewTask("a"), NewTask("b", peers=(1,))])

    async def work(name: str) -> None:
        if name == "a":
            git("commit", "-q", "--allow-empty", "-m", "second")

    carry_out(plan, tmp_path, work)
    second = git("rev-parse", "HEAD")
    found = {task: (left.before, left.after) for task, left in footprints(plan).items()}
    assert found == {1: (first, second), 2: (second, second)}
