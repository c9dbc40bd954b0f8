"""What patterns of permissions allow, and what patterns of paths match."""

import pytest

from outlast.formats.patterns import can_permit, is_match, is_permitted, path_names


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
