"""The agent `shell`: runs the command of a task; no model is needed."""

from __future__ import annotations

from codecs import getincrementaldecoder
from typing import TYPE_CHECKING, Final

from outlast.agent.work import TIMED_OUT, Report, WorkOrder, WorkProgress, WorkResult
from outlast.language import Language, text
from outlast.redact.secrets import redact
from outlast.system.disk import describe_error
from outlast.system.environment import child_environment
from outlast.system.programs import OutputListener, run_program

if TYPE_CHECKING:
    from collections.abc import Collection

    from outlast.system.processes import ProcessResult

_SHELL: Final = "/bin/sh"
_TAIL_BYTES: Final = 4_000


class ShellAgent:
    """Runs the approved command of each task in the workspace; exit code 0 is a success.

    A command has no session and no memory: a retry runs it again.
    """

    name = "shell"

    def __init__(
        self, workspace: str, pass_env: Collection[str] = (), language: Language = "en"
    ) -> None:
        """Take the directory to run in; commands see the variables in `pass_env`."""
        self._workspace, self._pass_env, self._language = workspace, pass_env, language

    async def work(self, order: WorkOrder, progress: WorkProgress) -> WorkResult:
        """Run the command of a task until it ends or its time is up."""
        if not order.run:
            problem = text("task_without_command", self._language, task=order.task)
            return WorkResult(error=problem, code="INVALID_ARGUMENT")
        if not order.may_run:
            return WorkResult(denied=(order.run,))
        listener, decoder = OutputListener(progress.say), getincrementaldecoder("utf-8")("replace")
        try:
            ended = await run_program(
                (_SHELL, "-c", order.run),
                self._workspace,
                order.timeout,
                environment=child_environment(self._pass_env),
                on_output=lambda piece: listener.say(decoder.decode(piece)),
            )
        except (OSError, ValueError) as error:  # no process available, or a NUL in the command
            return WorkResult(error=describe_error(error))
        return self._result(ended, order.timeout)

    async def settle(self, order: str, session: str) -> WorkResult | None:
        """Return None: whether a command that was interrupted had its effect cannot be known."""
        del order, session
        return None

    async def end_session(self, session: str) -> None:
        """Do nothing: commands have no session."""
        del session

    def _result(self, ended: ProcessResult, seconds: float) -> WorkResult:
        tail = redact(ended.tail[-_TAIL_BYTES:].decode(errors="replace")).strip()
        if ended.how != "exit":
            problem = text("agent_too_slow", self._language, seconds=f"{seconds:g}")
            return WorkResult(exit_code=ended.code, tail=tail, error=problem, code=TIMED_OUT)
        says = text("command_ended", self._language, code=ended.code)
        if ended.code or not tail:
            results = f"{says}\n{tail}".strip()
        else:  # the last line of a success says most
            results = tail if "\n" not in tail else f"{tail.splitlines()[-1].strip()}\n\n{tail}"
        report = Report("FAILED" if ended.code else "SUCCESS", results=results)
        return WorkResult(report, exit_code=ended.code, tail=tail)
