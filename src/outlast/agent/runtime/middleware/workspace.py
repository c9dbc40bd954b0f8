"""What a tool may change: keep checks away meanwhile, and tell its edits from people's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.agent import effects as e
from outlast.agent.events import Notified
from outlast.agent.runtime.delegation import describe_order
from outlast.language import listing, text

if TYPE_CHECKING:
    from outlast.agent.effects import Outcome
    from outlast.agent.runtime.lane import CallNext, Lane
    from outlast.model.commands import NoteFootprint

_FILES_SHOWN: Final = 5


async def hold_workspace(effect: e.Act | e.Delegate, lane: Lane, call_next: CallNext) -> Outcome:
    """Run a tool or an agent while no lane checks the files that it may change.

    It waits before its attempt begins, at no cost. An agent that only reads keeps nobody waiting.
    What is in the plan's views by then was not changed by the tool.
    """
    files = effect.order.files if isinstance(effect, e.Delegate) else ()
    if isinstance(effect, e.Delegate) and effect.order.permissions == "read":
        return await _sync_first(effect, lane, call_next)
    async with lane.run.workspace.for_work(files, effect.task or lane.task):
        return await _sync_first(effect, lane, call_next)


async def _sync_first(effect: e.Act | e.Delegate, lane: Lane, call_next: CallNext) -> Outcome:
    await lane.run.sync_views()
    return await call_next(effect)


async def find_edits(effect: e.Act | e.Delegate, lane: Lane, call_next: CallNext) -> Outcome:
    """Sync what changed in the plan's views while a tool or an agent ran, before its end.

    Such an edit may be the tool's, so that nobody is its author.
    """
    try:
        return await call_next(effect)
    finally:
        name = effect.call.name if isinstance(effect, e.Act) else describe_order(effect, lane)
        await lane.run.sync_views(during=name.partition(" ")[0])


async def watch_workspace(effect: e.Delegate, lane: Lane, call_next: CallNext) -> Outcome:
    """Record what an agent left in the workspace; tell people of files that its task does not name.

    An agent that only reads leaves nothing.
    """
    watch, lock = lane.run.watch, lane.run.workspace
    if watch is None or effect.order.permissions == "read":
        return await call_next(effect)
    checks = -1 if lock.is_checking else lock.checks_begun
    visit = await watch.begin(effect.order.files)
    try:
        return await call_next(effect)
    finally:
        footprint = await watch.end(visit, effect.attempt)
        if footprint is not None:
            has_company = bool(footprint.count) and lock.checks_begun != checks
            footprint = replace(footprint, shared=footprint.shared or has_company)
            lane.defer(footprint)
            if footprint.count:
                lane.emit(_outside_notice(footprint, effect.order.task, lane))


def _outside_notice(footprint: NoteFootprint, task: int, lane: Lane) -> Notified:
    language = lane.run.language
    files = listing(footprint.outside[:_FILES_SHOWN], language)
    more = max(footprint.count - _FILES_SHOWN, 0)
    if more:
        files = text("files_outside_more", language, files=files, count=more)
    key = "files_outside_shared" if footprint.shared else "files_outside"
    return Notified(text(key, language, task=task, files=files), "files")
