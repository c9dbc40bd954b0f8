"""Other operations of a plan: adding, reading, saving; and the memory it takes."""

from __future__ import annotations

import gc
import tracemalloc
from typing import TYPE_CHECKING, Final

from mcplanmanager import PlanManager as PeerManager

from bench.measure import Sample, count, cpu, figure, micro, milli, table, words
from bench.plans import GOAL, SHAPES, chain, document_of, layered, manager_of, name_of
from outlast import PlanManager

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bench.plans import Dependencies

PEER_SIZE: Final = 1_000
_CALLS: Final = 200
_PEER_CALLS: Final = 3  # enough for what costs milliseconds
_DEADLY: Final = 3_000
_DEEP: Final = 10_000

Costs = dict[str, float]


# --- operations ---------------------------------------------------------------------------------


def operations(sizes: Sequence[int], rounds: int) -> str:
    """Return the table of single operations, measured on layered plans."""
    ours: dict[int, dict[str, Sample]] = {n: {} for n in sizes}
    peer: dict[str, Sample] = {}
    for _ in range(rounds):
        for n in sizes:
            _note(ours[n], _our_costs(layered(n)))
        _note(peer, _peer_costs(layered(PEER_SIZE)))
    rows = []
    for name in ours[sizes[0]]:
        best = [micro(ours[n][name].best) for n in sizes]
        rows.append([name, *best, micro(peer[name].best) if name in peer else "—"])
    head = ["µs", *map(count, sizes), f"mcplanmanager, {count(PEER_SIZE)}"]
    return table(head, rows)


def _note(samples: dict[str, Sample], costs: Costs) -> None:
    for name, seconds in costs.items():
        samples.setdefault(name, Sample()).values.append(seconds)


