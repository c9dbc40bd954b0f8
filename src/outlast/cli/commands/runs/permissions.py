"""`permissions`: what the runs of a plan may do without a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.agent.people.permission_file import permissions_at
from outlast.agent.permissions import NO_PERMISSIONS, PlanPermissions
from outlast.console.call import Answer, Call, Json
from outlast.console.render.summary import summarize_plan
from outlast.errors import StoreError
from outlast.language import visible
from outlast.plan.home.find import load_settings, project_root
from outlast.redact.secrets import redact
from outlast.system.workspace_root import current_directory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.plan.plan import Plan


def permissions(plan: Plan, call: Call, *, forget: bool = False) -> Answer:
    """Show what runs of the plan may do without asking, or forget what was allowed for it."""
    store, start = permissions_at(project_root(current_directory())), current_directory()
    forgotten = forget and store.forget(plan.id)
    permitted = NO_PERMISSIONS
    try:
        permitted = store.read(plan.id)
    except StoreError as error:
        call.notices.append((error.text, error.details))
    loaded = load_settings(start)
    configured = loaded.settings.permissions.allow
    content: Json = {
        "plan": summarize_plan(plan).as_json()["plan"],
        "patterns": list(map(redact, permitted.patterns)),
        "calls": list(map(redact, permitted.calls)),
        "settings": list(map(redact, configured)),
        "file": store.path(plan.id),
        "forgotten": forgotten,
    }

    def as_text() -> str:
        return "\n".join(_lines(call, permitted, configured, forgotten=forgotten))

    return Answer(lambda: content, as_text)


def _lines(
    call: Call, permitted: PlanPermissions, configured: tuple[str, ...], *, forgotten: bool
) -> Iterator[str]:
    if forgotten:
        yield call.text("permissions_forgotten")
    rows = {
        "permissions_settings": configured,
        "permissions_patterns": permitted.patterns,
        "permissions_calls": permitted.calls,
    }
    for key, allowed in rows.items():
        if allowed:
            yield call.text(key)
            yield from (f"  {visible(redact(item))}" for item in allowed)
    if not any(rows.values()):
        yield call.text("permissions_none")
    elif permitted.patterns or permitted.calls:
        command = call.suggest("permissions", "--forget")
        yield call.text("permissions_forget", command=command)
