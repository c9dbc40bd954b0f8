"""The plan, the task and the revision that a command is about."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from outlast.errors import InvalidStatus, OutlastError, PlanNotFound, TaskNotFound, WrongUsage
from outlast.language import visible
from outlast.model.model import PERSON, PLAN, Lease
from outlast.model.plan_choice import PlanQuery
from outlast.plan.core import holder_state
from outlast.plan.home.find import damage_error, require_workspace
from outlast.plan.plans import Plans
from outlast.system.caller import person_name
from outlast.system.workspace_root import current_directory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.console.call import Call
    from outlast.model.state import PlanState
    from outlast.plan.home.find import PlanHome
    from outlast.plan.plan import Plan

_CREATE: Final = ("new", "import")
ARCHIVED: Final = "archived"  # the option that names an archived plan
# These commands also work on an ended plan: they show it, or reopen one of its tasks.
_WORK_ON_ENDED_PLANS: Final = frozenset(
    (
        *("show", "context", "log", "undo", "edit", "check", "note", "graph", "watch", "export"),
        *("drop", "archive", "use", "permissions", "report"),
    )
)
# These commands do not make their plan the current one: they change nothing, or put it away.
_KEEP_CURRENT_PLAN: Final = frozenset(
    (
        *("show", "context", "log", "graph", "watch", "export", "next", "use"),
        *("drop", "archive", "permissions", "report", "welcome"),
    )
)
_SPEND: Final = ("run", "resume")  # they never go over to another plan than the current one


@contextmanager
def open_plan_for(call: Call, beginning: str | None = None) -> Iterator[Plan]:
    """Open the call's plan, or the one whose key begins so; add its notices to the call.

    With `--archived NAME` that is an archived one, which cannot be changed. Any other becomes the
    current plan if a person's command changes it. If the journal is damaged, a refusal is reported
    as the damage: the cause may be in the part that could not be read.
    """
    start = current_directory()
    workspace = require_workspace(start)
    plans = Plans(workspace, call.actor, start, call.notices)
    name = call.values.get(ARCHIVED)
    if name is None:
        plan = _find_plan(call, plans, beginning)
    else:
        from outlast.plan.archive import open_archived

        plan = open_archived(start, name, actor=call.actor)
    try:
        with plan:
            yield plan
            if not plans.is_current(call.context.key) and _switches_plan(call):
                workspace.make_current(call.context.key)
    except OutlastError as error:
        damaged = damage_error(plan.notices)
        if damaged is not None:
            raise damaged from error
        key = call.context.key
        if isinstance(error, PlanNotFound) and key and not workspace.has_plan(key):
            plans.refuse_archived(key)
            raise PlanNotFound("plan_gone", key=key, candidates=workspace.plan_keys()) from error
        raise
    finally:
        call.notices.extend(plan.notices)


def _find_plan(call: Call, plans: Plans, beginning: str | None) -> Plan:
    plan = plans.find(plan_query(call, plans.home, beginning))
    set_context(call, plans.home, plans.key_of(plan))
    if call.context.before_use is not None:
        call.context.before_use(plan.id)
    if plan.actor == PERSON:
        plan.core.person = person_name()
    return plan


def plan_query(
    call: Call, home: PlanHome, beginning: str | None = None, message: str | None = None
) -> PlanQuery:
    """Return what tells which plan a command is about.

    That is the one whose key begins so, else the one of `--plan`, else of OUTLAST_PLAN, else the
    one that the coding agent's session is attached to.
    """
    option, named, find_attached = call.common.get("plan"), call.plan, call.context.find_attached
    is_named = beginning is not None or named is not None
    return PlanQuery(
        key=option if beginning is None else beginning,
        option=option,
        variable=named if option is None else None,
        attached=None if is_named or not find_attached else find_attached(home.root) or None,
        message=message,
        spends=call.command in _SPEND,
        ended=call.command in _WORK_ON_ENDED_PLANS,
    )


def _switches_plan(call: Call) -> bool:
    """Return whether a command that has worked makes its plan the current one.

    An agent must not change which plan a person works on.
    """
    if call.command == "note":
        changes = "words" in call.values or "allow" in call.values
    else:
        changes = call.command not in _KEEP_CURRENT_PLAN
    return changes and call.asker == PERSON


def set_context(call: Call, workspace: PlanHome, key: str) -> None:
    """Record which plan the call is about; one that `run` is to create need not exist yet."""
    call.context.key = key
    call.context.is_one_of_several = bool(key) and workspace.has_other(key)


def switch_to(call: Call, key: str) -> None:
    """Make a plan that was created or restored the one of the call, and the current one.

    A plan that an agent restores does not become the current one.
    """
    workspace = require_workspace(current_directory())
    set_context(call, workspace, key)
    if call.command in _CREATE:
        Plans(workspace).make_current(key, is_new=True)
    elif call.asker == PERSON:
        workspace.make_current(key)


def live_lease(plan: Plan) -> Lease | None:
    """Return the lease of the run that is at work on the plan; None if no run is."""
    now = plan.core.now()
    return plan.core.read(lambda state: state.ledger.live_lease(PLAN, now, holder_state))


def current_task_id(plan: Plan) -> int:
    """Return the task that this actor has in progress; raise `InvalidStatus` if there is none."""
    current = plan.current()
    if current is None:
        key = "no_own_task_paused" if plan.status == "paused" else "no_own_task"
        raise InvalidStatus(key, actor=plan.actor)
    return current.id


def find_task(state: PlanState, word: str) -> int:
    """Return the task with a number or a name; the beginning of a name is enough if it is clear."""
    task = state.find(word)
    if task is not None:
        return task.id
    from outlast.model.markers import normalize_name

    wanted = normalize_name(word)
    names = {task.id: normalize_name(task.name) for task in state.tasks.values()}
    matches = [each for each, name in names.items() if name == wanted] or [
        each for each, name in names.items() if wanted and name.startswith(wanted)
    ]
    if len(matches) == 1:
        return matches[0]
    if not matches:
        known = _number_ranges(sorted(state.tasks))
        raise TaskNotFound("task_unknown", task=visible(word), known=known)
    names_found = [f"{each} {visible(state.tasks[each].name)}" for each in matches]
    raise TaskNotFound("task_ambiguous", task=visible(word), count=len(matches), names=names_found)


def _number_ranges(numbers: list[int]) -> list[str]:
    """Return numbers as ranges, such as `1-3` and `5`."""
    from itertools import groupby

    runs = groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0])
    spans = ([number for _, number in run] for _, run in runs)
    return [f"{span[0]}-{span[-1]}" if len(span) > 1 else f"{span[0]}" for span in spans]


def task_reference(word: str) -> str:
    """Return a task's id as the plan knows it; `#3` is `3`."""
    return word.removeprefix("#")


def is_task_number(word: str) -> bool:
    """Return whether a word is a task's number: `3`, `#3` or `step_3`."""
    digits = task_reference(word).removeprefix("step_")
    return digits.isascii() and digits.isdigit()


def parse_revision(word: str) -> int:
    """Return the number of a revision: `12` or `r12`."""
    digits = word.removeprefix("r")
    if not (digits.isascii() and digits.isdigit() and len(digits) < len(str(2**53))):
        raise WrongUsage("not_a_revision", given=visible(word))
    return int(digits)
