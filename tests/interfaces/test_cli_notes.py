"""`note`: findings and errors, kept and shown."""

from pathlib import Path

import pytest

from outlast import create_plan, open_plan
from tests.interfaces.processes import data, outlast, said


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    create_plan(str(tmp_path), "Ship it", "ship").close()
    return tmp_path


def test_r4_09_what_was_learned_is_kept_and_shown(workspace: Path) -> None:
    assert said(workspace, "note", "the", "parser", "is", "slow") == (
        "Noted 1 [insight] the parser is slow\n"
    )
    said(
        *(workspace, "note", "It keeps\nevery line.", "--category", "code"),
        *("--title", "Parser", "--source", "src/parser.py"),
    )
    assert said(workspace, "notes") == (
        "Findings:\n"
        "  1 [insight] the parser is slow\n"
        "  2 [code] Parser\n"
        "      It keeps\n"
        "      every line.\n"
        "      from src/parser.py\n"
    )
    shown = data(workspace, "findings", "--category", "code")
    assert [one["id"] for one in shown["findings"]] == [2]
    with open_plan(str(workspace)) as plan:
        assert [one.source for one in plan.findings()] == ["", "src/parser.py"]
    assert (workspace / ".outlast/plans/ship/findings.md").read_text().count("Parser")


def test_r4_09_errors_are_counted(workspace: Path) -> None:
    said(workspace, "note", "--error", "bash", "exit code 1")
    assert said(workspace, "note", "--error", "bash", "exit code 2") == (
        "Noted an error of bash (seen so far: 2)\n"
    )
    assert said(workspace, "note", "--error", "bash") == (
        "Errors:\n  bash (2 times): exit code 2\n"
    )
    answer = data(workspace, "note")
    assert (answer["findings"], answer["errors"][0]["count"]) == ([], 2)
    assert data(workspace, "note", "--error", "other")["errors"] == []


def test_a5_secrets_are_not_kept(workspace: Path) -> None:
    said(workspace, "note", "the key is sk-ant-api03-" + "x1Y2" * 20)
    kept = (workspace / ".outlast/plans/ship/journal.jsonl").read_text()
    assert "x1Y2x1Y2" not in kept


def test_what_is_no_note_is_refused(workspace: Path) -> None:
    assert said(workspace, "note").startswith("Nothing has been noted yet")
    for arguments in (
        ["note", "--title", "x"],
        ["note", "x", "--category", "odd"],
        ["note", "x", "--error", "bash", "--category", "code"],
    ):
        done = outlast(workspace, *arguments)
        assert (done.returncode, done.stdout) == (2, ""), arguments
