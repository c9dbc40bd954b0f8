"""`log` and `undo`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.domain.changes import TaskAdded, TaskRemoved, Undone
from outlast.domain.changes.facts import Fact
from outlast.interfaces.cli.parser.values import parse_revision, parse_revision_range
from outlast.interfaces.cli.render.json import commit_json
from outlast.interfaces.cli.render.narration import describe_commit
from outlast.interfaces.cli.render.output import Answer
from outlast.interfaces.cli.render.overview import plan_cost_lines
from outlast.interfaces.cli.render.summary import next_json, next_line, summarize_plan
from outlast.texts import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.application.plan.plan import Plan
    from outlast.domain.changes import Commit
    from outlast.domain.state import PlanState
    from outlast.interfaces.cli.call import Call

_SHOWN: Final = 20


def log(plan: Plan, call: Call, *, limit: int = _SHOWN, diff: str | None = None) -> Answer:
    """Show the last commits, newest first, or the diff between two revisions."""
    if diff is not None:
        return _show_diff(plan, call, *parse_revision_range(diff, plan.revision))
    commits = plan.history.commits(limit)

    def as_text() -> str:
        names = _task_names(plan, commits)
        width = len(f"r{plan.revision}")
        lines = [line for commit in commits for line in _commit_lines(call, commit, names, width)]
        return "\n".join([*lines, *plan_cost_lines(plan, call)])

    return Answer(lambda: {"commits": [commit_json(commit) for commit in commits]}, as_text)


def _commit_lines(call: Call, commit: Commit, names: Mapping[int, str], width: int) -> list[str]:
    at = f"{commit.at.astimezone():%Y-%m-%d %H:%M}"
    what = describe_commit(call, commit, names)
    line = f"{f'r{commit.revision}':<{width}}  {at}  {visible(commit.author)}  {what}"
    if not commit.reason:
        return [line]
    return [line, "    " + call.text("log_reason", reason=visible(commit.reason))]


def _show_diff(plan: Plan, call: Call, old: int, new: int) -> Answer:
    from outlast.interfaces.cli.render.diff import difference_json, difference_lines

    differences = plan.history.diff(old, new)
    content = {
        "from": old,
        "to": new,
        "differences": [difference_json(difference) for difference in differences],
    }

    def as_text() -> str:
        if not differences:
            return call.text("diff_none", old=old, new=new)
        return "\n".join(
            [
                call.text("diff_head", old=old, new=new),
                *(f"  {line}" for line in difference_lines(call, differences)),
            ]
        )

    return Answer(lambda: content, as_text)


def undo(plan: Plan, call: Call, *, number: str | None = None) -> Answer:
    """Undo a commit, or the newest one that is not undone yet."""
    names = plan.core.read(_current_names)
    undone = plan.undo(None if number is None else parse_revision(number))
    names |= plan.core.read(_current_names)
    summary = summarize_plan(plan)

    def as_text() -> str:
        what = describe_commit(call, _without_facts(undone), names)
        head = call.text("say_undone", revision=undone.revision, what=what)
        return f"{head}\n{next_line(summary, call)}"

    return Answer(lambda: {"undone": commit_json(undone), **next_json(summary)}, as_text)


def _without_facts(commit: Commit) -> Commit:
    """Return a commit without its facts, which undo leaves alone."""
    changes = (
        change
        for change in commit.changes
        if isinstance(change, Undone) or not isinstance(change, Fact)
    )
    return replace(commit, changes=tuple(changes))


def _task_names(plan: Plan, commits: list[Commit]) -> dict[int, str]:
    """Return the tasks' names; read the whole journal if a removed one is not known otherwise."""
    names = _added_names(commits) | plan.core.read(_current_names)
    removed = {
        change.id
        for commit in commits
        for change in commit.changes
        if isinstance(change, TaskRemoved)
    }
    return (
        names
        if removed <= names.keys()
        else _added_names(plan.history.commits(plan.revision)) | names
    )


def _added_names(commits: list[Commit]) -> dict[int, str]:
    """Return the names of added tasks, including those that were removed again."""
    changes = (change for commit in commits for change in commit.changes)
    return {change.task.id: change.task.name for change in changes if isinstance(change, TaskAdded)}


def _current_names(state: PlanState) -> dict[int, str]:
    return {task.id: task.name for task in state.tasks.values()}
