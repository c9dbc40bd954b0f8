"""The conversation loop: find out what a message means (M8) and act on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.agent import effects as e
from outlast.agent.agent_spec import ToolLoop
from outlast.agent.context import prompts
from outlast.agent.loops import questions
from outlast.agent.loops.endings import LoopEnd, cancel_plan, failure_end, finished_end, run_to_end
from outlast.agent.loops.messages import find_undone_task, reopen_task
from outlast.agent.loops.notices import answer_slash_command, emit_message, emit_notice
from outlast.agent.loops.session import History, Session, message_of
from outlast.agent.loops.tool_loop import compact_conversation, tool_loop
from outlast.context.escape import escape, one_line
from outlast.context.summary import progress_summary
from outlast.language import Language, text, visible, with_details
from outlast.model.commands import AskQuestion, Interject, Pause, Resume
from outlast.model.intents import Intent, classify_message, is_goal, is_same_goal, parse_done_answer
from outlast.plan.tools.call_record import describe_recorded_call

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.agent.events import Stopped
    from outlast.context.chat_model import Message, ToolSpec
    from outlast.context.plan_view import PlanView
    from outlast.context.tool import SettledAttempt, Settlement
    from outlast.model.model import Attempt, Question

_DEFAULT = ToolLoop()
_GOAL_CHARACTERS: Final = 200
_CALL_CHARACTERS: Final = 300
_WORDINGS: Final = {  # by why the last run ended
    "interrupted": "settle_killed",
    "cancelled": "settle_stopped",
}


def converse(  # noqa: PLR0913 - one keyword per option
    message: str,
    *,
    tools: tuple[ToolSpec, ...],
    plan_tools: tuple[ToolSpec, ...] = (),
    options: ToolLoop = _DEFAULT,
    language: Language = "en",
    history: History | None = None,
    interrupted: bool = False,
    resume: bool = False,
) -> e.Loop[Stopped]:
    """Do what a message asks for, on the plan of the run, which may have ended.

    `tools` act on the world, `plan_tools` on the plan; the latter are offered only while there is a
    stored plan, or one can be created. The conversation goes on from `history`, which is updated
    at the end. `interrupted` tells that the last runner of the plan died. With `resume` a paused
    plan is resumed, whatever the message says.
    """
    session = Session(tools, plan_tools, options, language, history)
    valid = message.encode(errors="replace").decode()  # lone surrogates cannot be stored
    loop = _handle_message(session, valid, interrupted=interrupted, resume=resume)
    return run_to_end(loop, session)


def _handle_message(
    session: Session, message: str, *, interrupted: bool, resume: bool
) -> e.Loop[LoopEnd]:
    plan = (yield from e.record()).plan
    session.message = message
    session.last_end = "interrupted" if interrupted else plan.pause_reason
    same_goal = not plan.is_scratch and is_same_goal(session.goal, plan.goal)
    may_be_unsettled = interrupted or (plan.status == "completed" and plan.attempts)
    if same_goal and plan.has_ended and may_be_unsettled:
        plan, _ = yield from _settle_attempts(session, plan)
        raise finished_end(plan, session.language)
    if interrupted and not plan.is_scratch and plan.status in ("idle", "running"):
        plan = (yield from e.record(Pause("interrupted"))).plan
    intent = _interpret(plan, message, resume=resume)
    if same_goal and not plan.has_ended:
        intent = Intent("continue", message)
    resumed = plan.status == "paused" or intent.kind == "not_done"
    plan = yield from _handle_intent(session, plan, intent)
    return (yield from _work(session, plan, resumed=resumed))


def _interpret(plan: PlanView, message: str, *, resume: bool) -> Intent:
    """Return the intent of a message; with `resume`, what is said to a paused plan resumes it."""
    is_unfinished = not plan.is_scratch and not plan.has_ended
    has_question = is_unfinished and bool(questions.open_questions(plan))
    intent = classify_message(message, paused=is_unfinished, question=has_question)
    if resume and intent.kind == "message" and is_unfinished:
        return replace(intent, kind="continue")
    return intent


def _handle_intent(session: Session, plan: PlanView, intent: Intent) -> e.Loop[PlanView]:
    """Do what a message asks of the plan, and return the plan if there is work to do then."""
    is_undone = intent.kind == "not_done" and not plan.is_scratch
    undone = (yield from find_undone_task(plan, intent.text)) if is_undone else None
    match intent.kind:
        case "slash" if intent.command != "cancel":
            limit = session.iteration_limit(plan)
            reply = answer_slash_command(intent.command, plan, limit, session.language)
            raise LoopEnd("answered", reply)
        case "slash" | "cancel":
            end = yield from cancel_plan(plan, session.language)
            yield from emit_notice(end.text if end.why == "answered" else "", "command")
            raise end
        case "answer":
            return (yield from questions.answer_oldest(session, session.message, plan))
        case "continue":
            plan = yield from _record_words(session, plan, intent.words)
            return (yield from _resume(session, plan))
        case "not_done" if undone is not None:
            words = intent.words
            if plan.status == "paused":  # the model that resumes it has not read the message
                message = intent.words or session.message
                words = text("not_done_said", session.language, message=message, id=undone)
            plan = yield from _record_words(session, plan, words)
            return (yield from _reopen(session, plan, undone))
        case _ if not plan.is_scratch and not plan.has_ended:
            return (yield from _handle_statement(session, plan))
        case _ if not is_goal(intent.text):
            yield from _check_begun(session, plan)
    return plan


def _handle_statement(session: Session, plan: PlanView) -> e.Loop[PlanView]:
    """Record an ordinary message to an unfinished plan; beside a paused one it is only answered."""
    answered = yield from questions.answer_proposal(plan, session.message)
    if answered is None:
        plan = yield from _record_words(session, plan, session.message)
        if plan.status == "paused":
            raise (yield from _answer_aside(session, plan))
        return plan
    plan = answered.plan
    if plan.status == "paused":
        goal = text("goal_now", session.language, goal=one_line(plan.goal, _GOAL_CHARACTERS))
        notice = f"{goal}\n{pause_notice(plan, session.language)}"
        yield from emit_notice(notice, "command")
        raise LoopEnd("answered", notice)
    return plan


def _check_begun(session: Session, plan: PlanView) -> e.Loop[None]:
    """End the loop at a phrase that is no goal, where there is nothing that it could be about."""
    reason, language = "", session.language
    if plan.has_ended:
        goal = one_line(plan.goal, _GOAL_CHARACTERS).rstrip(".。")
        reason = text("nothing_to_resume", language, goal=goal, done=plan.done, total=plan.total)
    elif not session.history.messages:
        reason = text("nothing_begun", language)
    if reason:
        yield from emit_notice(reason, "command")
        raise LoopEnd("answered", reason)


def _record_words(session: Session, plan: PlanView, words: str) -> e.Loop[PlanView]:
    """Record what a person says to a plan beyond a command; it stays until the plan ends."""
    if not words:
        return plan
    session.words, speaker = message_of(words), session.options.speaker
    recorded = yield from e.record(Interject(session.words, speaker, heard=True), author=speaker)
    yield from emit_notice(recorded.outcome.error, "unrecorded")
    return recorded.plan


def _resume(session: Session, plan: PlanView) -> e.Loop[PlanView]:
    plan = yield from questions.resolve_questions(session, plan)
    plan = yield from questions.ask_proposals(session, plan)
    if plan.status != "paused":
        return plan
    return (yield from e.record(Resume())).plan


def _reopen(session: Session, plan: PlanView, task: int) -> e.Loop[PlanView]:
    """Reopen a task. A paused plan stays paused until a person resumes it."""
    reply = yield from reopen_task(plan, task)
    plan, language = reply.plan, session.language
    if plan.status == "paused":
        notice = reply.outcome.error or text("loop_reopened", language, id=task)
        raise LoopEnd("paused", f"{notice}\n{pause_notice(plan, language)}")
    return plan


def _answer_aside(session: Session, plan: PlanView) -> e.Loop[LoopEnd]:
    """Answer a message beside a paused plan, leave the plan as it is, and tell how to resume it."""
    notice = pause_notice(plan, session.language)
    yield from emit_notice(notice, "paused")
    session.start(plan)
    is_known = session.continues(plan) and session.goal_shown == plan.goal
    brief = "" if is_known else (yield from _read_brief(session, plan))
    session.open(*((prompts.brief_message(brief, session.language),) if brief else ()))
    plan = yield from compact_conversation(session, plan, session.message, aside=True)
    session.add_user_message(session.message)
    messages = prompts.aside_messages(session.messages[1:], plan, session.language)
    reply = yield from e.Think(messages, (), planning_characters=len(messages[-2].text))
    thought = reply.outcome
    if thought.error:
        end = failure_end(thought, reply.plan, session.language)
        return end if end.why == "budget" else LoopEnd(end.why, f"{end.text}\n\n{notice}")
    session.add_reply(thought)
    answer = f"{thought.text}\n\n{notice}".strip()
    yield from emit_message(answer)
    return LoopEnd("answered", answer)


def pause_notice(plan: PlanView, language: Language = "en") -> str:
    """Return the progress of a paused plan and how to resume it."""
    return text("loop_limit", language, done=plan.done, total=plan.total)


def _work(session: Session, plan: PlanView, *, resumed: bool) -> e.Loop[LoopEnd]:
    """Settle open attempts, open the conversation, call the hooks, and run the tool loop."""
    plan, settled = yield from _settle_attempts(session, plan)
    session.start(plan)
    yield from _open_conversation(session, plan, settled, resumed=resumed)
    if session.options.enable_planning:
        for point in ("session_start", "user_prompt"):
            reply = yield from e.Consult(point, session.message if point == "user_prompt" else "")
            plan, advised = reply.plan, reply.outcome
            yield from emit_notice(advised.notification)
            session.inject(advised.inject)
            if not advised.should_continue:
                raise LoopEnd("answered", advised.notification)
    return (yield from tool_loop(session, plan))


def _open_conversation(
    session: Session, plan: PlanView, settled: list[SettledAttempt], *, resumed: bool
) -> e.Loop[None]:
    """Go on with the conversation so far; on a plan that it does not know, start from the brief."""
    language, message, history = session.language, session.message, ""
    exchange: tuple[Message, ...] = ()
    if session.continues(plan) and not settled:
        session.is_informed = not resumed
        if resumed and session.is_on_plan(plan):
            history = progress_summary(plan, session.iteration_limit(plan), language, escape)
    elif session.is_on_plan(plan):
        history = yield from _read_brief(session, plan, settled)
        exchange, message = (yield from _earlier_exchange(session)), session.instruction(plan)
    opening = (
        prompts.resume_message(history, message, language)
        if history
        else prompts.user_message(message)
    )
    session.open(*exchange, opening)


def _read_brief(
    session: Session, plan: PlanView, settled: Iterable[SettledAttempt] = ()
) -> e.Loop[str]:
    """Return the brief of the plan; empty if the plan was lost on the way."""
    limit, session.goal_shown = session.iteration_limit(plan), plan.goal
    reply = yield from e.ReadBrief(limit, tuple(settled), session.words)
    return "" if reply.plan.is_scratch else reply.outcome.text


def _earlier_exchange(session: Session) -> e.Loop[tuple[Message, ...]]:
    """Return the last exchange of an earlier process, with a note before it."""
    if session.history.messages:
        return ()
    messages = (yield from e.ReadExchange()).outcome.messages
    return (prompts.exchange_note(session.language), *messages) if messages else ()


# Attempts that a crash left open


def _settle_attempts(
    session: Session, plan: PlanView
) -> e.Loop[tuple[PlanView, list[SettledAttempt]]]:
    """Settle every open attempt; ask a person where no tool can tell and its task is open.

    Without an answer the run ends, except on a plan that has ended: there an open attempt blocks
    nothing.
    """
    settled: list[SettledAttempt] = []
    for attempt in plan.attempts:
        reply = yield from e.Settle(attempt)
        plan, settlement = reply.plan, reply.outcome.settlement
        if settlement == "unknown" and reply.outcome.needed:
            plan, settlement = yield from _ask_about(session, attempt, plan)
        settled.append((attempt, settlement))
    return plan, settled


def _ask_about(
    session: Session, attempt: Attempt, plan: PlanView
) -> e.Loop[tuple[PlanView, Settlement]]:
    """Ask a person how an attempt ended."""
    wording = _settle_question(session, attempt)
    task = next((task.id for task in plan.tasks if task.id == attempt.task), None)
    if not _questions_about(attempt, plan):
        plan = (yield from e.record(AskQuestion(wording, "settle", attempt.id, task))).plan
    for question in _questions_about(attempt, plan):
        wording = question.text
        plan, answer = yield from questions.ask_person(session, question)
        if answer is not None:
            return plan, "done" if parse_done_answer(answer) == "done" else "not_done"
    if plan.has_ended:
        return plan, "unknown"
    raise LoopEnd("unsettled", wording)


def _settle_question(session: Session, attempt: Attempt) -> str:
    """Return the question about an attempt: which call of which task, and why its run ended."""
    language, what = session.language, visible(describe_recorded_call(attempt.what))
    if len(what) > _CALL_CHARACTERS:
        what = f"{what[: _CALL_CHARACTERS - 1]}…"
    task = text("undo_task", language, what=attempt.task) if attempt.task else ""
    call = with_details(f"`{what}`", task, language)
    return text(_WORDINGS.get(session.last_end, "settle_open"), language, call=call)


def _questions_about(attempt: Attempt, plan: PlanView) -> list[Question]:
    asked = (question for question in plan.questions if question.kind == "settle")
    return [question for question in asked if question.about == attempt.id][:1]
