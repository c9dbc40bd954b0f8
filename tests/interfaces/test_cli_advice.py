"""X2: whoever is told that something does not hold is told what to do, through real processes."""

from pathlib import Path

import pytest

from outlast import create_plan
from outlast.interfaces.cli.call import Call
from outlast.interfaces.cli.render.advice import ADVICE, advice, advised
from tests.interfaces.processes import outlast, said

EN = Call("show", {}, {"lang": "en"})
ZH = Call("show", {}, {"lang": "zh"})


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    create_plan(str(tmp_path), "Ship it", "ship").close()
    said(tmp_path, "add", "Build", "--check", "file: out.txt", "--files", "out.txt")
    return tmp_path


def last_line(text: str) -> str:
    return text.splitlines()[-1]


def test_x2_one_line_for_all_tasks_with_the_same_trouble() -> None:
    assert list(advised(EN, {1: "stale", 2: "proved", 3: "fails now", 4: "stale"})) == [
        (
            "task 1, 4: stale: files have changed since it was seen to be done; "
            "look again: outlast check"
        ),
        (
            "task 3: done, but a check does not pass: put that right and look again: "
            "outlast check 3; or take it up again: outlast edit 3 --reopen"
        ),
    ]
    for label in ADVICE:
        assert "outlast check" in advice(EN, label, [1, 2])
        assert "outlast check" in advice(ZH, label, [1, 2])


def test_x2_show_tells_what_to_do_about_a_proof_that_no_longer_holds(workspace: Path) -> None:
    said(workspace, "start")
    (workspace / "out.txt").write_text("one")
    said(workspace, "done", "1")
    assert last_line(said(workspace, "show")) == "  ● 1 Build  ✔ proved"
    (workspace / "out.txt").write_text("two")
    assert last_line(said(workspace, "show")).endswith("look again: outlast check 1")
    assert last_line(said(workspace, "show", "--lang", "zh")).endswith("：outlast check 1")
    (workspace / "out.txt").unlink()
    red = outlast(workspace, "check", "1")
    assert last_line(red.stdout).endswith("or take it up again: outlast edit 1 --reopen")
    assert last_line(said(workspace, "show")).endswith("outlast edit 1 --reopen")


def test_a10_an_agent_learns_at_once_that_a_person_has_to_allow_its_commands(
    workspace: Path,
) -> None:
    told = "a person allows them with: outlast check {} --approve"
    added = said(workspace, "add", "Test", "--check", "true", "--as", "bot")
    assert added.splitlines()[1].endswith(told.format(2))
    assert last_line(said(workspace, "show")).endswith(told.format(2))
    assert "--approve" not in said(workspace, "add", "Free", "--as", "bot")
    edited = said(workspace, "edit", "3", "--check", "make", "--as", "bot")
    assert edited.splitlines()[1].endswith(told.format(3))
    both = last_line(said(workspace, "show"))
    assert both.startswith("task 2, 3: ")
    assert both.endswith("a person allows them with: outlast check --approve")
    outlast(workspace, "check", "--approve")
    assert "--approve" not in said(workspace, "show")
    assert "--approve" not in said(workspace, "add", "Mine", "--check", "true")


def test_x2_a_person_is_told_how_to_give_their_word(workspace: Path) -> None:
    said(workspace, "add", "Read", "--check", "person: it reads well")
    refused = outlast(workspace, "done", "2", "--as", "bot").stderr.splitlines()
    assert refused[1:] == [
        "A person gives their word with: outlast check 2 --confirm",
        "Put it right, then: outlast done 2; what else a person can do: outlast help done",
    ]
    assert "outlast check 2 --confirm\n" in outlast(workspace, "check", "2").stdout


def test_who_meets_a_claim_is_told_what_its_holder_adds(workspace: Path) -> None:
    said(workspace, "claim", "1")
    refused = outlast(workspace, "done", "1")
    assert last_line(refused.stderr) == "Whoever holds the claim adds its number: --token NUMBER"
    assert last_line(outlast(workspace, "done", "1", "--lang", "zh").stderr).endswith(
        "--token NUMBER"
    )


@pytest.mark.slow
def test_what_a_command_takes_is_one_short_line(workspace: Path) -> None:
    overview = said(workspace, "help", "--all")
    assert "  done [N] [-m TEXT] [...]  " in overview
    assert "  edit [N] [...]  " in overview
    for line in overview.splitlines():
        usage, _, says = line.strip().partition("  ")
        if says:
            head = said(workspace, "help", usage.split()[0]).splitlines()[0]
            assert head == f"Usage: outlast {usage}"
            assert len(head) < 80
        if line.startswith("  version"):
            break


def test_x7_undo_does_not_say_that_facts_were_taken_back(workspace: Path) -> None:
    (workspace / "out.txt").write_text("one")
    said(workspace, "done", "1")
    assert said(workspace, "undo").startswith(
        "Took back r3: work began; started 1 Build; completed 1 Build (proved)\n"
    )


def test_x7_log_names_a_task_that_was_taken_out_long_after_it_was_added(workspace: Path) -> None:
    said(workspace, "pause")
    said(workspace, "resume")
    said(workspace, "rm", "1")
    assert "took out 1 Build\n" in said(workspace, "log", "-n", "1")


def test_f7_each_thing_that_was_not_taken_in_has_a_line(workspace: Path) -> None:
    said(workspace, "add", "Free", "Other")
    file = workspace / ".outlast/plans/ship/task_plan.md"
    text = file.read_text().replace("- [ ] ○ Build", "- [x] ○ Build")
    file.write_text(text + "\n- [?] what\n")
    told = outlast(workspace, "next").stderr.splitlines()
    assert sum(line.startswith("outlast: task_plan.md, line ") for line in told) == 2
    assert all(line.startswith("outlast: ") for line in told)
    file.write_text("")
    held = outlast(workspace, "next").stderr
    assert "these would be open again: none; " in held
