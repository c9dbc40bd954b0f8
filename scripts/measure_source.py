"""Measure how a source tree is divided and named: `scripts/measure_source.py [PATH] [--list]`."""

from __future__ import annotations

import argparse
import ast
import io
import json
import math
import tokenize
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PARTICIPLES: Final = """
begun bent bound bought broken brought built caught chosen done drawn driven fallen felt forgotten
found frozen given gone grown had heard held hidden kept known laid led left lent lost made meant
met paid risen said seen sent shown spelt spent spoken stood stuck swept sworn taken taught thought
thrown told torn understood unread upheld won written
"""
"""Past participles without -ed that are not also the verb itself, as `set` and `read` are.

Each also counts after un-, re- or over-.
"""

TRADE_WORDS: Final = """
bring during embed everything exceed feed finding heading heed listing meaning missing need nothing
pending ping proceed ring seed setting something speed spring string succeed thing timing upcoming
"""
"""Verbs and nouns that only look like participles or gerunds, or are used as something else."""

BLANK: Final = frozenset(
    (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
)
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """One file, parsed."""

    name: str
    path: Path
    source: str
    tree: ast.Module

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"

    @property
    def functions(self) -> list[Function]:
        return [node for node in ast.walk(self.tree) if isinstance(node, Function)]


@dataclass(frozen=True)
class Lines:
    """Lines by kind; each line is of one kind, and import lines are code."""

    code: int = 0
    docstring: int = 0
    comment: int = 0
    blank: int = 0
    imports: int = 0

    @property
    def all(self) -> int:
        return self.code + self.docstring + self.comment + self.blank

    def __add__(self, other: Lines) -> Lines:
        return Lines(
            self.code + other.code,
            self.docstring + other.docstring,
            self.comment + other.comment,
            self.blank + other.blank,
            self.imports + other.imports,
        )


def read_tree(root: Path) -> list[Module]:
    return [_read_module(root, path) for path in sorted(root.rglob("*.py"))]


def _read_module(root: Path, path: Path) -> Module:
    source = path.read_text(encoding="utf-8")
    parts = path.relative_to(root).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return Module(name, path, source, ast.parse(source))


# --- lines ----------------------------------------------------------------------------------------


def count_lines(module: Module) -> Lines:
    docstrings = {line for node in _docstrings(module.tree) for line in _span(node)}
    imports = {line for node in _imports(module.tree) for line in _span(node)}
    code: set[int] = set()
    comments: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(module.source).readline):
        if token.type == tokenize.COMMENT:
            comments.add(token.start[0])
        elif token.type not in BLANK:
            code.update(range(token.start[0], token.end[0] + 1))
    code -= docstrings
    comments -= code | docstrings
    blank = len(module.source.splitlines()) - len(code | docstrings | comments)
    return Lines(len(code), len(docstrings), len(comments), blank, len(imports))


def _docstrings(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield every string that is a statement: docstrings, and what explains a constant."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                yield node


def _imports(tree: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))


