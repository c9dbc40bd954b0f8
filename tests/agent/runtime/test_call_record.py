"""X3 and A5: the journal records enough of a call to settle it, and no secret."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.context.chat_model import Call
from outlast.context.tool import Tool, digest, is_same_text
from outlast.model.limits import NAME_CHARACTERS, check_name
from outlast.plan.tools.call_record import (
    call_line,
    describe_call,
    describe_recorded_call,
    json_digest,
    parse_call_line,
    record_call,
)
from tests.agent.runtime.poke_tool import Poke

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


def keep(**params: Any) -> dict[str, Any] | None:
    name, found = parse_call_line(call_line(Call("tool", params)))
    assert name == "tool"
    return found


def test_x3_short_parameters_are_recorded_as_they_are() -> None:
    params = {"path": "docs/报告 (1).md", "n": 3, "deep": [{"a": None}], "lines": "a\nb\u2028c"}
    assert keep(**params) == params


def test_x3_long_strings_are_recorded_as_digests() -> None:
    found = keep(path="a.txt", content="x" * 201)
    assert found == {"path": "a.txt", "content": digest("x" * 201)}
    assert is_same_text(digest("x" * 201), "x" * 201)
    assert not is_same_text(digest("x" * 201), "x" * 202)


def test_x3_a_text_that_looks_like_a_digest_is_recorded_as_a_digest_of_its_own() -> None:
    found = keep(content=digest("x"))
    assert found == {"content": digest(digest("x"))}


def test_a5_secrets_are_recorded_as_digests_and_paths_as_they_are() -> None:
    secret = "API_KEY=sk-proj-abcdefghijklmnop1234567890"  # noqa: S105 - made up
    found = keep(path="config/.env", content=secret, password="correct horse 9")  # noqa: S106
    assert found == {
        "path": "config/.env",
        "content": digest(secret),
        "password": digest("correct horse 9"),
    }


@pytest.mark.parametrize("count", [10, 100])
def test_x3_a_call_that_is_too_large_is_recorded_by_name_only(count: int) -> None:
    params = {f"p{n}": "x" * 190 for n in range(count)}
    found = keep(**params)
    assert found == ({name: digest(text) for name, text in params.items()} if count == 10 else None)


class Tracing(Poke):
    def journal_params(self, params: dict[str, Any]) -> dict[str, Any]:
        return {"half": 1 / params["where"], "text": "x" * 300}


def test_x3_a_tool_may_choose_what_is_recorded() -> None:
    what = record_call(Call("poke", {"where": 2}), Tracing())
    assert parse_call_line(what) == ("poke", {"half": 0.5, "text": digest("x" * 300)})


def test_x3_a_tool_that_fails_to_choose_what_is_recorded_still_runs(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert parse_call_line(record_call(Call("poke", {"where": 0}), Tracing())) == (
        "poke",
        {"where": 0},
    )
    assert "poke failed to say what to keep" in caplog.text


@pytest.mark.parametrize("tool", [Poke(), None])
def test_x3_other_tools_record_their_parameters(tool: Tool | None) -> None:
    assert parse_call_line(record_call(Call("poke", {"where": 2}), tool)) == ("poke", {"where": 2})


@given(st.dictionaries(st.text(), JSON))
def test_x3_every_record_of_a_call_fits_into_the_journal(params: dict[str, Any]) -> None:
    what = call_line(Call("tool", params))
    assert check_name(what, "what") == what
    assert len(what) <= NAME_CHARACTERS
    assert len(json_digest(params)) == 64


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (Call("bash", {"command": "python3  review.py\n  --all"}), "python3 review.py --all"),
        (Call("bash", {"timeout": 3}), "3"),
        (Call("bash", {"command": "x" * 201}), "bash"),
        (Call("bash", {}), "bash"),
        (Call("write_file", {"content": "hello", "path": "a.md"}), "write_file a.md"),
        (Call("fetch", {"depth": None, "url": "https://x.org"}), "fetch https://x.org"),
        (Call("add_tasks", {"tasks": [{"name": "One"}, {"a": "b"}, 3]}), "add_tasks One, b, 3"),
    ],
)
def test_x3_a_recorded_call_is_described_in_a_few_words(call: Call, words: str) -> None:
    assert describe_recorded_call(call_line(call)) == words


def test_a_call_is_described_by_its_name_and_its_main_parameter() -> None:
    assert describe_call("bash", {"cwd": "src", "command": "make"}) == "bash make"
