"""Models by their names, and which of them can be used here."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from msgspec import Struct

from outlast.errors import InvalidArgument
from outlast.texts import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.adapters.models.providers.model import Kind, ProviderModel
    from outlast.config.settings import Settings
    from outlast.ports.model import Model

FORMS: Final = [
    "anthropic:NAME",
    "openai:NAME",
    "openai-compatible:URL#NAME",
    "ollama:NAME",
    "script:FILE",
]
KEYS: Final = {
    "anthropic": "ANTHROPIC_API_KEY",
    "openai": "OPENAI_API_KEY",
    "openai-compatible": "OUTLAST_API_KEY",
}
_ADDRESSES: Final = {"anthropic": "ANTHROPIC_BASE_URL", "openai": "OPENAI_BASE_URL"}
_PROMPTED: Final = "?tools=prompt"
_SHOWN: Final = 80
_NEEDED: Final = ("pydantic_ai", "anthropic", "openai")


class Here(Struct, frozen=True):
    """A model, or a kind of them, whether it can be used here, and why or how: a text."""

    name: str
    usable: bool
    says: str
    values: dict[str, Any] = {}


def find_model(name: str, settings: Settings, environment: Mapping[str, str] = os.environ) -> Model:
    """Return the model of a name such as `anthropic:NAME`, or refuse with what it lacks."""
    kind, _, rest = name.partition(":")
    if kind == "script" and rest:
        from outlast.adapters.models.scripted.script_file import scripted

        return scripted(rest)
    prompted = rest.endswith(_PROMPTED)
    model = _provided(kind, rest.removesuffix(_PROMPTED), settings, environment)
    if not prompted:
        return model
    from outlast.adapters.models.prompted.model import PromptedModel

    return PromptedModel(model)


def _provided(
    kind: str, rest: str, settings: Settings, environment: Mapping[str, str]
) -> ProviderModel:
    address, _, model = rest.rpartition("#")
    match kind:
        case "anthropic" | "openai" if rest:
            own = environment.get(_ADDRESSES[kind]) or None
            return _built(kind, rest, own, settings, environment)
        case "openai-compatible" if model:
            _require_plain(kind, address)
            return _built(kind, model, address, settings, environment)
        case "ollama" if rest:
            from outlast.adapters.models.local_servers import ollama_address

            local = f"{ollama_address(environment)}/v1"
            return _built(kind, rest, local, settings, environment)
    raise InvalidArgument("model_name", name=visible(kind)[:_SHOWN], forms=FORMS)


def _built(
    kind: Kind, model: str, url: str | None, settings: Settings, environment: Mapping[str, str]
) -> ProviderModel:
    name = f"{kind}:{url}#{model}" if kind == "openai-compatible" else f"{kind}:{model}"
    if not _installed():
        raise InvalidArgument("model_extra", name=name)
    key = environment.get(KEYS.get(kind, ""), "")
    if not key and kind in _ADDRESSES:
        raise InvalidArgument("model_key_missing", name=name, variable=KEYS[kind])
    from outlast.adapters.models.providers.prices import set_price

    try:
        from outlast.adapters.models.providers.model import ProviderModel
    except ImportError as error:  # it is there, but too old, or without what it needs
        raise InvalidArgument("model_extra", name=name) from error
    return ProviderModel(
        kind,
        model,
        name=name,
        url=url,
        key=key,
        seconds=settings.limits.model_seconds,
        price=set_price(settings.prices, kind, model),
    )


def _require_plain(kind: str, address: str) -> None:
    """Refuse an address that could hold a secret: a name is shown and written down."""
    try:
        parts = urlsplit(address)
        plain = parts.scheme in ("http", "https") and bool(parts.hostname)
        plain = plain and not (parts.username or parts.password or parts.query or parts.fragment)
    except ValueError:
        plain = False
    if not plain:
        raise InvalidArgument("model_url", kind=kind)


def _installed() -> bool:
    return all(find_spec(name) is not None for name in _NEEDED)


def models_here(
    environment: Mapping[str, str] = os.environ, seconds: float | None = None
) -> list[Here]:
    """Return every kind of model, and the models of servers that answer within so many seconds."""
    found = [
        *(_with_key(kind, environment) for kind in _ADDRESSES),
        *_of_ollama(environment, seconds),
        Here(
            "openai-compatible:URL#NAME",
            usable=True,
            says="models_any_server",
            values={"variable": KEYS["openai-compatible"]},
        ),
    ]
    if not _installed():
        found = [Here(one.name, usable=False, says="models_extra") for one in found]
    return [*found, Here("script:FILE", usable=True, says="models_scripted")]


def _with_key(kind: str, environment: Mapping[str, str]) -> Here:
    variable = KEYS[kind]
    usable = bool(environment.get(variable))
    says = "models_key_found" if usable else "models_key_wanted"
    return Here(f"{kind}:NAME", usable, says, {"variable": variable})


def _of_ollama(environment: Mapping[str, str], seconds: float | None) -> list[Here]:
    from outlast.adapters.models.local_servers import SECONDS, models_at, ollama_address

    url = ollama_address(environment)
    names = models_at(url, seconds or SECONDS)
    if not names:
        says = "models_silent" if names is None else "models_none"
        values = {"url": url, "variable": "OLLAMA_HOST"}
        return [Here("ollama:NAME", usable=False, says=says, values=values)]
    return [
        Here(f"ollama:{name}", usable=True, says="models_answers", values={"url": url})
        for name in names
    ]
