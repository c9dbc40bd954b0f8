"""What models cost: as it was set, else as the price list says that comes with the extra `llm`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.ports.model import Price

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.ports.model import Usage

_MILLION: Final = 1_000_000


def set_price(prices: Mapping[str, tuple[float, float]], provider: str, model: str) -> Price | None:
    """Return the price that was set for a model, with its provider's name or without."""
    found = prices.get(f"{provider}:{model}") or prices.get(model)
    return Price(*found) if found else None


def listed_price(provider: str, model: str) -> Price | None:
    """Return what a model costs at most; the first tokens of a request may be cheaper."""
    cost = _cost(provider, model, _MILLION, _MILLION, 0)
    return None if cost is None else Price(*cost)


def money(set_to: Price | None, provider: str, model: str, usage: Usage) -> float | None:
    """Return what a reply has cost in dollars, if that is known."""
    if set_to is not None:
        return (usage.input * set_to.input + usage.output * set_to.output) / _MILLION
    cost = _cost(provider, model, usage.input, usage.output, usage.cached)
    return None if cost is None else sum(cost)


def _cost(
    provider: str, model: str, read: int, written: int, cached: int
) -> tuple[float, float] | None:
    try:
        from genai_prices import Usage, calc_price
    except ImportError:
        return None
    usage = Usage(input_tokens=read, output_tokens=written, cache_read_tokens=cached)
    try:
        cost = calc_price(usage, model_ref=model, provider_id=provider)
    except (LookupError, ValueError):  # a model that nobody has listed, or odd figures
        return None
    return float(cost.input_price), float(cost.output_price)
