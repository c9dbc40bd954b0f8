"""Plans with views, and checks that a view shows its plan."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from outlast.documents.markdown.merge.three_way import merge
from outlast.documents.markdown.parse import parse
from outlast.documents.markdown.render import render
from outlast.documents.markdown.to_plan import to_plan
from outlast.documents.sync.edit_sync import EditSync
from outlast.documents.views.store import RenderingStore
from outlast.plan.core import PlanCore
from outlast.plan.home.layouts import OutlastStore
from tests.documents.markdown.plan_texts import NOW, create_state, visible_plan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.model.state import PlanState
    from outlast.store.edits import EditableStore, EditedView
    from outlast.system.clock_port import Clock

TASK_PLAN = "task_plan.md"
StoreT = TypeVar("StoreT", bound=RenderingStore)


class StoreWithoutTimer(OutlastStore):
    """A store without a timer thread: it renders on a commit, on request, or when closed."""

    def _start_timer(self, seconds: float) -> None:
        """Leave the rendering to the next commit or to closing."""


def with_sync(store: StoreT, clock: Clock) -> StoreT:
    """Let a store sync edits before every use, as an opened plan has it."""

    def apply(store: EditableStore, edits: Sequence[EditedView], *, confirmed: bool) -> None:
        def core(actor: str, key: str) -> PlanCore:
            return PlanCore(store, clock, lambda: "plan_next", actor, key=key)

        EditSync(store, core).run(edits, confirmed=confirmed)

    store.sync_with(apply)
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
