"""X2: of twenty tasks that are reported done and are not, none is accepted."""

from pathlib import Path

import pytest

from bench.proof import LET_IN, Outcome, report, run


@pytest.mark.slow
def test_x2_nothing_that_is_not_done_passes_for_proved(tmp_path: Path) -> None:
    outcomes = run(tmp_path)
    assert [outcome.verdict for outcome in outcomes] == [
        "refused CHECK_FAILED",
        "refused CHECK_FAILED",
        "refused CHECK_FAILED",
        "refused CHECK_FAILED",
        "refused CHECK_FAILED",
        "refused CHECK_FAILED",
        "labelled forged",
        "labelled unproved",
        "refused CHECK_NOT_APPROVED",
        "refused TAMPERED",
        "labelled stale",
        "labelled proved (was green)",
        "refused CHECK_UNKNOWN",
        "refused CHECK_FAILED",
        "refused INVALID_ARGUMENT",
        "refused UNCONFIRMED",
        "refused CHECK_NOT_APPROVED",
        "labelled forged",
        "refused PROOF_NEEDED",
        "labelled proved (not seen red)",
    ]
    assert report(outcomes).endswith("20 of 20 refused or labelled, 0 silently accepted")


def test_what_was_let_in_is_counted() -> None:
    told = report([Outcome("a", LET_IN), Outcome("b", "refused CHECK_FAILED")])
    assert told.endswith("1 of 2 refused or labelled, 1 silently accepted")
