"""A13: edits that were made while a tool ran are nobody's; what only people may do is asked."""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import partial
from threading import Event, Thread
from time import sleep
from typing import TYPE_CHECKING, Any

import pytest

from outlast import Check, Plan, create_plan, open_plan
from outlast.agent.runtime.lease_holder import LeaseHolder
from outlast.documents.waiting_edits import question_text
from outlast.errors import InvalidArgument, InvalidStatus, ProofNeeded, StoreError
from outlast.model import commands as c
from outlast.model.execute import return_commit
from outlast.model.model import PERSON, UNATTRIBUTED, Question
from outlast.plan.core import PlanCore
from outlast.plan.edit_sync import EditSync
from outlast.store.files.log import open_files
from outlast.system.caller import MARK
from outlast.system.clock import now
from outlast.system.disk import Disk
from tests.documents.sync.editing import WHERE, MeddledDisk, World
from tests.store.faults import FaultyDisk
from tests.store.opening import open_views, views_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from outlast.model.execute import Attempt
    from outlast.model.state import PlanState
    from outlast.store.port import EditedView, Views

FILE = ".outlast/plans/k/task_plan.md"
FINDINGS = ".outlast/plans/k/findings.md"
REVIEW = Check("person", "it looks right")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    with create_plan(tmp_path, "Ship", "k", actor=PERSON) as plan:
        plan.add("Build")
        plan.add("Review", checks=[REVIEW])
        plan.complete(plan.add("Decide").id)
        plan.notes.add_finding("insight", "It is blue", "seen")
    return tmp_path


def change(root: Path, old: str, new: str, name: str = FILE) -> None:
    text = (root / name).read_text()
    assert old in text
    (root / name).write_text(text.replace(old, new))


@contextmanager
def during_call(root: Path) -> Iterator[Plan]:
    """Open the plan; what is changed in the block was changed while `bash` ran."""
    with open_plan(root, "k", actor="agent") as plan:
        views = views_in(plan)
        views.sync_touched()
        yield plan
        views.sync_touched("bash")


def views_in(plan: Plan) -> Views:
    return views_of(plan.core.store)


def authors(plan: Plan) -> list[str]:
    """Return who made the edits in the views, the oldest first."""
    return [commit.author for commit in plan.history.commits(100)[::-1] if ".md" in commit.reason]


def questions(plan: Plan) -> list[str]:
    return [line for item in plan.questions.open() for line in item.text.split("\n")[1:-1]]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("○ **1** Build", "○ **1** Make"),
        ("[ ] ○ **1** Build", "[x] ● **1** Build"),
        ("[ ] ○ **1** Build", "[ ] ◐ **1** Build"),
    ],
)
def test_a13_what_an_agent_may_do_applies_as_nobodys(root: Path, old: str, new: str) -> None:
    with during_call(root) as plan:
        change(root, old, new)
    with open_plan(root, "k", actor="agent") as plan:
        assert authors(plan) == [UNATTRIBUTED]
        assert plan.task(1) != Plan(plan.core.acting_as("x")).task(2)
        assert plan.questions.open() == ()


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("[ ] ○ **2** Review", "[x] ● **2** Review", "- [x] ● Review"),
        ("[ ] ○ **2** Review", "[ ] ⊘ **2** Review", "- [ ] ⊘ Review"),
        ("person: it looks right", "person: it is there", "- check: person: it is there"),
        ("● **3** Decide", "● **3** Chosen", "- [x] ● Chosen"),
        ("[x] ● **3** Decide", "[ ] ○ **3** Decide", "- [ ] ○ Decide"),
        ("Objective:** Ship", "Objective:** Sail", "Sail"),
    ],
)
def test_a13_what_only_people_may_do_is_asked_and_applied_on_a_yes(
    root: Path, old: str, new: str, shown: str
) -> None:
    with during_call(root) as plan:
        change(root, old, new)
    with open_plan(root, "k", actor=PERSON) as plan:
        before = plan.core.read(lambda state: (state.goal, *state.tasks.values()))
        [line] = questions(plan)
        assert line.endswith(shown)
        assert shown in (root / FILE).read_text(), "it is kept as a comment"
        plan.questions.answer("yes")
        assert plan.core.read(lambda state: (state.goal, *state.tasks.values())) != before
        assert plan.questions.open() == ()
        assert PERSON in authors(plan)


