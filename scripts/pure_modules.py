"""The pure modules, by the one list in pyproject.toml.

`scripts/pure_modules.py` prints their files, for ruff. With `--coverage` it prints the settings
under which their own tests are measured.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
_TESTS: Final = ROOT / "tests"


def read_names() -> tuple[str, ...]:
    """Return the names of pure modules and packages, below `outlast`."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (names,) = (each["source_modules"] for each in contracts if each["id"] == "pure")
    return tuple(name.removeprefix("outlast.") for name in names)


def find_files(names: tuple[str, ...]) -> list[Path]:
    """Return the files of pure modules; each name is a module or a package."""
    found = []
    for name in names:
        place = ROOT / "src/outlast" / name.replace(".", "/")
        found += sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
    return found


def module_name(file: Path) -> str:
    """Return the name by which a file of the package is imported."""
    parts = file.relative_to(ROOT / "src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_test_of_pure_module(test: Path, names: tuple[str, ...]) -> bool:
    """Return whether a test mirrors a pure module: `test_NAME.py`, `test_NAME_AND_MORE.py`."""
    if _TESTS not in test.parents:
        return False
    *packages, file = test.relative_to(_TESTS).with_suffix("").parts
    if any(".".join(packages[:depth]) in names for depth in range(1, len(packages) + 1)):
        return True
    words = file.removeprefix("test_").split("_")
    tails = ("_".join(words[:count]) for count in range(1, len(words) + 1))
    return any(".".join((*packages, tail)) in names for tail in tails)


def main() -> None:
    """Print the files, or the settings of coverage."""
    files = [file.relative_to(ROOT) for file in find_files(read_names())]
    if "--coverage" not in sys.argv:
        print(*files, sep="\n")
        return
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    report = settings["tool"]["coverage"]["report"]
    print("[run]\nbranch = true\ninclude =", *files, sep="\n  ")
    print("[report]\nexclude_also =", *report["exclude_also"], sep="\n  ")
    print("show_missing = true\nskip_covered = true\nskip_empty = true")


if __name__ == "__main__":
    main()
