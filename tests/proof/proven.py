"""Plans in files whose tasks have checks, as a person and an agent hold them."""

from pathlib import Path
from typing import NamedTuple

from outlast import Check, Plan, create_plan, open_plan

MADE = Check("file", "made.txt")
RUNS = Check("command", "test -f made.txt")
ASKS = Check("person", "it looks right")


class Pair(NamedTuple):
    """The same plan in a person's hands and in an agent's."""

    person: Plan
    agent: Plan
    root: Path

    def make(self, name: str = "made.txt", text: str = "made") -> None:
        """Do the work."""
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def label(self, task: int = 1) -> str:
        return self.person.checks.proof(task).label


def begin(
    root: Path, *checks: Check, protect: tuple[str, ...] = (), files: tuple[str, ...] = ()
) -> Pair:
    """Return a plan with one task that has these checks, given by a person."""
    plan = create_plan(root, "Make it", "k", actor="human")
    plan.add("make", checks=checks, protect=protect, files=files)
    return Pair(plan, plan.acting_as("agent"), root)


def open_pair(root: Path) -> Pair:
    """Open the same plan again."""
    plan = open_plan(root, "k", actor="human")
    return Pair(plan, plan.acting_as("agent"), root)


def journal(root: Path) -> str:
    [file] = root.rglob("journal.jsonl")
    return file.read_text()
