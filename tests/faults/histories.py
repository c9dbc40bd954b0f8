"""A plan whose history is replaced while a process holds it and a person has its file open."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from outlast import Plan
from outlast.model import commands as c
from outlast.plan.core import PlanCore
from outlast.testing import FixedClock
from tests.documents.views.rendered_plans import ViewsWithoutTimer, with_sync
from tests.store.opening import new_views, open_views
from tests.store.simulated_disk import SimulatedDisk

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.store.store import Store

KEY = "plan"
HOME, COPY = "/plan", "/copy"
COMMON, KNOWN = 3, 4  # commits before the backup, and after it
JOURNAL = "journal.jsonl"

# What is found in the plan's place: how many commits of its own follow those of the backup.
BRANCHES = {"backup": 0, "shorter branch": KNOWN - 2, "branch": KNOWN, "longer branch": KNOWN + 3}
SAME = ("identical", "continued")
REPLACEMENTS = (*BRANCHES, *SAME, "other plan", "copy")


class Case(NamedTuple):
    """One combination of what happens to a plan, and of who has it open."""

    replacement: str
    scope: str = "journal"  # or the whole "directory"
    way: str = "rename"  # or written in place
    buffer: str = "none"  # or "common", "own": what the person's file shows
    writer: str = "none"  # or "some" commits by another process
    first_use: str = "read"  # or "commit", "sync": what the holder does next

    @property
    def is_followed(self) -> bool:
        """Whether the holder's last commit is still in the history."""
        return self.replacement in (*SAME, "copy")

    @property
    def is_base_known(self) -> bool:
        """Whether the history has the commit that the person's file was made from."""
        if self.replacement == "other plan":
            return False
        return self.replacement in SAME or self.buffer == "common"


COMBINATIONS = list(
    product(
        ("journal", "directory"),
        ("rename", "in place"),
        ("none", "common", "own"),
        ("none", "some"),
        ("read", "commit", "sync"),
    )
)


class Workshop:
    """Plans on a simulated disk, and their files as a backup has them."""

    def __init__(self) -> None:
        self.disk = SimulatedDisk()
        self.clock = FixedClock()
        self.names = 0

    def _tick(self) -> datetime:
        """Return a time that is later than every time before."""
        self.clock.advance(1)
        return self.clock()

    def create(self, home: str, plan_id: str, key: str = KEY) -> None:
        create = c.CreatePlan(plan_id, "Goal", key)
        new_views(home, self.disk, create, now=self._tick(), kind=ViewsWithoutTimer).close()

    def open(self, home: str = HOME) -> Plan:
        """Open a plan as a process of its own."""
        store = open_views(home, self.disk, self._tick(), ViewsWithoutTimer)
        return Plan(
            PlanCore(with_sync(store, self._tick), self._tick, lambda: "plan_next", "agent")
        )

    def read_only(self, home: str) -> Store:
        """Open a plan without applying the edits in its views."""
        return open_views(home, self.disk, self._tick(), ViewsWithoutTimer)

    def grow(self, plan: Plan, commits: int) -> None:
        """Let an agent make so many commits: new tasks, and every third time one is completed."""
        for _ in range(commits):
            self.names += 1
            if self.names % 3 == 0 and plan.tasks("pending"):
                plan.complete(plan.tasks("pending")[0].id, "done")
            else:
                plan.add(f"task {self.names}")

    def grow_closed(self, commits: int, home: str = HOME) -> None:
        plan = self.open(home)
        self.grow(plan, commits)
        plan.close()

    def save_files(self, home: str = HOME) -> dict[str, bytes]:
        """Return the files of a plan, as a backup has them."""
        return {
            path.removeprefix(f"{home}/"): bytes(inode.content)
            for path, inode in self.disk.files.items()
            if path.startswith(f"{home}/")
        }

    def restore_files(self, files: dict[str, bytes], case: Case, home: str = HOME) -> None:
        """Put the files of a backup in the place of those that are there."""
        for name, content in files.items():
            if case.scope == "directory" or name == JOURNAL:
                self._put(f"{home}/{name}", content, in_place=case.way == "in place")

    def replace_history(self, case: Case, backup: dict[str, bytes]) -> None:
        """Let the plan that a process holds get another history, or the same in other files."""
        own = self.save_files()
        if case.replacement == "identical":
            new = own
        elif case.replacement == "copy":
            for name, content in backup.items():
                self.disk.put(f"{COPY}/{name}", content)
            self.grow_closed(KNOWN, COPY)
            return
        elif case.replacement == "other plan":
            self.create("/other", "plan_other", "other")
            self.grow_closed(COMMON + KNOWN, "/other")
            new = self.save_files("/other")
        else:
            start = own if case.replacement == "continued" else backup
            for name, content in start.items():
                self.disk.put(f"/aside/{name}", content)
            self.grow_closed(BRANCHES.get(case.replacement, 2), "/aside")
            new = self.save_files("/aside")
        self.restore_files(new, case)

    def _put(self, path: str, content: bytes, *, in_place: bool) -> None:
        inode = self.disk.files.get(path)
        if in_place and inode is not None:
            inode.do(0)
            inode.do((0, content))
        else:
            self.disk.put(path, content)
