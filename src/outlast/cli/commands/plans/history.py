"""`log` and `undo`: a line for each commit that matters, those of a run below its header (U6).

A run holds the lease of the plan from its first commit to its last. Of one that was killed, the
last commit of its holder is the end.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import chain
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import asdict, replace

from outlast.console.call import Answer, Call, Json
from outlast.console.plan_context import find_task, live_lease, parse_revision
from outlast.console.render.json import commit_json
from outlast.console.render.overview import plan_cost_lines
from outlast.console.render.summary import PlanSummary, answer_with_next
from outlast.documents.amount_words import amount_texts, duration
from outlast.documents.change_words import (
    PAUSE_REASONS,
    author_name,
    describe_changes,
    describe_commit,
    matters,
)
from outlast.errors import WrongUsage
from outlast.language import clauses, listing, status_words, visible, with_details
from outlast.model import changes as c
from outlast.model.budget import NOTHING, Spend, add_spend
from outlast.model.changes import Change, Commit, Undone
from outlast.model.changes.plan import Fact
from outlast.model.history.content import concerns_task
from outlast.model.model import PLAN, PauseReason, PlanStatus, Question

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan

_SHOWN: Final = 20
_UNITS: Final = {"m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_DIGITS: Final = 4  # enough for any time ago


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
        return _show_diff(plan, call, *_parse_revision_range(diff, plan.revision))
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


def _parse_revision_range(word: str, newest: int) -> tuple[int, int]:
    """Return both revisions of `r12..r15`; a missing one is the first or the newest."""
    old, dots, new = word.partition("..")
    if not dots:
        raise WrongUsage("not_a_span", given=visible(word))
    return parse_revision(old) if old else 1, parse_revision(new) if new else newest


def parse_time(word: str, now: datetime) -> datetime:
    """Return the moment that `2026-11-16`, `2026-11-16 14:30`, `14:30` or `2h` (ago) stands for.

    A moment without a zone is in the zone of this machine.
    """
    number, unit = word[:-1], word[-1:]
    if unit in _UNITS and number.isascii() and number.isdigit() and len(number) <= _DIGITS:
        return now - timedelta(seconds=int(number) * _UNITS[unit])
    here = now.astimezone()
    try:
        if ":" in word and "-" not in word:
            word = f"{here:%Y-%m-%d} {word}"
        return datetime.fromisoformat(word).astimezone()
    except (ValueError, OverflowError):
        raise WrongUsage("not_a_time", given=visible(word)) from None


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

    def head(_: PlanSummary) -> str:
        before = plan.core.store.state_before(undone.revision)
        what = describe_commit(_without_facts(undone), before, call.language)
        return call.text("say_undone", revision=undone.revision, what=what)

    return answer_with_next(plan, call, lambda: {"undone": commit_json(undone)}, head)


def _without_facts(commit: Commit) -> Commit:
    """Return a commit without its facts, which undo leaves alone."""
    changes = (
        change
        for change in commit.changes
        if isinstance(change, Undone) or not isinstance(change, Fact)
    )
    return replace(commit, changes=tuple(changes))


class LogQuery(Struct, frozen=True):
    """Which commits to show: the last `limit` of those since a time, about a task, by an actor.

    If `whole`, also those that do not matter.
    """

    limit: int
    since: datetime | None = None
    task: int | None = None
    by: str = ""
    whole: bool = False

    @property
    def is_filter(self) -> bool:
        """Whether it asks for a part of the log."""
        return bool(self.since or self.task is not None or self.by)

    def choose(self, commit: Commit, questions: Mapping[int, Question]) -> list[bool]:
        """Return of each change of a commit whether to show it, given what was asked before.

        A commit with a reason always matters.
        """
        by = self.by.casefold()
        if by and by not in (commit.author.casefold(), commit.person.casefold()):
            return [False] * len(commit.changes)
        task = self.task
        asked = [task is None or _is_about(each, questions, task) for each in commit.changes]
        if self.whole:
            return asked
        pairs = zip(asked, map(matters, commit.changes), strict=True)
        chosen = [is_asked and is_news for is_asked, is_news in pairs]
        return chosen if any(chosen) or not commit.reason else asked


class LoggedRun(Struct):
    """A run: its first and last revision, what it used, and how it left the plan."""

    holder: str
    first: int
    last: int
    began: datetime
    ended: datetime
    is_cut: bool  # it did not end by itself: it was killed, or is at work
    used: Spend
    finished: int
    model: str = ""
    status: PlanStatus = "running"
    why: PauseReason = ""


class Log(Struct):
    """What a query found, newest first: commits with their words, runs, and how much it hid."""

    entries: list[tuple[Commit, str]] = []
    runs: list[LoggedRun] = []
    hidden: int = 0


def read_log(plan: Plan, call: Call, query: LogQuery) -> Log:
    """Read the commits that a query asks for, and the runs that they belong to."""
    store = plan.core.store
    questions = store.read(lambda state: state.ledger.conversation.questions)
    runs, shown, hidden, first = _Runs(), 0, 0, 0
    commits = iter(reversed(store.history()))
    for commit in commits:
        if query.since is not None and commit.at < query.since:
            commits = chain([commit], commits)
            break
        first = commit.revision
        is_shown = any(query.choose(commit, questions))
        shown, hidden = shown + is_shown, hidden + (not is_shown)
        runs.step_back(commit)
        if shown >= query.limit or (
            query.task is not None
            and any(isinstance(change, c.PlanCreated) for change in commit.changes)
        ):
            break  # the tasks of an earlier plan have the same numbers
    if not shown:
        return Log(hidden=hidden)
    state = store.state_before(first)
    if PLAN in state.ledger.leases:  # the oldest commits belong to a run: find its beginning
        any(map(runs.step_back, commits))
    entries = [*_describe(call, query, store.history(first - 1), state, runs.found)]
    return Log(entries[::-1], runs.found, hidden)


class _Runs:
    """Finds the runs on the way back through the commits of a plan."""

    def __init__(self) -> None:
        self.found: list[LoggedRun] = []
        self._start_over(None)

    def _start_over(self, end: Commit | None) -> None:
        self._end = end
        self._newest: dict[str, Commit] = {}
        self._used, self._finished = NOTHING, 0

    def step_back(self, commit: Commit) -> bool:
        """Count a commit; return whether a run began with it."""
        holder = ""
        for change in commit.changes:
            match change:
                case c.LeaseEnded(id=0):
                    self._start_over(commit)  # what came later was done outside of a run
                case c.TaskLeased(id=0):
                    holder = change.holder
                case c.AttemptEnded():
                    self._used = add_spend(self._used, change.spent)
                case c.Charged():
                    self._used = add_spend(self._used, change.spend)
                case c.TaskCompleted() | c.TaskSkipped():
                    self._finished += 1
        self._newest.setdefault(commit.author, commit)
        if holder:
            self._add(commit, holder)
        return bool(holder)

    def _add(self, begin: Commit, holder: str) -> None:
        last = self._end or self._newest.get(holder, begin)
        figures = (begin.at, last.at, self._end is None, self._used, self._finished)
        self.found.append(LoggedRun(holder, begin.revision, last.revision, *figures))
        self._start_over(None)


def _describe(
    call: Call, query: LogQuery, commits: Iterable[Commit], state: PlanState, runs: list[LoggedRun]
) -> Iterator[tuple[Commit, str]]:
    """Yield the commits to show with their words; fill in how each run left the plan.

    `state` is the plan before the first commit. All commits are applied to it.
    """
    ends = {run.last: run for run in runs}
    for commit in commits:
        chosen = query.choose(commit, state.ledger.conversation.questions)
        if any(chosen):
            yield commit, describe_commit(commit, state, call.language, chosen)
        else:
            describe_changes(commit, state, lambda _: "")
        run = ends.get(commit.revision)
        if run is not None:
            last = state.last_run
            run.model = (last.agent or last.model) if last else ""
            run.status, run.why = state.status, state.ledger.counters.pause_reason


def _is_about(change: Change, questions: Mapping[int, Question], task: int) -> bool:
    match change:
        case c.AttemptBegan() | c.Charged() | c.IterationCounted():
            return change.task == task
        case c.AttemptEnded():
            return change.id.startswith(f"{task}#")
    return concerns_task(change, questions, task)


def log_lines(call: Call, log: Log, *, is_at_work: bool) -> Iterator[str]:
    """Yield the lines of a log, newest first; `is_at_work` if a run works on the plan now."""
    width = max((len(f"r{commit.revision}") for commit, _ in log.entries), default=0)
    shown: LoggedRun | None = None
    for commit, words in log.entries:
        run = next((run for run in log.runs if run.first <= commit.revision <= run.last), None)
        if run is not None and run is not shown:
            yield _run_line(call, run, is_at_work=is_at_work and run is log.runs[0])
        shown = run
        yield from _commit_lines(call, commit, words, width, run)


def _run_line(call: Call, run: LoggedRun, *, is_at_work: bool) -> str:
    """Return who ran, when, for how long, with what result, and at what cost."""
    if run.is_cut:
        result = call.text("attempt_running" if is_at_work else "log_why_interrupted")
    else:
        why = call.text(PAUSE_REASONS[run.why]) if run.why else ""
        result = with_details(status_words(run.status, call.language), why, call.language)
    finished = [call.text("log_run_finished", count=run.finished)] if run.finished else []
    used = amount_texts(replace(run.used, time=0.0), call.language)
    cost = [listing(used, call.language)] if used else []
    seconds = (run.ended - run.began).total_seconds()
    return call.text(
        "log_run",
        who=visible(with_details(run.holder, run.model, call.language)),
        at=f"{run.began.astimezone():%Y-%m-%d %H:%M}",
        time=duration(seconds, call.language),
        result=clauses([result, *finished, *cost], call.language),
    )


def _commit_lines(
    call: Call, commit: Commit, words: str, width: int, run: LoggedRun | None
) -> Iterator[str]:
    at, who = f"{commit.at.astimezone():%Y-%m-%d %H:%M}", author_name(commit, call.language)
    indent = "" if run is None else "  "
    if run is not None and commit.author == run.holder:
        who = ""  # it stands above
    parts = (f"{f'r{commit.revision}':<{width}}", at, who, words)
    yield indent + "  ".join(filter(None, parts))
    if commit.reason:
        first, *more = map(visible, commit.reason.splitlines())
        yield f"{indent}    " + call.text("log_reason", reason=first)
        yield from (f"{indent}    {line}" for line in more)


def run_json(run: LoggedRun) -> Json:
    """Return a run for `--json`."""
    return {
        "by": run.holder,
        "model": run.model,
        "revisions": [run.first, run.last],
        "at": run.began,
        "ended_at": None if run.is_cut else run.ended,
        "status": run.status,
        "pause_reason": run.why,
        "finished": run.finished,
        "used": asdict(run.used),
    }
