"""The examples run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("keyboard_shopping.py", "└── ● 4 Add first item to cart  → In the cart: 379 yuan"),
        ("agent_loop.py", "   └─ ● 3 Draw the chart"),
        ("walking_skeleton.py", "finished: Both are written."),
    ],
)
def test_an_example_runs_to_its_end(name: str, line: str) -> None:
    done = subprocess.run(  # noqa: S603 - our own example
        [sys.executable, EXAMPLES / name],
        capture_output=True,
        check=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1", "COLUMNS": "100"},
    )
    assert line in done.stdout.splitlines()


def test_every_example_is_run() -> None:
    assert sorted(path.name for path in EXAMPLES.glob("*.py")) == [
        "agent_loop.py",
        "anthropic_loop.py",
        "deepagents_agent.py",
        "keyboard_shopping.py",
        "langgraph_agent.py",
        "openai_loop.py",
        "pydantic_ai_agent.py",
        "two_terminals.py",
        "walking_skeleton.py",
    ]
