"""Undo: which commits can still be undone, and the changes that undo them.

A commit can be undone if no later commit touched what it changed (commits that were undone
themselves do not count), and if the plan without it obeys the rules. Facts stay as they are. An
undo is a commit like any other and can be undone too.

A person may undo everything. An agent may undo its own commits, except those that set checks or
protected files: they decide when its work counts as done.
"""

from __future__ import annotations

from graphlib import TopologicalSorter
from itertools import chain
from sys import maxsize
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from outlast.errors import InvalidStatus
from outlast.model import changes as c
from outlast.model.changes import fold
from outlast.model.changes.plan import Fact
from outlast.model.changes.tasks import work_state
from outlast.model.history.content import (
    EDITABLE,
    ITSELF,
    PHASES,
    PLACE,
    PLAN,
    RESET_PARTS,
    TASKS,
    WORK,
    Path,
    PlanContent,
    Subject,
    content_of,
    differing_paths,
    format_path,
    parts_of,
    subject_of,
)
from outlast.model.history.undo_check import violations
from outlast.model.model import PERSON, Phase, Task

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Container,
        Iterable,
        Iterator,
        Mapping,
        Reversible,
        Sequence,
    )
    from datetime import datetime

    from outlast.model.state import PlanState

T = TypeVar("T", int, str)
_BEGINNING_CHANGES: Final = (c.TaskStarted, c.TaskCompleted, c.TaskFailed, c.TaskRetried)
_STATUS_CHANGES: Final = (c.PlanBegun, c.PlanPaused, c.PlanResumed)


class CommitEffect(Struct, frozen=True):
    """What one commit did: the plan before and after it, what differs, and what it moved."""

    before: PlanContent
    after: PlanContent
    paths: list[Path]
    moved_phases: frozenset[str]
    moved_tasks: frozenset[int]


def undo_changes(
    before: PlanState, commit: c.Commit, later: Reversible[c.Commit] = (), *, actor: str
) -> tuple[c.Change, ...]:
    """Return the changes by which an actor undoes a commit after later ones. Modifies `before`.

    Raises `InvalidStatus` if the commit cannot be undone any more, or not by this actor.
    """
    _refuse_creation(chain((commit,), later))
    _require_right_to_undo(commit, actor)
    old = content_of(before)
    fold(before, commit.changes, commit.revision, commit.at)
    effect = _effect_of(commit, old, content_of(before))
    since = _changed_since(effect.paths, before, later)
    now = effect.after if before.revision == commit.revision else content_of(before)
    return _undo_changes_or_refuse(effect, commit, later, now, since)


def undoable_commits(
    before: PlanState, commits: Sequence[c.Commit], *, actor: str
) -> list[c.Commit]:
    """Return which of the newest commits an actor can undo. Modifies `before`, the plan then."""
    contents = [content_of(before)]
    for commit in commits:
        fold(before, commit.changes, commit.revision, commit.at)
        contents.append(content_of(before))
    effects = [_effect_of(*step) for step in zip(commits, contents, contents[1:], strict=False)]
    undone = find_undone(commits)
    return [
        commit
        for place, commit in enumerate(commits)
        if commit.revision not in undone
        and not has_only_facts(commit)
        and _is_undoable(effects[place:], commits[place:], contents[-1], actor)
    ]


def find_undone(commits: Reversible[c.Commit]) -> dict[int, int]:
    """Return the revision of the undo by the revision of each undone commit."""
    undone: dict[int, int] = {}
    for commit in reversed(commits):
        first = commit.changes[0] if commit.changes else None
        if isinstance(first, c.Undone) and commit.revision not in undone:
            undone[first.revision] = commit.revision
    return undone


def newest_change(commits: Reversible[c.Commit], actor: str) -> c.Commit:
    """Return the newest commit that an actor may undo, or the newest if there is none such.

    Undos, undone commits, facts and the bookkeeping of runs do not count.
    """
    newest = None
    for commit in _undo_candidates(commits):
        if may_undo(commit, actor):
            return commit
        newest = newest or commit
    if newest is None:
        raise InvalidStatus("nothing_to_undo")
    return newest


