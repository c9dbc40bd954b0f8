"""List diff: items that another list has too are dropped, as often as it has them."""

from outlast.model.history.diff import drop_known


def test_each_known_name_drops_one_item() -> None:
    assert drop_known("abcab", "ba", str) == ["c", "a", "b"]
    assert drop_known("aAa", ["a", "a"], str.lower) == ["a"]
    assert drop_known("ab", (), str) == ["a", "b"]
    assert drop_known("", "ab", str) == []
