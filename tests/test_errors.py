"""Errors carry a code and details, which stay short."""

from outlast.errors import InvalidArgument


def test_long_lists_among_the_details_are_cut_in_the_middle() -> None:
    error = InvalidArgument("cycle", cycle=list(range(1_000)), task=3)
    short = error.short_details()
    shown = short["cycle"]
    assert isinstance(shown, list)
    assert (shown[0], shown[-1], len(shown) < 100) == (0, 999, True)
    assert (short["cycle_count"], short["task"]) == (1_000, 3)


def test_short_details_stay_as_they_are() -> None:
    assert InvalidArgument("cycle", cycle=[1, 2]).short_details() == {"cycle": [1, 2]}