def _undo_candidates(commits: Reversible[c.Commit]) -> Iterator[c.Commit]:
    """Yield the commits that leave something to undo, newest first.

    The bookkeeping of a run, which did nothing but begin, resume or pause the plan, leaves nothing.
    Neither does a person's pause that a run has ended.
    """
    creation = next(iter(commits), None)  # the first commit is the plan itself
    undone = set[int]()
    runners = _RunnersBack(commits)
    has_run_since = False
    for commit in reversed(commits):
        if creation is None or commit.revision <= creation.revision:
            return
        first = commit.changes[0] if commit.changes else None
        is_undone = commit.revision in undone
        if isinstance(first, c.Undone):
            if not is_undone:
                undone.add(first.revision)
        elif has_only_facts(commit):
            continue
        elif all(isinstance(change, (Fact, *_STATUS_CHANGES)) for change in commit.changes):
            has_run_since = has_run_since or commit.author in runners.around(commit)
            if not (is_undone or has_run_since):
                yield commit
        elif not is_undone:
            yield commit


class _RunnersBack:
    """Who held the lease of the plan itself, asked for from the newest commits to the oldest."""

    def __init__(self, commits: Reversible[c.Commit]) -> None:
        self._commits = reversed(commits)
        self._runner, self._since = "", maxsize  # who held it after that revision

    def around(self, commit: c.Commit) -> tuple[str, str]:
        """Return who held it before and after a commit."""
        while self._since >= commit.revision:
            older = next(self._commits, None)
            if older is None:
                self._runner, self._since = "", 0
            elif (runner := _runner_after(older)) is not None and older.revision < commit.revision:
                self._runner, self._since = runner, older.revision
        after = _runner_after(commit)
        return self._runner, self._runner if after is None else after


def _runner_after(commit: c.Commit) -> str | None:
    """Return who holds the lease of the plan itself after a commit; None if it is as before."""
    runner = None
    for change in commit.changes:
        if isinstance(change, c.TaskLeased) and not change.id:
            runner = change.holder
        elif isinstance(change, c.LeaseEnded):
            runner = ""
    return runner


def may_undo(commit: c.Commit, actor: str) -> bool:
    """Return whether an actor has the right to undo a commit."""
    if actor == PERSON:
        return True
    return commit.author == actor and not any(map(_sets_checks, commit.changes))


def is_undo(commit: c.Commit) -> bool:
    """Return whether a commit undoes another one."""
    return bool(commit.changes) and isinstance(commit.changes[0], c.Undone)


def has_only_facts(commit: c.Commit) -> bool:
    """Return whether a commit has nothing that could be undone."""
    return all(isinstance(change, Fact) for change in commit.changes)


def _is_undoable(
    effects: Sequence[CommitEffect], commits: Sequence[c.Commit], now: PlanContent, actor: str
) -> bool:
    """Return whether an actor can undo the first of some commits."""
    (effect, *others), (commit, *later) = effects, commits
    since = {
        following.revision: other.paths
        for following, other in zip(later, others, strict=True)
        if other.paths
    }
    try:
        _refuse_creation(commits)
        _require_right_to_undo(commit, actor)
        _undo_changes_or_refuse(effect, commit, later, now, since)
    except InvalidStatus:
        return False
    return True


def _refuse_creation(commits: Iterable[c.Commit]) -> None:
    for commit in commits:
        if any(isinstance(change, c.PlanCreated) for change in commit.changes):
            raise InvalidStatus("cannot_undo_creation", revision=commit.revision)


def _require_right_to_undo(commit: c.Commit, actor: str) -> None:
    if may_undo(commit, actor):
        return
    if commit.author != actor:
        raise InvalidStatus("undo_not_own", revision=commit.revision, author=commit.author)
    raise InvalidStatus("undo_of_checks", revision=commit.revision)


