"""The plan that a command is about."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from outlast.errors import OutlastError, StoreError
from outlast.interfaces.cli.output import write
from outlast.texts import visible
from outlast.wiring import find_plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outlast.application.planning import Plan
    from outlast.interfaces.cli.call import Call
    from outlast.ports.store import Notice


def here() -> str:
    """Return the current directory, which may have been taken away."""
    try:
        return os.getcwd()  # noqa: PTH109 - without the cost of pathlib
    except OSError as error:
        raise StoreError("no_directory", where=".") from error


@contextmanager
def opened(call: Call) -> Iterator[Plan]:
    """Open the plan that is meant, close it afterwards, and say what had to be mended."""
    plan = find_plan(here(), call.plan, actor=call.actor)
    complaint = ""
    try:
        with plan:
            yield plan
    except OutlastError as error:
        complaint = error.text
        raise
    finally:
        say_notices(call, (notice for notice in plan.notices if notice[0] != complaint))


def say_notices(call: Call, notices: Iterable[Notice]) -> None:
    """Tell a person what had to be mended, beside the answer."""
    for key, details in notices:
        write(f"outlast: {visible(call.say(key, **details))}", sys.stderr)
