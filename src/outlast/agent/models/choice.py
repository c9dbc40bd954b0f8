"""Find models by name, and list those that can be used on this machine or its Ollama server."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from msgspec import DecodeError, Struct, ValidationError, json

from outlast.config.settings import Settings
from outlast.context.chat_model import Model, Price
from outlast.errors import InvalidArgument
from outlast.language import visible

if TYPE_CHECKING:
    from outlast.agent.models.providers.model import Kind, ProviderModel

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
SECONDS: Final = 5.0
_HOST: Final = "127.0.0.1"
_PORT: Final = 11434
_PORTS: Final = {"http": 80, "https": 443}  # defaults of a URL with a scheme
_MAX_BYTES: Final = 1_000_000


class ModelAvailability(Struct, frozen=True):
    """A model or provider, whether it can be used here, and the key of the text that says why."""

    name: str
    usable: bool
    text: str
    values: dict[str, Any] = {}


def find_model(
    name: str, settings: Settings, environment: Mapping[str, str] | None = None
) -> Model:
    """Return the model of a name such as `anthropic:NAME`; raise with what is missing."""
    kind, _, rest = name.partition(":")
    if kind == "script" and rest:
        from outlast.agent.models.scripted import load_script

        return load_script(rest)
    environment = os.environ if environment is None else environment
    prompted = rest.endswith(_PROMPTED)
    model = _find_provider_model(kind, rest.removesuffix(_PROMPTED), settings, environment)
    if not prompted:
        return model
    from outlast.agent.models.prompted import PromptedModel

    return PromptedModel(model)


def _find_provider_model(
    kind: str, rest: str, settings: Settings, environment: Mapping[str, str]
) -> ProviderModel:
    address, _, model = rest.rpartition("#")
    match kind:
        case "anthropic" | "openai" if rest:
            own = environment.get(_ADDRESSES[kind]) or None
            return _build_provider_model(kind, rest, own, settings, environment)
        case "openai-compatible" if model:
            _refuse_secret_address(kind, address)
            return _build_provider_model(kind, model, address, settings, environment)
        case "ollama" if rest:
            local = f"{ollama_address(environment)}/v1"
            return _build_provider_model(kind, rest, local, settings, environment)
    raise InvalidArgument("model_name", name=visible(kind)[:_SHOWN], forms=FORMS)


def _build_provider_model(
    kind: Kind, model: str, url: str | None, settings: Settings, environment: Mapping[str, str]
) -> ProviderModel:
    name = f"{kind}:{url}#{model}" if kind == "openai-compatible" else f"{kind}:{model}"
    if not _is_extra_installed():
        raise InvalidArgument("model_extra", name=name)
    key = environment.get(KEYS.get(kind, ""), "")
    if not key and kind in _ADDRESSES:
        raise InvalidArgument("model_key_missing", name=name, variable=KEYS[kind])
    try:
        from outlast.agent.models.providers.model import ProviderModel
    except ImportError as error:  # installed, but too old or incomplete
        raise InvalidArgument("model_extra", name=name) from error
    return ProviderModel(
        kind,
        model,
        name=name,
        url=url,
        key=key,
        seconds=settings.limits.model_seconds,
        price=_configured_price(settings.prices, kind, model),
    )


def _configured_price(
    prices: Mapping[str, tuple[float, float]], provider: str, model: str
) -> Price | None:
    """Return the configured price of `provider:model` or `model`."""
    configured = prices.get(f"{provider}:{model}") or prices.get(model)
    return Price(*configured) if configured else None


def _refuse_secret_address(kind: str, address: str) -> None:
    """Refuse an address that could contain a secret: the name is shown and stored."""
    try:
        parts = urlsplit(address)
        plain = parts.scheme in ("http", "https") and bool(parts.hostname)
        plain = plain and not (parts.username or parts.password or parts.query or parts.fragment)
    except ValueError:
        plain = False
    if not plain:
        raise InvalidArgument("model_url", kind=kind)


def _is_extra_installed() -> bool:
    return all(find_spec(name) is not None for name in _NEEDED)


def available_models(
    environment: Mapping[str, str] | None = None, seconds: float | None = None
) -> list[ModelAvailability]:
    """Return every provider, and the models of local servers that answer in time."""
    environment = os.environ if environment is None else environment
    providers = [
        *(_availability_by_key(kind, environment) for kind in _ADDRESSES),
        *_ollama_models(environment, seconds),
        ModelAvailability(
            "openai-compatible:URL#NAME",
            usable=True,
            text="models_any_server",
            values={"variable": KEYS["openai-compatible"]},
        ),
    ]
    if not _is_extra_installed():
        providers = [
            ModelAvailability(provider.name, usable=False, text="models_extra")
            for provider in providers
        ]
    return [*providers, ModelAvailability("script:FILE", usable=True, text="models_scripted")]


def _availability_by_key(kind: str, environment: Mapping[str, str]) -> ModelAvailability:
    variable = KEYS[kind]
    usable = bool(environment.get(variable))
    text = "models_key_found" if usable else "models_key_wanted"
    return ModelAvailability(f"{kind}:NAME", usable, text, {"variable": variable})


def _ollama_models(
    environment: Mapping[str, str], seconds: float | None
) -> list[ModelAvailability]:

    url = ollama_address(environment)
    names = list_models(url, seconds or SECONDS)
    if not names:
        text = "models_silent" if names is None else "models_none"
        values = {"url": url, "variable": "OLLAMA_HOST"}
        return [ModelAvailability("ollama:NAME", usable=False, text=text, values=values)]
    return [
        ModelAvailability(f"ollama:{name}", usable=True, text="models_answers", values={"url": url})
        for name in names
    ]


class _Model(Struct):
    name: str


class _Models(Struct):
    models: list[_Model]


def ollama_address(environment: Mapping[str, str]) -> str:
    """Return the URL of Ollama from `OLLAMA_HOST`, which Ollama reads the same way.

    The variable holds a host, a port, or both; with a scheme its default port applies.
    """
    scheme, separator, rest = environment.get("OLLAMA_HOST", "").strip().rpartition("://")
    default_port = _PORTS.get(scheme, _PORT)
    try:
        parts = urlsplit(f"//{rest}")
        host, path = parts.hostname or _HOST, parts.path.rstrip("/")
    except ValueError:
        host, path, parts = _HOST, "", urlsplit("")
    try:
        port = parts.port or default_port
    except ValueError:
        port = default_port
    host = _HOST if host == "0.0.0.0" else host  # noqa: S104 - only for listening
    shown_host = f"[{host}]" if ":" in host else host
    return f"{scheme if separator else 'http'}://{shown_host}:{port}{path}"


def list_models(url: str, seconds: float = SECONDS) -> list[str] | None:
    """Return the names of the models on an Ollama server; None without an answer in time."""
    from outlast.system.http_get import RequestFailed, get

    try:
        answer = get(f"{url}/api/tags", seconds, _MAX_BYTES)
        return [model.name for model in json.decode(answer, type=_Models).models]
    except (RequestFailed, DecodeError, ValidationError):
        return None
