"""`context`: what an agent needs to know about the plan, for any other agent to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.console.call import QUOTED_BLANK, Answer, Call
from outlast.context.brief import render_brief
from outlast.context.details import detail_page
from outlast.context.escape import quote
from outlast.context.plan_block import command_plan_block
from outlast.errors import WrongUsage
from outlast.model.model import PERSON
from outlast.plan.home.find import load_settings
from outlast.plan.plan_view import plan_view
from outlast.system.workspace_root import current_directory

if TYPE_CHECKING:
    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan


def context(
    plan: Plan,
    call: Call,
    *,
    about: str | None = None,
    brief: bool = False,
    page: int | None = None,
) -> Answer:
    """Print the plan block, the brief, or a page of whole texts about one thing."""
    if about is not None and brief:
        raise WrongUsage("options_apart", options=["ABOUT", "--brief"])
    if about is None and page is not None:
        raise WrongUsage("argument_required", argument="ABOUT", usage="outlast context ABOUT")
    actor = "agent" if plan.actor == PERSON else plan.actor

    def spell_call(topic: str, number: str = "") -> str:
        pages = ("--page", number) if number else ()
        return f"`{call.suggest('context', topic, *pages)}`"

    def describe(state: PlanState) -> str:
        view = plan_view(state, actor)
        if brief:
            return render_brief(state, view, call.language, tokens=tokens, call=spell_call)
        if about is None:
            add = call.suggest("add", QUOTED_BLANK)
            return command_plan_block(view, call.language, add, call.suggest("done", "N"))
        shown = detail_page(state, about, page or 1, call.language)
        return quote(shown, len(shown))

    tokens = load_settings(current_directory()).settings.loop.brief_tokens if brief else 0
    shown = plan.core.read(describe)
    return Answer(lambda: {"context": shown}, lambda: shown, bare=True)
