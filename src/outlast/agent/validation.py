"""Validate the options of an agent before anything is opened."""

from __future__ import annotations

from datetime import tzinfo
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Final, get_args

from outlast.config.parse import check_settings
from outlast.errors import InvalidArgument
from outlast.language import Language
from outlast.model.budget import Budget
from outlast.model.limits import (
    LARGEST_ID,
    check_actor,
    check_choice,
    check_flag,
    check_name,
    check_number,
    wrong_type_error,
)
from outlast.model.model import LoopName
from outlast.plan.plan import Plan
from outlast.store.port import Layout

if TYPE_CHECKING:
    import os

    from outlast.config.settings import Settings
    from outlast.context.chat_model import Model

_KINDS: Final[dict[str, type]] = {"plan": Plan, "budget": Budget, "zone": tzinfo}
_ABILITIES: Final = {
    "person": "answer",
    "on_event": "__call__",
    "listener": "__call__",
    "width": "__call__",
    "clock": "__call__",
    "agenda": "change",
    "search": "search",
}
_MODEL: Final = ("name", "price", "think")
_SEVERAL: Final = ("tools", "allow")
_FLAGS: Final = ("enable_planning", "ask", "yes", "dry_run", "remember_permissions")


def check_agent(*, model: object, actor: object, **given: object) -> None:
    """Validate the options of `AgentLoop`; None means not given."""
    _check_model(model)
    check_actor(actor)
    for name in _FLAGS:
        check_flag(given.pop(name), name)
    for name in _SEVERAL:
        _check_iterable(given.pop(name), name)
    for name, value in given.items():
        if value is not None:
            _check_option(name, value)


def check_assistant(*, model: object, **given: object) -> None:
    """Validate the options of `Assistant`; None means not given."""
    if model is not None:
        _check_model(model)
    for name, value in given.items():
        if value is not None:
            _check_option(name, value)


def _check_model(model: object) -> None:
    if not isinstance(model, str) and not all(hasattr(model, part) for part in _MODEL):
        raise wrong_type_error("model", "model", model)


def check_loop(loop: object, *, enable_planning: bool, **given: object) -> None:
    """Validate the choice of the loop: `replan` needs a plan, and the given flags need `replan`."""
    check_choice(loop, "loop", get_args(LoopName))
    for name, value in given.items():
        if check_flag(value, name) and loop != "replan":
            raise InvalidArgument("needs_replan", argument=name)
    if loop == "replan" and not enable_planning:
        raise InvalidArgument("replan_needs_plan", argument="enable_planning")


def _check_iterable(value: object, name: str) -> None:
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise wrong_type_error(name, "list", value)


def check_message(message: object) -> None:
    """Validate a message to an agent."""
    if not isinstance(message, str):
        raise wrong_type_error("message", "str", message)
    if not message.strip():
        raise InvalidArgument("name_blank", argument="message")


def check_workdir(workdir: str | os.PathLike[str]) -> None:
    """Refuse a missing directory: the agent would fall back to a scratch plan."""
    from outlast.plan.home.find import is_url, workspace_at

    if not is_url(workdir):
        workspace_at(workdir)


def choose_layout(
    workdir: str | os.PathLike[str] | None, layout: Layout | None, settings: Settings
) -> Layout | None:
    """Return the layout for new plans; a database has none, whatever the settings say."""
    from outlast.plan.home.find import is_url

    return layout if layout is not None or is_url(workdir) else settings.layout


def check_price(budget: Budget, model: Model) -> None:
    """Refuse a limit in dollars for a model without a known price: it could not be enforced."""
    if budget.money is not None and model.price is None:
        raise InvalidArgument("price_unknown", argument="budget.money", model=model.name)


def _check_option(name: str, value: object) -> None:
    kind, ability = _KINDS.get(name), _ABILITIES.get(name)
    if kind is not None and not isinstance(value, kind):
        raise wrong_type_error(name, kind.__name__, value)
    if ability is not None and not hasattr(value, ability):
        raise wrong_type_error(name, name, value)
    if iscoroutinefunction(value):  # its result would never be awaited
        raise InvalidArgument(
            "wrong_type", argument=name, expected="function", got="coroutine function"
        )
    if name == "settings":
        check_settings(value)
    if name == "max_iterations":
        check_number(value, name, 1, LARGEST_ID)
    if name == "language":
        check_choice(value, name, get_args(Language))
    if name == "person_name":
        check_name(value, name)
    if name == "layout":
        check_choice(value, name, get_args(Layout))
