"""A4, R0.01: every key has its own directory, inside of the others'; new keys are readable."""

import itertools
import os
import re
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from outlast.errors import InvalidArgument
from outlast.system.keys import directory_name, key_of, new_key

KEYS = st.text(min_size=1)
NASTY = [
    *("telegram:123/..", "..", ".", "...", "../..", "/", "//", "/etc/passwd", "a/b", "a\\b"),
    *("../../../etc/shadow", "..\\..\\windows", "....//....//", "..;/", "a/../..", "a/./b", "./a"),
    *("%2e%2e", "%2e%2e%2f", "%252e%252e%252f", "..%2f", "..%5c", "%c0%ae%c0%ae", "%00", "%", "%4"),
    *("\u2024\u2024/", "\uff0e\uff0e\uff0f", "\u2215", "\u2044", "\u29f8", "\uff3c", "\u2025"),
    *("C:\\x", "C:", "\\\\host\\share", "file:///etc", "CON", "con", "Con", "nul", "aux.txt"),
    *("a", "A", "ä", "Ä", "a\u0308", "A\u0308", "ß", "ss", "ſ", "s", "İ", "i", "ı", "I", "K", "k"),
    *("a.", "a..", "a ", " a", " ", "-", "-rf", "--", "~", "~root", "~/x", "$HOME", "${x}", "`x`"),
    *("$(x)", "*", "?", "a|b", "a;b", "a&b", "'", '"', "\x00", "a\x00b", "..\x00", "\n", "\r\n"),
    *("\t", "\x7f", "\x1b[2J", "\u202egnp", "\u200b", "\ufeff", "😀", "日本", "\ud800", "\udc80"),
    *(".git", ".outlast", "journal.jsonl", "x.new", "a" * 119, "a" * 120, "a" * 121, "a" * 500),
    *("A" * 500, "a" * 499 + "b", "日" * 500, "../" * 200, "." * 500, "a" * 119 + ".", "." * 119),
    *("a" * 55 + "~" + "0" * 64, "%41", "a%7e", "a~", ".a", "%2ea", "-a", "%2da", "a%2e"),
]


def clash(one: str, other: str) -> bool:
    """Tell whether a careless file system could take two names for the same."""

    def carelessly(name: str) -> str:
        return normalize("NFKC", name).casefold().rstrip(". ")

    return carelessly(one) == carelessly(other)


@given(KEYS)
@example("..")
@example("." * 200)
@example("\ud800")
def test_a4_a_key_becomes_one_plain_name(key: str) -> None:
    name = directory_name(key)
    assert 0 < len(name.encode()) <= 120
    assert name[0] not in ".-"
    assert name[-1] != "."
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-_.%~")
    assert os.path.normpath(f"/root/{name}") == f"/root/{name}"


@given(KEYS, KEYS)
@example("a~", "a%7e")
@example("A", "%41")
@example(".a", "%2ea")
@example("a.", "a")
def test_r0_01_two_keys_never_have_the_same_name(one: str, other: str) -> None:
    assert clash(directory_name(one), directory_name(other)) == (one == other)


@given(st.text("ab.~%A/-", min_size=1, max_size=6), st.integers(0, 130))
def test_a4_long_keys_that_differ_in_one_place_have_their_own_names(end: str, length: int) -> None:
    keys = {"a" * length + end, "a" * length + end + "a", "a" * (length + 1) + end}
    names = {directory_name(key) for key in keys}
    assert len(names) == len(keys)


def test_a4_the_nasty_ones_are_apart_and_inside(tmp_path: Path) -> None:
    assert len(set(NASTY)) == len(NASTY) >= 60
    names = [directory_name(key) for key in NASTY]
    for one, other in itertools.combinations(range(len(NASTY)), 2):
        assert not clash(names[one], names[other]), (NASTY[one], NASTY[other])
    for name in names:
        made = tmp_path / name
        made.mkdir()
        assert made.resolve().parent == tmp_path.resolve()
    assert len(list(tmp_path.iterdir())) == len(NASTY)


def test_a4_no_key_at_all_is_no_way_to_the_directory_of_all_plans() -> None:
    with pytest.raises(InvalidArgument) as caught:
        directory_name("")
    assert (caught.value.text, caught.value.details) == ("name_blank", {"argument": "key"})


@pytest.mark.parametrize("key", ["add-oauth-3f2", "some_key.v2", "0"])
def test_a4_a_readable_key_stays_readable(key: str) -> None:
    assert directory_name(key) == key


def test_a4_a_long_key_keeps_its_beginning() -> None:
    name = directory_name("telegram-" + "7" * 200)
    assert name.startswith("telegram-777")
    assert len(name) == 120


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
@example("%41")
@example("a" * 121)
def test_r0_01_a_short_name_tells_its_key(key: str) -> None:
    name = directory_name(key)
    assert key_of(name) == ("" if "~" in name else key)


@given(
    st.text()
    | st.sampled_from(["", ".", "..", "%41", "%61", "%zz", "%ff", "a~", "A", "lost+found"])
)
def test_a4_a_name_that_is_no_keys_tells_none(name: str) -> None:
    assert key_of(name) == "" or directory_name(key_of(name)) == name


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
