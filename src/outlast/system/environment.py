"""The environment of programs that we start for an agent: without secrets, and with their plan.

What a check or a tool runs is the agent's own code, so a key that it can read is a key given away.
`OUTLAST_PLAN` names the plan of a run or a check to the programs that it starts.
"""

from __future__ import annotations

import os
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

from outlast.redact.hints import has_name_hint, lowercase

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

VARIABLE: Final = "OUTLAST_PLAN"
_find_key: ContextVar[Callable[[], str]] = ContextVar("find_key", default=str)
_HARMLESS: Final = frozenset({"PWD", "OLDPWD"})
# Words of names that are too short, or too common in prose, to be hints in any text.
_SECRET_WORDS: Final = frozenset(
    {"auth", "creds", "dsn", "jwt", "kubeconfig", "netrc", "otp", "pat", "pgservicefile", "sas"}
)
# Ways to a service that acts with the user's rights, and texts that hold its password.
_SECRET_NAMES: Final = ("docker_host", "docker_context", "docker_config", "connection_string")


def child_environment(pass_env: Collection[str] = ()) -> dict[str, str]:
    """Return our environment without secrets, and with the plan of the run that we are part of.

    The variables in `pass_env` stay.
    """
    return {**remove_secrets(os.environ, pass_env), **named_plan_variable()}


def remove_secrets(
    environment: Mapping[str, str], pass_env: Collection[str] = ()
) -> dict[str, str]:
    """Return the variables whose name and value do not look like a secret, or that may pass."""
    return {
        name: value
        for name, value in environment.items()
        if name in _HARMLESS or name in pass_env or not _looks_secret(name, value)
    }


def set_plan_variable(find_key: Callable[[], str]) -> None:
    """Name the plan with this key to all programs that this task or thread starts from now on.

    The key is looked up for each program; while it is empty, none is named.
    """
    _find_key.set(find_key)


def named_plan_variable() -> dict[str, str]:
    """Return the variable that names the plan of this task or thread; none without a plan."""
    return plan_variable(_find_key.get()())


def plan_variable(key: str) -> dict[str, str]:
    """Return the variable that names a plan; none if an environment cannot hold the key."""
    try:
        is_possible = key and b"\0" not in os.fsencode(key)
    except UnicodeError:
        is_possible = False
    return {VARIABLE: key} if is_possible else {}


def _looks_secret(name: str, value: str) -> bool:
    from outlast.redact.secrets import redact  # a hook that runs nothing cannot afford it

    low = lowercase(name)
    return (
        has_name_hint(low)
        or not _SECRET_WORDS.isdisjoint(low.split("_"))
        or any(secret in low for secret in _SECRET_NAMES)
        or redact(value) != value
    )
