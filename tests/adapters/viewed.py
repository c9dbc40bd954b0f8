"""Plans with files that people read and edit, and whether those say what the plan is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from outlast.adapters.stores.layouts import OutlastStore
from outlast.application.plan.plan import Plan
from outlast.application.sync.store import FollowedStore
from outlast.domain.model import PERSON
from outlast.formats.markdown.merge.merge import merge
from outlast.formats.markdown.parse import parse
from outlast.formats.markdown.render import render
from outlast.formats.markdown.to_plan import to_plan
from tests.formats.plan_texts import NOW, created, shown

if TYPE_CHECKING:
    from outlast.adapters.stores.views.store import ViewedStore
    from outlast.domain.state import PlanState
    from outlast.ports.clock import Clock

TASK_PLAN = "task_plan.md"


class Unhurried(OutlastStore):
    """A store without a thread of its own: views follow when it is asked, at once, or closed."""

    def _render_in(self, seconds: float) -> None:
        """Leave it to whoever comes next."""


def followed(store: ViewedStore, clock: Clock) -> FollowedStore:
    """Return what stands before a store of a held plan; edits that wait are taken in."""

    def person(key: str) -> Plan:
        return Plan(store, clock, lambda: "plan_next", PERSON, key=key)

    made = FollowedStore(store, person)
    made.take_in()
    return made


def assert_shown(content: str, state: PlanState, *, ids: bool = True) -> None:
    """A `task_plan.md` is the plan's, is read as the same plan, and asks for nothing."""
    assert without_time(content) == without_time(render(state, ids=ids))
    document = parse(content)
    assert shown(created(to_plan(document, state.id, NOW)), ids=ids) == shown(state, ids=ids)
    assert merge(state, state, document).wishes == ()


def without_time(content: str) -> str:
    """Return a file without its last lines, which say when it was written."""
    return re.sub(r"(?m)^(\*Last updated: .*\*|<!-- outlast r\d+ -->)$", "", content)
