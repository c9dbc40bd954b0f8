"""X2: advice on doubtful proofs and unapproved checks, through real processes."""

from pathlib import Path

import pytest

from outlast import create_plan
from outlast.console.call import Call
from outlast.console.render.overview import ADVICE_KEYS, advice_line, advice_lines
from tests.cli.processes import outlast, stdout_of

EN = Call("show", {}, {"lang": "en"})
ZH = Call("show", {}, {"lang": "zh"})


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    create_plan(str(tmp_path), "Ship it", "ship").close()
    stdout_of(tmp_path, "add", "Build", "--check", "file: out.txt", "--files", "out.txt")
    return tmp_path


def last_line(text: str) -> str:
    return text.splitlines()[-1]


def test_x2_one_line_for_all_tasks_with_the_same_problem() -> None:
    assert list(advice_lines(EN, {1: "stale", 2: "proved", 3: "fails now", 4: "stale"})) == [
        (
            "task 1, 4: stale: files have changed since it was proved; "
            "check again: outlast check --lang en"
        ),
        (
            "task 3: done, but a check fails: fix it and check again: "
            "outlast check 3 --lang en; or reopen it: outlast edit 3 --reopen --lang en"
        ),
    ]
    for label in ADVICE_KEYS:
        assert "outlast check" in advice_line(EN, label, [1, 2])
        assert "outlast check" in advice_line(ZH, label, [1, 2])


def test_x2_show_gives_advice_on_doubtful_proofs(workspace: Path) -> None:
    stdout_of(workspace, "start")
    (workspace / "out.txt").write_text("one")
    stdout_of(workspace, "done", "1")
    assert last_line(stdout_of(workspace, "show")) == "  ● 1 Build  ✔ proved"
    (workspace / "out.txt").write_text("two")
    assert last_line(stdout_of(workspace, "show")).endswith("check again: outlast check 1")
    assert last_line(stdout_of(workspace, "show", "--lang", "zh")).endswith(
        "：outlast check 1 --lang zh"
    )
    (workspace / "out.txt").unlink()
    red = outlast(workspace, "check", "1")
    assert last_line(red.stdout).endswith("or reopen it: outlast edit 1 --reopen")
    assert last_line(stdout_of(workspace, "show")).endswith("outlast edit 1 --reopen")


def test_a10_an_agent_learns_at_once_that_a_person_must_approve_its_commands(
    workspace: Path,
) -> None:
    advice = "a person approves them with: outlast check {} --approve"
    added = stdout_of(workspace, "add", "Test", "--check", "true", "--as", "bot")
    assert added.splitlines()[1].endswith(advice.format(2))
    assert last_line(stdout_of(workspace, "show")).endswith(advice.format(2))
    assert "--approve" not in stdout_of(workspace, "add", "Free", "--as", "bot")
    edited = stdout_of(workspace, "edit", "3", "--check", "make", "--as", "bot")
    assert edited.splitlines()[1].endswith(advice.format(3))
    both = last_line(stdout_of(workspace, "show"))
    assert both.startswith("task 2, 3: ")
    assert both.endswith("a person approves them with: outlast check --approve")
    outlast(workspace, "check", "--approve")
    assert "--approve" not in stdout_of(workspace, "show")
    assert "--approve" not in stdout_of(workspace, "add", "Mine", "--check", "true")


def test_x2_a_person_learns_how_to_confirm(workspace: Path) -> None:
    stdout_of(workspace, "add", "Read", "--check", "person: it reads well")
    refused = outlast(workspace, "done", "2", "--as", "bot").stderr.splitlines()
    assert refused[1:] == [
        "A person confirms it with: outlast check 2 --confirm",
        "Fix it, then: outlast done 2 --as bot (to override: outlast help done)",
    ]
    assert "outlast check 2 --confirm\n" in outlast(workspace, "check", "2").stdout
