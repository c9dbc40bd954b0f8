"""`Assistant`: slash commands about todos and appointments, and tasks for the replan loop."""

# ruff: noqa: TC001, TC003 - public signatures are read at run time
from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from datetime import date, datetime, tzinfo
from errno import EINVAL
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Final, Self

from msgspec import structs

from outlast.agent.agent_loop import AgentLoop, RunResult
from outlast.agent.agent_spec import AgentSpec, PlanRef, Replan, check_model, check_options
from outlast.agent.events import AssistantReply, Event, Replied, ReplyKind, StopReason
from outlast.agent.loops.replan_loop.progress import plain
from outlast.agent.runtime.listeners import send_event
from outlast.assistant.agenda.commands import Agenda
from outlast.assistant.conversation import Turn, choose_task, choose_turn
from outlast.assistant.search.port import SearchProvider
from outlast.assistant.slash.answers import AgendaWriter, answer_request
from outlast.assistant.slash.forms import CancelTask, ShowHelp, ShowPlan
from outlast.assistant.slash.parse import parse_slash_command
from outlast.assistant.tasks import PendingPlanTask, TaskPlans, goal_line, task_lines, task_page
from outlast.assistant.tools import assistant_tools, open_agenda, search_provider
from outlast.config.settings import Settings
from outlast.context.chat_model import Model
from outlast.errors import (
    InvalidArgument,
    InvalidStatus,
    OutlastError,
    PlanNotFound,
    StoreError,
    TaskClaimed,
)
from outlast.language import Language, explain, text, visible
from outlast.model.intents import is_slash_command
from outlast.model.limits import LARGEST_ID, check_flag, check_name, check_number, wrong_type_error
from outlast.plan.home.find import is_url
from outlast.plan.plans import MEMORY
from outlast.system.clock import Clock, find_zone, now
from outlast.system.state_home import data_home
from outlast.system.threads import call_in_pool, call_to_end, run_coroutine

_OWN: Final = "outlast"
_KINDS: Final[dict[StopReason, ReplyKind]] = {
    "answered": "answer",
    "waiting": "question",
    "limit": "limit",
    "unavailable": "unavailable",
}


