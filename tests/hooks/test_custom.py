"""R4.04: hooks that can never work are refused when they are passed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from outlast import AgentLoop
from outlast.errors import InvalidArgument
from outlast.hooks.custom import validate_hooks
from outlast.testing import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


def takes_one(_context: object) -> None:
    pass


def takes_three(_context: object, _plan: object, _third: object) -> None:
    pass


async def takes_none() -> None:
    pass


def by_name_only(*, context: object, plan: object) -> None:
    pass


def yields(_context: object, _plan: object) -> Iterator[None]:
    yield


async def yields_later(_context: object, _plan: object) -> AsyncIterator[None]:
    yield


class HasOneThatFits:
    def pre_tool_use(self, _context: object) -> None:
        pass

    def on_stop(self, _context: object, _plan: object) -> None:
        pass


class HasNoMethod:
    pre_tool_use = "no"


WRONG: list[Any] = [
    takes_one,
    takes_three,
    takes_none,
    by_name_only,
    yields,
    yields_later,
    HasOneThatFits(),
    HasNoMethod(),
]


@pytest.mark.parametrize("hook", WRONG)
def test_r4_04_a_hook_that_cannot_take_context_and_plan_is_refused_when_passed(hook: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"must take \(context, plan\)") as refused:
        validate_hooks([hook])
    assert refused.value.text == "hook_signature"
    with pytest.raises(InvalidArgument):
        AgentLoop(model=ScriptedModel([]), hooks=[hook])


@pytest.mark.parametrize("hook", ["no", 3, None, HasNoMethod, object()])
def test_r4_04_what_no_point_could_call_is_refused_when_passed(hook: Any) -> None:
    with pytest.raises(InvalidArgument, match="hook"):
        validate_hooks([hook])


def test_r4_04_hooks_that_fit_are_accepted_plain_async_and_as_objects() -> None:
    async def later(_context: object, _plan: object, _more: object = None) -> None:
        pass

    class Stops:
        def on_stop(self, *_given: object) -> None:
            pass

    accepted: list[Any] = [lambda *_given: None, later, Stops()]
    assert validate_hooks(accepted) == tuple(accepted)
