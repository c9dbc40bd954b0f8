"""Pages that are made by scripts are what the scripts make now."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from outlast.console.command_index import ALIASES, COMMON, load_commands
from scripts import make_cli_page, make_promises

MADE: dict[Path, Callable[[], str]] = {
    make_cli_page.PAGE: make_cli_page.cli_page,
    make_promises.PAGE: make_promises.promises_page,
}


@pytest.mark.parametrize("page", MADE, ids=lambda page: page.name)
def test_a_made_page_is_the_one_that_its_script_makes(page: Path) -> None:
    assert page.read_text(encoding="utf-8") == MADE[page](), "run ./dev pages"


def test_the_page_of_the_command_line_has_every_option_of_every_command() -> None:
    page = make_cli_page.cli_page()
    options = {option for row in load_commands().values() for option in (*row.options, *COMMON)}
    flags = {flag for option in options for flag in option.flags}
    rows = "\n".join(line for line in page.splitlines() if line.startswith("|"))
    assert [flag for flag in flags if not re.search(rf"`(-\w, )?{flag}\b", rows)] == []
    assert [alias for alias in ALIASES if f"`{alias}`" not in page] == []


def test_a_promise_without_a_test_is_refused() -> None:
    with pytest.raises(SystemExit, match=r"there is no test of R9\.99"):
        list(
            make_promises.filled_lines("| id | promise | held by |\n| R9.99 | It flies. | |\n", {})
        )
    with pytest.raises(SystemExit, match=r"there is no test it_sinks of R9\.99"):
        list(
            make_promises.filled_lines(
                "| id | promise | held by |\n| R9.99 | It flies. | it_sinks |\n", {}
            )
        )
    tests = {"test_r9_99_it_flies": ["a.py::test_r9_99_it_flies"]}
    source = "| id | promise | held by |\n| R9.99 | It flies. | |\n\n| R9.99 | It flies. | |\n"
    filled = source.replace(" | |\n", " | `a.py::test_r9_99_it_flies` |\n", 1)
    assert "".join(make_promises.filled_lines(source, tests)) == filled