def test_a13_a_confirmed_check_and_one_of_a_task_in_progress_ask_nothing(root: Path) -> None:
    with open_plan(root, "k", actor=PERSON) as plan:
        plan.checks.confirm(2)
        plan.start(2)
    with during_call(root) as plan:
        change(root, "person: it looks right", "person: it is there")
    with during_call(root) as plan:
        change(root, "[ ] ◐ **2** Review", "[x] ● **2** Review")
    with open_plan(root, "k", actor=PERSON) as plan:
        assert (plan.task(2).status, plan.task(2).checks) == ("completed", (REVIEW,))
        assert plan.questions.open() == ()


def test_a13_a_tick_that_a_check_refuses_asks_nothing(root: Path) -> None:
    with open_plan(root, "k", actor=PERSON) as plan:
        plan.add("Audit", checks=[Check("command", "test -f made.txt")])
    with during_call(root) as plan:
        change(root, "[ ] ○ **4** Audit", "[x] ● **4** Audit")
    with open_plan(root, "k", actor=PERSON) as plan:
        assert plan.task(4).status == "pending"
        assert plan.questions.open() == ()
    (root / "made.txt").touch()
    with during_call(root) as plan:
        change(root, "[ ] ○ **4** Audit", "[x] ● **4** Audit")
    with open_plan(root, "k", actor=PERSON) as plan:
        assert (plan.task(4).how, plan.task(4).actor) == ("proved", UNATTRIBUTED)


def test_a13_the_same_edit_again_is_in_the_question_already(root: Path) -> None:
    for _ in range(3):
        with during_call(root):
            change(root, "[ ] ○ **2** Review", "[x] ● **2** Review")
    with open_plan(root, "k", actor=PERSON) as plan:
        assert len(plan.questions.open()) == 1
        plan.fail(2, "no", retry=False)
        with pytest.raises(InvalidStatus):
            plan.questions.answer("yes")
        assert len(plan.questions.open()) == 1, "it can still be answered"


def test_a13_a_yes_to_what_is_so_already_only_closes_the_question(root: Path) -> None:
    with during_call(root):
        change(root, "[x] ● **3** Decide", "[ ] ○ **3** Decide")
    with open_plan(root, "k", actor=PERSON) as plan:
        plan.reopen(3)
        plan.questions.answer("yes")
        assert plan.task(3).status == "pending"
        assert plan.questions.open() == ()


def test_a13_removals_are_named(root: Path) -> None:
    text = (root / FILE).read_text().splitlines(keepends=True)
    with during_call(root) as plan:
        (root / FILE).write_text("".join(line for line in text if "Decide" not in line))
    with open_plan(root, "k", actor=PERSON) as plan:
        assert questions(plan) == ["  removed: 3 Decide"]
        [question] = plan.questions.open()
        assert "移除：3 Decide" in question_text(question, "zh")
        plan.questions.answer("no")
        assert len(plan.tasks()) == 3


def test_a13_long_lists_are_shortened(root: Path) -> None:
    with open_plan(root, "k", actor=PERSON) as plan:
        for number in range(12):
            plan.complete(plan.add(f"Extra {number} {'x' * 200}").id)
    with during_call(root) as plan:
        change(root, "Extra", "Other")
    with open_plan(root, "k", actor=PERSON) as plan:
        lines = questions(plan)
        assert len(lines) == 11
        assert lines[-1] == "  task_plan.md: 2 more messages"
        assert max(map(len, lines)) < 150


def test_a13_edits_of_notes_apply_as_nobodys(root: Path) -> None:
    with during_call(root) as plan:
        change(root, "It is blue", "It is red", FINDINGS)
    with open_plan(root, "k", actor=PERSON) as plan:
        assert [finding.title for finding in plan.notes.findings()] == ["It is red"]
        assert authors(plan) == [UNATTRIBUTED]


def test_a13_a_persons_edit_that_waits_stays_theirs_while_tools_run(root: Path) -> None:
    with open_plan(root, "k", actor="agent") as plan:
        text = (root / FILE).read_text()
        (root / FILE).write_text(f"{text}\n<<<<<<< ours\n=======\n>>>>>>> theirs\n")
        views_in(plan).sync_touched()
        os.utime(root / FILE)
        views_in(plan).sync_touched("bash")
        assert plan.questions.open() == ()
        assert "<<<<<<< ours" in (root / FILE).read_text()


