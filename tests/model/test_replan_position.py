"""R3.14: the invariants of the replan loop's position hold whatever happens."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from msgspec.structs import replace

from outlast.model.replan_position import START, STEP_LIMIT, PlannedAction, ReplanPosition

ITEMS = st.lists(st.integers(1, 9), max_size=4, unique=True).map(tuple)
ACTION = PlannedAction("todo", "/todo list", 1)


class Positions(RuleBasedStateMachine):
    """Does to a position whatever a loop may do."""

    def __init__(self) -> None:
        super().__init__()
        self.position = START
        self.steps_before = 0

    @precondition(lambda self: not self.position.is_planned)
    @rule(items=ITEMS)
    def plan(self, items: tuple[int, ...]) -> None:
        self.position = self.position.begin_first_list().align(items, ())

    @rule(grant=st.integers(1, 5))
    def begin_step(self, grant: int) -> None:
        if self.position.is_at_limit:
            with pytest.raises(ValueError, match=str(self.position.steps)):
                self.position.begin_step()
            self.position = self.position.grant(grant)
        self.position = self.position.begin_step()

    @rule(action=st.sampled_from([None, ACTION]))
    def decide(self, action: PlannedAction | None) -> None:
        self.position = self.position.decide("x", action)
        assert self.position.failed_rounds == 0

    @precondition(lambda self: self.position.action and not self.position.is_at_limit)
    @rule()
    def begin_action(self) -> None:
        assert self.position.action is not None
        self.position = self.position.begin_action(self.position.action)
        assert self.position.action == PlannedAction("todo", "/todo list", 1, is_begun=True)

    @precondition(lambda self: self.position.action)
    @rule()
    def retry_action(self) -> None:
        assert self.position.action is not None
        self.position = self.position.retry_action(self.position.action)
        assert self.position.action == ACTION

    @precondition(lambda self: self.position.action)
    @rule(result=st.sampled_from([0, 1]))
    def observe(self, result: int) -> None:
        before, ok = self.position, bool(result)
        self.position = before.observe(ok=ok)
        assert self.position.action is None
        assert self.position.has_news
        assert self.position.successes + self.position.failures == (
            before.successes + before.failures + 1
        )
        assert self.position.failures_in_a_row == (0 if ok else before.failures_in_a_row + 1)

    @rule(conclusion=st.sampled_from(["", "Two found"]))
    def finish_item(self, conclusion: str) -> None:
        before = self.position
        self.position = before.finish_item(conclusion)
        assert self.position.needs_replan
        assert self.position.conclusion == (conclusion or before.conclusion)
        assert self.position.has_news == (before.has_news or bool(conclusion))

    @rule()
    def reopen_item(self) -> None:
        self.position = self.position.reopen_item()
        assert not self.position.needs_replan

    @rule()
    def ask(self) -> None:
        self.position = self.position.clear_replan()
        assert not self.position.needs_replan

    @rule()
    def answer(self) -> None:
        self.position = self.position.answer()
        assert self.position.needs_replan
        assert self.position.has_news

    @rule()
    def fail_round(self) -> None:
        kept = self.position
        self.position = kept.fail_round()
        assert (kept.items, kept.cursor, kept.needs_replan) == (
            self.position.items,
            self.position.cursor,
            self.position.needs_replan,
        )

    @precondition(lambda self: self.position.needs_replan)
    @rule(items=ITEMS)
    def replan(self, items: tuple[int, ...]) -> None:
        self.position = self.position.begin_new_list().align(items, ())
        assert (self.position.cursor, self.position.conclusion) == (0, "")
        assert not self.position.needs_replan
        assert not self.position.has_news

    @precondition(lambda self: self.position.needs_replan)
    @rule()
    def propose(self) -> None:
        before = self.position
        self.position = before.reset_failed_rounds()
        assert self.position.needs_replan
        assert (self.position.items, self.position.conclusion) == (before.items, before.conclusion)
        assert self.position.failed_rounds == 0

    @precondition(lambda self: self.position.needs_replan)
    @rule()
    def skip_replan(self) -> None:
        before = self.position
        self.position = before.skip_replan()
        assert (self.position.items, self.position.steps) == (before.items, before.steps)
        assert (self.position.needs_replan, self.position.conclusion) == (False, "")

    @rule(open_tasks=ITEMS, gone=ITEMS)
    def align(self, open_tasks: tuple[int, ...], gone: tuple[int, ...]) -> None:
        before, begun = self.position, {*range(1, 10)} - {*gone}
        self.position = before.align(open_tasks, begun)
        done = [item for item in before.items[: before.cursor] if item in begun]
        assert [*self.position.items[: self.position.cursor]] == done
        left = self.position.items[self.position.cursor :]
        assert [*left] == [task for task in open_tasks if task not in done]
        action, is_same = before.action, self.position.item == before.item
        is_kept = action is None or action.is_begun or is_same
        assert self.position.action == (action if is_kept else None)

    @invariant()
    def r3_14_holds(self) -> None:
        position = self.position
        assert 0 <= position.cursor <= len(position.items)
        assert self.steps_before <= position.steps <= position.limit
        assert (position.item is None) == (position.cursor == len(position.items))
        self.steps_before = position.steps


Positions.TestCase.settings = settings(max_examples=100, stateful_step_count=30)
test_r3_14_the_invariants_hold_whatever_happens = Positions.TestCase


def test_r3_14_a_fresh_position_has_nothing() -> None:
    assert ReplanPosition() == START
    assert (START.item, START.limit) == (None, STEP_LIMIT)


def test_r3_04_no_step_begins_at_the_limit() -> None:
    with pytest.raises(ValueError, match="1"):
        START.begin_first_list(1).begin_step().begin_step()


def test_r3_02_the_open_items_are_those_that_are_not_done() -> None:
    position = START.begin_first_list().align((1, 2), ()).finish_item("")
    assert position.open_items == (2,)
    assert position.finish_item("").open_items == ()


def test_r3_02_a_position_from_before_an_answer_takes_it_over() -> None:
    before = START.begin_first_list()
    thought = before.begin_step().decide("x", ACTION)
    latest = before.answer().answer()
    assert thought.take_over_answers(latest) == replace(
        thought, needs_replan=True, has_news=True, answers=2
    )
    assert latest.take_over_answers(latest) == latest
    replanned = latest.begin_new_list()
    assert replanned.take_over_answers(latest) == replanned, "it knew of them"


def test_r3_04_only_a_position_at_its_limit_is_granted_more_steps() -> None:
    below = START.begin_first_list(2).begin_step().fail_round()
    assert below.grant(5) == START.begin_first_list(2).begin_step()
    assert below.begin_step().grant(5).limit == 7
