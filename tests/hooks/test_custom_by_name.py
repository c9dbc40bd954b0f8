"""R4.04: hooks of a user's own, by their names in the settings."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from outlast.config.settings import Hooks, Settings
from outlast.errors import InvalidArgument
from outlast.hooks.custom import find_hooks
from outlast.hooks.port import HookContext, HookResult
from outlast.plan.home.find import load_settings
from outlast.sessions import PlanningService

if TYPE_CHECKING:
    from pathlib import Path

    from outlast.context.plan_view import PlanView


def greets(_context: HookContext, _plan: PlanView | None) -> HookResult:
    return HookResult(notification="from a function")


class Greeter:
    def on_stop(self, _context: HookContext, _plan: PlanView | None) -> HookResult:
        return HookResult(notification="from an object")


def test_r4_04_functions_and_classes_are_found_by_their_module(tmp_path: Path) -> None:
    names = (f"{__name__}:greets", f"{__name__}:Greeter")
    with PlanningService(tmp_path, "s", settings=Settings(hooks=Hooks(python=names))) as service:
        assert service.hooks.on_stop().notification == "from a function\nfrom an object"
        assert service.hooks.pre_compact().notification == "from a function"


def test_r4_04_hooks_that_are_given_come_after_those_of_the_settings(tmp_path: Path) -> None:
    settings = Settings(hooks=Hooks(python=(f"{__name__}:greets",)))
    with PlanningService(tmp_path, "s", settings=settings, hooks=(Greeter(),)) as service:
        assert service.hooks.on_stop().notification == "from a function\nfrom an object"


def test_r4_04_one_that_is_not_there_fails_in_its_place() -> None:
    (missing,) = find_hooks(("no-such-entry-point",))
    assert callable(missing)
    with pytest.raises(Exception, match="no-such-entry-point"):
        missing(HookContext("on_stop"), None)


def test_r4_04_what_is_no_hook_fails_in_its_place_too() -> None:
    (wrong,) = find_hooks(("os:sep",))
    assert callable(wrong)
    with pytest.raises(InvalidArgument, match="hooks: expected hook, got str"):
        wrong(HookContext("on_stop"), None)


def test_r4_04_an_entry_point_is_used_only_when_it_is_named(tmp_path: Path) -> None:
    about = tmp_path / "plugin-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[outlast.hooks]\ngreeter = plugin:greet\n")
    (tmp_path / "plugin.py").write_text(
        "from outlast.hooks.port import HookResult\n"
        "def greet(context, plan):\n    return HookResult(notification='plugged in')\n"
    )
    code = (
        "import sys; sys.path.append(sys.argv[1])\n"
        "from outlast.sessions import PlanningService\n"
        "from outlast.config.settings import Hooks, Settings\n"
        "for names in ((), ('greeter',)):\n"
        "    settings = Settings(hooks=Hooks(python=names))\n"
        "    print(PlanningService('.', 's', settings=settings).hooks.on_stop().notification)\n"
    )
    done = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", code, str(tmp_path)],
        capture_output=True,
        check=True,
        cwd=tmp_path,
        encoding="utf-8",
        timeout=60,
    )
    assert done.stdout == "\nplugged in\n"


def test_r4_12_settings_are_found_from_anywhere_in_a_workspace(tmp_path: Path) -> None:
    (tmp_path / "outlast.toml").write_text("enabled = false")
    found = load_settings(str(tmp_path), {"HOME": "/none"}, {"loop.max_iterations": 3})
    assert (found.settings.enabled, found.settings.loop.max_iterations) == (False, 3)
