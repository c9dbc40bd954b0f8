"""The pages show what the code does: a snippet prints what stands below it, names exist."""

import ast
import contextlib
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from outlast import Plan
from outlast.errors import OutlastError
from outlast.plan.tools.manager_tools import TOOLS
from scripts.make_picture import ASSETS, PICTURES
from tests.gate.snippets import FENCE
from tests.making import make_plan

ROOT = Path(__file__).parents[2]
READMES = ("README.md", "README.zh-CN.md")
AT_THE_TOP = (*READMES, "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md")
PAGES = (*READMES, *(str(p.relative_to(ROOT)) for p in sorted(ROOT.glob("docs/**/*.md"))))
VERDICT = re.compile(r"\| (refused|labelled|拒绝|标为) ")
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
PATH = re.compile(r"`((?!\.)[\w*]+/[\w/*]*(?:\.py)?)`")
NUMBERS = re.compile(r"\| [^|-][^|]*\|[ \d.]+\|.*×")
MILLISECONDS = re.compile(r"\| \**[\d.]+ m?s\**( \||$)")
BENCHMARKS = "docs/reference/benchmarks.md"
MAPS = (
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "src/outlast/store/README.md",
    "src/outlast/agent/runtime/README.md",
)
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


class Example(NamedTuple):
    """A ```python block, and the ```text block right below it: what it prints."""

    source: str
    output: str | None


def examples(markdown: str) -> Iterator[Example]:
    fences = list(FENCE.finditer(markdown))
    for fence, below in zip(fences, [*fences[1:], None], strict=True):
        if fence["language"] == "python":
            shown = below and below["language"] == "text" and _touch(markdown, fence, below)
            yield Example(_body(fence), _body(below) if below and shown else None)


def _touch(markdown: str, above: re.Match[str], below: re.Match[str]) -> bool:
    return not markdown[above.end() : below.start()].strip()


def _body(fence: re.Match[str]) -> str:
    return re.sub(f"^{fence['indent']}", "", fence["body"], flags=re.MULTILINE)


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def printed_by(source: str, names: dict[str, object], page: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(source, page, "exec"), names)  # noqa: S102 - the pages are ours
    return out.getvalue()


def test_an_output_belongs_to_the_snippet_right_above_it() -> None:
    blocks = (
        "```python\n1\n```",
        "```text\none\n```",
        "```python\n2\n```",
        "words",
        "```text\n```",
    )
    assert list(examples("\n\n".join(blocks) + "\n")) == [
        Example("1\n", "one\n"),
        Example("2\n", None),
    ]


@pytest.mark.parametrize("page", [page for page in PAGES if "```python" in read(page)])
def test_every_snippet_prints_what_its_page_shows(page: str) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    for example in examples(read(page)):
        printed = printed_by(example.source, names, page)
        if example.output is not None:
            assert printed == example.output, example.source


@pytest.mark.parametrize("page", [p for p in PAGES if "how-to" in p or "tutorial" in p])
def test_a_page_that_teaches_has_snippets(page: str) -> None:
    assert list(examples(read(page))) or "```console" in read(page)  # test_tour.py types those


def test_the_readmes_show_the_same_in_both_languages() -> None:
    first, second = ([f["language"] for f in FENCE.finditer(read(page))] for page in READMES)
    assert first == second


def test_the_readmes_quote_the_measured_peers() -> None:
    measured = re.search(r"peers: begin -->(.*?)<!-- peers: end", read(BENCHMARKS), re.DOTALL)
    assert measured
    figures = [cells(line)[1:6:2] for line in measured[1].splitlines() if NUMBERS.match(line)]
    for page in READMES:
        quoted = [cells(line)[1:4] for line in read(page).splitlines() if MILLISECONDS.search(line)]
        assert [[quantity(figure) for figure in row] for row in figures] == quoted


def cells(row: str) -> list[str]:
    return [cell.strip(" *") for cell in row.strip().strip("|").split("|")]


def quantity(milliseconds: str) -> str:
    """Return a figure of the benchmarks as the READMEs write it: two digits, or seconds."""
    value = float(milliseconds.replace(" ", ""))
    if value >= 1_000:
        return f"{value / 1_000:.1f} s"
    return f"{value:.0f} ms" if value >= 10 else f"{value:.1f} ms"


def test_no_false_completion_of_the_bench_was_accepted() -> None:
    page = read(BENCHMARKS)
    assert len(VERDICT.findall(page)) == 20
    assert "20 of 20 refused or labelled, 0 silently accepted" in page


@pytest.mark.parametrize(("page", "most"), [("README.md", 1_200), ("ARCHITECTURE.md", 900)])
def test_the_first_pages_are_short(page: str, most: int) -> None:
    assert len(read(page).split()) <= most


@pytest.mark.slow
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_the_one_that_the_script_draws(name: str) -> None:
    drawn = PICTURES[name]()
    assert (ASSETS / name).read_text(encoding="utf-8") == drawn, "run scripts/make_picture.py"


@pytest.mark.parametrize("page", AT_THE_TOP)
def test_every_link_of_the_pages_at_the_top_leads_somewhere(page: str) -> None:
    assert [link for link in LINK.findall(read(page)) if not (ROOT / link).exists()] == []


@pytest.mark.parametrize("page", MAPS)
def test_every_path_that_a_map_of_the_source_names_exists(page: str) -> None:
    named = set(PATH.findall(read(page)))
    roots = (ROOT, ROOT / "src" / "outlast", (ROOT / page).parent)
    missing = [
        path
        for path in named
        if not any(next(root.glob(f"{path.rstrip('/')}*"), None) for root in roots)
    ]
    assert named
    assert missing == []


def test_every_test_that_holds_a_promise_exists() -> None:
    named = TEST.findall(read("docs/promises.md"))
    missing = [
        f"{file}::{name}"
        for file, name in named
        if not (ROOT / file).exists() or f"def {name}(" not in read(file)
    ]
    assert named
    assert missing == []


def test_the_reference_describes_all_of_plan() -> None:
    page = read("docs/reference/plan.md")
    plan = make_plan()
    groups = ("budget", "checks", "files", "history", "notes", "questions")
    public = [name for name in dir(Plan) if name != "core" and not name.startswith("_")]
    grouped = [
        f"{group}.{name}"
        for group in groups
        for name in dir(getattr(plan, group))
        if not name.startswith("_")
    ]
    missing = [name for name in public if not re.search(rf"`(plan\.)?{name}\b", page)]
    assert [*missing, *(name for name in grouped if f"`{name}(" not in page)] == []


def test_the_reference_describes_every_tool() -> None:
    page = read("docs/reference/plan-manager.md")
    assert [tool.name for tool in TOOLS if f"`{tool.name}{tool.signature()}`" not in page] == []


def test_the_reference_describes_every_error() -> None:
    page = read("docs/reference/errors.md")
    kinds = list(_below(OutlastError))
    assert [kind.code for kind in kinds if f"`{kind.code}`" not in page] == []
    assert sorted(text for text in _texts(kinds) if f"`{text}`" not in page) == []


def _below(kind: type[OutlastError]) -> Iterator[type[OutlastError]]:
    for child in kind.__subclasses__():
        if "code" in vars(child):
            yield child
        yield from _below(child)


def _texts(kinds: list[type[OutlastError]]) -> set[str]:
    """Return the keys of the texts with which errors are made anywhere in the source."""
    names = {kind.__name__ for kind in kinds}
    found = set()
    for file in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
                key = node.args[0]
                if node.func.id in names and isinstance(key, ast.Constant):
                    found.add(str(key.value))
    assert found
    return found
