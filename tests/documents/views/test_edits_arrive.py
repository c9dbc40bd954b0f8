"""F7, F20: whatever a person saves, at any moment, a running process sees at its next look."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outlast.errors import StoreError
from outlast.model import commands as c
from outlast.model.execute import return_commit
from outlast.store.port import Request
from outlast.system.stable_read import checksum
from tests.documents.views.editors import (
    FILE,
    HABITS,
    MILLISECOND,
    SECOND,
    WHERE,
    WORD,
    Editor,
    EditorDisk,
    MeddledDisk,
    TimedViews,
    create,
    open_store,
)
from tests.store.faults import refusal
from tests.store.opening import views_of
from tests.store.operations import NOW

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.store.port import EditedView, Views
    from outlast.store.store import Store

STORIES = int(os.environ.get("OUTLAST_F7", "2000"))
LOOSE = settings(deadline=None, suppress_health_check=list(HealthCheck))
CALL = st.integers(0, 60)
PAUSE = st.sampled_from((0, 1, 5, 30, 60, 150, 250, 1100))
STEPS = st.one_of(
    st.tuples(st.just("save"), st.integers(0, len(HABITS) - 1), st.sampled_from((0, 3, 40, 150))),
    st.tuples(st.just("stall"), st.integers(0, len(HABITS) - 1), st.sampled_from((250, 900))),
    st.tuples(st.sampled_from(("commit", "timer", "close", "other", "look")), CALL),
    st.tuples(st.just("pause"), PAUSE),
)
Story = list[tuple[str, *tuple[int, ...]]]


class World:
    """An agent that runs, another process that comes and goes, and a person's editor."""

    def __init__(self, granularity: int) -> None:
        self.disk = EditorDisk(granularity)
        create(self.disk)
        self.editor = Editor(self.disk)
        self.agent_disk = MeddledDisk(self.disk, 0)
        self.agent = open_store(self.agent_disk)
        self.count = 0
        self.stalled: set[str] = set()

    def meddle(self, call: int) -> None:
        """Let the editor go on at one of the agent's next calls."""
        self.agent_disk.at = len(self.agent_disk.calls) + call if call else 0

    @property
    def views(self) -> TimedViews:
        """The views that the agent sees."""
        return cast("TimedViews", views_of(self.agent))

    def commit(self, store: Store, key: str = "") -> None:
        self.count += 1
        task = c.NewTask(f"task {self.count}")
        store.commit(Request((c.AddTasks((task,)),), "bob", NOW, key=key), return_commit)

    def run(self, name: str, *how: int) -> None:
        """Do one step of a story."""
        if name in ("save", "stall"):
            self.finish_save()
            word = self.editor.edit()
            self.editor.save(how[0], how[1] * MILLISECOND)
            if name == "stall":
                self.stalled.add(word)
            self.disk.step()
            return
        if name == "pause":
            self.disk.sleep(how[0] / 1000)
            return
        self.meddle(how[0])
        if name == "commit":
            self.commit(self.agent)
        elif name == "timer":
            self.views.fire_timer()
        elif name == "close":
            self.agent.close()
            self.agent = open_store(self.agent_disk)
        elif name == "other":
            other = open_store(MeddledDisk(self.disk, how[0]))
            self.commit(other)
            other.close()
        else:
            self.views.sync_touched()

    def finish_save(self) -> None:
        """Let the editor finish; the agent sees everything before its next request but one."""
        self.meddle(0)
        while self.disk.steps:
            self.disk.step()
        self.views.sync_touched()
        words = {f"h{n + 1}h" for n in range(self.editor.words)}
        if words - self.seen() <= self.stalled:  # set aside or merged before it was whole
            self.disk.sleep(0.3)
            self.views.sync_touched()
        assert words <= self.seen(), (words - self.seen(), self.disk.get(FILE).decode())

    def seen(self) -> set[str]:
        names = self.agent.read(lambda state: [task.name for task in state.tasks.values()])
        assert len({*names}) == len(names)
        return {word for name in names for word in WORD.findall(name)}

    def check(self) -> None:
        """See that every save has arrived, that the file shows it, and that nothing is left."""
        self.finish_save()
        self.agent.close()
        open_store(self.disk).close()
        words = {*WORD.findall(self.disk.get(FILE).decode())}
        assert words == {f"h{n + 1}h" for n in range(self.editor.words)}
        assert not [path for path in self.disk.files if path.endswith((".new", ".was"))]


