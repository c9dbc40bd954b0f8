"""Looking back: `log` and `undo`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain.changes import TaskAdded
from outlast.interfaces.cli.narration import narrated
from outlast.interfaces.cli.output import Answer
from outlast.interfaces.cli.shapes import commit_shape
from outlast.interfaces.cli.standing import following, next_shape, standing
from outlast.texts import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.application.planning import Plan
    from outlast.domain.changes import Commit
    from outlast.domain.state import PlanState
    from outlast.interfaces.cli.call import Call

_SHOWN: Final = 20


def log(plan: Plan, call: Call, *, limit: int = _SHOWN) -> Answer:
    """Show the last commits, the newest first."""
    made = plan.history(limit)

    def words() -> str:
        names = _added(made) | plan.read(_names)
        width = len(f"r{plan.revision}")
        return "\n".join(line for commit in made for line in _lines(call, commit, names, width))

    return Answer(lambda: {"commits": [commit_shape(one) for one in made]}, words)


def _lines(call: Call, commit: Commit, names: Mapping[int, str], width: int) -> list[str]:
    at = f"{commit.at.astimezone():%Y-%m-%d %H:%M}"
    what = narrated(call, commit, names)
    line = f"{f'r{commit.revision}':<{width}}  {at}  {visible(commit.author)}  {what}"
    if not commit.reason:
        return [line]
    return [line, "    " + call.say("log_reason", reason=visible(commit.reason))]


def undo(plan: Plan, call: Call) -> Answer:
    """Take the newest commit back that was not taken back yet."""
    names = plan.read(_names)
    undone = plan.undo()
    names |= plan.read(_names)
    now = standing(plan)

    def words() -> str:
        what = narrated(call, undone, names)
        head = call.say("say_undone", revision=undone.revision, what=what)
        return f"{head}\n{following(now, call)}"

    return Answer(lambda: {"undone": commit_shape(undone), **next_shape(now)}, words)


def _added(made: list[Commit]) -> dict[int, str]:
    """Return the names of tasks that were added, also of those that are gone again."""
    changes = (change for commit in made for change in commit.changes)
    return {one.task.id: one.task.name for one in changes if isinstance(one, TaskAdded)}


def _names(state: PlanState) -> dict[int, str]:
    return {task.id: task.name for task in state.tasks.values()}
