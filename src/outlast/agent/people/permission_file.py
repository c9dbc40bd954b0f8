"""Permissions that a person gave the runs of a plan, in the user's state directory."""

from __future__ import annotations

import os
import re
from hashlib import sha256
from secrets import token_hex
from typing import TYPE_CHECKING, Final

from msgspec import DecodeError
from msgspec.json import Decoder, Encoder
from msgspec.structs import replace

from outlast.agent.permissions import NO_PERMISSIONS, PlanPermissions, merge_permissions
from outlast.config.files import user_file
from outlast.config.load import is_allowed_in_project, read_file
from outlast.errors import StoreError
from outlast.language import visible
from outlast.redact.text_fields import redact_text
from outlast.system.caller import host_agent

if TYPE_CHECKING:
    from outlast.system.state_home import StateHome

_KIND: Final = "permissions"
_PLAIN_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,100}")
_LARGEST: Final = 4 << 20
_MOST: Final = 200  # patterns, and calls
_LONGEST: Final = 1_000  # characters of each
_SHOWN: Final = 60  # characters of one that is not kept
_ENCODER: Final = Encoder(order="sorted")
_DECODER: Final = Decoder(dict[str, PlanPermissions])


class PermissionFiles:
    """One file per plan id, which holds for one workspace only.

    The id of a plan is in its journal, which may come from a stranger. So the file also names the
    workspace, and its own name is a digest unless the id is plain.
    """

    def __init__(self, home: StateHome, workspace: str, *, is_person: bool) -> None:
        """Take the state directory, the real path of the workspace, and whether a person acts."""
        self._home, self._is_person = home, is_person
        self._workspace = workspace.encode(errors="backslashreplace").decode()

    def path(self, plan_id: str) -> str:
        """Return the path of a plan's file, which need not exist."""
        return self._home.path_of(_KIND, _file_name(plan_id))

    def read(self, plan_id: str) -> PlanPermissions:
        """Return what the runs of a plan may do; raise `StoreError` for a damaged file."""
        return self._read_file(plan_id).get(self._workspace, NO_PERMISSIONS)

    def add(self, plan_id: str, permissions: PlanPermissions) -> None:
        """Add patterns and calls, and replace model and limit; nothing if no person acts here.

        A damaged file is replaced. Raises `StoreError` with what is not kept: what contains a
        secret or is very long, and what would be too many.
        """
        if not self._is_person:
            return
        with self._home.lock(_KIND):
            try:
                stored = self._read_file(plan_id)
            except StoreError:
                stored = {}
            before = stored.get(self._workspace, NO_PERMISSIONS)
            after = _storable(merge_permissions(before, permissions))
            if after != before:
                self._write_file(plan_id, {**stored, self._workspace: after})
        if missing := _missing_texts(permissions, after):
            raise StoreError("permissions_not_kept", what=missing, most=_MOST, longest=_LONGEST)

    def forget(self, plan_id: str) -> bool:
        """Forget patterns, calls and the agent, or a damaged file; tell whether there was anything.

        Model and limit of the last run stay: they are choices, not permissions. A run at work loses
        also what it was allowed and could not keep, so the withdrawal is written in any case.
        """
        with self._home.lock(_KIND):
            try:
                stored, is_damaged = self._read_file(plan_id), False
            except StoreError:
                stored, is_damaged = {}, True
            before = stored.get(self._workspace, NO_PERMISSIONS)
            after = PlanPermissions(
                model=before.model, max_iterations=before.max_iterations, withdrawal=token_hex(8)
            )
            self._write_file(plan_id, {**stored, self._workspace: after})
        return is_damaged or bool(before.patterns or before.calls or before.agent)

    def _write_file(self, plan_id: str, stored: dict[str, PlanPermissions]) -> None:
        value = _ENCODER.encode(stored).decode()
        self._home.write_value(_KIND, _file_name(plan_id), value)

    def _read_file(self, plan_id: str) -> dict[str, PlanPermissions]:
        data = self._home.read_private(_KIND, _file_name(plan_id), _LARGEST)
        try:
            return _DECODER.decode(data) if data else {}
        except (DecodeError, RecursionError) as error:
            raise StoreError("permissions_damaged", where=self.path(plan_id)) from error


def _file_name(plan_id: str) -> str:
    if _PLAIN_ID.fullmatch(plan_id):
        return plan_id
    return sha256(plan_id.encode(errors="backslashreplace")).hexdigest()


def _storable(permissions: PlanPermissions) -> PlanPermissions:
    """Leave out what is very long or contains a secret, and the newest of too many."""
    return replace(
        permissions,
        patterns=_storable_texts(permissions.patterns),
        calls=_storable_texts(permissions.calls),
    )


def _storable_texts(texts: tuple[str, ...]) -> tuple[str, ...]:
    kept = (text for text in texts if len(text) <= _LONGEST and redact_text(text) == text)
    return tuple(kept)[:_MOST]


def _missing_texts(permissions: PlanPermissions, stored: PlanPermissions) -> list[str]:
    """Return the beginnings of patterns and calls that are not stored, without secrets."""
    return [
        _shorten(visible(redact_text(text)))
        for texts, kept in (
            (permissions.patterns, stored.patterns),
            (permissions.calls, stored.calls),
        )
        for text in texts
        if text not in kept
    ]


def _shorten(words: str) -> str:
    return words if len(words) <= _SHOWN else f"{words[: _SHOWN - 1]}…"


def permissions_at(workspace: str | os.PathLike[str]) -> PermissionFiles:
    """Return the permissions of a workspace; an agent's process can read them and add none."""
    from outlast.plan.home.find import DISK
    from outlast.system.state_home import StateHome, state_home

    root = os.path.realpath(os.fspath(workspace))
    return PermissionFiles(StateHome(state_home(), DISK), root, is_person=not host_agent())


def choices_to_keep(patterns: tuple[str, ...], model: str, max_iterations: int) -> PlanPermissions:
    """Return what a user has chosen for a plan and the plan cannot remember by itself.

    That is what no project may set: a plan may come from a stranger too.
    """
    own = read_file(user_file(os.environ))
    is_model_plain = is_allowed_in_project("loop.model", model, own)
    is_limit_plain = is_allowed_in_project("loop.max_iterations", max_iterations, own)
    return PlanPermissions(
        patterns,
        model="" if is_model_plain else model,
        max_iterations=0 if is_limit_plain else max_iterations,
    )
