import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import outlast

PROBE = """
import json, sys
before = set(sys.modules)
{statement}
loaded = {{name.partition(".")[0] for name in set(sys.modules) - before}}
print(json.dumps(sorted(loaded - sys.stdlib_module_names - {{"outlast"}})))
"""


def third_party_modules_loaded_by(statement: str) -> list[str]:
    command = [sys.executable, "-I", "-c", PROBE.format(statement=statement)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    return list(json.loads(answer.stdout))


@pytest.mark.parametrize("statement", ["import outlast", "import outlast; dir(outlast)"])
def test_importing_outlast_loads_no_third_party_module(statement: str) -> None:
    assert third_party_modules_loaded_by(statement) == []


@pytest.mark.parametrize(
    "module",
    ["changes", "events", "hooks", "models", "plans", "sessions", "settings", "stores", "tools"],
)
def test_a_public_module_loads_msgspec_alone(module: str) -> None:
    loaded = third_party_modules_loaded_by(f"import outlast.{module}")
    assert set(loaded) <= {"msgspec", "typing_extensions"}, "msgspec imports the second if it can"


def test_the_probe_sees_a_third_party_module() -> None:
    assert "msgspec" in third_party_modules_loaded_by("import msgspec")


OURS = "import sys; print(*(name for name in sys.modules if name.startswith('outlast')))"
COMMAND = f"from outlast.__main__ import main; main({{!r}}.split()); {OURS}"
MANAGER = f"from outlast import PlanManager; PlanManager(); {OURS}"
LATE = (
    "outlast.context",
    "outlast.hooks",
    "outlast.agent.loops",
    "outlast.plan.tools.dispatch",
    "outlast.plan.tools.compact",
    "outlast.agent.runtime",
    "outlast.config",
    "outlast.model.transaction",
    "outlast.model.undo_log",
    "outlast.model.decide.attempts",
    "outlast.model.decide.budget",
    "outlast.model.decide.conversation",
    "outlast.model.decide.notes",
    "outlast.model.decide.phases",
    "outlast.model.history",
    "outlast.model.markers",
    "outlast.redact.secrets",
    "outlast.redact.secrets",
    "outlast.agent.effects",
    "outlast.agent.events",
    "outlast.store.damage_texts",
    "outlast.documents.edit_texts",
    "outlast.cli.texts",
    "outlast.documents.history_texts",
    "outlast.context.texts",
    "outlast.agent.texts.loop",
    "outlast.agent.texts.models",
    "outlast.agent.texts.run",
    "outlast.config.texts",
    "outlast.store.texts",
    "outlast.plan.tools.texts",
    "outlast.agent.agent_loop",
)


def modules_loaded_by(program: str, where: Path) -> list[str]:
    """Return our modules that a process has loaded, which says them in its last line."""
    command = [sys.executable, "-c", program]
    environment = {**os.environ, "XDG_STATE_HOME": str(where / "state")}
    answer = subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=where, env=environment
    )
    return answer.stdout.splitlines()[-1].split()


def late_ones(loaded: list[str]) -> list[str]:
    return [name for name in loaded if name.startswith(LATE)]


def test_a_plan_manager_loads_only_what_it_needs_at_once(tmp_path: Path) -> None:
    loaded = modules_loaded_by(MANAGER, tmp_path)
    assert late_ones(loaded) == []
    assert [name for name in loaded if name.startswith("outlast.language.")] == []
    assert [name for name in loaded if name.endswith((".claims", ".proof", ".work"))] == []
    assert len(loaded) <= 58, loaded


@pytest.mark.parametrize(("command", "limit"), [("next", 88), ("done 1 -m ok", 103), ("show", 96)])
def test_a_command_loads_only_what_it_needs(command: str, limit: int, tmp_path: Path) -> None:
    with outlast.create_plan(tmp_path, "Be quick", "quick") as plan:
        plan.add("One")
    loaded = modules_loaded_by(COMMAND.format(command), tmp_path)
    assert late_ones(loaded) == []
    assert len(loaded) <= limit, loaded
