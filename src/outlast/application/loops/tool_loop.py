"""The tool loop: think and act, one iteration after the other, until there is an end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.context.compaction import last_exchange, size
from outlast.application.context.tool_results import not_run, tool_message
from outlast.application.loops.endings import Ended, failed
from outlast.application.loops.messages import hear, heard
from outlast.application.loops.questions import ASK_USER, ask_user
from outlast.application.loops.steps import (
    UNPROVED,
    begins,
    conclude,
    declare,
    is_late,
    left_out,
    manages,
    note_managed,
    take_up,
)
from outlast.application.loops.stop_check import finished, notify, say, stop
from outlast.domain.commands import CountIteration
from outlast.errors import OutOfBudget
from outlast.ports import effects as e
from outlast.ports.model import Message
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.application.loops.session import Session
    from outlast.ports.model import Call


def tool_loop(session: Session, plan: e.PlanView) -> e.Loop[Ended]:
    """Work until the plan is finished, the model answers, or something stops it."""
    while True:
        plan = yield from hear(session, plan)
        if session.planned(plan):
            yield from _rest(session, plan)
            plan = yield from take_up(plan)
        if session.spent >= session.options.max_iterations:
            raise _limit(session, plan)
        plan = yield from _compacted(session, plan)
        plan = yield from _iterate(session, plan)


def _rest(session: Session, plan: e.PlanView) -> e.Loop[None]:
    """End where a plan rests or has ended; one just completed may first be summed up."""
    if plan.status == "paused":
        raise Ended("paused", text("loop_paused", session.language))
    just_done = plan.status == "completed" and session.spent
    if plan.ended and not (just_done and session.spent < session.options.max_iterations):
        yield from stop(session, plan, "")
        raise finished(plan, session.language)


def _limit(session: Session, plan: e.PlanView) -> Ended:
    if session.planned(plan):
        words = text("loop_limit", session.language, done=plan.done, total=plan.total)
        return Ended("limit", words)
    return Ended("limit", text("loop_limit_unplanned", session.language, count=session.spent))


def _iterate(session: Session, plan: e.PlanView) -> e.Loop[e.PlanView]:
    """Ask the model once and do what it wants."""
    closing = session.planned(plan) and plan.ended
    plan = yield from _counted(session, plan)
    tools = () if closing else session.offered(plan)
    messages, planning = session.request(plan, tools)
    thought = yield from e.think(messages, tools, session.task(plan), planning)
    if closing:
        return (yield from _summed_up(session, thought))
    arrival = plan = thought.plan
    if thought.failed:
        raise failed(thought, session.language)
    plan = yield from heard(session, plan)
    session.messages.append(Message("assistant", thought.text, thought.calls))
    if thought.calls:
        plan = yield from _founded(session, plan, thought.calls)
    if session.planned(plan):
        plan = yield from declare(session, plan, thought.text)
    plan, refused = yield from _acted(session, plan, thought.calls)
    yield from _unread(session, thought)
    if session.planned(plan):
        session.inject(left_out(thought.text, session.language))
    if session.planned(plan) and plan.status in ("idle", "running"):
        plan = yield from conclude(session, arrival, plan, thought.text, refused=refused)
    if thought.calls or thought.unread:
        return plan
    if session.is_spoken_to(plan):
        yield from say(thought.text)
        return plan
    return (yield from stop(session, plan, thought.text))


def _counted(session: Session, plan: e.PlanView) -> e.Loop[e.PlanView]:
    """Count an iteration; a plan that has ended is not charged with what comes after it."""
    session.spent += 1
    if plan.kept and session.fresh:
        return plan
    return (yield from e.record(CountIteration(session.task(plan)))).plan


def _summed_up(session: Session, thought: e.Thought) -> e.Loop[e.PlanView]:
    """Let the model say what came of a plan that is finished, if it can; then end.

    Somebody may have spoken meanwhile, or found more to be done: then it is not the end.
    """
    plan, more = thought.plan, session.planned(thought.plan) and not thought.plan.ended
    if thought.failed and more:
        raise failed(thought, session.language)
    if not thought.failed:
        plan = yield from heard(session, plan)
        session.messages.append(Message("assistant", thought.text))
        if more or session.is_spoken_to(plan):
            yield from say(thought.text)
            return plan
    yield from stop(session, plan, "" if thought.failed else thought.text)
    raise finished(plan, session.language)


def _founded(session: Session, plan: e.PlanView, calls: tuple[Call, ...]) -> e.Loop[e.PlanView]:
    """Begin a plan at the first reply of a new task that wants something done, or a plan."""
    if session.founded or not session.options.enable_planning:
        return plan
    if session.founding_is_off and not any(map(begins, calls)):
        return plan
    session.founded = True
    begun = yield from e.found(session.goal)
    if begun.failed or not begun.plan.kept:
        return begun.plan
    session.fresh = False
    missing = session.spent - begun.plan.iteration_count
    return (yield from e.record(*(CountIteration() for _ in range(missing)))).plan


def _acted(
    session: Session, plan: e.PlanView, calls: tuple[Call, ...]
) -> e.Loop[tuple[e.PlanView, bool]]:
    """Carry calls out, one after the other, as long as the plan is worked on.

    Return also whether checks have refused a completion that was called for.
    """
    injected, refused = list[str](), False
    for call in calls:
        if session.planned(plan) and is_late(call, plan):
            session.messages.append(not_run(call, session.language))
            continue
        acted = yield from _act(session, plan, call)
        plan = acted.plan
        if acted.code == OutOfBudget.code:
            raise failed(acted, session.language)
        said = tool_message(call, acted.output, acted.failed, session.language)
        session.messages.append(said)
        injected += acted.inject
        own = session.is_plan_tool(call.name)
        unproved = own and acted.code in UNPROVED
        refused = refused or unproved
        if own and manages(call) and (unproved or not acted.failed):
            plan = yield from note_managed(plan)
    session.inject(dict.fromkeys(injected))  # what is the same for several calls is told once
    return plan, refused


def _unread(session: Session, thought: e.Thought) -> e.Loop[None]:
    """Have the model call again what it called with arguments that nobody can read."""
    if thought.unread:
        said = text("call_unread", session.language)
        session.inject((said,))
        yield from notify(said, "unread")


def _act(session: Session, plan: e.PlanView, call: Call) -> e.Loop[e.Acted]:
    """Run a tool that was offered; what was not is answered without a trace in the plan."""
    names = [tool.name for tool in session.offered(plan)]
    if call.name not in names:
        seen = yield from e.record()
        missing = text("tool_not_offered", session.language, takes=names)
        return e.Acted(seen.now, seen.plan, failed=missing)
    if call.name == ASK_USER and session.is_plan_tool(ASK_USER):
        return (yield from ask_user(session, call, plan))
    return (yield from e.act(call, session.task(plan)))


def _compacted(session: Session, plan: e.PlanView) -> e.Loop[e.PlanView]:
    """Begin the conversation anew once it has grown too long; the last exchange stays."""
    longest = session.options.context_characters
    if size(session.messages) <= longest:
        return plan
    advised = yield from e.consult("pre_compact")
    yield from notify(advised.notification)
    kept = last_exchange(session.messages, longest // 2, session.language)
    session.begin_anew(advised.plan, kept)
    session.inject(advised.inject)
    return advised.plan
