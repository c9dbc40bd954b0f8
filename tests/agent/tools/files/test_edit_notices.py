"""R4.02, R4.09, F7: what comes of an edit is told, kept in the log, and kept in the file."""

import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from outlast import Plan, create_plan, open_plan
from outlast.errors import InvalidDocument
from outlast.model.commands import NewTask
from outlast.model.model import Check
from outlast.store.port import Layout
from tests.agent.tools.files.edited_files import change
from tests.plan.places import wait_until

HERE = {"outlast": ".outlast/plans/x", "code-agent": ".code-agent/plans/x"}
COMMENT = "<!-- outlast: not applied: "
MARKED = "<<<<<<< HEAD\n- [ ] ○ {0}mine\n=======\n- [ ] ○ {0}theirs\n>>>>>>> other"
ERRORS = """# Error Log

> This file tracks errors to avoid repeating the same mistakes.

## bash - 2026-01-02T11:00:00.123Z

**Count:** 3 times

**Message:** command not found

---

## read_file - 2026-01-02T10:00:00.123Z

**Count:** 1 times

**Message:** no such file

---

"""


@pytest.fixture(autouse=True)
def state_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def begin(workspace: Path, *tasks: NewTask, layout: Layout = "outlast") -> Path:
    with create_plan(workspace, "Goal", "x", layout=layout, actor="human") as plan:
        plan.add_all(tasks)
    return workspace / HERE[layout] / "task_plan.md"


def told(workspace: Path, look: Callable[[Plan], object] = id) -> list[tuple[str, object]]:
    """Open the plan; return the keys of what it tells, with how much of it."""
    with open_plan(workspace, "x") as plan:
        look(plan)
        return [(key, _count(details)) for key, details in plan.notices]


def _count(details: dict[str, object]) -> object:
    changes = details.get("changes")
    return len(changes) if isinstance(changes, list) else details.get("count")


def renamed(task: int, name: str) -> tuple[str, dict[str, object]]:
    return "change_renamed", {"task": task, "name": name}


def test_r4_02_what_is_taken_in_is_told_once_and_is_no_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = begin(tmp_path, NewTask("one"), NewTask("two"))
    change(file, "one", "first")
    change(file, "- [ ] ○ two", "- [x] new\n- [ ] newer\n- [ ] ○ two")
    with caplog.at_level(logging.WARNING):
        assert told(tmp_path) == [("edit_applied", 4)]
    assert caplog.records == []
    assert told(tmp_path) == []


def test_r4_02_a_held_plan_tells_in_one_notice_what_it_has_taken_in(tmp_path: Path) -> None:
    file = begin(tmp_path, NewTask("one"), NewTask("two"))
    with open_plan(tmp_path, "x", actor="agent") as plan:
        change(file, "one", "first")
        applied: dict[str, object] = {"name": "task_plan.md", "changes": [renamed(1, "first")]}
        assert plan.files.sync() == [("edit_applied", applied)]
        change(file, "two", "second")
        applied["changes"] = [renamed(1, "first"), renamed(2, "second")]
        assert plan.files.sync() == [("edit_applied", applied)]
        assert len(plan.notices) == 1


def test_r4_02_a_tick_has_its_reason_in_the_log(tmp_path: Path) -> None:
    file = begin(tmp_path, NewTask("one"), NewTask("two", checks=(Check("file", "made"),)))
    (tmp_path / "made").touch()
    change(file, "- [ ] ○ one", "- [x] ○ one")
    change(file, "- [ ] ○ two", "- [x] ○ two")
    with open_plan(tmp_path, "x") as plan:
        assert [task.how for task in plan.tasks()] == ["reported", "proved"]
        assert [commit.reason for commit in plan.history.commits()][:1] == ["task_plan.md"]


@pytest.mark.parametrize("is_made", [True, False])
def test_x2_a_tick_that_takes_a_task_up_again_runs_its_checks(
    is_made: bool,  # noqa: FBT001 - a parameter of the test
    tmp_path: Path,
) -> None:
    file = begin(tmp_path, NewTask("one", checks=(Check("file", "made"),)), NewTask("two"))
    with open_plan(tmp_path, "x") as plan:
        plan.skip(1)
    if is_made:
        (tmp_path / "made").touch()
    change(file, "- [ ] ⊘ one", "- [x] ● one")
    with open_plan(tmp_path, "x") as plan:
        task = plan.task(1)
        assert (task.status, task.how) == (("completed", "proved") if is_made else ("skipped", ""))
        assert ("edit_refused" in dict(plan.notices)) is not is_made


