"""Which plan of a workspace or a database is meant: by its key, by its goal, or the current one."""

from __future__ import annotations

from contextlib import closing, suppress
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.errors import InvalidDocument, OutlastError, PlanNotFound
from outlast.model.limits import check_name
from outlast.model.model import PLAN
from outlast.plan.home.find import damage_error, is_url
from outlast.store.port import Notice
from outlast.system.caller import host_agent, is_inside_tool
from outlast.system.clock import now

if TYPE_CHECKING:
    from outlast.model.state import PlanState
    from outlast.plan.home.find import DurableStore, PlanHome

UNREADABLE: Final = "plan_file_unreadable"  # a file of another program that is no plan
_NEVER: Final = datetime.min.replace(tzinfo=UTC)


def open_store(
    home: PlanHome, where: str, key: str | None, *, ended: bool = False
) -> tuple[str, DurableStore]:
    """Open the plan with a key, or the current one; return its key too.

    Without a current plan that is unfinished, it is the unfinished plan that was changed last. With
    `ended` an ended plan will do: the current one, else the one changed last if all have ended.
    """
    if key is not None:
        return key, home.open(check_name(key, "key"), now())
    current = home.current_key()
    keys = [current] if current else home.plan_keys()
    if not keys:
        text = "no_plan_there" if is_url(where) else "no_plan_yet"
        raise PlanNotFound(text, where=where, candidates=[])
    store = _open_current(home, keys[0], ended=ended) if len(keys) == 1 else None
    return (keys[0], store) if store else _open_latest(home, ended=ended)


def _open_current(home: PlanHome, key: str, *, ended: bool) -> DurableStore | None:
    """Open the current plan; return None if it has ended and must not, or is none."""
    try:
        store = home.open(key, now())
    except InvalidDocument as error:
        if error.text != UNREADABLE:
            raise
        return None
    if ended or damage_error(store.notices) or not store.read(lambda state: state.has_ended):
        return store
    store.close()
    return None


def _open_latest(home: PlanHome, *, ended: bool) -> tuple[str, DurableStore]:
    """Open the plan that was changed last, an unfinished one if there is one.

    A plan that cannot be read counts as unfinished; any other is preferred to it. A file of another
    program that is no plan does not count; a notice names it.
    """
    candidates = [_inspect(home, key) for key in home.plan_keys()]
    plans = [candidate for candidate in candidates if not candidate.is_foreign_file]
    best = max(plans or candidates, key=lambda candidate: candidate.rank)
    if best.error is not None:
        raise best.error
    if not (ended or best.is_unfinished):
        raise PlanNotFound("no_open_plan", candidates=[candidate.key for candidate in plans])
    store = home.open(best.key, now())
    store.notices[:0] = [notice for candidate in candidates for notice in candidate.notices]
    return best.key, store


class _Candidate(Struct, frozen=True):
    """A plan that may be meant; what was repaired when it was opened, as notices."""

    key: str
    is_unfinished: bool = True
    updated_at: datetime = _NEVER
    goal: str = ""
    is_leased: bool = False
    notices: tuple[Notice, ...] = ()
    error: OutlastError | None = None

    @property
    def is_foreign_file(self) -> bool:
        """Whether it is a file of another program that is no plan."""
        return self.error is not None and self.error.text == UNREADABLE

    @property
    def is_missing(self) -> bool:
        """Whether there is no such plan any more."""
        return isinstance(self.error, PlanNotFound)

    @property
    def rank(self) -> tuple[bool, datetime]:
        """Which plan is meant rather than another."""
        return self.is_unfinished, self.updated_at


def _inspect(home: PlanHome, key: str) -> _Candidate:
    try:
        with closing(home.open_without_adopting(key, now())) as store:
            if damage_error(store.notices):
                return _Candidate(key)
            return store.read(partial(_summarize, key, tuple(store.notices)))
    except OutlastError as error:
        notices = ((error.text, error.details),) if error.text == UNREADABLE else ()
        return _Candidate(key, notices=notices, error=error)


def _summarize(key: str, notices: tuple[Notice, ...], state: PlanState) -> _Candidate:
    return _Candidate(
        key,
        not state.has_ended,
        state.updated_at,
        state.goal,
        PLAN in state.ledger.leases,
        notices,
    )


