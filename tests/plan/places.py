"""Plans in directories for the tests of the door, and what is found there."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from outlast.model import commands as c
from outlast.model.execute import return_commit
from outlast.model.plan_choice import PlanQuery
from outlast.plan.home.find import require_workspace
from outlast.plan.home.workspace import Workspace
from outlast.plan.plan import Plan
from outlast.plan.plans import Plans
from outlast.store.port import Request
from outlast.store.store import Store
from outlast.system.clock import now
from outlast.system.disk import Disk
from tests.store.faults import QuickDisk
from tests.store.opening import views_of

ROOT = Path(__file__).parents[2]
SEED = ROOT / "tests" / "documents" / "json" / "session.json"
DONE = c.Complete(2, "agent", "all of them")


def drop(workspace: Path, content: bytes, key: str = "x") -> Path:
    """Leave a `plan.json` of somebody else in a workspace."""
    view = workspace / ".sessions" / key / "plan.json"
    view.parent.mkdir(parents=True)
    view.write_bytes(content)
    return view


def find_plan(
    start: str, key: str | None = None, *, actor: str = "agent", ended: bool = False
) -> Plan:
    """Open a plan of the workspace that a directory belongs to, as commands do."""
    plans = Plans(require_workspace(start), actor, start)
    plan = plans.find(PlanQuery(ended=ended)) if key is None else plans.open(key)
    plan.core.store.notices[:0] = plans.notices
    return plan


def make_session(workspace: Path, disk: Disk | None = None, key: str = "x") -> Store:
    """Make a plan with a view."""
    command = c.CreatePlan("plan_test", "Test things", key)
    place = Workspace(str(workspace), disk or QuickDisk())
    store = place.create(command, "ann", now(), layout="sessions")
    views_of(store).sync_with(ignore_edits)
    act(store, c.AddTasks((c.NewTask("one"), c.NewTask("two"), c.NewTask("three"))))
    return store


def open_session(workspace: Path, disk: Disk | None = None, key: str = "x") -> Store:
    """Open a plan with a view as the next process would."""
    store = Workspace(str(workspace), disk or QuickDisk()).open(key, now())
    views_of(store).sync_with(ignore_edits)
    return store


def ignore_edits(store: object, edits: object, *, confirmed: bool) -> None:
    """Apply no edits: nobody edits a `plan.json`."""


def act(store: Store, *commands: c.Command) -> int:
    """Commit commands; return the revision."""
    return store.commit(Request(commands, "ann", now()), return_commit).revision


def elsewhere(workspace: Path, key: str, count: int) -> None:
    """Let another process add tasks."""
    command = [sys.executable, "-m", "tests.plan.other_process", str(workspace), key, str(count)]
    subprocess.run(command, cwd=ROOT, check=True, timeout=60)  # noqa: S603 - our own program


def names(directory: Path) -> list[str]:
    """Return what is in a directory."""
    return sorted(path.name for path in directory.iterdir())


def wait_until(is_so: Callable[[], object]) -> None:
    """Wait for something that another thread or process does."""
    end = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)
