"""The parameters of a call as one short text, the same for the same parameters."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from outlast.ports.tool import digest

if TYPE_CHECKING:
    from outlast.ports.hook import Json


def params_digest(params: Json) -> str:
    """Return the digest of parameters; neither their order nor how they were spelled counts."""
    return digest(json.dumps(params, sort_keys=True, separators=(",", ":"), default=str))
