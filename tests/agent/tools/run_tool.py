"""Run the tools of a workspace in tests."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from outlast.agent.tools.files.read import Glob, Grep, ListDirectory, ReadFile
from outlast.agent.tools.files.write import EditFile, WriteFile
from outlast.agent.tools.shell.bash import Bash
from outlast.context.chat_model import Call
from outlast.context.tool import Tool
from outlast.errors import OutlastError
from outlast.language import explain
from outlast.plan.tools.call_record import parse_call_line, record_call
from tests.store.faults import QuickDisk

# How each tool that takes a path is called with one; bash with a directory to run in.
WITH_PATH: dict[str, Callable[[Any], dict[str, Any]]] = {
    "read_file": lambda path: {"path": path},
    "write_file": lambda path: {"path": path, "content": "text"},
    "edit_file": lambda path: {"path": path, "old": "secret", "new": "public"},
    "list_directory": lambda path: {"path": path},
    "glob": lambda path: {"path": path, "pattern": "**"},
    "grep": lambda path: {"path": path, "pattern": "secret"},
    "bash": lambda path: {"cwd": path, "command": "cat secret.txt"},
}
KINDS = (ReadFile, WriteFile, EditFile, ListDirectory, Glob, Grep, Bash)


def make_tool(work: Path, name: str, *, outside: bool = False) -> Tool:
    kind = next(kind for kind in KINDS if kind.name == name)
    made: Tool = kind(str(work), QuickDisk(), allow_outside=outside)
    return made


def journaled_params(work: Path, name: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return what the journal keeps of a call that is about to be made."""
    _, found = parse_call_line(record_call(Call(name, params), make_tool(work, name)))
    assert found is not None
    return found


def run_tool(work: Path, name: str, /, **params: Any) -> str:
    return asyncio.run(make_tool(work, name).run(params))


def problem(call: Callable[[], object]) -> str:
    with pytest.raises(OutlastError) as caught:
        call()
    return explain(caught.value)


def refusal(work: Path, name: str, /, **params: Any) -> str:
    return problem(lambda: run_tool(work, name, **params))