def _sets_checks(change: c.Change) -> bool:
    if isinstance(change, c.TaskAdded):
        return bool(change.task.checks or change.task.protect)
    if isinstance(change, c.TaskEdited):
        return change.checks is not None or change.protect is not None
    return False


def _effect_of(commit: c.Commit, before: PlanContent, after: PlanContent) -> CommitEffect:
    phases = {change.id for change in commit.changes if isinstance(change, c.PhaseMoved)}
    tasks = {change.id for change in commit.changes if isinstance(change, c.TaskMoved)}
    return CommitEffect(
        before,
        after,
        differing_paths(before, after),
        frozenset(phases & before.phases.keys() & after.phases.keys()),
        frozenset(tasks & before.tasks.keys() & after.tasks.keys()),
    )


def _undo_changes_or_refuse(
    effect: CommitEffect,
    commit: c.Commit,
    later: Reversible[c.Commit],
    now: PlanContent,
    since: Mapping[int, Iterable[Path]],
) -> tuple[c.Change, ...]:
    in_effect = CommitsInEffect(commit.revision, later)
    broken = _changed_again(effect, in_effect, since) | _moved_again(effect, in_effect)
    if not broken:
        then = content_without(effect, now, begun=_is_started_without(effect, now, in_effect))
        broken = dict(violations(effect.after, now, then, later))
        if not broken:
            return tuple(changes_between(now, then, effect))
    raise InvalidStatus(
        "cannot_undo_since",
        revision=commit.revision,
        what=[format_path(path) for path in broken if _is_reported(path, broken)],
        by=max(broken.values()),
    )


def _is_reported(path: Path, others: Container[Path]) -> bool:
    """Return whether the error names this path: not if it names the whole task or phase."""
    kind, thing, part = path
    return part == ITSELF or (kind, thing, ITSELF) not in others


# What later commits touched


def _changed_since(
    paths: Iterable[Path], state: PlanState, later: Iterable[c.Commit]
) -> dict[int, list[Path]]:
    """Apply later commits to the state; return by revision which of the paths each changed."""
    watched: dict[Subject, list[Path]] = {}
    for path in paths:
        watched.setdefault(path[:2], []).append(path)
    known = {thing: parts_of(state, thing) for thing in watched}
    by_revision: dict[int, list[Path]] = {}
    for commit in later:
        fold(state, commit.changes, commit.revision, commit.at)
        for thing in _touched_subjects(commit, watched):
            old, new = known[thing], parts_of(state, thing)
            changed = [path for path in watched[thing] if old.get(path[2]) != new.get(path[2])]
            by_revision.setdefault(commit.revision, []).extend(changed)
            known[thing] = new
    return by_revision


def _touched_subjects(commit: c.Commit, watched: Collection[Subject]) -> Iterable[Subject]:
    """Return which of the watched things a commit may have changed."""
    if any(isinstance(change, c.PlanReset) for change in commit.changes):
        return watched
    return {thing for thing in map(subject_of, commit.changes) if thing in watched}


class CommitsInEffect:
    """The commits after a revision without those that were undone, and without their undos."""

    def __init__(self, revision: int, later: Reversible[c.Commit]) -> None:
        self._later = later
        self._undone = set[int]()
        undos = set[int]()
        for commit in reversed(later):
            first = commit.changes[0] if commit.changes else None
            if (
                commit.revision not in self._undone
                and isinstance(first, c.Undone)
                and first.revision > revision
            ):
                undos.add(commit.revision)
                self._undone.add(first.revision)
        self._undone |= undos

    def __iter__(self) -> Iterator[c.Commit]:
        return (commit for commit in self._later if commit.revision not in self._undone)


def _changed_again(
    effect: CommitEffect, in_effect: Iterable[c.Commit], since: Mapping[int, Iterable[Path]]
) -> dict[Path, int]:
    """Return what was changed again, by revision; a reset counts even if the value is the same."""
    revisions: dict[Path, int] = {}
    for commit in in_effect:
        revisions |= dict.fromkeys(since.get(commit.revision, ()), commit.revision)
        if any(isinstance(change, c.PlanReset) for change in commit.changes):
            revisions |= {path: commit.revision for path in effect.paths if path[2] in RESET_PARTS}
    return {path: revisions[path] for path in effect.paths if path in revisions}


