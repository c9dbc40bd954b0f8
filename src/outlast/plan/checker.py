"""The checker of a workspace, built when a task with checks first needs it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.proof.checks.checker import Checker

SECONDS: Final = 300
_SETTING: Final = "OUTLAST_CHECK_SECONDS"
_LONGEST: Final = 86_400


class LazyChecker:
    """Builds the checker of a workspace on first use; shared by all handles on a plan.

    `plan_key` names the plan to the programs of checks; it is set once the plan is open.
    """

    plan_key = ""

    def __init__(self, root: str | None = None) -> None:
        """Check below a directory, by default the current one.

        Raises `InvalidArgument` for a bad timeout now, before the plan is touched.
        """
        self._root, self._seconds = root, check_seconds()
        self._checker: Checker | None = None

    def __call__(self) -> Checker:
        """Return the checker; build it on the first call."""
        if self._checker is None:
            from outlast.plan.home.find import DISK
            from outlast.proof.checks.checker import Checker
            from outlast.system.environment import plan_variable
            from outlast.system.state_home import StateHome, state_home
            from outlast.system.workspace_root import current_directory

            root = current_directory() if self._root is None else self._root
            home = StateHome(state_home(), DISK)
            variables = plan_variable(self.plan_key)
            self._checker = Checker(root, home, self._seconds, _variables_that_may_pass, variables)
        return self._checker


def _variables_that_may_pass() -> tuple[str, ...]:
    """Return `tools.pass_env` of the user's own settings; a project cannot set it."""
    from outlast.config.load import load

    return load().settings.tools.pass_env


def check_seconds(environment: Mapping[str, str] | None = None) -> int:
    """Return the timeout of a check in seconds."""
    value = (os.environ if environment is None else environment).get(_SETTING)
    if not value:
        return SECONDS
    from outlast.model.limits import check_number

    is_number = value.isascii() and value.isdecimal() and len(value) < len("100000")
    given = int(value) if is_number else 0
    return check_number(given, _SETTING, 1, _LONGEST)
