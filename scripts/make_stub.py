"""Write the stub of `PlanManager` from the tool table, for type checkers and editors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from outlast.application.tools.table import TOOLS, Parameter, PlanTool

STUB = Path(__file__).parent.parent / "src/outlast/application/facades/plan_manager.pyi"

HEAD = """\
# Made from the tool table by `./dev stub`; change the table, not this file.
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from outlast.application.plan.plan import Plan
from outlast.errors import OutlastError

Envelope: TypeAlias = dict[str, Any]

def refusal(error: OutlastError) -> Envelope: ...

class PlanManager:
    plan: Plan
    def __init__(self, plan: Plan, *, actor: str = "agent") -> None: ...
    def to_dict(self) -> dict[str, Any]: ...
    def call(self, name: object, arguments: object) -> Envelope: ...
    @staticmethod
    def tool_schemas(dialect: str) -> list[dict[str, Any]]: ...
"""


def stub() -> str:
    """Return the text of the stub."""
    methods = [_method(tool, name) for tool in TOOLS for name in (tool.name, tool.snake_name)]
    raw = HEAD + "".join(methods)
    return subprocess.run(  # noqa: S603 - our own formatter on our own text
        [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(STUB), "-"],
        input=raw,
        capture_output=True,
        check=True,
        text=True,
    ).stdout


def _method(tool: PlanTool, name: str) -> str:
    arguments = ", ".join(["self", *map(_argument, tool.parameters)])
    return f"    def {name}({arguments}) -> Envelope: ...\n"


def _argument(parameter: Parameter) -> str:
    kind = parameter.kind.python
    if parameter.is_required:
        return f"{parameter.name}: {kind}"
    return f"{parameter.name}: {kind} | None = {parameter.default!r}"


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
