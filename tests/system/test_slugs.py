"""A plan without a key gets one that people can read and type."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.system.keys import directory_name
from outlast.system.slugs import new_key

FORM = re.compile(r"([a-z0-9]{1,16}-){1,4}[0-9a-f]{3}")


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ("Add OAuth", "add-oauth"),
        ("  Build the CLI, then the docs and more!  ", "build-the-cli-then"),
        ("Don't repeat yourself", "dont-repeat-yourself"),
        ("Don\N{RIGHT SINGLE QUOTATION MARK}t repeat", "dont-repeat"),
        ("Füge die Anmeldung hinzu", "fuge-die-anmeldung-hinzu"),
        ("\uff21\uff22\uff23 \N{LATIN SMALL LIGATURE FI}x", "abc-fix"),
        ("给登录页加上 OAuth2 支持", "oauth2"),
        ("给登录页加上验证", "plan"),
        ("", "plan"),
        ("../../etc/passwd", "etc-passwd"),
        ("x" * 5000, "x" * 16),
        ("\ud800 a", "a"),
    ],
)
def test_a_key_is_made_of_the_first_words(goal: str, words: str) -> None:
    start, _, chance = new_key(goal).rpartition("-")
    assert start == words
    assert re.fullmatch("[0-9a-f]{3}", chance)


@given(st.text())
def test_a4_a_made_key_is_its_own_directory_name(goal: str) -> None:
    key = new_key(goal)
    assert FORM.fullmatch(key)
    assert directory_name(key) == key


def test_the_same_goal_gets_different_keys() -> None:
    assert len({new_key("Add OAuth") for _ in range(50)}) > 25
