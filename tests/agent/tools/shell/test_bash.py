"""`bash`: in the workspace, with a timeout, leaving no process."""

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from outlast.agent.tools.choice import built_in_tools
from outlast.agent.tools.shell import bash
from outlast.agent.tools.shell.bash import Bash
from tests.agent.tools.run_tool import journaled_params, problem, refusal, run_tool
from tests.system.test_processes import LEAVING, is_alive, numbers, wait_for

LOOKS = {"bash": {"command": "ls"}, "glob": {"pattern": "*"}, "list_directory": {}}


def run(work: Path, command: str, **params: Any) -> str:
    return run_tool(work, "bash", command=command, **params)


def test_the_output_of_a_command_is_returned(work: Path) -> None:
    (work / "sub").mkdir()
    assert run(work, "echo out; echo err >&2") == "out\nerr\n"
    assert run(work, "pwd") == f"{work}\n"
    assert run(work, "pwd", cwd="sub") == f"{work}/sub\n"
    assert run(work, "true") == "(no output)"
    assert run(work, "cat; echo $((1+1))") == "2\n", "there is no input"


def test_a_failure_comes_with_the_output(work: Path) -> None:
    assert refusal(work, "bash", command="echo no; exit 3") == "Exit code 3. Output:\nno"
    assert refusal(work, "bash", command="echo a; kill -9 $$").startswith("Killed by signal 9")
    assert refusal(work, "bash", command="echo", cwd="gone") == "gone: No such file or directory"
    assert refusal(work, "bash", command="a\0b").startswith("The command could not be started")


@pytest.mark.parametrize("wrong", [-1, 1.5, "soon", True, 10**9])
def test_a_timeout_is_a_number_of_seconds(wrong: object, work: Path) -> None:
    assert refusal(work, "bash", command="true", timeout=wrong).startswith("timeout: ")


def test_optional_arguments_that_are_empty_are_absent(work: Path) -> None:
    (work / "sub").mkdir()
    assert run(work, "pwd", cwd="", timeout="", other="x") == f"{work}\n"
    assert run(work, "pwd", cwd=None, timeout=0) == f"{work}\n"
    assert run(work, "pwd", cwd="'./sub/'", timeout="9") == f"{work}/sub\n"
    assert refusal(work, "bash", cwd="") == 'command: missing; send "…"'


@pytest.mark.slow
def test_a_command_whose_time_is_up_is_ended(work: Path) -> None:
    said = refusal(work, "bash", command="echo begun; sleep 60", timeout=1)
    assert said == "Stopped after 1 s. Output:\nbegun"


@pytest.mark.slow
def test_no_timeout_is_longer_than_the_tools_own(work: Path) -> None:
    tool = Bash(str(work), max_seconds=1)
    for params in ({"timeout": 500}, {}):
        told = {"command": "sleep 60", **params}
        said = problem(lambda told=told: asyncio.run(tool.run(told)))  # type: ignore[misc]
        assert said.startswith("Stopped after 1 s")


def test_f12_of_a_flood_the_beginning_and_the_end_are_shown(work: Path) -> None:
    said = run(work, "echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last")
    assert said.startswith("first\nxxx")
    assert said.endswith("xxx\nlast\n")
    cut = 3_000_000 + len("first\n\nlast\n") - bash.OUTPUT
    assert f"[… {cut:,} bytes omitted …]" in said
    assert len(said) < bash.OUTPUT + 100
    exact = run(work, f"head -c {bash.OUTPUT} /dev/zero | tr '\\0' x")
    assert exact == "x" * bash.OUTPUT
    assert run(work, "printf '\\377'") == "\ufffd"


@pytest.mark.slow
@pytest.mark.parametrize("what", LEAVING)
def test_f12_nothing_is_left_when_a_command_is_cancelled(what: str, work: Path) -> None:
    async def cancelled() -> None:
        running = asyncio.create_task(Bash(str(work)).run({"command": LEAVING[what]}))
        await asyncio.to_thread(wait_for, lambda: bool(numbers(work)))
        running.cancel()
        with suppress(asyncio.CancelledError):  # or it has ended by itself
            await running

    asyncio.run(cancelled())
    assert numbers(work)
    assert wait_for(lambda: not any(map(is_alive, numbers(work))))


def test_f12_a_command_cancelled_before_it_began_does_not_run(work: Path) -> None:
    async def cancelled() -> None:
        running = asyncio.create_task(Bash(str(work)).run({"command": "touch ran"}))
        await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(cancelled())
    assert not (work / "ran").exists()


def test_the_loop_goes_on_meanwhile(work: Path) -> None:
    async def both() -> str:
        running = asyncio.create_task(Bash(str(work)).run({"command": "cat go; echo done"}))
        os.mkfifo(work / "go")
        await asyncio.sleep(0)
        other = asyncio.create_task(
            Bash(str(work)).run({"command": "until test -p go; do :; done; echo x > go"})
        )
        return (await running) + (await other)

    assert "done" in asyncio.run(both())


@pytest.mark.parametrize("name", LOOKS)
def test_f12_a_tool_waits_for_no_thread_that_others_keep_busy(name: str, work: Path) -> None:
    (work / "here").touch()
    tools = {tool.name: tool for tool in built_in_tools(str(work))}

    async def beside(busy: threading.Event) -> str:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
        waiting = asyncio.get_running_loop().run_in_executor(None, busy.wait)
        said = await tools[name].run(LOOKS[name])
        busy.set()
        await waiting
        return said

    assert asyncio.run(asyncio.wait_for(beside(threading.Event()), 60)).strip() == "here"


def test_a5_a17_a_command_gets_no_keys_but_those_that_may_pass(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRST_PAT", "one")
    monkeypatch.setenv("OTHER_PAT", "two")
    names = {line.partition("=")[0] for line in run(work, "env").splitlines()}
    assert not {"FIRST_PAT", "OTHER_PAT"} & names
    assert any(name.startswith("OUTLAST_MARK_") for name in names)
    with_one = Bash(str(work), pass_env=("OTHER_PAT",))
    shown = asyncio.run(with_one.run({"command": "env"})).splitlines()
    assert "OTHER_PAT=two" in shown
    assert not any("FIRST_PAT" in line for line in shown)


def test_x3_a_command_settles_as_unknown(work: Path) -> None:
    assert Bash(str(work)).settle({"command": "true"}) == "unknown"
    assert Bash(str(work)).level == "execute"


def test_x3_the_journal_has_the_beginning_of_a_long_command_without_its_secrets(work: Path) -> None:
    def journaled(command: object) -> Any:
        return journaled_params(work, "bash", {"command": command, "cwd": "sub"})["command"]

    assert journaled("make test") == "make test"
    assert journaled(f"make {'x' * 400}") == f"make {'x' * 194}…"
    key = "sk-ant-api03-" + "a1b2" * 10
    assert key not in journaled(f"API_KEY={key} make test")
    assert journaled(f"API_KEY={key} make test").endswith(" make test")
    assert journaled(3) == 3, "it is refused when it runs"
