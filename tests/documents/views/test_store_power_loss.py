"""F2: a power loss while views are written costs nothing that was acknowledged."""

import os
from collections.abc import Callable

import pytest

from outlast.store.port import Store
from outlast.system.disk import Disk
from outlast.testing import FixedClock
from tests.documents.views.rendered_plans import (
    TASK_PLAN,
    ViewsWithoutTimer,
    assert_rendered,
    with_sync,
)
from tests.store.opening import new_views, open_views, views_of
from tests.store.operations import CREATE, LATEST, NOW
from tests.store.power_loss import WHERE, Step, World, survive

SEEDS = int(os.environ.get("OUTLAST_SEEDS", "6000"))  # cuts; a story has two of them or more
BLOCKS = 8
# What is left of a file may be put aside for a person to look at; it must not be taken in.
SAID = {"view_damaged", "view_set_aside", "leftover_removed", "tail_cut"}


class RenderingWorld(World):
    """A plan whose views nobody edits: whatever is left of them, none of it is an edit."""

    longest = 400

    def _create(self, disk: Disk) -> Store:
        made = new_views(WHERE, disk, CREATE, now=NOW, kind=ViewsWithoutTimer)
        return with_sync(made, FixedClock(LATEST))

    def _open(self, disk: Disk) -> Store:
        return with_sync(open_views(WHERE, disk, LATEST, ViewsWithoutTimer), FixedClock(LATEST))

    def commit(self, store: Store, step: Step) -> None:
        """Request a change, and sometimes a rendering."""
        super().commit(store, step)
        if getattr(store, "views", None) and self.random.random() < 0.3:
            views_of(store).render()

    def inspect(self, store: Store) -> None:
        """Check that the view shows the plan, and that nothing counts as an edit."""
        said = {text for text, _ in store.notices}
        assert said <= SAID, said
        store.read(lambda _: None)  # views with an edit, or what looks like one, follow a use
        content = self.disk.get(f"{WHERE}/{TASK_PLAN}").decode()
        store.read(lambda state: assert_rendered(content, state))


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("block", range(BLOCKS))
def test_f2_what_was_acknowledged_survives_every_power_cut_and_is_shown(
    block: int, eager: Callable[[], None]
) -> None:
    eager()
    assert survive(RenderingWorld, range(block, SEEDS // 2, BLOCKS)) >= SEEDS // BLOCKS
