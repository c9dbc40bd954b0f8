"""A program that uses a plan in every way and prints what it imported after it had one.

It gets the place of its plans and pickled commands, since to import them from the tests would
import too much.
"""

import pickle
import sys
from collections.abc import Callable
from typing import Any

imported = list[str]()
is_open = False


def note(event: str, arguments: tuple[Any, ...]) -> None:
    if is_open and event == "import":
        imported.append(arguments[0])


sys.addaudithook(note)

from outlast import Check, OutlastError, Plan, create_plan  # noqa: E402 - after the hook
from outlast.model.execute import return_commit  # noqa: E402
from outlast.store.port import Request  # noqa: E402
from outlast.system.clock import now  # noqa: E402

UNUSED = {"close", "claim_with_heartbeat", "tools", "context", "handle", "owns"}  # no commits


def attempt(call: Callable[..., object], *arguments: object, **named: object) -> bool:
    try:
        call(*arguments, **named)
    except OutlastError:
        return False
    return True


def read_all(plan: Plan) -> None:
    for name in dir(plan):
        if not name.startswith("_") and name not in UNUSED:
            value = getattr(plan, name)
            if callable(value):
                try:
                    value()
                except (OutlastError, TypeError):
                    continue
    for form in ("mermaid", "dot", "text"):
        attempt(plan.graph, form)
    for facet in (plan.notes, plan.questions, plan.budget, plan.checks, plan.history, plan.files):
        for name in dir(facet):
            value = getattr(facet, name)
            if not name.startswith("_") and callable(value):
                try:
                    value()
                except (OutlastError, TypeError):
                    continue


def use(plan: Plan) -> None:
    task = (
        plan.add("任务 ﬁ", checks=(Check("file", "*.py"),)) if plan.tasks() else plan.add("first")
    )
    attempt(plan.add_all, ["one", "two"])
    attempt(plan.edit, goal="Another goal")
    attempt(plan.start)
    attempt(plan.complete, task.id, "done", force=True)
    attempt(plan.undo)
    attempt(plan.notes.add_finding, "code", "title", "content")
    attempt(plan.questions.ask, "which?")
    attempt(plan.questions.answer, "this")
    plan.history.subscribe(lambda _: None)()
    plan.history.diff(1)
    plan.as_of(1).tasks()
    lease = plan.claim(plan.add("to claim").id)
    plan.release(plan.renew(lease))
    with plan.claim_with_heartbeat(plan.add("to hold").id):
        pass


def main(where: str, path: str) -> None:
    global is_open  # noqa: PLW0603 - read by the hook
    first = create_plan(where, "Test things", "first")
    is_open = True
    kept = 0
    with open(path, "rb") as file:  # noqa: PTH123 - without importing more
        operations = pickle.load(file)  # noqa: S301 - written by the test
    for number, commands in enumerate(operations):
        with create_plan(where, "Test things", f"plan-{number}") as plan:
            store = plan.core.store
            for step in commands:
                kept += attempt(plan.core.commit, step, lambda *_: None)
                store.history()
    use(first)
    read_all(first)
    request = Request(operations[0][0], "ann", now())
    kept += first.core.store.submit(request, return_commit).result(60).revision > 0
    first.close()
    sys.stdout.write(f"{kept} {' '.join(imported)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