def test_x2_a_task_that_is_begun_in_the_file_has_its_checks_looked_at(tmp_path: Path) -> None:
    file = begin(tmp_path, NewTask("one", checks=(Check("file", "made"),)))
    change(file, "- [ ] ○ one", "- [ ] ◐ one")
    told(tmp_path)
    (tmp_path / "made").touch()
    with open_plan(tmp_path, "x") as plan:
        plan.complete(1)
        assert plan.checks.proof(1).label == "proved"


def test_f7_a_refused_tick_is_forgotten_when_the_task_is_done(tmp_path: Path) -> None:
    file = begin(tmp_path, NewTask("one", checks=(Check("file", "made"),)), NewTask("two"))
    change(file, "- [ ] ○ one", "- [x] ○ one")
    assert told(tmp_path) == [("edit_refused", None)]
    assert f"{COMMENT}- [x] ○ one -->" in file.read_text("utf-8")
    (tmp_path / "made").touch()
    with open_plan(tmp_path, "x") as plan:
        plan.complete(1)
    assert COMMENT not in file.read_text("utf-8")
    change(file, "two", "second")
    told(tmp_path, lambda plan: plan.reopen(1))
    assert COMMENT not in file.read_text("utf-8"), "it does not come back"


def test_f7_a_comment_that_a_person_takes_out_is_gone(tmp_path: Path) -> None:
    file = begin(tmp_path, NewTask("one", checks=(Check("file", "made"),)), NewTask("two"))
    change(file, "- [ ] ○ one", "- [x] ○ one")
    told(tmp_path)
    change(file, f"{COMMENT}- [x] ○ one -->\n", "")
    assert told(tmp_path) == []
    assert COMMENT not in file.read_text("utf-8")


@pytest.mark.parametrize("layout", HERE)
def test_f7_a_merge_that_nobody_finished_is_not_taken_in(layout: Layout, tmp_path: Path) -> None:
    file = begin(tmp_path, NewTask("one"), NewTask("two"), layout=layout)
    mark = "**2** " if layout == "outlast" else ""
    change(file, f"- [ ] ○ {mark}two", MARKED.format(mark))
    content = file.read_text("utf-8")
    assert told(tmp_path, lambda plan: plan.complete(1)) == [("view_unmerged", None)]
    assert file.read_text("utf-8") == content
    change(file, MARKED.format(mark), f"- [ ] ○ {mark}theirs")
    with open_plan(tmp_path, "x") as plan:
        found = [(task.id, task.name, task.status) for task in plan.tasks()]
    assert found == [(1, "one", "completed"), (2, "theirs", "pending")]


def test_f7_what_looks_like_a_merge_is_not_confirmed_but_indented(tmp_path: Path) -> None:
    file = begin(tmp_path, NewTask("one"), NewTask("two"))
    meant = "<<<<<<< is what\n>>>>>>> git writes\n"
    change(file, "- [ ] ○ two", f"{meant}- [ ] ○ two")
    with open_plan(tmp_path, "x") as plan:
        assert plan.files.sync(confirmed=True) == []
        assert [key for key, _ in plan.notices] == ["view_unmerged"]
    change(file, meant, f" {meant.replace('>>', ' >>', 1)}")
    with open_plan(tmp_path, "x") as plan:
        assert [key for key, _ in plan.notices] == ["edit_applied"]


@pytest.mark.parametrize("layout", HERE)
def test_r4_02_an_unfinished_merge_becomes_no_plan(layout: Layout, tmp_path: Path) -> None:
    file = tmp_path / HERE[layout] / "task_plan.md"
    file.parent.mkdir(parents=True)
    file.write_text(f"# Plan\n\n{MARKED.format('')}\n", "utf-8")
    with pytest.raises(InvalidDocument, match="line 3"):
        open_plan(tmp_path, "x")


def test_f7_no_more_is_told_than_somebody_reads(tmp_path: Path) -> None:
    file = begin(tmp_path, NewTask("one"))
    change(file, "one\n", "one\n" + "- [\n<!--\n" * 3000)
    with open_plan(tmp_path, "x") as plan:
        assert len(plan.notices) < 30
        assert "edit_more" in dict(plan.notices)
    assert file.read_text("utf-8").count("<!--\n") == 3000


