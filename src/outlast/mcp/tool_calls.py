"""Run a tool that a model calls: on the plan that the server is about, or by asking a person.

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

from outlast.context.escape import one_line, quote
from outlast.errors import OutlastError, ToolFailed
from outlast.language import Language, text
from outlast.mcp.json_rpc import Json
from outlast.model.changes import Commit, QuestionAnswered
from outlast.model.commands import AnswerQuestion, AskQuestion
from outlast.model.decide.conversation import QUESTION_CHARACTERS, check_message, find_same_question
from outlast.model.model import PERSON, Question
from outlast.plan.answers import answer_question
from outlast.plan.plan import Plan
from outlast.plan.tools.compact import ASK_USER, PROPOSE_GOAL
from outlast.plan.tools.dispatch import refusal_outcome, run_tool, text_outcome
from outlast.plan.tools.plan_tool import PlanTool, check_arguments
from outlast.plan.tools.server_sets import APPROVE_CHECKS, ASKING_TOOLS, GOAL, TITLE, is_read
from outlast.redact.structs import redact_commands

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from outlast.mcp.served_plans import ServedPlans
    from outlast.model.state import PlanState
    from outlast.plan.tools.calls import Outcome

_NAMES: Final = (GOAL, TITLE, "name", "title", "content")  # arguments that can name a plan
FIELD: Final = "answer"
_CANNOT: Final = {
    ASK_USER: "mcp_cannot_ask_user",
    PROPOSE_GOAL: "mcp_cannot_propose_goal",
    APPROVE_CHECKS: "mcp_cannot_approve_checks",
}
_GOAL_CHARACTERS: Final = 500  # of a goal in a question
DECISIONS: Final = frozenset((PROPOSE_GOAL, APPROVE_CHECKS))
ASKING: Final = frozenset(tool.name for tool in ASKING_TOOLS)


class ToolAnswer(Struct, frozen=True):
    """The answer to a call, as text and as JSON of the tool's output schema."""

    text: str
    structured: Json
    is_error: bool


def call_plan_tool(plans: ServedPlans, tool: PlanTool, arguments: Mapping[str, Any]) -> ToolAnswer:
    """Run a tool. Without a plan, a call that leaves something in an empty one creates it."""
    notice = ""
    try:
        plan = plans.find(goal=_find_goal(tool, arguments))
        if plan is None:
            notice = plans.describe_unattached()
            outcome = _begin(plans, tool, dict(arguments))
        else:
            outcome = _run(plans, plan, tool, dict(arguments))
    except OutlastError as error:
        outcome = refusal_outcome(error, lean=tool.lean)
    return make_answer(tool, outcome, notice)


def make_answer(tool: PlanTool, outcome: Outcome, notice: str = "") -> ToolAnswer:
    """Return an outcome as text and as JSON, with a notice about the plans here if there is one."""
    if tool.lean:
        shown = "\n".join(filter(None, (outcome.text, notice)))
        return ToolAnswer(shown, {"answer": shown}, outcome.is_refused)
    structured = quote_strings(json.loads(outcome.text))
    if not notice:
        return ToolAnswer(outcome.text, structured, outcome.is_refused)
    structured["notice"] = notice
    return ToolAnswer(json.dumps(structured, ensure_ascii=False), structured, outcome.is_refused)


def _run(plans: ServedPlans, plan: Plan, tool: PlanTool, arguments: Json) -> Outcome:
    plans.bind(plan)
    outcome = run_tool(plan, tool, arguments)
    if not (outcome.is_refused or is_read(tool)):
        plans.bind(plan, is_changed=True)
    return outcome


def _begin(plans: ServedPlans, tool: PlanTool, arguments: Json) -> Outcome:
    """Run a tool without a plan; create one if the call leaves something in it.

    Of several calls at a time the first creates it, and the others find it.
    """
    goal = _find_goal(tool, arguments)
    begins = any(p.name == GOAL and not p.is_required for p in tool.parameters)
    given = goal if begins else ""  # any other tool sets the goal itself
    with plans.lock:
        plan = plans.find(goal=goal)
        if plan is None:
            scratch = plans.scratch(given, begun=begins)
            outcome = run_tool(scratch, tool, arguments)
            if outcome.is_refused or not scratch.core.read(lambda s: _has_content(s, given)):
                return outcome
            plan = plans.create(given, _find_name(arguments), begun=begins)
    return _run(plans, plan, tool, arguments)


def _find_goal(tool: PlanTool, arguments: Mapping[str, Any]) -> str:
    """Return the goal that a call names, or the title of the plan that it saves."""
    names = {parameter.name for parameter in tool.parameters}
    if GOAL in names:
        goal = arguments.get(GOAL)
    else:
        goal = arguments.get(TITLE) if TITLE in names and arguments.get("persist") else None
    return goal if isinstance(goal, str) else ""


def _has_content(state: PlanState, goal: str) -> bool:
    """Return whether a call has left anything in a plan that had a goal at most."""
    notes = state.notes
    return bool(state.tasks or state.goal != goal or notes.findings or notes.errors)


def _find_name(arguments: object) -> str:
    """Return the first text among the arguments that can name a plan."""
    if isinstance(arguments, str):
        return arguments
    if isinstance(arguments, list):
        return next(filter(None, map(_find_name, arguments)), "")
    if not isinstance(arguments, dict):
        return ""
    named = (arguments[name] for name in _NAMES if isinstance(arguments.get(name), str))
    lists = (_find_name(value) for value in arguments.values() if isinstance(value, list))
    return next(filter(None, (*named, *lists)), "")


def quote_strings(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """Escape every string in JSON: names of tasks come from outside."""
    if isinstance(value, str):
        return quote(value, len(value))
    if isinstance(value, dict):
        return {key: quote_strings(item) for key, item in value.items()}
    return [quote_strings(item) for item in value] if isinstance(value, list) else value


# Questions to a person


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


def prepare_form(
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
    from outlast.documents.proposals import approval_question

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
