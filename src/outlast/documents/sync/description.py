"""Descriptions of what a commit changed, as short phrases for people and models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from outlast.documents.markdown.rejected import lines_by_people
from outlast.language import clauses, text, visible
from outlast.model import changes as c
from outlast.model.ledger import Notes
from outlast.model.model import FINISHED, Phase, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outlast.language import Language
    from outlast.model.changes import Change, Commit
    from outlast.model.state import PlanState
    from outlast.store.port import Notice

_SHOWN: Final = 10  # phrases in one line
_NAME_CHARACTERS: Final = 80
_FIELDS: Final = {
    "description": "change_description",
    "checks": "change_checks",
    "run": "change_run",
    "files": "change_files",
    "protect": "change_protect",
    "result": "change_result",
    "reasoning": "change_reasoning",
    "kind": "change_kind",
}
_CONSEQUENCES: Final = ("change_needs_dropped", "change_needs_added")


class PlanBefore(Struct, frozen=True):
    """A plan before a commit, as far as it is needed to describe the changes."""

    tasks: Mapping[int, Task]
    phases: Mapping[str, Phase]
    notes: Notes

    @classmethod
    def of(cls, state: PlanState) -> PlanBefore:
        """Return what a state has now; later changes of the state do not show in it."""
        return cls({**state.tasks}, state.phases, replace(state.notes))


class Phrases(list["Notice"]):
    """Phrases about changes, which become one line in either language."""

    def explain(self, language: Language = "en") -> str:
        """Return the phrases as one line: what was done, then what follows from it."""
        shown = self[:_SHOWN]
        done = [text(key, language, **about) for key, about in shown if key not in _CONSEQUENCES]
        follows = [text(key, language, **about) for key, about in shown if key in _CONSEQUENCES]
        if len(self) > _SHOWN:
            follows.append(text("log_more", language, more=len(self) - _SHOWN))
        comma = "\uff0c" if language == "zh" else ", "
        return clauses((*filter(None, (comma.join(done),)), *follows), language)


def describe_changes(before: PlanState | PlanBefore, commit: Commit) -> Phrases:
    """Return a phrase for each thing that a commit changed, given the plan before it.

    What tasks wait for comes last: it may follow from another change, such as a removal. The
    bookkeeping of runs is left out.
    """
    phrases = Phrases(_Describer(before, commit).phrases())
    phrases.sort(key=lambda phrase: phrase[0] in _CONSEQUENCES)
    return phrases


class _Describer:
    """Describes the changes of one commit; remembers the names and needs that they lead to."""

    def __init__(self, before: PlanState | PlanBefore, commit: Commit) -> None:
        self._before = before
        self._commit = commit
        self._names: dict[int, str] = {}
        self._needs: dict[int, tuple[int, ...]] = {}
        self._prose = before.notes.prose
        ended = (c.TaskCompleted, c.TaskSkipped)
        self._finished = {change.id for change in commit.changes if isinstance(change, ended)}
        self._special: dict[type[Change], Callable[[Any], Iterator[Notice]]] = {
            c.TaskAdded: self._added_task,
            c.TaskEdited: self._edited_task,
            c.TaskStarted: self._started_task,
            c.TaskCompleted: self._completed_task,
            c.PlanEdited: self._edited_plan,
            c.PhaseEdited: self._edited_phase,
            c.ProseKept: self._kept_prose,
        }

    def phrases(self) -> Iterator[Notice]:
        """Yield the phrases, each once."""
        told: list[Notice] = []
        for change in self._commit.changes:
            for phrase in self._special.get(type(change), self._other)(change):
                if phrase not in told:
                    told.append(phrase)
                    yield phrase

    def _other(self, change: Any) -> Iterator[Notice]:  # noqa: ANN401 - of many kinds
        kind = type(change)
        if kind in (c.PhaseMoved, c.PhaseRemoved):
            yield _KEYS[kind], {"name": self._phase_title(change.id)}
        elif kind in _DETAILS:
            yield _KEYS[kind], _DETAILS[kind](change)
        elif kind in _KEYS:
            yield _KEYS[kind], self._task(change.id)

    def _added_task(self, change: c.TaskAdded) -> Iterator[Notice]:
        task = change.task
        self._names[task.id], self._needs[task.id] = task.name, task.needs
        yield "change_added", self._task(task.id)

    def _started_task(self, change: c.TaskStarted) -> Iterator[Notice]:
        if change.id not in self._finished:
            yield "change_started", self._task(change.id)

    def _edited_plan(self, change: c.PlanEdited) -> Iterator[Notice]:
        if change.goal is not None:
            yield "change_goal", {"name": _shorten(change.goal)}
        elif change.title is not None:
            yield "change_title", {"name": _shorten(change.title)}

    def _kept_prose(self, change: c.ProseKept) -> Iterator[Notice]:
        if lines_by_people(change.prose) != lines_by_people(self._prose):
            yield "change_prose", {}
        self._prose = change.prose

    def _edited_task(self, change: c.TaskEdited) -> Iterator[Notice]:
        if change.name is not None:
            self._names[change.id] = change.name
            yield "change_renamed", self._task(change.id)
        if change.needs is not None:
            known, task = self._known_needs(change.id), self._task(change.id)
            self._needs[change.id] = change.needs
            dropped = [need for need in known if need not in change.needs]
            added = [need for need in change.needs if need not in known]
            if dropped:
                yield "change_needs_dropped", {**task, "needs": dropped}
            if added:
                yield "change_needs_added", {**task, "needs": added}
        for field, key in _FIELDS.items():
            if getattr(change, field) is not None:
                yield key, self._task(change.id)

    def _completed_task(self, change: c.TaskCompleted) -> Iterator[Notice]:
        task = change.id
        open_needs = [need for need in self._known_needs(task) if not self._is_finished(need)]
        if open_needs:
            yield "change_completed_early", {**self._task(task), "needs": open_needs}
        else:
            yield "change_completed", self._task(task)

    def _edited_phase(self, change: c.PhaseEdited) -> Iterator[Notice]:
        old = self._before.phases.get(change.phase.id)
        title = _shorten(change.phase.title)
        if old is None or old.title != change.phase.title:
            yield "change_phase_renamed", {"old": self._phase_title(change.phase.id), "name": title}
        if old is None or old.notes != change.phase.notes:
            yield "change_phase_notes", {"name": title}

    def _is_finished(self, task: int) -> bool:
        known = self._before.tasks.get(task)
        return task in self._finished or (known is not None and known.status in FINISHED)

    def _known_needs(self, task: int) -> tuple[int, ...]:
        known = self._before.tasks.get(task)
        return self._needs.get(task, known.needs if known else ())

    def _phase_title(self, phase: str) -> str:
        known = self._before.phases.get(phase)
        return _shorten(known.title if known else phase)

    def _task(self, task: int) -> dict[str, object]:
        known = self._before.tasks.get(task)
        name = self._names.get(task) or (known.name if known else "")
        return {"task": task, "name": _shorten(name)}


def _shorten(name: str) -> str:
    shown = visible(" ".join(name.split()))
    return shown if len(shown) <= _NAME_CHARACTERS else f"{shown[: _NAME_CHARACTERS - 1]}…"


_KEYS: Final[dict[type[Change], str]] = {
    c.PhaseAdded: "change_phase_added",
    c.PhaseMoved: "change_phase_moved",
    c.PhaseRemoved: "change_phase_removed",
    c.PlanPaused: "change_paused",
    c.PlanResumed: "change_resumed",
    c.PlanReset: "change_reset",
    c.TaskMoved: "change_moved",
    c.TaskRemoved: "change_removed",
    c.CompletionConfirmed: "change_confirmed",
    c.TaskRetried: "change_failed",
    c.TaskFailed: "change_failed",
    c.TaskSkipped: "change_skipped",
    c.TaskReopened: "change_reopened",
    c.TaskReturned: "change_returned",
    c.TaskRestored: "change_restored",
    c.Undone: "change_undone",
    c.FindingNoted: "change_finding",
    c.FindingForgotten: "change_finding_removed",
    c.ErrorNoted: "change_errors",
    c.ErrorsForgotten: "change_errors",
    c.Delivered: "change_deliverable",
}
_DETAILS: Final[dict[type[Change], Callable[[Any], dict[str, object]]]] = {
    c.PhaseAdded: lambda change: {"name": _shorten(change.phase.title)},
    c.PlanPaused: lambda _: {},
    c.PlanResumed: lambda _: {},
    c.PlanReset: lambda _: {},
    c.Undone: lambda change: {"revision": change.revision},
    c.FindingNoted: lambda change: {"name": _shorten(change.finding.title)},
    c.FindingForgotten: lambda change: {"finding": change.id},
    c.ErrorNoted: lambda _: {},
    c.ErrorsForgotten: lambda _: {},
    c.Delivered: lambda _: {},
}
