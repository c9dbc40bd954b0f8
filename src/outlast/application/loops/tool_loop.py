"""The tool loop: think and act, iteration by iteration, until the run ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.context.compaction import last_exchange
from outlast.application.context.tool_results import not_run_message, tool_message
from outlast.application.loops.endings import LoopEnd, failure_end, finished_end
from outlast.application.loops.messages import acknowledge_messages, read_messages
from outlast.application.loops.notices import emit_message, emit_notice
from outlast.application.loops.questions import ASK_USER, ask_user
from outlast.application.loops.steps import (
    UNPROVED,
    add_declared_tasks,
    advance_task,
    dropped_tasks_note,
    is_late,
    is_plan_request,
    mark_model_managed,
    start_next,
)
from outlast.application.loops.stop import handle_stop
from outlast.application.tools.tool_sets import is_plan_change
from outlast.domain.commands import CountIteration
from outlast.errors import OutOfBudget
from outlast.ports import effects as e
from outlast.ports.model import Message
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.application.loops.session import Session
    from outlast.ports.model import Call


def tool_loop(session: Session, plan: e.PlanView) -> e.Loop[LoopEnd]:
    """Iterate until the plan is finished, the model answers, or a limit is reached."""
    while True:
        plan = yield from read_messages(session, plan)
        if session.is_on_plan(plan):
            yield from _end_if_inactive(session, plan)
            plan = yield from start_next(plan)
        if session.iterations >= session.options.max_iterations:
            raise _limit_end(session, plan)
        plan = yield from _compact(session, plan)
        plan = yield from _iterate(session, plan)


def _end_if_inactive(session: Session, plan: e.PlanView) -> e.Loop[None]:
    """End on a paused or ended plan; one just completed gets an iteration for a summary."""
    if plan.status == "paused":
        raise LoopEnd("paused", text("loop_paused", session.language))
    just_done = plan.status == "completed" and session.iterations
    if plan.has_ended and not (just_done and session.iterations < session.options.max_iterations):
        yield from handle_stop(session, plan, "")
        raise finished_end(plan, session.language)


def _limit_end(session: Session, plan: e.PlanView) -> LoopEnd:
    if session.is_on_plan(plan):
        reason = text("loop_limit", session.language, done=plan.done, total=plan.total)
        return LoopEnd("limit", reason)
    return LoopEnd(
        "limit", text("loop_limit_unplanned", session.language, count=session.iterations)
    )


def _iterate(session: Session, plan: e.PlanView) -> e.Loop[e.PlanView]:
    """Ask the model once and run its calls."""
    is_closing = session.is_on_plan(plan) and plan.has_ended
    count = _count_command(session, plan)
    tools = () if is_closing else session.available_tools(plan)
    messages, planning = session.request(plan, tools)
    reply = yield from e.think(messages, tools, session.current_task(plan), planning, count)
    if is_closing:
        return (yield from _close_plan(session, reply))
    thought, arrival = reply.outcome, reply.plan
    plan = arrival
    if thought.error:
        raise failure_end(thought, session.language)
    plan = yield from acknowledge_messages(session, plan)
    session.messages.append(Message("assistant", thought.text, thought.calls))
    if not thought.calls:
        session.answer = thought.text
    if thought.calls:
        plan = yield from _create_plan(session, plan, thought.calls)
    if session.is_on_plan(plan):
        plan = yield from add_declared_tasks(session, plan, thought.text)
    plan, refused = yield from _run_calls(session, plan, thought.calls)
    yield from _report_invalid_calls(session, thought)
    if session.is_on_plan(plan):
        session.inject(dropped_tasks_note(thought.text, session.language))
    if session.is_on_plan(plan) and plan.status in ("idle", "running"):
        plan = yield from advance_task(session, arrival, plan, thought.text, refused=refused)
    if thought.calls or thought.invalid_calls:
        return plan
    if session.unread_messages(plan):
        yield from emit_message(thought.text)
        return plan
    return (yield from handle_stop(session, plan, thought.text))


def _count_command(session: Session, plan: e.PlanView) -> tuple[CountIteration, ...]:
    """Count an iteration; return the command for the plan, unless the plan has ended."""
    session.iterations += 1
    if not plan.is_scratch and session.is_new_goal:
        return ()
    return (CountIteration(session.current_task(plan)),)


def _close_plan(session: Session, reply: e.Reply[e.Thought]) -> e.Loop[e.PlanView]:
    """Let the model sum up a finished plan, then end.

    A new message or a new task meanwhile keeps the run going.
    """
    plan, thought = reply.plan, reply.outcome
    has_more = session.is_on_plan(plan) and not plan.has_ended
    if thought.error and has_more:
        raise failure_end(thought, session.language)
    if not thought.error:
        plan = yield from acknowledge_messages(session, plan)
        session.messages.append(Message("assistant", thought.text))
        session.answer = thought.text or session.answer
        if has_more or session.unread_messages(plan):
            yield from emit_message(thought.text)
            return plan
    yield from handle_stop(session, plan, "" if thought.error else thought.text)
    raise finished_end(plan, session.language)


def _create_plan(session: Session, plan: e.PlanView, calls: tuple[Call, ...]) -> e.Loop[e.PlanView]:
    """Create a plan at the first reply to a new goal that calls a tool or requests a plan."""
    if session.creation_tried or not session.options.enable_planning:
        return plan
    if session.is_creation_on_request and not any(map(is_plan_request, calls)):
        return plan
    session.creation_tried = True
    created = yield from e.create_plan(session.goal)
    if created.outcome.error or created.plan.is_scratch:
        return created.plan
    session.is_new_goal = False
    uncounted = session.iterations - created.plan.iteration_count
    return (yield from e.record(*(CountIteration() for _ in range(uncounted)))).plan


def _run_calls(
    session: Session, plan: e.PlanView, calls: tuple[Call, ...]
) -> e.Loop[tuple[e.PlanView, bool]]:
    """Run calls one after the other while the plan is active.

    Return also whether checks refused a completion.
    """
    injected, refused = list[str](), False
    for call in calls:
        if session.is_on_plan(plan) and is_late(call, plan):
            session.messages.append(not_run_message(call, session.language))
            continue
        plan, acted = yield from _run_call(session, plan, call)
        if acted.code == OutOfBudget.code:
            raise failure_end(acted, session.language)
        message = tool_message(call, acted.output, acted.error, session.language)
        session.messages.append(message)
        injected += acted.inject
        is_plan_tool = session.is_plan_tool(call.name)
        is_unproved = is_plan_tool and acted.code in UNPROVED
        refused = refused or is_unproved
        if is_plan_tool and is_plan_change(call) and (is_unproved or not acted.error):
            plan = yield from mark_model_managed(plan)
    session.inject(dict.fromkeys(injected))  # equal texts of several calls only once
    return plan, refused


def _report_invalid_calls(session: Session, thought: e.Thought) -> e.Loop[None]:
    """Ask the model to repeat calls whose arguments could not be parsed."""
    if thought.invalid_calls:
        notice = text("call_unread", session.language)
        session.inject((notice,))
        yield from emit_notice(notice, "unread")


def _run_call(session: Session, plan: e.PlanView, call: Call) -> e.Loop[tuple[e.PlanView, e.Acted]]:
    """Run an available tool; answer any other call without recording it."""
    available = [tool.name for tool in session.available_tools(plan)]
    if call.name not in available:
        return plan, e.Acted(error=text("tool_not_offered", session.language, takes=available))
    if not session.is_plan_tool(call.name):
        reply = yield from e.act(call, session.current_task(plan))
    elif call.name == ASK_USER:
        return (yield from ask_user(session, call, plan))
    else:
        reply = yield from e.plan_tool(call, session.current_task(plan))
    return reply.plan, reply.outcome


def _compact(session: Session, plan: e.PlanView) -> e.Loop[e.PlanView]:
    """Compact a conversation that has grown too long; keep the last exchange."""
    limit = session.options.context_characters
    if session.measure() <= limit:
        return plan
    reply = yield from e.consult("pre_compact")
    plan, advised = reply.plan, reply.outcome
    yield from emit_notice(advised.notification)
    exchange = last_exchange(session.messages, limit // 2, session.language)
    session.restart(plan, exchange)
    session.inject(advised.inject)
    return plan
