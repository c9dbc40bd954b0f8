"""Answers of hooks, as each coding agent reads them."""

import json
from typing import Any

import pytest

from outlast.hosts.wire.events import HOST_NAMES, MOMENTS, NO_ANSWER, HostAnswer, HostName
from outlast.hosts.wire.reply import EVENT_NAMES, write_answer


def document(host: HostName, moment: Any, answer: HostAnswer) -> Any:
    printed = write_answer(host, moment, answer)
    assert printed.endswith("\n")
    assert printed.count("\n") == 1
    return json.loads(printed)


@pytest.mark.parametrize("host", HOST_NAMES)
@pytest.mark.parametrize("moment", MOMENTS)
def test_r4_04_nothing_to_say_prints_nothing(host: HostName, moment: Any) -> None:
    assert write_answer(host, moment, NO_ANSWER) == ""


def test_r4_04_text_for_the_model_names_the_event() -> None:
    own = {"hookEventName": "PreToolUse", "additionalContext": "a\nb\u2028"}
    answer = HostAnswer("a\nb\u2028")
    assert document("claude-code", "pre-tool", answer) == {"hookSpecificOutput": own}
    name = document("gemini", "prompt", answer)["hookSpecificOutput"]["hookEventName"]
    assert name == "BeforeAgent"
    name = document("codex", "tool-failure", answer)["hookSpecificOutput"]["hookEventName"]
    assert name == EVENT_NAMES["codex"]["post-tool"]


def test_r4_04_text_is_left_out_where_there_is_no_place_for_it() -> None:
    for moment in ("stop", "session-end", "subagent-stop"):
        assert write_answer("claude-code", moment, HostAnswer("text")) == ""
    assert write_answer("codex", "pre-compact", HostAnswer("text")) == ""
    assert write_answer("gemini", "pre-tool", HostAnswer("text")) == ""


def test_r4_04_claude_code_reads_plain_text_before_a_compaction() -> None:
    assert write_answer("claude-code", "pre-compact", HostAnswer("a\nb")) == "a\nb\n"
    assert write_answer("claude-code", "pre-compact", HostAnswer(notice="x")) == ""


def test_r4_04_a_line_for_the_user() -> None:
    for host in HOST_NAMES:
        assert document(host, "stop", HostAnswer(notice="n")) == {"systemMessage": "n"}


def test_r4_08_a_refusal_is_spelled_as_the_agent_knows_it() -> None:
    answer = HostAnswer("told", "seen", "because")
    denied = {"permissionDecision": "deny", "permissionDecisionReason": "because"}
    for host in ("claude-code", "codex"):
        own = document(host, "pre-tool", answer)["hookSpecificOutput"]
        expected = {"hookEventName": "PreToolUse", **denied, "additionalContext": "told"}
        assert own == expected
    given = document("gemini", "pre-tool", answer)
    assert given == {"decision": "deny", "reason": "because", "systemMessage": "seen"}
    held = document("claude-code", "stop", answer)
    assert held == {"decision": "block", "reason": "because", "systemMessage": "seen"}


def test_x5_no_text_is_so_long_that_an_agent_cuts_it() -> None:
    own = document("codex", "prompt", HostAnswer("x" * 20_000))["hookSpecificOutput"]
    assert len(own["additionalContext"]) == 9_001
