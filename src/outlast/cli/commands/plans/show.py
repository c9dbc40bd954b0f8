"""`show` and `graph`: the plan with its tasks and costs, some tasks, or which task needs which."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.console.plan_context import ARCHIVED, find_task
from outlast.console.render.output import Answer
from outlast.console.render.overview import draw_plan, load_proof_labels, overview_json, plan_text
from outlast.model.state import task_number

if TYPE_CHECKING:
    from outlast.console.call import Call
    from outlast.console.render.output import Json
    from outlast.model.model import GraphForm
    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan


def show(  # noqa: PLR0913 - one keyword per option
    plan: Plan,
    call: Call,
    *,
    task: tuple[str, ...] = (),
    at: str | None = None,
    cost: bool = False,
    every: bool = False,
) -> Answer:
    """Show the plan or some tasks, now or at a revision; with `cost` what the plan cost."""
    if task:
        return _show_tasks(plan, call, task, at, whole=every)
    if at is not None:
        return _show_revision(plan, call, at)
    plan.files.render()

    def as_text(_: PlanState) -> str:
        is_archived = ARCHIVED in call.values
        return _cost_text(plan, call) if cost else plan_text(plan, call, archived=is_archived)

    def as_json(_: PlanState) -> Json:
        return overview_json(plan, call)

    read = plan.core.read  # once: what is read inside is not looked for again
    return Answer(lambda: read(as_json), lambda: read(as_text), bare=True)


def _show_tasks(
    plan: Plan, call: Call, words: tuple[str, ...], at: str | None, *, whole: bool
) -> Answer:
    from outlast.console.render.task_page import TaskPage
    from outlast.console.values import parse_revision

    shown = plan if at is None else plan.as_of(parse_revision(at))
    tasks = shown.core.read(lambda state: _find_tasks(state, words))
    given = {"--at": at, "--archived": call.values.get(ARCHIVED)}
    options = [each for option, value in given.items() if value for each in (option, value)]
    pages = [TaskPage(shown, call, task, whole=whole, options=options) for task in tasks]
    if len(pages) == 1:
        return Answer(pages[0].as_json, pages[0].as_text)

    def as_json() -> Json:
        contents = [page.as_json() for page in pages]
        return {"plan": contents[0]["plan"], "tasks": contents}

    return Answer(as_json, lambda: "\n\n".join(page.as_text() for page in pages))


def _find_tasks(state: PlanState, words: tuple[str, ...]) -> list[int]:
    """Return the tasks with these numbers; other words are those of one name."""
    if len(words) > 1 and all(map(task_number, words)):
        return [find_task(state, word) for word in dict.fromkeys(words)]
    return [find_task(state, " ".join(words))]


def _cost_text(plan: Plan, call: Call) -> str:
    from outlast.console.render.costs import full_cost_lines
    from outlast.console.render.outline import heading

    moment = plan.core.now()

    def lines(state: PlanState) -> list[str]:
        return [heading(state, call.language, moment), *full_cost_lines(state, call.language)]

    return "\n".join(plan.core.read(lines))


def _show_revision(plan: Plan, call: Call, at: str) -> Answer:
    from outlast.console.values import parse_revision

    past = plan.as_of(parse_revision(at))

    def as_text() -> str:
        head = call.text("say_as_of", revision=past.revision, newest=plan.revision)
        return f"{head}\n{draw_plan(past, call, load_proof_labels(past, call))}"

    return Answer(lambda: overview_json(past, call), as_text, bare=True)


def graph(plan: Plan, call: Call, *, form: GraphForm = "ascii") -> Answer:
    """Draw which task needs which."""
    from outlast.console.render.summary import next_json, summarize_plan

    drawn = plan.graph(form, call.language)

    def as_json() -> Json:
        return {
            "plan": next_json(summarize_plan(plan))["plan"],
            "format": form,
            "graph": drawn,
            "groups": plan.parallel_groups(),
            "critical_path": plan.critical_path(),
        }

    text = drawn.rstrip("\n") or call.text("plan_empty")
    return Answer(as_json, lambda: text, bare=form != "ascii")
