"""Plans with views, and checks that a view shows its plan."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from outlast.documents.markdown.merge.three_way import merge
from outlast.documents.markdown.parse import parse
from outlast.documents.markdown.render import render
from outlast.documents.markdown.to_plan import to_plan
from outlast.documents.views.synced_views import SyncedViews
from outlast.plan.core import PlanCore
from outlast.plan.edit_sync import EditSync
from tests.documents.markdown.plan_texts import NOW, create_state, visible_plan
from tests.store.opening import views_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.model.state import PlanState
    from outlast.store.port import EditedView, Views
    from outlast.store.store import Store
    from outlast.system.clock import Clock

TASK_PLAN = "task_plan.md"


class ViewsWithoutTimer(SyncedViews):
    """Views without a timer thread: rendered on a commit, on request, or when closed."""

    def _start_timer(self, seconds: float) -> None:
        """Leave the rendering to the next commit or to closing."""


def with_sync(store: Store, clock: Clock) -> Store:
    """Let a store sync edits before every use, as an opened plan has it."""

    def apply(views: Views, edits: Sequence[EditedView], *, confirmed: bool) -> None:
        def core(actor: str, key: str) -> PlanCore:
            return PlanCore(views.store, clock, lambda: "plan_next", actor, key=key)

        EditSync(views, core).run(edits, confirmed=confirmed)

    views_of(store).sync_with(apply)
    return store


def assert_rendered(content: str, state: PlanState, *, ids: bool = True) -> None:
    """Check that a `task_plan.md` shows the plan, parses back to it, and holds no edit."""
    assert strip_time(content) == strip_time(render(state, bare=not ids))
    document = parse(content, bare=not ids)
    assert visible_plan(create_state(to_plan(document, state.id, NOW)), ids=ids) == visible_plan(
        state, ids=ids
    )
    assert merge(state, state, document).edits == ()


def strip_time(content: str) -> str:
    """Return a view without its last lines, which have the time."""
    return re.sub(r"(?m)^(\*Last updated: .*\*|<!-- outlast r\d+(?: \w+)? -->)$", "", content)
