"""The two ways to read a command line agree, and the frequent commands load little."""

import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from subprocess import CompletedProcess
from typing import get_args

from hypothesis import example, given
from hypothesis import strategies as st

from outlast import create_plan
from outlast.domain.changes import Change
from outlast.errors import WrongUsage
from outlast.interfaces.cli.parser import click_parser, fast_path
from outlast.interfaces.cli.parser.table import ALIASES, COMMANDS
from outlast.interfaces.cli.render.narration import WORDS
from tests.interfaces.processes import environment, outlast

PARTS = [
    *("next", "done", "ready", "finish", "close", "show", "rm", "edit", "watch", "note"),
    *("--force", "--token", "--token=3", "--reopen", "--for", "--once", "--error", "--needs"),
    *("--all", "-m", "--result", "-mx", "--result=x", "--plan", "--plan=x", "--as", "--as=x"),
    *("--lang", "--lang=zh", "--lang=fr", "zh", "--json", "--help", "-h", "--version", "--"),
    *("1", "#2", "step_3", "a b", "", "-", "-1", "--x", "-n", "中"),
]


@given(st.lists(st.sampled_from(PARTS), max_size=6))
@example(["done", "1", "-m", "--json"])
@example(["--plan", "a", "done", "--plan", "b", "--lang", "zh", "2", "--result", "x", "--json"])
@example(["ready", "--as", "ada"])
def test_what_is_read_without_the_parser_is_what_the_parser_reads(arguments: list[str]) -> None:
    call = fast_path.read(arguments)
    if call is not None:
        assert call == click_parser.read(arguments)


@given(st.lists(st.sampled_from(PARTS), max_size=6))
def test_every_command_line_is_understood_or_refused(arguments: list[str]) -> None:
    with suppress(WrongUsage):
        assert click_parser.read(arguments).command in COMMANDS


def test_frequent_commands_are_read_without_the_parser() -> None:
    for arguments in (
        ["next"],
        ["next", "--all", "--json"],
        ["ready"],
        ["--plan", "x", "next", "--as", "ada"],
        ["done"],
        ["finish", "#3", "-m", "ok", "--lang", "zh"],
        ["--json", "done", "3", "--result", "ok"],
    ):
        assert fast_path.read(arguments), arguments


def test_both_ways_give_the_same_answer(tmp_path: Path) -> None:
    answers: list[list[CompletedProcess[str]]] = []
    for spelling in (["--plan", "ship"], ["--plan=ship"]):
        workspace = tmp_path / str(len(answers))
        workspace.mkdir()
        with create_plan(str(workspace), "Ship it", "ship") as plan:
            plan.add("a")
            plan.add("b")
        assert bool(fast_path.read(["next", *spelling])) is (len(spelling) > 1)
        lines = (["next"], ["next", "--all"], ["done", "1"], ["done"], ["done", "2"], ["next"])
        answers.append([outlast(workspace, *line, *spelling) for line in lines])
    first, second = ([(a.returncode, a.stdout, a.stderr) for a in part] for part in answers)
    assert first == second
    assert [code for code, _, _ in first] == [0, 0, 0, 1, 0, 0]


def test_frequent_commands_load_no_module_that_they_do_not_need(tmp_path: Path) -> None:
    create_plan(str(tmp_path), "Ship it", "ship").add("a")
    for command in ("next", "done"):
        code = (
            "import sys; from outlast.__main__ import main; "
            f"main(['{command}', '1', '--json'][::{1 if command == 'done' else 2}]); "
            "print(*sys.modules)"
        )
        done = subprocess.run(  # noqa: S603 - our own interpreter
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            cwd=tmp_path,
            encoding="utf-8",
            env=environment(),
        )
        answer, loaded = done.stdout.splitlines()
        assert answer.startswith('{"ok":true,')
        unwanted = {"argparse", "asyncio", "click", "json", "logging", "rich", "subprocess"}
        assert unwanted & set(loaded.split()) == set()


def test_an_alias_stands_for_a_command_and_hides_none() -> None:
    assert {stands[0] for stands in ALIASES.values()} <= COMMANDS.keys()
    assert ALIASES.keys().isdisjoint(COMMANDS)


def test_x7_every_change_has_words() -> None:
    assert set(get_args(Change)) == WORDS.keys()
