"""X2: a check may be about a field of an agent's report."""

from pathlib import Path

import pytest

from outlast.model.model import Check, TaskReport
from tests.proof.checks.scene import NOW, PLAN, Scene

REPORT = TaskReport("1#1", "codex", "SUCCESS", NOW, "s", "12 tests pass\nnone fail", "", "rest")


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("status ~ SUCCESS", "passed"),
        ("status ~ ^SUCCESS$", "passed"),
        ("status ~ FAILED", "no_text"),
        ("results", "passed"),
        (r"results ~ ^\d+ tests pass$", "passed"),
        ("results ~ ^fail", "no_text"),
        ("pitfalls", "empty"),
        ("pitfalls ~ none", "empty"),
        ("next_steps", "passed"),
    ],
)
def test_x2_a_field_of_the_report_must_match(scene: Scene, rule: str, says: str) -> None:
    shown = scene.run_check("report", rule, REPORT)
    assert (shown.says, shown.ok) == (says, says == "passed")


def test_x2_without_a_report_it_is_red(scene: Scene) -> None:
    assert scene.run_check("report", "results").says == "no_report"


def test_f38_a_pattern_that_would_take_for_ever_shows_nothing(tmp_path: Path) -> None:
    scene = Scene(tmp_path, seconds=0.5)
    long = TaskReport("1#1", "codex", "SUCCESS", NOW, "", "a" * 40 + "!")
    shown = scene.run_check("report", "results ~ ^(a+)+$", long)
    assert (shown.ok, shown.says) == (None, "slow_pattern 0.5")


def test_a_report_check_runs_nothing_and_needs_no_approval(scene: Scene) -> None:
    assert scene.checker.trust.list_unapproved(PLAN, (Check("report", "results"),)) == ()
