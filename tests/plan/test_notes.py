"""What a plan keeps beside its tasks (R4.09): findings, errors, what came out."""

from __future__ import annotations

import pytest

from outlast.context.blocks import findings_summary
from outlast.errors import InvalidArgument
from outlast.testing import FixedClock
from tests.making import make_plan


def test_r4_09_findings_are_kept_in_order_and_by_category() -> None:
    plan = make_plan()
    first = plan.notes.add_finding("code", "One", "content", "src/a.py")
    plan.notes.add_finding("issue", "Two", "")
    third = plan.notes.add_finding("code", "Three", "more")
    assert (first.id, first.source, first.author) == (1, "src/a.py", "tester")
    assert [one.title for one in plan.notes.findings()] == ["One", "Two", "Three"]
    assert plan.notes.findings("code") == (first, third)
    assert plan.notes.findings("insight") == ()


def test_r4_09_an_unknown_category_is_refused() -> None:
    plan = make_plan()
    with pytest.raises(InvalidArgument, match="expected one of code, architecture"):
        plan.notes.add_finding("gossip", "t", "c")  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="expected one of"):
        plan.notes.findings("gossip")  # type: ignore[arg-type]
    assert plan.notes.findings() == ()


def test_r4_09_errors_that_differ_only_in_numbers_are_counted_as_one() -> None:
    clock = FixedClock()
    plan = make_plan(clock=clock)
    plan.notes.add_error("bash", "line 3: exit 1", {"command": "make"}, "stack")
    clock.advance(60)
    again = plan.notes.add_error("bash", "line 47: exit 2")
    assert (again.id, again.count, again.message) == (1, 2, "line 47: exit 2")
    assert again.first_at < again.at == clock()
    assert plan.notes.error_count("bash", "line 9: exit 9") == 2
    assert (
        plan.notes.error_count("bash", "else")
        == plan.notes.error_count("edit", "line 3: exit 1")
        == 0
    )


def test_r4_09_an_error_without_parameters_keeps_those_of_the_last_time() -> None:
    plan = make_plan()
    plan.notes.add_error("bash", "exit 1", {"command": "make"}, "stack")
    again = plan.notes.add_error("bash", "exit 2")
    assert (again.count, again.params, again.stack) == (2, '{"command":"make"}', "stack")
    changed = plan.notes.add_error("bash", "exit 3", {"command": "ls"}, "other")
    assert (changed.params, changed.stack) == ('{"command":"ls"}', "other")


def test_r4_09_the_newest_errors_come_first_up_to_a_limit() -> None:
    clock = FixedClock()
    plan = make_plan(clock=clock)
    for name in "abcdefg":
        plan.notes.add_error("bash" if name < "f" else "edit", name)
        clock.advance(1)
    assert [one.message for one in plan.notes.errors()] == ["g", "f", "e", "d", "c"]
    assert [one.message for one in plan.notes.errors("edit")] == ["g", "f"]
    assert [one.message for one in plan.notes.errors("bash", limit=2)] == ["e", "d"]
    for tool, limit in ((None, 0), ("", 5)):
        with pytest.raises(InvalidArgument):
            plan.notes.errors(tool, limit)


def test_r4_09_clearing_errors_resets_their_strikes() -> None:
    plan = make_plan()
    plan.notes.add_error("bash", "a")
    plan.notes.add_error("bash", "a")
    plan.notes.add_error("bash", "b")
    assert plan.notes.clear_errors() == 2
    assert plan.notes.clear_errors() == plan.notes.error_count("bash", "a") == 0
    assert plan.notes.add_error("bash", "a").id == 3


def test_r4_09_the_summary_has_three_titles_a_category() -> None:
    plan = make_plan()
    assert findings_summary(plan.notes.findings()) == ""
    for number in range(1, 5):
        plan.notes.add_finding("code", f"C{number}", "content that is not shown")
    plan.notes.add_finding("insight", "</findings-summary> & more", "x")
    assert findings_summary(plan.notes.findings()) == (
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
    plan.notes.add_finding(
        "code", "password=hunter2", "token: abc12345", "https://me:hunter2@host/x"
    )
    plan.notes.add_error(
        "bash", "denied: password=hunter2", {"api_key": "abc12345"}, "token=abc12345"
    )
    plan.notes.deliver("The key is password=hunter2.")
    [error], [finding] = plan.notes.errors(), plan.notes.findings()
    kept = (
        finding.title,
        finding.content,
        finding.source,
        error.message,
        error.params,
        error.stack,
    )
    for text in (*kept, plan.core.read(lambda state: state.notes.deliverable)):
        assert "redacted" in text
        assert "hunter2" not in text
        assert "abc12345" not in text
    assert plan.notes.error_count("bash", "denied: password=hunter2") == 1


def test_r4_09_a_call_with_a_whole_file_in_it_can_be_logged() -> None:
    plan = make_plan()
    logged = plan.notes.add_error("write_file", "denied", {"content": "x" * 100_000})
    assert len(logged.params) < 2_000
    assert plan.notes.add_error("write_file", "other", {}).params == "{}"
