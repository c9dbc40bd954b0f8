"""Command lines that are wrong."""

from pathlib import Path

import pytest

from outlast.__main__ import main
from tests.cli.processes import json_of, outlast

WRONG = [
    (["nxt"], "unknown command nxt; did you mean: outlast next"),
    (["complet"], "unknown command complet; did you mean: outlast done"),
    (["help", "dne"], "unknown command dne; did you mean: outlast help done\n"),
    (["ad"], "unknown command ad; did you mean: outlast help add\n"),
    (["ad", "a b"], "unknown command ad; did you mean: outlast add 'a b'\n"),
    (["--lang", "en", "nxt", "--all"], "unknown command nxt; did you mean: outlast --lang en next"),
    (["board"], "unknown command board; for a list of all commands: outlast help --all\n"),
    (["qqqq"], "unknown command qqqq; for a list of all commands: outlast help --all\n"),
    (["welcome"], "unknown command welcome"),
    (["\x1b[31mrm"], "unknown command \\x1b[31mrm; for a list of all commands: outlast help"),
    (["--lang"], "--lang: a value is missing, or one was given that it does not take"),
    (["--lang", "fr"], "--lang: expected en|zh"),
    (["log", "-n", "0"], "-n: expected 1, 2, 3 ..."),
    (["next", "--al"], "unknown option --al, did you mean --all?"),
    (["next", "--\x1b"], "unknown option --\\x1b; usage: outlast next [--all]"),
    (["next", "--all=1"], "--all: a value is missing, or one was given that it does not take"),
    (["add"], "NAME is missing; usage: outlast add NAME... [...]\n"),
    (
        ["start", "1", "2"],
        "unexpected argument 2 (quote text that contains spaces); usage: outlast start [N]",
    ),
    (
        ["done", "1", "it works", "--plan", "a"],
        "unexpected argument it works; did you mean: outlast done 1 -m 'it works' --plan a\n",
    ),
    (["done", "all", "done"], "unexpected argument done; did you mean: outlast done -m 'all done'"),
    (["edit", "2", "New"], "unexpected argument New; did you mean: outlast edit 2 --name New\n"),
    (["fail"], "REASON is missing; usage: outlast fail [N] REASON..."),
]


@pytest.mark.parametrize(("arguments", "words"), WRONG)
def test_wrong_usage_exits_with_2_and_says_why(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"outlast: {words}")
    assert "\x1b" not in printed.err


def test_wrong_usage_is_reported_as_text_or_json(tmp_path: Path) -> None:
    assert outlast(tmp_path, "nxt", "--lang=zh").stderr.startswith("outlast: 未知命令 nxt")
    assert json_of(tmp_path, "nxt", "--lang", "zh", code=2)["error"] == {
        "code": "WRONG_USAGE",
        "message": "unknown command nxt; did you mean: outlast next --lang zh --json",
        "details": {"command": "nxt", "nearest": "next", "words": "next --lang zh --json"},
    }