def test_a13_a_file_that_is_too_large_to_ask_about_is_set_aside(root: Path) -> None:
    with during_call(root) as plan:
        text = (root / FILE).read_text().replace("[ ] ○ **2** Review", "[x] ● **2** Review")
        end = text.index("- [x] ● **3**")
        (root / FILE).write_text(f"{'x' * 70_000}\n{text[:end]}")
    with open_plan(root, "k", actor=PERSON) as plan:
        assert plan.task(2).status == "pending"
        assert plan.questions.open() == ()
    [copy] = (root / FILE).parent.glob("task_plan.md.edited-*")
    assert "[x] ● **2** Review" in copy.read_text()


def test_a13_with_too_many_questions_the_edit_is_refused_and_reported(root: Path) -> None:
    with open_plan(root, "k", actor=PERSON) as plan:
        for number in range(100):
            plan.questions.ask(f"Question {number}?")
    with during_call(root) as plan:
        change(root, "[ ] ○ **2** Review", "[x] ● **2** Review")
    with open_plan(root, "k", actor=PERSON) as plan:
        assert plan.task(2).status == "pending"
        assert not [item for item in plan.questions.open() if item.kind == "edit"]
    assert "<!-- outlast: not applied: - [x] ● Review -->" in (root / FILE).read_text()


def test_a13_only_the_sync_asks_about_edits(root: Path) -> None:
    with open_plan(root, "k", actor="agent") as plan, pytest.raises(InvalidArgument, match="kind"):
        plan.questions.ask("Fine?", kind="edit", about='{"view":"x","during":"y","key":"z"}')


def test_a13_a_question_that_cannot_be_read_is_only_answered(root: Path) -> None:
    with open_plan(root, "k", actor=PERSON) as plan:
        plan.core.commit((c.AskQuestion("Yours?", "edit", "nonsense"),), return_commit)
        [question] = plan.questions.open()
        assert question_text(question, "zh") == "Yours?"
        plan.questions.answer("yes")
        assert plan.questions.open() == ()


def test_a13_a_yes_on_a_plan_without_views_applies_its_edits(root: Path) -> None:
    with during_call(root) as plan:
        change(root, "Objective:** Ship", "Objective:** Sail")
    with open_plan(root, "k", actor=PERSON) as plan:
        [question] = plan.questions.open()
    with create_plan("memory:", "Ship", actor=PERSON) as plan:
        ask = c.AskQuestion(question.text, "edit", question.about)
        plan.core.commit((ask,), return_commit)
        plan.questions.answer("yes")
        assert plan.goal == "Sail"


# A whole file that waits


@pytest.fixture
def waiting(root: Path) -> Path:
    """Return a plan whose file lost four tasks while a tool ran."""
    with open_plan(root, "k", actor=PERSON) as plan:
        for number in range(4, 8):
            plan.add(f"Extra {number}")
    with during_call(root):
        lines = (root / FILE).read_text().splitlines(keepends=True)
        kept = [line for line in lines if "Extra" not in line and "<!-- outlast r" not in line]
        (root / FILE).write_text("".join(kept).replace("[ ] ○ **2** Review", "[x] ● **2** Review"))
    return root


def test_a13_a_yes_to_a_file_that_no_longer_fits_leaves_the_question_open(waiting: Path) -> None:
    with open_plan(waiting, "k", actor=PERSON) as plan:
        [question] = plan.questions.open()
        removed = "tasks that it would remove: 4, 5, 6, 7; tasks that it would reopen: none"
        assert f"\n  {removed}\n" in question.text
        assert "accept --yes" not in question_text(question, "zh")
        plan.start(5)
        with pytest.raises(InvalidStatus, match=r"Task 5 .* changed elsewhere since"):
            plan.questions.answer("yes")
        assert plan.questions.open() == (question,)
        assert [task.id for task in plan.tasks()] == [1, 2, 3, 5]
        plan.return_task(5)
        plan.questions.answer("yes")
        assert [task.id for task in plan.tasks()] == [1, 2, 3]
        assert plan.questions.open() == ()


def test_a13_cut_notes_are_asked_about_as_a_whole(root: Path) -> None:
    whole = (root / FINDINGS).read_text()
    with during_call(root) as plan:
        (root / FINDINGS).write_text(whole[: whole.index("It is blue") + 5])
    with open_plan(root, "k", actor=PERSON) as plan:
        [question] = plan.questions.open()
        assert "it ends early, after: ### It is" in question.text
        assert "文件提前结束，最后一行：### It is" in question_text(question, "zh")
        assert [finding.title for finding in plan.notes.findings()] == ["It is blue"]
        plan.questions.answer("yes")
        assert [finding.title for finding in plan.notes.findings()] == ["It is"]


