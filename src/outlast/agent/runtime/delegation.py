"""Delegation: order work from agents, settle what a crash left open, run checks after them.

An order says all that an agent has to know to carry out one task.
"""

from __future__ import annotations

from asyncio import CancelledError
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from outlast.agent import effects as e
from outlast.agent import events
from outlast.agent.context.prompts import prompt
from outlast.agent.effects import AgentTried, Checked, Delegated, Recorded, Settled
from outlast.agent.loop_agent import LoopAgent
from outlast.agent.runtime.guards import is_cancelling, run_in_thread, shield
from outlast.agent.runtime.workspace import checked_files
from outlast.agent.work import (
    AT_WORK,
    BY_PERSON,
    Agent,
    WorkOrder,
    WorkProgress,
    WorkResult,
    is_session_id,
)
from outlast.context.chat_model import Message
from outlast.context.escape import quote, quote_lines, quote_one_line
from outlast.errors import OutlastError, Refused
from outlast.language import Language, check_result, text
from outlast.model.budget import NOTHING
from outlast.model.commands import Charge, EndSession, NoteDecision, NoteReport, NoteSession
from outlast.model.decide.reports import DENIAL_CHARACTERS, DENIALS_KEPT, REPORT_CHARACTERS
from outlast.model.execute import return_commit
from outlast.model.model import OUTLAST, Evidence, Task, write_rule
from outlast.plan.tools.tool_sets import tool_specs
from outlast.system.logs import LOG

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from outlast.agent.runtime.lane import Lane
    from outlast.model.commands import Command
    from outlast.model.ledger import DoneAttempt
    from outlast.model.state import PlanState

_OUTPUT_CHARACTERS: Final = 4_000
_SUMMARY_CHARACTERS: Final = 500
_RESULT_CHARACTERS: Final = 2_000
_GOAL_CHARACTERS: Final = 50_000
_ADVICE_CHARACTERS: Final = 8_000
_MOST_MESSAGES: Final = 10
_CALL_CHARACTERS: Final = 200


async def delegate(effect: e.Delegate, lane: Lane) -> Delegated:
    """Let the agent of the run carry out an order."""

    def note_session(session: str) -> None:
        lane.defer(NoteSession(effect.attempt, agent.name, session))

    agent, order = _agent(lane), effect.order
    failed = await lane.read(lambda state: state.task(order.task).retry_count)
    lane.emit(events.WorkStarted(order.task, order.name, agent.name, failed + 1))
    if isinstance(agent, LoopAgent):
        result = await work_on_lane(agent, order, lane)
    else:
        result = await _work_outside(agent, order, WorkProgress(lane.stream, note_session), lane)
    if result.session and result.report is None:
        note_session(result.session)
    if result.code != BY_PERSON:
        lane.emit(_describe_end(order, agent, result))
    return Delegated(result, effect.attempt)


async def _work_outside(
    agent: Agent, order: WorkOrder, progress: WorkProgress, lane: Lane
) -> WorkResult:
    """Let a foreign agent work; whatever it raises, it failed."""
    try:
        return await shield(agent.work(order, progress))
    except Exception as error:  # noqa: BLE001 - see above
        code = error.code if isinstance(error, OutlastError) else ""
        return WorkResult(error=lane.run.error_text(error), code=code)


def _describe_end(order: WorkOrder, agent: Agent, result: WorkResult) -> events.WorkEnded:
    report = result.report
    about = (order.task, order.name, agent.name)
    if report is None:
        return events.WorkEnded(*about, error=result.error)
    is_shown = order.run and report.status == "SUCCESS"  # a command's output, as it came
    summary = "" if is_shown else next(iter(report.results.strip().splitlines()), "")
    return events.WorkEnded(*about, report.status, result.error, summary[:_SUMMARY_CHARACTERS])


def describe_order(effect: e.Delegate, lane: Lane) -> str:
    """Return the record of an order: its agent, its id and its session, to settle it later."""
    return " ".join(filter(None, (_agent(lane).name, effect.order.id, effect.order.session)))


async def settle_order(effect: e.Settle, lane: Lane) -> Settled:
    """Find out how an order ended whose run died: ask the agent, then the checks of the task.

    What makes the work known as done is recorded as a report, to be evaluated, not repeated. An
    agent that died with the run and was not done has not failed: its session goes on.
    """
    attempt = effect.attempt
    name, _, rest = attempt.what.partition(" ")
    order, _, session = rest.partition(" ")
    begun = await lane.read(lambda state: state.ledger.last_session(name, attempt=attempt.id))
    agent, was_asked, result = lane.run.resources.agent, False, None
    outlives_run = getattr(agent, "outlives_run", False)
    if agent is not None and agent.name == name:
        if outlives_run:
            awaited = text("order_awaited", lane.run.language, task=attempt.task)
            lane.emit(events.Notified(awaited, "plan"))
        try:
            result = await shield(agent.settle(order, begun or session))
            was_asked = result is None or result.code != AT_WORK
        except Exception:
            LOG.exception("%s failed to settle an order", name)
    if result is not None and was_asked:
        report = report_command(attempt.id, name, result)
        if report is not None and report.status != "SUCCESS" and not outlives_run:
            report = None
        spent = None if result.spent == NOTHING else result.spent
        settled = Settled("not_done" if report is None else "done", "session", spent=spent)
    elif await lane.read(lambda state: state.needs_outcome(attempt)):
        settled = await _settle_by_checks(attempt.task, lane, is_over=was_asked)
        confirmed = text("checks_confirmed", lane.run.language)
        report = NoteReport(attempt.id, OUTLAST, "SUCCESS", results=confirmed)
    else:
        return Settled("unknown", needed=False)
    if report is not None and settled.settlement == "done":
        lane.defer(report)  # to the commit that ends the attempt
    return settled


