"""Plan choice: which plan is meant (U1, U2), by rules over what is known of the plans."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from msgspec import Struct

from outlast.errors import OutlastError, PlanNotFound, WrongUsage
from outlast.model.limits import check_name

UNREADABLE: Final = "plan_file_unreadable"  # a file of another program that is no plan
NEVER: Final = datetime.min.replace(tzinfo=UTC)


class PlanEntry(Struct, frozen=True):
    """What is known of a plan; what was repaired when it was looked at, as notices.

    A plan that cannot be read counts as unfinished.
    """

    key: str
    is_unfinished: bool = True
    updated_at: datetime = NEVER
    goal: str = ""
    title: str = ""
    is_leased: bool = False
    notices: tuple[tuple[str, dict[str, Any]], ...] = ()
    error: OutlastError | None = None

    @property
    def is_plan(self) -> bool:
        """Whether it is there, and no file of another program that is no plan."""
        return not (self.is_foreign_file or isinstance(self.error, PlanNotFound))

    @property
    def is_foreign_file(self) -> bool:
        """Whether it is a file of another program that is no plan."""
        return self.error is not None and self.error.text == UNREADABLE

    @property
    def rank(self) -> tuple[bool, datetime]:
        """Which plan is meant rather than another."""
        return self.is_unfinished, self.updated_at

    def has_goal(self, goal: str, *, or_none: bool = False) -> bool:
        """Return whether a goal is that of the plan, or its title; `or_none` if it has neither.

        A plan that cannot be read may have it: to open it tells why.
        """
        from outlast.model.intents import is_same_goal

        named = [name for name in (self.goal, self.title) if name]
        is_open_to_any = self.error is not None or (or_none and not named)
        return is_open_to_any or any(is_same_goal(name, goal) for name in named)


class Place(Struct, frozen=True):
    """The plans of a workspace or a database, which the caller knows as `where`.

    `plans` may look at a plan only when it is asked for it. `current` returns the key of the
    current plan, empty without one, `archived` the newest name in the archive of each key.
    """

    plans: Mapping[str, PlanEntry]
    current: Callable[[], str] = str
    where: str = ""
    root: str = ""
    archived: Callable[[], Mapping[str, str]] = dict
    is_database: bool = False


class PlanQuery(Struct, frozen=True, kw_only=True):
    """What tells which plan is meant; what stands first here comes first.

    `key` is a key or the beginning of one, which `option` may repeat; `variable` a whole key.
    `attached` is the key of the plan that a session is attached to, `kept` that of the plan of a
    conversation. A `message` is a goal, or says to go on; a `goal` is one as a plan stores it. What
    `resumes` or `spends` never goes over to another plan than the current one. Without all of that
    it is the current plan, and with `ended` that may have ended.
    """

    key: str | None = None
    option: str | None = None
    variable: str | None = None
    attached: str | None = None
    kept: str | None = None
    message: str | None = None
    goal: str | None = None
    resumes: bool = False
    spends: bool = False
    ended: bool = False


def choose_plan(query: PlanQuery, place: Place) -> str:
    """Return the key of the plan that is meant; empty if a message is a new goal.

    A key that no plan has is returned too: to open it tells which there are. Raises `PlanNotFound`
    if there is no such plan, or another one that has to be named.
    """
    for field, rule in _RULES:
        value = getattr(query, field)
        if value not in (None, False) and (key := rule(value, query, place)) is not None:
            return key
    return _find_current(place, ended=query.ended)


def _find_named(beginning: str, query: PlanQuery, place: Place) -> str:
    key = _complete_key(beginning, place)
    option = query.option
    if option is not None and option != beginning and _complete_key(option, place) != key:
        raise WrongUsage("two_plans_named", key=key, plan=option)
    return key


def _require_exact(key: str, _query: PlanQuery, place: Place) -> str:
    """Return the key in OUTLAST_PLAN, of which a plan must have the whole.

    Programs that a run starts have the variable set, also in the workspaces of other projects.
    """
    if check_name(key, "key") not in place.plans:
        refuse_archived(key, place)
        keys = list(place.plans)
        text = "variable_plan_missing" if keys else "no_plan_yet"
        raise PlanNotFound(text, key=key, where=place.root, candidates=keys)
    return key


def _find_attached(key: str, _query: PlanQuery, place: Place) -> str | None:
    return key if key in place.plans else None


def _find_kept(key: str, _query: PlanQuery, place: Place) -> str | None:
    """Return the key of the plan of a conversation, until it ends or is gone."""
    kept = place.plans.get(key)
    is_gone = kept is None or isinstance(kept.error, PlanNotFound)
    return key if kept is not None and kept.is_unfinished and not is_gone else None


def _find_for_message(message: str, query: PlanQuery, place: Place) -> str:
    """Return the key of the plan that a message is about; empty if it is a new goal (U1).

    A phrase such as "continue", and any message that resumes, is about the current plan, even if
    that has ended; without one about the plan that was changed last.
    """
    from outlast.model.intents import is_goal  # only runs need it

    if not query.resumes and is_goal(message):
        return _find_goal(message if query.goal is None else query.goal, query, place)
    if query.resumes and place.current() and (key := _find_to_continue(place)):
        return key
    try:
        return _find_current(place, ended=True)
    except PlanNotFound:
        return ""


def _find_goal(goal: str, _query: PlanQuery, place: Place) -> str:
    """Return the key of the unfinished plan with a goal; of several the current one, else the last.

    A plan counts as unfinished while a run leases it: that run may have been killed right after
    completing it.
    """
    from outlast.model.intents import is_same_goal

    same = (
        plan
        for plan in place.plans.values()
        if plan.is_plan and (plan.is_unfinished or plan.is_leased) and is_same_goal(plan.goal, goal)
    )
    current = place.current()
    best = max(same, key=lambda plan: (plan.key == current, plan.updated_at), default=None)
    return best.key if best else ""


def _complete_key(beginning: str, place: Place) -> str:
    """Return the key of the plan that has this key, else of the only one that begins with it.

    An archived plan with exactly this key is reported first: who drops `ship` twice must not drop
    `ship-2`.
    """
    if check_name(beginning, "key") in place.plans:
        return beginning
    refuse_archived(beginning, place)
    matches = [key for key in place.plans if key.startswith(beginning)]
    if len(matches) > 1:
        raise PlanNotFound("key_ambiguous", key=beginning, count=len(matches), candidates=matches)
    return matches[0] if matches else beginning


def refuse_archived(key: str, place: Place) -> None:
    """Raise `PlanNotFound` with the newest archived plan that has a key, if there is one."""
    name = place.archived().get(key)
    if name is not None:
        raise PlanNotFound("plan_in_archive", key=key, name=name, candidates=list(place.plans))


def _find_to_continue(place: Place) -> str | None:
    """Return the key of the current plan, else of the only unfinished one; None without any.

    Raises `PlanNotFound` if it would be any other plan: that has to be named.
    """
    key = place.current()
    current = place.plans[key] if key else None
    is_ended = current is not None and current.is_plan
    if current is not None and is_ended and current.is_unfinished:
        return current.key
    others = (place.plans[other] for other in place.plans if other != key)
    plans = sorted(others, key=lambda plan: plan.updated_at, reverse=True)
    unfinished = [plan.key for plan in plans if plan.is_plan and plan.is_unfinished]
    if not unfinished or (not is_ended and len(unfinished) == 1):
        return unfinished[0] if unfinished else None
    text, key = ("current_plan_ended", key) if is_ended else ("no_current_plan", "")
    raise PlanNotFound(text, key=key, other=unfinished[0], candidates=unfinished)


def _find_current(place: Place, *, ended: bool) -> str:
    """Return the key of the current plan, else of the unfinished one that was changed last.

    With `ended` an ended plan will do: the current one, else the one changed last if all have
    ended. A file of another program that is no plan counts only where there is nothing else.
    """
    key = place.current()
    current = place.plans[key] if key else None
    if current and not current.is_foreign_file and (ended or current.is_unfinished):
        return current.key
    entries = list(place.plans.values())
    plans = [entry for entry in entries if not entry.is_foreign_file]
    best = max(plans or entries, key=lambda plan: plan.rank, default=None)
    if best is None:
        text = "no_plan_there" if place.is_database else "no_plan_yet"
        raise PlanNotFound(text, where=place.where, candidates=[])
    if not (ended or best.is_unfinished):
        raise PlanNotFound("no_open_plan", candidates=[plan.key for plan in plans])
    return best.key


_RULES: Final[tuple[tuple[str, Callable[[Any, PlanQuery, Place], str | None]], ...]] = (
    ("key", _find_named),
    ("variable", _require_exact),
    ("attached", _find_attached),
    ("kept", _find_kept),
    ("message", _find_for_message),
    ("goal", _find_goal),
    ("spends", lambda _, _query, place: _find_to_continue(place)),
)


class ServerQuery(Struct, frozen=True, kw_only=True):
    """What tells which plan a call of a server is about; what stands first here comes first.

    `named` is the key that the server was started with, or its beginning. `attached` is the key of
    the plan that the agent's session is attached to. `bound` is that of the plan which the server
    works on, and perhaps has changed. A call may have a `goal`. A server of one session is about
    the current plan only if a call gives that plan's goal.
    """

    named: str | None = None
    attached: str | None = None
    bound: str | None = None
    has_changed_bound: bool = False
    goal: str = ""
    is_for_one_session: bool = False


def choose_for_session(query: ServerQuery, place: Place) -> str:
    """Return the key of the plan that a person has chosen for a server or its session, or "".

    One that has ended is left for another goal, and for the plan that had that goal.
    """
    if query.named is not None:
        return _complete_key(query.named, place)
    if query.attached is None or query.attached not in place.plans:
        return ""
    if query.goal or query.bound is not None:
        attached = place.plans[query.attached]
        if not (attached.is_unfinished or (query.goal and attached.has_goal(query.goal))):
            return ""
    return query.attached


def choose_for_call(query: ServerQuery, place: Place) -> str:
    """Return the key of the plan that a call is about where no person has chosen one, or "".

    The plan that the server works on is left for another goal (U1) unless the server has changed it
    and it has not ended; the current plan always is.
    """
    goal = query.goal
    if query.bound is not None and query.bound in place.plans:
        bound = place.plans[query.bound] if goal else None
        is_free = bound and not (query.has_changed_bound and bound.is_unfinished)
        if bound is None or not is_free or bound.has_goal(goal):
            return query.bound
    if query.is_for_one_session and not goal:
        return ""
    try:
        key = _find_current(place, ended=False)
    except PlanNotFound:
        return ""
    is_any = not goal or place.plans[key].has_goal(goal, or_none=not query.is_for_one_session)
    return key if is_any else ""
