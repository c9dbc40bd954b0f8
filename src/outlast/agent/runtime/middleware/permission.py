"""Ask a person before a tool leaves the workspace or may destroy data.

Question and answer are recorded in the plan, so that its log shows who allowed what. This
middleware is outside of attempts: asking is not an attempt, and waiting for the person does not
count against the tool's timeout.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec import convert, to_builtins

from outlast.agent.effects import Acted, Outcome
from outlast.agent.events import Asked, Notified
from outlast.agent.runtime.middleware.traces import record_refusal
from outlast.agent.runtime.questions import ask_person
from outlast.context.tool import PermissionRequest
from outlast.errors import NotPermitted, Refused, StoreError
from outlast.language import Language, explain, text, visible
from outlast.model.commands import AnswerQuestion, AskQuestion
from outlast.model.execute import return_commit
from outlast.model.intents import parse_permission
from outlast.model.limits import REF_CHARACTERS
from outlast.model.model import PERSON, Question
from outlast.plan.tools.call_record import call_line
from outlast.redact.text_fields import redact_text
from outlast.system.logs import LOG
from outlast.system.patterns import is_permitted

if TYPE_CHECKING:
    from outlast.agent import effects as e
    from outlast.agent.runtime.lane import CallNext, Lane
    from outlast.agent.runtime.run import Run
    from outlast.model.changes import Commit
    from outlast.model.state import PlanState

_PREVIEW_CHARACTERS: Final = 1_500  # of the subject
_ANSWER_CHARACTERS: Final = 200  # recorded of an answer
_QUESTIONS: Final = {"outside": "permit_outside", "destructive": "permit_destructive"}


async def ask_permission(effect: e.Act, lane: Lane, call_next: CallNext) -> Outcome:
    """Run a call that needs no permission or has it; refuse any other."""
    request = _permission_request(effect, lane.run)
    if request is None or lane.run.spec.yes:
        return await call_next(effect)
    wanted = request.items or (f"{_pattern_kind(request, effect)}:{request.subject}",)
    try:
        await lane.run.refresh_permissions()
    except StoreError as error:
        lane.emit(Notified(lane.run.error_text(error), "permission"))
    if all(_is_allowed(lane.run, pattern) for pattern in wanted):
        return await call_next(effect)
    try:
        answer = await _ask(effect, lane, request)
    except Refused as error:
        return await _deny(effect, lane, request, lane.run.error_text(error))
    permission = parse_permission(answer)
    if not permission:
        return await _deny(effect, lane, request, answer or "")
    if permission == "always":
        try:
            await lane.run.allow_always(wanted)
        except StoreError as error:
            lane.emit(Notified(lane.run.error_text(error), "permission"))
    return await call_next(effect)


def _permission_request(effect: e.Act, run: Run) -> PermissionRequest | None:
    tool = run.resources.tool(effect.call.name)
    if tool is None:
        return None
    try:
        declared = to_builtins(tool.permission_request(effect.call.params))
        return convert(declared, PermissionRequest | None)
    except Exception:
        LOG.exception("%s failed to say what to ask permission for", effect.call.name)
        return PermissionRequest("destructive", effect.call.name)


def _is_allowed(run: Run, wanted: str) -> bool:
    patterns = (*run.resources.allow, *run.permissions.patterns)
    return wanted in run.permissions.calls or any(
        is_permitted(pattern, wanted) for pattern in patterns
    )


async def _ask(effect: e.Act, lane: Lane, request: PermissionRequest) -> str | None:
    """Ask the person here and record the answer; return None if there is none.

    Only this person can say yes. A no that was recorded from elsewhere meanwhile counts too.
    """
    language = lane.run.language
    subject, tool = _preview(request.subject, language), visible(effect.call.name)
    wording = redact_text(text(_QUESTIONS[request.kind], language, tool=tool, what=subject))
    command = AskQuestion(wording, "permit", call_line(effect.call)[:REF_CHARACTERS], effect.task)
    question = await lane.commit((command,), partial(_open_question, command))
    lane.emit(Asked(question))
    reply = (await ask_person(lane, question)).text
    answer = (reply or "").strip()[:_ANSWER_CHARACTERS]
    recorded = await _record_answer(lane, question, answer)
    if parse_permission(answer) and parse_permission(recorded):
        return answer
    refusals = (words for words in (answer, recorded) if words and not parse_permission(words))
    return next(refusals, None)


async def _record_answer(lane: Lane, question: Question, answer: str) -> str | None:
    """Record an answer, or that there was none; return the one that is in the plan then."""
    actor = PERSON if answer else lane.core.actor
    words = answer or text("permit_unanswered", lane.run.language)
    try:
        command = AnswerQuestion(words, actor, question.id, by_asker=True)
        await lane.commit((command,), return_commit)
    except Refused:
        return await lane.read(partial(_stored_answer, question))
    return answer


async def _deny(effect: e.Act, lane: Lane, request: PermissionRequest, answer: str) -> Acted:
    language = lane.run.language
    key = "not_permitted_answer" if answer else "not_permitted"
    subject, reply = _preview(request.subject, language), visible(answer)
    error = NotPermitted(key, what=subject, answer=reply)
    reason = answer or text("permit_unanswered", language)
    await record_refusal(effect, lane, "permission", reason)
    return Acted(error=explain(error, language), code=error.code)


def _pattern_kind(request: PermissionRequest, effect: e.Act) -> str:
    return "path" if request.kind == "outside" else effect.call.name


def _preview(what: str, language: Language) -> str:
    """Return the subject on one line without secrets; both ends of a long one."""
    redacted = visible(redact_text(what))
    if len(redacted) <= _PREVIEW_CHARACTERS:
        return redacted
    half = _PREVIEW_CHARACTERS // 2
    gap = text("left_out", language, count=len(redacted) - 2 * half)
    return f"{redacted[:half]} {gap} {redacted[-half:]}"


def _open_question(command: AskQuestion, state: PlanState, _commit: Commit) -> Question:
    """Return the question that a commit asked, or the equal one that was already open."""
    return next(
        question
        for question in reversed(state.ledger.conversation.questions.values())
        if (question.text, question.about, question.answer) == (command.text, command.about, None)
    )


def _stored_answer(question: Question, state: PlanState) -> str | None:
    stored = state.ledger.conversation.questions.get(question.id)
    return None if stored is None else stored.answer
