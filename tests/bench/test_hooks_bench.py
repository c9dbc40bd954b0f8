"""What hooks cost: the shell answers most of them, whatever the size of the plan."""

import pytest

from bench import hooks


@pytest.mark.slow
def test_r4_04_the_page_shows_every_class_beside_plain_programs() -> None:
    text = hooks.report(rounds=2, sizes=(10, 100))
    for name in ("cat F", "python -I -S -c pass", "read:", "record:", "decide: stop", "100 tasks"):
        assert name in text


@pytest.mark.slow
@pytest.mark.parametrize("size", [10, 1_000])
def test_x5_what_hooks_tell_a_model_is_short_whatever_the_size_of_the_plan(size: int) -> None:
    told = hooks.count_tokens(size)
    assert told.pop("after a compaction: the brief") <= 2_300
    assert told.pop("with a prompt: the plan, changed") <= 300
    assert told.pop("a prompt or a tool, nothing new") == 0
    assert all(0 < count <= 150 for count in told.values()), told


@pytest.mark.slow
def test_r4_05_before_a_tool_and_after_a_failure_no_python_is_started() -> None:
    small, large = hooks.measure(5, 10), hooks.measure(5, 1_000)
    for found in (small, large):
        for name, ratio in found.by_class().items():
            assert ratio < 1 or not name.startswith(("read", "record")), name
