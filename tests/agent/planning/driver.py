"""PlanManager and the reference side by side: the same action on both, then every comparison."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import pytest

from outlast import OutlastError, PlanManager, create_plan
from tests.agent.planning.picks import concrete, true_value
from tests.agent.planning.reference_arguments import cut
from tests.agent.planning.reference_native import NativeReference
from tests.agent.planning.rules import Rules
from tests.agent.planning.vocabulary import ACTORS, Call, Native
from tests.making import state_of
from tests.model.indexes import assert_indexes, assert_layers, encode_all

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast import Plan, Task
    from outlast.model.model import Order
    from tests.agent.planning.vocabulary import Action

Json = dict[str, Any]

CODES: Final = {
    "TASK_NOT_FOUND",
    "INVALID_DEPENDENCY",
    "TASK_NOT_EDITABLE",
    "CIRCULAR_DEPENDENCY",
    "INVALID_STATUS",
    "PLAN_NOT_ACTIVE",
    "INVALID_ARGUMENT",
}

# A plan from elsewhere: foreign ids, a stored `blocked`, a pending task with a result.
FOREIGN: Final[Json] = {
    "meta": {"goal": "Foreign\ngoal", "created_at": 1700000000, "author": "somebody"},
    "state": {"status": "running", "current_task_id": "b"},
    "tasks": [
        {"id": "a", "name": "first", "status": "completed", "result": "done"},
        {"id": "b", "name": "second", "status": "in_progress", "dependencies": ["a"]},
        {"id": "step_7", "name": "third", "status": "blocked", "dependencies": ["b"]},
        {"id": 3, "name": "fourth", "result": "left over", "colour": "red"},
    ],
}


class Pair:
    """One plan twice."""

    def __init__(self, start: str) -> None:
        order: Order = "sequential" if start.startswith("sequential") else "graph"
        self.reference = NativeReference(order=order)
        self.rules = Rules()
        self.answers: Counter[str] = Counter()
        if start == "foreign":
            self.serve(PlanManager.from_dict(FOREIGN).plan)
            _copy_foreign(self.reference)
        else:
            self.serve(create_plan("memory:", "", order=order))
        self.compare()

    def serve(self, plan: Plan) -> None:
        self.managers = {actor: PlanManager(plan, actor=actor) for actor in ACTORS}

    @property
    def plan(self) -> Plan:
        return self.managers[ACTORS[0]].plan

    def concrete(self, action: Action) -> Action:
        """Return the action with the ids that its picks mean now."""
        fields = {name: concrete(value, self.reference) for name, value in vars(action).items()}
        return type(action)(**fields)

    def do(self, action: Action) -> None:
        """Do the same to both and compare everything."""
        before, revision = self.plan.id, self.plan.revision
        if isinstance(action, Call):
            done = self._call(action)
        elif isinstance(action, Native):
            done = self._native(action)
        else:
            self._reload()
            done, before = True, ""
        if before == self.plan.id:
            assert self.plan.revision >= revision
            assert done or self.plan.revision == revision
        self.compare()

    # The three kinds of action

    def _call(self, action: Call) -> bool:
        manager = self.managers[action.actor]
        tool, given, named = map(true_value, (action.tool, action.given, action.named))
        if action.by_name:
            real = manager.call(tool, named)
            wanted = self.reference.call(action.actor, tool, named)
        else:
            real = getattr(manager, tool)(*given, **named)
            wanted = self.reference.answer(action.actor, tool, given, named)
        agree(real, wanted)
        self._count(real)
        return bool(real["success"])

    def _count(self, real: Json) -> None:
        error = real.get("error", {"code": "", "details": {}})
        self.answers[error["code"]] += 1
        self.answers[f"{error['code']} {error['details'].get('reason')}"] += 1

    def _native(self, action: Native) -> bool:
        plan = self.managers[action.actor].plan
        wanted = self.reference.native(action.actor, action.operation, action.arguments)
        if wanted["success"]:
            _NATIVE[action.operation](plan, *action.arguments)
            return True
        with pytest.raises(OutlastError) as refused:
            _NATIVE[action.operation](plan, *action.arguments)
        assert str(refused.value)
        agree_on_refusal(refused.value.code, cut(refused.value.details), wanted)
        return False

    def _reload(self) -> None:
        document = self.managers[ACTORS[0]].to_dict()
        before = encode_all(state_of(self.plan))
        self.serve(PlanManager.from_dict(json.loads(json.dumps(document))).plan)
        assert self.managers[ACTORS[0]].to_dict() == document
        after = encode_all(state_of(self.plan))
        kept = "id" in document.get("outlast", {})
        for state in (before, after):
            del state["revision"]
            assert kept or state.pop("id")
        assert after == before
        self.rules.plan_id = self.plan.id

    # The comparison

    def compare(self) -> None:
        """The whole state is the same, keeps all rules, and its indexes are true."""
        for actor in self.managers:
            self._ask(actor, "getCurrentTask")
            self._ask(actor, "getPlanStatus")
        self._ask(ACTORS[0], "getTaskList")
        self._ask(ACTORS[0], "getExecutableTaskList")
        self._compare_inside()
        self.rules.check(self.managers[ACTORS[0]])
        assert_indexes(state_of(self.plan))
        assert_layers(state_of(self.plan))

    def _ask(self, actor: str, question: str) -> None:
        real = getattr(self.managers[actor], question)()
        agree(real, self.reference.answer(actor, question, (), {}))

    def _compare_inside(self) -> None:
        """What no function shows is the same too."""
        state, reference = state_of(self.plan), self.reference
        for name in ("goal", "order", "begun", "hold", "next_id"):
            assert getattr(state, name) == getattr(reference, name)
        assert list(state.phases) == reference.phases
        for task, expected in zip(state.tasks_in_order(), reference.tasks, strict=True):
            inside = _inside(task)
            assert inside == {name: expected[name] for name in inside}


def agree(real: Json, wanted: Json) -> None:
    """The answer is JSON of the document's shape and says what the reference says."""
    text = json.dumps(real, allow_nan=False, sort_keys=True)
    if wanted["success"]:
        assert text == json.dumps(wanted, sort_keys=True), (real, wanted)
        return
    assert set(real) == {"success", "error"}, (real, wanted)
    assert real["success"] is False
    error = real["error"]
    assert set(error) == {"code", "message", "details"}
    text.encode()
    message = error["message"]
    assert message
    if error["code"] == "TASK_NOT_FOUND":
        assert message == f"Task with ID {error['details']['task_id']} not found"
    if "argument" in error["details"]:
        assert message.startswith(error["details"]["argument"])
    agree_on_refusal(error["code"], error["details"], wanted)


