"""Small faults that can be planted in a Python file: each changes one expression or statement."""

from __future__ import annotations

import ast
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FLIPPED: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_UNTOUCHED: Final = ("abstractmethod", "overload")
"""Decorators of functions whose bodies never run."""


@dataclass(frozen=True)
class Fault:
    """A change of one file: `becomes` takes the place of the bytes from `start` to `end`."""

    file: Path
    kind: str
    line: int
    start: int
    end: int
    becomes: str

    def apply(self, source: bytes) -> bytes:
        """Return the source with the fault in it."""
        return source[: self.start] + self.becomes.encode() + source[self.end :]

    def lines(self, source: bytes) -> tuple[str, str]:
        """Return the changed lines, before and after."""
        begin = source.rfind(b"\n", 0, self.start) + 1
        stop = source.find(b"\n", self.end)
        stop = len(source) if stop < 0 else stop
        after = source[begin : self.start] + self.becomes.encode() + source[self.end : stop]
        return source[begin:stop].decode().strip(), after.decode().strip()


def find_faults(file: Path) -> list[Fault]:
    """Return every fault that can be planted in a file."""
    source = file.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for kind, node, becomes in _walk(ast.parse(source)):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        found.append(Fault(file, kind, node.lineno, start, end, becomes))
    return [fault for fault in found if fault.becomes.encode() != source[fault.start : fault.end]]


def equivalents(file: Path) -> set[tuple[str, str, str]]:
    """Return the faults that change nothing, as file, line before and line after."""
    if not file.exists():
        return set()
    entries = tomllib.loads(file.read_text(encoding="utf-8")).get("fault", [])
    return {(each["file"], each["was"], each["becomes"]) for each in entries if each["reason"]}


def _walk(node: ast.AST) -> Iterator[tuple[str, ast.expr | ast.stmt, str]]:
    """Yield kind, what is replaced, and by what."""
    for child in _children(node):
        if _is_never_run(child):
            continue
        match child:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                yield from _negated(test)
            case ast.comprehension(ifs=tests):
                for test in tests:
                    yield from _negated(test)
        if isinstance(child, ast.stmt):
            yield from _in_statement(child)
        elif isinstance(child, ast.expr):
            yield from _in_expression(child)
        yield from _walk(child)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what runs in a node; annotations do not, and parts of f-strings have no true place."""
    match node:
        case ast.FunctionDef(args=args, body=body) | ast.AsyncFunctionDef(args=args, body=body):
            yield from (each for each in (*args.defaults, *args.kw_defaults) if each)
            yield from body
        case ast.AnnAssign(value=value):
            yield from [value] if value else []
        case ast.JoinedStr():
            pass
        case _:
            yield from ast.iter_child_nodes(node)


def _negated(test: ast.expr) -> Iterator[tuple[str, ast.expr | ast.stmt, str]]:
    if not isinstance(test, ast.Compare):  # that is flipped
        yield "condition", test, f"(not ({ast.unparse(test)}))"


def _is_never_run(node: ast.AST) -> bool:
    match node:
        case ast.FunctionDef(decorator_list=marks) | ast.AsyncFunctionDef(decorator_list=marks):
            return any(ast.unparse(mark).endswith(_UNTOUCHED) for mark in marks)
        case ast.ClassDef(bases=bases):
            return any(ast.unparse(base).startswith("Protocol") for base in bases)
        case (
            ast.If(test=ast.Name(id="TYPE_CHECKING"))
            | ast.Import()
            | ast.ImportFrom()
            | ast.Assign(targets=[ast.Name(id="__all__")])
            | ast.Expr(value=ast.Constant())
            | ast.Expr(value=ast.Call(func=ast.Name(id="assert_never")))
        ):
            return True
        case _:
            return False


def _in_statement(node: ast.stmt) -> Iterator[tuple[str, ast.expr | ast.stmt, str]]:
    match node:
        case ast.Expr(value=ast.Call() | ast.Await()):
            yield "call deleted", node, "pass"
        case ast.Raise():
            yield "raise swallowed", node, "pass"
        case ast.Break():
            yield "break deleted", node, "pass"
        case ast.Return(value=value) if value and not _is_constant(value, None):
            yield "return", node, "return None"
        case ast.With(items=items) | ast.AsyncWith(items=items):
            for item in items:
                if item.optional_vars is None:
                    plain = "__import__('contextlib').nullcontext()"
                    yield "with deleted", item.context_expr, plain


def _in_expression(node: ast.expr) -> Iterator[tuple[str, ast.expr | ast.stmt, str]]:
    match node:
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            flipped = ast.Compare(left, [_FLIPPED[type(operator)]()], [right])
            yield "compare", node, f"({ast.unparse(flipped)})"
        case ast.BoolOp(op=operator, values=values):
            other = ast.Or() if isinstance(operator, ast.And) else ast.And()
            yield "and/or", node, f"({ast.unparse(ast.BoolOp(other, values))})"
            for at in range(len(values)):
                rest = [*values[:at], *values[at + 1 :]]
                kept = ast.unparse(ast.BoolOp(operator, rest) if len(rest) > 1 else rest[0])
                yield "operand dropped", node, f"({kept})"
        case ast.Constant(value=bool(value)):
            yield "constant", node, str(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield "constant", node, f"{value + 1}"
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as operator, right=right):
            opposite = ast.Sub() if isinstance(operator, ast.Add) else ast.Add()
            yield "arithmetic", node, f"({ast.unparse(ast.BinOp(left, opposite, right))})"
        case ast.Call(func=func, args=args, keywords=keywords) if keywords:
            for at, keyword in enumerate(keywords):
                if keyword.arg:
                    rest_of = [*keywords[:at], *keywords[at + 1 :]]
                    yield "keyword dropped", node, ast.unparse(ast.Call(func, args, rest_of))


def _is_constant(node: ast.expr, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value
