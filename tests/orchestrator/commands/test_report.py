"""`report`: what was done, on standard output, as Markdown or as one HTML page in a file."""

import asyncio
import stat
from pathlib import Path

import pytest

from outlast import NewTask, create_plan
from outlast.agent.runtime.driver import run
from outlast.agent.work import WorkOrder, WorkResult
from outlast.model.model import Check
from outlast.orchestrator.known_agents import Orchestrate
from outlast.orchestrator.scheduler import orchestrate
from tests.agent.runtime.lanes import open_lane
from tests.cli.processes import json_of, outlast, stdout_of
from tests.fake_model import FakeModel
from tests.orchestrator.fake_agents import FakeAgent, succeed


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Return a workspace whose agent claims success once before it does the work."""
    here = tmp_path / "here"
    here.mkdir()

    async def work(order: WorkOrder) -> WorkResult:
        if order.session:  # the second attempt
            (here / "built.txt").write_text("built")
        return await succeed(order)

    with create_plan(here, "Ship it", "ship", actor="human") as plan:
        built = Check("command", "cat built.txt")
        plan.add_all([NewTask("build", checks=(built,)), NewTask("talk")])
        lane = open_lane(plan, FakeModel(), slots=1, agent=FakeAgent(work))
        loop = orchestrate(Orchestrate(parallel=1, has_model=False), "en")
        asyncio.run(asyncio.wait_for(run(loop, lane), 30))
    return here


def test_r1_the_report_shows_a_false_claim_and_how_it_was_proved(workspace: Path) -> None:
    report = stdout_of(workspace, "report")
    assert report.startswith("# Report: Ship it\n")
    assert "**1 of 2 tasks proved; 1 claimed, not proved**" in report
    assert "| 1 build | completed, proved | fake | 2 | red → green |" in report
    assert report.index("### 2 talk") < report.index("### 1 build"), "unproved first"
    content = json_of(workspace, "report")
    assert content["format"] == "markdown"
    talk, build = content["report"]["tasks"]
    assert (talk["worth"], build["worth"]) == ("unproved", "proved")
    first, second = build["attempts"]
    assert (first["report"]["status"], first["decisions"][0]["decision"]) == ("SUCCESS", "retry")
    assert (second["outcome"], second["decisions"][0]["decision"]) == ("done", "next")
    assert build["check_results"][0]["results"] == ["red", "green"]
    assert [run["ok"] for run in build["check_runs"]] == [False, False, False, True]


def test_r1_08_the_mission_is_beside_the_plan(workspace: Path) -> None:
    mission = (workspace / ".outlast" / "plans" / "ship" / "MISSION.md").read_text()
    assert "- [x] 1 build (proved, fake reports SUCCESS)" in mission
    (workspace / ".outlast" / "plans" / "ship" / "MISSION.md").write_text("mine")
    noted = outlast(workspace, "note", "well")
    assert noted.returncode == 0
    assert "MISSION.md had been changed from outside; that version was kept" in noted.stderr
    again = (workspace / ".outlast" / "plans" / "ship" / "MISSION.md").read_text()
    assert again == mission, "it is never read"


def test_r1_08_a_plan_without_agents_leaves_a_file_of_that_name_alone(tmp_path: Path) -> None:
    with create_plan(tmp_path, "Rest", "rest", actor="human") as plan:
        plan.add("sleep")
    mission = tmp_path / ".outlast" / "plans" / "rest" / "MISSION.md"
    mission.write_text("mine")
    stdout_of(tmp_path, "done", "1")
    assert mission.read_text() == "mine"


def test_r1_the_page_is_one_private_file_that_is_not_replaced_by_chance(workspace: Path) -> None:
    said = stdout_of(workspace, "report", "--html", "r.html")
    assert said == "Wrote r.html: 1 of 2 tasks proved; 1 claimed, not proved\n"
    page = workspace / "r.html"
    assert page.read_text().startswith("<!doctype html>")
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    refused = outlast(workspace, "report", "--html", "r.html")
    assert (refused.returncode, "r.html already exists" in refused.stderr) == (1, True)
    over = stdout_of(workspace, "report", "--html", "r.html", "--yes")
    assert "The old file is now " in over
    assert len(list(workspace.glob("r.html*"))) == 2


def test_r1_the_report_is_written_in_the_language_that_is_asked_for(workspace: Path) -> None:
    said = stdout_of(workspace, "report", "--md", "r.md", "--lang", "zh")
    assert said == "已写入 r.md：2 个任务中 1 个已证明；1 个声称完成但未证明\n"
    assert (workspace / "r.md").read_text().startswith("# 报告：Ship it\n")
    assert json_of(workspace, "report", "--md", "s.md")["file"] == "s.md"


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("--md", "a", "--html", "b"), 2, "give one of them"),
        (("--html", "no/such/place.html"), 4, "no/such/place.html: No such file"),
        (("--md", "."), 4, ".: expected a regular file"),
    ],
)
def test_u8_a_wrong_file_is_one_clear_line(
    workspace: Path, arguments: tuple[str, ...], code: int, says: str
) -> None:
    refused = outlast(workspace, "report", *arguments)
    assert (refused.returncode, refused.stdout) == (code, "")
    assert says in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert sorted(path.name for path in workspace.iterdir()) == [".outlast", "built.txt"]


def test_u2_an_archived_plan_has_a_report_too(tmp_path: Path) -> None:
    with create_plan(tmp_path, "Rest", "rest", actor="human") as plan:
        plan.add("sleep")
        plan.complete(1)
    stdout_of(tmp_path, "archive", "rest")
    [archived] = json_of(tmp_path, "list", "--archived")["archived"]
    report = stdout_of(tmp_path, "report", "--archived", archived["name"])
    assert "| 1 sleep | completed, reported | human |" in report
