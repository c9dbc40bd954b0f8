"""`help`, `--version`, and the page on the command line."""

from importlib.metadata import version
from pathlib import Path

import pytest

from outlast.__main__ import main
from outlast.console.command_index import ALIASES, load_commands
from tests.cli.processes import consoles, json_of, replay, stdout_of

PAGE = Path(__file__).parents[4] / "docs" / "reference" / "cli.md"
SHOWN = load_commands().values()


def test_version(tmp_path: Path) -> None:
    assert stdout_of(tmp_path, "version") == stdout_of(tmp_path, "--version")
    assert stdout_of(tmp_path, "--version") == f"outlast {version('outlast')}\n"
    assert json_of(tmp_path, "--version") == {"ok": True, "version": version("outlast")}


@pytest.mark.slow
def test_the_page_of_the_command_line_shows_what_happens(tmp_path: Path) -> None:
    replay(consoles(PAGE), tmp_path)


def test_the_page_describes_every_command_and_alias() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [command.name for command in SHOWN if f"`{command.name}" not in page] == []
    assert [alias for alias in ALIASES if f"`{alias}`" not in page] == []


def test_x8_help_names_every_command_in_both_languages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    english = stdout_of(tmp_path, "help", "--all")
    chinese = stdout_of(tmp_path, "--lang", "zh", "help", "--all")
    for command in SHOWN:
        assert f"  {command.name} " in english
        assert f"  {command.name} " in chinese
        assert main(["help", command.name]) == 0
        assert main([command.name, "--help", "--lang=zh"]) == 0
        printed = capsys.readouterr().out
        assert f"Usage: outlast {command.name}" in printed
        assert f"用法：outlast {command.name}" in printed
    assert "Commands" in english
    assert "命令" in chinese


def test_help_for_programs(tmp_path: Path) -> None:
    (done,) = json_of(tmp_path, "help", "finish")["commands"]
    assert done == {
        "name": "done",
        "usage": "outlast done [N] [-m TEXT]",
        "says": "complete a task, or the one you have in progress",
        "aliases": ["close", "complete", "finish"],
    }


def test_help_shows_rare_commands_only_with_all(tmp_path: Path) -> None:
    usual, every = stdout_of(tmp_path, "help"), stdout_of(tmp_path, "help", "--all")
    rare = ("claim", "release", "reset", "archive")
    assert [name for name in rare if f"\n  {name}" in usual] == []
    assert [name for name in rare if f"\n  {name}" not in every] == []
    names = [one["name"] for one in json_of(tmp_path, "help", "--all")["commands"]]
    assert set(rare) < set(names)
    assert "Usage: outlast claim [N]" in stdout_of(tmp_path, "help", "claim")
