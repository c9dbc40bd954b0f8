"""Assistants that are killed: `python -m tests.assistant.killed DIRECTORY PLACE…`.

Each has a store of its own, named after its place: the number of the model's answer before which
the process dies, `before` or `after` the change of the todo list, or at the `end` before the reply.
"""

import os
import signal
import sys
from pathlib import Path

from outlast import Assistant
from outlast.assistant.agenda.database import AgendaDatabase
from outlast.events import Stopped
from tests.agent.loops.replan_loop.replies import Script, done, planned, use

GOAL = "Buy milk"
ANSWERS = (planned("add"), use("/todo add milk"), done("added"), done("Added milk."))


def die() -> None:
    """Die at once, without any cleanup."""
    os.kill(os.getpid(), signal.SIGKILL)


class DeadlyAgenda(AgendaDatabase):
    """Dies before or after a change."""

    place = ""

    def change(self, *given, **named):  # type: ignore[no-untyped-def]  # noqa: ANN002, ANN003, ANN201 - as there
        if self.place == "before":
            die()
        item = super().change(*given, **named)
        if self.place == "after":
            die()
        return item


def main() -> None:
    """Let a process work on a task in each store until it dies."""
    directory, *places = sys.argv[1:]
    for place in places:
        child = os.fork()
        if not child:
            work(Path(directory, place), place)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL, place


def work(store: Path, place: str) -> None:
    """Work on a task until the process dies."""
    store.mkdir()
    agenda = DeadlyAgenda(str(store / "agenda.db"))
    agenda.place = place
    answers: list[object] = [*ANSWERS]
    if place.isdigit():
        answers[int(place)] = _answer_of_the_dead

    def listen(event: object) -> None:
        if place == "end" and isinstance(event, Stopped):
            die()

    Assistant(Script(*answers), store, agenda=agenda, listener=listen).handle(GOAL)


async def _answer_of_the_dead() -> object:
    die()
    return ""


if __name__ == "__main__":
    main()
