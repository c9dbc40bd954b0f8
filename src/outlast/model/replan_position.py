"""Where the replan loop stands: its items, its cursor, and what it has counted (R3.02 to R3.07).

The items are tasks of the plan. Each method returns the position after something has happened;
together they keep the invariants of R3.14.
"""

# No `from __future__ import annotations` here: msgspec builds a decoder several times slower from
# annotations that are strings.

from collections.abc import Container, Iterable
from typing import Final, Self

from msgspec import Struct
from msgspec.structs import replace

from outlast.redact.text_fields import Text

STEP_LIMIT: Final = 20
OBSERVATIONS_KEPT: Final = 100
OBSERVATION_CHARACTERS: Final = 10_000


class PlannedAction(Struct, frozen=True, gc=False):
    """A tool to run, with the one text that it takes; `step` is the number of its thought.

    However often it has to be run after crashes, it stays the action of that step. One that
    `is_begun` may have had its effect.
    """

    tool: str
    input: Text
    step: int = 0
    is_begun: bool = False


class Observation(Struct, frozen=True, gc=False):
    """What a tool run gave (R3.11)."""

    tool: str
    input: Text
    ok: bool
    result: Text


class ReplanPosition(Struct, frozen=True, omit_defaults=True):
    """The state of the loop beside its tasks.

    `items` are the ids of the tasks in the present list; those before `cursor` are done. `steps`
    counts thoughts, replans and tool runs, up to `limit`. `action` is decided and not run yet.
    `conclusion` is what the thought said that ended the last item, for the replan. `failed_rounds`
    counts requests in a row that got no usable answer. `snapshot` is the last thought in a line. It
    `has_news` if anything was learned since the last replan. `answers` counts the answers that
    called for a replan: a position with fewer than the plan has is from before the last one.
    """

    items: tuple[int, ...] = ()
    cursor: int = 0
    is_planned: bool = False
    needs_replan: bool = False
    steps: int = 0
    limit: int = STEP_LIMIT
    successes: int = 0
    failures: int = 0
    failures_in_a_row: int = 0
    failed_rounds: int = 0
    conclusion: Text = ""
    snapshot: Text = ""
    action: PlannedAction | None = None
    has_news: bool = False
    answers: int = 0

    @property
    def item(self) -> int | None:
        """The task that the loop works on; None in an empty plan and after the last item."""
        return self.items[self.cursor] if self.cursor < len(self.items) else None

    @property
    def open_items(self) -> tuple[int, ...]:
        """The tasks that are not done."""
        return self.items[self.cursor :]

    @property
    def is_at_limit(self) -> bool:
        """Whether no further step may begin."""
        return self.steps >= self.limit

    def align(self, open_tasks: Iterable[int], begun: Container[int]) -> Self:
        """Take over what others changed in the plan: items that came, went or were finished.

        `open_tasks` are those that are not finished, `begun` are all that were started. An action
        that was decided for another item than the present one is dropped, unless it has begun.
        """
        done = [item for item in self.items[: self.cursor] if item in begun]
        items = (*done, *(task for task in open_tasks if task not in done))
        aligned = replace(self, items=items, cursor=len(done))
        if self.action is None or self.action.is_begun or aligned.item == self.item:
            return aligned
        return replace(aligned, action=None)

    def begin_first_list(self, limit: int = STEP_LIMIT) -> Self:
        """Begin with the first list, which `align` reads, and the steps that the task may take."""
        return replace(self, items=(), cursor=0, is_planned=True, limit=limit, failed_rounds=0)

    def begin_step(self) -> Self:
        """Count a thought, a replan or a tool run as it begins; the limit must allow it."""
        if self.is_at_limit:
            raise ValueError(self.steps)
        return replace(self, steps=self.steps + 1)

    def begin_action(self, action: PlannedAction) -> Self:
        """Count a tool run as it begins."""
        return replace(self.begin_step(), action=replace(action, is_begun=True))

    def retry_action(self, action: PlannedAction) -> Self:
        """Let an action run again that has had no effect."""
        return replace(self, action=replace(action, is_begun=False))

    def decide(self, snapshot: str, action: PlannedAction | None) -> Self:
        """Keep what a thought decided, until it is carried out."""
        return replace(self, snapshot=snapshot, action=action, failed_rounds=0)

    def observe(self, *, ok: bool) -> Self:
        """Count how a tool run ended; the action is carried out."""
        return replace(
            self,
            action=None,
            has_news=True,
            successes=self.successes + ok,
            failures=self.failures + (not ok),
            failures_in_a_row=0 if ok else self.failures_in_a_row + 1,
        )

    def finish_item(self, conclusion: str) -> Self:
        """Move on from an item that is done, to the replan that follows."""
        return replace(
            self,
            cursor=min(self.cursor + 1, len(self.items)),
            needs_replan=True,
            action=None,
            conclusion=conclusion or self.conclusion,
            has_news=self.has_news or bool(conclusion),
            failures_in_a_row=0,
            failed_rounds=0,
        )

    def reopen_item(self) -> Self:
        """Go back to the last item, which is not done after all; no replan is due."""
        cursor = max(self.cursor - 1, 0)
        return replace(self, cursor=cursor, needs_replan=False, conclusion="", has_news=True)

    def clear_replan(self) -> Self:
        """Wait for an answer; a replan that was due follows it."""
        return replace(self, needs_replan=False)

    def answer(self) -> Self:
        """Go on after the answer to a question: with a replan."""
        return replace(
            self, needs_replan=True, has_news=True, failures_in_a_row=0, answers=self.answers + 1
        )

    def take_over_answers(self, latest: Self) -> Self:
        """Go on with a replan if the latest position has an answer that this one is older than."""
        if self.answers >= latest.answers:
            return self
        return replace(self.answer(), answers=latest.answers)

    def begin_new_list(self) -> Self:
        """Begin with a new list, which `align` reads."""
        return replace(
            self,
            items=(),
            cursor=0,
            needs_replan=False,
            has_news=False,
            conclusion="",
            failed_rounds=0,
        )

    def reset_failed_rounds(self) -> Self:
        """Count from zero after a usable answer, such as a list that waits for a person's look."""
        return replace(self, failed_rounds=0)

    def skip_replan(self) -> Self:
        """Go on with the present list: nothing new was learned, or a person wants to (R3.15)."""
        return replace(self, needs_replan=False, conclusion="")

    def fail_round(self) -> Self:
        """Count a request that got no usable answer, however often it was repeated."""
        return replace(self, failed_rounds=self.failed_rounds + 1)

    def grant(self, steps: int) -> Self:
        """Go on after a limit: with as many further steps if all are used (R3.05)."""
        limit = self.steps + steps if self.is_at_limit else self.limit
        return replace(self, limit=limit, failed_rounds=0)


START: Final = ReplanPosition()
