"""The replan loop: plan once, then think, act and observe for each item, and replan after it (R3).

Everything that it needs after a restart is in the plan, so it begins where the work stands: with an
action that was decided and not run, with a replan that is due, else with a thought. A step is
counted in the commit that begins it, and none begins at the limit. What follows from an answer of
the model is one commit. A message to the plan may mean something else than work (M8).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.agent import effects as e
from outlast.agent.events import Stopped
from outlast.agent.loops.endings import LoopEnd, cancel_plan, finished_end, pause_at_end
from outlast.agent.loops.messages import find_undone_task
from outlast.agent.loops.notices import answer_slash_command
from outlast.agent.loops.questions import ASK_USER, ask_again, fit_question, fold_question
from outlast.agent.loops.replan_loop import contracts
from outlast.agent.loops.replan_loop.progress import show_question
from outlast.agent.loops.replan_loop.replanner import Replanner
from outlast.agent.loops.replan_loop.requests import plan_request, thought_request
from outlast.agent.loops.replan_loop.work import Request, Work
from outlast.agent.loops.session import message_of
from outlast.context.chat_model import Call
from outlast.language import text
from outlast.model import commands as c
from outlast.model.intents import classify_message, is_same_goal
from outlast.model.ledger import THINK
from outlast.model.model import PERSON, Attempt, Question
from outlast.model.replan_position import Observation, PlannedAction, ReplanPosition
from outlast.redact.secrets import REDACTED
from outlast.redact.truncate import text_of

if TYPE_CHECKING:
    from outlast.agent.agent_spec import Replan
    from outlast.context.plan_view import PlanView
    from outlast.context.tool import Settlement

_ANSWERABLE: Final = ("ask", "replan")
_SNAPSHOT_CHARACTERS: Final = 200
_CONCLUSION_CHARACTERS: Final = 16_000  # at most 64 KB in any script


def replan_conversation(
    message: str, options: Replan, *, speaker: str = PERSON, resume: bool = False
) -> e.Loop[Stopped]:
    """Do what a message asks for on the plan of the run, and report how that ended.

    With `resume` the work goes on as after "continue", whatever the message says.
    """
    valid = message.encode(errors="replace").decode()  # lone surrogates cannot be stored
    loop = _handle_message(valid, options, speaker, resume=resume)
    end, plan = yield from pause_at_end(loop, options.language)
    answer = end.text if end.why == "answered" else ""
    stopped = Stopped(plan.status, end.why, end.text, answer)
    yield from e.Emit(stopped)
    return stopped


def _handle_message(
    message: str, options: Replan, speaker: str, *, resume: bool
) -> e.Loop[LoopEnd]:
    plan = (yield from e.record()).plan
    question = _open_question(plan)
    intent = classify_message(message, paused=True, question=question is not None)
    is_answer = question is not None and options.in_chat  # even if it repeats the goal
    is_goal = not is_answer and is_same_goal(text_of(message), plan.goal)
    if "cancel" in (intent.kind, intent.command) and not is_goal:
        return (yield from cancel_plan(plan, options.language))
    commands: list[c.Command] = []
    if intent.kind == "not_done" and not is_goal and plan.status != "failed":
        commands += yield from _reopen(plan, message)
    if plan.has_ended and not commands:
        return finished_end(plan, options.language)
    if intent.kind == "slash" and not is_goal:
        reply = answer_slash_command(intent.command, plan, 0, options.language)
        return LoopEnd("answered", reply)
    words = "" if is_goal else message_of(intent.words or message)
    if resume or (intent.kind == "continue" and not is_goal):
        options, words = replace(options, continues=True), message_of(intent.words)
    if words and question is not None and not resume:
        commands.append(c.AnswerQuestion(words, speaker, question.id))
    elif words and not is_goal:
        commands.append(c.Interject(words, speaker))
    if plan.status == "paused":
        commands.append(c.Resume())
    recorded = yield from e.record(*commands, author=speaker)
    if recorded.outcome.error:
        return LoopEnd("waiting" if question else "paused", recorded.outcome.error)
    return (yield from replan_loop(options))


def _reopen(plan: PlanView, message: str) -> e.Loop[tuple[c.Command, ...]]:
    """Return the commands that open again what a message says is not done (R0.12)."""
    undone = yield from find_undone_task(plan, message)
    if undone is None:
        return ()
    current = () if plan.current is None else (c.Return(plan.current.id),)
    return (*current, c.Reopen(undone))


def _open_question(plan: PlanView) -> Question | None:
    """Return the oldest question that a message answers."""
    return next((each for each in plan.questions if each.kind in _ANSWERABLE), None)


def replan_loop(options: Replan) -> e.Loop[LoopEnd]:
    """Work on the task of a plan until it is done, a question waits, or a limit is reached."""
    return (yield from _ReplanLoop(options).run())


class _ReplanLoop:
    """One run of the loop."""

    def __init__(self, options: Replan) -> None:
        self._work = Work(options)
        self._replanner = Replanner(self._work)
        self._tools = {tool.name: tool for tool in options.tools}
        self._decided: PlannedAction | None = None  # with secrets, which the plan does not store

    def run(self) -> e.Loop[LoopEnd]:
        work = self._work
        yield from self._settle()
        while True:
            yield from work.refresh_or_end()
            if work.state.question is not None:
                yield from self._wait(work.state.question)
            elif not work.has_begun:
                yield from self._begin()
            elif not work.position.is_planned:
                yield from self._make_plan()
            elif work.options.plan_only:
                return LoopEnd("answered", "")
            elif work.position.action is not None:
                yield from self._act(work.position.action)
            elif work.position.needs_replan:
                yield from self._replanner.replan()
            else:
                yield from self._think()

    # Where the work begins

    def _settle(self) -> e.Loop[None]:
        """Find out about attempts that a crash left open; what followed from them is lost.

        A thought counts, and is made again. An action that had no effect is run again.
        """
        for attempt in (yield from e.record()).plan.attempts:
            yield from self._work.refresh()
            yield from e.Settle(attempt, self._after(attempt))

    def _after(self, attempt: Attempt) -> dict[Settlement, tuple[c.Command, ...]]:
        """Return what follows from each way in which an attempt can have ended."""
        position, action = self._work.position, self._work.position.action
        if attempt.kind == THINK or action is None:
            return {"unknown": ()}
        return {
            "done": (self._lose_output(action, "action_was_done", ok=True),),
            "not_done": (c.MoveReplan(position.retry_action(action)),),
            "unknown": (self._lose_output(action, "action_unknown", ok=False),),
        }

    def _lose_output(self, action: PlannedAction, key: str, *, ok: bool) -> c.MoveReplan:
        """Return the next position after an action whose output was lost in a crash."""
        observation = Observation(action.tool, action.input, ok, text(key, self._work.language))
        return c.MoveReplan(self._work.position.observe(ok=ok), observation)

    def _begin(self) -> e.Loop[None]:
        """Resume a paused plan; grant what a person who continues grants (R3.05)."""
        work = self._work
        if work.plan.status == "paused":
            yield from work.record(c.Resume())
        if work.options.continues:
            yield from work.record(c.MoveReplan(work.position.grant(work.options.max_iterations)))
        work.has_begun = True

    def _wait(self, question: Question) -> e.Loop[None]:
        """Ask a person who is present; without an answer the run ends, and the question waits."""
        if (yield from ask_again(question)) is not None:
            return
        yield from self._work.refresh_or_end()
        raise LoopEnd("waiting", show_question(question, self._work.language))

    # Plan

    def _make_plan(self) -> e.Loop[None]:
        """Plan the goal; this costs no step, and happens once. Tasks that exist are the plan."""
        work = self._work
        position = work.position.begin_first_list(work.options.max_iterations)
        if work.state.items:
            yield from work.record(c.MoveReplan(position))
            yield from work.progress.show_plan([item.name for item in work.state.items])
            return

        def accept(planned: contracts.Planned) -> e.Loop[str]:
            names = tuple(map(contracts.task_name, planned.plan))
            add = (c.AddTasks(tuple(map(c.NewTask, names))),) if names else ()
            error = yield from work.commit(*add, c.MoveReplan(position))
            if not error:
                yield from work.progress.show_plan(names)
            return error

        messages = plan_request(work.state, work.options)
        yield from work.ask(messages, Request(contracts.Planned, accept, counts=False))

    # Thought, action, observation

    def _think(self) -> e.Loop[None]:
        work, item = self._work, self._work.state.item
        yield from work.require_step()
        if item is not None:
            yield from work.progress.show_item(work.position, item.name)
            if item.status == "pending":
                yield from work.record(c.Start(work.plan.actor, item.id))

        def accept(thought: contracts.Thought) -> e.Loop[str]:
            if isinstance(thought, contracts.Continue):
                return (yield from self._decide(thought))
            if isinstance(thought, contracts.AskUser):
                return (yield from self._ask_user(thought))
            return (yield from self._finish_item(thought))

        check = contracts.check_thought(self._tools, has_item=item is not None)
        messages = thought_request(work.state, work.options)
        request = Request(contracts.Thought, accept, check)
        yield from work.ask(messages, request, item.id if item else None)

    def _decide(self, thought: contracts.Continue) -> e.Loop[str]:
        """Keep the action, so that it can run after a restart too; refuse it after failures."""
        work = self._work
        yield from work.progress.show_decision("continue")
        position, snapshot = work.position, _snapshot(thought.current_step)
        tool, given = thought.next_action.tool, contracts.write_input(thought.next_action.input)
        if position.failures_in_a_row < work.options.most_failures:
            action = self._decided = PlannedAction(tool, given, position.steps)
            return (yield from work.commit(c.MoveReplan(position.decide(snapshot, action))))
        return (yield from self._refuse(position.decide(snapshot, None), tool, given))

    def _refuse(self, position: ReplanPosition, tool: str, given: str) -> e.Loop[str]:
        """Record that what the model decided is not done, and tell people and the model why."""
        work, is_question = self._work, tool == ASK_USER
        shown = "question_not_asked" if is_question else "action_not_run"
        note = text(shown, work.language, count=position.failures_in_a_row)
        yield from work.progress.show_note(note)
        refusal = text("question_repeated" if is_question else "action_refused", work.language)
        observation = Observation(tool, given, ok=False, result=refusal)
        return (yield from work.commit(c.MoveReplan(position, observation)))

    def _act(self, action: PlannedAction) -> e.Loop[None]:
        """Run the tool, and record what it gave; an action of an earlier run may be lost."""
        work, decided = self._work, self._decided
        if decided is None or decided.step != action.step:
            decided = action
        lost = "action_unknown" if action.is_begun else ""
        if decided is action and REDACTED in action.input:
            lost = lost or "action_had_secret"
        if lost:
            yield from work.record(self._lose_output(action, lost, ok=False))
            return
        yield from work.require_step()
        yield from work.progress.show_action(action)
        acted = yield from self._run_tool(decided)
        ok = not acted.error
        position = work.position.observe(ok=ok)
        result = "\n".join((acted.error or acted.output, *acted.inject))
        observation = Observation(action.tool, action.input, ok, result)
        yield from work.record(c.MoveReplan(position, observation))
        yield from work.progress.show_result(work.state, position, acted.error)

    def _run_tool(self, action: PlannedAction) -> e.Loop[e.Acted]:
        """Run a tool; one that the plan or a hook did not let begin has cost no step."""
        work = self._work
        item, key = work.state.item, f"{work.plan.id}#{action.step}"
        tool, begun = self._tools.get(action.tool), work.position.begin_action(action)
        params = {} if tool is None else contracts.read_params(tool, action.input, key)
        call = Call(action.tool, params, f"step-{begun.steps}")
        task = item.id if item is not None and item.status == "in_progress" else None
        on_start = (c.MoveReplan(begun),)
        reply = yield from e.Act(call, is_informed=True, task=task, on_start=on_start)
        work.check_stopped(reply.outcome, reply.plan)
        work.position = begun
        if reply.outcome.error:
            yield from work.refresh()
        return reply.outcome

    def _ask_user(self, thought: contracts.AskUser) -> e.Loop[str]:
        """Record the question; one that was answered is not asked again (R3.08)."""
        work = self._work
        yield from work.progress.show_decision("ask_user")
        position = work.position.decide(_snapshot(thought.current_step), None)
        wording = fit_question(thought.question.strip())
        answered = {fold_question(each.question) for each in work.state.clarifications}
        if fold_question(wording) in answered:
            return (yield from self._refuse(position, ASK_USER, wording))
        question = c.AskQuestion(wording, task=position.item)
        return (yield from work.commit(question, c.MoveReplan(position)))

    def _finish_item(self, thought: contracts.ItemDone) -> e.Loop[str]:
        work = self._work
        yield from work.progress.show_decision("done")
        conclusion = (thought.response or "").strip()[:_CONCLUSION_CHARACTERS]
        return (yield from work.commit(c.MoveReplan(work.position.finish_item(conclusion))))


def _snapshot(step: str) -> str:
    return contracts.task_name(step)[:_SNAPSHOT_CHARACTERS]