def agree_on_refusal(code: str, details: Json, wanted: Json) -> None:
    assert code == wanted["code"], (code, details, wanted)
    expected = wanted["details"]
    assert expected(details) if callable(expected) else details == expected, (details, expected)


def _inside(task: Task) -> Json:
    return {
        "id": task.id,
        "phase": task.phase,
        "how": task.how,
        "actor": task.actor,
        "alias": task.alias,
        "started": task.started_at is not None,
        "ended": task.ended_at is not None,
    }


def _copy_foreign(reference: NativeReference) -> None:
    """Write down what the foreign document means."""
    reference.goal, reference.begun, reference.next_id = FOREIGN["meta"]["goal"], True, 10
    ids = {"a": 8, "b": 9, "step_7": 7, 3: 3}
    for document in FOREIGN["tasks"]:
        task = reference.new_task(ids[document["id"]], document["name"], "", "main")
        status = document.get("status", "pending")
        task["status"] = "pending" if status == "blocked" else status
        task["dependencies"] = [ids[ref] for ref in document.get("dependencies", ())]
        task["result"] = document.get("result")
        task["alias"] = document["id"] if type(document["id"]) is str else ""
        task["how"] = "reported" if status == "completed" else ""
        task["actor"] = "agent" if status == "in_progress" else ""
        reference.tasks.append(task)


def _skip_all(plan: Plan) -> None:
    for task in plan.tasks():
        if not task.finished:
            plan.skip(task.id)


_NATIVE: Final[dict[str, Callable[..., object]]] = {
    "abort": lambda plan: plan.abort(),
    "skip_all": _skip_all,
    "order": lambda plan, order: plan.edit(order=order),
    "start": lambda plan, ref: plan.start(ref),
    "assume": lambda plan, ref: plan.complete(ref, how="assumed"),
    "complete": lambda plan, ref: plan.complete(ref),
    "progress": lambda plan, ref, current, total: plan.set_progress(ref, current, total),
    "add_phase": lambda plan, title, after: plan.add_phase(title, insert_after=after),
    "move_phase": lambda plan, phase, after: plan.move_phase(phase, insert_after=after),
    "remove_phase": lambda plan, phase: plan.remove_phase(phase),
    "add": lambda plan, name, needs, phase: plan.add(name, needs, phase=phase),
    "move_behind": lambda plan, ref, after: plan.move(ref, insert_after=after),
    "move_to": lambda plan, ref, phase, end: plan.move(ref, phase=phase, first=end == "front"),
}
