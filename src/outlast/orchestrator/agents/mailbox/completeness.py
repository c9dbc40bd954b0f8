"""When a file is complete that somebody else may write in place (R1.03)."""

from __future__ import annotations

from typing import Final, Literal

from outlast.system.clock import monotonic

Completeness = Literal["growing", "complete", "broken"]
BRIEF_SECONDS: Final = 0.05  # in which a writer who closes a file and opens it again goes on


class CompletenessJudge:
    """Judges files by what is seen of them at each look.

    A file is complete if its front matter is valid and nobody has it open to write, or if it did
    not change for one poll. One without a valid front matter is broken if it was closed and did
    not change for one poll; while it is open, somebody may write it still.
    """

    def __init__(self, poll: float) -> None:
        """Take the seconds of one poll."""
        self._poll = poll
        self._seen: dict[str, tuple[tuple[int, ...], float]] = {}

    def judge(
        self, name: str, stamp: tuple[int, ...], *, is_closed: bool, is_valid: bool
    ) -> Completeness:
        """Judge a file; `stamp` changes with it."""
        at = monotonic()
        if self._seen.get(name, ((), 0.0))[0] != stamp:
            self._seen[name] = stamp, at
        quiet = at - self._seen[name][1]
        if is_valid and quiet >= (min(BRIEF_SECONDS, self._poll) if is_closed else self._poll):
            return "complete"
        if not is_valid and is_closed and quiet >= self._poll:
            return "broken"
        return "growing"

    def forget(self, name: str) -> None:
        """Forget a file that is no longer there."""
        self._seen.pop(name, None)