def test_f33_a_file_with_conflict_markers_is_set_aside_and_never_a_persons(root: Path) -> None:
    conflict = "<<<<<<< HEAD\n- [x] ● **1** Build\n=======\n>>>>>>> other"
    before = (root / FILE).read_text()
    with during_call(root) as plan:
        change(root, "- [ ] ○ **1** Build", conflict)
    with open_plan(root, "k", actor=PERSON) as plan:
        assert plan.questions.open() == ()
        assert plan.task(1).status == "pending"
    [copy] = (root / FILE).parent.glob("task_plan.md.edited-*")
    assert conflict in copy.read_text()
    assert "<<<<<<<" not in (root / FILE).read_text()
    assert "- [ ] ○ **1** Build" in before


def test_a13_a_yes_to_a_file_that_a_check_refuses_leaves_the_question_open(waiting: Path) -> None:
    with open_plan(waiting, "k", actor=PERSON) as plan:
        plan.update(2, checks=[REVIEW, Check("command", "test -f ok")])
        with pytest.raises(ProofNeeded):
            plan.questions.answer("yes")
        assert plan.task(2).status != "completed"
        assert len(plan.questions.open()) == 1
        (waiting / "ok").touch()
        plan.questions.answer("yes")
        assert plan.task(2).how == "proved"
        assert plan.questions.open() == ()


def test_a13_a_yes_to_a_file_that_cannot_be_stored_leaves_the_question_open(waiting: Path) -> None:
    disk = FaultyDisk(Disk())
    store = open_views(str(waiting / FILE).rpartition("/")[0], disk, now())
    plan = Plan(PlanCore(store, now, str, PERSON))
    disk.error, disk.lasting, disk.deadly = OSError(28, "No space left on device"), False, "write"
    with pytest.raises(StoreError, match="No space left"):
        plan.questions.answer("yes")
    disk.heal()
    plan.close()
    with open_plan(waiting, "k", actor=PERSON) as plan:
        assert len(plan.questions.open()) == 1
        plan.questions.answer("yes")
        assert len(plan.tasks()) == 3
        assert plan.questions.open() == ()


# Faults


WHOLE = "commit"  # fails as a whole


class FailingCore:
    """A core that raises an error for some commits or commands, as many times as told."""

    def __init__(self, core: PlanCore, error: Exception, left: list[int], word: str) -> None:
        self._core, self._error, self._left, self._word = core, error, left, word
        self.commit_with_checks, self.prove = core.commit_with_checks, core.prove

    def commit_composed(self, compose: Any, then: Any, **options: Any) -> Any:
        def compose_failing(state: PlanState, attempt: Attempt) -> None:
            def attempt_failing(commands: Sequence[c.Command]) -> Any:
                self._fail(repr(commands))
                return attempt(commands)

            compose(state, attempt_failing)

        self._fail(WHOLE)
        return self._core.commit_composed(compose_failing, then, **options)

    def _fail(self, what: str) -> None:
        if self._word in what and self._left[0]:
            self._left[0] -= 1
            raise self._error


def sync_failing(root: Path, error: Exception, word: str, times: int = 99) -> list[Question]:
    """Sync a tick that a tool made, while some commits fail; return the open questions."""
    store = open_views(str(root / FILE).rpartition("/")[0], Disk(), now())
    views = views_of(store)
    left = [times]

    def apply(views: Any, edits: Sequence[EditedView], *, confirmed: bool) -> None:
        def core(actor: str, key: str) -> Any:
            own = PlanCore(views.store, now, lambda: "plan_next", actor, key=key)
            return FailingCore(own, error, left, word)

        EditSync(views, core).run(edits, confirmed=confirmed)

    views.sync_with(apply)
    change(root, "[ ] ○ **2** Review", "[x] ● **2** Review")
    views.sync_touched("bash")
    notices, plan = [key for key, _ in store.notices], Plan(PlanCore(store, now, str))
    assert plan.task(2).status == "pending"
    assert notices
    found = list(plan.questions.open())
    plan.close()
    return found


REUSED = InvalidArgument("key_reused", argument="key", key="k")


def test_a13_a_faster_process_that_asked_first_is_enough(root: Path) -> None:
    [question] = sync_failing(root, REUSED, WHOLE, times=1)
    assert question.kind == "edit"


