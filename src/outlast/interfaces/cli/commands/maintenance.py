"""What is done to a whole plan, of which everything is kept: `reset`, `accept`, `archive`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.domain.model import PERSON
from outlast.errors import Unconfirmed
from outlast.interfaces.cli.plan_context import here
from outlast.interfaces.cli.render.output import Answer
from outlast.interfaces.cli.render.summary import following, next_shape, standing
from outlast.texts import visible
from outlast.wiring.archive import archive_plan
from outlast.wiring.plans import find_plan
from outlast.wiring.transfer import back_up

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan
    from outlast.interfaces.cli.call import Call


def reset(plan: Plan, call: Call, *, yes: bool = False) -> Answer:
    """Put every task back to pending."""
    _require_person(call, yes=yes)
    kept = back_up(here(), plan)
    count = plan.reset()
    now = standing(plan)

    def words() -> str:
        head = call.say("say_reset", count=count, kept=visible(kept))
        return f"{head}\n{following(now, call)}"

    return Answer(lambda: {"kept": kept, **next_shape(now)}, words)


def accept(plan: Plan, call: Call, *, yes: bool = False) -> Answer:
    """Take an edited file in as it stands, though it was held back because it takes tasks away."""
    _require_person(call, yes=yes)
    before = plan.revision
    kept = back_up(here(), plan) if any(one == "plan_md_asked" for one, _ in plan.notices) else None
    if kept is not None:
        plan.take_in(sure=True)
    now, count = standing(plan), plan.revision - before

    def words() -> str:
        said = {"count": count, "kept": visible(kept or "")}
        head = call.say("say_nothing_held" if kept is None else "say_accepted", **said)
        return f"{head}\n{following(now, call)}"

    return Answer(lambda: {"kept": kept, "changes": count, **next_shape(now)}, words)


def archive(call: Call, *, key: str | None = None) -> Answer:
    """Move a plan that has ended out of the way."""
    named = call.plan if key is None else key
    if named is None:
        with find_plan(here(), ended=True) as plan:
            named = plan.key
    where = archive_plan(here(), named)
    said = {"key": visible(named), "where": visible(where)}
    return Answer(lambda: {"key": named, "path": where}, lambda: call.say("say_archived", **said))


def _require_person(call: Call, *, yes: bool) -> None:
    """Refuse what nobody, or no person, has said to be meant."""
    if call.actor != PERSON:
        raise Unconfirmed("only_people", command=call.command, actor=visible(call.actor))
    if not yes:
        raise Unconfirmed("yes_needed", command=call.command)
