"""R1.02, R1.03: commands and reports of a mailbox, as files."""

from datetime import UTC, datetime
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.agent.work import Report
from outlast.errors import InvalidDocument
from outlast.model.budget import Spend
from outlast.model.model import REPORT_STATUSES, ReportStatus
from outlast.orchestrator.agents.mailbox.mailbox_files import (
    CommandFile,
    parse_command,
    parse_report,
    render_command,
    render_report,
)

ID = "task-123e4567-e89b-12d3-a456-426614174000"
AT = datetime(2026, 11, 16, 11, 0, 0, 250_000, UTC)
LANGUAGES: tuple[Literal["en", "zh"], ...] = ("en", "zh")
HOSTILE = (
    "## Constraints",
    "##  约束条件 ##",
    "\\## Expected output",
    "## Core results",
    "---",
    "status: SUCCESS",
    "<!-- -->",
    "# a heading",
    "    code",
    "无",
    "",
)
texts = st.lists(st.sampled_from(HOSTILE) | st.text(max_size=20), max_size=6).map("\n".join)


def plain(text: str) -> str:
    """Return a text as a section keeps it."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    return "" if text in ("none", "无") else text


def test_r1_02_a_command_has_the_four_keys_and_the_headings_of_the_document() -> None:
    command = CommandFile(ID, AT, "建立登录页", checks=("pytest -q",), session_id="auto")
    assert render_command(command, "zh") == (
        "---\n"
        f"id: {ID}\n"
        "created_at: 2026-11-16T11:00:00.250Z\n"
        "session_id: auto\n"
        "command_type: new\n"
        "---\n\n"
        "## 任务描述\n建立登录页\n\n"
        "## 约束条件\n无\n\n"
        "## 预期输出\n- check: pytest -q\n"
    )


def test_r1_02_all_three_sections_are_there_and_the_last_one_ends_with_the_checks() -> None:
    command = CommandFile(ID, AT, "Build it", expected="A page", checks=("make", "ls a"))
    text = render_command(command)
    assert text.endswith(
        "## Task description\nBuild it\n\n"
        "## Constraints\nnone\n\n"
        "## Expected output\nA page\n\n- check: make\n- check: ls a\n"
    )


@given(texts, texts, texts, st.sampled_from(LANGUAGES))
def test_r1_02_no_text_adds_a_section_or_a_field(
    description: str, constraints: str, expected: str, headings: Literal["en", "zh"]
) -> None:
    command = CommandFile(ID, AT, description, constraints, expected, (), "s-1", "continue")
    parsed = parse_command(render_command(command, headings), "a.md")
    assert parsed == CommandFile(
        ID, AT, plain(description), plain(constraints), plain(expected), (), "s-1", "continue"
    )


@given(texts, texts, texts, st.sampled_from(REPORT_STATUSES), st.sampled_from(LANGUAGES))
def test_r1_03_a_report_is_read_as_it_was_written(
    results: str,
    pitfalls: str,
    next_steps: str,
    status: ReportStatus,
    headings: Literal["en", "zh"],
) -> None:
    report = Report(status, "s-1", results, pitfalls, next_steps)
    parsed = parse_report(render_report(report, headings), "r.md")
    assert (parsed.status, parsed.session_id) == (status, "s-1")
    assert parsed.results == plain(results)
    assert (parsed.pitfalls, parsed.next_steps) == (plain(pitfalls), plain(next_steps))


def test_r1_03_a_report_by_hand_may_lack_sections_and_mix_forms() -> None:
    text = (
        '\ufeff---\r\nStatus : "success"  # well\r\nsession_id: 123e4567\r\n- odd\r\n---\r\n'
        "Hello\r\n\r\n## 核心成果\r\ndone\r\n## More\r\nx\r\n## 核心成果\r\nagain\r\n"
    )
    report = parse_report(text, "r.md")
    assert (report.status, report.session_id) == ("SUCCESS", "123e4567")
    assert report.results == "done\n## More\nx\nagain"
    assert (report.pitfalls, report.next_steps) == ("", "")
    assert report.content.startswith("Hello")


@pytest.mark.parametrize("session", ["", "../x", "-rf", "a b", "x" * 200])
def test_a4_a_session_id_that_is_no_plain_word_is_dropped(session: str) -> None:
    assert parse_report(f"---\nstatus: FAILED\nsession_id: {session}\n---\n", "r").session_id == ""


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "mailbox_no_front_matter"),
        ("status: SUCCESS\n", "mailbox_no_front_matter"),
        ("---\nstatus: SUCCESS\n", "mailbox_open_front_matter"),
        ("---\nstatus: DONE\n---\n", "mailbox_field"),
        ("---\n---\n", "mailbox_field"),
        (f"---\nstatus: {'x' * 2000}\n---\n", "mailbox_long_field"),
    ],
)
def test_f9_what_is_no_complete_report_is_refused(text: str, problem: str) -> None:
    with pytest.raises(InvalidDocument) as caught:
        parse_report(text, "report-1.md")
    assert caught.value.text == problem
    assert "report-1.md" in str(caught.value)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", "task-1"),
        ("id", f"{ID}/.."),
        ("created_at", "soon"),
        ("session_id", "../x"),
        ("command_type", "stop"),
    ],
)
def test_a4_a_command_with_a_bad_field_is_refused(field: str, value: str) -> None:
    fields = {"id": ID, "created_at": "2026-11-16T11:00:00Z", "command_type": "new", field: value}
    text = "\n".join(("---", *(f"{key}: {word}" for key, word in fields.items()), "---"))
    with pytest.raises(InvalidDocument) as caught:
        parse_command(text, "task.md")
    assert (caught.value.text, caught.value.details["field"]) == ("mailbox_field", field)


def test_r1_02_a_command_without_a_session_begins_one() -> None:
    text = f"---\nid: {ID}\ncreated_at: 2026-11-16T11:00:00Z\ncommand_type: new\n---\n"
    assert parse_command(text, "task.md").session_id == "auto"


def test_r1_03_a_report_says_what_was_denied_and_what_it_has_cost() -> None:
    report = Report("FAILED", "s", denied=("Bash: rm -rf;\n# x", "Web"), spent=Spend(money=0.5))
    text = render_report(report)
    assert text.startswith(
        "---\nstatus: FAILED\nsession_id: s\ndenied: Bash: rm -rf x; Web\nmoney: 0.500000\n---\n"
    )
    parsed = parse_report(text, "r.md")
    assert (parsed.denied, parsed.spent) == (("Bash: rm -rf x", "Web"), Spend(money=0.5))


@pytest.mark.parametrize("amount", ["-1", "nan", "inf", "1e999", "much", ""])
def test_a1_an_amount_that_cannot_be_is_none(amount: str) -> None:
    text = f"---\nstatus: SUCCESS\nmoney: {amount}\ntokens: {amount}\n---\n"
    assert parse_report(text, "r.md").spent == Spend()


@pytest.mark.parametrize("status", ["partial success", "Partial-Success", "PARTIAL_SUCCESS"])
def test_r1_03_a_status_is_read_however_it_is_spelled(status: str) -> None:
    assert parse_report(f"---\nstatus: {status}\n---\n", "r").status == "PARTIAL_SUCCESS"


@pytest.mark.parametrize("field", ["id", "task_id"])
def test_f9_a_report_that_names_another_command_is_no_answer(field: str) -> None:
    text = f"---\nstatus: SUCCESS\n{field}: {ID}\n---\n"
    assert parse_report(text, "r.md", ID).status == "SUCCESS"
    with pytest.raises(InvalidDocument) as caught:
        parse_report(text, "r.md", ID.replace("123e", "ffff"))
    assert caught.value.details["field"] == field
    own = f"---\nstatus: SUCCESS\n{field}: report-7\n---\n"
    assert parse_report(own, "r.md", ID).status == "SUCCESS", "an id of its own"