def test_a13_an_edit_that_others_are_always_quicker_with_is_set_aside(root: Path) -> None:
    assert sync_failing(root, REUSED, WHOLE) == []
    assert [*(root / FILE).parent.glob("task_plan.md.edited-*")]


def test_a13_a_question_that_is_refused_again_and_again_is_reported(root: Path) -> None:
    assert sync_failing(root, REUSED, "AskQuestion") == []
    assert "<!-- outlast: not applied: - [x] ● Review -->" in (root / FILE).read_text()


def test_a13_an_edit_that_a_bug_keeps_from_applying_is_set_aside(root: Path) -> None:
    assert sync_failing(root, RuntimeError("bug"), "AskQuestion") == []
    assert [*(root / FILE).parent.glob("task_plan.md.edited-*")]
    with open_plan(root, "k", actor=PERSON) as plan:
        assert plan.task(2).status == "pending"


def test_a13_an_edit_that_could_not_be_stored_stays_nobodys(root: Path) -> None:
    store = open_views(str(root / FILE).rpartition("/")[0], Disk(), now())
    views = views_of(store)
    left = [99]

    def apply(views: Any, edits: Sequence[EditedView], *, confirmed: bool) -> None:
        def core(actor: str, key: str) -> Any:
            own = PlanCore(views.store, now, lambda: "plan_next", actor, key=key)
            return FailingCore(own, StoreError("write_failed", where="", problem=""), left, "Ask")

        EditSync(views, core).run(edits, confirmed=confirmed)

    views.sync_with(apply)
    change(root, "[ ] ○ **2** Review", "[x] ● **2** Review")
    views.sync_touched("bash")
    plan = Plan(PlanCore(store, now, str))
    assert plan.questions.open() == ()
    left[0] = 0
    views.sync_edits()
    assert [item.kind for item in plan.questions.open()] == ["edit"]
    assert plan.task(2).status == "pending"
    plan.close()


def test_a13_views_that_cannot_be_read_stay_nobodys(root: Path) -> None:
    disk = FaultyDisk(Disk())
    store = open_views(str(root / FILE).rpartition("/")[0], disk, now())
    views = views_of(store)

    def apply(views: Any, edits: Sequence[EditedView], *, confirmed: bool) -> None:
        core = partial(PlanCore, views.store, now, lambda: "plan_next")
        EditSync(views, lambda actor, key: core(actor, key=key)).run(edits, confirmed=confirmed)

    views.sync_with(apply)
    change(root, "[ ] ○ **2** Review", "[x] ● **2** Review")
    disk.error, disk.lasting = OSError(5, "Input/output error"), False
    disk.deadly, disk.spared = "stamp", 2
    views.sync_touched("bash")
    disk.heal()
    views.sync_edits()
    plan = Plan(PlanCore(store, now, str))
    assert [item.kind for item in plan.questions.open()] == ["edit"]
    plan.close()


def test_a13_a_look_waits_for_the_thread_that_applies_edits(root: Path) -> None:
    store = open_views(str(root / FILE).rpartition("/")[0], Disk(), now())
    views = views_of(store)
    entered, go_on, seen = Event(), Event(), list[str]()

    def apply(views: Any, edits: Sequence[EditedView], *, confirmed: bool) -> None:
        del confirmed
        seen.extend(edit.during for edit in edits)
        entered.set()
        assert go_on.wait(100)
        views.sync_touched("check")  # as a check does that is run for an edit
        for edit in edits:
            views.overwrite_edit(edit)

    views.sync_with(apply)
    change(root, "○ **1** Build", "○ **1** Make")
    first = Thread(target=views.sync_edits)
    first.start()
    assert entered.wait(100)
    second = Thread(target=views.sync_touched, args=("bash",))
    second.start()
    change(root, "○ **1** Make", "○ **1** Create")
    go_on.set()
    first.join()
    second.join()
    assert seen[0] == ""
    assert set(seen[1:]) <= {"bash", "check"}
    assert seen[1:]
    store.close()


def test_a13_a_call_that_comes_and_goes_while_the_views_are_read_counts() -> None:
    for spared in range(3):
        world = World()
        world.person.read()
        world.person.new_goal(0)
        world.person.save(0)
        disk = MeddledDisk(world.disk, 0, partial(come_and_go, world))
        disk.deadly, disk.spared = "stamp", spared
        plan = world.open(disk)
        assert plan.goal == "Goal"
        assert [item.kind for item in plan.questions.open()] == ["edit"]
        world.close(plan)
        world.check()


