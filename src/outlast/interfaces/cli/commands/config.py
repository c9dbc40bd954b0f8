"""`config`: the effective settings and where each of them comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import json, to_builtins

from outlast.config.load import DEFAULT, settings_with_origins
from outlast.formats.redact.values import redact_value
from outlast.interfaces.cli.render.output import Answer
from outlast.system.workspace_root import current_directory
from outlast.texts import visible
from outlast.wiring.settings import load_settings

if TYPE_CHECKING:
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Json

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
