"""R3: the benchmark of small goals holds its limits and tells what was reached."""

import json
from asyncio import sleep
from pathlib import Path

import pytest

from bench.real_model import WAYS, Allowance, Trial, report, run
from bench.small_goals import GOALS, find_goal
from outlast.context.chat_model import Reply, Usage
from tests.fake_model import FakeModel, ModelRequest

HELLO = find_goal("write a file")
LINE = "Hello from a small model"


class Diligent(FakeModel):
    """A model that writes the file of the first goal in each of the loops, or never ends."""

    is_endless = False

    async def reply(self, request: ModelRequest) -> Reply:
        last = request.messages[-1].text
        write = {"path": "hello.txt", "content": LINE}
        said: dict[str, object]
        if "You plan a task" in request.messages[0].text:
            said = {"status": "planned", "plan": ["write it"]}
        elif "Decide what remains" in request.messages[0].text:
            said = {"status": "done", "response": "Done"}
        elif "You carry out one item" in request.messages[0].text:
            action = {"tool": "write_file", "input": write}
            said = {"status": "continue", "current_step": "x", "next_action": action}
            if "bytes written" in last and not self.is_endless:
                said = {"status": "done", "response": "written"}
        else:
            return Reply("It is written.", usage=Usage(10, 5))
        return Reply(json.dumps(said), usage=Usage(10, 5))


def test_each_goal_is_for_one_language_and_is_not_reached_before(tmp_path: Path) -> None:
    assert sorted(goal.language for goal in GOALS) == ["en"] * 5 + ["zh"] * 5
    assert len({goal.name for goal in GOALS}) == 10
    for number, goal in enumerate(GOALS):
        place = tmp_path / str(number)
        place.mkdir()
        goal.prepare(place)
        assert not goal.is_reached(place, "")
        for name, lines in goal.wanted.items():
            (place / name).write_text("\n".join(lines) + "\n")
        assert goal.is_reached(place, f"It is {goal.answer}.")


@pytest.mark.parametrize("is_endless", [False, True])
def test_r3_04_a_trial_ends_within_its_allowance(tmp_path: Path, *, is_endless: bool) -> None:
    model = Diligent()
    model.is_endless = is_endless
    (trial,) = run(model, [HELLO], ["replan loop"], tmp_path, Allowance(60, 6))
    assert trial.is_reached
    assert trial.why == ("limit" if is_endless else "answered")
    assert trial.calls <= 6


def test_r3_04_a_trial_that_takes_too_long_is_cancelled(tmp_path: Path) -> None:
    model = FakeModel(on_request=lambda _request: sleep(60))
    trials = run(model, [HELLO], WAYS, tmp_path, Allowance(0.2, 6))
    assert [trial.why for trial in trials] == ["cancelled"] * 3
    assert [trial.way for trial in trials] == [*WAYS]


def test_the_table_has_a_row_for_each_goal_and_one_for_all() -> None:
    trials = [
        Trial("a", "tool loop", is_reached=True, why="finished", calls=3, tokens=1200, seconds=4.2),
        Trial("b", "tool loop", is_reached=False, why="limit", calls=15, tokens=9000, seconds=50),
        Trial("a", "no plan", is_reached=False, why="answered", calls=1, tokens=200, seconds=1),
        Trial("b", "no plan", is_reached=True, why="answered", calls=2, tokens=300, seconds=2),
    ]
    head, _, first, second, total = report(trials).splitlines()
    assert [cell.strip() for cell in head.split("|")[1:-1]] == ["goal", "tool loop", "no plan"]
    assert "**reached**, 3, 1 200, 4" in first
    assert "limit, 15, 9 000, 50" in second
    assert "1 of 2, 18, 10 200, 54" in total
