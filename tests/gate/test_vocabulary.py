"""Names and words stay those of the glossary: what a reader looks for is found by its name."""

import re
from pathlib import Path

import pytest

from scripts.measure_source import measure

ROOT = Path(__file__).parents[2]
# A command named by a participle of the trade, a value that SPEC M3 defines, and three that are
# read with the noun of their group: `plan.budget.remaining()`.
PARTICIPLES = {
    "outlast.store.history:__reversed__",
    "outlast.plan.past_revision:__reversed__",
    "outlast.plan.budget:remaining",
    "outlast.plan.budget:reserved",
    "outlast.plan.checks:unapproved",
    "outlast.model.model:finished",
    "outlast.cli.commands.tasks.work:done",
}
LARGEST_FOLDER = 20
PRIVATE_WORDS = re.compile(
    r"\b(mend(s|ed|ing)?|anew|makeshift|whoever|whomever|took in|taken in|put aside)\b",
    re.IGNORECASE,
)
STORED = "outlast: not taken in: "  # read from plans of an older version
PAGES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")


@pytest.fixture(scope="module")
def figures() -> dict[str, object]:
    return measure(ROOT / "src")


def test_no_function_is_named_by_a_bare_participle(figures: dict[str, object]) -> None:
    assert set(figures["names"]["bare_participles"]) <= PARTICIPLES  # type: ignore[index]


def test_no_module_is_named_by_a_gerund(figures: dict[str, object]) -> None:
    assert not figures["names"]["modules_in_ing"]  # type: ignore[index]


def test_no_folder_is_a_drawer() -> None:
    folders = [path.parent for path in (ROOT / "src").rglob("*.py") if path.name != "__init__.py"]
    crowded = {str(folder) for folder in folders if folders.count(folder) > LARGEST_FOLDER}
    assert crowded == set()


def texts() -> list[Path]:
    pages = [*(ROOT / page for page in PAGES), *(ROOT / "docs").rglob("*.md")]
    return [*(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("*.md"), *pages]


def test_no_text_uses_a_private_word() -> None:
    found = {
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in texts()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if PRIVATE_WORDS.search(line.replace(STORED, ""))
    }
    assert found == set()


def test_the_glossary_is_one_page_of_words() -> None:
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    assert 40 <= len(re.findall(r"^\| \*\*", page, re.MULTILINE)) <= 50
