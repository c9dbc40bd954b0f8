"""A4, R0.01, U9: every key has its own readable directory name; new keys come from the goal."""

import itertools
import os
import re
from pathlib import Path
from unicodedata import category, normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from outlast.errors import InvalidArgument
from outlast.system.keys import directory_name, key_of, unused_key

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


def fold(name: str) -> str:
    """Return what is left of a name on the most careless file system."""
    for form in ("NFD", "NFKC"):
        name = normalize(form, name).upper().casefold()
    return name.rstrip(". ")


@given(KEYS)
@example("..")
@example("." * 200)
@example("\ud800")
@example("键" * 200)
@example("=\u0338")
def test_u9_a_directory_name_is_safe_and_short(key: str) -> None:
    name = directory_name(key)
    assert 0 < len(name.encode()) <= 120
    assert name[0] not in ".-~ "
    assert name[-1] not in ". "
    assert not set(name) & set('/\\:*?"<>|')
    assert all(character == " " or category(character)[0] not in "CZ" for character in name)
    assert not _WINDOWS.fullmatch(name)
    assert normalize("NFC", name) == name
    assert os.path.normpath(f"/root/{name}") == f"/root/{name}"


_WINDOWS = re.compile(
    r"(con|prn|aux|nul|(com|lpt)[0-9¹²³]) *(\..*)?|[^~]{1,6}~\d+", re.IGNORECASE | re.DOTALL
)


@given(KEYS, KEYS)
@example("a~", "a%7e")
@example("A", "%41")
@example("A", "a~c1")
@example("Ab", "aB")
@example(".a", "%2ea")
@example("a.", "a")
@example("é", "e\u0301")
@example(":\u0301", ":́")
@example("Σ", "ς")
@example("con", "%63on")
@example("a\ufe00", "a")
def test_r0_01_two_keys_never_have_the_same_name(one: str, other: str) -> None:
    assert (fold(directory_name(one)) == fold(directory_name(other))) == (one == other)


@given(KEYS)
@example("Straße")
@example("İi")
@example("ΟΔΟΣ")
def test_u9_a_key_that_differs_in_case_or_normal_form_has_another_name(key: str) -> None:
    variants = {key, key.upper(), key.lower(), key.title(), key.casefold(), key.swapcase()}
    variants |= {normalize(form, text) for text in variants for form in ("NFC", "NFD", "NFKC")}
    variants.discard("")
    assert len({fold(directory_name(variant)) for variant in variants}) == len(variants)


@given(st.text("ab.~%A/-", min_size=1, max_size=6), st.integers(0, 130))
def test_a4_long_keys_that_differ_in_one_place_have_their_own_names(end: str, length: int) -> None:
    keys = {"a" * length + end, "a" * length + end + "a", "a" * (length + 1) + end}
    names = {directory_name(key) for key in keys}
    assert len(names) == len(keys)


def test_a4_the_nasty_ones_are_apart_and_inside(tmp_path: Path) -> None:
    assert len(set(NASTY)) == len(NASTY) >= 60
    names = [directory_name(key) for key in NASTY]
    for one, other in itertools.combinations(range(len(NASTY)), 2):
        assert fold(names[one]) != fold(names[other]), (NASTY[one], NASTY[other])
    for name in names:
        made = tmp_path / name
        made.mkdir()
        assert made.resolve().parent == tmp_path.resolve()
    assert len(list(tmp_path.iterdir())) == len(NASTY)


def test_a4_no_key_at_all_is_no_way_to_the_directory_of_all_plans() -> None:
    with pytest.raises(InvalidArgument) as caught:
        directory_name("")
    assert (caught.value.text, caught.value.details) == ("name_blank", {"argument": "key"})


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("ship-the-thing", "ship-the-thing"),
        ("some_key.v2", "some_key.v2"),
        ("ada@example.com", "ada@example.com"),
        ("the old one", "the old one"),
        ("0", "0"),
        ("发布新版本", "发布新版本"),
        ("füge-ein", "füge-ein"),
        ("опубликовать", "опубликовать"),
        ("نسخة-جديدة", "نسخة-جديدة"),
        ("प्रकाशित", "प्रकाशित"),
        ("새-버전", "새-버전"),
        ("UserService", "UserService~c11"),
        ("README", "README~c3f"),
        ("Москва", "Москва~c1"),
        ("telegram:123", "telegram%3a123"),
        ("a/b", "a%2fb"),
        ("nul", "%6eul"),
        ("Aux.txt", "%41ux.txt"),
        ("trailing.", "trailing%2e"),
    ],
)
def test_u9_a_directory_name_is_readable(key: str, name: str) -> None:
    assert directory_name(key) == name
    assert key_of(name) == key


