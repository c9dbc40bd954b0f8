"""`config`: the settings that hold here, and where each of them comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import json, to_builtins

from outlast.config.load import DEFAULT, shown
from outlast.formats.redact.engine import redact_value
from outlast.interfaces.cli.plan_context import here
from outlast.interfaces.cli.render.output import Answer
from outlast.texts import visible
from outlast.wiring.settings import settings_in

if TYPE_CHECKING:
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Json

_WIDEST: Final = 40


def config(call: Call) -> Answer:
    """Show every setting."""
    loaded = settings_in(here())
    call.notices.extend(loaded.notices)
    found = {
        key: (redact_value(to_builtins(value)), origin)
        for key, (value, origin) in shown(loaded).items()
    }

    def shape() -> Json:
        return {
            "settings": {
                key: {"value": value, "origin": origin} for key, (value, origin) in found.items()
            }
        }

    def words() -> str:
        width = max(map(len, found))
        rows = ((key, _written(value), origin) for key, (value, origin) in found.items())
        return "\n".join(
            f"{key:<{width}}  {value:<{_WIDEST}}  {_from(call, origin)}".rstrip()
            for key, value, origin in rows
        )

    return Answer(shape, words)


def _written(value: Any) -> str:  # noqa: ANN401 - of any setting
    """Return a value as it would be written in a file; nothing where there is none."""
    return "" if value is None else visible(json.encode(value).decode())


def _from(call: Call, origin: str) -> str:
    return call.say("config_default") if origin == DEFAULT else visible(origin)
