"""Looking back: `log` and `undo`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.domain.changes import TaskAdded, TaskRemoved, Undone
from outlast.domain.invert import FACTS
from outlast.interfaces.cli.commands.show import cost_of
from outlast.interfaces.cli.parser.revisions import revision, span
from outlast.interfaces.cli.render.json import commit_shape
from outlast.interfaces.cli.render.narration import narrated
from outlast.interfaces.cli.render.output import Answer
from outlast.interfaces.cli.render.summary import following, next_shape, standing
from outlast.texts import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.application.plan.plan import Plan
    from outlast.domain.changes import Commit
    from outlast.domain.state import PlanState
    from outlast.interfaces.cli.call import Call

_SHOWN: Final = 20
_STAY: Final = FACTS - {Undone}


def log(plan: Plan, call: Call, *, limit: int = _SHOWN, diff: str | None = None) -> Answer:
    """Show the last commits, the newest first, or what is different between two revisions."""
    if diff is not None:
        return _compared(plan, call, *span(diff, plan.revision))
    made = plan.history(limit)

    def words() -> str:
        names = _called(plan, made)
        width = len(f"r{plan.revision}")
        lines = [line for commit in made for line in _lines(call, commit, names, width)]
        return "\n".join([*lines, *cost_of(plan, call)])

    return Answer(lambda: {"commits": [commit_shape(one) for one in made]}, words)


def _lines(call: Call, commit: Commit, names: Mapping[int, str], width: int) -> list[str]:
    at = f"{commit.at.astimezone():%Y-%m-%d %H:%M}"
    what = narrated(call, commit, names)
    line = f"{f'r{commit.revision}':<{width}}  {at}  {visible(commit.author)}  {what}"
    if not commit.reason:
        return [line]
    return [line, "    " + call.say("log_reason", reason=visible(commit.reason))]


def _compared(plan: Plan, call: Call, old: int, new: int) -> Answer:
    from outlast.interfaces.cli.render.diff import difference_shape
    from outlast.interfaces.cli.render.outcomes import lines

    found = plan.diff(old, new)
    shape = {"from": old, "to": new, "differences": [difference_shape(one) for one in found]}

    def words() -> str:
        if not found:
            return call.say("diff_none", old=old, new=new)
        return "\n".join(
            [call.say("diff_head", old=old, new=new), *(f"  {line}" for line in lines(call, found))]
        )

    return Answer(lambda: shape, words)


def undo(plan: Plan, call: Call, *, number: str | None = None) -> Answer:
    """Take a commit back, or the newest that was not taken back yet."""
    names = plan.read(_names)
    undone = plan.undo(None if number is None else revision(number))
    names |= plan.read(_names)
    now = standing(plan)

    def words() -> str:
        what = narrated(call, _shaping(undone), names)
        head = call.say("say_undone", revision=undone.revision, what=what)
        return f"{head}\n{following(now, call)}"

    return Answer(lambda: {"undone": commit_shape(undone), **next_shape(now)}, words)


def _shaping(commit: Commit) -> Commit:
    """Return a commit without the facts in it, which stay."""
    return replace(commit, changes=tuple(one for one in commit.changes if type(one) not in _STAY))


def _called(plan: Plan, made: list[Commit]) -> dict[int, str]:
    """Return what tasks are called; those that were taken out were added long before, perhaps."""
    names = _added(made) | plan.read(_names)
    gone = {one.id for commit in made for one in commit.changes if isinstance(one, TaskRemoved)}
    return names if gone <= names.keys() else _added(plan.history(plan.revision)) | names


def _added(made: list[Commit]) -> dict[int, str]:
    """Return the names of tasks that were added, also of those that are gone again."""
    changes = (change for commit in made for change in commit.changes)
    return {one.task.id: one.task.name for one in changes if isinstance(one, TaskAdded)}


def _names(state: PlanState) -> dict[int, str]:
    return {task.id: task.name for task in state.tasks.values()}
