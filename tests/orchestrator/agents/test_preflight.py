"""Issue 16: a preflight shows before the first task whether an agent can work here."""

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from outlast.agent.work import Report, WorkOrder, WorkResult
from outlast.orchestrator.agents.preflight import AgentPreflight
from outlast.system.state_home import StateHome
from tests.orchestrator.fake_agents import FakeAgent

DONE = WorkResult(Report("SUCCESS", "s-1", "done"), "s-1")


def preflight(
    tmp_path: Path, do: Callable[[Path, str], WorkResult], **options: Any
) -> tuple[AgentPreflight, FakeAgent]:
    workspace = tmp_path / "work"
    workspace.mkdir(exist_ok=True)

    async def work(order: WorkOrder) -> WorkResult:
        await asyncio.sleep(0)
        file, word = (
            re.search(key, order.description) for key in (r"file (\S+?),? ", r"word (\S+)")
        )
        assert file is not None
        assert word is not None
        return do(workspace / file[1], word[1])

    agent = FakeAgent(work)
    return AgentPreflight(
        agent, str(workspace), StateHome(str(tmp_path / "state")), **options
    ), agent


def write(file: Path, word: str) -> WorkResult:
    file.write_text(f"{word}\n")
    return DONE


def lie(_file: Path, _word: str) -> WorkResult:
    return DONE


def fail(_file: Path, _word: str) -> WorkResult:
    return WorkResult(error="Invalid API key")


def refuse(_file: Path, _word: str) -> WorkResult:
    return WorkResult(Report("FAILED", "s-1"), "s-1", denied=("Write(word.txt)",))


def test_an_agent_that_writes_the_word_can_work_and_is_not_tried_twice_a_day(
    tmp_path: Path,
) -> None:
    tried, agent = preflight(tmp_path, write)
    assert asyncio.run(tried.is_needed())
    assert asyncio.run(tried.run()).error == ""
    assert agent.ended == ["s-1"], "its session goes on for nobody"
    assert list((tmp_path / "work").iterdir()) == [], "nothing is left behind"
    assert not asyncio.run(preflight(tmp_path, fail)[0].is_needed())
    assert asyncio.run(preflight(tmp_path, fail, permissions="full")[0].is_needed())


@pytest.mark.parametrize(
    ("do", "says"), [(lie, "done"), (fail, "Invalid API key"), (refuse, "Write(word.txt)")]
)
def test_an_agent_that_does_not_is_told_and_tried_again(
    tmp_path: Path, do: Callable[[Path, str], WorkResult], says: str
) -> None:
    tried, _ = preflight(tmp_path, do)
    assert says in asyncio.run(tried.run()).error
    assert asyncio.run(tried.is_needed())
    assert list((tmp_path / "work").iterdir()) == []


def test_an_agent_that_may_only_read_has_to_find_the_word(tmp_path: Path) -> None:
    def read(file: Path, _word: str) -> WorkResult:
        return WorkResult(Report("SUCCESS", results=f"It says {file.read_text()}."))

    assert asyncio.run(preflight(tmp_path, read, permissions="read")[0].run()).error == ""
    assert asyncio.run(preflight(tmp_path, lie, permissions="read")[0].run()).error


def test_an_agent_that_hangs_is_given_up(tmp_path: Path) -> None:
    class Hanging(FakeAgent):
        async def work(self, *_given: object) -> WorkResult:
            await asyncio.Event().wait()
            return DONE

    tried = AgentPreflight(
        Hanging(), str(tmp_path), StateHome(str(tmp_path / "state")), seconds=-4.9
    )
    assert "stopped" in asyncio.run(tried.run()).error


def test_f10_a_word_behind_a_link_does_not_count(tmp_path: Path) -> None:
    def link(file: Path, word: str) -> WorkResult:
        (tmp_path / "elsewhere").write_text(word)
        file.symlink_to(tmp_path / "elsewhere")
        return DONE

    assert asyncio.run(preflight(tmp_path, link)[0].run()).error


def test_f7_a_state_directory_that_cannot_be_used_only_costs_the_memory(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    tried, _ = preflight(tmp_path, write)
    assert asyncio.run(tried.is_needed())
    assert asyncio.run(tried.run()).error == ""
