"""Answer a call that had ended before the conversation began, if the model repeats it.

A model that resumes a plan, or whose conversation was shortened, has not seen the work. It is told
what was done, but may not heed it. So the first repetition gets the recorded result, and how to run
the call again; the second one runs. Calls that only read always run. Ended calls are found in the
journal, and their results in the transcript.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from outlast.agent.effects import Acted, Outcome
from outlast.agent.events import Notified
from outlast.context.escape import one_line
from outlast.language import text
from outlast.model.changes import AttemptBegan, AttemptEnded, Commit, TaskReopened
from outlast.model.ledger import THINK
from outlast.plan.tools.call_record import describe_call, json_digest, parse_call_line
from outlast.system.threads import call_in_pool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from outlast.agent import effects as e
    from outlast.agent.runtime.lane import CallNext, Lane

_COMMITS: Final = 200  # at the end of the journal that are searched
_CALL_CHARACTERS: Final = 200


class EndedCall(NamedTuple):
    """The start and the end of a tool call."""

    began: AttemptBegan
    end: AttemptEnded

    @property
    def tool(self) -> str:
        """The name of the tool."""
        return _tool_name(self.began)


def last_ended_calls(
    commits: Iterable[Commit], task: int | None, is_relevant: Callable[[str], bool]
) -> list[EndedCall]:
    """Return the ended calls of the model's last reply that has any, oldest first.

    Only calls of tools that are relevant count, and only those for `task`, unless it is None. A
    lost call is left out: it was not done. So is one for a task that was reopened since: it is to
    be done again.
    """
    reply, begun = 0, dict[str, tuple[int, AttemptBegan]]()
    ends = dict[str, AttemptEnded]()
    for change in (change for commit in commits for change in commit.changes):
        match change:
            case AttemptBegan() if task not in (None, change.task):
                pass
            case AttemptBegan() if change.kind == THINK:
                reply += 1
            case AttemptBegan() if is_relevant(_tool_name(change)):
                begun[change.id] = reply, change
            case AttemptEnded() if change.id in begun and change.outcome != "lost":
                ends[change.id] = change
            case TaskReopened():
                begun = {id_: entry for id_, entry in begun.items() if entry[1].task != change.id}
    last = max((begun[attempt][0] for attempt in ends if attempt in begun), default=0)
    in_last_reply = (began for reply, began in begun.values() if reply == last)
    return [EndedCall(began, ends[began.id]) for began in in_last_reply if began.id in ends]


def recorded_result(entries: Iterable[dict[str, Any]], attempt: str) -> tuple[str, str] | None:
    """Return the output and the error of a call, if the entries of a transcript have them."""
    for entry in entries:
        if entry.get("kind") == "acted" and entry.get("attempt") == attempt:
            return str(entry.get("output", "")), str(entry.get("failed", ""))
    return None


def _tool_name(began: AttemptBegan) -> str:
    return parse_call_line(began.what)[0]


async def answer_repeat(effect: e.Act, lane: Lane, call_next: CallNext) -> Outcome:
    """Answer the repetition of an ended call with its recorded result; run any other call.

    Once another call with effects has run, nothing is a repetition any more.
    """
    is_expected = lane.expects_repeats and not effect.is_informed and not lane.run.is_scratch
    if not is_expected or _only_reads(lane, effect.call.name):
        return await call_next(effect)
    ended = await _find_ended(effect, lane)
    if ended is not None:
        lane.answered_repeats.add(ended.began.id)
        return await _answer(effect, lane, ended)
    started_before = lane.attempts_started
    try:
        return await call_next(effect)
    finally:
        if lane.attempts_started != started_before:
            lane.expects_repeats = False


async def expect_repeats(effect: e.Consult, lane: Lane, call_next: CallNext) -> Outcome:
    """Expect repetitions again when a conversation is shortened, also of this run's calls."""
    if effect.point == "pre_compact":
        lane.expects_repeats = lane.is_compacted = True
    return await call_next(effect)


def _only_reads(lane: Lane, name: str) -> bool:
    tool = lane.run.resources.tool(name)
    return tool is None or tool.level == "read"


async def _find_ended(effect: e.Act, lane: Lane) -> EndedCall | None:
    """Return the ended call that this one repeats, if there is one.

    A lane of a task looks at the calls of its task only.
    """
    commits = await call_in_pool(partial(_last_commits, lane))
    task = None if lane.is_main else effect.task or 0
    digest = json_digest(effect.call.params)
    for ended in last_ended_calls(commits, task, lambda name: not _only_reads(lane, name)):
        is_same = (ended.tool, ended.began.digest) == (effect.call.name, digest)
        is_unseen = lane.is_compacted or ended.began.token != lane.run.token
        if is_same and is_unseen and ended.began.id not in lane.answered_repeats:
            return ended
    return None


def _last_commits(lane: Lane) -> list[Commit]:
    return lane.core.store.commits_since(max(lane.view.revision - _COMMITS, 0))


async def _answer(effect: e.Act, lane: Lane, ended: EndedCall) -> Acted:
    call, language = effect.call, lane.run.language
    shown = one_line(describe_call(call.name, call.params), _CALL_CHARACTERS)
    lane.emit(Notified(text("repeat_answered", language, call=shown), "repeat"))
    await lane.run.transcript.finish()
    result = await call_in_pool(partial(_read_result, lane, ended))
    if ended.end.outcome == "failed":
        problem = ended.end.note if result is None else result[1]
        return Acted(error=text("repeat_failed", language, problem=problem))
    key = {"": "repeat_done", "person": "repeat_person"}.get(ended.end.settled_by, "repeat_settled")
    if result is None:
        output = text("repeat_unrecorded", language)
    else:
        output = text("repeat_output" if result[0] else "repeat_silent", language, output=result[0])
    return Acted(f"{text(key, language)}\n{output}")


def _read_result(lane: Lane, ended: EndedCall) -> tuple[str, str] | None:
    """Return the output and the error of a call as its transcript has them, if it does."""
    transcript = lane.run.resources.transcript_of(lane.run.plan)
    return recorded_result(transcript.tail(), ended.began.id) if transcript else None
