"""The person at the terminal, whom an agent can ask."""

from __future__ import annotations

from asyncio import Lock
from contextlib import nullcontext
from typing import TYPE_CHECKING

from outlast.console.call import is_interactive

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from outlast.agent.people.person import Person
    from outlast.cli.live.display import Display
    from outlast.console.call import Call
    from outlast.model.model import Question


def terminal_person(call: Call, display: Display) -> Person | None:
    """Return the person at the terminal, or None if there is none to ask."""
    if not is_interactive(call):
        return None
    from outlast.agent.people.notifier import person_at_terminal

    if display.draws_questions:
        drawn = person_at_terminal(call.language, display.draw_question)
        return _PersonBesideDisplay(drawn, nullcontext)
    return _PersonBesideDisplay(person_at_terminal(call.language), display.pause)


class _PersonBesideDisplay:
    """Asks a person, one question after the other; a display that cannot show them is paused."""

    def __init__(self, person: Person, pause: Callable[[], AbstractContextManager[None]]) -> None:
        self._person, self._pause = person, pause
        self._turn = Lock()

    async def answer(self, question: Question) -> str | None:
        """Wait for earlier questions, ask, and return the answer."""
        async with self._turn:
            with self._pause():
                return await self._person.answer(question)
