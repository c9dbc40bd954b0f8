"""`Plan`: the handle that people and programs hold."""

from __future__ import annotations

from outlast.application.plan.agent_api import Riding
from outlast.application.plan.budget import Budgeting
from outlast.application.plan.checks import Checking
from outlast.application.plan.files import Following
from outlast.application.plan.history import LookingBack
from outlast.application.plan.questions import Talking


class Plan(Riding, Checking, Budgeting, Talking, LookingBack, Following):
    """A goal and its tasks. Methods return frozen values and raise `outlast.errors`.

    A handle acts in somebody's name (`actor`); several handles may share one plan.
    """

    __slots__ = ()
