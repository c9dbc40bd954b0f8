"""Edits that people make in the views of a plan, and the store that finds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from outlast.ports.store import Store

if TYPE_CHECKING:
    from outlast.ports.store import Notice


class EditedView(Struct, frozen=True):
    """A view with an edit that is not applied yet.

    `revision` is the one the view showed before the edit, 0 if that is unknown. `key` identifies
    this save of the file, `checksum` its content.
    """

    name: str
    text: str
    revision: int
    key: str
    checksum: int


class EditableStore(Store, Protocol):
    """A store that also renders the plan into views that people edit."""

    def poll_edits(self) -> bool:
        """Return whether a view was touched since the last poll; cheap, and limited in rate.

        Always False inside a `read`, where nothing may change.
        """

    def pending_edits(self) -> list[EditedView]:
        """Return the edits that are not applied yet."""

    def overwrite_edit(self, edit: EditedView, *, keep_copy: bool = False) -> None:
        """Render over an applied edit; `keep_copy` sets the edited file aside first."""

    def render(self) -> None:
        """Render the current plan into every view without a pending edit."""

    def view_paths(self) -> tuple[str, ...]:
        """Return the paths of the views that exist, the one of the plan itself first."""

    def add_notice(self, notice: Notice) -> None:
        """Add a notice, unless it is there already."""
