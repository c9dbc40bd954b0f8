"""X2, X3: checks in a loop, and in a process that dies in the middle of them."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from outlast import Check, RunResult
from outlast.agent.agent_loop import run
from outlast.agent.models.scripted import ScriptedModel, Turn
from outlast.agent.tools.choice import built_in_tools
from outlast.context.chat_model import Call
from tests.proof.proven import MADE, RUNS, Pair, begin, open_pair
from tests.system.test_processes import is_alive, numbers, wait_for

DONE = Call("complete_task", {"task": 1, "result": "made"})
MAKE = Call("write_file", {"path": "made.txt", "content": "made"})


def go(pair: Pair, *turns: Turn) -> RunResult:
    tools = built_in_tools(str(pair.root))
    return asyncio.run(run("Make it", plan=pair.person, model=ScriptedModel(turns), tools=tools))


def test_x2_a_loop_reports_what_failed_so_that_the_model_can_fix_it(tmp_path: Path) -> None:
    pair = begin(tmp_path, RUNS, MADE)
    told: list[Any] = []
    turns = (Turn("CHECK_FAILED", calls=(MAKE, DONE)), Turn(calls=(DONE,)))
    stopped = asyncio.run(
        run(
            "Make it",
            plan=pair.person,
            model=ScriptedModel(turns),
            tools=built_in_tools(str(tmp_path)),
            on_event=told.append,
        )
    )
    assert stopped.status == "completed"
    assert "CHECK_FAILED" in str(told)
    assert pair.label() == "proved"


def test_x2_a_slow_check_does_not_block_the_event_loop(tmp_path: Path) -> None:
    waits = "touch begun; for _ in $(seq 3000); do test -f over && exit; sleep 0.02; done; exit 1"
    pair = begin(tmp_path, Check("command", waits))

    async def main() -> RunResult:
        model = ScriptedModel((Turn("", calls=(DONE,)), Turn("", "Done.")))
        loop = asyncio.ensure_future(run("Make it", plan=pair.person, model=model))
        while not (tmp_path / "begun").exists() and not loop.done():  # noqa: ASYNC110 - a file
            await asyncio.sleep(0.01)
        (tmp_path / "over").touch()
        return await loop

    asyncio.run(main())
    assert pair.person.task(1).how == "proved"


def test_x2_a_cancelled_loop_stops_its_checks_and_completes_nothing(tmp_path: Path) -> None:
    pair = begin(tmp_path, Check("command", "echo $$ >>pids; sleep 60"))

    async def main() -> None:
        model = ScriptedModel((Turn("", calls=(DONE,)), Turn("", "Done.")))
        loop = asyncio.ensure_future(run("Make it", plan=pair.person, model=model))
        await asyncio.to_thread(wait_for, lambda: bool(numbers(tmp_path)))
        loop.cancel()
        with pytest.raises(asyncio.CancelledError):
            await loop

    asyncio.run(main())
    assert pair.person.task(1).status == "in_progress"
    assert not any(map(is_alive, numbers(tmp_path)))
    assert pair.label() == ""


KILLS = "until test -s victim; do sleep 0.01; done; kill -9 $(cat victim); exit 0"
VICTIM = "import sys; from outlast import *; open_plan(sys.argv[1], 'k', actor='agent').complete(1)"


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
def test_x2_killed_during_a_check_nothing_is_proved_and_nothing_left_running(
    tmp_path: Path,
) -> None:
    pair = begin(tmp_path, Check("command", "sleep 60 & echo $! >>pids; echo $$ >>pids; wait"))
    pair.person.close()
    with subprocess.Popen([sys.executable, "-c", VICTIM, str(tmp_path)]) as victim:  # noqa: S603 - our own lines
        assert wait_for(lambda: len(numbers(tmp_path)) == 2)
        victim.kill()
    assert wait_for(lambda: not any(map(is_alive, numbers(tmp_path))))
    again = open_pair(tmp_path)
    assert again.person.task(1).status == "pending"
    assert again.label() == ""


def test_x2_killed_between_the_checks_and_the_commit_nothing_is_proved(tmp_path: Path) -> None:
    """The check itself kills the process that would commit what it shows."""
    pair = begin(tmp_path, Check("command", KILLS))
    pair.person.close()
    with subprocess.Popen(  # noqa: S603 - our own lines
        [sys.executable, "-c", VICTIM, str(tmp_path)], stderr=subprocess.DEVNULL
    ) as victim:
        (tmp_path / "victim").write_text(str(victim.pid))
    assert victim.returncode == -signal.SIGKILL
    again = open_pair(tmp_path)
    assert (again.person.task(1).status, again.label()) == ("pending", "")
