"""A10: what of a task a person has to approve before it runs."""

from outlast.model.model import Check, Task


def test_a10_the_command_of_a_task_is_approved_like_its_checks() -> None:
    check = Check("file", "out.txt")
    assert Task(1, "a", checks=(check,)).commands == (check,)
    assert Task(1, "a", checks=(check,), run="make").commands == (check, Check("command", "make"))
