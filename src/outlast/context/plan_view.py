"""The view of a plan that a loop is sent with each outcome."""

from __future__ import annotations

from msgspec import Struct

from outlast.model.budget import Budget, Spend
from outlast.model.ledger import DoneAttempt
from outlast.model.model import Attempt, Interjection, PlanStatus, Question, Task


class PlanView(Struct, frozen=True):
    """A plan at one moment, reduced to what a loop needs; its size does not depend on the plan's.

    `tasks` is a window around the current task that starts at `first_index`; `current_index` is the
    position of the current task. `recent_work` is what was done lately for it, `task_iterations`
    the iterations spent on it. `is_scratch` marks a scratch plan, which no model and no person is
    shown. `pause_reason` is filled in while the plan is paused, `questions` are the unanswered
    ones, `begin_answer` is the last answer to the question whether to begin. `new_messages` are
    those that the loop has not acknowledged. `actor` is the name that the loop works under.
    `next_ready` is the first task that could start now. `unmet_needs` are, by task of the window,
    the unfinished tasks that it needs. `assumed_end` is the task whose assumed completion has to be
    confirmed before the plan ends. One that `needs_approval` may only be planned. `seen_revision`
    is the revision up to which the model knows what people changed; 0 before the first request. If
    it `may_be_edited`, others may have changed it since `ReadEdits`. `id` tells plans apart.
    """

    goal: str
    status: PlanStatus
    revision: int
    iteration_count: int
    done: int
    total: int
    current: Task | None = None
    current_index: int = 0
    first_index: int = 0
    tasks: tuple[Task, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    recent_work: tuple[DoneAttempt, ...] = ()
    is_scratch: bool = False
    title: str = ""
    phase: str = ""
    pause_reason: str = ""
    task_iterations: int = 0
    model_managed: bool = False
    stop_count: int = 0
    last_completed: int | None = None
    questions: tuple[Question, ...] = ()
    begin_answer: str = ""
    new_messages: tuple[Interjection, ...] = ()
    used: Spend = Spend()
    budget: Budget = Budget()
    actor: str = "agent"
    next_ready: Task | None = None
    unmet_needs: dict[int, tuple[int, ...]] = {}
    assumed_end: Task | None = None
    needs_approval: bool = False
    seen_revision: int = 0
    may_be_edited: bool = True
    id: str = ""

    @property
    def has_ended(self) -> bool:
        """Whether the plan is completed or failed."""
        return self.status in ("completed", "failed")
