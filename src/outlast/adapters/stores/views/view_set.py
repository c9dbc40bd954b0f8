"""The files that show one plan: what they say, whether that is ours, and what people wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from outlast.adapters.stores.views import manifest
from outlast.adapters.stores.views.file import ABSENT, ODD, ViewFile, checksum
from outlast.adapters.stores.views.manifest import NEVER, Rendered
from outlast.adapters.stores.views.registry import is_same
from outlast.ports.store import Notice
from outlast.system.clock import booted, moment, rest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outlast.adapters.stores.views.file import Found
    from outlast.adapters.stores.views.manifest import Marks
    from outlast.adapters.stores.views.registry import View
    from outlast.domain.state import PlanState
    from outlast.ports.edits import Edit
    from outlast.system.disk import Disk, Stamp

    Past = Callable[[], Iterator[PlanState]]

Standing = Literal["shown", "behind", "strange"]
_RECENT: Final = 50_000_000  # ns in which a file may be written again and look the same
_QUIET: Final = 200_000_000  # ns after which whoever writes a file piece by piece has ended


class _Step(Struct, frozen=True):
    """What is to be done to one file."""

    file: ViewFile
    mark: Rendered
    made: bytes | None = None
    known: frozenset[int] = frozenset()
    keep: str = ""
    notice: Notice | None = None
    is_edit: bool = False


class ViewSet:
    """All views of one plan; they are written only by the holder of the plan's lock."""

    def __init__(
        self, directory: str, disk: Disk, views: tuple[View, ...], notices: list[Notice]
    ) -> None:
        """Look after the views in a directory; what is to be told goes to `notices`."""
        self._directory = directory
        self._disk = disk
        self._notices = notices
        self._files = [ViewFile(directory, disk, view, notices) for view in views]
        self._edited = [file for file in self._files if file.view.is_edited]
        self._seen: dict[str, Stamp | None] = {}
        self._settled: dict[str, tuple[int, bool]] = {}
        self._noted = 0

    def files(self) -> tuple[str, ...]:
        """Return the paths of those that are there."""
        return tuple(file.path for file in self._files if file.stamp() is not None)

    def standing(self, revision: int) -> Standing:
        """Tell whether the files show this revision, an older one, or something not ours."""
        marks = self._marks()
        is_behind = False
        for file in self._files:
            mark = marks.get(file.view.name, NEVER)
            found = self._look(file)
            if file.is_left() or not mark.has(found, self._noted):
                return "strange"
            is_behind |= mark.revision != revision or found.checksum != mark.now
        return "behind" if is_behind else "shown"

    def is_touched(self) -> bool:
        """Tell whether a file that people edit looks otherwise than when it was read last."""
        return any(file.stamp() != self._seen.get(file.view.name) for file in self._edited)

    def write(self, state: PlanState, past: Past, mode: int) -> None:
        """Show the plan in every file that no edit waits in; what is damaged is put aside."""
        marks = self._marks()
        steps = [self._step(file, state, marks, past) for file in self._files]
        self._note(marks | {step.file.view.name: step.mark for step in steps}, marks, mode)
        settled = False
        for step in steps:
            settled |= self._do(step, mode)
        if settled:  # the same text again would be somebody's wish again
            after = {step.file.view.name: replace(step.mark, before=ABSENT) for step in steps}
            self._note(marks | after, {}, mode)

    def edits(self) -> list[Edit]:
        """Return what people wrote and what was not settled."""
        marks = self._marks()
        found = (self._edit(file, marks.get(file.view.name, NEVER)) for file in self._edited)
        return [edit for edit in found if edit is not None]

    def settle(self, edit: Edit, *, keep: bool) -> None:
        """Let an edit count as ours, so that it is written over; or kept aside before."""
        self._settled[edit.name] = edit.checksum, keep

    # Looking

    def _marks(self) -> Marks:
        self._noted = manifest.noted(self._directory, self._disk)
        return manifest.load(self._directory, self._disk)

    def _look(self, file: ViewFile) -> Found:
        """Look into a file, and remember what it looks like from outside."""
        found = file.look()
        stamp = found.stamp
        is_sure = stamp is None or stamp[2] < moment() - _RECENT
        self._seen[file.view.name] = stamp if is_sure else (0, 0, 0)
        return found

    def _edit(self, file: ViewFile, mark: Rendered) -> Edit | None:
        name, found = file.view.name, self._look(file)
        if found.checksum == ODD or mark.has(found, self._noted):
            return None
        if not file.view.is_whole(found.data):
            found = self._when_quiet(file, found)
        if found.checksum == self._settled.get(name, (ABSENT,))[0]:
            return None
        if found.stamp is None or not file.view.is_sound(found.data):
            return None  # it is not there any more, or will be put aside
        from outlast.ports.edits import Edit

        key = f"{name}:{found.checksum:x}:{found.stamp[0]:x}:{found.stamp[2]:x}"
        return Edit(name, found.data.decode(), mark.revision, key, found.checksum)

    def _when_quiet(self, file: ViewFile, found: Found) -> Found:
        """Wait for whoever may still be writing."""
        if found.stamp is None:
            return found
        age = moment() - found.stamp[2]
        if not 0 <= age < _QUIET:
            return found
        rest((_QUIET - age) / 1e9)
        return self._look(file)

    # Writing

    def _step(self, file: ViewFile, state: PlanState, marks: Marks, past: Past) -> _Step:
        mark = marks.get(file.view.name, NEVER)
        file.bring_back((mark.now, mark.before))
        found = self._look(file)
        if found.checksum == ODD:
            return _Step(file, mark, notice=("view_odd", {"name": file.view.name}))
        made = file.view.write(state)
        new = Rendered(state.revision, checksum(made) if made else ABSENT)
        if found.checksum == new.now:
            return _Step(file, new)
        settled, keep = self._settled.get(file.view.name, (ABSENT, False))
        if found.checksum == settled:
            kept = file.aside("edited") if keep else ""
            notice = _told("view_put_aside", file, kept) if keep else None
            known = frozenset((settled,))
            return _Step(file, replace(new, before=settled), made, known, kept, notice)
        if mark.has(found, self._noted):
            if found.checksum == mark.now and is_same(made, found.data):
                return _Step(file, replace(mark, revision=state.revision))
            known = frozenset((mark.now, mark.before))
            return _Step(file, replace(new, before=found.checksum), made, known)
        return self._strange(file, found, _Step(file, new, made), mark, past)

    def _strange(
        self, file: ViewFile, found: Found, step: _Step, mark: Rendered, past: Past
    ) -> _Step:
        """Leave an edit for whoever takes it in; put everything else aside."""
        is_sound = file.view.is_sound(found.data) and not _is_torn(file, found, past)
        if is_sound and file.view.is_edited:
            return _Step(file, mark, is_edit=True)
        text, what = ("view_put_aside", "edited") if is_sound else ("view_damaged", "bad")
        kept = file.aside(what)
        known = frozenset((found.checksum,))
        return replace(step, known=known, keep=kept, notice=_told(text, file, kept))

    def _do(self, step: _Step, mode: int) -> bool:
        """Do what is to be done to a file; tell whether an edit is settled by that."""
        file, is_done = step.file, True
        if step.made is not None:
            is_done = file.replace(step.made, step.known, mode, step.keep)
            self._seen.pop(file.view.name, None)
        if step.notice is not None and is_done and step.notice not in self._notices:
            self._notices.append(step.notice)
        if step.is_edit or not is_done:
            return False
        return self._settled.pop(file.view.name, None) is not None

    def _note(self, marks: Marks, before: Marks, mode: int) -> None:
        if marks != before:
            manifest.save(self._directory, self._disk, marks, mode)


def _told(text: str, file: ViewFile, kept: str) -> Notice:
    return text, {"name": file.view.name, "kept": kept}


def _is_torn(file: ViewFile, found: Found, past: Past) -> bool:
    """Tell whether a file is the beginning of one of ours, cut off by a power cut."""
    if found.stamp is None or found.stamp[2] > booted() or not file.view.is_edited:
        return False
    if file.view.is_whole(found.data):
        return False
    return any(file.view.write(state).startswith(found.data) for state in past())
