"""Checks that ask for a person's word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.domain.model import Evidence

if TYPE_CHECKING:
    from outlast.domain.model import Check


def asked(check: Check, *, given: bool) -> Evidence:
    """Return what is known of a person's word."""
    return Evidence(check, given, "confirmed" if given else "unconfirmed")
