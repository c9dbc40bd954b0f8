"""`Plan`: the handle that programs and the command line use."""

from __future__ import annotations

from outlast.application.plan.agent_api import AgentApi
from outlast.application.plan.budget import BudgetVerbs
from outlast.application.plan.checks import CheckVerbs
from outlast.application.plan.files import FileVerbs
from outlast.application.plan.history import HistoryVerbs
from outlast.application.plan.questions import QuestionVerbs


class Plan(AgentApi, CheckVerbs, BudgetVerbs, QuestionVerbs, HistoryVerbs, FileVerbs):
    """A goal and its tasks. Methods return frozen values and raise `outlast.errors`.

    A handle acts for one `actor`; several handles may share one plan.
    """

    __slots__ = ()
