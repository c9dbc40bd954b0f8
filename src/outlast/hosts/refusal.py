"""A completion that was refused."""

from __future__ import annotations

from msgspec import Struct

from outlast.errors import CheckFailed, CheckNotApproved


class Refusal(Struct, frozen=True):
    """A task that was reported done and is not: its check fails, or is not approved."""

    task: int
    error: CheckFailed | CheckNotApproved
