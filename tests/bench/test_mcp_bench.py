"""The MCP server: what its lists cost a model, and how soon it answers."""

import pytest

from bench import mcp


def test_x5_the_default_set_costs_at_most_1500_tokens() -> None:
    shown, listed = mcp.count_tokens()["default"]

    assert shown < listed <= 1_500


@pytest.mark.slow
def test_the_goals_of_the_server_hold() -> None:
    text = mcp.report(mcp.measure(2))

    assert "**missed**" not in text
    assert text.endswith("0 missed.")