@pytest.mark.parametrize("hidden", ["```\n{}\n```", "<!--\n{}\n-->", "<!-- {} -->"])
def test_f7_a_task_that_is_only_put_into_a_comment_stays(hidden: str, tmp_path: Path) -> None:
    file = begin(tmp_path, NewTask("one"), NewTask("two"), layout="code-agent")
    change(file, "- [ ] ○ two", hidden.format("- [ ] ○ two"))
    with open_plan(tmp_path, "x") as plan:
        assert [task.name for task in plan.tasks()] == ["one", "two"]
        assert "task_plan_hidden" in dict(plan.notices)


@pytest.mark.parametrize("layout", HERE)
def test_r4_09_the_newest_entry_goes_only_if_the_file_showed_it(
    layout: Layout, tmp_path: Path
) -> None:
    findings = begin(tmp_path, NewTask("one"), layout=layout).with_name("findings.md")
    with open_plan(tmp_path, "x") as plan:
        plan.notes.add_finding("code", "First", "a")
        plan.notes.add_finding("code", "Second", "b")
    change(findings, "### Second\n\nb\n\n", "")
    told_of = {"name": "findings.md", "titles": ["Second"]}
    with open_plan(tmp_path, "x") as plan:
        if layout == "outlast":  # its last line tells that
            assert [key for key, _ in plan.notices] == ["edit_applied"]
        else:
            assert plan.notices == [("notes_newer", told_of)]
        left = [finding.title for finding in plan.notes.findings()]
    assert left == ["First", "Second"][: 1 + (layout != "outlast")]
    assert ("### Second" in findings.read_text("utf-8")) is (layout != "outlast")


def test_r4_09_errors_that_somebody_else_left_keep_their_times(tmp_path: Path) -> None:
    file = tmp_path / HERE["code-agent"] / "task_plan.md"
    file.parent.mkdir(parents=True)
    file.write_text("# Plan\n\n- [ ] one\n", "utf-8")
    errors = file.with_name("errors.md")
    errors.write_text(ERRORS, "utf-8")
    told(tmp_path)
    assert errors.read_text("utf-8") == ERRORS
    change(errors, "no such", "there is no such")
    told(tmp_path)
    assert errors.read_text("utf-8") == ERRORS.replace("no such", "there is no such")


def test_r4_02_a_plan_tells_where_its_files_are(tmp_path: Path) -> None:
    file = begin(tmp_path, NewTask("one"))
    with open_plan(tmp_path, "x") as plan:
        assert plan.files.paths() == (str(file),)
        plan.notes.add_finding("code", "First", "a")
        findings = str(file.with_name("findings.md"))
        wait_until(lambda: plan.files.paths() == (str(file), findings))
    with create_plan("memory:", "Goal") as plan:
        assert plan.files.paths() == ()


@pytest.mark.parametrize("kept", [1, 2, 3, 4])
def test_r4_09_an_emptied_file_takes_nothing_out(kept: int, tmp_path: Path) -> None:
    findings = begin(tmp_path, NewTask("one")).with_name("findings.md")
    with open_plan(tmp_path, "x") as plan:
        for number in range(kept):
            plan.notes.add_finding("code", f"Title {number}", "text")
        plan.notes.add_error("bash", "went wrong")
    before = findings.read_text("utf-8")
    findings.write_text("", "utf-8")
    findings.with_name("errors.md").write_text("\n", "utf-8")
    assert told(tmp_path) == [("notes_blank", kept), ("notes_blank", 1)]
    now = findings.read_text("utf-8")
    assert now.rpartition("<!--")[0] == before.rpartition("<!--")[0]
    assert sorted(path.name for path in findings.parent.iterdir() if ".md." in path.name) == []


@pytest.mark.parametrize(("count", "left"), [(1, 0), (2, 0), (3, 3)])
def test_r4_09_a_file_without_entries_takes_out_two_at_most(
    count: int, left: int, tmp_path: Path
) -> None:
    findings = begin(tmp_path, NewTask("one")).with_name("findings.md")
    with open_plan(tmp_path, "x") as plan:
        for number in range(count):
            plan.notes.add_finding("code", f"Title {number}", "text")
    findings.write_text("# Findings & Notes\n", "utf-8")
    with open_plan(tmp_path, "x") as plan:
        assert len(plan.notes.findings()) == count
        assert [key for key, _ in plan.notices] == ["notes_cut"]
        plan.files.sync(confirmed=True)
        assert len(plan.notes.findings()) == left
        assert ("notes_missing" in dict(plan.notices)) is (left > 0)
