"""X3, X4: a run that creates, asks, listens and fails continues after a kill at any write."""

from itertools import count
from pathlib import Path

import pytest

from tests.agent.runtime.crashes.long_run import BUDGET, LongRun
from tests.store.faults import FaultyDisk, QuickDisk


def undisturbed(path: Path) -> LongRun:
    run = LongRun(path)
    run.until_done(QuickDisk())
    run.check()
    return run


def test_x3_a_run_with_a_question_continues_with_the_answer(tmp_path: Path) -> None:
    run = undisturbed(tmp_path)
    look = run.look()
    assert [status for _, status, _ in look["tasks"]] == ["completed"] * 3
    assert look["errors"][-1][0] == "poke", "the hooks have noted it"
    assert look["said"] == ()
    assert (run.waited, run.answers()) == (1, ["blue"])
    assert look["budget"] == BUDGET


def killed_at(path: Path, write: int, torn: int) -> LongRun | None:
    """Return a run that was killed at a write, or None if it has fewer writes."""
    run, disk = LongRun(path), FaultyDisk(QuickDisk(), torn=torn)
    disk.deadly, disk.spared = "write", write
    run.until_done(disk)
    return run if run.kills else None


def check(run: LongRun, whole: LongRun) -> None:
    look, expected = run.look(), whole.look()
    for one in ("tasks", "files", "budget", "said", "open"):
        assert look[one] == expected[one]
    assert run.answers() == ["blue"]
    run.check()
    # Only the one thought before there is a plan may be forgotten.
    assert run.spent.model_calls >= whole.spent.model_calls - 1, (
        "what was set aside is not forgotten"
    )


@pytest.mark.parametrize("write", range(0, 36, 5))
def test_x3_killed_at_a_write_it_ends_as_if_it_had_not_been(tmp_path: Path, write: int) -> None:
    run = killed_at(tmp_path / "killed", write, write % 5)
    assert run is not None
    check(run, undisturbed(tmp_path / "whole"))


@pytest.mark.slow
def test_x3_killed_at_any_write_it_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    whole = undisturbed(tmp_path / "whole")
    for write in count():
        for torn in (0, 9, 10_000):
            run = killed_at(tmp_path / f"{write}-{torn}", write, torn)
            if run is None:
                assert write > 36
                return
            check(run, whole)
