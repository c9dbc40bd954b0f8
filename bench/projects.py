"""A small real project for the proof bench: a plan in files, a person and an agent."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Final

from outlast import Check, Plan, create_plan, open_plan
from outlast.errors import OutlastError, Refused
from outlast.store.journal import write_commit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from outlast.model.changes import Change

KEY: Final = "k"
AGENT: Final = "agent"
FILE: Final = Check("file", "report.md ~ ^Result: [0-9]+$")
COMMAND: Final = Check("command", "sh tests/run.sh")
PERSON: Final = Check("person", "the tone is right")
_RED: Final = "test -f report.md\n"


class Project:
    """A directory with a test that is red until `report.md` is there, and a plan of one task."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.codes: list[str] = []
        self.write("tests/run.sh", _RED)

    def plan(self, *checks: Check, actor: str = "human", protect: Sequence[str] = ()) -> Plan:
        """Begin the plan; its task has these checks, given by this actor."""
        plan = create_plan(self.root, "Write the report", KEY, actor="human")
        plan.acting_as(actor).add("report", checks=checks, protect=protect)
        return plan

    def again(self, actor: str = "human") -> Plan:
        """Open the plan, which takes in what was edited meanwhile."""
        plan = open_plan(self.root, KEY, actor=actor)
        for _, details in plan.notices:
            problem = details.get("problem")
            if isinstance(problem, OutlastError):
                self.codes.append(problem.code)
        return plan

    def write(self, name: str, text: str = "Result: 42\n") -> None:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def tried(self, attempt: Callable[[], object]) -> None:
        """Do what should not work, and note the refusal."""
        try:
            attempt()
        except Refused as error:
            self.codes.append(error.code)

    def outlast(self, *arguments: str, **settings: str) -> None:
        """Do it on the command line, in a process of its own."""
        done = subprocess.run(  # noqa: S603 - our own command
            [sys.executable, "-m", "outlast", *arguments, "--json"],
            capture_output=True,
            check=False,
            cwd=self.root,
            env={**os.environ, **settings},
            text=True,
            timeout=120,
        )
        error = json.loads(done.stdout).get("error")
        if error is not None:
            self.codes.append(error["code"])

    def replace(self, name: str, old: str, new: str) -> None:
        """Edit a file of the plan by hand."""
        [file] = self.root.rglob(name)
        text = file.read_text()
        if old not in text:
            raise LookupError(old)
        file.write_text(text.replace(old, new))

    def append(self, *changes: Change) -> None:
        """Add a line to the journal by hand, with a checksum that fits."""
        with self.again() as plan:
            last = plan.history.commits()[0]
        line = type(last)(last.revision + 1, last.at, "human", changes)
        [file] = self.root.rglob("journal.jsonl")
        with file.open("ab") as journal:
            journal.write(write_commit(line))