async def _settle_by_checks(task: int, lane: Lane, *, is_over: bool) -> Settled:
    """Let the checks of a task show whether its work was done.

    Red ones show that it was not only if the work `is_over`: an agent that could not be asked may
    work still. Those that were green before show nothing, nor does a check that was killed, nor a
    person's word.
    """
    proof = (await run_checks(e.RunChecks(task), lane)).proof
    evidence = () if proof is None else proof.evidence
    shown = [item for item in evidence if not item.check.is_word]
    if all(item.ok for item in shown):
        was_red = any(item.baseline == "red" for item in shown)
        return Settled("done", "check") if was_red else Settled("unknown")
    is_red = any(item.ok is False for item in shown)
    return Settled("not_done", "check") if is_red and is_over else Settled("unknown")


def report_command(attempt: str, agent: str, result: WorkResult) -> NoteReport | None:
    """Return the command that records the report of an attempt, cut to what the plan keeps."""
    report = result.report
    if report is None:
        return None
    sections = (report.results or report.content, report.pitfalls, report.next_steps)
    results, pitfalls, next_steps = (section[:REPORT_CHARACTERS] for section in sections)
    return NoteReport(
        attempt,
        agent,
        report.status,
        result.session or report.session_id,
        results,
        pitfalls,
        next_steps,
        late=result.late[:REPORT_CHARACTERS],
        denied=tuple(call[:DENIAL_CHARACTERS] for call in result.denied[:DENIALS_KEPT]),
    )


async def end_sessions(_effect: e.EndSessions, lane: Lane) -> Recorded:
    """End the sessions that are open; a failure of the agent is only logged."""
    sessions = await lane.read(lambda state: dict(state.ledger.sessions))
    agent = lane.run.resources.agent
    for session, used in sessions.items():
        if agent is not None and agent.name == used.agent:
            try:
                await shield(agent.end_session(session))
            except Exception:
                LOG.exception("%s failed to end a session", used.agent)
    commands = tuple(map(EndSession, sessions))
    if commands:
        await lane.commit(commands, return_commit)
    return Recorded()


async def run_checks(effect: e.RunChecks, lane: Lane) -> Checked:
    """Run the checks of a task, and tell which files it changed that it does not name."""

    def find_strays(state: PlanState) -> tuple[str, ...]:
        left = state.ledger.footprints.get(effect.task)
        return () if left is None else left.outside

    return replace(await _prove(effect.task, lane), strays=await lane.read(find_strays))


async def _prove(ref: int, lane: Lane) -> Checked:
    """Run the checks of a task while nobody works on the files that they look at."""
    task = await lane.read(lambda state: state.task(ref))
    prover = lane.core.prover()
    if prover is None or not (task.checks or task.protect):
        return Checked()
    await lane.flush()
    try:
        async with lane.run.workspace.for_checks(checked_files(task), task.id):
            lane.emit(events.ChecksStarted(task.id, task.name))
            proof = await run_in_thread(lane.core, partial(prover.prove_or_record, task.id))
    except Refused as error:
        problem = lane.run.error_text(error)
        lane.emit(events.ChecksEnded(task.id, task.name, error=problem))
        return Checked(
            is_green=False, problem=problem, output=problem, error=problem, code=error.code
        )
    lane.mark_stale()
    failed, total = [item for item in proof.evidence if not item.ok], len(proof.evidence)
    output, problem = _failures(failed, lane), _failures(failed, lane, tails=False)
    red = [item for item in failed if item.check.kind != "person"]  # a person is asked next
    shown = _failures(red[:1], lane, tails=False)
    lane.emit(events.ChecksEnded(task.id, task.name, total - len(failed), total, shown))
    return Checked(not failed, problem, output, proof)


async def report_decisions(commands: Sequence[Command], lane: Lane) -> None:
    """Tell listeners which decisions were recorded."""
    for command in commands:
        if isinstance(command, NoteDecision):
            decided = await lane.read(partial(_find_decision, command.attempt))
            if decided is not None:
                lane.emit(decided)


def _find_decision(attempt: str, state: PlanState) -> events.Decided | None:
    """Return the last decision about an attempt; none if its task is gone."""
    found = (each for each in reversed(state.ledger.decisions) if each.attempt == attempt)
    last, count, total = next(found, None), state.finished_count, len(state.tasks)
    if last is None or last.task not in state.tasks:
        return None
    name = state.tasks[last.task].name
    return events.Decided(last.task, name, last.decision, last.reason, last.by, count, total)


