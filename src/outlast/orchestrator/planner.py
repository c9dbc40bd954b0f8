"""Planning: let the model split the goal into tasks, and change those that have not started."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from outlast.agent import effects as e
from outlast.agent.events import CHANGE_NOTICE, Notified
from outlast.agent.loops.endings import LoopEnd
from outlast.agent.loops.questions import ask_again
from outlast.agent.loops.review import PersonsRuling, parse_ruling, review_question
from outlast.documents.contracts.fit import KEEPS_EMPTY
from outlast.documents.contracts.problems import Problem, child_path
from outlast.documents.proposals import ReplanProposal, read_replan
from outlast.errors import InvalidArgument, OutOfBudget, PlanNotActive
from outlast.language import Language, text
from outlast.model.budget import Spend
from outlast.model.commands import (
    AddTasks,
    Charge,
    Command,
    EditPlan,
    NewTask,
    NoteDecision,
    Replan,
    Return,
    TakeInterjections,
)
from outlast.model.decide.tasks import check_new_tasks
from outlast.model.model import PERSON, Order, Question, TaskDecision, parse_rule
from outlast.orchestrator.model_requests import (
    Accept,
    Request,
    ask_model,
    planning_messages,
    replanning_messages,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from outlast.agent.agent_spec import Delegation
    from outlast.context.chat_model import Message
    from outlast.context.plan_view import PlanView

T = TypeVar("T")
MOST_TASKS: Final = 100
Words = Annotated[str, Meta(min_length=1, max_length=1000)]
_RULED: Final = {"approve": "replan_approve", "reject": "replan_reject", "edit": "replan_edit"}


class PlannedTask(Struct, frozen=True):
    """A task as a model plans it; `needs` are positions in the list, or names.

    `needs` is unset if the model did not say a word about it. `reason` is why a task is new or
    changed.
    """

    name: Words
    description: str = ""
    needs: Annotated[
        tuple[int | str, ...] | UnsetType, Meta(extra_json_schema={KEEPS_EMPTY: True})
    ] = UNSET
    constraints: str = ""
    expected: str = ""
    files: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    reason: str = ""


class TaskList(Struct, frozen=True):
    """The tasks of a plan."""

    tasks: Annotated[tuple[PlannedTask, ...], Meta(min_length=1, max_length=MOST_TASKS)]

    @property
    def order(self) -> Order:
        """The order that is meant: one after the other if no task says what it needs."""
        is_told = any(task.needs is not UNSET for task in self.tasks)
        return "graph" if is_told else "sequential"


def new_tasks(plan: TaskList, known: Mapping[str, int]) -> tuple[NewTask, ...]:
    """Return the tasks to add; `known` are the ids of tasks that names may refer to."""
    places = _places(plan)
    return tuple(_new_task(task, places, known) for task in plan.tasks)


def _new_task(task: PlannedTask, places: Mapping[str, int], known: Mapping[str, int]) -> NewTask:
    names = (need.strip() for need in task.needs or () if isinstance(need, str))
    return NewTask(
        task.name.strip(),
        needs=tuple(known[name] for name in names if name not in places and name in known),
        peers=tuple(_positions(task, places)),
        reasoning=task.reason,
        description=task.description,
        constraints=task.constraints,
        expected=task.expected,
        files=task.files,
        checks=tuple(map(parse_rule, task.checks)),
    )


def read_leniently(value: object) -> TaskList:
    """Return as much as can be read of a list of tasks that does not fit the contract.

    Each task keeps its position; the names of those without one are blank.
    """
    tasks = value.get("tasks") if isinstance(value, dict) else None
    return TaskList(tuple(map(_read_task, tasks)) if isinstance(tasks, list | tuple) else ())


def _read_task(value: object) -> PlannedTask:
    fields = value if isinstance(value, dict) else {}
    texts = ("name", "description", "constraints", "expected", "reason")
    return PlannedTask(
        **{name: said if isinstance(said := fields.get(name), str) else "" for name in texts},
        needs=_read_items(fields["needs"], int, str) if "needs" in fields else UNSET,
        files=_read_items(fields.get("files"), str),
        checks=_read_items(fields.get("checks"), str),
    )


def _read_items(value: object, *types: type[T]) -> tuple[T, ...]:
    items = value if isinstance(value, list | tuple) else ()
    return tuple(item for item in items if type(item) in types)


def find_problems(plan: TaskList, known: Mapping[str, int]) -> Iterator[Problem]:
    """Yield what no plan can have: a name twice, needs that lead nowhere or in a circle."""
    places = _places(plan)
    for index, task in enumerate(plan.tasks):
        path = f"tasks[{index}]"
        name = task.name.strip()
        if name and places[name] != index + 1:
            yield Problem("plan_name_twice", child_path(path, "name"), {"name": task.name})
        for position, need in enumerate(task.needs or ()):
            where = child_path(child_path(path, "needs"), position)
            if not _is_known(need, plan, places, known):
                yield Problem("plan_need_unknown", where, {"need": need, "count": len(plan.tasks)})
        if name:
            yield from _find_refusal(_new_task(task, places, known), path)
    yield from _find_cycle(plan, places)


def _find_refusal(task: NewTask, path: str) -> Iterator[Problem]:
    """Yield why the plan would refuse a task, such as for a check that cannot run."""
    try:
        check_new_tasks((task,), f"{path}.")
    except InvalidArgument as error:
        yield Problem(error.text, "", error.details)


def _find_cycle(plan: TaskList, places: Mapping[str, int]) -> Iterator[Problem]:
    """Yield the problem of the tasks that wait for each other, if there are any."""
    waits = {
        place: {peer for peer in _positions(task, places) if 0 < peer <= len(plan.tasks)}
        for place, task in enumerate(plan.tasks, 1)
    }
    while free := {place for place, needs in waits.items() if not needs & waits.keys()}:
        for place in free:
            del waits[place]
    if waits:
        yield Problem("plan_needs_circle", "tasks", {"tasks": sorted(waits)})


def _places(plan: TaskList) -> dict[str, int]:
    """Return the position of each name, that of the first task with it."""
    places: dict[str, int] = {}
    for place, task in enumerate(plan.tasks, 1):
        places.setdefault(task.name.strip(), place)
    return places


def _positions(task: PlannedTask, places: Mapping[str, int]) -> Iterator[int]:
    for need in task.needs or ():
        if isinstance(need, int):
            yield need
        elif need.strip() in places:
            yield places[need.strip()]


def _is_known(
    need: int | str, plan: TaskList, places: Mapping[str, int], known: Mapping[str, int]
) -> bool:
    if isinstance(need, int):
        return 0 < need <= len(plan.tasks)
    return need.strip() in places or need.strip() in known


class Planner:
    """Makes the plan, and changes it; counts the changes of this run."""

    def __init__(self, options: Delegation, language: Language) -> None:
        """Take the options; nothing is asked yet."""
        self._options, self._language = options, language
        self._replans = 0

    def plan_goal(self, plan: PlanView) -> e.Loop[None]:
        """Split the goal of a plan into tasks; raises `LoopEnd` if the model cannot."""

        def accept(tasks: TaskList) -> e.Loop[str]:
            order = EditPlan(order=tasks.order)
            commands = (order, AddTasks(new_tasks(tasks, {})), *_take_messages(plan))
            added = yield from e.record(*commands)
            if not added.outcome.error and tasks.order == "sequential" and len(tasks.tasks) > 1:
                yield from e.Emit(Notified(text("planned_in_turn", self._language), CHANGE_NOTICE))
            return added.outcome.error

        told = [message.text for message in plan.new_messages]
        messages = planning_messages(plan.goal, told, self._language)
        if (yield from self._ask_for_tasks(messages, {}, accept)) is None:
            raise LoopEnd("model_failed", text("plan_unreadable", self._language))

    def replan(self, task: int) -> e.Loop[bool]:
        """Replace the tasks that have not started, as was decided about a task (R1.07).

        Returns false if a person has to approve the change and does not answer. Raises `LoopEnd` if
        the model cannot plan, or the plan was changed too often.
        """
        while True:
            reply = yield from e.ReadPosition(task)
            decision, question = reply.outcome.decision, reply.outcome.question
            is_stopped = reply.plan.has_ended or reply.plan.status == "paused"
            if is_stopped or decision is None or decision.decision != "replan":
                return True  # somebody else has decided otherwise
            if question is None:
                if (yield from self._propose(decision, "")):
                    return True
            elif question.answer is None:
                if (yield from ask_again(question)) is None:
                    return False
            else:
                ruling = parse_ruling(question.answer)
                if ruling.ruling != "change":
                    return (yield from self._obey(decision, question, ruling))
                yield from self._propose(decision, ruling.words)

    def _propose(self, decision: TaskDecision, wish: str) -> e.Loop[bool]:
        """Let the model change the plan; return whether it is changed, or a question is recorded.

        `wish` is what a person wants instead of the last proposal.
        """
        if self._replans == self._options.most_replans:
            raise LoopEnd("limit", text("too_many_replans", self._language, count=self._replans))
        self._replans += 1
        plan, task = (yield from e.record()).plan, decision.task
        outline = [
            replace(each, status="pending") if each.id == task else each
            for each in (yield from e.ReadOutline()).outcome.tasks
        ]
        known = {each.name: each.id for each in outline if each.status != "pending"}

        def accept(tasks: TaskList) -> e.Loop[str]:
            new = new_tasks(tasks, known)
            if self._options.review:
                return (yield from self._ask_for_review(new, decision))
            return (yield from self._change(new, decision, *_take_messages(plan)))

        told = [message.text for message in plan.new_messages] + ([wish] if wish else [])
        advice = decision.advice or decision.reason
        messages = replanning_messages(plan.goal, outline, advice, told, self._language)
        if (yield from self._ask_for_tasks(messages, known, accept)) is None:
            raise LoopEnd("model_failed", text("plan_unreadable", self._language))
        return not self._options.review

    def _ask_for_review(self, tasks: tuple[NewTask, ...], decision: TaskDecision) -> e.Loop[str]:
        """Record the question whether to change the plan; return why the plan refuses the change.

        It is asked as soon as it is read from the plan again.
        """
        preview = (yield from e.PreviewReplan(tasks, decision.task)).outcome
        if preview.error:
            return preview.error
        proposal = ReplanProposal(decision.attempt, tasks)
        about = (decision.task, preview.text, decision.reason, self._language)
        recorded = yield from e.record(review_question(proposal, *about))
        return recorded.outcome.error

    def _change(
        self, tasks: tuple[NewTask, ...], decision: TaskDecision, *commands: Command
    ) -> e.Loop[str]:
        """Change the plan in one commit, and tell people; return why the plan refuses it."""
        preview = (yield from e.PreviewReplan(tasks, decision.task)).outcome
        if preview.error:
            return preview.error
        change = Replan(tasks, Charge(Spend(replans=1)))
        returned = Return(decision.task, decision.reason)
        reply = yield from e.record(*commands, returned, change, reason=decision.reason)
        if reply.outcome.code == OutOfBudget.code:
            raise LoopEnd("budget", reply.outcome.error)
        if reply.outcome.code == PlanNotActive.code:
            return ""  # nothing is changed any more
        if not reply.outcome.error:
            about = {"reason": decision.reason, "patch": preview.text}
            yield from e.Emit(Notified(text("replanned", self._language, **about), CHANGE_NOTICE))
        return reply.outcome.error

    def _obey(
        self, decision: TaskDecision, question: Question, ruling: PersonsRuling
    ) -> e.Loop[bool]:
        """Do what a person says to a change of the plan."""
        reason = text(_RULED[ruling.ruling], self._language)
        by = question.by or PERSON
        if ruling.ruling == "reject":
            advice = ruling.words or reason
            yield from e.record(NoteDecision(decision.attempt, "retry", reason, by, advice))
            return True
        note = NoteDecision(decision.attempt, "replan", reason, by, ruling.words)
        if ruling.ruling == "edit":
            yield from e.record(note, Return(decision.task, reason))
            return True
        refusal = yield from self._change(read_replan(question.about).tasks, decision, note)
        if refusal:  # the plan has changed since the question was asked
            yield from self._propose(decision, refusal)
            return (yield from self.replan(decision.task))
        return True

    def _ask_for_tasks(
        self, messages: tuple[Message, ...], known: Mapping[str, int], accept: Accept[TaskList]
    ) -> e.Loop[TaskList | None]:
        request = Request(TaskList, lambda tasks: find_problems(tasks, known), read_leniently)
        return (yield from ask_model(messages, request, self._language, accept=accept))


def _take_messages(plan: PlanView) -> tuple[Command, ...]:
    """Return the command that marks what people have said as read."""
    return (TakeInterjections(plan.new_messages[-1].id),) if plan.new_messages else ()