class Assistant:
    """Answers one input at a time: a slash command, the answer to a question, or a new task.

    Slash commands need no model. Each task is a plan in `store`: a directory or the database of a
    URL, by default the directory of the settings, else the user's data directory. It survives the
    process: another `Assistant` on the same store finds the question that waits. Todos and
    appointments are in `agenda`, by default a database beside the plans. `search` is what
    `internet_search` uses; without one the model has no such tool. A task may take `max_steps`
    steps; with `review` a person approves each change of its plan. `listener` gets every event of
    the work. `width` tells how many columns tables may have. What is None is taken from `settings`;
    without them the defaults apply, and no file and no variable is read.
    """

    def __init__(  # noqa: PLR0913 - one keyword for each choice
        self,
        model: Model | str | None = None,
        store: str | os.PathLike[str] | None = None,
        *,
        language: Language | None = None,
        settings: Settings | None = None,
        agenda: Agenda | None = None,
        search: SearchProvider | None = None,
        max_steps: int | None = None,
        review: bool | None = None,
        listener: Callable[[Event], object] | None = None,
        width: Callable[[], int] | None = None,
        clock: Clock = now,
        zone: tzinfo | None = None,
    ) -> None:
        """Validate the options; nothing is opened, created or called yet."""
        if model is not None:
            check_model(model)
        check_options(
            language=language,
            settings=settings,
            agenda=agenda,
            search=search,
            listener=listener,
            width=width,
            clock=clock,
            zone=zone,
        )
        known = settings or Settings()
        self._settings, how = known, known.assistant
        self._model: Model | str = known.loop.model if model is None else model
        self._language: Language = language or ("zh" if known.language == "zh" else "en")
        steps = how.max_steps if max_steps is None else max_steps
        self._max_steps = check_number(steps, "max_steps", 1, LARGEST_ID)
        self._review = check_flag(how.review if review is None else review, "review")
        self._tasks = TaskPlans(_find_store(store, how.directory), self._language)
        self._listener, self._width, self._clock = listener, width, clock
        self._zone = find_zone(how.time_zone) if zone is None else zone
        self._agenda = agenda or open_agenda(self._tasks.where, clock, self._zone)
        self._search = search or search_provider(known.search)
        self._turn: asyncio.Task[AssistantReply] | None = None
        self._loop: AgentLoop | None = None
        self._busy = Lock()
        self._key = ""  # of the task that is worked on
        self._asked = self._question = ""  # the key of the task whose question was shown last
        self._stream: Callable[[Event], object] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.cancel()

    # What people say

    def handle(self, line: str) -> AssistantReply:
        """Answer an input; `ahandle` is for programs with an event loop."""
        return run_coroutine(self.ahandle(line))

    async def ahandle(self, line: str) -> AssistantReply:
        """Answer an input.

        Raises `InvalidStatus` while another one is being answered. What is wrong with the input,
        the task or the store is a reply of the kind `error`.
        """
        return await self._handle(line)

    async def _handle(
        self, line: str, stream: Callable[[Event], object] | None = None
    ) -> AssistantReply:
        if not isinstance(line, str):
            raise wrong_type_error("line", "str", line)
        if not self._busy.acquire(blocking=False):
            raise InvalidStatus("assistant_busy")
        self._stream = stream
        try:
            return await self._answer(line.encode(errors="replace").decode().strip())
        except TaskClaimed as error:
            return self._reply("error", "task_elsewhere", problem=error)
        except PlanNotFound:
            return self._reply("stopped", "task_gone")
        except OutlastError as error:
            return AssistantReply(plain(explain(error, self._language)), "error")
        finally:
            self._stream = None
            self._busy.release()

    async def stream(self, line: str) -> AsyncGenerator[Event, None]:
        """Answer an input; yield what happens meanwhile, at last `Replied` with the reply.

        Leaving the iteration cancels the turn.
        """
        events, loop = asyncio.Queue[Event | None](), asyncio.get_running_loop()

        def put(event: Event | None) -> None:
            loop.call_soon_threadsafe(events.put_nowait, event)

        async def answer() -> AssistantReply:
            try:
                return await self._handle(line, put)
            finally:
                put(None)

        answering = asyncio.create_task(answer())
        try:
            while (event := await events.get()) is not None:
                yield event
            yield Replied(await answering)
        finally:
            answering.cancel()
            await asyncio.wait((answering,))

    def cancel(self) -> None:
        """Stop the turn at work, if there is one; its task is paused. Thread-safe."""
        turn = self._turn
        if turn is not None:
            with suppress(RuntimeError):  # it has ended meanwhile, and its event loop too
                turn.get_loop().call_soon_threadsafe(self._cancel_turn, turn)

    def _cancel_turn(self, turn: asyncio.Task[AssistantReply]) -> None:
        if self._loop is not None:
            self._loop.cancel()  # if its work is over already, the reply says so
        elif self._turn is turn:
            turn.cancel()

    # What waits

    def pending_task(self) -> PendingPlanTask | None:
        """Return the task at hand: the one that waits for an answer, else the one changed last."""
        return choose_task(self._tasks.list_unfinished(), self._asked)

    def tasks(self) -> list[PendingPlanTask]:
        """Return the tasks that are not over, those changed last first."""
        return self._tasks.list_unfinished()

    def reminders(self) -> tuple[str, ...]:
        """Return a line for each reminder that has fallen due; each is given once."""
        writer = self._writer()
        return tuple(map(writer.reminder_line, self._agenda.claim_reminders(self._clock())))

    def missed_answers(self) -> tuple[str, ...]:
        """Return the answers of tasks whose process ended before it could reply.

        Each is given once.
        """
        missed = self._tasks.take_missed()
        return tuple(self._show_missed(each.goal, each.answer) for each in missed)

    def _show_missed(self, goal: str, answer: str) -> str:
        return text("answer_missed", self._language, goal=goal_line(goal), answer=plain(answer))

    def today(self) -> date:
        """Return the day that it is now in the time zone of the user."""
        return self._local_time().date()

    @property
    def agenda(self) -> Agenda:
        """The todos and appointments."""
        return self._agenda

    @property
    def model_name(self) -> str:
        """The name of the model; empty without one."""
        model = self._model
        return model if isinstance(model, str) else str(getattr(model, "name", ""))

    # One turn

    async def _answer(self, line: str) -> AssistantReply:
        if is_slash_command(line):  # it works without a model, and whatever has become of tasks
            return await call_to_end(partial(self._run_slash_command, line))
        tasks = await call_in_pool(self._tasks.list_unfinished)
        turn = choose_turn(line, tasks, self._asked, self._question)
        match turn.kind:
            case "blank":
                return self._reply("error", "input_blank")
            case "cancel":
                return await call_to_end(partial(self._cancel_task, turn.task))
            case "question_gone":
                return self._refuse_answer(turn.task)
            case "nothing_to_continue":
                return self._reply("error", "nothing_to_continue")
        return await self._work(line, turn)

    def _refuse_answer(self, waiting: PendingPlanTask | None) -> AssistantReply:
        """Say that the question is gone, and show the one that the next input answers."""
        reply, self._asked = self._reply("stopped", "question_gone"), ""
        if waiting is None:
            return reply
        self._asked, self._question = waiting.key, waiting.question_shown
        return AssistantReply(f"{reply.text}\n{self._question}", "question")

    async def _work(self, line: str, turn: Turn) -> AssistantReply:
        """Work on a task until it is over, a question waits, or something stops it."""
        self._key = turn.task.key if turn.task else ""
        self._turn = asyncio.create_task(self._run_loop(line, turn))
        try:
            return await self._turn
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if current is not None and current.cancelling():
                raise
            return await call_to_end(partial(self._reply_to_stop, turn))
        finally:
            self._turn = None

    async def _run_loop(self, line: str, turn: Turn) -> AssistantReply:
        try:
            model = await call_in_pool(self._find_model)
        except InvalidArgument as error:
            return AssistantReply(plain(explain(error, self._language)), "no_model")
        if model is None:
            return self._no_model()
        if turn.task is None:
            await call_to_end(partial(self._create_task, line))
        self._asked = ""
        self._loop = self._task_loop(self._key, model)
        try:
            result = await self._loop.run(line, resume=turn.kind == "continue")
        finally:
            self._loop = self._turn = None  # it cannot be stopped any more
        if result.why == "cancelled":
            return await call_to_end(partial(self._reply_to_stop, turn))
        return await call_to_end(partial(self._reply_to_run, self._key, result))

    def _create_task(self, goal: str) -> None:
        self._key = self._tasks.create(goal)

    def _reply_to_stop(self, turn: Turn) -> AssistantReply:
        """Say that the turn was stopped; drop a new task that no run has begun."""
        is_begun = turn.task is not None or (self._key and self._tasks.is_begun(self._key))
        if self._key and not is_begun:
            self._tasks.drop(self._key)
        return self._reply("cancelled", "turn_cancelled" if is_begun else "turn_not_begun")

    def _reply_to_run(self, key: str, result: RunResult) -> AssistantReply:
        """Return the reply to a run; archive its task if that is over or was never planned."""
        if result.why == "finished":  # another process has ended it
            return self._reply("stopped", "task_gone")
        kind = _KINDS.get(result.why, "stopped")
        if kind == "question":
            self._asked, self._question = key, result.text
        if kind == "unavailable" and self._tasks.is_planned(key):
            kept = text("task_kept", self._language)
            return AssistantReply(f"{result.text}\n{kept}", kind)
        if kind == "unavailable" or result.status in ("completed", "failed"):
            with suppress(PlanNotFound):  # a person has archived it
                self._tasks.drop(key)
        return AssistantReply(result.answer or result.text, kind)

    def _task_loop(self, key: str, model: Model) -> AgentLoop:
        tools = structs.replace(self._settings.tools, enabled=())  # a task has those below alone
        loop = Replan.from_settings(self._settings, review=self._review, in_chat=True)
        spec = AgentSpec(
            model=model,
            tools=assistant_tools(self._agenda, self._search, self._writer, self._language),
            loop=structs.replace(loop, max_iterations=self._max_steps),
            plan=PlanRef(workdir=self._tasks.where, key=key),
            settings=structs.replace(self._settings, tools=tools),
            on_event=self._listen,
            language=self._language,
            clock=self._local_time,
        )
        return AgentLoop.from_spec(spec)

    def _listen(self, event: Event) -> None:
        for listener in (self._listener, self._stream):
            send_event(listener, event)

    # Slash commands

    def _run_slash_command(self, line: str) -> AssistantReply:
        request = parse_slash_command(line, self._zone)
        match request:
            case ShowHelp():
                return AssistantReply(self._help(), "command")
            case ShowPlan():
                return AssistantReply(self._plan_page(), "command")
            case CancelTask():
                return self._cancel_task(self.pending_task())
            case _:
                return AssistantReply(
                    answer_request(request, self._agenda, self._writer_for_terminal()), "command"
                )

    def _cancel_task(self, task: PendingPlanTask | None) -> AssistantReply:
        if task is None:
            return self._reply("command", "no_task_to_cancel")
        self._tasks.drop(task.key)
        self._asked = ""
        return self._reply("command", "task_cancelled", goal=goal_line(task.goal))

    def _plan_page(self) -> str:
        tasks, language = self.tasks(), self._language
        task = choose_task(tasks, self._asked)
        parts = [task_page(task, language) if task else text("no_task", language)]
        parts.append(task_lines([each for each in tasks if each is not task], language))
        unreadable = self._tasks.find_unreadable()
        if unreadable:
            count, where = len(unreadable), self._where()
            parts.append(text("tasks_unreadable", language, count=count, where=where))
        return "\n\n".join(filter(None, parts))

    def _where(self) -> str:
        """Return where the tasks are, as it can be typed."""
        return shlex.quote(visible(self._tasks.where))

    def _help(self) -> str:
        from outlast.assistant.slash.forms import slash_help

        language, where = self._language, self._where()
        about = text("assistant_help", language, where=where)
        if not is_url(self._tasks.where):
            about += "\n" + text("assistant_look", language, where=where)
        return f"{slash_help(language)}\n\n{about}"

    # What it needs

    def _find_model(self) -> Model | None:
        if isinstance(self._model, str) and self._model:
            from outlast.agent.models.choice import find_model

            self._model = find_model(self._model, self._settings)
        return None if isinstance(self._model, str) else self._model

    def _no_model(self) -> AssistantReply:
        from outlast.config.files import user_file

        file = visible(user_file(os.environ))
        return self._reply("no_model", "assistant_no_model", file=file)

    def _local_time(self) -> datetime:
        return self._clock().astimezone(self._zone)

    def _writer(self) -> AgendaWriter:
        return AgendaWriter(self._language, self._zone, self._clock())

    def _writer_for_terminal(self) -> AgendaWriter:
        writer = self._writer()
        return writer if self._width is None else structs.replace(writer, width=self._width())

    def _reply(self, kind: ReplyKind, key: str, **values: object) -> AssistantReply:
        return AssistantReply(text(key, self._language, **values), kind)


def _find_store(given: str | os.PathLike[str] | None, setting: str) -> str:
    """Return where tasks are: as given, else in the settings, else in the user's data directory."""
    if given is None:
        own = Path(data_home(), _OWN)
        expanded = os.path.expanduser(setting)  # noqa: PTH111 - this one never fails
        return _check_directory(str(Path.home() / expanded if setting else own))
    store = check_name(os.fspath(given) if isinstance(given, os.PathLike) else given, "store")
    if store == MEMORY:
        raise InvalidArgument("assistant_not_in_memory", argument="store", value=store)
    return store if is_url(store) else _check_directory(str(Path(store).absolute()))


def _check_directory(where: str) -> str:
    if "\0" in where:
        problem = os.strerror(EINVAL)
        raise StoreError("assistant_directory_failed", where=visible(where), problem=problem)
    return where
