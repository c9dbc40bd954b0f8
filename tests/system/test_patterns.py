"""What patterns of permissions allow, and what patterns of paths match."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.system.patterns import (
    can_permit,
    is_below,
    is_match,
    is_permitted,
    may_overlap,
    path_names,
)


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("path:/data", "path:/data"),
        ("path:/data", "path:/data/a/b.csv"),
        ("path:/data/", "path:/data/a"),
        ("path:/data/*.csv", "path:/data/a.csv"),
        ("path:/data/**/x", "path:/data/a/b/x"),
        ("path:/", "path:/etc/hosts"),
        ("path", "path:/etc/hosts"),
        ("bash:git push", "bash:git push -f origin"),
        ("bash:rm -r 'a b'", "bash:rm -r 'a b' c"),
        ("bash", "bash:anything"),
        ("bash:echo 'open", "bash:echo 'open"),
        ("deploy:staging", "deploy:staging now"),
    ],
)
def test_a_pattern_allows(pattern: str, wanted: str) -> None:
    assert is_permitted(pattern, wanted)


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("path:/data", "path:/database"),
        ("path:/data/*.csv", "path:/data/a.txt"),
        ("path:data", "path:/data"),
        ("path:", "path:/data"),
        ("bash:git push", "bash:git pushall"),
        ("bash:git push", "bash:git reset --hard"),
        ("bash:rm -r a", "bash:rm -r abc"),
        ("bash:", "bash:rm -r a"),
        ("bash:echo 'open", "bash:echo open"),
        ("path:/data", "bash:/data"),
        ("bash", "path:/data"),
        ("", "path:/data"),
        ("*", "bash:ls"),
    ],
)
def test_a_pattern_does_not_allow(pattern: str, wanted: str) -> None:
    assert not is_permitted(pattern, wanted)


@pytest.mark.parametrize("pattern", ["path", "path:/data", "bash", "bash:git push"])
def test_a_pattern_can_allow_what_a_tool_asks_for(pattern: str) -> None:
    assert can_permit(pattern, ("bash",))


@pytest.mark.parametrize(
    "pattern", ["", "*", "garbage", "git push", "Bash", "bash:", "bash: ", "path:", "path:data"]
)
def test_r4_11_a_pattern_that_allows_nothing_is_told_apart(pattern: str) -> None:
    assert not can_permit(pattern, ("bash",))


def test_names_of_a_path() -> None:
    assert path_names("/a//b/./c/") == ("a", "b", "c")
    assert path_names("") == ()
    assert is_match((), ())
    assert is_match((), ("**",))
    assert not is_match(("a",), ())
    assert is_match(("a", "b"), ("**", "**", "b"))
    assert not is_match(("a", "b"), ("a",))


def test_f15_many_stars_take_no_exponential_time() -> None:
    assert not is_match(("a",) * 200, ("**", "a") * 100 + ("b",))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (["src"], ["src/a.py"]),
        (["src/"], ["src/a.py"]),
        (["./src/**"], ["src/a.py"]),
        (["**/*.py"], ["docs"]),
        (["*.py"], ["a*"]),
        (["a[bc].py"], ["ab.py"]),
        (["a", "b"], ["c", "b/x"]),
        ([], ["a"]),
        (["a"], []),
        (["."], ["a"]),
        (["../other"], ["a"]),
        (["/anywhere"], ["a"]),
    ],
)
def test_r1_13_patterns_that_may_name_the_same_file(first: list[str], second: list[str]) -> None:
    assert may_overlap(first, second)
    assert may_overlap(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (["src"], ["docs"]),
        (["src/a.py"], ["src/b.py"]),
        (["*.py"], ["*.md"]),
        (["a*.py"], ["b*.py"]),
        (["src/a/**"], ["src/b/**"]),
        (["test_a?"], ["a.md"]),
    ],
)
def test_r1_13_patterns_that_cannot_name_the_same_file(first: list[str], second: list[str]) -> None:
    assert not may_overlap(first, second)
    assert not may_overlap(second, first)


NAMES = st.lists(st.sampled_from(["a", "b", "ab", "ba"]), min_size=1, max_size=3)
PARTS = st.lists(
    st.sampled_from(["a", "b", "ab", "a*", "*b", "?", "[ab]", "**", "*"]), min_size=1, max_size=3
)


@given(NAMES, PARTS, PARTS)
def test_r1_13_patterns_with_a_common_file_always_overlap(
    names: list[str], first: list[str], second: list[str]
) -> None:
    path, one, other = "/".join(names), "/".join(first), "/".join(second)
    if is_below(path, [one]) and is_below(path, [other]):
        assert may_overlap([one], [other])


def test_a_directory_stands_for_what_is_in_it() -> None:
    assert is_below("src/a/b.py", ["docs", "src/"])
    assert is_below("src", ["src/**"])
    assert not is_below("source/b.py", ["src"])
    assert not is_below("a", [])