def tell(story: Story, granularity: int = 4 * MILLISECOND) -> None:
    """Let a story happen."""
    world = World(granularity)
    for name, *how in story:
        world.run(name, *how)
    world.check()


@given(st.lists(STEPS, min_size=1, max_size=12), st.sampled_from((1, 4 * MILLISECOND, SECOND)))
@settings(LOOSE, max_examples=200)
def test_f7_every_save_is_seen_at_the_next_look(story: Story, granularity: int) -> None:
    tell(story, granularity)


@pytest.mark.slow
@pytest.mark.soak
@given(st.lists(STEPS, min_size=4, max_size=30), st.sampled_from((1, 4 * MILLISECOND, SECOND)))
@settings(LOOSE, max_examples=STORIES)
def test_f7_every_save_is_seen_in_many_stories(story: Story, granularity: int) -> None:
    tell(story, granularity)


@pytest.mark.parametrize("habit", range(len(HABITS)), ids=[habit.__name__ for habit in HABITS])
@pytest.mark.parametrize("name", ["commit", "timer", "close", "other", "look"])
def test_f7_a_save_at_any_call_is_seen(name: str, habit: int) -> None:
    """A save at every third call to the disk, right after a commit made a rendering due."""
    call = 0
    is_reached = True
    while is_reached:
        call += 3
        world = World(4 * MILLISECOND)
        world.run("commit", 0)
        world.editor.edit()
        world.editor.save(habit, 3 * MILLISECOND)
        before = len(world.disk.steps)
        world.run(name, call)
        is_reached = len(world.disk.steps) < before
        world.check()


# One cause each


def test_f7_an_edit_of_the_same_size_at_the_same_moment_is_seen() -> None:
    world = World(4 * MILLISECOND)
    world.editor.edit()
    world.editor.save(1, 0)
    world.disk.step()
    world.views.sync_touched()
    assert world.seen() == {"h1h"}
    world.views.sync_touched()  # which looks at our own file, written this moment
    view = world.disk.files[FILE]
    world.disk.write_in_place(view, world.disk.get(FILE).replace(b"h1h", b"h2h"))
    world.views.sync_touched()
    assert world.seen() == {"h1h", "h2h"}


def test_f7_a_rendering_that_fails_hides_no_edit() -> None:
    for call in range(1, 90):
        world = World(4 * MILLISECOND)
        world.disk.sleep(1)
        world.views.sync_touched()
        world.editor.edit()
        world.editor.save(0, 0)
        world.disk.step()
        world.disk.sleep(1)
        world.agent_disk.error = refusal("ENOSPC")
        world.agent_disk.at = len(world.agent_disk.calls) + call
        with suppress(StoreError):
            world.views.render()
        world.agent_disk.error = None
        world.views.sync_touched()
        assert world.seen() == {"h1h"}, call


def test_f7_a_look_that_fails_hides_no_edit() -> None:
    for call in range(1, 90):
        world = World(4 * MILLISECOND)
        world.editor.edit()
        world.editor.save(0, 0)
        world.disk.step()
        world.disk.sleep(1)
        world.agent_disk.error = refusal("EIO")
        world.agent_disk.at = len(world.agent_disk.calls) + call
        with suppress(StoreError):
            world.views.sync_touched()
        world.agent_disk.error = None
        world.views.sync_touched()
        assert world.seen() == {"h1h"}, call


def test_f20_what_follows_the_closing_line_is_seen() -> None:
    """The file is complete before its writer is done: it is applied, but not replaced yet."""
    world = World(4 * MILLISECOND)
    data = world.disk.get(FILE) + b"\nA remark, h1h.\n"
    opened = world.disk.files[FILE]
    world.disk.write_in_place(opened, data[:-9].replace(b"# Test", b"# Tests h2h"))
    world.disk.steps = [
        (
            world.disk.time_ns + 30 * MILLISECOND,
            lambda: world.disk.write_in_place(opened, data[-9:], append=True),
        )
    ]
    world.views.sync_edits()
    world.views.sync_edits()
    assert world.seen() == {"h1h", "h2h"}


