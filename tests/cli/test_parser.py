"""Command lines, right and wrong."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from outlast import create_plan
from outlast.__main__ import main
from outlast.cli.parser import parse
from outlast.console.call import Call
from outlast.console.command_index import TABLES
from outlast.errors import WrongUsage
from tests.cli.processes import json_of, outlast

PARTS = [
    *("next", "done", "ready", "finish", "close", "show", "rm", "edit", "watch", "note"),
    *("add", "skip", "fail", "graph", "new", "log", "start", "pause", "import", "welcome"),
    *("--category", "code", "--format", "ascii", "--phase", "--key", "--title", "--check"),
    *("--force", "--token", "--token=3", "--reopen", "--for", "--once", "--error", "--needs"),
    *("--all", "-m", "--result", "-mx", "--result=x", "--plan", "--plan=x", "--as", "--as=x"),
    *("--lang", "--lang=zh", "--lang=fr", "zh", "--json", "--help", "-h", "--version", "--"),
    *("1", "#2", "step_3", "a b", "", "-", "-1", "--x", "-n", "中"),
]

RIGHT: list[tuple[list[str], str, dict[str, Any], dict[str, Any]]] = [
    ([], "welcome", {}, {}),
    (["--json", "--plan", "x"], "welcome", {}, {"json": True, "plan": "x"}),
    (["--version", "--lang=zh", "next"], "version", {}, {"lang": "zh"}),
    (["-h"], "help", {}, {}),
    (["--help", "next", "--lang", "zh"], "help", {}, {"lang": "zh"}),
    (
        ["--plan=x", "next", "-h", "--as", "ada"],
        "help",
        {"command": "next"},
        {"plan": "x", "actor": "ada"},
    ),
    (["log", "-hn", "0"], "help", {"command": "log"}, {}),
    (["next", "--all"], "next", {"every": True}, {}),
    (["ready", "--as", "ada"], "next", {"every": True}, {"actor": "ada"}),
    (["reopen", "3"], "edit", {"task": "3", "reopen": True}, {}),
    (["done", "1", "-m", "--json"], "done", {"task": "1", "result": "--json"}, {}),
    (["done", "-mit works"], "done", {"result": "it works"}, {}),
    (["done", "-m=x", "--token=3"], "done", {"result": "=x", "token": 3}, {}),
    (["done", "--result=a=b", "--", "-1"], "done", {"task": "-1", "result": "a=b"}, {}),
    (["done", "--result=", "#2"], "done", {"task": "#2", "result": ""}, {}),
    (["--plan", "a", "done", "--plan", "b"], "done", {}, {"plan": "b"}),
    (["log", "-n", "0", "-n5"], "log", {"limit": 5}, {}),
    (
        ["note", "-", "it", "--category=code"],
        "note",
        {"words": ("-", "it"), "category": "code"},
        {},
    ),
    (["add", "a", "--needs=1", "b"], "add", {"names": ("a", "b"), "needs": ("1",)}, {}),
    (
        ["add", "", "--needs=1", "--needs", "2,3"],
        "add",
        {"names": ("",), "needs": ("1", "2,3")},
        {},
    ),
    (["--", "skip", "3", "--", "--x", "--"], "skip", {"task": "3", "reason": ("--x", "--")}, {}),
]
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
    (["attach", "-x"], "unknown option -x; for a key that begins with -: outlast attach -- KEY"),
    (["log", "-nx", "--help=1"], "--help: a value is missing, or one was given"),
    (["log", "-n", "1.0"], "-n: expected 1, 2, 3 ..."),
    (["graph", "--format", "svg", "9"], "--format: expected ascii|mermaid|dot"),
    (["done", "-m"], "-m: a value is missing, or one was given that it does not take"),
    (["fail"], "REASON is missing; usage: outlast fail [N] REASON..."),
]


@pytest.mark.parametrize(("arguments", "command", "values", "common"), RIGHT)
def test_a_command_line_is_taken_apart(
    arguments: list[str], command: str, values: dict[str, Any], common: dict[str, Any]
) -> None:
    assert parse(arguments) == Call(command, values, common)


@given(st.lists(st.sampled_from(PARTS), max_size=6))
@example(["--needs"])
@example([f"-{'h' * 100_000}"])
def test_every_command_line_is_parsed_or_refused(arguments: list[str]) -> None:
    with suppress(WrongUsage):
        assert parse(arguments).command in TABLES


def test_both_spellings_of_a_value_give_the_same_answer(tmp_path: Path) -> None:
    answers: list[list[tuple[int, str, str]]] = []
    for spelling in (["--plan", "ship"], ["--plan=ship"]):
        workspace = tmp_path / str(len(answers))
        workspace.mkdir()
        with create_plan(str(workspace), "Ship it", "ship") as plan:
            plan.add("a")
            plan.add("b")
        lines = (["next"], ["next", "--all"], ["done", "1"], ["done"], ["done", "2"], ["next"])
        results = [outlast(workspace, *line, *spelling) for line in lines]
        answers.append([(done.returncode, done.stdout, done.stderr) for done in results])
    first, second = answers
    assert first == second
    assert [code for code, _, _ in first] == [0, 0, 0, 1, 0, 0]


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
