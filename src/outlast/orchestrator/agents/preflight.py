"""A preflight: let an agent write a word into a file of the workspace, and look whether it did.

Hours of work are lost if an agent turns out in the night to be not logged in, or not permitted to
write. An agent that may only read has to find a word instead.
"""

from __future__ import annotations

from asyncio import timeout
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.agent.work import Agent, Permissions, WorkOrder, WorkProgress, WorkResult
from outlast.errors import StoreError
from outlast.language import Language, clauses, text
from outlast.system.clock import new_uuid, now
from outlast.system.logs import LOG
from outlast.system.threads import call_in_pool
from outlast.system.workspace_root import read_small_file

if TYPE_CHECKING:
    from outlast.system.state_home import StateHome

SECONDS: Final = 60.0
_GRACE_SECONDS: Final = 5.0  # for an agent to end that was told to
_KIND: Final = "preflights"
_PREFIX: Final = ".outlast-preflight-"
_FILE: Final = "word.txt"
_SAID_CHARACTERS: Final = 200


class AgentPreflight:
    """Tries an agent in a workspace, with the permissions that it will have.

    The user's state remembers for a day that it could work.
    """

    def __init__(  # noqa: PLR0913 - one keyword for each choice
        self,
        agent: Agent,
        workspace: str,
        memory: StateHome,
        *,
        permissions: Permissions = "edit",
        language: Language = "en",
        seconds: float = SECONDS,
    ) -> None:
        """Remember what to try; nothing is run yet."""
        self._agent, self._workspace, self._memory = agent, workspace, memory
        self._permissions, self._language, self._seconds = permissions, language, seconds
        about = f"{agent.name}\n{workspace}\n{permissions}"
        self._name = sha256(about.encode(errors="surrogateescape")).hexdigest()

    async def is_needed(self) -> bool:
        """Return whether the agent has not shown yet today that it can work here."""
        return await call_in_pool(self._last_success) != _today()

    async def run(self) -> WorkResult:
        """Let the agent work for at most a minute; leave nothing behind."""
        directory = await call_in_pool(lambda: mkdtemp(prefix=_PREFIX, dir=self._workspace))
        try:
            result = await self._try(Path(directory, _FILE))
        finally:
            await call_in_pool(lambda: rmtree(directory, ignore_errors=True))
        if not result.error:
            await call_in_pool(self._remember)
        return result

    async def _try(self, path: Path) -> WorkResult:
        word, is_reader = f"preflight-{new_uuid()[:8]}", self._permissions == "read"
        if is_reader:
            await call_in_pool(lambda: path.write_text(word, "utf-8"))
        result = await self._work(f"{path.parent.name}/{path.name}", word)
        if result.session:
            await self._agent.end_session(result.session)
        if is_reader:
            said = result.report.results if result.report else ""
            is_done = word in said
        else:
            is_done = await call_in_pool(lambda: read_small_file(str(path)).strip()) == word
        if is_done:
            return replace(result, error="", code="")
        return replace(result, error=self._problem(result))

    async def _work(self, path: str, word: str) -> WorkResult:
        key = "preflight_read" if self._permissions == "read" else "preflight_write"
        order = WorkOrder(
            f"task-{new_uuid()}",
            0,
            text("preflight_task", self._language),
            text(key, self._language, file=path, word=word),
            permissions=self._permissions,
            timeout=self._seconds,
        )
        try:
            async with timeout(self._seconds + _GRACE_SECONDS):
                return await self._agent.work(order, WorkProgress())
        except TimeoutError:
            seconds = f"{self._seconds:g}"
            return WorkResult(error=text("agent_too_slow", self._language, seconds=seconds))

    def _problem(self, result: WorkResult) -> str:
        if result.denied:
            return text("agent_denied", self._language, calls=list(result.denied))
        if result.error:
            last = next(iter(result.tail.splitlines()[-1:]), "")[:_SAID_CHARACTERS]
            return clauses(filter(None, (result.error, last)), self._language)
        said = result.report.pitfalls or result.report.results if result.report else ""
        return text("preflight_not_done", self._language, says=said[:_SAID_CHARACTERS])

    def _last_success(self) -> str:
        try:
            return self._memory.read_value(_KIND, self._name)
        except StoreError:
            return ""

    def _remember(self) -> None:
        try:
            self._memory.write_value(_KIND, self._name, _today())
        except StoreError as error:
            LOG.warning("a preflight cannot be remembered: %s", error)


def _today() -> str:
    return now().date().isoformat()