@pytest.mark.parametrize(
    ("key", "readable"),
    [
        ("Straße 7", "Straße-7"),
        ("cafe\u0301", "caf\u00e9"),
        ("🚀 launch", "launch"),
        ("\u202egnp.exe", "gnp-exe"),
        ("a\u200bb", "a-b"),
        ("🚀", "key"),
        ("telegram-" + "7" * 200, "telegram-" + "7" * 70),
        ("键" * 100, "键" * 26),
    ],
)
def test_u9_any_other_key_is_a_readable_part_and_a_digest(key: str, readable: str) -> None:
    text, mark, digest = directory_name(key).partition("~")
    assert (text, mark) == (readable, "~")
    assert re.fullmatch("[0-9a-f]{40}", digest)
    assert key_of(directory_name(key)) == ""


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
@example("%41")
@example("a" * 121)
@example("Aa~")
def test_r0_01_a_name_without_a_digest_tells_its_key(key: str) -> None:
    name = directory_name(key)
    has_digest = re.search("~[0-9a-f]{40}$", name) is not None
    assert key_of(name) == key_of(normalize("NFD", name))
    assert key_of(name) == key or (has_digest and key_of(name) == "")


@given(
    st.text()
    | st.sampled_from(["", ".", "..", "%41", "%61", "%zz", "%ff", "a~", "A", "lost+found", "a~c1"])
)
def test_a4_a_name_that_is_no_keys_tells_none(name: str) -> None:
    assert key_of(name) == "" or directory_name(key_of(name)) == normalize("NFC", name)


@pytest.mark.parametrize(
    ("goal", "key"),
    [
        ("Ship the thing", "ship-the-thing"),
        ("  Build the CLI, then the docs and more!  ", "build-the-cli-then"),
        ("Migrate the billing database to the new one", "migrate-the-billing"),
        ("Don't repeat yourself", "dont-repeat-yourself"),
        ("Don\N{RIGHT SINGLE QUOTATION MARK}t repeat", "dont-repeat"),
        ("Füge die Anmeldung hinzu", "füge-die-anmeldung-hinzu"),
        ("Fu\u0308ge", "füge"),
        ("STRASSE oder Straße", "strasse-oder-strasse"),
        ("\uff21\uff22\uff23 \N{LATIN SMALL LIGATURE FI}x", "abc-fix"),
        ("发布新版本", "发布新版本"),
        ("给登录页加上 OAuth2 支持", "给登录页加上-oauth2-支持"),
        ("把计费系统从旧的供应商迁移到新的供应商，不停机", "把计费系统从旧的供应商迁"),
        ("Опубликовать версию 1.2", "опубликовать-версию-1-2"),
        ("새 버전을 출시하세요", "새-버전을-출시하세요"),
        ("น" * 23 + "น้น", "น" * 23),
        ("e" + "\u0323\u0324" * 30, "\u1eb9"),
        ("", "plan"),
        ("!!! 🚀", "plan"),
        ("2026 11", "plan"),
        ("../../etc/passwd", "etc-passwd"),
        ("x" * 5000, "x" * 24),
        ("\ud800 a", "a"),
        ("1\ufe0f\u20e3 first", "1-first"),
    ],
)
def test_u9_a_key_is_made_of_the_first_words(goal: str, key: str) -> None:
    assert unused_key(goal, ()) == key
    assert unused_key(goal, [directory_name(key)]) == f"{key}-2"


def test_u9_a_clash_counts_on_whatever_the_file_system_folds() -> None:
    assert unused_key("Füge ein", [normalize("NFD", "Füge-Ein"), "füge-ein-2"]) == "füge-ein-3"


@given(st.text())
@example("sıfırla")
@example("con")
def test_u9_a_made_key_is_short_and_stands_in_its_directory_name(goal: str) -> None:
    key = unused_key(goal, ())
    assert 0 < len(key) <= 24
    assert not set(key) & set("~%/ ")
    name = directory_name(key)
    assert name == key or name.startswith((f"{key}~", "%"))
    assert unused_key(goal, [name]) == f"{key}-2"
