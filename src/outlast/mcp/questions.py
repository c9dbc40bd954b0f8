"""Questions that a model asks a person through the client, and what follows from the answers.

The client shows a question to the person who uses it. A program that starts a server could answer
in their place: an answer is information, and what only a person may decide is asked only where
no model's command can have started the server.
"""

from __future__ import annotations

import json
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from outlast.context.escape import one_line
from outlast.errors import OutlastError, ToolFailed
from outlast.language import text
from outlast.mcp.calls import ToolAnswer, make_answer
from outlast.model.changes import QuestionAnswered
from outlast.model.commands import AnswerQuestion, AskQuestion
from outlast.model.decide.conversation import QUESTION_CHARACTERS, check_message, find_same_question
from outlast.model.model import PERSON, Question
from outlast.plan.answers import answer_question
from outlast.plan.plan import Plan
from outlast.plan.tools.arguments import check_arguments
from outlast.plan.tools.compact import ASK_USER, PROPOSE_GOAL
from outlast.plan.tools.dispatch import refusal_outcome, text_outcome
from outlast.plan.tools.server_sets import APPROVE_CHECKS, ASKING_TOOLS
from outlast.redact.structs import redact_commands

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from outlast.language import Language
    from outlast.mcp.served_plans import ServedPlans
    from outlast.model.changes import Commit
    from outlast.model.state import PlanState
    from outlast.plan.tools.table import PlanTool

Json = dict[str, Any]
FIELD: Final = "answer"
_CANNOT: Final = {
    ASK_USER: "mcp_cannot_ask_user",
    PROPOSE_GOAL: "mcp_cannot_propose_goal",
    APPROVE_CHECKS: "mcp_cannot_approve_checks",
}
_GOAL_CHARACTERS: Final = 500  # of a goal in a question
DECISIONS: Final = frozenset((PROPOSE_GOAL, APPROVE_CHECKS))
ASKING: Final = frozenset(tool.name for tool in ASKING_TOOLS)


class Form(Struct, frozen=True):
    """What a person is asked: a text, and the JSON Schema of the one field to fill in."""

    message: str
    schema: Json
    question: Question | None = None
    plan: Plan | None = None

    @property
    def digest(self) -> str:
        """What an answer that comes with a later request must name, so that it is to this."""
        plan = None if self.plan is None else self.plan.id
        question = None if self.question is None else self.question.id
        shown = json.dumps((self.message, self.schema, plan, question))
        return sha256(shown.encode()).hexdigest()


def refuse_to_ask(tool: PlanTool) -> ToolAnswer:
    """Refuse to ask through a client that cannot, with what to do instead."""
    refusal = ToolFailed(_CANNOT[tool.name], tool=tool.name)
    return make_answer(tool, refusal_outcome(refusal, lean=True))


def prepare(
    plans: ServedPlans, tool: PlanTool, arguments: Mapping[str, Any], language: Language
) -> Form | ToolAnswer:
    """Record the question in the plan, and return it as a form; an answer if nothing is to ask."""
    try:
        values = tool.read_call(check_arguments(dict(arguments)))
        prepared = _PREPARE[tool.name](plans.find(), language, *values)
    except OutlastError as error:
        return make_answer(tool, refusal_outcome(error, lean=True))
    return prepared if isinstance(prepared, Form) else make_answer(tool, text_outcome(prepared))


def record_answer(tool: PlanTool, form: Form, answer: object) -> ToolAnswer:
    """Record what the person answered, and return it to the model; None if they declined."""
    try:
        outcome = text_outcome(_record_answer(form, answer))
    except OutlastError as error:
        outcome = refusal_outcome(error, lean=True)
    return make_answer(tool, outcome)


# What is asked


def _prepare_question(plan: Plan | None, language: Language, question: str) -> Form:
    schema = _schema({"type": "string", "title": text("mcp_field_answer", language)})
    if plan is None:  # nothing remembers the answer but the model
        return Form(check_message(question, QUESTION_CHARACTERS), schema)
    return _ask(plan, AskQuestion(question), schema)


def _prepare_goal(plan: Plan | None, language: Language, goal: str) -> Form | str:
    if plan is None:
        return text("no_plan_to_read")
    if goal.strip() == plan.goal.strip():
        return text("goal_same")
    wording = text("goal_question", language, goal=one_line(goal.strip(), _GOAL_CHARACTERS))
    return _ask(plan, AskQuestion(wording, "goal", goal.strip()), _yes_or_no(language))


def _prepare_approval(plan: Plan | None, language: Language) -> Form | str:
    prover = None if plan is None else plan.core.prover()
    if plan is None or prover is None:
        return text("no_plan_to_read")
    from outlast.model.proposals import approval_question

    tasks = [task for task in plan.tasks() if task.commands and not task.finished]
    asked = approval_question(prover.list_unapproved(tasks), language)
    if asked is None:
        return text("mcp_nothing_to_approve")
    return _ask(plan, asked, _yes_or_no(language))


def _ask(plan: Plan, command: AskQuestion, schema: Json) -> Form:
    """Record a question, unless it is open already."""
    (redacted,) = redact_commands((command,))

    def find(state: PlanState, _commit: Commit) -> Question | None:
        return find_same_question(state, redacted)

    question = plan.core.commit((redacted,), find)
    return Form(redacted.text, schema, question, plan)


def _yes_or_no(language: Language) -> Json:
    return _schema({"type": "boolean", "title": text("mcp_field_yes", language)})


def _schema(field: Json) -> Json:
    return {"type": "object", "properties": {FIELD: field}, "required": [FIELD]}


_PREPARE: Final[dict[str, Callable[..., Form | str]]] = {
    ASK_USER: _prepare_question,
    PROPOSE_GOAL: _prepare_goal,
    APPROVE_CHECKS: _prepare_approval,
}


# What is answered


def _record_answer(form: Form, given: object) -> str:
    if isinstance(given, bool):
        given = "yes" if given else "no"
    if not isinstance(given, str) or not given.strip():
        return text("mcp_not_answered")
    if form.plan is None or form.question is None:
        return text("mcp_answered", answer=given)
    command = AnswerQuestion(given, PERSON, form.question.id)
    recorded = answer_question(form.plan.core, command, partial(_find_answer, form.question.id))
    return text(_RECORDED.get((form.question.kind, recorded), "mcp_answered"), answer=recorded)


_RECORDED: Final = {
    ("goal", "yes"): "mcp_goal_changed",
    ("goal", "no"): "mcp_goal_kept",
    ("checks", "yes"): "mcp_checks_approved",
    ("checks", "no"): "mcp_checks_refused",
}


def _find_answer(number: int, _state: PlanState, commit: Commit) -> str:
    """Return the answer as it was recorded: without secrets."""
    changes = (change for change in commit.changes if isinstance(change, QuestionAnswered))
    return next(change.answer for change in changes if change.id == number)
