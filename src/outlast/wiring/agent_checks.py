"""Refuse what no agent can be made of, before anything is opened or asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, get_args

from outlast.application.planning import Plan
from outlast.config.settings import Settings
from outlast.domain.budget import Budget
from outlast.domain.limits import LARGEST_ID, check_choice, check_name, check_number, wrong_type
from outlast.errors import InvalidArgument
from outlast.texts import EXPLAINING, Language

if TYPE_CHECKING:
    from outlast.ports.model import Model

_KINDS: Final[dict[str, type]] = {"plan": Plan, "budget": Budget, "settings": Settings}
_ABILITIES: Final = {"person": "answer", "on_event": "__call__"}


def check_agent(*, model: object, allow: object, actor: object, **given: object) -> None:
    """Accept what an agent is made of; what is None was left out."""
    with EXPLAINING:
        if not isinstance(model, str) and not hasattr(model, "think"):
            raise wrong_type("model", "model", model)
        if isinstance(allow, str):
            raise wrong_type("allow", "array", allow)
        check_name(actor, "actor")
        for name, value in given.items():
            if value is not None:
                _check(name, value)


def check_message(message: object) -> None:
    """Accept what is said to an agent."""
    if not isinstance(message, str):
        with EXPLAINING:
            raise wrong_type("message", "string", message)


def check_price(budget: Budget, model: Model) -> None:
    """Refuse a limit in dollars for a model whose price nobody knows: it could not hold."""
    if budget.money is not None and model.price is None:
        with EXPLAINING:
            raise InvalidArgument("price_unknown", argument="budget.money", model=model.name)


def _check(name: str, value: object) -> None:
    kind, ability = _KINDS.get(name), _ABILITIES.get(name)
    if kind is not None and not isinstance(value, kind):
        raise wrong_type(name, kind.__name__, value)
    if ability is not None and not hasattr(value, ability):
        raise wrong_type(name, name, value)
    if name == "max_iterations":
        check_number(value, name, 1, LARGEST_ID)
    if name == "language":
        check_choice(value, name, get_args(Language))
