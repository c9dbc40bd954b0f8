"""The machine's clock and its source of random ids."""

from __future__ import annotations

import os
from datetime import UTC, datetime


def now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


def new_plan_id() -> str:
    """Return a fresh id for a plan."""
    return f"plan_{os.urandom(6).hex()}"