def _moved_again(effect: CommitEffect, in_effect: Iterable[c.Commit]) -> dict[Path, int]:
    """Return what a later commit moved or removed again, with the revision of that commit."""
    before, after = effect.before, effect.after
    tasks = effect.moved_tasks | (after.tasks.keys() - before.tasks)
    phases = effect.moved_phases | (after.phases.keys() - before.phases)
    revisions: dict[Path, int] = {}
    for commit in in_effect:
        for change in commit.changes:
            if isinstance(change, c.TaskMoved | c.TaskRemoved) and change.id in tasks:
                revisions[TASKS, change.id, PLACE] = commit.revision
            elif isinstance(change, c.PhaseMoved | c.PhaseRemoved) and change.id in phases:
                revisions[PHASES, change.id, PLACE] = commit.revision
    return revisions


def _is_started_without(
    effect: CommitEffect, now: PlanContent, in_effect: Iterable[c.Commit]
) -> bool:
    """Return whether the plan would count as started without the commit."""
    if effect.before.begun == effect.after.begun:
        return now.begun
    worked = any(
        isinstance(change, _BEGINNING_CHANGES) for commit in in_effect for change in commit.changes
    )
    return effect.before.begun or (now.begun and worked)


# The plan without the commit


def content_without(effect: CommitEffect, now: PlanContent, *, begun: bool) -> PlanContent:
    """Return the plan as it is now, with everything that a commit did reversed."""
    fields = {part: getattr(effect.before, part) for kind, _, part in effect.paths if kind == PLAN}
    phases = _phases_without(effect, now)
    tasks = _tasks_without(effect, now, phases)
    return replace(now, **fields, begun=begun, phases=phases, tasks=tasks)


def _phases_without(effect: CommitEffect, now: PlanContent) -> dict[str, Phase]:
    before, after = effect.before.phases, effect.after.phases
    phases = {key: phase for key, phase in now.phases.items() if key in before or key not in after}
    for kind, key, part in effect.paths:
        if kind == PHASES and key in phases and part:
            old = before[str(key)]
            phases[old.id] = replace(phases[old.id], **{part: getattr(old, part)})
    returning = {key for key in before if key not in after or key in effect.moved_phases}
    order = restore_order(list(phases), before, returning, lambda _: 0)
    return {key: phases.get(key) or before[key] for key in order}


def _tasks_without(
    effect: CommitEffect, now: PlanContent, phases: Iterable[str]
) -> dict[int, Task]:
    before, after = effect.before.tasks, effect.after.tasks
    tasks = {key: task for key, task in now.tasks.items() if key in before or key not in after}
    for kind, key, part in effect.paths:
        if kind == TASKS and key in tasks and part:
            old = before[int(key)]
            tasks[old.id] = replace(tasks[old.id], **_task_fields(old, part))
    returning = {key for key in before if key not in after or key in effect.moved_tasks}
    tasks |= {key: before[key] for key in returning if key not in tasks}
    places = {phase: place for place, phase in enumerate(phases)}

    def phase_place(key: int) -> int:
        return places.get(tasks[key].phase, -1)

    order = sorted((key for key in tasks if key not in returning), key=phase_place)
    order = restore_order(order, before, returning, phase_place)
    return tasks if order == [*tasks] else {key: tasks[key] for key in order}


def _task_fields(old: Task, part: str) -> dict[str, object]:
    fields = c.TaskRestored.__struct_fields__ if part == WORK else (part,)
    return {field: getattr(old, field) for field in fields}


