"""F19: the history under an open plan, or under a person's buffer, is another one."""

import re
from collections.abc import Callable

import pytest

from outlast import Plan
from outlast.errors import HistoryDiverged
from outlast.model.model import Task
from tests.faults.histories import (
    COMBINATIONS,
    COMMON,
    COPY,
    HOME,
    KNOWN,
    REPLACEMENTS,
    Case,
    Workshop,
)

FILE = f"{HOME}/task_plan.md"


def prepare(case: Case) -> tuple[Workshop, str, dict[str, bytes]]:
    """Return a workshop with a plan, the person's buffer, and a backup from earlier."""
    workshop = Workshop()
    workshop.create(HOME, "plan_held")
    workshop.grow_closed(COMMON)
    backup = workshop.save_files()
    buffer = workshop.disk.get(FILE).decode()
    workshop.grow_closed(KNOWN)
    if case.buffer == "own":
        buffer = workshop.disk.get(FILE).decode()
    return workshop, buffer, backup


def edit(buffer: str) -> str:
    """Return a buffer in which a task was renamed, one deleted, one ticked, and one added."""
    lines = buffer.split("\n")
    first, second, *_ = [at for at, line in enumerate(lines) if re.match(r"- \[.\]", line)]
    lines[first] = re.sub(r"task \d+", "renamed h1h", lines[first])
    lines[second] = "- [ ] added h2h"
    return "\n".join(lines)


def tasks_of(workshop: Workshop, home: str) -> dict[int, Task]:
    """Return the tasks of a plan, read by a process that applies no edits."""
    store = workshop.read_only(home)
    tasks = store.read(lambda state: dict(state.tasks))
    store.close()
    return tasks


USES: dict[str, Callable[[Plan], object]] = {
    "read": lambda plan: plan.tasks(),
    "commit": lambda plan: plan.add("by the holder"),
    "sync": lambda plan: plan.files.sync(),
}


@pytest.mark.parametrize("replacement", REPLACEMENTS)
def test_f19_no_other_history_is_followed_or_merged_silently(replacement: str) -> None:
    for combination in COMBINATIONS:
        case = Case(replacement, *combination)
        try:
            check(case)
        except BaseException as error:
            error.add_note(f"{case}")
            raise


def check(case: Case) -> None:
    """Let a plan get another history; its holder refuses it, and no edit is merged into it."""
    workshop, buffer, backup = prepare(case)
    holder = workshop.open()
    known = holder.revision
    workshop.replace_history(case, backup)
    home = COPY if case.replacement == "copy" else HOME
    if case.writer == "some":
        workshop.grow_closed(2, home)
    if case.is_followed:
        USES[case.first_use](holder)
        assert holder.revision >= known
    else:
        check_refusal(workshop, holder, case.first_use)
    holder.close()
    if case.buffer != "none":
        check_buffer(workshop, case, home, edit(buffer))


def check_refusal(workshop: Workshop, holder: Plan, first_use: str) -> None:
    """Let the holder use the plan in each way; it writes nothing."""
    before = workshop.save_files()
    for use in (first_use, *USES):
        with pytest.raises(HistoryDiverged):
            USES[use](holder)
    assert workshop.save_files() == before


def check_buffer(workshop: Workshop, case: Case, home: str, buffer: str) -> None:
    """Let the person save; from an unknown base only the new task gets into the plan."""
    before = tasks_of(workshop, home)
    workshop.disk.put(f"{home}/task_plan.md", buffer.encode())
    plan = workshop.open(home)
    plan.files.sync()
    notices = [key for key, _ in plan.notices]
    plan.close()
    after = tasks_of(workshop, home)
    names = [task.name for task in after.values()]
    assert names.count("added h2h") == 1
    if case.is_base_known:
        assert names.count("renamed h1h") == 1
        return
    assert {number: after.get(number) for number in before} == before
    assert len(after) <= len(before) + 2
    assert set(notices) - {"edit_applied"}, "it is reported"
    kept = [
        path
        for path, inode in workshop.disk.files.items()
        if path.startswith(f"{home}/task_plan") and b"h1h" in inode.content
    ]
    assert kept, "the file as it was is kept"
