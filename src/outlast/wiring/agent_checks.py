"""Refuse what no agent can be made of, before anything is opened or asked."""

from __future__ import annotations

from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Final, get_args

from outlast.application.plan.plan import Plan
from outlast.config.by_hand import check_settings
from outlast.domain.budget import Budget
from outlast.domain.limits import (
    LARGEST_ID,
    check_choice,
    check_flag,
    check_name,
    check_number,
    wrong_type,
)
from outlast.errors import InvalidArgument
from outlast.texts import Language

if TYPE_CHECKING:
    import os

    from outlast.ports.model import Model

_KINDS: Final[dict[str, type]] = {"plan": Plan, "budget": Budget}
_ABILITIES: Final = {"person": "answer", "on_event": "__call__"}
_MODEL: Final = ("name", "price", "think")
_SEVERAL: Final = ("tools", "allow")
_FLAGS: Final = ("enable_planning", "yes")


def check_agent(*, model: object, actor: object, **given: object) -> None:
    """Accept what an agent is made of; what is None was left out."""
    if not isinstance(model, str) and not all(hasattr(model, part) for part in _MODEL):
        raise wrong_type("model", "model", model)
    check_name(actor, "actor")
    for name in _FLAGS:
        check_flag(given.pop(name), name)
    for name in _SEVERAL:
        _check_several(given.pop(name), name)
    for name, value in given.items():
        if value is not None:
            _check(name, value)


def _check_several(value: object, name: str) -> None:
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise wrong_type(name, "array", value)


def check_message(message: object) -> None:
    """Accept what is said to an agent."""
    if not isinstance(message, str):
        raise wrong_type("message", "string", message)


def check_workdir(workdir: str | os.PathLike[str]) -> None:
    """Refuse a directory that is not there: the agent would go on, and keep no plan."""
    from outlast.wiring.databases import is_url
    from outlast.wiring.workspaces import workspace_at

    if not is_url(workdir):
        workspace_at(workdir)


def check_price(budget: Budget, model: Model) -> None:
    """Refuse a limit in dollars for a model whose price nobody knows: it could not hold."""
    if budget.money is not None and model.price is None:
        raise InvalidArgument("price_unknown", argument="budget.money", model=model.name)


def _check(name: str, value: object) -> None:
    kind, ability = _KINDS.get(name), _ABILITIES.get(name)
    if kind is not None and not isinstance(value, kind):
        raise wrong_type(name, kind.__name__, value)
    if ability is not None and not hasattr(value, ability):
        raise wrong_type(name, name, value)
    if iscoroutinefunction(value):  # nobody would wait for what it returns
        raise InvalidArgument(
            "wrong_type", argument=name, expected="function", got="coroutine function"
        )
    if name == "settings":
        check_settings(value)
    if name == "max_iterations":
        check_number(value, name, 1, LARGEST_ID)
    if name == "language":
        check_choice(value, name, get_args(Language))
