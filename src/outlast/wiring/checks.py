"""Who runs the checks of a plan: made only once a task with checks comes up."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from outlast.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.ports.check import Checker

SECONDS: Final = 300
_SETTING: Final = "OUTLAST_CHECK_SECONDS"
_LONGEST: Final = 86_400


class LateChecker:
    """The checker of a workspace, for all handles on a plan of it."""

    def __init__(self, root: str | None = None) -> None:
        """Check below a directory; without one, below the one we are in.

        A bad setting is refused here, before anything is done to the plan.
        """
        self._root, self._seconds = root, check_seconds()
        self._made: Checker | None = None

    def __call__(self) -> Checker:
        """Make the checker, or return it."""
        if self._made is None:
            from outlast.adapters.checks.checker import LocalChecker
            from outlast.system.state_home import StateHome, state_home

            root = _here() if self._root is None else self._root
            self._made = LocalChecker(root, StateHome(state_home()), self._seconds)
        return self._made


def _here() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - no pathlib here
    except OSError as error:  # it was taken away under our feet
        raise StoreError("file_failed", path=".", problem=os.strerror(error.errno or 0)) from error


def check_seconds(environment: Mapping[str, str] = os.environ) -> int:
    """Return how long a check may take."""
    told = environment.get(_SETTING)
    if not told:
        return SECONDS
    from outlast.domain.limits import check_number

    given = int(told) if told.isascii() and told.isdecimal() and len(told) < len("100000") else 0
    return check_number(given, _SETTING, 1, _LONGEST)
