"""The agent behind a mailbox: orders go out and reports come back as files (R1.02 to R1.06)."""

from __future__ import annotations

from functools import partial
from shlex import quote
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.agent.work import AT_WORK, TIMED_OUT, WorkOrder, WorkProgress, WorkResult
from outlast.errors import StoreError
from outlast.language import Language, explain, text, with_details
from outlast.orchestrator.agents.mailbox.folder import BRIEF_SECONDS, CompletenessJudge
from outlast.orchestrator.agents.mailbox.mailbox_files import AUTO, CommandFile, is_command_id
from outlast.system.clock import monotonic, new_uuid, now
from outlast.system.logs import LOG
from outlast.system.threads import call_in_pool
from outlast.system.watch.directory_watch import DirectoryWatch

if TYPE_CHECKING:
    from outlast.orchestrator.agents.mailbox.folder import Completeness
    from outlast.orchestrator.agents.mailbox.mailbox import Mailbox, PendingReport

POLL_SECONDS: Final = 5.0
PATIENCE: Final = 600.0
NO_PROGRESS: Final = WorkProgress()
_LATE_CHARACTERS: Final = 8_000
_UNCLAIMED_SECONDS: Final = 5.0  # after which a person is told to start a worker


class MailboxAgent:
    """Sends each order as a command file and waits for its report.

    A report that comes after its order was given up is set aside, and goes to who judges the next
    attempt of the same task.
    """

    name = "mailbox"
    outlives_run = True  # workers go on with what they have claimed

    def __init__(
        self,
        mailbox: Mailbox,
        *,
        poll: float = POLL_SECONDS,
        patience: float = PATIENCE,
        language: Language = "en",
    ) -> None:
        """Use a mailbox; look into it at least every `poll` seconds.

        `patience` is how long to wait, after a crash, for the report about an order sent before.
        """
        self._mailbox, self._poll, self._language = mailbox, poll, language
        self._patience = patience
        self.own_directories = (mailbox.root,)
        self._expected: set[str] = set()

    async def work(self, order: WorkOrder, progress: WorkProgress) -> WorkResult:
        """Send a command and wait for its report, or withdraw it when its time is up."""
        command = _command(order, self._language)
        self._expected.add(order.id)
        path = await call_in_pool(lambda: self._mailbox.send(command))
        progress.say(text("order_sent", self._language, file=path))
        about = f"{order.plan} {order.task}"
        result = await self.wait(order.id, order.timeout, progress, about)
        return replace(result, late=await call_in_pool(partial(self._late_text, about)))

    async def settle(self, order: str, session: str) -> WorkResult | None:
        """Wait for the report about an order that was sent before a crash; never send it again."""
        del session
        if not is_command_id(order):  # of a stranger's plan
            return None
        ended = await call_in_pool(partial(self._mailbox.find_ended_report, order))
        if ended is not None:
            return self._result(ended)
        state = await call_in_pool(partial(self._mailbox.command_state, order))
        is_there = await call_in_pool(partial(self._mailbox.find_report, order))
        if state in ("absent", "withdrawn") and is_there is None:
            key = "order_never_sent" if state == "absent" else "order_withdrawn"
            return WorkResult(error=text(key, self._language))
        return await self.wait(order, self._patience)

    async def end_session(self, session: str) -> None:
        """Send the command that ends a session; no report is awaited."""
        id_ = f"task-{new_uuid()}"
        command = CommandFile(id_, now(), "", session_id=session, command_type="end")
        await call_in_pool(lambda: self._mailbox.send(command))

    async def wait(
        self, order: str, seconds: float, progress: WorkProgress = NO_PROGRESS, about: str = ""
    ) -> WorkResult:
        """Wait so many seconds for the report about an order; then give it up.

        A report that comes later is kept for the next order `about` the same.
        """
        self._expected.add(order)
        news = _News(self._mailbox, order, progress, self._language)
        judge, watch = CompletenessJudge(self._poll), DirectoryWatch((self._mailbox.reports.path,))
        end = monotonic() + seconds
        try:
            while True:
                found, ended = await call_in_pool(partial(self._look, order))
                if ended is not None:
                    return self._result(ended)
                if found is not None and _judge(judge, found) != "growing":
                    return await call_in_pool(partial(self._accept, found))
                await news.tell()
                left = end - monotonic()
                if left <= 0:
                    return await call_in_pool(partial(self._give_up, order, seconds, found, about))
                is_near = found is not None and found.is_closed and found.report is not None
                await watch.wait(min(BRIEF_SECONDS if is_near else self._poll, left))
        finally:
            watch.close()
            self._expected.discard(order)

    def _look(self, order: str) -> tuple[PendingReport | None, PendingReport | None]:
        """Return the report about an order, and one that another run has accepted meanwhile.

        A mailbox that cannot be used for a while is waited for like the report.
        """
        try:
            for name, reason in self._mailbox.set_strays_aside(frozenset(self._expected)).items():
                LOG.warning("%s was set aside: %s", name, reason)
            found = self._mailbox.find_report(order)
            ended = None if found is not None else self._mailbox.find_ended_report(order)
        except StoreError as error:
            LOG.warning("%s", explain(error, "en"))
            return None, None
        return found, ended

    def _late_text(self, about: str) -> str:
        """Return what the late reports about something say; nothing if they cannot be read."""
        try:
            late = self._mailbox.take_late_reports(about)
        except StoreError as error:
            LOG.warning("%s", explain(error, "en"))
            return ""
        texts = (f"{report.status}\n{report.content}".strip() for report in late)
        return "\n\n".join(texts)[:_LATE_CHARACTERS]

    def _accept(self, found: PendingReport) -> WorkResult:
        if found.report is None:
            self._mailbox.quarantine(found.name, found.problem)
        else:
            self._mailbox.accept(found)
        return self._result(found)

    def _result(self, found: PendingReport) -> WorkResult:
        report = found.report
        if report is not None:
            return WorkResult(report, report.session_id, report.spent, report.denied)
        problem = found.problem.removeprefix(f"{self._mailbox.reports.path}/")
        where = self._mailbox.quarantine_path
        return WorkResult(
            error=text("report_set_aside", self._language, problem=problem, where=where)
        )

    def _give_up(
        self, order: str, seconds: float, found: PendingReport | None, about: str
    ) -> WorkResult:
        """Withdraw a command that nobody claimed; one that was claimed may still be worked on."""
        try:
            is_withdrawn = self._mailbox.give_up(order, about)
        except StoreError as error:
            return WorkResult(error=explain(error, self._language), code=AT_WORK)
        key = "order_unclaimed" if is_withdrawn and found is None else "order_timed_out"
        facts = {"seconds": f"{seconds:g}", "mailbox": quote(self._mailbox.root)}
        problem = text(key, self._language, **facts)
        if found is None:
            return WorkResult(error=problem, code=TIMED_OUT if is_withdrawn else AT_WORK)
        self._mailbox.quarantine(found.name, found.problem)  # somebody has begun to write it
        return WorkResult(error=with_details(problem, found.problem, self._language), code=AT_WORK)


