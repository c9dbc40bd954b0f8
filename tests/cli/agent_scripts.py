"""Scripts for models of agents that run in processes of their own."""

import json
from pathlib import Path
from typing import Any

from tests.cli.processes import environment, stdout_of

GOAL = "Write two letters"


def call(name: str, **params: Any) -> dict[str, Any]:
    return {"name": name, "params": params}


def turn(*when: str, say: str = "", calls: tuple[Any, ...] = (), **more: Any) -> dict[str, Any]:
    return {"when": list(when), "say": say, "calls": list(calls), **more}


def letter(number: int, step: str = "- Current step:") -> dict[str, Any]:
    written = call("write_file", path=f"{number}.txt", content=f"letter {number}\n")
    done = call("complete_task", task=number, result="written")
    return turn(f"{step} {number}.", say=f"I write letter {number}.", calls=(written, done))


LOOK = turn(say="I look around.", calls=(call("list_directory", path="."),))
TASKS = call("add_tasks", tasks=[{"name": "first letter"}, {"name": "second letter"}])
LETTERS = [
    turn("- Progress: 2/2", say="Both are written."),
    letter(1),
    letter(2),
    turn("- Progress: 0/0", say="Two steps.", calls=(TASKS,)),
    LOOK,
]
CHINESE = [
    turn("- 进度: 2/2", say="两封都写好了。"),
    letter(1, "- 当前步骤:"),
    letter(2, "- 当前步骤:"),
    turn("- 进度: 0/0", say="分两步。", calls=(TASKS,)),
    LOOK,
]


def model(cwd: Path, turns: list[dict[str, Any]], name: str = "model.yaml") -> str:
    """Save a script beside the project, as JSON, which is YAML; return the model's name."""
    script = cwd.parent / f"{cwd.name}-{name}"
    script.write_text(json.dumps(turns), encoding="utf-8")
    return f"script:{script}"


def isolated_home(cwd: Path) -> dict[str, str]:
    """Return variables that keep settings, data and state of this machine's user out."""
    beside = cwd.parent / f"{cwd.name}-home"
    kinds = {"CONFIG": "config", "DATA": "data", "STATE": "state"}
    return {f"XDG_{kind}_HOME": str(beside / name) for kind, name in kinds.items()}


def isolated_environment(cwd: Path, **variables: str) -> dict[str, str]:
    return environment(**isolated_home(cwd), **variables)


def events(printed: str) -> list[dict[str, Any]]:
    """Return the lines of a stream."""
    return [json.loads(line) for line in printed.splitlines()]


def isolated_json(cwd: Path, *arguments: str) -> dict[str, Any]:
    """Return what a command answers to programs."""
    return dict(json.loads(stdout_of(cwd, *arguments, "--json", **isolated_home(cwd))))
