"""The page of all goals names every one of them, with numbers that say nothing about speed."""

import pytest

from bench import goals
from bench.verdicts import one_line

ROWS = {
    "plans on disk": "complete, ask for the next",
    "acknowledged operation": "syncs of an acknowledged commit",
    "many writers": "8 processes against one writer",
    "in memory": "outlast PlanManager, a pair",
    "hooks": "hooks: record",
    "commands": "`outlast done`",
    "import": "a process with a ready PlanManager",
    "opening a plan, memory": "opened from the snapshot",
    "tokens, schemas": "schemas of the default set",
    "agent loop": "",
    "short commands": "through the tool `bash`",
    "idle subscriptions": "idle subscriptions",
    "recall": "recall after resume",
    "MCP server": "MCP call over HTTP",
    "test suite": "./dev test",
    "parallel execution": "makespan",
}


def test_the_goals_are_those_of_the_page() -> None:
    assert ROWS.keys() == goals.GOALS.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in ROWS if name != "agent loop"])  # takes minutes
def test_every_goal_has_a_row_with_a_limit_and_a_verdict(name: str) -> None:
    rows = list(goals.GOALS[name](goals.QUICK))
    assert any(ROWS[name] in row[0] for row in rows)
    for what, limit, measured, verdict in rows:
        assert what
        assert limit
        assert verdict in ("reached", "**missed**", "not measured here")
        assert measured


def test_a_goal_is_reached_if_it_is_for_every_shape() -> None:
    row = ["pair", "≤ 2", "1.5 reached", "2.5 **missed**"]
    assert one_line(row, ["chain", "wide"]) == ["pair", "≤ 2", "chain 1.5, wide 2.5", "**missed**"]
    assert one_line(["pair", "≤ 2", "1.5 reached"]) == ["pair", "≤ 2", "1.5", "reached"]
