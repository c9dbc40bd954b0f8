"""The permissions that a person gave the runs of the plans of a workspace."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from outlast.agent.permissions import PlanPermissions
from outlast.config.files import user_file
from outlast.config.load import is_allowed_in_project, read_file
from outlast.system.caller import host_agent

if TYPE_CHECKING:
    from outlast.agent.people.permission_file import PermissionFiles


def permissions_at(workspace: str | os.PathLike[str]) -> PermissionFiles:
    """Return the permissions of a workspace; an agent's process can read them and add none."""
    from outlast.agent.people.permission_file import PermissionFiles
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
