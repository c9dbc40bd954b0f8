"""Taking in what people have written into the files of a plan.

Each wish is a commit of its own, under a key that stands for the save it comes from: however often
it is begun and by however many processes, it is done once. The file is written anew only when all
of it is in the plan, or has been reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from outlast.application.sync.base import base_of
from outlast.domain.enact import receipt
from outlast.domain.note_commands import KeepProse
from outlast.errors import InvalidArgument, OutlastError, Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outlast.domain.changes import Change, Commit
    from outlast.domain.commands import Command
    from outlast.domain.model import Prose
    from outlast.domain.state import PlanState
    from outlast.formats.markdown.merge.applier import Taking
    from outlast.formats.markdown.merge.edits import Merge, Wish
    from outlast.ports.edits import Edit, EditedStore
    from outlast.ports.store import Notice

    Merging = Callable[[PlanState], Merge]

TASK_PLAN: Final = "task_plan.md"
_ROUNDS: Final = 5  # in which others may be quicker
_TOLD: Final = 20  # things about one file


class _Again(Exception):
    """Another process has carried a wish out, in its own way: look anew at what is left."""


class Person(Protocol):
    """A person's handle on a plan, which makes one change."""

    def carry_out(self, commands: Sequence[Command], reason: str) -> Sequence[Change]:
        """Carry out what an edited file asks for, all or none."""

    def commit(
        self,
        commands: Sequence[Command],
        then: Callable[[PlanState, Commit], Commit],
        *,
        reason: str = "",
    ) -> Commit:
        """Carry commands out, all or none."""


class Intake:
    """Takes the edits of one plan in, in a person's name."""

    def __init__(self, store: EditedStore, person: Callable[[str], Person]) -> None:
        """Work on a store; `person` returns a person's handle that makes one change, by its key."""
        self._store = store
        self._person = person

    def run(self, *, sure: bool = False) -> None:
        """Take all edits in; what is left, and why, becomes a notice.

        `sure` also takes in what looks like a mistake.
        """
        for edit in self._store.edits():
            try:
                self._take(edit, sure=sure)
            except OutlastError as error:
                self._store.say(("edit_waits", {"name": edit.name, "problem": error}))
            except Exception as error:  # noqa: BLE001 - whatever it is, the plan goes on
                self._store.say(("edit_waits", {"name": edit.name, "problem": repr(error)}))

    def _take(self, edit: Edit, *, sure: bool) -> None:
        merging = self._merging(edit, sure=sure)
        for left in reversed(range(_ROUNDS)):
            known, merge = self._store.read(lambda now: (now.notes.prose, merging(now)))
            reports = [(report.text, report.details) for report in merge.reports]
            if merge.held:
                self._tell(edit, reports)
                return
            try:
                refused, count = self._carry_out(edit, merge, known, last=not left)
            except _Again:
                continue
            self._tell(edit, [*reports, *refused])
            self._tell_taken(edit, count)
            is_lost = bool(refused or reports) and edit.name != TASK_PLAN and edit.text.strip()
            self._store.settle(edit, keep=bool(is_lost))
            return

    # What an edit comes to

    def _merging(self, edit: Edit, *, sure: bool) -> Merging:
        """Return what compares a file with the plan as it is, and as the file showed it."""
        if edit.name == TASK_PLAN:
            from outlast.formats.markdown.merge.merge import merge
            from outlast.formats.markdown.parse import parse

            document = parse(edit.text)
            base = base_of(self._store, edit, document.revision)
            return lambda now: merge(base, now, document, sure=sure)
        from outlast.application.sync.notes_base import first_shown

        compare, shown = _notes(edit.name), first_shown(self._store, edit)
        base = base_of(self._store, edit, shown.revision)
        if shown.newer:
            self._store.say(("notes_newer", {"name": edit.name, "titles": shown.newer}))
        return lambda now: compare(base, now, edit.text)

    # Doing it

    def _carry_out(
        self, edit: Edit, merge: Merge, known: tuple[Prose, ...], *, last: bool
    ) -> tuple[list[Notice], int]:
        """Carry the wishes out, then keep people's own lines; what was `known` has been merged.

        Return what was refused, and how much was not.
        """
        from outlast.formats.markdown.merge.applier import Taking

        taking = Taking(merge)
        refused: list[Notice] = []
        count = 0
        for wish in merge.wishes:
            commands = taking.commands(wish)
            if not commands:
                continue  # it needs what was refused
            try:
                key = f"{edit.key}:{wish.what}:{wish.line}:{wish.anchor}"
                taking.done(wish, self._person(key).carry_out(commands, edit.name))
                count += wish.size
            except Refused as error:
                if _is_known(error) and not last:
                    raise _Again from error
                taking.refused(wish)
                refused.append(_refusal(edit, wish, error))
        return refused, count + (edit.name == TASK_PLAN and self._keep(taking, known))

    def _keep(self, taking: Taking, known: tuple[Prose, ...]) -> bool:
        """Keep people's own lines; tell whether they are others than before."""
        from outlast.formats.markdown.merge.comments import written_by_people

        prose, before = taking.prose(), self._store.read(lambda state: state.notes.prose)
        if prose != before:
            self._person("").commit((KeepProse(prose, known),), receipt, reason=TASK_PLAN)
        return written_by_people(prose) != written_by_people(before)

    # Telling it

    def _tell(self, edit: Edit, notices: list[Notice]) -> None:
        """Tell what is to be told about a file, but no more than somebody reads."""
        for notice in notices[:_TOLD]:
            self._store.say(notice)
        if len(notices) > _TOLD:
            self._store.say(("edit_more", {"name": edit.name, "count": len(notices) - _TOLD}))

    def _tell_taken(self, edit: Edit, count: int) -> None:
        """Tell how much was taken in since the plan was opened, in one notice."""
        if not count:
            return
        for notice in [one for one in self._store.notices if _is_taken(one, edit.name)]:
            self._store.notices.remove(notice)
            count += cast("int", notice[1]["count"])
        self._store.say(("edit_taken", {"name": edit.name, "count": count}))


def _refusal(edit: Edit, wish: Wish, error: Refused) -> Notice:
    said = " ".join(wish.said) or wish.what
    details = {"name": edit.name, "line": wish.line, "said": said, "problem": error}
    return "edit_refused", details


def _is_taken(notice: Notice, name: str) -> bool:
    return notice[0] == "edit_taken" and notice[1]["name"] == name


def _is_known(error: Refused) -> bool:
    return isinstance(error, InvalidArgument) and error.text == "key_reused"


def _notes(name: str) -> Any:  # noqa: ANN401 - the same function of three modules
    if name == "findings.md":
        from outlast.formats.markdown.notes import findings_merge

        return findings_merge.merge
    if name == "errors.md":
        from outlast.formats.markdown.notes import errors_merge

        return errors_merge.merge
    from outlast.formats.markdown.notes import deliverable

    return deliverable.merge