def _our_costs(dependencies: Dependencies) -> Costs:
    n = len(dependencies)
    manager = PlanManager()
    tasks = [{"name": name_of(t), "dependencies": list(d)} for t, d in dependencies.items()]
    found = {"initializePlan, per task": cpu(lambda: manager.initializePlan(GOAL, tasks)) / n}
    document = manager.to_dict()
    found["to_dict, per task"] = cpu(manager.to_dict) / n
    found["from_dict, per task"] = cpu(lambda: PlanManager.from_dict(document)) / n
    plan, same = manager.plan, PlanManager.from_dict(document).plan
    found["parallel_groups, first call"] = cpu(plan.parallel_groups)
    found["parallel_groups, again"] = _per_call(plan.parallel_groups)
    found["critical_path, first call"] = cpu(same.critical_path)
    found["critical_path, again"] = _per_call(same.critical_path)
    found["addTask at the end"] = _per_call(lambda: manager.addTask("One more", [n]))
    found["addTask in the middle"] = _per_call(lambda: manager.addTask("More", [1], "", n // 2))
    found["getPlanStatus"] = _per_call(manager.getPlanStatus)
    return found


def _peer_costs(dependencies: Dependencies) -> Costs:
    n = len(dependencies)
    manager = PeerManager()
    document = document_of(dependencies)
    return {
        "from_dict, per task": cpu(lambda: manager.loadPlan(document)) / n,
        "to_dict, per task": cpu(manager.dumpPlan) / n,
        "addTask at the end": _per_call(lambda: manager.addTask("More", [n], ""), _PEER_CALLS),
        "addTask in the middle": _per_call(
            lambda: manager.addTask("More", [1], "", n // 2), _PEER_CALLS
        ),
        "getPlanStatus": _per_call(manager.getPlanStatus),
    }


def _per_call(call: Callable[[], object], calls: int = _CALLS) -> float:
    def repeat() -> None:
        for _ in range(calls):
            call()

    return cpu(repeat) / calls


# --- memory -------------------------------------------------------------------------------------


def memory(sizes: Sequence[int]) -> tuple[str, dict[str, float]]:
    """Return the table of bytes a task, and the largest figure of ours for each shape."""
    rows, worst = [], dict.fromkeys(SHAPES, 0.0)
    for n in sizes:
        weights = {shape: _our_weight(make(n)) for shape, make in SHAPES.items()}
        worst = {shape: max(worst[shape], *weights[shape]) for shape in SHAPES}
        for stage, which in (("all pending", 0), ("all completed", 1)):
            figures = [figure(weights[shape][which]) for shape in SHAPES]
            rows.append(["outlast PlanManager", count(n), stage, *figures])
    figures = [figure(_peer_weight(make(PEER_SIZE))) for make in SHAPES.values()]
    rows.append(["mcplanmanager", count(PEER_SIZE), "all pending", *figures])
    return table(["bytes per task", "tasks", "state", *SHAPES], rows, labels=3), worst


def _our_weight(dependencies: Dependencies) -> tuple[float, float]:
    n = len(dependencies)
    names = sum(len(name_of(task).encode()) for task in dependencies)
    results = sum(len(_result(task).encode()) for task in dependencies)
    gc.collect()
    tracemalloc.start()
    try:
        manager = manager_of(dependencies)
        pending = _traced() - names
        for _ in dependencies:
            task = manager.startNextTask()["data"]["task"]
            manager.completeTask(task["id"], _result(task["id"]))
        del task
        completed = _traced() - names - results
    finally:
        tracemalloc.stop()
    return pending / n, completed / n


def _peer_weight(dependencies: Dependencies) -> float:
    names = sum(len(name_of(task).encode()) for task in dependencies)
    gc.collect()
    tracemalloc.start()
    try:
        manager = PeerManager(document_of(dependencies))
        weight = _traced() - names
        del manager
    finally:
        tracemalloc.stop()
    return weight / len(dependencies)


def _traced() -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


def _result(task: int) -> str:
    return f"Result number {task}"


# --- depth --------------------------------------------------------------------------------------


def deep_chains(*, patient: bool) -> str:
    """Show what long chains do to both; `patient` also waits for what mcplanmanager takes long."""
    ours, peer = manager_of(chain(_DEADLY)), PeerManager(document_of(chain(_DEADLY)))
    listed = [
        {"name": name_of(task), "dependencies": list(found)}
        for task, found in chain(_DEADLY).items()
    ]
    from_zero = [task | {"dependencies": [i - 1] if i else []} for i, task in enumerate(listed)]
    rows = [
        [
            f"{count(_DEADLY)} tasks: addTask after the last",
            _outcome(lambda: ours.addTask("More", [_DEADLY])),
            _outcome(lambda: peer.addTask("More", [_DEADLY], "")),
        ]
    ]
    if patient:
        rows.append(
            [
                f"{count(_DEADLY)} tasks: initializePlan",
                _outcome(lambda: PlanManager().initializePlan(GOAL, listed)),
                _outcome(lambda: PeerManager().initializePlan(GOAL, from_zero)),
            ]
        )
    rows += [
        [f"{count(_DEEP)} tasks: {name}", _outcome(call), "—"]
        for name, call in _deep_calls().items()
    ]
    return words(["chain of", "outlast", "mcplanmanager"], rows)


def _deep_calls() -> Mapping[str, Callable[[], object]]:
    manager = manager_of(chain(_DEEP))
    plan = manager.plan

    def work_off() -> object:
        answer = {}
        for _ in range(_DEEP):
            task = manager.startNextTask()["data"]["task"]
            answer = manager.completeTask(task["id"], "")
        return answer

    return {
        "updateTask, a dependency that closes a cycle": lambda: manager.updateTask(
            1, {"dependencies": [_DEEP]}
        ),
        "parallel_groups": plan.parallel_groups,
        "critical_path": plan.critical_path,
        "graph as Mermaid, DOT and text": lambda: [
            plan.graph(form) for form in ("mermaid", "dot", "ascii")
        ],
        "to_dict and from_dict": lambda: PlanManager.from_dict(manager.to_dict()),
        "all completed, in order": work_off,
    }


def _outcome(call: Callable[[], object]) -> str:
    """Say how a call ends and after how long; a refusal by a code is an answer like any other."""
    ends: list[str] = []

    def attempt() -> None:
        try:
            ends.append(_said(call()))
        except RecursionError:
            ends.append("RecursionError")

    seconds = cpu(attempt)
    return f"{ends[0]}, {milli(seconds)} ms"


def _said(answer: object) -> str:
    if isinstance(answer, dict) and answer.get("success") is False:
        error = answer.get("error")
        return str(error["code"]) if isinstance(error, dict) else "refused"
    return "works"
