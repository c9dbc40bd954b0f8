"""F19, F20: each save of a buffer is one commit, compared with what that buffer saved before."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import normalize

import pytest

from outlast import Check, Plan, create_plan, open_plan
from outlast.documents.markdown.render import render
from outlast.documents.sync.merge_base import find_base
from outlast.language import text
from outlast.model import commands as c
from outlast.model.execute import return_commit
from outlast.model.model import PERSON
from outlast.store.port import EditedView, Request
from outlast.store.store import MemoryStore
from outlast.testing import FixedClock

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LAYOUTS = {"outlast": ".outlast/plans/k", "code-agent": ".code-agent/plans/k"}


class Editor:
    """A person with the file open: they edit their buffer, save it, and never read it again."""

    def __init__(self, root: Path, layout: str = "outlast") -> None:
        self.root = root
        self.file = root / LAYOUTS[layout] / "task_plan.md"
        self.buffer = self.file.read_text()
        self.told: list[str] = []

    def replace(self, old: str, new: str) -> None:
        assert old in self.buffer, self.buffer
        self.buffer = self.buffer.replace(old, new)

    def save(self, look: Callable[[Plan], object] = id) -> list[tuple[int, str, str]]:
        """Save the buffer; return what the plan is afterwards."""
        self.file.write_text(self.buffer)
        return self.see(look)

    def see(self, look: Callable[[Plan], object] = id) -> list[tuple[int, str, str]]:
        with open_plan(self.root, "k", actor=PERSON) as plan:
            look(plan)
            tasks = [(task.id, task.name, str(task.status)) for task in plan.tasks()]
        self.told = [text(key, **details) for key, details in plan.notices]
        return tasks

    def names(self) -> list[str]:
        return [name for _, name, _ in self.save()]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    with create_plan(tmp_path, "Build a house", "k", actor=PERSON) as plan:
        for name in ("Base", "Walls", "Publish"):
            plan.add(name)
        plan.update(3, needs=[2])
    return tmp_path


@pytest.fixture
def editor(root: Path) -> Editor:
    return Editor(root)


def revision(root: Path) -> int:
    with open_plan(root, "k") as plan:
        return plan.revision


# One save, one commit, one undo


def test_f20_a_save_is_one_commit_and_one_undo(editor: Editor) -> None:
    before = editor.see()
    editor.replace("[ ] ○ **1** Base", "[x] ● **1** Ground")
    editor.replace("**2** Walls", "**2** Wall\n- [ ] Roof\n- [x] Door")
    editor.replace("Build a house\n\n> **Pro", "Build a shed\n\n> **Pro")
    at = revision(editor.root)
    editor.save()
    assert editor.told == [
        (
            'From task_plan.md: changed the goal to "Build a shed", added 4 "Roof", added 5 "Door",'
            ' renamed 1 to "Ground", renamed 2 to "Wall", completed 1, completed 5'
        )
    ]
    with open_plan(editor.root, "k", actor=PERSON) as plan:
        [commit] = [each for each in plan.history.commits(10) if each.revision > at]
        assert (commit.author, commit.reason) == (PERSON, "task_plan.md")
        plan.undo()
    assert editor.see() == before
    assert "Build a shed" not in editor.file.read_text()


def test_f20_the_chinese_notice_names_the_changes(editor: Editor) -> None:
    editor.replace("**2** Walls", "**2** 墙\n- [ ] 屋顶")
    editor.file.write_text(editor.buffer)
    with open_plan(editor.root, "k", actor=PERSON) as plan:
        [(key, details)] = plan.notices
        assert text(key, "zh", **details) == "来自 task_plan.md：新增 4“屋顶”，把 2 改名为“墙”"


def test_f20_an_edit_that_cannot_be_applied_is_left_out_and_the_rest_applies(root: Path) -> None:
    with open_plan(root, "k", actor=PERSON) as plan:
        plan.add("Audit", checks=[Check("command", "test -f made.txt")])
    editor = Editor(root)
    editor.replace("[ ] ○ **4** Audit", "[x] ● **4** Audit")
    editor.replace("Base", "Ground")
    before = revision(root)
    assert editor.save()[::3] == [(1, "Ground", "pending"), (4, "Audit", "pending")]
    assert [line.partition(" (")[0] for line in editor.told] == [
        "task_plan.md, line 15: not applied",
        'From task_plan.md: renamed 1 to "Ground"',
    ]
    assert "<!-- outlast: not applied: - [x] ● Audit -->" in editor.file.read_text()
    with open_plan(root, "k", actor=PERSON) as plan:
        commits = [each for each in plan.history.commits(10) if each.revision > before]
        assert len([each for each in commits if each.reason == "task_plan.md"]) == 1


def test_x2_the_checks_of_a_ticked_task_run_before_the_commit(root: Path) -> None:
    with open_plan(root, "k", actor=PERSON) as plan:
        plan.add("Audit", checks=[Check("command", "test -f made.txt")])
    (root / "made.txt").touch()
    editor = Editor(root)
    editor.replace("[ ] ○ **4** Audit", "[x] ● **4** Audit")
    editor.replace("Base", "Ground")
    before = revision(root)
    editor.save()
    assert editor.told == ['From task_plan.md: renamed 1 to "Ground", completed 4']
    with open_plan(root, "k", actor=PERSON) as plan:
        assert plan.task(4).how == "proved"
        assert plan.revision == before + 1


def test_x2_a_new_line_with_a_check_is_completed_if_the_check_passes(editor: Editor) -> None:
    check = "person: it looks right"
    editor.replace("○ **2** Walls", f"○ **2** Walls\n- [x] Audit\n  - check: {check}")
    editor.save()
    with open_plan(editor.root, "k", actor=PERSON) as plan:
        assert (plan.task(4).status, plan.task(4).how) == ("completed", "proved")


# A buffer that is not reloaded


@pytest.mark.parametrize("layout", LAYOUTS)
def test_f20_a_name_that_is_saved_while_it_is_typed_is_one_task(
    layout: str, tmp_path: Path
) -> None:
    with create_plan(tmp_path, "g", "k", layout=layout, actor=PERSON) as plan:  # type: ignore[arg-type]
        plan.add("Base")
    editor = Editor(tmp_path, layout)
    line = next(each for each in editor.buffer.splitlines() if each.endswith("Base"))
    editor.replace(line, f"{line}\n- [ ] R")
    assert editor.names() == ["Base", "R"]
    for typed in ("Ro", "Roof", "Roof ti", "Roof tiles"):
        editor.buffer = editor.buffer.replace("- [ ] R", "- [ ] \0").split("\0")[0] + (
            typed + "\n" + editor.buffer.split("- [ ] R")[1].partition("\n")[2]
        )
        assert editor.save() == [(1, "Base", "pending"), (2, typed, "pending")]
        assert editor.told == [f'From task_plan.md: renamed 2 to "{typed}"']


def test_f20_a_new_line_can_be_changed_in_every_way_by_later_saves(editor: Editor) -> None:
    editor.replace("**2** Walls", "**2** Walls\n- [ ] Roof\n- [ ] Garden")
    editor.save()
    editor.replace("- [ ] Roof", "- [x] Roof")
    assert (4, "Roof", "completed") in editor.save()
    assert editor.save() == editor.see(), "the same buffer once more changes nothing"
    editor.replace("- [x] Roof", "- [ ] Roof")
    assert (4, "Roof", "pending") in editor.save()
    editor.replace("- [ ] Roof\n- [ ] Garden\n", "- [ ] Garden\n- [ ] Roof\n")
    assert [task for task, *_ in editor.save()] == [1, 2, 5, 4, 3]
    editor.replace("- [ ] Garden", "- [ ] Fence")
    assert (5, "Fence", "pending") in editor.save()
    editor.replace("- [ ] Fence\n", "")
    editor.replace("- [ ] Roof\n", "- [ ] Roof\n  - run: make roof\n")
    assert [task for task, *_ in editor.save()] == [1, 2, 4, 3]
    editor.replace("- [ ] Roof\n  - run: make roof\n", "")
    assert [task for task, *_ in editor.save()] == [1, 2, 3]


def test_f20_a_line_that_is_replaced_by_others_becomes_the_first_of_them(editor: Editor) -> None:
    editor.replace("**2** Walls", "**2** Walls\n- [ ] Roof\n- [ ] Door")
    editor.save()
    editor.replace("- [ ] Roof\n- [ ] Door", "- [ ] Garden\n- [ ] Fence\n- [ ] Pond")
    tasks = editor.save()
    assert tasks[2:5] == [(4, "Garden", "pending"), (5, "Fence", "pending"), (6, "Pond", "pending")]


def test_f20_a_tick_of_the_box_alone_is_not_taken_back_by_the_next_save(editor: Editor) -> None:
    editor.replace("[ ] ○ **1** Base", "[x] ○ **1** Base")
    assert editor.save()[0] == (1, "Base", "completed")
    editor.replace("Walls", "Wall")
    assert editor.save()[0] == (1, "Base", "completed")
    editor.replace("[x] ○ **1** Base", "[ ] ○ **1** Base")
    assert editor.save()[0] == (1, "Base", "pending")


def test_f20_what_agents_did_meanwhile_stays(editor: Editor) -> None:
    editor.replace("**2** Walls", "**2** Walls\n- [ ] Roof")
    editor.save()
    with open_plan(editor.root, "k", actor="agent") as plan:
        plan.update(4, name="Roof of slate")
        plan.add("Garden")
        plan.complete(1, "done")
    editor.replace("Publish", "Sell")
    assert [name for _, name, _ in editor.save()] == [
        *("Base", "Walls", "Roof of slate", "Sell", "Garden")
    ]
    assert editor.see()[0] == (1, "Base", "completed")
    editor.replace("- [ ] Roof\n", "")
    assert "Roof of slate" in editor.names()
    assert editor.told == [
        (
            "Task 4 has no line in task_plan.md any more, but it was changed elsewhere since; the "
            "task was kept"
        )
    ]


def test_f20_a_new_line_that_an_agent_removed_does_not_come_back(editor: Editor) -> None:
    editor.replace("**2** Walls", "**2** Walls\n- [ ] Roof")
    editor.save()
    with open_plan(editor.root, "k", actor="agent") as plan:
        plan.remove(4)
    editor.replace("Base", "Ground")
    assert editor.names() == ["Ground", "Walls", "Publish"]


def test_f20_lines_between_what_others_added_keep_their_place(editor: Editor) -> None:
    with open_plan(editor.root, "k", actor="agent") as plan:
        plan.move(plan.add("First").id, first=True)
        plan.add("Middle", insert_after=2)
    editor.replace("- [ ] ○ **1** Base", "- [ ] Top\n- [ ] ○ **1** Base")
    editor.replace("**2** Walls", "**2** Walls\n- [ ] Roof")
    editor.save()
    editor.replace("- [ ] Top", "- [ ] Topmost")
    editor.replace("- [ ] Roof", "- [ ] Roof tiles")
    names = editor.names()
    assert sorted(names) == sorted(
        ["First", "Topmost", "Base", "Walls", "Middle", "Roof tiles", "Publish"]
    )
    assert names.index("Topmost") < names.index("Base")
    assert names.index("Walls") < names.index("Roof tiles") < names.index("Publish")


def test_f20_notes_and_phases_of_a_buffer_are_known_too(editor: Editor) -> None:
    editor.replace("\n---\n*Last", "\n## Phase: La\n\n- [ ] Move in\n\nBring bread.\n\n---\n*Last")
    editor.save()
    with open_plan(editor.root, "k", actor=PERSON) as plan:
        plan.add_phase("Other")
    editor.replace("Phase: La", "Phase: Later")
    editor.replace("Bring bread.", "Bring bread and salt.")
    editor.save()
    with open_plan(editor.root, "k", actor=PERSON) as plan:
        assert [phase.title for phase in plan.phases] == ["Main Tasks", "Later", "Other"]
    content = editor.file.read_text()
    assert content.count("Bring bread") == 1
    editor.replace("Bring bread and salt.\n\n", "")
    editor.save()
    assert "Bring bread" not in editor.file.read_text()


def test_f20_needs_of_a_buffer_are_known_too(editor: Editor) -> None:
    editor.replace("**2** Walls", "**2** Walls\n- [ ] Roof\n  - needs: 1")
    editor.save()
    with open_plan(editor.root, "k", actor="agent") as plan:
        plan.add("Insure", needs=[4])
    editor.replace("  - needs: 1\n", "  - needs: 1, 2\n")
    editor.save()
    before = revision(editor.root)
    editor.save()
    assert revision(editor.root) == before
    editor.replace("- [ ] Roof\n  - needs: 1, 2\n", "")
    editor.save()
    assert editor.told == ['From task_plan.md: removed 4 "Roof"; 5 "Insure" no longer waits for 4']
    before = revision(editor.root)
    editor.save()
    assert revision(editor.root) == before


def test_f20_an_undone_save_is_not_applied_again(editor: Editor) -> None:
    editor.replace("**2** Walls", "**2** Walls\n- [ ] Roof")
    editor.save()
    with open_plan(editor.root, "k", actor=PERSON) as plan:
        plan.undo()
    editor.replace("Base", "Ground")
    assert editor.names() == ["Ground", "Walls", "Publish"]


def test_f20_the_same_name_in_another_unicode_form_is_the_same_task(editor: Editor) -> None:
    editor.replace("**2** Walls", f"**2** Walls\n- [ ] {normalize('NFD', 'Überprüfung')}")
    editor.save()
    before = revision(editor.root)
    editor.replace(normalize("NFD", "Überprüfung"), normalize("NFC", "Überprüfung"))
    assert len(editor.save()) == 4
    assert revision(editor.root) == before
    assert editor.told == []


# One save seen twice


def test_f20_two_processes_that_see_one_save_in_two_states_add_nothing_twice(
    editor: Editor,
) -> None:
    editor.replace("**2** Walls", "**2** Walls\n- [ ] Roof")
    editor.file.write_text(editor.buffer.rstrip("\n"))
    with open_plan(editor.root, "k", actor="agent") as first:
        editor.file.write_text(editor.buffer)
        with open_plan(editor.root, "k", actor="agent") as second:
            names = [task.name for task in first.tasks()]
            assert [task.name for task in second.tasks()] == names
    assert names == ["Base", "Walls", "Roof", "Publish"]


# Consequences


def test_x1_a_tick_on_a_blocked_task_and_the_removal_of_a_needed_one_are_named(
    editor: Editor,
) -> None:
    editor.replace("[ ] ○ **3** Publish", "[x] ● **3** Publish")
    editor.save()
    assert editor.told == ['From task_plan.md: completed 3 "Publish" without waiting for 2']
    editor.buffer = editor.file.read_text()
    editor.replace("- [ ] ○ **2** Walls\n", "")
    editor.replace("  - needs: 2\n", "")
    editor.save()
    assert editor.told == [
        'From task_plan.md: removed 2 "Walls"; 3 "Publish" no longer waits for 2'
    ]


@pytest.mark.parametrize("line", ["- [?] ○ **2** Walls", "- [-] **2** Walls", "-[ ] **2** Walls"])
def test_x1_an_odd_box_never_leaves_two_lines_for_one_task(line: str, editor: Editor) -> None:
    editor.replace("- [ ] ○ **2** Walls", line)
    assert editor.names().count("Walls") == 1
    assert editor.file.read_text().count("Walls") == 1


# A file that is broken off


def test_f20_a_file_that_breaks_off_removes_nothing_and_a_whole_one_applies(root: Path) -> None:
    with open_plan(root, "k", actor=PERSON) as plan:
        for task in (1, 2, 3):
            plan.complete(task, "done")
    editor = Editor(root)
    before, whole = editor.see(), editor.buffer
    for line in ("**2** Walls", "**3** Publish", "  - needs: 2", "**1** Ba"):
        editor.buffer = whole[: whole.index(line)]
        assert editor.save() == before
        assert editor.file.read_text() == editor.buffer, "it stays as it is: it may be going on"
        assert "it ends early, after: " in editor.told[0]
    editor.buffer = whole[: whole.index("ublish")]
    assert editor.save() == before
    assert "it ends early, after: - [x] ● P; missing tasks: none;" in editor.told[0]
    editor.buffer = whole.replace("Publish", "Sell")
    assert editor.save()[2] == (3, "Sell", "completed")
    assert editor.told == ['From task_plan.md: renamed 3 to "Sell"']


def test_f20_a_held_plan_forgets_the_report_on_a_file_that_became_whole(editor: Editor) -> None:
    whole = editor.buffer
    with open_plan(editor.root, "k", actor=PERSON) as plan:
        editor.file.write_text(whole[: whole.index("- [ ] ○ **3**")])
        assert [key for key, _ in plan.files.sync()] == ["task_plan_cut"]
        editor.file.write_text(whole.replace("Base", "Ground"))
        assert [key for key, _ in plan.files.sync()] == ["edit_applied"]


def test_f20_without_its_closing_line_a_file_still_applies_what_is_sure(editor: Editor) -> None:
    editor.buffer = editor.buffer[: editor.buffer.index("\n---\n*Last")]
    editor.replace("Base", "Ground")
    editor.buffer += "- [ ] Roof\n"
    assert editor.names() == ["Ground", "Walls", "Publish", "Roof"]


def test_f20_a_person_can_confirm_a_file_without_its_closing_line(editor: Editor) -> None:
    editor.buffer = editor.buffer[: editor.buffer.index("- [ ] ○ **2**")]
    assert len(editor.save()) == 3
    with open_plan(editor.root, "k", actor=PERSON) as plan:
        plan.files.sync(confirmed=True)
        assert [task.name for task in plan.tasks()] == ["Base"]


# Another history


def test_f19_a_buffer_of_another_history_only_adds_its_new_lines(root: Path) -> None:
    journal = root / ".outlast/plans/k/journal.jsonl"
    old = journal.read_bytes()
    with open_plan(root, "k", actor=PERSON) as plan:
        plan.add("Only there")
        plan.complete(1)
    editor = Editor(root)
    for path in journal.parent.iterdir():
        if path.name != "journal.jsonl":
            path.unlink()
    journal.write_bytes(old)
    with open_plan(root, "k", actor="agent") as plan:
        plan.add("Garden")
        plan.update(1, name="Cellar")
    before = editor.see()
    editor.replace("**2** Walls", "**2** Wall\n- [ ] Roof\n- [x] Door\n- [ ] Garden")
    editor.replace("- [ ] ○ **3** Publish\n", "")
    assert editor.save() == [*before, (5, "Roof", "pending"), (6, "Door", "completed")]
    assert [line.partition(" (r")[0] for line in editor.told[:2]] == [
        "task_plan.md shows another history of this plan",
        'From task_plan.md: added 5 "Roof", added 6 "Door", completed 6',
    ]
    [copy] = journal.parent.glob("task_plan.md.edited-*")
    assert copy.read_text() == editor.buffer
    assert len(editor.save()) == len(before) + 2, "nor does it add them twice"


def test_f20_of_two_commits_of_one_moment_the_one_that_was_rendered_is_the_base() -> None:
    """A file that names only its time shows the first of them, so it does not undo the second."""
    clock = FixedClock()
    store = MemoryStore(clock())
    add = c.AddTasks((c.NewTask("Base"), c.NewTask("Walls")))
    for command in (c.CreatePlan("plan_x", "Build", "k"), add, c.Complete(2, "agent")):
        store.commit(Request((command,), "agent", clock()), return_commit)
    file = render(store.state_before(3), bare=True)
    for shown, status in ((2, "pending"), (3, "completed"), (9, "completed")):
        base = find_base(store, EditedView("task_plan.md", file, shown, "k", 0, bare=True))
        assert base.state is not None
        assert base.state.tasks[2].status == status
