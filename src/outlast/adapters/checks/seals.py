"""Seals tell a proof that Outlast made for this user on this machine from one that was written."""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

if TYPE_CHECKING:
    from outlast.domain.model import Proof
    from outlast.system.state_home import StateHome

_KEY: Final = "key"


class Seals:
    """HMAC-SHA256 with a key of the user's over workspace, plan and proof."""

    def __init__(self, home: StateHome, workspace: str) -> None:
        """Seal for the plans of one workspace, named by its real path."""
        self._home, self._workspace = home, workspace

    def seal(self, plan_id: str, proof: Proof) -> Proof:
        """Return a proof with its seal; the key is made on first use."""
        key = self._home.secret(_KEY)
        return replace(proof, seal=self._over(key, plan_id, proof))

    def holds(self, plan_id: str, proof: Proof) -> bool:
        """Tell whether a proof is just as it was sealed here."""
        key = self._home.secret(_KEY, make=False)
        return bool(key) and hmac.compare_digest(
            self._over(key, plan_id, proof).encode(), proof.seal.encode()
        )

    def _over(self, key: bytes, plan_id: str, proof: Proof) -> str:
        said = msgspec.json.encode([self._workspace, plan_id, replace(proof, seal="")])
        return hmac.digest(key, said, "sha256").hex()
