"""OUTLAST_PLAN in the environment of programs that a run starts."""

import asyncio
import subprocess
import sys

import pytest

from outlast.system.environment import VARIABLE, child_environment, plan_variable, set_plan_variable


@pytest.mark.parametrize("key", ["ship", "发布 新版本", "telegram:123/..", "x" * 1_000])
def test_u2_a_program_gets_the_key_as_it_is(key: str) -> None:
    printed = subprocess.run(  # noqa: S603 - a line of our own
        [sys.executable, "-c", f"import os, sys; sys.stdout.write(os.environ['{VARIABLE}'])"],
        check=True,
        encoding="utf-8",
        env={**child_environment(), **plan_variable(key), "PYTHONUTF8": "1"},
        stdout=subprocess.PIPE,
    ).stdout
    assert printed == key


@pytest.mark.parametrize("key", ["", "a\0b", "\ud800"])
def test_u2_what_no_environment_can_hold_is_left_out(key: str) -> None:
    assert plan_variable(key) == {}


def test_u2_each_task_names_its_own_plan() -> None:
    keys = {"one": "", "two": "second"}

    async def start(name: str) -> list[str | None]:
        set_plan_variable(lambda: keys[name])
        before = child_environment().get(VARIABLE)
        await asyncio.sleep(0)
        keys["one"] = "first"
        return [before, child_environment().get(VARIABLE)]

    async def start_both() -> list[list[str | None]]:
        return await asyncio.gather(*(asyncio.create_task(start(name)) for name in keys))

    assert asyncio.run(start_both()) == [[None, "first"], ["second", "second"]]
    assert VARIABLE not in child_environment()
