"""Which commits can still be taken back, and with which changes.

A commit can be taken back as long as nothing later has touched what it did, but for what has been
taken back itself, and the plan without it is one that the rules allow. Facts are left alone. What
takes a commit back is a commit too, and can be taken back like any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain import changes as c
from outlast.domain.apply import fold
from outlast.domain.history.rewind import Group, leading, without
from outlast.domain.history.shape import (
    ITSELF,
    PHASES,
    PLACE,
    RESET,
    TASKS,
    differing,
    parts,
    shape_of,
    spelled,
    thing_of,
)
from outlast.domain.history.undo_check import violations
from outlast.domain.invert import FACTS
from outlast.errors import InvalidStatus

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Mapping, Sequence

    from outlast.domain.history.shape import Path, Shape, Thing
    from outlast.domain.state import PlanState

_BEGINS: Final = (c.TaskStarted, c.TaskCompleted, c.TaskFailed, c.TaskRetried)


def undoing(
    before: PlanState, commit: c.Commit, later: Sequence[c.Commit] = ()
) -> tuple[c.Change, ...]:
    """Return what takes a commit back after later ones; `before` is the caller's and is altered."""
    _refuse_beginnings((commit, *later))
    was = shape_of(before)
    fold(before, commit.changes, commit.revision, commit.at)
    group = _group(commit, was, shape_of(before))
    since = _changed_since(group.paths, before, later)
    return _taken_back(group, commit, later, shape_of(before), since)


def undoable(before: PlanState, commits: Sequence[c.Commit]) -> list[c.Commit]:
    """Return those of the newest commits that can be taken back; `before` them is altered."""
    shapes = [shape_of(before)]
    for commit in commits:
        fold(before, commit.changes, commit.revision, commit.at)
        shapes.append(shape_of(before))
    groups = [_group(*one) for one in zip(commits, shapes, shapes[1:], strict=False)]
    undone = undone_by(commits)
    return [
        commit
        for place, commit in enumerate(commits)
        if commit.revision not in undone
        and not is_fact(commit)
        and _can_go(groups[place:], commits[place:], shapes[-1])
    ]


def undone_by(commits: Iterable[c.Commit]) -> dict[int, int]:
    """Return by revision which commits are taken back, and by which one each."""
    undone: dict[int, int] = {}
    for commit in reversed([*commits]):
        first = commit.changes[0] if commit.changes else None
        if isinstance(first, c.Undone) and commit.revision not in undone:
            undone[first.revision] = commit.revision
    return undone


def is_undo(commit: c.Commit) -> bool:
    """Tell whether a commit takes another one back."""
    return bool(commit.changes) and isinstance(commit.changes[0], c.Undone)


def is_fact(commit: c.Commit) -> bool:
    """Tell whether there is nothing in a commit that could be taken back."""
    return all(type(change) in FACTS for change in commit.changes)


def _can_go(groups: Sequence[Group], commits: Sequence[c.Commit], now: Shape) -> bool:
    """Tell whether the first of some commits can be taken back."""
    (group, *others), (commit, *later) = groups, commits
    since = {
        one.revision: other.paths for one, other in zip(later, others, strict=True) if other.paths
    }
    try:
        _refuse_beginnings(commits)
        _taken_back(group, commit, later, now, since)
    except InvalidStatus:
        return False
    return True


def _refuse_beginnings(commits: Iterable[c.Commit]) -> None:
    for commit in commits:
        if any(isinstance(change, c.PlanCreated) for change in commit.changes):
            raise InvalidStatus("cannot_undo_creation", revision=commit.revision)


def _group(commit: c.Commit, before: Shape, after: Shape) -> Group:
    phases = {change.id for change in commit.changes if isinstance(change, c.PhaseMoved)}
    tasks = {change.id for change in commit.changes if isinstance(change, c.TaskMoved)}
    return Group(
        before,
        after,
        differing(before, after),
        frozenset(phases & before.phases.keys() & after.phases.keys()),
        frozenset(tasks & before.tasks.keys() & after.tasks.keys()),
    )