def _failures(failed: Sequence[Evidence], lane: Lane, *, tails: bool = True) -> str:
    """Return what failed checks say, with the ends of their output."""
    lines = (
        f"{item.check.rule}: {check_result(item.says, lane.run.language)}"
        + (f"\n{item.tail}" if tails and item.tail else "")
        for item in failed
    )
    return "\n".join(lines)[:_OUTPUT_CHARACTERS]


def _agent(lane: Lane) -> Agent:
    agent = lane.run.resources.agent
    if agent is None:
        raise RuntimeError(lane.id)
    return agent


def uses_lane(effect: e.Attempted[Any], lane: Lane) -> bool:
    """Return whether an effect is the work of an agent whose calls are attempts of their own.

    Their time is limited and charged, so that it is neither limited nor charged once more.
    """
    return isinstance(effect, e.Delegate) and isinstance(lane.run.resources.agent, LoopAgent)


async def work_on_lane(agent: LoopAgent, order: WorkOrder, parent: Lane) -> WorkResult:
    """Let an agent carry out an order; with the permission to read only it gets no other tools."""
    tools = parent.run.resources.tools
    if order.permissions == "read":
        tools = tuple(tool for tool in tools if tool.level == "read")
    loop, lane = agent.loop(order, tool_specs(tools)), parent.open_lane(order.task, "")
    had_slot = parent.hand_over_to(lane)
    try:
        result = await _drive(loop, lane)
    finally:
        loop.close()
        try:
            await lane.finish()
        finally:
            lane.close()
    if had_slot:
        await parent.take_slot()
    return result


async def _drive(loop: e.Loop[WorkResult], lane: Lane) -> WorkResult:
    step = partial(next, loop)
    while True:
        if is_cancelling():  # the last effect had come to its end all the same
            raise CancelledError
        try:
            effect = step()
        except StopIteration as end:
            result: WorkResult = end.value
            return result
        step = partial(loop.send, await lane.perform(effect))


async def try_agent(_effect: e.TryAgent, lane: Lane) -> AgentTried:
    """Let the agent show that it can work here, unless it has done so today."""
    preflight, agent = lane.run.resources.preflight, lane.run.resources.agent
    if preflight is None or agent is None:
        return AgentTried()
    try:
        if not await preflight.is_needed():
            return AgentTried()
        begins = text("preflight_begins", lane.run.language, agent=agent.name)
        lane.emit(events.Notified(begins, "work"))
        result = await shield(preflight.run())
    except Exception as error:  # noqa: BLE001 - whatever an agent raises, it cannot work
        problem = lane.run.error_text(error)
    else:
        problem = result.error
        if result.spent != NOTHING:
            lane.defer(Charge(result.spent))
    if not problem:
        return AgentTried()
    return AgentTried(
        text("preflight_failed", lane.run.language, agent=agent.name, problem=problem)
    )


def make_order(  # noqa: PLR0913 - what an order depends on
    state: PlanState,
    task: Task,
    id_: str,
    language: Language,
    *,
    session: str = "",
    advice: str = "",
) -> WorkOrder:
    """Return the order for the next attempt of a task."""
    return WorkOrder(
        id_,
        task.id,
        task.name,
        task.description,
        task.constraints,
        task.expected,
        tuple(write_rule(check) for check in task.checks),
        task.run,
        task.files,
        task.protect,
        _context(state, task, language),
        advice=quote(advice, _ADVICE_CHARACTERS),
        session=session if is_session_id(session) else "",
        plan=state.id,
    )


def tools_messages(
    order: WorkOrder, done: Iterable[DoneAttempt], language: Language
) -> tuple[Message, ...]:
    """Return the opening of a conversation in which the model itself carries out an order.

    `done` is what was done for the task before, which the conversation does not have.
    """
    calls = [quote_one_line(each.what, _CALL_CHARACTERS) for each in done if each.kind == "act"]
    lines = "\n".join(f"- {call}" for call in calls)
    heading = text("order_done_before", language)
    earlier = f"\n\n# {heading}\n{lines}" if calls else ""
    system = Message("system", prompt("work_with_tools", language))
    return system, Message("user", order.prompt(language) + earlier)


def _context(state: PlanState, task: Task, language: Language) -> str:
    """Return the goal, what people have said, and the results of the tasks that it needs."""
    messages = state.ledger.conversation.messages[-_MOST_MESSAGES:]
    needed = (state.tasks[need] for need in task.needs)
    results = [
        f"- {other.id} {quote_one_line(other.name, _CALL_CHARACTERS)}:\n"
        + quote_lines(other.result, _RESULT_CHARACTERS)
        for other in needed
        if other.result
    ]
    sections = {
        "section_goal": quote_lines(state.goal, _GOAL_CHARACTERS),
        "section_told": "\n\n".join(
            quote_lines(message.text, _RESULT_CHARACTERS) for message in messages
        ),
        "section_needed": "\n".join(results),
    }
    return "\n\n".join(
        f"## {text(key, language)}\n{body}" for key, body in sections.items() if body
    )
