"""The tool loop: think and act, iteration by iteration, until the run ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from outlast.agent import effects as e
from outlast.agent.context.conversation import last_exchange, not_run_message, tool_message
from outlast.agent.context.prompts import brief_message, resume_message
from outlast.agent.loops import endings, questions, steps
from outlast.agent.loops.messages import acknowledge_news, read_news
from outlast.agent.loops.notices import emit_message, emit_notice
from outlast.agent.loops.stop import handle_stop
from outlast.errors import OutOfBudget
from outlast.language import text
from outlast.model.commands import Command, CountIteration, NoteLoop
from outlast.model.markers import declared_tasks
from outlast.plan.tools.compact import PROPOSE_GOAL
from outlast.plan.tools.tool_sets import is_plan_change

if TYPE_CHECKING:
    from outlast.agent.loops.session import Session
    from outlast.context.chat_model import Call
    from outlast.context.plan_view import PlanView


def tool_loop(session: Session, plan: PlanView) -> e.Loop[endings.LoopEnd]:
    """Iterate until the plan is finished, the model answers, or a limit is reached."""
    while True:
        plan = yield from read_news(session, plan)
        if session.is_on_plan(plan):
            yield from _end_if_inactive(session, plan)
            plan = yield from steps.start_next(session, plan)
            steps.tell_assumed_end(session, plan)
            _end_if_nothing_to_do(session, plan)
        if session.iterations >= session.options.max_iterations:
            raise _limit_end(session, plan)
        plan = yield from compact_conversation(session, plan)
        plan = yield from _iterate(session, plan)


def _end_if_inactive(session: Session, plan: PlanView) -> e.Loop[None]:
    """End on a paused or ended plan; one that ended in this run gets an iteration for a last word.

    An aborted one does not: a person has stopped it.
    """
    if plan.status == "paused":
        raise endings.paused_end(plan, session.language)
    just_done = session.iterations and not endings.is_aborted(plan)
    if plan.has_ended and not (just_done and session.iterations < session.options.max_iterations):
        yield from handle_stop(session, plan, "")
        raise endings.finished_end(plan, session.language)


def _end_if_nothing_to_do(session: Session, plan: PlanView) -> None:
    """End a run that can start nothing, unless a person has said something to the model."""
    end = endings.others_end(plan, session.language)
    if end is not None and not session.has_message:
        raise end


def _limit_end(session: Session, plan: PlanView) -> endings.LoopEnd:
    if session.is_on_plan(plan):
        reason = text("loop_limit", session.language, done=plan.done, total=plan.total)
        return endings.LoopEnd("limit", reason)
    return endings.LoopEnd(
        "limit", text("loop_limit_unplanned", session.language, count=session.iterations)
    )


def _iterate(session: Session, plan: PlanView) -> e.Loop[PlanView]:
    """Ask the model once and run its calls."""
    is_closing = session.is_on_plan(plan) and plan.has_ended
    count = _count_command(session, plan)
    tools = () if is_closing else session.offered_tools(plan)
    messages, planning = session.request(plan, tools)
    task = session.current_task(plan)
    reply = yield from e.Think(
        messages, tools, planning_characters=planning, task=task, commands=count, keeps_words=True
    )
    if is_closing:
        return (yield from _close_plan(session, reply))
    thought, arrival = reply.outcome, reply.plan
    plan = arrival
    if thought.error:
        raise endings.failure_end(thought, plan, session.language)
    plan = yield from acknowledge_news(session, plan)
    session.add_reply(thought)
    is_tool_reply = bool(thought.calls or thought.invalid_calls)
    declared = declared_tasks(thought.text)
    if thought.calls or declared:
        plan = yield from _create_plan(session, plan, thought.calls, can_begin=is_tool_reply)
    open_before = plan.total - plan.done
    if session.is_on_plan(plan):
        plan = yield from steps.add_declared_tasks(session, plan, declared)
    has_added = plan.total - plan.done > open_before
    plan, reported = yield from _run_calls(session, plan, thought.calls)
    yield from _report_invalid_calls(session, thought)
    if session.is_on_plan(plan):
        session.inject(steps.dropped_tasks_note(declared, session.language))
    if session.is_on_plan(plan) and plan.status in ("idle", "running"):
        plan = yield from steps.advance_task(
            session, arrival, plan, thought.text, reported=reported
        )
    if is_tool_reply:
        return plan
    return (yield from _handle_close(session, plan, thought.text, has_added=has_added))


def _handle_close(
    session: Session, plan: PlanView, reply: str, *, has_added: bool
) -> e.Loop[PlanView]:
    """Handle a reply without calls: go on with what it proposes or adds, or end the run."""
    if not session.may_start:
        return (yield from questions.ask_to_begin(session, plan, reply))
    if has_added:
        return plan
    if session.unread_messages(plan):
        yield from emit_message(reply)
        return plan
    return (yield from handle_stop(session, plan, reply))


def _count_command(session: Session, plan: PlanView) -> tuple[Command, ...]:
    """Count an iteration; return the command for the plan, unless the plan has ended.

    The first one of a run resets the count of refused stops. What people change after the first
    one of the plan is told to the model.
    """
    session.iterations += 1
    if not plan.is_scratch and session.is_new_goal:
        return ()
    stops = 0 if session.iterations == 1 and plan.stop_count else None
    seen = session.seen_revision if session.is_on_plan(plan) and not plan.seen_revision else None
    noted = () if stops is None and seen is None else (NoteLoop(stops=stops, seen=seen),)
    return (CountIteration(session.current_task(plan)), *noted)


def _close_plan(session: Session, reply: e.Reply[e.Thought]) -> e.Loop[PlanView]:
    """Let the model sum up a plan that has ended, then end.

    A new message or a new task meanwhile keeps the run going, and so do steps that it declares.
    """
    plan, thought = reply.plan, reply.outcome
    if not thought.error and session.is_on_plan(plan):
        plan = yield from steps.add_declared_tasks(session, plan, declared_tasks(thought.text))
    has_more = session.is_on_plan(plan) and not plan.has_ended
    if thought.error and has_more:
        raise endings.failure_end(thought, plan, session.language)
    if not thought.error:
        plan = yield from acknowledge_news(session, plan)
        session.add_reply(replace(thought, calls=()))
        if has_more or session.unread_messages(plan):
            yield from emit_message(thought.text)
            return plan
    yield from handle_stop(session, plan, "" if thought.error else thought.text)
    raise endings.finished_end(plan, session.language)


def _create_plan(
    session: Session, plan: PlanView, calls: tuple[Call, ...], *, can_begin: bool
) -> e.Loop[PlanView]:
    """Create a plan at the first reply to a new goal that calls a tool or declares steps.

    Without `can_begin`, a person is asked before its first step starts, if one can be asked. If
    plans are created on request only, a call has to request it.
    """
    if session.creation_tried or not session.options.enable_planning:
        return plan
    if session.is_creation_on_request and not any(map(steps.is_plan_request, calls)):
        return plan
    session.creation_tried = True
    created = yield from e.CreatePlan(session.goal)
    if created.outcome.error or created.plan.is_scratch:
        return created.plan
    session.adopt_plan(created.plan)
    is_asked_later = not session.options.can_ask or created.plan.needs_approval
    session.may_start = can_begin or is_asked_later
    uncounted = session.iterations - created.plan.iteration_count
    return (yield from e.record(*(CountIteration() for _ in range(uncounted)))).plan


def _run_calls(
    session: Session, plan: PlanView, calls: tuple[Call, ...]
) -> e.Loop[tuple[PlanView, bool]]:
    """Run calls one after the other while the plan is active.

    Return also whether one of them completed a task, or was refused that by its checks.
    """
    injected, reported = list[str](), False
    session.may_start = session.may_start or bool(calls)
    for call in calls:
        if session.is_on_plan(plan) and steps.is_late(call, plan):
            session.messages.append(not_run_message(call, session.language))
            continue
        before = plan.done
        plan, acted = yield from _run_call(session, plan, call)
        if acted.code == OutOfBudget.code:
            raise endings.failure_end(acted, plan, session.language)
        message = tool_message(call, acted.output, acted.error, session.language)
        session.messages.append(message)
        injected += acted.inject
        session.note_refusal(call, is_refused=acted.code == e.HOOK_REFUSED)
        is_plan_tool = session.is_plan_tool(call.name)
        is_unproved = is_plan_tool and acted.code in steps.UNPROVED
        reported = reported or is_unproved or (is_plan_tool and plan.done > before)
        if is_plan_tool and is_plan_change(call) and (is_unproved or not acted.error):
            plan = yield from steps.mark_model_managed(plan)
    session.inject(dict.fromkeys(injected))  # equal texts of several calls only once
    return plan, reported


def _report_invalid_calls(session: Session, thought: e.Thought) -> e.Loop[None]:
    """Ask the model to repeat calls whose arguments could not be parsed."""
    if thought.invalid_calls:
        notice = text("call_unread", session.language)
        session.inject((notice,))
        yield from emit_notice(notice, "unread")


def _run_call(session: Session, plan: PlanView, call: Call) -> e.Loop[tuple[PlanView, e.Acted]]:
    """Run an available tool; answer any other call without recording it."""
    available = [tool.name for tool in session.available_tools(plan)]
    if call.name not in available:
        return plan, session.refuse_unknown_tool(call.name, available)
    if not session.is_plan_tool(call.name):
        task = session.current_task(plan)
        reply = yield from e.Act(call, session.is_informed, task=task)
    elif call.name == questions.ASK_USER:
        return (yield from questions.ask_user(session, call, plan))
    elif call.name == PROPOSE_GOAL:
        return (yield from questions.propose_goal(session, call, plan))
    else:
        reply = yield from e.PlanTool(call, session.current_task(plan))
    return reply.plan, reply.outcome


def compact_conversation(
    session: Session, plan: PlanView, message: str = "", *, aside: bool = False
) -> e.Loop[PlanView]:
    """Compact a conversation that has grown too long; keep the last exchange.

    `message` is what will be appended to it. With `aside` it stands beside a paused plan.
    """
    limit, language = session.options.context_characters, session.language
    if session.measure() + len(message) <= limit:
        return plan
    reply = yield from e.Consult("pre_compact")
    plan, advised = reply.plan, reply.outcome
    yield from emit_notice(advised.notification)
    exchange = last_exchange(session.messages, limit // 2, language)
    brief = None
    if session.is_on_plan(plan):
        shown = session.words if aside else ""  # the message itself follows
        read = yield from e.ReadBrief(session.iteration_limit(plan), without=shown)
        known, go_on = read.outcome.text, text("continue_word", language)
        brief = brief_message(known, language) if aside else resume_message(known, go_on, language)
    session.compact(brief, exchange)
    session.inject(advised.inject)
    return plan
