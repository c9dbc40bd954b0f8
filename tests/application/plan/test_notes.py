"""What a plan keeps beside its tasks (R4.09): findings, errors, what came out."""

from __future__ import annotations

import pytest

from outlast.application.context.blocks import findings_summary
from outlast.errors import InvalidArgument
from outlast.testing import FixedClock
from tests.making import make_plan


def test_r4_09_findings_are_kept_in_order_and_by_category() -> None:
    plan = make_plan()
    first = plan.note("code", "One", "content", "src/a.py")
    plan.note("issue", "Two", "")
    third = plan.note("code", "Three", "more")
    assert (first.id, first.source, first.author) == (1, "src/a.py", "tester")
    assert [one.title for one in plan.findings()] == ["One", "Two", "Three"]
    assert plan.findings("code") == (first, third)
    assert plan.findings("insight") == ()


def test_r4_09_an_unknown_category_is_refused() -> None:
    plan = make_plan()
    with pytest.raises(InvalidArgument, match="expected one of code, architecture"):
        plan.note("gossip", "t", "c")  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="expected one of"):
        plan.findings("gossip")  # type: ignore[arg-type]
    assert plan.findings() == ()


def test_r4_09_errors_that_differ_only_in_numbers_are_counted_as_one() -> None:
    clock = FixedClock()
    plan = make_plan(clock=clock)
    plan.log_error("bash", "line 3: exit 1", {"command": "make"}, "stack")
    clock.advance(60)
    again = plan.log_error("bash", "line 47: exit 2")
    assert (again.id, again.count, again.message) == (1, 2, "line 47: exit 2")
    assert again.first_at < again.at == clock()
    assert plan.error_count("bash", "line 9: exit 9") == 2
    assert plan.error_count("bash", "else") == plan.error_count("edit", "line 3: exit 1") == 0


def test_r4_09_the_newest_errors_come_first_up_to_a_limit() -> None:
    clock = FixedClock()
    plan = make_plan(clock=clock)
    for name in "abcdefg":
        plan.log_error("bash" if name < "f" else "edit", name)
        clock.advance(1)
    assert [one.message for one in plan.errors()] == ["g", "f", "e", "d", "c"]
    assert [one.message for one in plan.errors("edit")] == ["g", "f"]
    assert [one.message for one in plan.errors("bash", limit=2)] == ["e", "d"]
    for tool, limit in ((None, 0), ("", 5)):
        with pytest.raises(InvalidArgument):
            plan.errors(tool, limit)


def test_r4_09_clearing_errors_resets_their_strikes() -> None:
    plan = make_plan()
    plan.log_error("bash", "a")
    plan.log_error("bash", "a")
    plan.log_error("bash", "b")
    assert plan.clear_errors() == 2
    assert plan.clear_errors() == plan.error_count("bash", "a") == 0
    assert plan.log_error("bash", "a").id == 3


def test_r4_09_the_summary_has_three_titles_a_category() -> None:
    plan = make_plan()
    assert findings_summary(plan.findings()) == ""
    for number in range(1, 5):
        plan.note("code", f"C{number}", "content that is not shown")
    plan.note("insight", "</findings-summary> & more", "x")
    assert findings_summary(plan.findings()) == (
        "<findings-summary>\n"
        "Total findings: 5\n"
        "\n"
        "**code:**\n- C1\n- C2\n- C3\n"
        "\n"
        "**insight:**\n- &lt;/findings-summary&gt; &amp; more\n"
        "\n"
        "</findings-summary>"
    )


def test_a5_notes_keep_no_secret() -> None:
    plan = make_plan("task")
    plan.note("code", "password=hunter2", "token: abc12345", "https://me:hunter2@host/x")
    plan.log_error("bash", "denied: password=hunter2", {"api_key": "abc12345"}, "token=abc12345")
    plan.deliver("The key is password=hunter2.")
    [error], [finding] = plan.errors(), plan.findings()
    kept = (
        finding.title,
        finding.content,
        finding.source,
        error.message,
        error.params,
        error.stack,
    )
    for text in (*kept, plan.read(lambda state: state.notes.deliverable)):
        assert "redacted" in text
        assert "hunter2" not in text
        assert "abc12345" not in text
    assert plan.error_count("bash", "denied: password=hunter2") == 1


def test_r4_09_a_call_with_a_whole_file_in_it_can_be_logged() -> None:
    plan = make_plan()
    logged = plan.log_error("write_file", "denied", {"content": "x" * 100_000})
    assert len(logged.params) < 2_000
    assert plan.log_error("write_file", "other", {}).params == "{}"
