"""The access token of the MCP server over HTTP: the given one, or one kept for this user."""

from __future__ import annotations

import os
from secrets import token_urlsafe
from typing import Final

from msgspec import Struct

from outlast.errors import InvalidArgument
from outlast.system.state_home import StateHome, state_home

VARIABLE: Final = "OUTLAST_MCP_TOKEN"
SHORTEST: Final = 16
_KIND: Final = "mcp"
_NAME: Final = "token"
_BYTES: Final = 200


class AccessToken(Struct, frozen=True):
    """A token; the path of the file that has it, and whether it was made just now.

    Its representation does not show it.
    """

    value: str
    path: str = ""
    is_new: bool = False

    def __repr__(self) -> str:
        return f"<AccessToken {self.path or VARIABLE}>"


def take_token_from_environment() -> AccessToken | None:
    """Take the token out of OUTLAST_MCP_TOKEN: no check that the server starts must see it.

    Raises `InvalidArgument` for one that is too short to be a secret.
    """
    value = os.environ.pop(VARIABLE, None)
    if value is None:
        return None
    if len(value) < SHORTEST or not value.isascii() or not value.isprintable() or " " in value:
        raise InvalidArgument("mcp_token_short", argument=VARIABLE, count=SHORTEST)
    return AccessToken(value)


def load_or_create_token() -> AccessToken:
    """Return this user's token, made on first use. Only the user can read its file.

    Raises `StoreError` if others could have written it.
    """
    home = StateHome(state_home())
    path = home.path_of(_KIND, _NAME)
    with home.lock(_KIND):
        value = home.read_private(_KIND, _NAME, _BYTES).decode(errors="replace").strip()
        if len(value) >= SHORTEST:
            return AccessToken(value, path)
        value = token_urlsafe()
        home.write_value(_KIND, _NAME, value)
        return AccessToken(value, path, is_new=True)