class _News:
    """Tells once that an order was claimed, or that nobody has done so for some seconds."""

    def __init__(
        self, mailbox: Mailbox, order: str, progress: WorkProgress, language: Language
    ) -> None:
        self._mailbox, self._order = mailbox, order
        self._progress, self._language = progress, language
        self._since, self._is_claimed, self._was_told = monotonic(), False, False

    async def tell(self) -> None:
        if self._is_claimed or self._progress is NO_PROGRESS:
            return
        try:
            state = await call_in_pool(partial(self._mailbox.command_state, self._order))
        except StoreError:
            return
        if state != "pending":
            self._is_claimed = True
            self._progress.say(text("order_claimed", self._language))
        elif not self._was_told and monotonic() - self._since >= _UNCLAIMED_SECONDS:
            self._was_told = True
            hint = text("order_waits", self._language, mailbox=quote(self._mailbox.root))
            self._progress.say(hint)


def _judge(judge: CompletenessJudge, found: PendingReport) -> Completeness:
    if found.is_refused:
        return "broken"
    is_valid = found.report is not None
    return judge.judge(found.name, found.stamp, is_closed=found.is_closed, is_valid=is_valid)


def _command(order: WorkOrder, language: Language) -> CommandFile:
    parts = (order.name, order.description, order.context, order.advice)
    limits = (
        order.constraints,
        _list(text("order_files", language), order.files),
        _list(text("order_protect", language), order.protect),
    )
    return CommandFile(
        order.id,
        now(),
        "\n\n".join(part for part in parts if part.strip()),
        "\n\n".join(part for part in limits if part.strip()),
        order.expected,
        order.checks,
        order.session or AUTO,
        "continue" if order.session else "new",
    )


def _list(title: str, items: tuple[str, ...]) -> str:
    return "\n".join((f"{title}:", *(f"- {item}" for item in items))) if items else ""
