"""`config` and `models`: the effective settings with their origins, and the usable models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import json, to_builtins

from outlast.agent.models.choice import ModelAvailability, available_models
from outlast.config.load import DEFAULT, settings_with_origins
from outlast.console.call import Answer, Call, Json
from outlast.language import text, visible
from outlast.plan.home.find import load_settings
from outlast.redact.values import redact_value
from outlast.system.workspace_root import current_directory

if TYPE_CHECKING:
    from collections.abc import Iterator


_WIDEST: Final = 40


def config(call: Call) -> Answer:
    """Show every setting with its origin, redacted."""
    loaded = load_settings(current_directory())
    call.notices.extend(loaded.notices)
    settings = {
        key: (redact_value(to_builtins(value)), origin)
        for key, (value, origin) in settings_with_origins(loaded).items()
    }

    def as_json() -> Json:
        return {
            "settings": {
                key: {"value": value, "origin": origin} for key, (value, origin) in settings.items()
            }
        }

    def as_text() -> str:
        width = max(map(len, settings))
        rows = ((key, _value_text(value), origin) for key, (value, origin) in settings.items())
        return "\n".join(
            f"{key:<{width}}  {value:<{_WIDEST}}  {_origin_text(call, origin)}".rstrip()
            for key, value, origin in rows
        )

    return Answer(as_json, as_text)


def _value_text(value: Any) -> str:  # noqa: ANN401 - of any setting
    """Return a value as a settings file spells it, or nothing if there is none."""
    return "" if value is None else visible(json.encode(value).decode())


def _origin_text(call: Call, origin: str) -> str:
    return call.text("config_default") if origin == DEFAULT else visible(origin)


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
