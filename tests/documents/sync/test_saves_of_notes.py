"""F20, F33: a save of notes that breaks off or stalls, and views with a merge conflict."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from outlast import Plan, create_plan, open_plan
from outlast.documents.views.registry import CODE_AGENT, OUTLAST, LayoutViews
from outlast.errors import InvalidDocument
from outlast.language import text
from outlast.model import commands as c
from outlast.model.execute import return_commit
from outlast.model.model import PERSON
from outlast.store.port import Request
from tests.documents.views.editors import EditorDisk
from tests.documents.views.rendered_plans import ViewsWithoutTimer, with_sync
from tests.store.opening import new_views, views_of
from tests.store.operations import CREATE, NOW

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from outlast.store.port import Layout

WHERE = "/plan"
QUOTED = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n"
LAYOUTS = {"outlast": OUTLAST, "code-agent": CODE_AGENT}
DIRECTORIES = {"outlast": ".outlast/plans/k", "code-agent": ".code-agent/plans/k"}
NOTES = (
    c.NoteFinding("code", "The door", "It is red.\n\nIt was blue.", "ann"),
    c.NoteFinding("issue", "The roof", "It leaks."),
    c.NoteFinding("code", "The window", "It is\nround."),
    c.NoteError("bash", "exit 1\nsee above", '{"command":"make","n":[1,2]}'),
    c.NoteError("edit", "no such file"),
)


class World:
    """A plan with notes that is open, on a disk with a clock of its own."""

    def __init__(self, layout: LayoutViews, name: str) -> None:
        self.disk, self.path = EditorDisk(), f"{WHERE}/{name}"
        store = new_views(WHERE, self.disk, CREATE, now=NOW, kind=ViewsWithoutTimer, layout=layout)
        self.store = with_sync(store, lambda: NOW)
        for command in NOTES:
            self.store.commit(Request((command,), "ann", NOW), return_commit)
            self.render()
        self.whole = self.disk.get(self.path)

    def render(self) -> None:
        self.disk.sleep(1.1)
        views_of(self.store).render()

    def save(self, content: bytes) -> None:
        self.disk.write_in_place(self.disk.files[self.path], content)
        self.disk.sleep(0.3)

    def look(self, *, confirmed: bool = False) -> list[str]:
        """Look at the views; return the keys of what is told that was not told before."""
        self.store.notices.clear()
        views_of(self.store).sync_edits(confirmed=confirmed)
        return [key for key, _ in self.store.notices]

    def notes(self) -> Any:
        return self.store.read(
            lambda state: (dict(state.notes.findings), dict(state.notes.errors), state.revision)
        )

    def titles(self) -> list[str]:
        return self.store.read(lambda state: [x.title for x in state.notes.findings.values()])


@pytest.fixture(params=[(layout, name) for layout in LAYOUTS for name in ("findings", "errors")])
def world(request: pytest.FixtureRequest) -> World:
    layout, name = request.param
    return World(LAYOUTS[layout], f"{name}.md")


# Broken off


def test_f20_a_save_of_notes_that_is_cut_at_any_byte_changes_nothing(world: World) -> None:
    known = world.notes()
    told = []
    for end in range(1, len(world.whole)):
        world.save(world.whole[:end])
        told += world.look()
        assert world.notes() == known, world.whole[:end]
        world.save(world.whole)
        assert world.look() in ([], ["view_put_back"])
    assert "notes_cut" in told
    edited = world.whole.replace(b"It is red.", b"It is green.").replace(b"see above", b"see below")
    world.save(edited)
    assert world.look() == ["edit_applied"]
    assert world.notes() != known


def test_f20_of_an_edited_save_that_is_cut_only_what_was_edited_is_applied(world: World) -> None:
    """Wherever it is cut, the plan is as it was or as the whole save leaves it."""
    edited = world.whole.replace(b"It is red.", b"It is green.").replace(b"see above", b"see below")
    before = world.notes()[:2]
    for end in range(1, len(edited)):
        world.save(edited[:end])
        world.look()
        findings, errors, _ = world.notes()
        assert findings.keys() == before[0].keys(), edited[:end]
        for number, finding in findings.items():
            was = before[0][number].content
            assert finding.content in (was, was.replace("red", "green")), edited[:end]
        assert {x.message for x in errors.values()} <= {
            *(x.message for x in before[1].values()),
            "exit 1\nsee below",
        }, edited[:end]
        assert len(errors) == len(before[1])
        world.save(world.whole)
        world.look()


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8, 0.99])
def test_f20_a_save_of_notes_in_two_writes_is_one_edit(world: World, share: float) -> None:
    edited = world.whole.replace(b"It is red.", b"It is green.").replace(b"see above", b"see below")
    opened, cut = world.disk.files[world.path], round(len(edited) * share)
    for stall in (0.05, 0.6):
        before = world.notes()[2]
        world.disk.write_in_place(opened, edited[:cut])
        rest = partial(world.disk.write_in_place, opened, edited[cut:], append=True)
        world.disk.steps = [(world.disk.time_ns + round(stall * 1e9), rest)]
        assert world.look() in ([], ["notes_cut"], ["edit_applied"])
        world.disk.sleep(1)
        world.look()
        assert world.notes()[2] == before + 1, "one save is one commit"
        world.render()
        edited, opened = world.disk.get(world.path), world.disk.files[world.path]
        edited = edited.replace(b"green", b"pink").replace(b"below", b"there")
        cut = round(len(edited) * share)


def test_f20_what_was_told_about_a_cut_file_of_notes_is_withdrawn(world: World) -> None:
    world.save(world.whole[: len(world.whole) // 2])
    assert world.look()[-1] == "notes_cut"
    assert world.disk.get(world.path) == world.whole[: len(world.whole) // 2], "it may be going on"
    world.disk.write_in_place(world.disk.files[world.path], world.whole.replace(b"The", b"A"))
    world.disk.write_in_place(
        world.disk.files[world.path], world.whole.replace(b"red", b"green").replace(b"no s", b"S")
    )
    world.disk.sleep(0.3)
    views_of(world.store).sync_edits()
    assert [key for key, _ in world.store.notices] == ["edit_applied"]


def test_f20_a_person_can_confirm_notes_that_end_early(world: World) -> None:
    ends = {b"### The roof": 2, b"## bash": 1, b"## edit": 1}
    end = next(world.whole.index(part) for part in ends if part in world.whole)
    world.save(world.whole[:end])
    known = world.notes()
    assert world.look() == ["notes_cut"]
    assert world.notes() == known
    world.look(confirmed=True)
    assert sum(map(len, world.notes()[:2])) < len(NOTES)


def test_f20_what_is_added_below_the_last_line_is_applied() -> None:
    world = World(OUTLAST, "findings.md")
    world.save(world.whole + b"\n## Code\n\n### The stairs\n\nThey creak.\n")
    assert world.look() == ["edit_applied"]
    assert world.titles() == ["The door", "The roof", "The window", "The stairs"]
    world.render()
    assert b"They creak.\n\n" in world.disk.get(world.path)
    assert world.disk.get(world.path).count(b"<!-- outlast r") == 1


def test_f20_a_buffer_of_notes_that_is_not_reloaded_takes_nothing_out() -> None:
    world = World(OUTLAST, "findings.md")
    later = c.NoteFinding("insight", "The cellar", "It is dry.")
    world.store.commit(Request((later,), "ann", NOW), return_commit)
    world.render()
    assert b"cellar" in world.disk.get(world.path)
    for old, new in ((b"The roof", b"A roof"), (b"A roof", b"Our roof")):
        world.whole = world.whole.replace(old, new)
        world.save(world.whole)
        assert world.look() == ["edit_applied"]
        assert world.titles() == ["The door", new.decode(), "The window", "The cellar"]
        world.render()


def test_f20_a_content_that_looks_like_a_closing_line_or_a_conflict_is_read_back() -> None:
    content = f"<!-- outlast r7 9f3c1a2b -->\n{QUOTED}  <!-- outlast r8 -->"
    world = World(OUTLAST, "findings.md")
    world.store.commit(Request((c.NoteFinding("code", "Odd", content),), "ann", NOW), return_commit)
    world.render()
    world.save(world.disk.get(world.path).replace(b"The roof", b"A roof"))
    assert world.look() == ["edit_applied"]
    found = world.store.read(lambda state: [x.content for x in state.notes.findings.values()])
    assert found[-1] == content
    assert "A roof" in world.titles()


# Merge conflicts

BEGIN, BEFORE, END = "<<<<<<< HEAD\n", "||||||| 204d93a\n", ">>>>>>> other\n"
CONFLICTS = {
    "two sides": f"{BEGIN}{{0}}\n=======\n{{1}}\n{END}",
    "with what was before": f"{BEGIN}{{0}}\n{BEFORE}{{0}}\n=======\n{{1}}\n{END}",
    "cut": f"{BEGIN}{{0}}\n=======\n{{1}}\n",
    "resolved by half": f"{{0}}\n=======\n{{1}}\n{END}",
    "with other line ends": "<<<<<<< HEAD\r\n{0}\r\n=======\r\n{1}\r\n>>>>>>> other\r\n",
}
VIEWS: dict[str, tuple[str, str]] = {  # a line of each, and another version of it
    "task_plan.md": ("- [ ] ○ **1** Build", "- [x] ● **1** Build"),
    "findings.md": ("### The door", "### The gate"),
    "errors.md": ("**Message:** exit 1", "**Message:** exit 2"),
    "deliverable.md": ("A house", "A castle"),
}


def make(root: Path, layout: Layout = "outlast") -> Path:
    with create_plan(root, "Build a house", "k", layout=layout, actor=PERSON) as plan:
        plan.add("Build")
        plan.notes.add_finding("code", "The door", "It is red.")
        plan.notes.add_error("bash", "exit 1")
        plan.notes.deliver("A house\n")
    return root / DIRECTORIES[layout]


def deliverable(plan: Plan) -> str:
    return plan.core.read(lambda state: state.notes.deliverable)


def found(root: Path, look: Callable[[Any], object] = id) -> tuple[Any, list[str]]:
    with open_plan(root, "k", actor=PERSON) as plan:
        look(plan)
        tasks = [(task.id, task.name, task.status) for task in plan.tasks()]
        notes = plan.notes.findings(), plan.notes.errors(), deliverable(plan)
        return (tasks, notes, plan.revision), [text(key, **x) for key, x in plan.notices]


@pytest.mark.parametrize("conflict", CONFLICTS)
@pytest.mark.parametrize("layout", DIRECTORIES)
@pytest.mark.parametrize("name", VIEWS)
def test_f33_conflict_markers_in_a_view_become_nothing(
    name: str, layout: Layout, conflict: str, tmp_path: Path
) -> None:
    file = make(tmp_path, layout) / name
    known, _ = found(tmp_path)
    whole, (ours, theirs) = file.read_text("utf-8"), VIEWS[name]
    if layout == "code-agent":
        ours, theirs = ours.replace("**1** ", ""), theirs.replace("**1** ", "")
    assert whole.count(ours) == 1
    torn = whole.replace(f"{ours}\n", CONFLICTS[conflict].format(ours, theirs))
    file.write_bytes(torn.encode())
    for _ in range(2):
        now, told = found(tmp_path, lambda plan: plan.files.sync(confirmed=True))
        assert now == known
        assert [line for line in told if line.startswith(f"{name}, line ")] == told
        assert "merge conflict markers" in told[0]
        assert file.read_bytes() == torn.encode(), "it waits for whoever resolves it"
    file.write_text(whole.replace(ours, theirs), "utf-8")
    now, told = found(tmp_path)
    assert now != known, "the positive control: the resolved file is applied"
    assert len(told) == 1


@pytest.mark.parametrize("name", VIEWS)
def test_f33_a_view_with_conflict_markers_is_written_again_once_it_is_deleted(
    name: str, tmp_path: Path
) -> None:
    file = make(tmp_path) / name
    known, _ = found(tmp_path)
    whole, (ours, theirs) = file.read_text("utf-8"), VIEWS[name]
    file.write_text(whole.replace(f"{ours}\n", CONFLICTS["two sides"].format(ours, theirs)))
    assert found(tmp_path)[0] == known
    file.unlink()
    assert found(tmp_path) == (known, [])
    assert file.read_text("utf-8") == whole


def test_f33_a_plan_json_with_conflict_markers_is_set_aside_by_its_name(tmp_path: Path) -> None:
    with create_plan(tmp_path, "Build a house", "k", layout="sessions") as plan:
        plan.add("Build")
    file = tmp_path / ".sessions/k/plan.json"
    whole = file.read_text("utf-8")
    file.write_text(
        whole.replace('"goal"', '<<<<<<< HEAD\n"goal"', 1).replace("}", ">>>>>>> x\n}", 1)
    )
    with open_plan(tmp_path, "k") as plan:
        [(key, details)] = plan.notices
        assert (key, details["name"]) == ("view_damaged", "plan.json")
        assert [task.name for task in plan.tasks()] == ["Build"]
    assert "<<<<<<<" in (tmp_path / str(details["kept"])).read_text("utf-8")
    assert file.read_text("utf-8") == whole


def test_f33_a_plan_json_with_conflict_markers_becomes_no_plan(tmp_path: Path) -> None:
    file = tmp_path / ".sessions/k/plan.json"
    file.parent.mkdir(parents=True)
    file.write_text('{\n<<<<<<< HEAD\n"goal": "a"\n=======\n"goal": "b"\n>>>>>>> other\n}\n')
    with pytest.raises(InvalidDocument):
        open_plan(tmp_path, "k")


def test_f33_a_deliverable_may_quote_a_conflict(tmp_path: Path) -> None:
    file = make(tmp_path) / "deliverable.md"
    quoted = CONFLICTS["two sides"].format("ours", "theirs")
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        plan.notes.deliver(f"How to merge:\n\n{quoted}")
    file.write_text(file.read_text("utf-8").replace("How to", "When to"))
    with open_plan(tmp_path, "k") as plan:
        assert deliverable(plan).startswith("When to merge:")