def restore_order(
    order: Iterable[T], old_order: Iterable[T], returning: Collection[T], place: Callable[[T], int]
) -> list[T]:
    """Return an order in which the returning items stand again where they stood.

    Each comes after the nearest remaining item of its own place that it stood after, else before
    all others of that place. The order must follow the places.
    """
    restored = [item for item in order if item not in returning]
    if not returning:
        return restored
    present = set(restored)
    last: dict[int, T] = {}
    for item in old_order:
        own = place(item) if item in returning or item in present else 0
        if item in returning:
            if own in last:
                index = restored.index(last[own]) + 1
            else:
                index = _first_index(restored, own, place)
            restored.insert(index, item)
        elif item not in present:
            continue
        last[own] = item
    return restored


def _first_index(order: list[T], own: int, place: Callable[[T], int]) -> int:
    return next((index for index, item in enumerate(order) if place(item) >= own), len(order))


# The changes that lead there


def changes_between(
    now: PlanContent, then: PlanContent, effect: CommitEffect
) -> Iterator[c.Change]:
    """Yield the changes from one plan to the other, which differ by the effect of a commit."""
    fields = {name: getattr(then, name) for name in c.PlanEdited.__struct_fields__}
    edited = {name: value for name, value in fields.items() if value != getattr(now, name)}
    if edited:
        yield c.PlanEdited(**edited)
    yield from _phase_changes(now.phases, then.phases, effect.moved_phases)
    yield from _added_or_moved_tasks(now.tasks, then.tasks, effect.moved_tasks)
    for key, task in then.tasks.items():
        old = now.tasks.get(key) or _with_known_needs(task, now.tasks)
        if old is not task:
            yield from _task_changes(old, task)
    yield from _removals(now, then)
    if (now.begun, now.hold) != (then.begun, then.hold):
        yield c.PlanRestored(then.begun, then.hold)


def _phase_changes(
    now: dict[str, Phase], then: dict[str, Phase], moved: Collection[str]
) -> Iterator[c.Change]:
    order = list(now)
    previous = ""
    for key, phase in then.items():
        if key not in now or key in moved:
            order = [other for other in order if other != key]
            place = order.index(previous) + 1 if previous else 0
            order.insert(place, key)
            yield c.PhaseMoved(key, place) if key in now else c.PhaseAdded(phase, place)
        if phase != now.get(key, phase):
            yield c.PhaseEdited(phase)
        previous = key


def _added_or_moved_tasks(
    now: dict[int, Task], then: dict[int, Task], moved: Collection[int]
) -> Iterator[c.Change]:
    previous = 0
    for key, task in then.items():
        if key not in now:
            yield c.TaskAdded(_with_known_needs(task, now), previous)
        elif key in moved:
            yield c.TaskMoved(key, task.phase, previous)
        previous = key


def _with_known_needs(task: Task, now: dict[int, Task]) -> Task:
    """Return a task that needs only existing tasks; its other needs are added later."""
    return replace(task, needs=tuple(need for need in task.needs if need in now))


def _task_changes(now: Task, then: Task) -> Iterator[c.Change]:
    fields = {name: getattr(then, name) for name in EDITABLE}
    edited = {name: value for name, value in fields.items() if value != getattr(now, name)}
    if edited:
        yield c.TaskEdited(then.id, **edited)
    if work_state(now) != work_state(then):
        if now.status == then.status == "in_progress" and _start_of(now) != _start_of(then):
            yield c.TaskReturned(then.id)  # ends the lease of the actor that took the task over
        yield work_state(then)


def _start_of(task: Task) -> tuple[str, datetime | None]:
    return task.actor, task.started_at


def _removals(now: PlanContent, then: PlanContent) -> Iterator[c.Change]:
    """Yield the removals of tasks and phases: a task before the tasks it needs."""
    removed = {key: task for key, task in now.tasks.items() if key not in then.tasks}
    needs = {key: [need for need in task.needs if need in removed] for key, task in removed.items()}
    for key in reversed([*TopologicalSorter(needs).static_order()]):
        if removed[key].status == "in_progress":
            yield c.TaskReturned(key)  # a task in progress cannot be removed
        yield c.TaskRemoved(key)
    for phase in now.phases:
        if phase not in then.phases:
            yield c.PhaseRemoved(phase)
