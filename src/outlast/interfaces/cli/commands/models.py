"""`models`: the models that can be used here, and what the others need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.interfaces.cli.render.output import Answer
from outlast.texts import text, visible
from outlast.wiring.models import available_models

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Json
    from outlast.wiring.models import ModelAvailability


def models(call: Call) -> Answer:
    """List the models that can be used on this machine."""
    known = available_models()
    return Answer(
        lambda: {"models": [_model_json(model) for model in known]},
        lambda: "\n".join(_model_lines(call, known)),
    )


def _model_json(model: ModelAvailability) -> Json:
    return {"name": model.name, "usable": model.usable, "says": text(model.text, **model.values)}


def _model_lines(call: Call, known: list[ModelAvailability]) -> Iterator[str]:
    widest = max(len(visible(model.name)) for model in known)
    for usable, head in ((True, "models_usable"), (False, "models_others")):
        group = [model for model in known if model.usable is usable]
        if group:
            yield call.text(head)
        for model in group:
            says = visible(call.text(model.text, **model.values))
            yield f"  {visible(model.name).ljust(widest)}  {says}"
    yield call.text("models_prompt")
