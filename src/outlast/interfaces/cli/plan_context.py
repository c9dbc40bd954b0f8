"""The plan that a command is about."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from outlast.errors import OutlastError, StoreError
from outlast.wiring.plans import find_plan
from outlast.wiring.workspaces import damage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.application.plan.plan import Plan
    from outlast.interfaces.cli.call import Call

# What has ended can still be looked at, and a last task finished by mistake be taken up again.
_OF_ENDED_PLANS: Final = frozenset(
    ("show", "log", "undo", "edit", "check", "note", "graph", "watch", "export")
)


def here() -> str:
    """Return the current directory, which may have been taken away."""
    try:
        return os.getcwd()  # noqa: PTH109 - without the cost of pathlib
    except OSError as error:
        raise StoreError("no_directory", where=".") from error


@contextmanager
def opened(call: Call) -> Iterator[Plan]:
    """Open the plan that is meant, close it afterwards, and note what had to be mended.

    What is refused on a damaged plan may be so because the plan is not read to its end.
    """
    ended = call.command in _OF_ENDED_PLANS
    plan = find_plan(here(), call.plan, actor=call.actor, ended=ended)
    try:
        with plan:
            yield plan
    except OutlastError as error:
        damaged = damage(plan.notices)
        if damaged is None:
            raise
        raise damaged from error
    finally:
        call.notices.extend(plan.notices)
