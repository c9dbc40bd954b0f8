"""Seal proofs, so that a forged one is recognized."""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

if TYPE_CHECKING:
    from outlast.model.model import Proof
    from outlast.system.state_home import StateHome

_KEY: Final = "key"


class Seals:
    """HMAC-SHA256 over workspace, plan and proof, with a key of the user."""

    def __init__(self, home: StateHome, workspace: str) -> None:
        """Take the state directory and the digest of the workspace's real path."""
        self._home, self._workspace = home, workspace

    def seal(self, plan_id: str, proof: Proof) -> Proof:
        """Return the proof with its seal; create the key on first use."""
        key = self._home.secret(_KEY)
        return replace(proof, seal=self._signature(key, plan_id, proof))

    def is_valid(self, plan_id: str, proof: Proof) -> bool:
        """Return whether the seal fits the proof; never create a key."""
        key = self._home.secret(_KEY, make=False)
        return bool(key) and hmac.compare_digest(
            self._signature(key, plan_id, proof).encode(), proof.seal.encode()
        )

    def _signature(self, key: bytes, plan_id: str, proof: Proof) -> str:
        payload = msgspec.json.encode([self._workspace, plan_id, replace(proof, seal="")])
        return hmac.digest(key, payload, "sha256").hex()
