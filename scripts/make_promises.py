"""Write the page of promises from `promises.md` beside this script, and the names of the tests.

In the last column of its tables the source names tests, without their files, and without `test_`
and the first id of the row. A cell without names stands for all tests that begin with that id. What
stands in backquotes, such as a whole file or one of two tests of the same name, is taken as it is.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).parent.parent
SOURCE: Final = ROOT / "scripts/promises.md"
PAGE: Final = ROOT / "docs/promises.md"
NOTE: Final = (
    "<!-- Made from scripts/promises.md and the tests by `./dev pages`; change those. -->\n\n"
)
ROW: Final = re.compile(r"^\| (?P<id>[^|]*)\| (?P<promise>.*) \| (?P<tests>[^|]*)\|$")
HEADER: Final = "held by "
TEST: Final = re.compile(r"^ *(?:async )?def (test_\w+)\(", re.MULTILINE)

Tests = dict[str, list[str]]


def promises_page() -> str:
    """Return the text of the page."""
    title, _, rest = SOURCE.read_text(encoding="utf-8").partition("\n\n")
    return f"{title}\n\n{NOTE}{''.join(filled_lines(rest, _find_tests()))}"


def _find_tests() -> Tests:
    """Return the places of all tests by their names."""
    found: Tests = defaultdict(list)
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        for name in TEST.findall(file.read_text(encoding="utf-8")):
            found[name].append(f"{file.relative_to(ROOT).as_posix()}::{name}")
    return found


def filled_lines(source: str, tests: Tests) -> Iterator[str]:
    """Yield the lines of the source, with the tests in its tables that end in `held by`."""
    is_of_promises = False
    for line in source.splitlines(keepends=True):
        row = ROW.match(line)
        if row is None:
            is_of_promises = is_of_promises and line.startswith("|")
            yield line
        elif row["tests"] == HEADER:
            is_of_promises = True
            yield line
        elif is_of_promises:
            holders = ", ".join(f"`{one}`" for one in _holders(row["id"], row["tests"], tests))
            yield f"| {row['id']}| {row['promise']} | {holders} |\n"
        else:
            yield line


def _holders(ids: str, names: str, tests: Tests) -> Iterator[str]:
    """Yield the tests that hold a promise."""
    prefix = "_".join(["test", *ids.strip().partition(",")[0].lower().split(".")]).rstrip("_")
    listed = [name.strip() for name in names.split(",") if name.strip()]
    if not listed:
        listed = [name for name in tests if name.startswith(f"{prefix}_")]
    if not listed:
        sys.exit(f"{SOURCE.name}: there is no test of {ids}")
    for name in listed:
        places = tests.get(f"{prefix}_{name}") or tests.get(f"test_{name}") or tests.get(name)
        is_exact = name.startswith("`./") or (ROOT / name.strip("`").partition("::")[0]).is_file()
        if not (is_exact or places):
            sys.exit(f"{SOURCE.name}: there is no test {name} of {ids}")
        yield from [name.strip("`")] if is_exact else places or []


if __name__ == "__main__":
    PAGE.write_text(promises_page(), encoding="utf-8")