def test_f20_a_damaged_file_is_not_set_aside_while_it_is_young() -> None:
    world = World(4 * MILLISECOND)
    for _ in range(2):
        world.commit(world.agent)
    assert world.views.is_timer_set
    world.disk.write_in_place(world.disk.files[FILE], "# 屋".encode()[:-1])
    world.views.fire_timer()
    assert world.disk.get(FILE) == "# 屋".encode()[:-1]
    world.disk.sleep(0.25)
    world.views.sync_touched()
    assert [text for text, _ in world.agent.notices] == ["view_damaged"]
    assert b"task 2" in world.disk.get(FILE)


def test_f20_a_file_that_was_set_aside_comes_back_in_any_process() -> None:
    world = World(4 * MILLISECOND)
    world.editor.edit()
    world.editor.save(3, 900 * MILLISECOND)
    world.disk.step()
    world.disk.step()
    opened = world.disk.files[FILE]
    other = open_store(world.disk)
    assert [text for text, _ in other.notices] == ["view_damaged"]
    other.close()
    assert world.disk.files[FILE] is not opened
    world.disk.step()
    world.disk.sleep(0.25)
    other = open_store(world.disk)
    assert [text for text, _ in other.notices] == ["view_put_back"]
    other.close()
    assert b"h1h" in world.disk.get(FILE)
    assert not [path for path in world.disk.files if ".bad-" in path]


def test_f20_damage_that_stays_is_left_where_it_is() -> None:
    world = World(4 * MILLISECOND)
    world.disk.write_in_place(world.disk.files[FILE], b"\xff")
    world.views.sync_touched()
    [copy] = [path for path in world.disk.files if ".bad-" in path]
    world.disk.write_in_place(world.disk.files[copy], b"\xff\xff")
    world.disk.sleep(0.25)
    assert world.agent.read(lambda state: len(state.tasks)) == 0
    world.views.sync_touched()
    world.agent.close()
    assert world.disk.get(copy) == b"\xff\xff"
    assert [text for text, _ in world.agent.notices] == ["view_damaged"]


def test_f20_a_file_that_is_written_without_end_holds_nobody_up() -> None:
    world = World(4 * MILLISECOND)
    opened = world.disk.files[FILE]

    def write() -> None:
        world.disk.write_in_place(opened, b"x" * 99, append=True)
        world.disk.steps.append((world.disk.time_ns + 50 * MILLISECOND, write))

    world.disk.write_in_place(opened, b"# Plan\n")
    write()
    waited = 0
    for _ in range(100):
        world.disk.sleep(0.05)
        started = world.disk.time_ns
        world.commit(world.agent)
        world.views.sync_touched()
        world.views.fire_timer()
        waited += world.disk.time_ns - started
    assert waited <= 2 * SECOND
    assert [text for text, _ in world.agent.notices] == ["view_busy"]
    world.disk.steps.clear()
    world.disk.write_in_place(opened, b"# Plan\n\n- [ ] h1h\n")
    world.disk.sleep(0.25)
    world.views.sync_touched()
    assert world.seen() == {"h1h"}


def test_f7_a_file_that_changes_while_it_is_read_is_left_alone() -> None:
    world = World(1)
    reads: list[int] = []

    class BusyDisk(MeddledDisk):
        """A disk on which the file is written to between two reads."""

        def read(self, fd: int, offset: int, count: int) -> bytes:
            if len(reads) < 15 and count > 200:
                reads.append(count)
                world.disk.time_ns += MILLISECOND
                world.disk.write_in_place(world.disk.files[FILE], b"x" * (300 + len(reads)))
            return super().read(fd, offset, count)

    world.agent.close()
    agent = open_store(BusyDisk(world.disk, 0))
    assert len(reads) >= 10
    agent.close()
    assert [text for text, _ in agent.notices if text == "view_failed"] == []