def come_and_go(world: World) -> None:
    """Let another process make a whole tool call."""
    store = open_files(WHERE, world.disk, world.clock())
    core = PlanCore(store, world.clock, str)
    lease = core.commit((c.ClaimPlan("agent", 60),), lambda state, _: state.ledger.leases[0])
    begin = c.BeginAttempt(None, "act", "bash {}", token=lease.token)
    attempt: Any = core.commit((begin,), return_commit).changes[0]
    end = c.EndAttempt(attempt.id, "done", token=lease.token)
    core.commit((end, c.Release(0, lease.token)), return_commit)
    store.close()


def test_a13_a_new_runner_looks_at_the_files_before_it_takes_over(root: Path) -> None:
    with open_plan(root, "k", actor="agent") as plan:
        lease = plan.core.commit(
            (c.ClaimPlan("agent", 1),), lambda state, _: state.ledger.leases[0]
        )
        begin = c.BeginAttempt(None, "act", "bash {}", token=lease.token)
        plan.core.commit((begin,), return_commit)
        change(root, "[ ] ○ **2** Review", "[x] ● **2** Review")
        while lease.is_live(now()):
            sleep(0.05)
        with LeaseHolder(60) as holder:
            assert holder.acquire(plan).token > lease.token
            [question] = plan.questions.open()
            assert "while the agent's bash ran" in question.text


def test_r2_08_a_tick_counts_while_the_plan_is_paused(root: Path) -> None:
    with open_plan(root, "k", actor=PERSON) as plan:
        plan.start(1)
        plan.pause()
    change(root, "[ ] ◐ **1** Build", "[x] ● **1** Build")
    change(root, "[ ] ○ **2** Review", "[x] ● **2** Review")
    with open_plan(root, "k", actor="agent") as plan:
        assert [plan.task(task).status for task in (1, 2)] == ["completed", "completed"]
        assert plan.task(2).how == "proved"


def test_f7_an_edit_that_a_rendering_came_across_is_seen_by_the_holder(root: Path) -> None:
    with open_plan(root, "k", actor="agent") as plan:
        change(root, "○ **1** Build", "○ **1** Make")
        sleep(0.1)  # so that the file counts as settled
        plan.files.render()
        assert "○ **1** Make" in (root / FILE).read_text()
        views_in(plan).sync_touched()
        assert plan.task(1).name == "Make"


def test_a13_an_edit_is_nobodys_as_long_as_one_of_several_calls_runs(root: Path) -> None:
    with open_plan(root, "k", actor="agent") as plan:
        lease = plan.core.commit(
            (c.ClaimPlan("agent", 60),), lambda state, _: state.ledger.leases[0]
        )
        calls: list[Any] = []
        for tool in ("bash", "write_file"):
            begin = c.BeginAttempt(None, "act", f"{tool} {{}}", token=lease.token)
            calls += plan.core.commit((begin,), return_commit).changes
        for call, tool in zip(calls, ("bash", "write_file"), strict=True):
            views_in(plan).sync_touched(tool)
            plan.core.commit((c.EndAttempt(call.id, "done", token=lease.token),), return_commit)
            change(root, "Objective:** ", f"Objective:** {tool} ")
            with open_plan(root, "k", actor=PERSON) as elsewhere:
                found = elsewhere.goal, len(elsewhere.questions.open())
            assert found == (("Ship", 1) if tool == "bash" else ("write_file Ship", 1))


def test_a13_a_tools_process_syncs_for_nobody_and_commits_for_no_person(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(root, "[ ] ○ **2** Review", "[x] ● **2** Review")
    monkeypatch.setenv(f"{MARK}1", "1")
    with open_plan(root, "k", actor="agent") as plan:
        assert plan.task(2).status == "pending"
        [question] = plan.questions.open()
        assert "while the agent's tool ran" in question.text
    with open_plan(root, "k", actor=PERSON) as plan:
        for verb in (plan.complete, plan.checks.confirm):
            with pytest.raises(InvalidArgument, match="cannot act as a person"):
                verb(2)
        with pytest.raises(InvalidArgument, match="cannot act as a person"):
            plan.questions.answer("yes")
        assert plan.task(2).status == "pending"
    monkeypatch.delenv(f"{MARK}1")
    with open_plan(root, "k", actor=PERSON) as plan:
        plan.questions.answer("yes")
        assert plan.task(2).status == "completed"
