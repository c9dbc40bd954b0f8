"""F3: two hooks that change the record of a session at the same time lose nothing of each other."""

from msgspec.structs import replace

from outlast.hosts.session_record import SessionRecord, merge_changes

BEFORE = SessionRecord(
    "claude-code", "s1", "/x", "k", "plan_1", views=1, todos={"a": 1, "b": 2}, failures={"make": 1}
)


def test_f3_what_was_not_changed_is_as_another_hook_has_left_it() -> None:
    other = replace(BEFORE, views=5, guard=True, todos={"c": 3})
    assert merge_changes(BEFORE, BEFORE, other) == other
    assert merge_changes(BEFORE, other, BEFORE) == other


def test_f3_changes_of_two_hooks_stay_and_the_last_one_of_a_field_counts() -> None:
    own = replace(BEFORE, held=("1 tree:1",), views=2)
    other = replace(BEFORE, announced=4, views=0)
    merged = merge_changes(BEFORE, own, other)
    assert merged == replace(BEFORE, held=("1 tree:1",), announced=4, views=2)


def test_f3_tables_are_merged_by_their_keys() -> None:
    own = replace(BEFORE, todos={"a": 1, "own": 7}, failures={"make": 2})
    other = replace(BEFORE, todos={"a": 9, "b": 2, "other": 8}, failures={"make": 1, "ls": 1})
    merged = merge_changes(BEFORE, own, other)
    assert merged.todos == {"a": 9, "other": 8, "own": 7}
    assert merged.failures == {"make": 2, "ls": 1}
