"""U5, U6: which changes are part of the history of a task."""

from datetime import UTC, datetime, timedelta

import pytest

from outlast.model import changes as c
from outlast.model.budget import Budget
from outlast.model.history.content import concerns_task
from outlast.model.model import Proof, Question, Task

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ASKED = {1: Question(1, "Which?", NOW, task=3), 2: Question(2, "When?", NOW)}


@pytest.mark.parametrize(
    "change",
    [
        c.TaskAdded(Task(3, "a")),
        c.TaskCompleted(3),
        c.ProofNoted(Proof(3, "done", NOW)),
        c.BudgetSet(Budget(tokens=1), 3),
        c.QuestionAsked(ASKED[1]),
        c.QuestionAnswered(1, "this", "ada"),
        c.TaskLeased(3, "bot", 1, NOW),
    ],
)
def test_u6_a_change_concerns_its_task_and_no_other(change: c.Change) -> None:
    assert concerns_task(change, ASKED, 3)
    assert not concerns_task(change, ASKED, 4)


@pytest.mark.parametrize(
    "change",
    [
        c.LeaseRenewed(3, NOW + timedelta(minutes=1)),
        c.QuestionAnswered(2, "now", "ada"),
        c.QuestionAnswered(9, "?", "ada"),
        c.PhaseMarked("p", "completed"),
        c.PlanBegun(),
    ],
)
def test_u6_other_changes_concern_no_task(change: c.Change) -> None:
    assert not concerns_task(change, ASKED, 3)
