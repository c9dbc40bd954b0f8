"""Plans with views, and checks that a view shows its plan."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from outlast.adapters.stores.layouts import OutlastStore
from outlast.application.plan.plan import Plan
from outlast.application.sync.store import SyncingStore
from outlast.domain.model import PERSON
from outlast.formats.markdown.merge.three_way import merge
from outlast.formats.markdown.parse import parse
from outlast.formats.markdown.render import render
from outlast.formats.markdown.to_plan import to_plan
from tests.formats.markdown.plan_texts import NOW, create_state, visible_plan

if TYPE_CHECKING:
    from outlast.adapters.stores.views.store import RenderingStore
    from outlast.domain.state import PlanState
    from outlast.ports.clock import Clock

TASK_PLAN = "task_plan.md"


class StoreWithoutTimer(OutlastStore):
    """A store without a timer thread: it renders on a commit, on request, or when closed."""

    def _start_timer(self, seconds: float) -> None:
        """Leave the rendering to the next commit or to closing."""


def with_sync(store: RenderingStore, clock: Clock) -> SyncingStore:
    """Return a store that syncs edits before every use, as an opened plan has it."""

    def person(key: str) -> Plan:
        return Plan(store, clock, lambda: "plan_next", PERSON, key=key)

    made = SyncingStore(store, person)
    made.sync_edits()
    return made


def assert_rendered(content: str, state: PlanState, *, ids: bool = True) -> None:
    """Check that a `task_plan.md` shows the plan, parses back to it, and holds no edit."""
    assert strip_time(content) == strip_time(render(state, ids=ids))
    document = parse(content)
    assert visible_plan(create_state(to_plan(document, state.id, NOW)), ids=ids) == visible_plan(
        state, ids=ids
    )
    assert merge(state, state, document).edits == ()


def strip_time(content: str) -> str:
    """Return a view without its last lines, which have the time."""
    return re.sub(r"(?m)^(\*Last updated: .*\*|<!-- outlast r\d+ -->)$", "", content)
