"""The agents that people already have finish a durable plan, each through its own SDK."""

import os
import re
import subprocess
import sys
from pathlib import Path
from runpy import run_path

import pytest

from outlast import create_plan
from outlast.testing import ModelServer, ScriptedModel, Turn

EXAMPLES = Path(__file__).parents[2] / "examples"
STEPS = ["1. Look up both years: 310 and 365", "2. Add them: 675"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("anthropic_loop.py", ["It is 675."]),
        ("openai_loop.py", ["It is 675."]),
        ("pydantic_ai_agent.py", ["It is 675."]),
        ("langgraph_agent.py", ["It is 675."]),
        ("deepagents_agent.py", ["It is 675."]),
    ],
)
def test_an_agent_of_another_make_finishes_its_plan(
    name: str, said: list[str], tmp_path: Path
) -> None:
    done = subprocess.run(  # noqa: S603 - our own example
        [sys.executable, EXAMPLES / name],
        capture_output=True,
        check=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1", "TMPDIR": str(tmp_path)},
    )
    assert done.stdout.splitlines() == [*said, *STEPS]
    [plan] = tmp_path.rglob("task_plan.md")
    assert re.search(r"- \[x\] ● \*\*\d\*\* Add them", plan.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["anthropic_loop.py", "openai_loop.py"])
def test_a_bare_loop_is_short_and_three_of_its_lines_are_the_plans(name: str) -> None:
    lines = (EXAMPLES / name).read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 60
    assert sum(line.endswith("# plan") for line in lines) == 3


def test_an_adapter_has_at_most_80_lines() -> None:
    folder = EXAMPLES.parent / "src" / "outlast" / "integrations"
    sizes = {file.name: file.read_text("utf-8").count("\n") for file in folder.glob("*.py")}
    assert len(sizes) == 3
    assert max(sizes.values()) <= 80


@pytest.mark.parametrize("name", ["anthropic_loop", "openai_loop"])
def test_a_bare_loop_ends_with_a_model_that_only_answers(name: str, tmp_path: Path) -> None:
    pytest.importorskip(name.partition("_")[0])
    example = run_path(str(EXAMPLES / f"{name}.py"))
    client = example["Anthropic" if name == "anthropic_loop" else "OpenAI"]
    with ModelServer(ScriptedModel([Turn(say="2 + 2 is 4.")])) as server:
        suffix = "" if name == "anthropic_loop" else "/v1"
        with client(base_url=server.url + suffix, api_key="none") as asked:
            plan = create_plan(tmp_path, "Add 2 and 2")
            assert example["loop"](asked, "script", plan) == "2 + 2 is 4."
