"""F2: somebody else died in the middle of a line while a plan was open here."""

from pathlib import Path

import pytest

from outlast import create_plan, open_plan


@pytest.mark.parametrize("torn", [b"{", b'{"revision":4,"time', b'{"revision":4}'])
def test_f2_a_commit_after_the_torn_line_of_another_process_is_kept(
    tmp_path: Path, torn: bytes
) -> None:
    plan = create_plan(tmp_path, "Ship it", "ship")
    plan.add("a")
    journal = tmp_path / ".outlast" / "plans" / "ship" / "journal.jsonl"
    with journal.open("ab") as file:
        file.write(torn)
    plan.complete(1, "done here")
    plan.add("b")
    assert [task.name for task in plan.tasks()] == ["a", "b"], "the open plan goes on"
    plan.close()
    assert torn not in journal.read_bytes().splitlines()
    with open_plan(tmp_path, "ship") as again:
        assert [(task.name, task.status) for task in again.tasks()] == [
            ("a", "completed"),
            ("b", "pending"),
        ]
        assert not again.notices