def resolve_key(home: PlanHome, beginning: str) -> str:
    """Return the key of the plan that has this key, else of the only one that begins with it.

    An archived plan with exactly this key is reported first: who drops `ship` twice must not drop
    `ship-2`.
    """
    if home.has_plan(check_name(beginning, "key")):
        return beginning
    refuse_archived(home, beginning)
    keys = home.plan_keys()
    matches = [key for key in keys if key.startswith(beginning)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise PlanNotFound("key_ambiguous", key=beginning, count=len(matches), candidates=matches)
    return beginning  # opening it reports which plans there are


def resolve_variable(home: PlanHome, key: str) -> str:
    """Return the key in OUTLAST_PLAN; raise `PlanNotFound` unless a plan has exactly this key.

    Programs that a run starts have the variable set, also in the workspaces of other projects.
    """
    if not home.has_plan(check_name(key, "key")):
        refuse_archived(home, key)
        keys = home.plan_keys()
        text = "variable_plan_missing" if keys else "no_plan_yet"
        raise PlanNotFound(text, key=key, where=home.root, candidates=keys)
    return key


def refuse_archived(home: PlanHome, key: str) -> None:
    """Raise `PlanNotFound` with the newest archived plan that has a key, if there is one."""
    names = [plan.name for plan in home.archived_plans() if plan.key == key]
    if names:
        raise PlanNotFound("plan_in_archive", key=key, name=names[-1], candidates=home.plan_keys())


def choose_key(home: PlanHome, message: str, notices: list[Notice], *, resume: bool = False) -> str:
    """Return the key of the plan that a message is about; empty if it is a new goal (U1).

    A phrase such as "continue", and any message with `resume`, is about the current plan, even if
    that has ended. Without one it is about the plan that was changed last, an unfinished one if
    there is one. Raises `PlanNotFound` if the ended plan is to be resumed, and there are others.
    Adds notices on what was repaired or could not be read.
    """
    from outlast.model.intents import is_goal  # only runs need it

    if not resume and is_goal(message):
        return _find_plan_with_goal(home, message, notices)
    if resume and home.current_key():
        key = find_key_to_continue(home, notices)
        if key:
            return key
    with suppress(PlanNotFound):
        key, store = open_store(home, home.root, None, ended=True)
        notices += store.notices
        store.close()
        return key
    return ""


def find_key_to_continue(home: PlanHome, notices: list[Notice]) -> str:
    """Return the key of the plan to spend on: the current one; empty if no plan is unfinished.

    Without a current plan it is the only unfinished one. Raises `PlanNotFound` if it would be any
    other plan: that has to be named. Adds notices on what was repaired or could not be read.
    """
    current = home.current_key()
    plans = _inspect_plans(home, [current] if current else [], notices)
    if plans and plans[0].is_unfinished:
        return current
    ended = plans[0].key if plans else ""
    plans = _inspect_plans(home, [key for key in home.plan_keys() if key != current], notices)
    unfinished = [plan.key for plan in plans if plan.is_unfinished]
    if not unfinished:
        return ""
    if not ended and len(unfinished) == 1:
        return unfinished[0]
    text = "current_plan_ended" if ended else "no_current_plan"
    raise PlanNotFound(text, key=ended, other=unfinished[0], candidates=unfinished)


def _inspect_plans(home: PlanHome, keys: list[str], notices: list[Notice]) -> list[_Candidate]:
    """Return what is known of some plans, the one changed last first; what is none is left out."""
    candidates = [_inspect(home, key) for key in keys]
    notices += [notice for candidate in candidates for notice in candidate.notices]
    plans = [plan for plan in candidates if not (plan.is_foreign_file or plan.is_missing)]
    return sorted(plans, key=lambda plan: plan.updated_at, reverse=True)


def is_unfinished(home: PlanHome, key: str) -> bool:
    """Return whether there is a plan with a key that has not ended."""
    candidate = _inspect(home, key)
    return candidate.is_unfinished and not candidate.is_missing


def make_current(home: PlanHome, key: str, *, is_new: bool = False) -> None:
    """Make a plan the current one of its workspace, unless an agent runs this process.

    A coding agent changes which plan a person works on only by creating one. A tool of a run, which
    finds its plan by OUTLAST_PLAN, never does.
    """
    if not (is_inside_tool() if is_new else host_agent()):
        home.make_current(key)


def _find_plan_with_goal(home: PlanHome, goal: str, notices: list[Notice]) -> str:
    """Return the key of the unfinished plan with a goal; empty if there is none.

    Of several it is the current one, else the one that was changed last. A plan counts as
    unfinished while a run leases it: that run may have been killed right after completing it.
    """
    from outlast.model.intents import is_same_goal
    from outlast.redact.truncate import text_of

    stored_goal, current = text_of(goal), home.current_key()
    same = [
        candidate
        for candidate in _inspect_plans(home, home.plan_keys(), notices)
        if (candidate.is_unfinished or candidate.is_leased)
        and is_same_goal(candidate.goal, stored_goal)
    ]
    best = max(same, key=lambda plan: (plan.key == current, plan.updated_at), default=None)
    return best.key if best else ""
