"""How a model in a coding agent is told to type the commands of Outlast."""

from __future__ import annotations

from msgspec import Struct


class ShellCommands(Struct, frozen=True):
    """Spells commands; `program` is what starts Outlast in the agent's shell."""

    program: str = "outlast"

    def spell(self, *words: str) -> str:
        """Return a command line."""
        return " ".join((self.program, *words))

    def complete(self, task: int | str = "N") -> str:
        """Return the command that reports a task."""
        return self.spell("done", str(task), "-m", '"RESULT"')

    def detail(self, about: str, page: str = "") -> str:
        """Return the command that shows whole texts, for the brief."""
        pages = ("--page", page) if page else ()
        return f"`{self.spell('context', about, *pages)}` (plan_details)"
