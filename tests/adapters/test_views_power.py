"""F2: a power cut while files that people read are written costs none of what was acknowledged."""

import os
from collections.abc import Callable

import pytest

from outlast.application.sync.store import FollowedStore
from outlast.ports.store import Store
from outlast.system.disk import Disk
from outlast.testing import FixedClock
from tests.adapters.operations import CREATE, LATEST, NOW
from tests.adapters.outages import WHERE, Step, World, survive
from tests.adapters.viewed import TASK_PLAN, Unhurried, assert_shown, followed

SEEDS = int(os.environ.get("OUTLAST_SEEDS", "6000"))  # cuts; a story has two of them or more
BLOCKS = 8
# What is left of a file may be put aside for a person to look at; it must not be taken in.
SAID = {"view_damaged", "view_put_aside", "leftover_removed", "tail_cut"}


class ShownWorld(World):
    """A plan whose views nobody edits: whatever is left of them, it is no wish of anybody's."""

    longest = 400

    def _create(self, disk: Disk) -> FollowedStore:
        made = Unhurried.create(WHERE, disk, CREATE, author="ann", now=NOW)
        return followed(made, FixedClock(LATEST))

    def _open(self, disk: Disk) -> FollowedStore:
        return followed(Unhurried(WHERE, disk, LATEST), FixedClock(LATEST))

    def commit(self, store: Store, step: Step) -> None:
        """Ask for a change, and now and then for files that show it."""
        super().commit(store, step)
        if isinstance(store, FollowedStore) and self.random.random() < 0.3:
            store.render()

    def inspect(self, store: Store) -> None:
        """See that the file shows the plan, and that nothing is taken for somebody's edit."""
        said = {text for text, _ in store.notices}
        assert said <= SAID, said
        content = self.disk.get(f"{WHERE}/{TASK_PLAN}").decode()
        store.read(lambda state: assert_shown(content, state))


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("block", range(BLOCKS))
def test_f2_what_was_acknowledged_survives_every_power_cut_and_is_shown(
    block: int, eager: Callable[[], None]
) -> None:
    eager()
    assert survive(ShownWorld, range(block, SEEDS // 2, BLOCKS)) >= SEEDS // BLOCKS
