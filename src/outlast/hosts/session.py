"""A coding agent's session on a plan (R4.04-R4.08): what it is told at each of its events.

The agent's host decides in which role a model reads this. So nothing is in it that a tool or an
agent has written, beside the plan itself, and the end of what a red check prints, quoted.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final, TypeVar
from zlib import crc32

from msgspec import Struct
from msgspec.structs import replace

from outlast.context import blocks
from outlast.context.escape import one_line, quote_lines
from outlast.context.plan_block import command_plan_block
from outlast.errors import CheckNotApproved, Refused
from outlast.hooks.engine import HooksEngine
from outlast.hooks.port import Hook, HookResult, ToolResult
from outlast.hooks.rules import HookCounts, step_in_progress
from outlast.hosts.session_record import Offers, SessionRecord
from outlast.hosts.stop import Refusal, complete_marked, decide_stop, judge_work, may_hold
from outlast.hosts.wire.events import (
    NO_ANSWER,
    HostAnswer,
    HostEvent,
    ListedTodo,
    Moment,
    merge_answers,
)
from outlast.hosts.wire.reply import EVENT_NAMES, write_answer
from outlast.language import Language, explain, listing, text, visible
from outlast.model.commands import Command, Interject, Reopen, Resume, TakeInterjections
from outlast.model.execute import return_commit
from outlast.model.model import PERSON
from outlast.plan.plan_view import plan_view
from outlast.redact.text_fields import redact_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from outlast.config.settings import Settings
    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan

T = TypeVar("T")
_NAME: Final = 60
_MESSAGE: Final = 2_000
_MESSAGES: Final = 2_500  # characters of messages at one time
_PROBLEM: Final = 300
_OUTPUT: Final = 1_500
_RECENT_ERRORS: Final = 20
_SHOWS_REASONS: Final = ("claude-code",)  # to its user too
_MOST_TOKENS: Final = 1_600  # of a brief: hosts cut a text of 10 000 characters


class _ShellCommands(Struct, frozen=True):
    """Spells commands; `program` is what starts Outlast in the agent's shell."""

    program: str

    def spell(self, *words: str) -> str:
        """Return a command line."""
        return " ".join((self.program, *words))

    def complete(self, task: int | str = "N") -> str:
        """Return the command that reports a task."""
        return self.spell("done", str(task), "-m", '"RESULT"')

    def detail(self, about: str, page: str = "") -> str:
        """Return the command that shows whole texts, for the brief."""
        pages = ("--page", page) if page else ()
        return f"`{self.spell('context', about, *pages)}` (plan_details)"


