"""What models cost: as it was set, else as the price list says that comes with the extra `llm`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.ports.model import Price, Usage

if TYPE_CHECKING:
    from collections.abc import Mapping

_MILLION: Final = 1_000_000
_LISTED: Final = ("anthropic", "openai")  # elsewhere a name says nothing about the price


def set_price(prices: Mapping[str, tuple[float, float]], provider: str, model: str) -> Price | None:
    """Return the price that was set for a model, with its provider's name or without."""
    found = prices.get(f"{provider}:{model}") or prices.get(model)
    return Price(*found) if found else None


def listed_price(provider: str, model: str) -> Price | None:
    """Return what a model costs at most: the first tokens of a request may be cheaper.

    What a provider keeps in its cache costs more than what it only reads.
    """
    cost = _cost(provider, model, Usage(_MILLION, _MILLION), _MILLION)
    return None if cost is None else Price(*cost)


def money(set_to: Price | None, provider: str, model: str, usage: Usage, kept: int) -> float | None:
    """Return what a reply has cost in dollars, if that is known.

    `kept` are the tokens of the input that the provider put into its cache.
    """
    if set_to is not None:
        return (usage.input * set_to.input + usage.output * set_to.output) / _MILLION
    cost = _cost(provider, model, usage, kept)
    return None if cost is None else sum(cost)


def _cost(provider: str, model: str, usage: Usage, kept: int) -> tuple[float, float] | None:
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
        cache_write_tokens=kept,
    )
    try:
        cost = calc_price(used, model_ref=model, provider_id=provider)
    except (LookupError, ValueError):  # a model that nobody has listed, or odd figures
        return None
    return float(cost.input_price), float(cost.output_price)
