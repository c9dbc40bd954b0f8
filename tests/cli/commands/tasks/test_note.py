"""`note`: findings and errors, kept and shown."""

from pathlib import Path

import pytest

from outlast import create_plan, open_plan
from outlast.model.commands import Strike
from outlast.model.execute import return_commit
from tests.cli.processes import json_of, outlast, stdout_of


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    create_plan(str(tmp_path), "Ship it", "ship").close()
    return tmp_path


def test_r4_09_findings_are_kept_and_shown(workspace: Path) -> None:
    assert stdout_of(workspace, "note", "the", "parser", "is", "slow") == (
        "Noted 1 [insight] the parser is slow\n"
    )
    stdout_of(
        *(workspace, "note", "It keeps\nevery line.", "--category", "code"),
        *("--title", "Parser", "--source", "src/parser.py"),
    )
    assert stdout_of(workspace, "notes") == (
        "Findings:\n"
        "  1 [insight] the parser is slow\n"
        "  2 [code] Parser\n"
        "      It keeps\n"
        "      every line.\n"
        "      from src/parser.py\n"
    )
    shown = json_of(workspace, "findings", "--category", "code")
    assert [one["id"] for one in shown["findings"]] == [2]
    with open_plan(str(workspace)) as plan:
        assert [one.source for one in plan.notes.findings()] == ["", "src/parser.py"]
    assert (workspace / ".outlast/plans/ship/findings.md").read_text().count("Parser")


def test_r4_09_a_finding_that_is_noted_again_is_counted(workspace: Path) -> None:
    for _ in range(2):
        assert stdout_of(workspace, "note", "slow") == "Noted 1 [insight] slow\n"
    assert stdout_of(workspace, "note") == "Findings:\n  1 [insight] slow (2 times)\n"
    assert "  1 [insight] slow（2 次）\n" in stdout_of(workspace, "note", "--lang", "zh")
    assert json_of(workspace, "note")["findings"][0]["count"] == 2
    assert "*Count: 2 times*" in (workspace / ".outlast/plans/ship/findings.md").read_text()


def test_r4_09_errors_are_counted(workspace: Path) -> None:
    stdout_of(workspace, "note", "--error", "bash", "exit code 1")
    assert stdout_of(workspace, "note", "--error", "bash", "exit code 2") == (
        "Noted an error of bash (seen 2 times so far)\n"
    )
    assert stdout_of(workspace, "note", "--error", "bash") == (
        "Errors:\n  bash (2 times): exit code 2\n"
    )
    answer = json_of(workspace, "note")
    assert (answer["findings"], answer["errors"][0]["count"]) == ([], 2)
    assert json_of(workspace, "note", "--error", "other")["errors"] == []


def test_r4_07_a_person_at_a_terminal_allows_a_tool_again(workspace: Path) -> None:
    with open_plan(str(workspace)) as plan:
        plan.notes.add_error("bash", "exit 1")
        plan.notes.add_error("git", "exit 1")
        plan.core.commit((Strike("bash", "x"), Strike("git", "x")), return_commit)
    assert stdout_of(workspace, "note", "--error", "bash", "--allow") == (
        "bash is allowed again (1 error removed)\n"
    )
    with open_plan(str(workspace)) as plan:
        assert plan.core.read(lambda state: state.ledger.strikes) == {"git": ("x",)}
        assert [one.tool for one in plan.notes.errors()] == ["git"]
    assert json_of(workspace, "note", "--error", "none", "--allow")["errors"] == 0


def test_a5_secrets_are_not_kept(workspace: Path) -> None:
    stdout_of(workspace, "note", "the key is sk-ant-api03-" + "x1Y2" * 20)
    kept = (workspace / ".outlast/plans/ship/journal.jsonl").read_text()
    assert "x1Y2x1Y2" not in kept
    assert "the key is [redacted]" in kept


def test_a_wrong_note_is_refused(workspace: Path) -> None:
    assert stdout_of(workspace, "note").startswith("Nothing noted yet")
    for arguments in (
        ["note", "--title", "x"],
        ["note", "x", "--category", "odd"],
        ["note", "x", "--error", "bash", "--category", "code"],
        ["note", "--allow"],
        ["note", "x", "--error", "bash", "--allow"],
    ):
        done = outlast(workspace, *arguments)
        assert (done.returncode, done.stdout) == (2, ""), arguments