def _span(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


# --- names ----------------------------------------------------------------------------------------


def is_bare_participle(name: str) -> bool:
    """Tell whether a name is one word, and that word a past participle or a gerund."""
    word = name.strip("_").lower()
    if "_" in word or word in TRADE_WORDS.split():
        return False
    if word.endswith(("ed", "ing")):
        return True
    stems = {word, *(word.removeprefix(prefix) for prefix in ("un", "re", "over"))}
    return not stems.isdisjoint(PARTICIPLES.split())


def repeated_names(modules: Sequence[Module]) -> dict[str, int]:
    """Return each file name that several modules have, with how many; packages are left out."""
    counts = Counter(module.path.stem for module in modules if not module.is_package)
    return {name: count for name, count in counts.most_common() if count > 1}


# --- folders and users ----------------------------------------------------------------------------


def largest_folder(modules: Sequence[Module], root: Path) -> tuple[str, int]:
    """Return the folder with the most modules in it, and their number."""
    counts = Counter(module.path.parent for module in modules)
    folder, count = counts.most_common(1)[0]
    return folder.relative_to(root).as_posix(), count


def single_users(modules: Sequence[Module]) -> dict[str, str]:
    """Return each module that exactly one other module imports, with that one.

    Imports for types only and late imports count; packages are left out.
    """
    known = {module.name for module in modules}
    users: dict[str, set[str]] = {name: set() for name in known}
    for module in modules:
        for node in _imports(module.tree):
            for target in _targets(module, node, known):
                users[target].add(module.name)
    return {
        name: next(iter(others))
        for name in sorted(module.name for module in modules if not module.is_package)
        if len(others := users[name] - {name}) == 1
    }


def _targets(module: Module, node: ast.Import | ast.ImportFrom, known: set[str]) -> Iterator[str]:
    """Yield the modules of the tree that a statement imports; `from` may name one or its parts."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    else:
        home = _home(module, node)
        names = [f"{home}.{alias.name}" for alias in node.names]
        names = [name if name in known else home for name in names]
    return (name for name in names if name in known)


def _home(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    parts = parts[: len(parts) - node.level + module.is_package]
    return ".".join((*parts, *filter(None, [node.module])))


# --- the table ------------------------------------------------------------------------------------


def measure(root: Path) -> dict[str, Any]:
    """Return all figures, and the names behind some of them."""
    modules = read_tree(root)
    lines = sum(map(count_lines, modules), Lines())
    functions = [(module, node) for module in modules for node in module.functions]
    lengths = sorted(len(_span(node)) for _, node in functions)
    bare = [
        f"{module.name}:{node.name}" for module, node in functions if is_bare_participle(node.name)
    ]
    folder, in_folder = largest_folder(modules, root)
    repeated = repeated_names(modules)
    users = single_users(modules)
    gerunds = [
        module.name for module in modules if module.name.endswith("ing") and not module.is_package
    ]
    return {
        "modules": len(modules),
        "folders": sum(path.is_dir() and path.name != "__pycache__" for path in root.rglob("*")),
        "largest_folder": {"name": folder, "modules": in_folder},
        "lines": {
            "all": lines.all,
            "code": lines.code,
            "docstring": lines.docstring,
            "comment": lines.comment,
            "blank": lines.blank,
        },
        "import_lines": lines.imports,
        "import_percent": _percent(lines.imports, lines.code),
        "functions": len(functions),
        "function_lines": {
            "median": median(lengths),
            "p90": lengths[math.ceil(len(lengths) * 0.9) - 1],
            "max": lengths[-1],
        },
        "bare_participles": len(bare),
        "bare_participle_percent": _percent(len(bare), len(functions)),
        "modules_in_ing": len(gerunds),
        "repeated_module_names": len(repeated),
        "files_with_repeated_name": sum(repeated.values()),
        "files_without_init": sum(not module.is_package for module in modules),
        "modules_with_one_user": len(users),
        "names": {
            "bare_participles": bare,
            "modules_in_ing": gerunds,
            "repeated_module_names": repeated,
            "modules_with_one_user": users,
        },
    }


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 0.0


def rows(figures: dict[str, Any]) -> list[tuple[str, str]]:
    folder, lines, length = (figures[key] for key in ("largest_folder", "lines", "function_lines"))
    return [
        ("modules", f"{figures['modules']} ({figures['files_without_init']} without `__init__`)"),
        ("folders", f"{figures['folders']}"),
        ("largest flat folder", f"{folder['modules']} modules in {folder['name']}"),
        ("lines", f"{lines['all']:,}"),
        *((f"  {kind}", f"{lines[kind]:,}") for kind in lines if kind != "all"),
        (
            "import lines, share of code",
            f"{figures['import_lines']:,} ({figures['import_percent']} %)",
        ),
        ("functions", f"{figures['functions']:,}"),
        (
            "  lines: median / p90 / max",
            f"{length['median']:g} / {length['p90']} / {length['max']}",
        ),
        (
            "  named by a bare participle or gerund",
            f"{figures['bare_participles']} ({figures['bare_participle_percent']} %)",
        ),
        ("modules whose name ends in -ing", f"{figures['modules_in_ing']}"),
        (
            "module names that occur more than once",
            f"{figures['repeated_module_names']}, in {figures['files_with_repeated_name']} files",
        ),
        ("modules with exactly one user", f"{figures['modules_with_one_user']}"),
    ]


def listing(names: dict[str, Any]) -> Iterator[str]:
    for title, entries in names.items():
        yield f"\n{title.replace('_', ' ')}"
        for name in entries:
            more = f"  {entries[name]}" if isinstance(entries, dict) else ""
            yield f"  {name}{more}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", nargs="?", default="src", type=Path, help="the tree (src)")
    parser.add_argument("--list", action="store_true", help="print the names behind the figures")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    chosen = parser.parse_args()
    figures = measure(chosen.path)
    if chosen.json:
        print(json.dumps(figures, indent=2))
        return
    table = rows(figures)
    width = max(len(label) for label, _ in table)
    for label, value in table:
        print(f"{label:{width}}  {value}")
    if chosen.list:
        print(*listing(figures["names"]), sep="\n")


if __name__ == "__main__":
    main()
