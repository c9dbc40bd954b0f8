"""R1.11: the real Claude Code and the real Codex, against a model server on loopback."""

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from outlast.agent.work import TIMED_OUT, Agent, WorkOrder, WorkProgress, WorkResult
from outlast.testing import Fault
from tests.agents.coder import Coder
from tests.agents.scene import NAMES, Scene, open_scene, order, require_sandbox, wait_until

pytestmark = [pytest.mark.agents, pytest.mark.slow, pytest.mark.xdist_group("agents")]


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with open_scene(tmp_path, Coder()) as opened:
        yield opened
    assert opened.elsewhere == [], "it talks to its model and to nobody else"


@pytest.fixture(params=NAMES)
def agent(scene: Scene, request: pytest.FixtureRequest) -> Agent:
    return scene.agent(request.param)


@pytest.fixture
def confined_agent(agent: Agent) -> Agent:
    """Return an agent that can confine the commands that it runs."""
    require_sandbox(agent.name)
    return agent


def work(agent: Agent, order: WorkOrder) -> WorkResult:
    return asyncio.run(agent.work(order, WorkProgress()))


def outcome(result: WorkResult | None) -> tuple[str, str]:
    assert result is not None
    assert result.report is not None, f"{result.error}: {result.tail}"
    return result.report.status, result.report.results


def test_r1_11_a_task_is_done_and_reported_then_continued_then_settled(
    scene: Scene, agent: Agent
) -> None:
    said, began = list[str](), list[str]()
    first = order("echo walls > house.txt", "cat house.txt")
    result = asyncio.run(agent.work(first, WorkProgress(said.append, began.append)))
    status, results = outcome(result)
    assert status == "SUCCESS"
    assert "walls" in results
    assert (result.exit_code, result.error, result.denied) == (0, "", ())
    assert began == [result.session]
    assert result.spent.tokens == 3 * 1_010
    assert "Working." in "".join(said)

    second = work(agent, order("echo roof >> house.txt", session=result.session))
    assert outcome(second)[0] == "SUCCESS"
    assert second.session == result.session
    assert second.spent.tokens == 2 * 1_010
    assert second.spent.money == pytest.approx(result.spent.money * 2 / 3), "of this order alone"
    assert scene.read("house.txt") == "walls\nroof\n"

    settled = asyncio.run(agent.settle(first.id, result.session))
    assert "walls" in outcome(settled)[1], "the session remembers what it saw"
    assert scene.read("house.txt") == "walls\nroof\n"


def test_x3_a_session_that_never_was_settles_nothing(agent: Agent) -> None:
    assert asyncio.run(agent.settle(f"task-{uuid4()}", str(uuid4()))) is None


def test_r1_06_an_order_for_a_session_that_never_was_gets_a_new_one(
    scene: Scene, agent: Agent
) -> None:
    unknown = str(uuid4())
    result = work(agent, order("echo walls > house.txt", session=unknown))
    assert outcome(result)[0] == "SUCCESS"
    assert result.session not in ("", unknown)
    assert scene.read("house.txt") == "walls\n"


def test_x4_at_the_time_limit_it_is_killed_and_its_session_is_known(
    scene: Scene, agent: Agent
) -> None:
    began = list[str]()
    endless = order("touch began; sleep 600", timeout=6.0)
    result = asyncio.run(agent.work(endless, WorkProgress(began=began.append)))
    assert (result.report, result.code) == (None, "TIMED_OUT")
    assert began == [result.session]
    assert scene.processes() == []


def test_f12_a_cancelled_agent_leaves_no_process_behind(scene: Scene, agent: Agent) -> None:
    async def begin_and_cancel() -> None:
        stubborn = order("trap '' TERM; sleep 600 & wait")
        working = asyncio.create_task(agent.work(stubborn, WorkProgress()))
        await asyncio.to_thread(wait_until, lambda: scene.processes("sleep"))
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await working

    asyncio.run(begin_and_cancel())
    assert scene.processes() == []


def test_x3_an_agent_that_was_killed_says_so_and_its_session_goes_on(
    scene: Scene, agent: Agent
) -> None:
    async def begin_and_kill() -> WorkResult:
        endless = order("echo walls > house.txt; touch began; sleep 600")
        working = asyncio.create_task(agent.work(endless, WorkProgress()))
        await asyncio.to_thread(wait_until, (scene.workspace / "began").exists)
        await asyncio.to_thread(wait_until, lambda: scene.has_recorded("touch began"))
        for process in scene.processes("claude") + scene.processes("codex"):
            os.kill(process, signal.SIGKILL)
        return await working

    killed = asyncio.run(begin_and_kill())
    assert killed.report is None
    assert killed.exit_code == -signal.SIGKILL
    assert scene.processes() == []
    again = work(agent, order("cat house.txt", session=killed.session))
    assert "walls" in outcome(again)[1]
    assert again.session == killed.session


def test_r1_10_what_is_not_permitted_is_named_and_not_done(
    scene: Scene, confined_agent: Agent
) -> None:
    scene.write("house.txt", "walls\n")
    result = work(confined_agent, order("rm house.txt", permissions="read"))
    assert scene.read("house.txt") == "walls\n"
    assert any("rm house.txt" in denied for denied in result.denied)


def test_r1_10_an_agent_that_may_edit_changes_files_of_its_directory(
    scene: Scene, confined_agent: Agent
) -> None:
    result = work(confined_agent, order("mkdir rooms", permissions="edit"))
    assert outcome(result)[0] == "SUCCESS"
    assert (scene.workspace / "rooms").is_dir()


def test_r1_10_an_agent_that_may_edit_runs_the_checks_that_a_person_approved(
    scene: Scene, confined_agent: Agent
) -> None:
    scene.write("check.sh", "echo all green\n")
    check = "sh check.sh"
    result = work(confined_agent, order(check, permissions="edit", approved=(check,)))
    assert result.denied == ()
    assert "all green" in outcome(result)[1]


def test_x4_claude_code_stops_after_the_turn_that_exceeds_the_money(scene: Scene) -> None:
    agent, steps = scene.agent("claude-code"), [f"echo {number}" for number in range(6)]
    price = work(agent, order(*steps)).spent.money / (len(steps) + 1)
    result = work(agent, order(*steps, money=2.5 * price))
    assert result.report is None
    assert result.spent.money == pytest.approx(3 * price)


@pytest.mark.parametrize("name", NAMES)
def test_u10_a_key_that_the_model_server_refuses_is_named_at_once(
    tmp_path: Path, name: str
) -> None:
    refusal = Fault("status", status=401, message="invalid x-api-key", times=20)
    with open_scene(tmp_path, Coder(), refusal) as scene:
        result = work(scene.agent(name), order("true"))
        assert len(scene.server.requests) < refusal.times, "it did not try for ever"
    assert result.report is None
    assert "401" in result.error
    assert result.code != TIMED_OUT


def test_r1_13_two_orders_are_carried_out_at_the_same_time(agent: Agent) -> None:
    def meet(own: str, other: str) -> WorkOrder:
        wait = f"for i in $(seq 600); do test -e {other} && break; sleep 0.1; done"
        return order(f"touch {own}; {wait}; test -e {other} && echo met {other}")

    async def both() -> list[WorkResult]:
        orders = meet("walls", "roof"), meet("roof", "walls")
        return await asyncio.gather(*(agent.work(one, WorkProgress()) for one in orders))

    walls, roof = asyncio.run(both())
    assert "met roof" in outcome(walls)[1]
    assert "met walls" in outcome(roof)[1]
    assert walls.session != roof.session
