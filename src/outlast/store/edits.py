"""The views of a plan that people edit, and the edits in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.store.port import Notice, Store


class EditedView(Struct, frozen=True):
    """A view with an edit that is not applied yet.

    `revision` and `mark` are of the commit that the view showed before the edit, 0 and empty if
    that is unknown. `key` identifies this save of the file, `checksum` its content. A `bare` view
    has the form of the document, which leaves some of the plan out. `during` is what ran meanwhile
    and may have made the edit: the name of a tool, or empty if it is a person's.
    """

    name: str
    text: str
    revision: int
    key: str
    checksum: int
    bare: bool = False
    during: str = ""
    mark: str = ""

    @property
    def is_saved(self) -> bool:
        """Whether it is in the file, and not in a question about what once was there."""
        return self.key.startswith(f"{self.name}:")


class Views(Protocol):
    """The files that a plan is rendered into and that people edit, attached to its store.

    Before every use of the store they are looked at a few times a second, and an `EditSync` applies
    the edits in them.
    """

    @property
    def store(self) -> Store:
        """The store of the plan."""

    def sync_with(self, apply: ApplyEdits) -> None:
        """Let `apply` apply the edits, now and before every later use of the store."""

    def sync_edits(self, *, confirmed: bool = False) -> None:
        """Apply the edits now; `confirmed` also those that look like a mistake."""

    def sync_touched(self, during: str = "") -> None:
        """Apply the edits now if a view was touched; `during` is what ran since the last call."""

    def overwrite_edit(self, edit: EditedView, *, keep_copy: bool = False) -> None:
        """Let the next rendering replace an applied edit; `keep_copy` sets its file aside."""

    def retry_edit(self, edit: EditedView) -> None:
        """Find an edit again before a later use: it could not be stored."""

    def is_current(self, edit: EditedView) -> bool:
        """Return whether a view still has the content of an edit; no later save came after it."""

    def render(self) -> None:
        """Render the current plan into every view without a pending edit."""

    def view_paths(self) -> tuple[str, ...]:
        """Return the paths of the views that exist, the one of the plan itself first."""

    def add_notice(self, notice: Notice) -> None:
        """Add a notice, unless it is there already."""

    # What the store calls

    def before_use(self) -> None:
        """Apply edits, if it is time to look for them."""

    def after_use(self) -> None:
        """Render, if that is due."""

    def after_batch(self) -> None:
        """Render, if that is due after commits; the caller has the store's mutex."""

    def before_close(self) -> None:
        """Render what is due; the caller has the store's mutex."""

    def reset_after_fork(self) -> None:
        """Let go of what belongs to the parent process."""


class ApplyEdits(Protocol):
    """Turns edited views into commits of their plan."""

    def __call__(self, views: Views, edits: Sequence[EditedView], /, *, confirmed: bool) -> None:
        """Apply edits; those that cannot be applied become notices."""
