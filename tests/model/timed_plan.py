"""A plan whose clock the test controls."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from outlast.errors import OutlastError
from outlast.model import commands as c
from outlast.model.changes import Commit, fold
from outlast.model.execute import execute
from outlast.model.history.undo import undo_changes
from outlast.model.model import PERSON
from outlast.model.state import PlanState
from tests.model.indexes import assert_indexes, encode_all
from tests.model.strategies import BEGINNING

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.model.commands import Command
    from outlast.model.model import Lease, Order, TaskStatus


class TimedPlan:
    """Executes commands and checks every index after each commit."""

    def __init__(self, tasks: int = 3, order: Order = "graph") -> None:
        self.now = BEGINNING
        self.state = PlanState(self.now)
        self.commits: list[Commit] = []
        self.do(c.CreatePlan("plan_a", "Goal", order=order))
        if tasks:
            self.do(c.AddTasks(tuple(c.NewTask(f"task {n}") for n in range(tasks))))

    def do(self, *commands: Command) -> Commit:
        """Execute commands in one commit."""
        made = execute(self.state, commands, self.now)
        assert_indexes(self.state)
        commit = Commit(self.state.revision, self.now, "tester", made)
        self.commits.append(commit)
        return commit

    def undo(self, commit: Commit) -> Commit:
        """Undo a commit."""
        was = PlanState(BEGINNING)
        for earlier in self.commits[: self.commits.index(commit)]:
            fold(was, earlier.changes, earlier.revision, earlier.at)
        taken_back = undo_changes(was, commit, actor=PERSON)
        return self.do(c.Undo(commit.revision, self.state.revision, taken_back))

    def refused(self, code: str, *commands: Command) -> dict[str, object]:
        """Expect a refusal that changes nothing; return its text and details."""
        before = encode_all(self.state)
        with pytest.raises(OutlastError) as caught:
            execute(self.state, commands, self.now)
        assert encode_all(self.state) == before
        assert caught.value.code == code, caught.value
        return {"text": caught.value.text, **caught.value.details}

    def wait(self, seconds: float) -> datetime:
        """Move the clock, on or back."""
        self.now += timedelta(seconds=seconds)
        return self.now

    def claim(self, actor: str = "ann", task: int | None = None, seconds: int = 60) -> Lease:
        """Claim a task; return the lease."""
        last = self.do(c.Claim(actor, task, seconds)).changes[-1]
        return self.state.ledger.leases[getattr(last, "id", 0)]

    def status(self, task: int) -> TaskStatus:
        """Return the status of a task."""
        return self.state.tasks[task].status
