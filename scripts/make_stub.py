"""Write the stubs of `PlanManager` and `AsyncPlan`, for type checkers and editors.

The functions of the first come from the tool table, those of the second from `Plan`.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from inspect import formatannotation
from pathlib import Path
from typing import TYPE_CHECKING

from outlast.plan.async_plan import FACETS, IMMEDIATE
from outlast.plan.tools.manager_tools import TOOLS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.plan.tools.plan_tool import Parameter, PlanTool

PLAN = Path(__file__).parent.parent / "src/outlast/plan"
MANAGER = PLAN / "plan_manager.pyi"
ASYNC_PLAN = PLAN / "async_plan.pyi"

MANAGER_HEAD = """\
# Made from the tool table by `./dev stub`; change the table, not this file.
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self, TypeAlias

from outlast.plan.plan import Plan
from outlast.plan.tools import Dialect
from outlast.errors import OutlastError

Envelope: TypeAlias = dict[str, Any]

def refusal(error: OutlastError) -> Envelope: ...

class PlanManager:
    plan: Plan
    def __init__(
        self, plan: Plan | None = None, *, goal: str = "", actor: str = "agent"
    ) -> None: ...
    @classmethod
    def from_dict(cls, data: object, *, actor: str = "agent") -> Self: ...
    def to_dict(self) -> dict[str, Any]: ...
    def call(self, name: object, arguments: object) -> Envelope: ...
    @staticmethod
    def tool_schemas(dialect: Dialect) -> list[Any]: ...
"""

ASYNC_NOTE = "# Made from `Plan` by `./dev stub`; change `Plan`, not this file."
ASYNC_HEAD = """\
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from typing import Any, ParamSpec, Self
from outlast.plan.plan import Plan
from outlast.plan.plans import create_plan, open_plan
FACETS: tuple[str, ...]
IMMEDIATE: tuple[str, ...]
_P = ParamSpec("_P")
def _async_factory(make: Callable[_P, Plan]) -> Callable[_P, Coroutine[Any, Any, AsyncPlan]]: ...
"""

# What `AsyncPlan` has in another form than `Plan`.
ASYNC_PLAN_HEAD = """\
class AsyncPlan:
    def __init__(self, plan: Plan) -> None: ...
    create = staticmethod(_async_factory(create_plan))
    open = staticmethod(_async_factory(open_plan))
    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *_error: object) -> None: ...
    @property
    def plan(self) -> Plan: ...
    def acting_as(self, actor: str) -> Self: ...
    def with_lease(self, lease: Lease, key: str = "") -> Self: ...
    async def as_of(self, revision: int) -> Self: ...
    def claim_with_heartbeat(
        self, task: TaskRef | None = None, seconds: int = 60
    ) -> AbstractAsyncContextManager[Heartbeat]: ...
"""
DIFFERENT = ("acting_as", "as_of", "claim_with_heartbeat", "with_lease")


def manager_stub() -> str:
    """Return the text of the stub of `PlanManager`."""
    methods = [_tool_method(tool, name) for tool in TOOLS for name in (tool.name, tool.snake_name)]
    return _format(MANAGER_HEAD + "".join(methods), MANAGER)


def _tool_method(tool: PlanTool, name: str) -> str:
    arguments = ", ".join(["self", *map(_argument, tool.parameters)])
    return f"    def {name}({arguments}) -> Envelope: ...\n"


def _argument(parameter: Parameter) -> str:
    kind = formatannotation(parameter.kind.python).replace("collections.abc.", "")
    if parameter.is_required:
        return f"{parameter.name}: {kind}"
    return f"{parameter.name}: {kind} | None = {parameter.default!r}"


def async_stub() -> str:
    """Return the text of the stub of `AsyncPlan`."""
    modules = {name: _parse(name) for name in (*FACETS, "plan")}
    imports = {ast.unparse(node) for module in modules.values() for node in _imports(module)}
    classes = []
    for name in FACETS:
        facet = _class_of(modules[name])
        classes += [f"class Async{facet.name}:", *_async_methods(facet, ())]
    plan = _async_methods(_class_of(modules["plan"]), DIFFERENT)
    classes += [ASYNC_PLAN_HEAD, *plan]
    return _format("\n".join([ASYNC_NOTE, *sorted(imports), ASYNC_HEAD, *classes]), ASYNC_PLAN)


def _parse(name: str) -> ast.Module:
    return ast.parse((PLAN / f"{name}.py").read_text(encoding="utf-8"))


def _imports(module: ast.Module) -> Iterator[ast.stmt]:
    """Yield the imports at the top of a module, also those for type checkers."""
    for node in module.body:
        for statement in node.body if isinstance(node, ast.If) else (node,):
            is_future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
            if isinstance(statement, ast.Import | ast.ImportFrom) and not is_future:
                yield statement


def _class_of(module: ast.Module) -> ast.ClassDef:
    """Return the class of a module: the one that has `Plan` in its name."""
    return next(
        node
        for node in module.body
        if isinstance(node, ast.ClassDef) and node.name.startswith("Plan")
    )


def _async_methods(source: ast.ClassDef, different: tuple[str, ...]) -> Iterator[str]:
    methods = [node for node in source.body if isinstance(node, ast.FunctionDef)]
    overloads = {node.name for node in methods if _has(node, "overload")}
    for node in methods:
        is_implementation = node.name in overloads and not _has(node, "overload")
        if not (node.name.startswith("_") or node.name in different or is_implementation):
            yield _async_method(node)


def _async_method(node: ast.FunctionDef) -> str:
    node.body = [ast.Expr(ast.Constant(...))]
    is_property, returns = _has(node, "property"), ast.unparse(node.returns or ast.Name("None"))
    if node.name in FACETS and is_property:
        node.returns = ast.Name(f"Async{returns.removeprefix('facets.')}")
    elif node.name not in IMMEDIATE and is_property:
        node.returns = ast.Name(f"Coroutine[Any, Any, {returns}]")
    text = ast.unparse(node)
    if node.name not in IMMEDIATE and not is_property:
        text = re.sub("^def ", "async def ", text, flags=re.MULTILINE)
    return "".join(f"    {line}\n" for line in text.splitlines())


def _has(node: ast.FunctionDef, decorator: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == decorator for one in node.decorator_list)


def _format(text: str, path: Path) -> str:
    check = ("check", "--select=F401,I", "--fix", "--quiet")
    joined = ("--config=lint.isort.split-on-trailing-comma=false",)
    format_ = ("format", "--config=format.skip-magic-trailing-comma=true")
    for command in ((*check, *joined), format_):
        text = subprocess.run(  # noqa: S603 - our own formatter on our own text
            [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(path), "-"],
            input=text,
            capture_output=True,
            check=True,
            text=True,
        ).stdout
    return text


if __name__ == "__main__":
    MANAGER.write_text(manager_stub(), encoding="utf-8")
    ASYNC_PLAN.write_text(async_stub(), encoding="utf-8")