class HostSession:
    """Answers the events of one session; `record` is what has to be remembered of it."""

    def __init__(  # noqa: PLR0913 - one keyword per option
        self,
        plan: Plan,
        record: SessionRecord,
        *,
        settings: Settings,
        language: Language,
        program: str,
        hooks: tuple[Hook, ...],
    ) -> None:
        """Take the handle of the agent on the plan that the session is attached to."""
        self.plan, self.record = plan, record
        self._settings, self._language = settings, language
        self._commands, self._hooks = _ShellCommands(program), hooks
        self._is_step_told = False
        self._counts = HookCounts()
        self._counts.views, self._counts.failures = record.views, dict(record.failures)
        self._reported = set(record.reported)
        self._engine = HooksEngine(
            _AttachedPlan(plan),
            settings,
            self._hooks,
            language=language,
            in_host=True,
            counts=self._counts,
            reported=self._reported,
        )

    def take_in(self, event: HostEvent, key: str = "") -> HostAnswer:
        """Tell the plan what an event brings, before it is answered: words, a failure, a list.

        Under a `key` it is told once, however often this is repeated.
        """
        if event.moment == "prompt":
            self._hear(event.prompt, key)
            return NO_ANSWER
        if event.todos and event.succeeded:
            return self.start_next(event.todos)
        return NO_ANSWER if event.succeeded else self._note_result(event, key)

    def respond(self, event: HostEvent) -> HostAnswer:
        """Answer an event; the plan has what it brings."""
        answers = [self._HANDLERS[event.moment](self, event)]
        if event.moment in ("session-start", "prompt", "stop"):
            answers.append(HostAnswer(notice=self.plan.core.read(self._announce_questions)))
        self.record = replace(
            self.record,
            views=self._counts.views,
            failures=dict(self._counts.failures),
            reported=tuple(sorted(self._reported)),
        )
        return merge_answers(answers)

    def count_views(self, views: int) -> None:
        """Count what the agent has looked at, which the shell has noted."""
        self._counts.views += views

    @property
    def _forgets(self) -> bool:
        """Whether the host says nothing when it compacts a conversation."""
        return "pre-compact" not in EVENT_NAMES[self.record.host]

    @property
    def _step_moment(self) -> Moment:
        """When the model is told a new step: Gemini passes nothing on before a tool."""
        return "post-tool" if self.record.host == "gemini" else "pre-tool"

    # Events

    def _start_session(self, _event: HostEvent) -> HostAnswer:
        refused = self.start_next()
        messages = HostAnswer("\n\n".join(self._take_messages(self._step)[0]))
        hooks = _answer_of(self._engine.on_session_start())
        return merge_answers((refused, self.describe(), messages, hooks))

    def describe(self) -> HostAnswer:
        """Return what a model must know that has not seen the work, and a line for the user."""
        from outlast.context.brief import render_brief

        tokens = min(self._settings.loop.brief_tokens, _MOST_TOKENS)

        def write(state: PlanState) -> HostAnswer:
            view = plan_view(state, self.plan.actor)
            brief = render_brief(
                state,
                view,
                self._language,
                tokens=tokens,
                unread=False,
                call=self._commands.detail,
                trusted_only=True,
            )
            block = self._block(state)
            self._remember_shown(block, self._step(state))
            intro = self._text("host_intro", complete=self._commands.complete())
            attached = self._progress_text("host_attached", state, title=visible(state.title))
            return HostAnswer(f"{intro}\n\n{brief}\n\n{block}", attached)

        return self.plan.core.read(write)

    def _hear_prompt(self, event: HostEvent) -> HostAnswer:
        if self._is_own_text(event.prompt):
            return NO_ANSWER
        refused = self.start_next()
        messages, (block, step) = self._take_messages(
            lambda state: (self._block(state), self._step(state))
        )
        is_new = self._remember_shown(block, step)
        context = "\n\n".join((*messages, *([block] if is_new or self._forgets else [])))
        result = self._engine.on_user_prompt(event.prompt)
        return merge_answers((refused, HostAnswer(context), _answer_of(result, "prompt")))

    def _is_own_text(self, prompt: str) -> bool:
        """Return whether it is why a stop was blocked, which Gemini passes on as a prompt."""
        return _digest(prompt.strip()) == self.record.blocked_text

    def _before_tool(self, event: HostEvent) -> HostAnswer:
        result = self._engine.pre_tool_use(event.tool, event.tool_input)
        return merge_answers((self._tell_changes("pre-tool"), _answer_of(result, "pre-tool")))

    def _after_tool(self, event: HostEvent) -> HostAnswer:
        if not event.succeeded:
            return self._tell_changes("post-tool")
        if event.todos:
            return NO_ANSWER
        return merge_answers((self._note_result(event), self._tell_changes("post-tool")))

    def _tell_changes(self, moment: Moment) -> HostAnswer:
        """Tell what people have said and the next step, at the moment that is for this."""
        if moment != self._step_moment:
            return NO_ANSWER
        refused = self.start_next()
        messages, step = self._take_messages(self._step)
        context = "\n\n".join((*messages, *self._changed_step(step)))
        return merge_answers((refused, HostAnswer(context)))

    def _note_result(self, event: HostEvent, key: str = "") -> HostAnswer:
        error = "" if event.succeeded else event.error or text("hook_unknown_error")
        result = ToolResult(event.succeeded, error=error)
        return _answer_of(self._engine.post_tool_use(event.tool, event.tool_input, result, key))

    def _after_batch(self, _event: HostEvent) -> HostAnswer:
        return HostAnswer("\n\n".join(self._take_messages(self._step)[0]))

    def _mirror(self, todos: Collection[ListedTodo] = ()) -> tuple[Refusal, ...]:
        """Mirror what was listed, and complete what was done early; return what is refused."""
        record = self.record
        if not (todos or record.done_early):
            return ()
        from outlast.hosts.todo_mirror import mirror_todos

        mirrored = mirror_todos(
            self.plan, todos, record.todos, record.done_early, record.early_revision
        )
        refused = (*record.refused, *(refusal.task for refusal in mirrored.refusals))
        self.record = replace(
            record,
            todos=mirrored.ids,
            done_early=mirrored.done_early,
            early_revision=mirrored.revision,
            refused=tuple(dict.fromkeys(refused)),
        )
        return mirrored.refusals

    def _stop(self, event: HostEvent) -> HostAnswer:
        marked = complete_marked(self.plan, self.record, event)
        is_judged = may_hold(self.plan, event, self._settings)
        judged = judge_work(self.plan, event) if is_judged else ()
        known = [each for each in judged if each.key not in self.record.held]
        refusals = tuple({each.task: each for each in (*self._mirror(), *known, *marked)}.values())
        asked = _answer_of(self._engine.on_stop(), "stop")
        decision = decide_stop(
            self.plan, self.record, event, refusals, self._settings, is_refused=bool(asked.reason)
        )
        self.record = decision.record
        explained = merge_answers(
            self._explain_refusal(refusal, shows_output=True) for refusal in refusals
        )
        if decision.is_blocked:
            reasons = filter(None, (explained.context, asked.reason))
            reason = "\n\n".join(reasons) or self._explain_guard()
            self.record = replace(self.record, blocked_text=_digest(reason.strip()))
            shown = "" if self.record.host in _SHOWS_REASONS else explained.notice
            return HostAnswer(notice="\n".join(filter(None, (shown, asked.notice))), reason=reason)
        notices = [explained.notice, asked.notice]
        if decision.is_let_go or decision.is_completed:
            key = "host_let_go" if decision.is_let_go else "host_completed"
            notices.append(self.plan.core.read(lambda state: self._progress_text(key, state)))
        return HostAnswer(notice="\n".join(filter(None, notices)))

    def _before_compaction(self, _event: HostEvent) -> HostAnswer:
        # The brief follows the compaction; what was shown before it is forgotten.
        self.record = replace(self.record, shown_plan="", shown_step="", unapproved=())
        context = self._text("host_compact")
        return merge_answers((HostAnswer(context), _answer_of(self._engine.pre_compact())))

    def _end_session(self, _event: HostEvent) -> HostAnswer:
        return NO_ANSWER

    _HANDLERS: Final[dict[Moment, Callable[[HostSession, HostEvent], HostAnswer]]] = {
        "session-start": _start_session,
        "prompt": _hear_prompt,
        "pre-tool": _before_tool,
        "post-tool": _after_tool,
        "tool-failure": _after_tool,
        "batch": _after_batch,
        "stop": _stop,
        "pre-compact": _before_compaction,
        "session-end": _end_session,
    }

    # What changes in the plan

    def _hear(self, prompt: str, key: str) -> None:
        """Do what a prompt says to the plan, and remember what it says beside that.

        The host reports the prompt, and any process with a shell can claim to be the host. So it
        counts as information: it answers no question, and approves nothing.
        """
        from outlast.model.decide.conversation import MESSAGE_CHARACTERS
        from outlast.model.intents import classify_message

        if self._is_own_text(prompt):
            return
        self.record = replace(self.record, refused=(), blocked_stops=0)
        intent = classify_message(prompt, paused=True, question=False)
        if intent.kind == "continue":
            if self.plan.status == "paused":
                self._commit_unless_refused(Resume())
        elif intent.kind == "not_done":
            last = self.plan.core.read(lambda state: state.last_completed())
            if last is not None:
                self._commit_unless_refused(Reopen(last), key and f"{key} reopen")
        if intent.kind not in ("slash", "cancel") and intent.words and not self._has_ended():
            words = redact_text(intent.words)[:MESSAGE_CHARACTERS]
            self._commit_unless_refused(Interject(words, PERSON, heard=True), key)

    def _commit_unless_refused(self, command: Command, key: str = "") -> None:
        """Commit what a prompt says; one that fits no task is read by the model all the same."""
        with suppress(Refused):
            self.plan.core.commit((command,), return_commit, key=key)

    def _has_ended(self) -> bool:
        return self.plan.core.read(lambda state: state.has_ended)

    def start_next(self, todos: Collection[ListedTodo] = ()) -> HostAnswer:
        """Start the next task if the agent has none: its checks show what was green before.

        What the agent has listed is mirrored first; the answer tells which of it is not done.
        """
        refused = merge_answers(map(self._explain_refusal, self._mirror(todos)))

        def can_start(state: PlanState) -> bool:
            is_free = state.current_task(self.plan.actor) is None and not state.needs_approval
            is_open = not state.has_ended and state.status != "paused"
            return is_free and is_open and state.next_ready() is not None

        if self.plan.core.read(can_start):
            with suppress(Refused):  # another process was faster
                self.plan.start()
        return refused

    def _take_messages(self, read: Callable[[PlanState], T]) -> tuple[list[str], T]:
        """Return what people have told the agent by `outlast say`, once, and what `read` does."""
        messages, others = self.plan.core.read(
            lambda state: (tuple(state.ledger.conversation.interjections), read(state))
        )
        shown, room = list[str](), _MESSAGES
        for message in messages:
            words = one_line(visible(message.text), _MESSAGE)
            line = text("host_said", self._language, message=words)
            if len(line) > room:  # never the first one
                break  # the others come next
            last, room = message.id, room - len(line)
            shown += [line] if message.by == PERSON else []
        if messages:
            self.plan.core.commit((TakeInterjections(last),), return_commit)
        return shown, others

    # What the model is told

    def _block(self, state: PlanState) -> str:
        view = plan_view(state, self.plan.actor)
        add = self._commands.spell("add", '"…"')
        return command_plan_block(view, self._language, add, self._commands.complete())

    def _remember_shown(self, block: str, step: tuple[str, str] | None) -> bool:
        """Remember a block and the step in it as shown; return whether the block is new."""
        shown = _digest(block)
        is_new = shown != self.record.shown_plan
        self._is_step_told = True
        self.record = replace(self.record, shown_plan=shown, shown_step=_digest(*step or ()))
        return is_new

    def _changed_step(self, step: tuple[str, str] | None) -> list[str]:
        """Return the task in progress if the model has not been told it (R4.05)."""
        shown = _digest(*step or ())
        if shown == self.record.shown_step:
            return []
        self._is_step_told = True
        self.record = replace(self.record, shown_step=shown)
        return [blocks.current_task(*step, self._language)] if step else []

    def _step(self, state: PlanState) -> tuple[str, str] | None:
        """Return the phase and the name of the task in progress."""
        return step_in_progress(state, self.plan.actor)

    def _explain_refusal(self, refusal: Refusal, *, shows_output: bool = False) -> HostAnswer:
        """Explain why a task is not done; may show the end of what its check printed, quoted."""
        task = self.plan.task(refusal.task)
        if isinstance(refusal.error, CheckNotApproved):
            if task.id in self.record.unapproved:
                return NO_ANSWER
            self.record = replace(self.record, unapproved=(*self.record.unapproved, task.id))
            words = ("check", str(task.id), "--approve", "--plan", visible(self.record.key))
            facts = {"task": task.id, "approve": self._commands.spell(*words)}
            return HostAnswer(
                self._text("host_check_unapproved", **facts),
                self._text("host_check_unapproved_notice", **facts),
            )
        problem = one_line(explain(refusal.error, self._language), _PROBLEM)
        check = self._commands.spell("check", str(task.id))
        name = one_line(task.name, _NAME)
        told = self._text("host_check_red", problem=problem, name=name, check=check)
        output = quote_lines(refusal.output, _OUTPUT) if shows_output else ""
        if output:
            shown = self._text("host_check_output", output=output)
            told = f"{told}\n\n{shown}"
        return HostAnswer(told, problem)

    def _explain_guard(self) -> str:
        def write(state: PlanState) -> str:
            tasks = [task for task in state.tasks_in_order() if not task.finished]
            names = [f"{task.id} {one_line(task.name, _NAME)}" for task in tasks[:5]]
            first = state.current_task(self.plan.actor) or state.next_ready() or tasks[0].id
            skip = self._commands.spell("skip", "N", '"REASON"')
            more = ["…"] if len(tasks) > len(names) else []
            shown = listing((*names, *more), self._language)
            return self._text("host_guard", count=len(tasks), names=shown, next=first, skip=skip)

        return self.plan.core.read(write)

    # What the user is told, and what the shell shows

    def _announce_questions(self, state: PlanState) -> str:
        """Return that questions wait which the user was not told of: a prompt answers none."""
        waiting = [question.id for question in state.open_questions()]
        if not waiting or waiting[-1] <= self.record.announced:
            return ""
        self.record = replace(self.record, announced=waiting[-1])
        show = self._commands.spell("show", "--plan", visible(self.record.key))
        return self._text("host_question", count=len(waiting), show=show)

    def _progress_text(self, key: str, state: PlanState, **values: object) -> str:
        progress = state.progress
        return self._text(key, done=progress.current, total=progress.total, **values)

    def _text(self, key: str, **values: object) -> str:
        return text(key, self._language, key=visible(self.record.key), **values)

    def offers(self) -> Offers:
        """Return what the shell may show by itself until the plan changes.

        What it is to show counts as shown.
        """
        return self.plan.core.read(self._write_offers)

    def _write_offers(self, state: PlanState) -> Offers:
        step, strikes = self._step(state), bool(state.ledger.strikes)
        before_tool: str | None = "" if self._is_step_told else None
        for context in self._changed_step(step):
            before_tool = write_answer(self.record.host, self._step_moment, HostAnswer(context))
        limit = self._settings.rules.error_strike_limit
        errors = sorted(state.notes.errors.values(), key=lambda error: error.at)
        recent = errors[-_RECENT_ERRORS:]
        is_failing = limit <= 1 or any(error.count >= limit - 1 for error in recent)
        return Offers(
            before_tool=before_tool,
            reminder=self._reminder(state, step),
            views=self._settings.rules.action_threshold,
            status_line=self._status_line(state),
            decides_tools=bool(self._hooks) or strikes,
            decides_failures=bool(self._hooks) or strikes or is_failing,
        )

    def _reminder(self, state: PlanState, step: tuple[str, str] | None) -> str | None:
        """Return the reminder to keep findings and report the task, if it is a new one (R4.06)."""
        task, shown = state.current_task(self.plan.actor), _digest(*step or ())
        if task is None:
            return ""
        if shown == self.record.reminded_step:
            return None
        self.record = replace(self.record, reminded_step=shown)
        note = self._commands.spell("note", '"FINDING"')
        complete = self._commands.complete(task)
        context = self._text("host_reminder", task=task, complete=complete, note=note)
        moment: Moment = "batch" if self.record.host == "claude-code" else "post-tool"
        return write_answer(self.record.host, moment, HostAnswer(context))

    def status_line(self) -> str:
        """Return progress, task and proof: `add-oauth 3/9 ▸ fix callback · proof 2/3`."""
        return self.plan.core.read(self._status_line)

    def _status_line(self, state: PlanState) -> str:
        line = f"{visible(state.key)} {state.finished_count}/{len(state.tasks)}"
        task = state.tasks.get(state.current_task(self.plan.actor) or state.next_ready() or 0)
        if task is not None:
            line += f" ▸ {one_line(task.name, _NAME)}"
        checked = [each for each in state.tasks.values() if each.checks]
        if not checked:
            return line
        proved = sum(each.how == "proved" and each.status == "completed" for each in checked)
        proof = text("status_proof", self._language, proved=proved, checked=len(checked))
        return f"{line} · {proof}"


class _AttachedPlan:
    """The plan of the session, for the rules."""

    is_visible = True

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def find(self) -> Plan:
        """Return the plan."""
        return self._plan

    def get_or_create(self) -> Plan:
        """Return the plan; an attached session has one."""
        return self._plan


def _digest(*parts: str) -> str:
    """Return what tells texts apart; empty for none."""
    joined = "\0".join(parts)
    return f"{len(joined)}-{crc32(joined.encode()):08x}" if parts else ""


def _answer_of(result: HookResult, moment: str = "") -> HostAnswer:
    """Return what hooks want; only a tool, a prompt and a stop can be refused."""
    if result.should_continue or moment not in ("pre-tool", "prompt", "stop"):
        return HostAnswer(result.inject_context, result.notification)
    reason = result.inject_context or result.notification or text("hook_refused")
    return HostAnswer(notice=result.notification, reason=reason)
