"""A person at the terminal who is asked while an agent works."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outlast.domain.model import Question
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.live.port import View
    from outlast.ports.person import Person


def person_at(call: Call, view: View) -> Person | None:
    """Return the person who can be asked now; None where nobody sits at a terminal."""
    if not is_somebody_there(call):
        return None
    from outlast.wiring.people import at_terminal

    return _Undisturbed(at_terminal(call.language), view)


def is_somebody_there(call: Call) -> bool:
    """Tell whether a person reads what is printed, and can answer."""
    ends = (sys.stdin, sys.stdout)
    return not call.as_json and all(one is not None and one.isatty() for one in ends)


class _Undisturbed:
    """Somebody who is asked while the view keeps still."""

    def __init__(self, person: Person, view: View) -> None:
        self._person, self._view = person, view

    async def answer(self, question: Question) -> str | None:
        """Ask, wait and return the answer."""
        with self._view.resting():
            return await self._person.answer(question)
