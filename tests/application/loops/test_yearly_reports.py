"""The document's story: five yearly reports, paused at the limit, 继续, finished."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from outlast.adapters.models.scripted.model import Turn
from outlast.ports.events import Notified, Said
from outlast.ports.model import Call
from outlast.texts import Language
from outlast.wiring.agents.loop import AgentLoop, RunResult
from outlast.wiring.plans import open_plan
from tests.fake_model import FakeModel

YEARS = (2020, 2021, 2022, 2023, 2024)


class Story(Struct, frozen=True):
    """The texts in one language."""

    goal: str
    steps: tuple[str, ...]
    current: str
    progress: str
    go_on: str
    paused: str
    resumed: str
    used: str
    where: str
    end: str


STORIES: dict[Language, Story] = {
    "zh": Story(
        goal="下载分析腾讯最近5年年度财报PDF，提取关键财务指标，制作成图表",
        steps=("搜索财报链接", "下载所有PDF文件到本地", "提取关键财务指标", "制作数据图表"),
        current="- 当前步骤: {}.",
        progress="- 步骤进度: {}/{}",
        go_on="继续",
        paused="任务执行中（2/4 步已完成）。输入'继续'以恢复执行。",
        resumed="[恢复任务] 当前任务: 下载分析腾讯",
        used="已用迭代: 15/30",
        where="当前步骤: 3. 提取关键财务指标 (4/5)",
        end="计划已完成：4/4 步",
    ),
    "en": Story(
        goal="Download the last five yearly reports, extract the key figures and draw a chart",
        steps=("Search for the reports", "Download all PDFs", "Extract the figures", "Draw"),
        current="- Current step: {}.",
        progress="- Step progress: {}/{}",
        go_on="continue",
        paused="Task in progress (2/4 steps done). Type 'continue' to resume.",
        resumed="[Resuming task] Current task: Download the last five yearly reports",
        used="Iterations used: 15/30",
        where="Current step: 3. Extract the figures (4/5)",
        end="Plan completed: 4/4 steps",
    ),
}


class Office:
    """The tools: each changes one file and notes that it did."""

    def __init__(self, where: Path) -> None:
        self.where, self.done = where, list[str]()

    def look(self) -> str:
        """List the files."""
        return ", ".join(sorted(path.name for path in self.where.glob("*.*"))) or "nothing"

    def search(self, page: int) -> str:
        """Search one page of results."""
        return self._note(f"search {page}", "links.txt", f"page {page}\n")

    def fetch(self, year: int) -> str:
        """Download the report of a year."""
        return self._note(f"fetch {year}", f"{year}.pdf", f"revenue {year - 2000}\n")

    def extract(self, year: int) -> str:
        """Extract the figures of a year."""
        figures = (self.where / f"{year}.pdf").read_text()
        return self._note(f"extract {year}", "figures.csv", f"{year},{figures}")

    def draw(self, part: int) -> str:
        """Draw a part of the chart."""
        rows = (self.where / "figures.csv").read_text().splitlines()
        return self._note(f"draw {part}", "chart.svg", f"<bar n='{len(rows)}'/>\n")

    def _note(self, what: str, name: str, text: str) -> str:
        self.done.append(what)
        with (self.where / name).open("a") as file:
            file.write(text)
        return f"{what}: ok"

    def tools(self) -> tuple[Any, ...]:
        return self.look, self.search, self.fetch, self.extract, self.draw


LOOK = Call("look", {}, "look")
WORK = (
    [Call("search", {"page": n}, f"s{n}") for n in (1, 2, 3)],
    [Call("fetch", {"year": year}, f"f{year}") for year in YEARS],
    [Call("extract", {"year": year}, f"e{year}") for year in YEARS],
    [Call("draw", {"part": n}, f"d{n}") for n in (1, 2)],
)


def script(story: Story) -> FakeModel:
    """Return a model that knows only what it is shown: the step, and how far it is."""
    turns = []
    for number, (step, calls) in enumerate(zip(story.steps, WORK, strict=True), 1):
        at, total = story.current.format(number), len(calls)
        last = number == len(WORK)
        finish = Turn((at, story.progress.format(total, total)), "[Done]", () if last else (LOOK,))
        turns.append(finish)
        for reached in range(total - 1, -1, -1):
            seen = (at, story.progress.format(reached, total)) if reached else (at,)
            say = f"[Progress] {reached + 1}/{total} {step}"
            turns.append(Turn(seen, say, (calls[reached],)))
    declared = "\n".join(f"[Step] {step}" for step in story.steps)
    return FakeModel(turns=(*turns, Turn(None, declared, (LOOK,))))


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
def test_r0_09_the_story_of_the_five_yearly_reports(tmp_path: Path, language: Language) -> None:
    story, office, events = STORIES[language], Office(tmp_path), list[object]()

    def run(message: str) -> tuple[RunResult, FakeModel]:
        model = script(story)
        agent = AgentLoop(
            model=model,
            tools=office.tools(),
            workdir=tmp_path,
            key="telegram:123",
            max_iterations=15,
            language=language,
            on_event=events.append,
        )
        return asyncio.run(agent.run(message)), model

    stopped, _ = run(story.goal)
    assert (stopped.status, stopped.why, stopped.text) == ("paused", "limit", story.paused)
    assert office.done[-1] == "extract 2023"
    stopped, model = run(story.go_on)
    said = model.requests[0].messages[1].text
    assert said.startswith(story.resumed)
    assert story.used in said
    assert story.where in said
    assert "✓" in said
    assert "⏳" in said
    assert "⏸" in said
    assert said.rstrip().endswith(story.go_on)
    assert (stopped.status, stopped.why, stopped.text) == ("completed", "finished", story.end)
    assert [event.text for event in events if isinstance(event, Said)] == ["[Done]"]
    assert Notified(story.end, "hook") in events
    wanted = [f"{c.name} {next(iter(c.params.values()))}" for calls in WORK for c in calls]
    assert office.done == wanted, "nothing is left out and nothing done twice"
    assert len((tmp_path / "figures.csv").read_text().splitlines()) == 5
    with open_plan(tmp_path, "telegram:123") as plan:
        assert (plan.goal, plan.status, plan.iteration_count) == (story.goal, "completed", 20)
        assert [task.name for task in plan.tasks()] == list(story.steps)
        assert all(task.result and task.how == "reported" for task in plan.tasks())
