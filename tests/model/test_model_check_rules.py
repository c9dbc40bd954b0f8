"""A check in one line, as people write it in `task_plan.md` and on the command line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.model.model import CHECK_KINDS, Check, parse_rule, write_rule

KINDS = ("", "file:", "person: ", "command:", "File:", "files:", "file")


@pytest.mark.parametrize(
    ("text", "check"),
    [
        ("pytest -q", Check("command", "pytest -q")),
        ("file: out.txt", Check("file", "out.txt")),
        ("file:out.txt ~ ^ok$", Check("file", "out.txt ~ ^ok$")),
        ("Person: somebody has read it", Check("person", "somebody has read it")),
        ("command: file: it", Check("command", "file: it")),
        ("files: a", Check("command", "files: a")),
        ("file", Check("command", "file")),
        ("", Check("command", "")),
    ],
)
def test_x2_the_word_before_a_check_is_its_kind(text: str, check: Check) -> None:
    assert parse_rule(text) == check


def test_x2_a_command_that_looks_like_another_kind_is_written_as_a_command() -> None:
    assert write_rule(Check("command", "person: x")) == "command: person: x"
    assert write_rule(Check("command", "make test")) == "make test"
    assert write_rule(Check("file", "a ~ b")) == "file: a ~ b"


@given(
    st.builds(
        Check,
        st.sampled_from(CHECK_KINDS),
        st.builds(str.__add__, st.sampled_from(KINDS), st.text()),
    )
)
def test_x2_every_check_is_read_back_as_it_was(check: Check) -> None:
    assert parse_rule(write_rule(check)) == check
