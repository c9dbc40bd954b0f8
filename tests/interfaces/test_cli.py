"""What `outlast` says about itself: version, help, languages, what it does not understand."""

from importlib.metadata import version
from pathlib import Path

import pytest

from outlast.__main__ import main
from outlast.interfaces.cli.language import language
from outlast.interfaces.cli.parser.table import ALIASES, COMMANDS
from tests.interfaces.processes import consoles, data, outlast, play, said

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"
SHOWN = [command for command in COMMANDS.values() if not command.hidden]


def test_version(tmp_path: Path) -> None:
    assert said(tmp_path, "version") == said(tmp_path, "--version")
    assert said(tmp_path, "--version") == f"outlast {version('outlast')}\n"
    assert data(tmp_path, "--version") == {"ok": True, "version": version("outlast")}


@pytest.mark.slow
def test_the_page_of_the_command_line_shows_what_happens(tmp_path: Path) -> None:
    play(consoles(PAGE), tmp_path)


def test_the_page_describes_every_command_and_alias() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [command.name for command in SHOWN if f"`{command.name}" not in page] == []
    assert [alias for alias in ALIASES if f"`{alias}`" not in page] == []


def test_x8_help_names_every_command_in_both_languages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    english = said(tmp_path, "help", "--all")
    chinese = said(tmp_path, "--lang", "zh", "help", "--all")
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
    (done,) = data(tmp_path, "help", "finish")["commands"]
    assert done == {
        "name": "done",
        "usage": "outlast done [N] [-m TEXT]",
        "says": "finish a task, or the one you have in progress",
        "aliases": ["close", "complete", "finish"],
    }


def test_x8_language_order() -> None:
    assert language("zh", {"OUTLAST_LANG": "en"}) == "zh"
    assert language(None, {"OUTLAST_LANG": "en", "LANG": "zh_CN.UTF-8"}) == "en"
    assert language(None, {"LC_ALL": "", "LANG": "zh_TW.UTF-8"}) == "zh"
    assert language(None, {"LC_ALL": "C", "LANG": "zh_TW.UTF-8"}) == "en"
    assert language(None, {}) == "en"


WRONG = [
    (["nxt"], "unknown command nxt; did you mean: outlast next"),
    (["complet"], "unknown command complet; did you mean: outlast done"),
    (["help", "dne"], "unknown command dne; did you mean: outlast done"),
    (["qqqq"], "unknown command qqqq; outlast help lists all"),
    (["welcome"], "unknown command welcome"),
    (["\x1b[31mrm"], "unknown command \\x1b[31mrm; outlast help lists all"),
    (["--lang"], "--lang is given a value that it does not take, or lacks one"),
    (["--lang", "fr"], "--lang: expected en|zh"),
    (["log", "-n", "0"], "-n: expected 1, 2, 3 ..."),
    (["next", "--al"], "unknown option --al, did you mean --all?"),
    (["next", "--\x1b"], "unknown option --\\x1b; usage: outlast next [--all]"),
    (["next", "--all=1"], "--all is given a value that it does not take, or lacks one"),
    (["add"], "NAME is missing; usage: outlast add NAME... [...]\n"),
    (["done", "1", "2"], "too many words (put a text in quotes); usage: outlast done [N]"),
    (["fail"], "REASON is missing; usage: outlast fail [N] REASON..."),
]


@pytest.mark.parametrize(("arguments", "words"), WRONG)
def test_what_is_not_understood_exits_with_2_and_says_why(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"outlast: {words}")
    assert "\x1b" not in printed.err


def test_what_is_not_understood_is_said_in_the_form_that_was_asked_for(tmp_path: Path) -> None:
    assert outlast(tmp_path, "nxt", "--lang=zh").stderr.startswith("outlast: 未知命令 nxt")
    assert data(tmp_path, "nxt", "--lang", "zh", code=2)["error"] == {
        "code": "WRONG_USAGE",
        "message": "unknown command nxt; did you mean: outlast next",
        "details": {"command": "nxt", "nearest": "next"},
    }
