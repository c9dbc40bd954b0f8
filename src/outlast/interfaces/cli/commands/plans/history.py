"""`log` and `undo`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.domain.changes import Undone
from outlast.domain.changes.plan import Fact
from outlast.interfaces.cli.parser.values import parse_revision, parse_revision_range
from outlast.interfaces.cli.render.json import commit_json
from outlast.interfaces.cli.render.narration import author_name, describe_commits
from outlast.interfaces.cli.render.output import Answer
from outlast.interfaces.cli.render.overview import plan_cost_lines
from outlast.interfaces.cli.render.summary import next_json, next_line, summarize_plan
from outlast.texts import visible

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan
    from outlast.domain.changes import Commit
    from outlast.interfaces.cli.call import Call

_SHOWN: Final = 20


def log(plan: Plan, call: Call, *, limit: int = _SHOWN, diff: str | None = None) -> Answer:
    """Show the last commits, newest first, or the diff between two revisions."""
    if diff is not None:
        return _show_diff(plan, call, *parse_revision_range(diff, plan.revision))
    commits = plan.history.commits(limit)

    def as_text() -> str:
        width = len(f"r{plan.revision}")
        words = reversed(describe_commits(plan, call, commits[::-1]))
        lines = [
            line
            for commit, what in zip(commits, words, strict=True)
            for line in _commit_lines(call, commit, what, width)
        ]
        return "\n".join([*head, *lines, *plan_cost_lines(plan, call)])

    head = [f"[{visible(plan.key)}]"] if call.context.is_one_of_several else []  # above the columns
    return Answer(
        lambda: {"commits": [commit_json(commit) for commit in commits]}, as_text, bare=True
    )


def _commit_lines(call: Call, commit: Commit, what: str, width: int) -> list[str]:
    at = f"{commit.at.astimezone():%Y-%m-%d %H:%M}"
    line = f"{f'r{commit.revision}':<{width}}  {at}  {author_name(call, commit)}  {what}"
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
    undone = plan.undo(None if number is None else parse_revision(number))
    summary = summarize_plan(plan)

    def as_text() -> str:
        (what,) = describe_commits(plan, call, [_without_facts(undone)])
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
