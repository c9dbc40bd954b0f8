"""Prices of models: configured, else from the price list of the extra `llm`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.context.chat_model import Price, Usage

if TYPE_CHECKING:
    from collections.abc import Mapping

_MILLION: Final = 1_000_000
_LISTED: Final = ("anthropic", "openai")  # other providers reuse model names at other prices


def configured_price(
    prices: Mapping[str, tuple[float, float]], provider: str, model: str
) -> Price | None:
    """Return the configured price of `provider:model` or `model`."""
    configured = prices.get(f"{provider}:{model}") or prices.get(model)
    return Price(*configured) if configured else None


def listed_price(provider: str, model: str) -> Price | None:
    """Return the highest price of a model, cache writes included.

    Tiered prices are lower for the first tokens of a request.
    """
    cost = _listed_cost(provider, model, Usage(_MILLION, _MILLION), _MILLION)
    return None if cost is None else Price(*cost)


def cost_of(
    configured: Price | None, provider: str, model: str, usage: Usage, cache_writes: int
) -> float | None:
    """Return the cost of a reply in dollars, or None if it is unknown.

    `cache_writes` are the input tokens that the provider wrote to its cache.
    """
    if configured is not None:
        return configured.cost(usage)
    cost = _listed_cost(provider, model, usage, cache_writes)
    return None if cost is None else sum(cost)


def _listed_cost(
    provider: str, model: str, usage: Usage, cache_writes: int
) -> tuple[float, float] | None:
    if provider not in _LISTED:
        return None
    try:
        from genai_prices import Usage as Used
        from genai_prices import calc_price
    except ImportError:
        return None
    used = Used(
        input_tokens=usage.input,
        output_tokens=usage.output,
        cache_read_tokens=usage.cached,
        cache_write_tokens=cache_writes,
    )
    try:
        cost = calc_price(used, model_ref=model, provider_id=provider)
    except (LookupError, ValueError):  # an unlisted model, or impossible numbers
        return None
    return float(cost.input_price), float(cost.output_price)
