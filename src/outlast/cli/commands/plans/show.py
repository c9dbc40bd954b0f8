"""`show`, `graph`, `list` and `outlast` alone: one plan, some tasks of it, or all plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from outlast.console.call import Answer, Call, Json, shell_word
from outlast.console.plan_context import ARCHIVED, find_task, open_plan_for, parse_revision
from outlast.console.render.errors import gone_keys
from outlast.console.render.overview import draw_plan, load_proof_labels, overview_json, plan_text
from outlast.console.render.summary import summarize_plan
from outlast.errors import PlanNotFound
from outlast.model.model import PERSON, GraphForm
from outlast.model.state import PlanState, task_number
from outlast.plan.home.find import find_workspace
from outlast.system.workspace_root import current_directory

if TYPE_CHECKING:
    from outlast.plan.plan import Plan
    from outlast.plan.plan_list import ListedPlan


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

    def as_text() -> str:
        is_archived = ARCHIVED in call.values
        return _cost_text(plan, call) if cost else plan_text(plan, call, archived=is_archived)

    def as_json(_: PlanState) -> Json:
        return overview_json(plan, call)

    return Answer(lambda: plan.core.read(as_json), as_text, bare=True)


def _show_tasks(
    plan: Plan, call: Call, words: tuple[str, ...], at: str | None, *, whole: bool
) -> Answer:
    from outlast.console.render.task_page import TaskPage

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
    from outlast.console.render.outline import heading
    from outlast.console.render.overview import full_cost_lines

    moment = plan.core.now()

    def lines(state: PlanState) -> list[str]:
        return [heading(state, call.language, moment), *full_cost_lines(state, call.language)]

    return "\n".join(plan.core.read(lines))


def _show_revision(plan: Plan, call: Call, at: str) -> Answer:

    past = plan.as_of(parse_revision(at))

    def as_text() -> str:
        head = call.text("say_as_of", revision=past.revision, newest=plan.revision)
        return f"{head}\n{draw_plan(past, call, load_proof_labels(past, call))}"

    return Answer(lambda: overview_json(past, call), as_text, bare=True)


def graph(plan: Plan, call: Call, *, form: GraphForm = "ascii") -> Answer:
    """Draw which task needs which."""
    drawn = plan.graph(form, call.language)

    def as_json() -> Json:
        return {
            "plan": summarize_plan(plan).as_json()["plan"],
            "format": form,
            "graph": drawn,
            "groups": plan.parallel_groups(),
            "critical_path": plan.critical_path(),
        }

    text = drawn.rstrip("\n") or call.text("plan_empty")
    return Answer(as_json, lambda: text, bare=form != "ascii")


def welcome(call: Call) -> Answer:
    """Show the only open plan, an overview of several, or how to create one."""
    if call.plan is None and _has_several():
        plans = _sorted_plans(call)
        unfinished = [plan for plan in plans if not plan.has_ended]
        if len(unfinished) > 1:
            from outlast.console.render.plan_rows import row_json

            content: Json = {"plans": [row_json(plan) for plan in plans]}
            return Answer(lambda: content, lambda: _overview_text(call, plans))
    try:
        with open_plan_for(call) as plan:
            plan.files.render()
            read = plan.core.read  # once: what is read inside is not looked for again
            content = read(lambda _: overview_json(plan, call)) if call.wants_json else {}
            words = "" if call.wants_json else plan_text(plan, call)
    except PlanNotFound as error:
        if call.plan is not None or error.details.get("count"):
            raise
        return _start_answer(call, error.details["candidates"])
    return Answer(lambda: content, lambda: words, bare=True)


def _start_answer(call: Call, ended: object) -> Answer:
    """Return how to create a plan where none is open, and where to find those that were."""
    archived, gone = _archived_count(), gone_keys()
    content: Json = {"plan": None, "phases": [], "tasks": [], "costs": None, "questions": []}
    if gone:
        content["gone"] = gone

    def as_text() -> str:
        lost = [call.text("say_plans_gone", keys=gone)] if gone else []
        if ended:
            return "\n".join([*lost, call.text("say_start_again", ended=ended)])
        return "\n".join([*lost, call.text("say_start"), *_archive_lines(call, archived)])

    return Answer(lambda: {**content, "archived_count": archived}, as_text)


def _archived_count() -> int:
    workspace = find_workspace(current_directory())
    return len(workspace.archived_plans()) if workspace else 0


def _archive_lines(call: Call, count: int) -> list[str]:
    return [call.text("say_archived_plans", count=count)] if count else []


def _has_several() -> bool:
    workspace = find_workspace(current_directory())
    return workspace is not None and len(workspace.plan_keys()) > 1


def _overview_text(call: Call, plans: list[ListedPlan]) -> str:
    """Return the rows of the unfinished plans, how many have ended, and how to choose another."""
    from outlast.console.render.plan_rows import draw_rows

    unfinished = [plan for plan in plans if not plan.has_ended]
    current, other, *_ = unfinished
    lines = [draw_rows(unfinished, call)]
    if len(unfinished) < len(plans):
        lines.append(call.text("say_ended_plans", count=len(plans) - len(unfinished)))
    keys = {"key": shell_word(current.key), "other": shell_word(other.key)}
    lines.append(call.text("say_show_plan", **keys))
    if call.asker == PERSON:
        lines.append(call.text("say_switch_plan", **keys))
    return "\n".join(lines)


def list_all(call: Call, *, archived: bool = False) -> Answer:
    """List the plans of this workspace, and with `archived` those in the archive."""
    from outlast.console.render.plan_rows import draw_rows, row_json

    plans = _sorted_plans(call)
    archived_plans, count = _archived_plans() if archived else [], _archived_count()

    def as_json() -> Json:
        return {
            "plans": [row_json(plan) for plan in plans],
            "archived": [row_json(plan) for plan in archived_plans],
            "archived_count": count,
        }

    def as_text() -> str:
        if not plans and not archived_plans:
            return "\n".join([call.text("say_no_plans"), *_archive_lines(call, count)])
        return draw_rows([*plans, *archived_plans], call)

    return Answer(as_json, as_text)


def _sorted_plans(call: Call) -> list[ListedPlan]:
    """Return the plans of this workspace: the current one, then those changed last.

    OUTLAST_PLAN comes before the current plan, as in every command.
    """
    from outlast.plan.plan_list import last_change, list_plans

    plans = sorted(list_plans(current_directory()), key=last_change, reverse=True)
    for plan in plans:
        call.notices.extend(plan.notices)
    if call.plan is not None:
        plans = [replace(plan, is_current=plan.key == call.plan) for plan in plans]
    return sorted(plans, key=lambda plan: not plan.is_current)


def _archived_plans() -> list[ListedPlan]:
    from outlast.plan.archive import list_archived
    from outlast.plan.plan_list import last_change

    return sorted(list_archived(current_directory()), key=last_change, reverse=True)