def _changed_since(
    paths: Iterable[Path], state: PlanState, later: Iterable[c.Commit]
) -> dict[int, list[Path]]:
    """Take later commits in; return by revision which of the paths each of them changed."""
    watched: dict[Thing, list[Path]] = {}
    for path in paths:
        watched.setdefault(path[:2], []).append(path)
    seen = {thing: parts(state, thing) for thing in watched}
    found: dict[int, list[Path]] = {}
    for commit in later:
        fold(state, commit.changes, commit.revision, commit.at)
        for thing in _touched(commit, watched):
            old, new = seen[thing], parts(state, thing)
            changed = [path for path in watched[thing] if old.get(path[2]) != new.get(path[2])]
            found.setdefault(commit.revision, []).extend(changed)
            seen[thing] = new
    return found


def _touched(commit: c.Commit, watched: Collection[Thing]) -> Iterable[Thing]:
    """Return what of the watched a commit may have changed."""
    if any(isinstance(change, c.PlanReset) for change in commit.changes):
        return watched
    return {thing for thing in map(thing_of, commit.changes) if thing in watched}


def _taken_back(
    group: Group,
    commit: c.Commit,
    later: Sequence[c.Commit],
    now: Shape,
    since: Mapping[int, Iterable[Path]],
) -> tuple[c.Change, ...]:
    net = _net(commit.revision, later)
    broken = _disturbed(group, net, since) | _displaced(group, net)
    if not broken:
        then = without(group, now, begun=_begun(group, now, net))
        broken = dict(violations(group.after, now, then, later))
        if not broken:
            return tuple(leading(now, then, group))
    raise InvalidStatus(
        "cannot_undo_since",
        revision=commit.revision,
        what=[spelled(path) for path in broken if _says_most(path, broken)],
        by=max(broken.values()),
    )


def _says_most(path: Path, others: Container[Path]) -> bool:
    """Tell whether a path has to be named: of what is gone not every part has."""
    kind, one, part = path
    return part == ITSELF or (kind, one, ITSELF) not in others


def _net(revision: int, later: Sequence[c.Commit]) -> list[c.Commit]:
    """Return later commits but for those that were taken back, and what took them back."""
    cancelled: set[int] = set()
    found: list[c.Commit] = []
    for commit in reversed(later):
        first = commit.changes[0] if commit.changes else None
        if commit.revision in cancelled:
            continue
        if isinstance(first, c.Undone) and first.revision > revision:
            cancelled.add(first.revision)
        else:
            found.append(commit)
    return found[::-1]


def _disturbed(
    group: Group, net: Iterable[c.Commit], since: Mapping[int, Iterable[Path]]
) -> dict[Path, int]:
    """Return what has been changed again; a reset changes what it resets even if it is so."""
    found: dict[Path, int] = {}
    for commit in net:
        found |= dict.fromkeys(since.get(commit.revision, ()), commit.revision)
        if any(isinstance(change, c.PlanReset) for change in commit.changes):
            found |= {path: commit.revision for path in group.paths if path[2] in RESET}
    return {path: found[path] for path in group.paths if path in found}


def _displaced(group: Group, net: Iterable[c.Commit]) -> dict[Path, int]:
    """Return what no longer stands at the place where the commit put it."""
    before, after = group.before, group.after
    tasks = group.moved_tasks | (after.tasks.keys() - before.tasks)
    phases = group.moved_phases | (after.phases.keys() - before.phases)
    found: dict[Path, int] = {}
    for commit in net:
        for change in commit.changes:
            if isinstance(change, c.TaskMoved | c.TaskRemoved) and change.id in tasks:
                found[TASKS, change.id, PLACE] = commit.revision
            elif isinstance(change, c.PhaseMoved | c.PhaseRemoved) and change.id in phases:
                found[PHASES, change.id, PLACE] = commit.revision
    return found


def _begun(group: Group, now: Shape, net: Iterable[c.Commit]) -> bool:
    """Tell whether work has begun without the commit: also if others have worked since."""
    if group.before.begun == group.after.begun:
        return now.begun
    worked = any(isinstance(change, _BEGINS) for commit in net for change in commit.changes)
    return group.before.begun or (now.begun and worked)
