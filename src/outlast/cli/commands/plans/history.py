"""`log` and `undo`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.console.plan_context import find_task, live_lease
from outlast.console.render.json import commit_json
from outlast.console.render.log import Log, LogQuery, log_lines, read_log, run_json
from outlast.console.render.output import Answer
from outlast.console.render.overview import plan_cost_lines
from outlast.console.render.summary import next_json, next_line, summarize_plan
from outlast.console.values import parse_revision, parse_revision_range, parse_time
from outlast.documents.change_words import describe_commit
from outlast.language import visible
from outlast.model.changes import Undone
from outlast.model.changes.plan import Fact

if TYPE_CHECKING:
    from outlast.console.call import Call
    from outlast.model.changes import Commit
    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan

_SHOWN: Final = 20


def log(  # noqa: PLR0913 - one keyword per option
    plan: Plan,
    call: Call,
    *,
    limit: int = _SHOWN,
    since: str | None = None,
    task: str | None = None,
    by: str = "",
    every: bool = False,
    diff: str | None = None,
) -> Answer:
    """Show what happened, newest first, or the diff between two revisions."""
    if diff is not None:
        return _show_diff(plan, call, *parse_revision_range(diff, plan.revision))
    query = LogQuery(
        limit,
        None if since is None else parse_time(since, plan.core.now()),
        None if task is None else plan.core.read(lambda state: _find_logged(state, task)),
        by,
        every,
    )
    read = plan.core.read  # once: what is read inside is not looked for again
    found = read(lambda _: read_log(plan, call, query))
    content = {
        "commits": [commit_json(commit) for commit, _ in found.entries],
        "runs": [run_json(run) for run in found.runs],
    }
    return Answer(
        lambda: content, lambda: read(lambda _: _log_text(plan, call, query, found)), bare=True
    )


def _find_logged(state: PlanState, word: str) -> int:
    """Return the number of a task; one that was removed has a history too."""
    is_number = word.isascii() and word.isdecimal() and len(word) <= len(str(state.next_id))
    return int(word) if is_number and 0 < int(word) < state.next_id else find_task(state, word)


def _log_text(plan: Plan, call: Call, query: LogQuery, found: Log) -> str:
    head = [f"[{visible(plan.key)}]"] if call.context.is_one_of_several else []  # above the columns
    if not found.entries:
        return "\n".join([*head, call.text("log_nothing")])
    lines = log_lines(call, found, is_at_work=live_lease(plan) is not None)
    hidden = [call.text("log_hidden", count=found.hidden)] if found.hidden else []
    costs = [] if query.is_filter else plan_cost_lines(plan, call)
    return "\n".join([*head, *lines, *(() if query.is_filter else hidden), *costs])


def _show_diff(plan: Plan, call: Call, old: int, new: int) -> Answer:
    from outlast.console.render.diff import difference_json, difference_lines

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
    undone = plan.undo(None if number is None else parse_revision(number))
    summary = summarize_plan(plan)

    def as_text() -> str:
        before = plan.core.store.state_before(undone.revision)
        what = describe_commit(_without_facts(undone), before, call.language)
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
