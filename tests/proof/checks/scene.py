"""A checker with its own workspace and state directory."""

from datetime import UTC, datetime
from pathlib import Path

from outlast.model.model import Check, Evidence, Proof, Stage, Task, TaskReport
from outlast.proof.checks.checker import Checker
from outlast.system.state_home import StateHome

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PLAN = "plan_test"


class Scene:
    """A workspace in which everything is allowed unless a test says otherwise."""

    def __init__(self, place: Path, *, seconds: float = 20, workspace: str = "work") -> None:
        self.root = place / workspace
        self.root.mkdir(exist_ok=True)
        self.home = place / "state"
        self.checker = Checker(str(self.root), StateHome(str(self.home)), seconds)

    def write(self, path: str, text: str = "text") -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def run(  # noqa: PLR0913 - what a proof is made of
        self,
        task: Task,
        stage: Stage = "done",
        *,
        actor: str = "agent",
        confirmed: tuple[Check, ...] = (),
        baseline: Proof | None = None,
        report: TaskReport | None = None,
    ) -> Proof:
        self.checker.trust.approve(PLAN, task.checks)
        return self.checker.run(
            PLAN,
            task,
            stage,
            actor=actor,
            confirmed=confirmed,
            baseline=baseline,
            now=NOW,
            report=report,
        )

    def run_check(self, kind: str, rule: str, report: TaskReport | None = None) -> Evidence:
        """Return what a single check shows."""
        task = make_task(Check(kind, rule))  # type: ignore[arg-type]
        [evidence] = self.run(task, report=report).evidence
        return evidence


def make_task(*checks: Check, files: tuple[str, ...] = (), protect: tuple[str, ...] = ()) -> Task:
    return Task(1, "a", checks=checks, files=files, protect=protect)