def test_f19_a_view_of_another_history_is_rendered_again() -> None:
    """A view that looks the same names a commit of this history, so that it can be edited."""
    world = World(4 * MILLISECOND)
    world.agent.close()
    path = f"{WHERE}/rendered.json"
    manifest = json.loads(world.disk.get(path))
    mark = manifest["task_plan.md"]["mark"]
    assert mark.encode() in world.disk.get(FILE)
    foreign = world.disk.get(FILE).replace(mark.encode(), b"ffffffff")
    manifest["task_plan.md"] |= {"mark": "ffffffff", "now": checksum(foreign)}
    world.disk.put(FILE, foreign)
    world.disk.put(path, json.dumps(manifest).encode())
    store = open_store(world.disk)
    assert world.disk.get(FILE) == foreign.replace(b"ffffffff", mark.encode())
    assert store.notices == []
    store.close()


def test_f20_a_file_that_was_set_aside_does_not_undo_a_later_save() -> None:
    world = World(4 * MILLISECOND)
    world.editor.edit()
    world.editor.save(3, 900 * MILLISECOND)
    world.disk.step()
    world.disk.step()
    world.views.sync_touched()
    assert [text for text, _ in world.agent.notices] == ["view_damaged"]
    world.disk.step()  # it is whole now, under its new name
    world.disk.sleep(0.01)
    world.editor.edit()
    world.editor.save(0, 0)
    world.disk.step()
    world.views.sync_touched()
    world.disk.sleep(0.3)
    world.views.sync_touched()
    world.agent.close()
    other = open_store(world.disk)
    other.close()
    assert [text for text, _ in (*world.agent.notices, *other.notices)] == ["view_damaged"]
    assert [path for path in world.disk.files if ".bad-" in path]


def test_f20_a_file_that_was_set_aside_does_not_follow_a_save_of_that_moment() -> None:
    """Another process applies a later save while this one waits for the lock to put it back."""
    world = World(4 * MILLISECOND)
    world.editor.edit()
    world.editor.save(3, 900 * MILLISECOND)
    for _ in range(2):
        world.disk.step()
    world.views.sync_touched()
    world.disk.step()
    world.disk.sleep(0.3)

    def save_and_apply() -> None:
        world.editor.edit()
        world.editor.save(0, 0)
        world.disk.step()
        open_store(world.disk).close()

    world.disk.steps.append((0, save_and_apply))
    world.agent_disk.deadly = "lock"
    world.views.sync_touched()
    world.agent.close()
    assert world.disk.steps == []
    assert b"h2h" in world.disk.get(FILE)
    assert [text for text, _ in world.agent.notices] == ["view_damaged"]
    assert [path for path in world.disk.files if ".bad-" in path]


def test_f20_an_edit_that_is_taken_back_is_a_save_of_its_own() -> None:
    """The text of an earlier save, and our own text, are edits if they are saved once more."""
    world = World(4 * MILLISECOND)
    world.disk.sleep(1)
    ours = world.disk.get(FILE)
    first, second = (ours.replace(b"# Test", b"# Test %b" % word) for word in (b"h1h", b"h2h"))
    found: list[str] = []

    def note(views: Views, edits: Sequence[EditedView], *, confirmed: bool) -> None:
        assert not confirmed
        found.extend(edit.text for edit in edits)
        for edit in edits:
            world.commit(world.agent, f"task_plan.md:1:{edit.mark}:{len(found)}")
            views.overwrite_edit(edit)
            world.disk.sleep(0.01)
            if texts:
                world.disk.put(FILE, texts.pop(0))

    texts = [second, first, ours]
    world.disk.put(FILE, first)
    world.views.sync_with(note)
    for _ in range(4):
        world.views.sync_touched()
    assert found == [text.decode() for text in (first, second, first, ours)]
    world.agent.close()


def test_f20_a_save_is_current_until_the_next_one() -> None:
    world = World(4 * MILLISECOND)
    currency = []

    def look(views: Views, edits: Sequence[EditedView], *, confirmed: bool) -> None:
        assert not confirmed
        currency.append(views.is_current(edits[0]))
        world.disk.put(FILE, world.disk.get(FILE) + b"more")
        currency.append(views.is_current(edits[0]))

    world.editor.edit()
    world.editor.save(0, 0)
    world.disk.step()
    world.views.sync_with(look)
    assert currency == [True, False]
