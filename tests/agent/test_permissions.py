"""What a person allowed the runs of a plan: merging what is known with what is new."""

from __future__ import annotations

from outlast.agent.permissions import NO_PERMISSIONS, PlanPermissions, merge_permissions

BEFORE = PlanPermissions(("a", "b"), ("x",), "m", 5, "w", "codex", "edit", "box", "outlast")


def test_patterns_and_calls_are_added_once_and_what_was_not_chosen_again_stays() -> None:
    merged = merge_permissions(BEFORE, PlanPermissions(("b", "c"), ("y",)))
    assert merged == PlanPermissions(
        *(("a", "b", "c"), ("x", "y"), "m", 5, "w", "codex", "edit", "box", "outlast")
    )
    assert merge_permissions(BEFORE, NO_PERMISSIONS) == BEFORE


def test_a_new_agent_replaces_the_old_one_with_its_level_and_mailbox() -> None:
    new = PlanPermissions((), (), "n", 7, "v", "shell", "read")
    assert merge_permissions(BEFORE, new) == PlanPermissions(
        ("a", "b"), ("x",), "n", 7, "w", "shell", "read"
    )
