"""The fast parser agrees with the full one."""

from contextlib import suppress
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from outlast import create_plan
from outlast.cli.parser import click_parser, fast_path
from outlast.console.table import COMMANDS
from outlast.errors import WrongUsage
from tests.cli.processes import outlast

PARTS = [
    *("next", "done", "ready", "finish", "close", "show", "rm", "edit", "watch", "note"),
    *("add", "skip", "fail", "graph", "new", "log", "start", "pause", "import", "welcome"),
    *("--category", "code", "--format", "ascii", "--phase", "--key", "--title", "--check"),
    *("--force", "--token", "--token=3", "--reopen", "--for", "--once", "--error", "--needs"),
    *("--all", "-m", "--result", "-mx", "--result=x", "--plan", "--plan=x", "--as", "--as=x"),
    *("--lang", "--lang=zh", "--lang=fr", "zh", "--json", "--help", "-h", "--version", "--"),
    *("1", "#2", "step_3", "a b", "", "-", "-1", "--x", "-n", "中"),
]


@given(st.lists(st.sampled_from(PARTS), max_size=6))
@example(["done", "1", "-m", "--json"])
@example(["--plan", "a", "done", "--plan", "b", "--lang", "zh", "2", "--result", "x", "--json"])
@example(["ready", "--as", "ada"])
@example(["add", "a", "b", "--needs", "1", "--needs", "2,3", "--phase", "main", "--json"])
@example(["skip", "3", "not", "needed"])
@example(["note", "--category", "code", "--title", "x", "it", "is"])
def test_the_fast_parser_reads_what_click_reads(arguments: list[str]) -> None:
    call = fast_path.parse(arguments)
    if call is not None:
        assert call == click_parser.parse(arguments)


@given(st.lists(st.sampled_from(PARTS), max_size=6))
@example(["--needs"])
def test_every_command_line_is_parsed_or_refused(arguments: list[str]) -> None:
    with suppress(WrongUsage):
        assert click_parser.parse(arguments).command in COMMANDS


def test_simply_spelled_commands_are_parsed_without_click() -> None:
    for arguments in (
        ["add", "one", "two", "--needs", "1", "--phase", "main"],
        ["show", "--cost"],
        ["start"],
        ["skip", "2", "not", "needed"],
        ["graph", "--format", "dot"],
        ["next"],
        ["next", "--all", "--json"],
        ["ready"],
        ["--plan", "x", "next", "--as", "ada"],
        ["done"],
        ["finish", "#3", "-m", "ok", "--lang", "zh"],
        ["--json", "done", "3", "--result", "ok"],
    ):
        assert fast_path.parse(arguments), arguments


def test_both_ways_give_the_same_answer(tmp_path: Path) -> None:
    answers: list[list[tuple[int, str, str]]] = []
    for spelling in (["--plan", "ship"], ["--plan=ship"]):
        workspace = tmp_path / str(len(answers))
        workspace.mkdir()
        with create_plan(str(workspace), "Ship it", "ship") as plan:
            plan.add("a")
            plan.add("b")
        assert bool(fast_path.parse(["next", *spelling])) is (len(spelling) > 1)
        lines = (["next"], ["next", "--all"], ["done", "1"], ["done"], ["done", "2"], ["next"])
        results = [outlast(workspace, *line, *spelling) for line in lines]
        answers.append([(done.returncode, done.stdout, done.stderr) for done in results])
    first, second = answers
    assert first == second
    assert [code for code, _, _ in first] == [0, 0, 0, 1, 0, 0]
