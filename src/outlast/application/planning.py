"""`Plan`: the handle that people and programs hold."""

from __future__ import annotations

from outlast.application.budgeting import Budgeting
from outlast.application.checking import Checking
from outlast.application.following import Following
from outlast.application.looking_back import LookingBack
from outlast.application.riding import Riding
from outlast.application.talking import Talking


class Plan(Riding, Checking, Budgeting, Talking, LookingBack, Following):
    """A goal and its tasks. Methods return frozen values and raise `outlast.errors`.

    A handle acts in somebody's name (`actor`); several handles may share one plan.
    """

    __slots__ = ()
