"""The worker: the other side of a mailbox. It claims commands, drives an agent, and reports.

Any number of workers may serve one mailbox. A command is claimed by one of them; the command of a
worker that died is settled with its agent, never carried out again without a word.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.agent.work import Report, WorkOrder, WorkProgress, WorkResult
from outlast.errors import OutlastError, StoreError
from outlast.language import explain, text
from outlast.orchestrator.agents.mailbox.claims import Claims
from outlast.orchestrator.agents.mailbox.command_file import AUTO
from outlast.orchestrator.agents.mailbox.completeness import BRIEF_SECONDS, CompletenessJudge
from outlast.redact.secrets import redact
from outlast.system.directory_watch import DirectoryWatch
from outlast.system.logs import LOG
from outlast.system.threads import call_in_pool, call_to_end

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.agent.work import Agent, Permissions
    from outlast.language import Language
    from outlast.orchestrator.agents.mailbox.claims import ClaimedCommand
    from outlast.orchestrator.agents.mailbox.command_file import CommandFile
    from outlast.orchestrator.agents.mailbox.mailbox import Mailbox

POLL_SECONDS: Final = 5.0
_GRACE_SECONDS: Final = 30.0
_PROBLEM_CHARACTERS: Final = 20_000
_SHOWN_CHARACTERS: Final = 100


class Worker:
    """Serves a mailbox with one agent, one command after the other."""

    def __init__(  # noqa: PLR0913 - one keyword for each choice
        self,
        mailbox: Mailbox,
        agent: Agent,
        *,
        permissions: Permissions = "edit",
        timeout: float = 600.0,
        poll: float = POLL_SECONDS,
        grace: float = _GRACE_SECONDS,
        language: Language = "en",
        on_text: Callable[[str], object] = lambda _: None,
    ) -> None:
        """Let an agent work for at most `timeout` seconds on each command.

        It ends itself then; one that does not is cancelled after `grace` seconds more.
        """
        self._mailbox, self._agent, self._claims = mailbox, agent, Claims(mailbox)
        self._permissions, self._timeout, self._grace = permissions, timeout, grace
        self._poll, self._judge = poll, CompletenessJudge(poll)
        self._language, self._on_text = language, on_text
        self._is_near, self._count = False, 0

    async def serve(self, *, once: bool = False) -> int:
        """Carry out commands until cancelled, or with `once` until none waits; return how many.

        The end of a session is not counted.
        """
        watch = DirectoryWatch(self._claims.directories)
        try:
            while True:
                if await self.work_once():
                    continue
                if once and not await call_in_pool(self._claims.waiting_commands):
                    return self._count
                await watch.wait(BRIEF_SECONDS if self._is_near else self._poll)
        except asyncio.CancelledError:
            return self._count
        finally:
            watch.close()

    async def work_once(self) -> bool:
        """Carry out one command, or settle one of a dead worker; return whether there was one."""
        abandoned = await call_to_end(self._claims.take_abandoned)
        if abandoned is not None:
            await self._settle(abandoned)
            self._count += 1
            return True
        claimed = await call_to_end(self._claim)
        if claimed is None:
            return False
        if not await self._finish_answered(claimed):
            await self._carry_out(claimed)
        self._count += claimed.command.command_type != "end"
        return True

    def _claim(self) -> ClaimedCommand | None:
        """Claim the oldest command that is complete; report what is none."""
        self._is_near = False
        for command in self._claims.waiting_commands():
            verdict = self._judge.judge(
                command.id, command.stamp, is_closed=command.is_closed, is_valid=not command.problem
            )
            if verdict == "broken":
                LOG.warning("%s", command.problem)
                self._claims.refuse(command)
            claimed = self._claims.claim(command.id) if verdict == "complete" else None
            if claimed is not None:
                self._judge.forget(command.id)
                return claimed
            self._is_near |= verdict == "growing" and command.is_closed and not command.problem
        return None

    async def _carry_out(self, claimed: ClaimedCommand) -> None:
        command = claimed.command
        if command.command_type == "end":
            await self._end_session(command)
            await call_in_pool(partial(self._claims.finish, claimed))
            return
        self._say("worker_begins", command=command.id, about=_first_line(command.description))
        try:
            result = await self._work(claimed)
        except asyncio.CancelledError:
            stopped = Report("PARTIAL_SUCCESS", pitfalls=text("worker_stopped", self._language))
            session = self._claims.read_note(claimed).session or _session_of(command)
            self._claims.answer(claimed, replace(stopped, session_id=session))
            self._say("worker_reported", command=command.id, status=stopped.status)
            raise
        await self._report(claimed, result)

    async def _work(self, claimed: ClaimedCommand) -> WorkResult:
        """Let the agent work on a command; whatever it raises, it failed."""
        command = claimed.command
        await call_in_pool(partial(self._claims.note_work, claimed, _session_of(command)))

        def note_session(session: str) -> None:
            try:
                self._claims.note_work(claimed, session)
            except StoreError as error:  # the work goes on
                LOG.warning("%s", explain(error, "en"))

        order = WorkOrder(
            command.id,
            0,
            text("worker_task", self._language),
            command.description,
            command.constraints,
            command.expected,
            session=_session_of(command),
            permissions=self._permissions,
            timeout=self._timeout,
        )
        try:
            async with asyncio.timeout(self._timeout + self._grace):
                return await self._agent.work(order, WorkProgress(self._on_text, note_session))
        except TimeoutError:
            seconds = f"{self._timeout:g}"
            return WorkResult(error=text("agent_too_slow", self._language, seconds=seconds))
        except Exception as error:  # noqa: BLE001 - an agent may be anybody's
            problem = explain(error, self._language) if isinstance(error, OutlastError) else error
            return WorkResult(error=f"{problem}")

    async def _end_session(self, command: CommandFile) -> None:
        try:
            await self._agent.end_session(_session_of(command))
        except Exception:
            LOG.exception("%s failed to end a session", self._agent.name)

    async def _settle(self, claimed: ClaimedCommand) -> None:
        """Finish the command of a dead worker: with its report, or what its agent knows.

        If that is nothing, the sender is told, and decides whether to try again. An agent that
        never started is started now.
        """
        command = claimed.command
        if await self._finish_answered(claimed):
            return
        note = await call_in_pool(partial(self._claims.read_note, claimed))
        if not note.has_started:
            await self._carry_out(claimed)
            return
        try:
            result = await self._agent.settle(command.id, note.session)
        except Exception:
            LOG.exception("%s failed to settle an order", self._agent.name)
            result = None
        if result is None:
            interrupted = text("worker_died", self._language)
            report = Report("PARTIAL_SUCCESS", note.session, pitfalls=interrupted)
            result = WorkResult(report, note.session)
        await self._report(claimed, result)

    async def _finish_answered(self, claimed: ClaimedCommand) -> bool:
        """Finish a command that has a report; return whether it has.

        A worker that died had written it, or somebody who has not claimed the command.
        """
        if not await call_in_pool(partial(self._mailbox.has_report, claimed.command.id)):
            return False
        await call_in_pool(partial(self._claims.finish, claimed))
        return True

    async def _report(self, claimed: ClaimedCommand, result: WorkResult) -> None:
        """Write the report of the agent; without one, that it failed and why.

        On a disk that is full or read-only it waits: the work must not be lost.
        """
        report, told, command = _make_report(result), "", claimed.command.id
        while True:
            try:
                await call_in_pool(partial(self._claims.answer, claimed, report))
            except StoreError as error:
                problem = explain(error, self._language)
                if problem != told:
                    told, facts = problem, {"seconds": f"{self._poll:g}", "problem": problem}
                    self._say("worker_waits_for_disk", command=command, **facts)
                await asyncio.sleep(self._poll)
            else:
                self._say("worker_reported", command=command, status=report.status)
                return

    def _say(self, key: str, **facts: str) -> None:
        self._on_text(text(key, self._language, **facts))


def _make_report(result: WorkResult) -> Report:
    report = result.report
    if report is None:
        problem = "\n".join(filter(None, (result.error, result.tail)))
        report = Report("FAILED", pitfalls=problem[-_PROBLEM_CHARACTERS:])
    return replace(
        report,
        results=redact(report.results or report.content),
        pitfalls=redact(report.pitfalls),
        next_steps=redact(report.next_steps),
        session_id=report.session_id or result.session,
        denied=result.denied,
        spent=result.spent,
    )


def _first_line(description: str) -> str:
    return description.strip().partition("\n")[0][:_SHOWN_CHARACTERS]


def _session_of(command: CommandFile) -> str:
    return "" if command.session_id == AUTO else command.session_id
