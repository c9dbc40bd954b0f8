"""Command lines that are wrong."""

from pathlib import Path

import pytest

from outlast.__main__ import main
from tests.interfaces.cli.processes import json_of, outlast

WRONG = [
    (["nxt"], "unknown command nxt; did you mean: outlast next"),
    (["complet"], "unknown command complet; did you mean: outlast done"),
    (["help", "dne"], "unknown command dne; did you mean: outlast done"),
    (["qqqq"], "unknown command qqqq; outlast help lists all commands"),
    (["welcome"], "unknown command welcome"),
    (["\x1b[31mrm"], "unknown command \\x1b[31mrm; outlast help lists all commands"),
    (["--lang"], "--lang: a value is missing, or one was given that it does not take"),
    (["--lang", "fr"], "--lang: expected en|zh"),
    (["log", "-n", "0"], "-n: expected 1, 2, 3 ..."),
    (["next", "--al"], "unknown option --al, did you mean --all?"),
    (["next", "--\x1b"], "unknown option --\\x1b; usage: outlast next [--all]"),
    (["next", "--all=1"], "--all: a value is missing, or one was given that it does not take"),
    (["add"], "NAME is missing; usage: outlast add NAME... [...]\n"),
    (
        ["done", "1", "2"],
        "too many arguments (quote text that contains spaces); usage: outlast done [N]",
    ),
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
        "message": "unknown command nxt; did you mean: outlast next",
        "details": {"command": "nxt", "nearest": "next"},
    }
