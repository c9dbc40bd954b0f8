"""R4.02, R4.09, X1: the files that people edit follow the plan, and the plan follows them."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from outlast import Plan, create_plan, open_plan
from outlast.language import text
from outlast.model.commands import NewTask
from outlast.model.model import Check
from outlast.plan.plan_list import list_plans
from outlast.store.port import Layout, Notice
from outlast.system.clock import now
from tests.agent.tools.files.edited_files import change, read_lines
from tests.making import count_iteration
from tests.plan.places import names, wait_until

LAYOUTS = {"outlast": ".outlast/plans/x", "code-agent": ".code-agent/plans/x"}
ODD = ("link", "fifo", "directory", "huge")


def begin(workspace: Path, *names: str, layout: Layout = "outlast") -> Path:
    """Make a plan with tasks of these names; return its `task_plan.md`."""
    with create_plan(workspace, "Goal", "x", layout=layout, actor="human") as plan:
        plan.add_all([NewTask(name) for name in names])
    return workspace / LAYOUTS[layout] / "task_plan.md"


def shape(plan: Plan) -> list[tuple[str, str]]:
    """Return names and states of all tasks."""
    return [(task.name, task.status) for task in plan.tasks()]


def troubles(plan: Plan) -> list[Notice]:
    """Return what a plan has to tell, but for what it has taken in."""
    return [notice for notice in plan.notices if notice[0] != "edit_applied"]


def said(plan: Plan) -> list[str]:
    """Return the keys of all that a plan has to tell."""
    return [key for key, _ in plan.notices]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_r4_02_an_edit_is_taken_in_when_the_plan_is_opened(layout: Layout, tmp_path: Path) -> None:
    file = begin(tmp_path, "one", "two", "three", layout=layout)
    change(file, "- [ ] ○ one", "- [x] ○ one")
    change(file, "two", "second")
    change(file, "- [ ] ○ three", "Mind the gap.\n- [ ] more\n- [ ] ○ three")
    with open_plan(tmp_path, "x", actor="agent") as plan:
        assert shape(plan) == [
            ("one", "completed"),
            ("second", "pending"),
            ("more", "pending"),
            ("three", "pending"),
        ]
        assert troubles(plan) == []
        assert {commit.author for commit in plan.history.commits()} == {"human"}
        assert (plan.task(1).actor, plan.task(1).how) == ("human", "reported")
    content = read_lines(file)
    assert "- [x] ● one" in content
    assert "Mind the gap.\n- [ ] ○ more" in content
    assert ("○ **4** more" in file.read_text("utf-8")) == (layout == "outlast")
    revision = open_plan(tmp_path, "x").revision
    assert open_plan(tmp_path, "x").revision == revision, "it is taken in once"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_x1_a_held_plan_follows_the_file_and_the_file_the_plan(
    layout: Layout, tmp_path: Path
) -> None:
    file = begin(tmp_path, "one", "two", layout=layout)
    with open_plan(tmp_path, "x", actor="agent") as plan:
        plan.complete(2)
        wait_until(lambda: "- [x] ● two" in read_lines(file))
        change(file, "- [ ] ○ one", "- [x] ○ one")
        wait_until(lambda: plan.task(1).status == "completed")
        assert troubles(plan) == []
    assert file.read_text("utf-8").count("- [x] ●") == 2


@pytest.mark.parametrize("layout", LAYOUTS)
def test_x1_an_old_buffer_takes_nothing_back(layout: Layout, tmp_path: Path) -> None:
    file = begin(tmp_path, "one", "two", "three", layout=layout)
    old = file.read_text("utf-8")
    with open_plan(tmp_path, "x", actor="agent") as plan:
        plan.complete(1)
        plan.add("four")
    file.write_text(old.replace("two", "second"), "utf-8")
    with open_plan(tmp_path, "x") as plan:
        assert shape(plan) == [
            ("one", "completed"),
            ("second", "pending"),
            ("three", "pending"),
            ("four", "pending"),
        ]
        plan.update(2, name="two")
    file.write_text(old.replace("two", "second"), "utf-8")
    with open_plan(tmp_path, "x") as plan:
        assert plan.task(2).name == "two", "the same text, saved again, takes nothing back"


def test_x1_a_tick_does_not_go_round_the_checks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with create_plan(tmp_path, "Goal", "x", actor="human") as plan:
        plan.add("one", checks=[Check("file", "made.txt")])
        plan.add("two")
    file = tmp_path / LAYOUTS["outlast"] / "task_plan.md"
    change(file, "- [ ] ○ one", "- [x] ○ one")
    change(file, "**2** two", "**2** two\n  - check: touch ran.txt")
    with open_plan(tmp_path, "x") as plan:
        assert plan.task(1).status == "pending"
        [(key, details)] = troubles(plan)
        assert (key, details["line"]) == ("edit_refused", 11)
        assert "- [x] ○ one" in text(key, **details)
        assert plan.task(2).checks == (Check("command", "touch ran.txt"),)
    assert "<!-- outlast: not applied: - [x] ○ one" in file.read_text("utf-8")
    (tmp_path / "made.txt").touch()
    change(file, "- [ ] ○ one", "- [x] ○ one")
    change(file, "- [ ] ○ two", "- [x] ○ two")
    with open_plan(tmp_path, "x") as plan:
        assert (plan.task(1).status, plan.task(1).how) == ("completed", "proved")
        assert plan.task(2).status == "pending", "nobody has approved what came from a file"
        assert said(plan) == ["edit_refused", "edit_applied"]
    assert not (tmp_path / "ran.txt").exists()


def test_x1_what_looks_like_a_mistake_is_asked_about_first(tmp_path: Path) -> None:
    file = begin(tmp_path, "one", "two", "three", "four", layout="code-agent")
    kept = "".join(
        line
        for line in file.read_text("utf-8").splitlines(keepends=True)
        if not line.startswith("- [ ]") or "four" in line
    )
    file.write_text(kept, "utf-8")
    with open_plan(tmp_path, "x") as plan:
        assert len(plan.tasks()) == 4
        assert len(plan.notices) == 1
        plan.complete(4)
        plan.files.render()
    assert file.read_text("utf-8") == kept, "it is not written over meanwhile"
    with open_plan(tmp_path, "x") as plan:
        plan.files.sync(confirmed=True)
        assert shape(plan) == [("four", "completed")]
    assert "- [x] ● four" in read_lines(file)


def test_r4_02_a_view_that_was_taken_away_is_written_again(tmp_path: Path) -> None:
    file = begin(tmp_path, "one")
    before = file.read_bytes()
    file.unlink()
    with open_plan(tmp_path, "x") as plan:
        assert troubles(plan) == []
        assert len(plan.tasks()) == 1
    assert file.read_bytes() == before


def test_r4_02_nothing_is_written_when_only_the_time_would_change(tmp_path: Path) -> None:
    file = begin(tmp_path, "one")
    before = file.stat()
    with open_plan(tmp_path, "x") as plan:
        count_iteration(plan)
    open_plan(tmp_path, "x").close()
    assert file.stat() == before
    change(file, "one", "uno")
    with open_plan(tmp_path, "x") as plan:
        assert plan.task(1).name == "uno"


@pytest.mark.parametrize("save", ["crlf", "bom", "no final newline", "replace"])
def test_f7_editors_save_in_their_own_ways(save: str, tmp_path: Path) -> None:
    file = begin(tmp_path, "one", "two")
    change(file, "- [ ] ○ two", "- [x] ○ two")
    content = file.read_bytes()
    if save == "crlf":
        file.write_bytes(content.replace(b"\n", b"\r\n"))
    elif save == "bom":
        file.write_bytes(b"\xef\xbb\xbf" + content)
    elif save == "replace":
        (tmp_path / "saved").write_bytes(content)
        (tmp_path / "saved").rename(file)
    else:
        file.write_bytes(content.rstrip(b"\n"))
    with open_plan(tmp_path, "x") as plan:
        assert shape(plan) == [("one", "pending"), ("two", "completed")]
        assert troubles(plan) == []
    assert file.read_bytes().startswith(b"# Goal\n")


@pytest.mark.parametrize("damage", [b"\xff\xfe# Goal\n", b"# Goal\n\0\0\0\0"])
def test_f6_damaged_markdown_is_kept_aside_and_written_anew(damage: bytes, tmp_path: Path) -> None:
    file = begin(tmp_path, "one")
    before = file.read_bytes()
    file.write_bytes(damage)
    with open_plan(tmp_path, "x") as plan:
        assert said(plan) == ["view_damaged"]
        assert len(plan.tasks()) == 1
    assert file.read_bytes() == before
    [kept] = file.parent.glob("task_plan.md.bad-*")
    assert kept.read_bytes() == damage


@pytest.mark.parametrize("kind", ODD)
def test_f15_what_is_no_ordinary_file_is_left_alone(kind: str, tmp_path: Path) -> None:
    file = begin(tmp_path, "one")
    file.unlink()
    if kind == "link":
        file.symlink_to("/etc/passwd")
    elif kind == "fifo":
        os.mkfifo(file)
    elif kind == "directory":
        file.mkdir()
    else:
        with file.open("wb") as large:
            large.truncate(100 << 20)
    before = file.lstat()
    with open_plan(tmp_path, "x") as plan:
        plan.complete(1)
        assert said(plan) == ["view_odd"]
    after = file.lstat()
    assert (after.st_ino, after.st_mode, after.st_size) == (
        before.st_ino,
        before.st_mode,
        before.st_size,
    )
    assert "task_plan.md.was" not in names(file.parent)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_r4_02_a_file_that_somebody_else_left_becomes_a_plan(
    layout: Layout, tmp_path: Path
) -> None:
    file = tmp_path / LAYOUTS[layout] / "task_plan.md"
    file.parent.mkdir(parents=True)
    file.write_text("# Move house\n\nCall Kim first.\n\n- [x] pack\n- [ ] carry\n", "utf-8")
    before = file.read_bytes()
    [found] = list_plans(str(tmp_path))
    assert (found.key, found.title, found.done, found.total) == ("x", "Move house", 1, 2)
    assert names(file.parent) == ["task_plan.md"]
    assert file.read_bytes() == before
    with open_plan(tmp_path, "x") as plan:
        assert shape(plan) == [("pack", "completed"), ("carry", "pending")]
        assert troubles(plan) == []
    content = read_lines(file)
    assert "Call Kim first." in content
    assert "- [ ] ○ carry" in content
    with open_plan(tmp_path, "x") as plan:
        assert plan.core.read(lambda state: [one.lines for one in state.notes.prose]) == [
            ("Call Kim first.",)
        ]


def test_r4_09_findings_are_shown_and_read_back(tmp_path: Path) -> None:
    file = begin(tmp_path, "one").with_name("findings.md")
    assert not file.exists()
    with open_plan(tmp_path, "x") as plan:
        plan.notes.add_finding("insight", "Slow disk", "It takes 3 ms")
        plan.notes.add_error("bash", "exit 1")
    assert "### Slow disk" in file.read_text("utf-8")
    assert "## bash" in file.with_name("errors.md").read_text("utf-8")
    change(file, "It takes 3 ms", "It takes 4 ms")
    with open_plan(tmp_path, "x") as plan:
        assert [one.content for one in plan.notes.findings()] == ["It takes 4 ms"]
        assert troubles(plan) == []
    change(file, "# Findings & Notes", "# Findings & Notes\n\nNobody can place this.")
    edited = file.read_bytes()
    with open_plan(tmp_path, "x") as plan:
        assert "view_set_aside" in said(plan)
        plan.notes.clear_errors()
    [kept] = file.parent.glob("findings.md.edited-*")
    assert kept.read_bytes() == edited
    assert not file.with_name("errors.md").exists()


def test_r4_09_an_old_buffer_of_findings_forgets_nothing(tmp_path: Path) -> None:
    file = begin(tmp_path, "one").with_name("findings.md")
    titles = ("First", "Second", "Third")

    def entry(title: str) -> str:
        return f"### {title}\n\nWhat {title} says\n\n"

    with open_plan(tmp_path, "x") as plan:
        for title in titles:
            plan.notes.add_finding("insight", title, f"What {title} says")
            plan.notes.add_error("bash", f"{title} went wrong")
    old = file.read_text("utf-8")
    assert all(entry(title) in old for title in titles)
    with open_plan(tmp_path, "x") as plan:
        plan.notes.add_finding("insight", "Newest", "What Newest says")
    file.write_text(old.replace("What First says", "What First really says"), "utf-8")
    with open_plan(tmp_path, "x") as plan:
        assert [one.title for one in plan.notes.findings()] == [*titles, "Newest"]
        assert plan.notes.findings()[0].content == "What First really says"
    change(file, entry("Second"), "")
    errors = file.with_name("errors.md")
    change(errors, "## bash", "## zsh")
    with open_plan(tmp_path, "x") as plan:
        assert [one.title for one in plan.notes.findings()] == ["First", "Third", "Newest"]
        assert sorted(one.tool for one in plan.notes.errors()) == ["bash", "bash", "zsh"]
        assert troubles(plan) == []


def test_r4_09_what_was_delivered_can_be_edited(tmp_path: Path) -> None:
    file = begin(tmp_path, "one").with_name("deliverable.md")
    with open_plan(tmp_path, "x") as plan:
        plan.notes.deliver("All of it.")
    change(file, "All of it.", "Most of it.")
    with open_plan(tmp_path, "x") as plan:
        assert plan.core.read(lambda state: state.notes.deliverable) == "Most of it."


def test_x1_a_large_plan_is_shown_when_it_is_asked_for(tmp_path: Path) -> None:
    file = begin(tmp_path, *(f"task {n}" for n in range(501)))
    with open_plan(tmp_path, "x") as plan:
        plan.files.render()
    before = file.read_bytes()
    with open_plan(tmp_path, "x") as plan:
        plan.complete(1)
    assert file.read_bytes() == before
    change(file, "- [ ] ○ task 1\n", "- [x] ○ task 1\n")
    with open_plan(tmp_path, "x") as plan:
        assert plan.task(2).status == "completed", "an edit is seen whatever the size"
    assert b"501 steps" in file.read_bytes()


@pytest.mark.parametrize("broken", ["r999999", "r0", ""])
def test_x1_a_file_that_does_not_tell_its_revision_is_compared_with_what_was_shown(
    broken: str, tmp_path: Path
) -> None:
    file = begin(tmp_path, "one", "two", "three")
    content = file.read_text("utf-8")
    with open_plan(tmp_path, "x") as plan:
        revision = plan.revision
    comment = f"<!-- outlast {broken} -->" if broken else ""
    file.write_text(
        content.replace(f"<!-- outlast r{revision} -->", comment).replace("two", "second"), "utf-8"
    )
    with open_plan(tmp_path, "x") as plan:
        assert shape(plan) == [("one", "pending"), ("second", "pending"), ("three", "pending")]


def _in_place(file: Path, content: bytes) -> None:
    file.write_bytes(content)


def _by_pieces(file: Path, content: bytes) -> None:
    """Save as a slow editor does: the file is there in part for a while."""
    with file.open("wb") as saving:
        for at in range(0, len(content), 97):
            saving.write(content[at : at + 97])
            saving.flush()


@pytest.mark.parametrize("save", [_in_place, _by_pieces])
def test_f7_a_plan_that_is_read_all_the_time_never_sees_half_a_save(
    save: Callable[[Path, bytes], None], tmp_path: Path
) -> None:
    file = begin(tmp_path, *(f"task {n}" for n in range(40)))
    with open_plan(tmp_path, "x", actor="agent") as plan:
        for round_ in range(5):
            content = file.read_bytes()
            save(file, content.replace(b"- [ ] \xe2\x97\x8b", b"- [x] \xe2\x97\x8b", 1))
            wait_until(lambda r=round_: plan.progress.current == r + 1)  # type: ignore[misc]
            wait_until(lambda r=round_: file.read_bytes().count(b"- [x] \xe2\x97\x8f") == r + 1)  # type: ignore[misc]
        assert plan.progress.total == 40
        assert troubles(plan) == []
        assert plan.updated_at <= now()
