"""What people write into the files of a plan, and a store that tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from outlast.ports.store import Store

if TYPE_CHECKING:
    from outlast.ports.store import Notice


class Edit(Struct, frozen=True):
    """A file as a person has left it, not taken in yet.

    `revision` is that of the plan as the file showed it before, 0 if nobody knows. `key` tells this
    save from every other, `checksum` this content.
    """

    name: str
    text: str
    revision: int
    key: str
    checksum: int


class EditedStore(Store, Protocol):
    """A store whose plan is also shown in files that people edit."""

    def is_edited(self) -> bool:
        """Tell whether a file has been touched since it was looked at last; costs next to nothing.

        Never while the asker is being answered: then nothing may change.
        """

    def edits(self) -> list[Edit]:
        """Return what has been edited and was not settled."""

    def settle(self, edit: Edit, *, keep: bool = False) -> None:
        """Show the plan again where an edit was, which has been taken in; `keep` puts it aside."""

    def render(self) -> None:
        """Show the plan as it is, in all files that no edit waits in."""

    def files(self) -> tuple[str, ...]:
        """Return the paths of the files that show the plan now, the plan itself first."""

    def say(self, notice: Notice) -> None:
        """Add to what is to be told, once."""
