"""X2: Python checks run in a process of their own, and only after an approval."""

from pathlib import Path

import pytest

from outlast.errors import CheckNotApproved
from outlast.model.model import Check
from tests.proof.checks.scene import NOW, PLAN, Scene, make_task

MODULE = """
import os
def good(): print("looked at", os.getcwd())
def true(): return True
def empty(): return ""
def false(): return False
def broken(): raise ValueError("three are missing")
def slow():
    import time; time.sleep(60)
class Checks:
    @staticmethod
    def good(): pass
"""


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    scene = Scene(tmp_path)
    scene.write("ready.py", MODULE)
    return scene


@pytest.mark.parametrize(
    ("rule", "ok", "shows"),
    [
        ("ready:good", True, "looked at"),
        ("ready:true", True, ""),
        ("ready:empty", True, ""),
        ("ready:Checks.good", True, ""),
        ("ready:false", False, "it returned False"),
        ("ready:broken", False, "ValueError: three are missing"),
        ("ready:missing", False, "AttributeError"),
        ("nothing_like_it:good", False, "ModuleNotFoundError"),
    ],
)
def test_x2_a_function_must_neither_fail_nor_return_false(
    scene: Scene, rule: str, shows: str, *, ok: bool
) -> None:
    shown = scene.run_check("python", rule)
    assert (shown.ok, shown.code) == (ok, 0 if ok else 1)
    assert shows in shown.tail


def test_f12_a_function_that_never_ends_is_red(tmp_path: Path) -> None:
    scene = Scene(tmp_path, seconds=0.5)
    scene.write("ready.py", MODULE)
    assert scene.run_check("python", "ready:slow").says == "timeout 0.5"


def test_a10_a_function_of_the_project_runs_only_after_an_approval(scene: Scene) -> None:
    scene.write("ready.py", "open('ran', 'w')\ndef good(): pass")
    task = make_task(Check("python", "ready:good"))
    with pytest.raises(CheckNotApproved):
        scene.checker.run(PLAN, task, "done", actor="a", confirmed=(), baseline=None, now=NOW)
    assert not (scene.root / "ran").exists()
