"""What only a person may ask for is refused to agents, with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.errors import Unconfirmed
from outlast.language import visible
from outlast.model.model import PERSON
from outlast.system.caller import find_host

if TYPE_CHECKING:
    from outlast.console.call import Call
    from outlast.model.budget import Budget


def require_person(call: Call, command: str) -> None:
    """Raise `Unconfirmed` if an agent asks for a command that is reserved for people.

    What depends on the plan, such as another goal or other checks, the plan itself decides.
    """
    actor = call.asker
    if actor == PERSON:
        return
    asked, asker = f"outlast {command}", visible(actor)
    variable, agent = find_host()
    if agent:
        raise Unconfirmed("only_people_elsewhere", command=asked, actor=asker, variable=variable)
    raise Unconfirmed("only_people", command=asked, actor=asker)


def refuse_higher_budget(call: Call, limits: Budget, wanted: Budget) -> None:
    """Raise `Unconfirmed` if an agent asks to raise or to remove a limit."""
    pairs = [(getattr(limits, name), getattr(wanted, name)) for name in limits.__struct_fields__]
    if any(limit is not None and (new is None or new > limit) for limit, new in pairs):
        require_person(call, f"{call.command} --budget")
