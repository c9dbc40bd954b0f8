"""`models`: which models can be used here, and how the others could be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.interfaces.cli.render.output import Answer
from outlast.texts import text, visible
from outlast.wiring.models import models_here

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Json
    from outlast.wiring.models import Here


def models(call: Call) -> Answer:
    """Look which models can be used on this machine."""
    found = models_here()
    return Answer(
        lambda: {"models": [_shape(one) for one in found]}, lambda: "\n".join(_lines(call, found))
    )


def _shape(one: Here) -> Json:
    return {"name": one.name, "usable": one.usable, "says": text(one.says, **one.values)}


def _lines(call: Call, found: list[Here]) -> Iterator[str]:
    widest = max(len(visible(one.name)) for one in found)
    for usable, head in ((True, "models_usable"), (False, "models_others")):
        group = [one for one in found if one.usable is usable]
        if group:
            yield call.say(head)
        for one in group:
            says = visible(call.say(one.says, **one.values))
            yield f"  {visible(one.name).ljust(widest)}  {says}"
    yield call.say("models_prompt")
