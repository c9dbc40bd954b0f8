"""One task in full, for `show N`: its fields, its proof, its cost and its history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import asdict

from outlast.application.proof.labels import LABEL_TEXTS, ProofStatus
from outlast.domain.changes import LeaseRenewed
from outlast.domain.costs import spent_amount
from outlast.domain.history.content import TASKS, subject_of
from outlast.domain.model import MAX_RETRIES
from outlast.errors import StoreError
from outlast.formats.checks import write_rule
from outlast.formats.graph_text import ICONS
from outlast.interfaces.cli.render.costs import amount_texts
from outlast.interfaces.cli.render.diff import FIELDS
from outlast.interfaces.cli.render.json import proof_json, task_json
from outlast.interfaces.cli.render.narration import author_name, describe_changes
from outlast.interfaces.cli.render.outline import phase_title
from outlast.texts import check_result, clauses, listing, status_words, visible, with_colon

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.application.plan.plan import Plan
    from outlast.domain.changes import Change, Commit
    from outlast.domain.model import Task
    from outlast.domain.state import PlanState
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Json

_EVENTS: Final = 10
_MARKS: Final = {True: "✔", False: "✖"}
_INDENT: Final = "  "


def task_page_json(plan: Plan, call: Call, task_id: int) -> Json:
    """Return a task for `--json`, with its proof and its cost."""
    status = _proof_status(plan, call, task_id)

    def read(state: PlanState) -> Json:
        task = state.tasks[task_id]
        return {
            "task": task_json(task, state.blocked_by(task)),
            "proof": proof_json(status),
            "cost": asdict(spent_amount(state, task_id)),
        }

    return plan.core.read(read)


def task_page(plan: Plan, call: Call, task_id: int) -> str:
    """Return a task as text."""
    status = _proof_status(plan, call, task_id)

    def read(state: PlanState) -> list[str]:
        task = state.tasks[task_id]
        return [
            f"{ICONS[task.status]} {task.id} {visible(task.name)}  {_status(call, task, status)}",
            *_field_lines(call, state, task),
            *_evidence_lines(call, task, status),
            *_cost_lines(call, state, task),
        ]

    return "\n".join([*plan.core.read(read), *_history_lines(plan, call, task_id)])


def _proof_status(plan: Plan, call: Call, task_id: int) -> ProofStatus:
    """Return the label and the latest proof of a task; add a notice if they cannot be read."""
    try:
        return plan.checks.proof(task_id)
    except StoreError as error:
        call.notices.append((error.text, error.details))
        return ProofStatus(task_id, "")


def _status(call: Call, task: Task, status: ProofStatus) -> str:
    label = [call.text(LABEL_TEXTS[status.label])] if status.label else []
    return listing([status_words(task.status, call.language), *label], call.language)


def _field_lines(call: Call, state: PlanState, task: Task) -> Iterator[str]:
    needs = (f"{ICONS[state.tasks[d].status]} {d} {state.tasks[d].name}" for d in task.needs)
    progress, retries = task.progress, task.retry_count
    fields = {
        "description": task.description,
        "needs": "\n".join(needs),
        "reasoning": task.reasoning,
        "run": task.run,
        "files": listing(task.files, call.language),
        "protect": listing(task.protect, call.language),
        "progress": f"{progress.current}/{progress.total}" if progress else "",
        "actor": task.actor,
        "result": task.result or "",
        "error": task.error or "",
        "retry_count": f"{retries}/{MAX_RETRIES}" if retries else "",
    }
    if len(state.phases) > 1:
        yield _INDENT + call.text(
            "diff_phase", what=phase_title(state.phases[task.phase], call.language)
        )
    for name, value in fields.items():
        if value:
            yield from _labelled_lines(call, call.text(FIELDS[name]), value)


def _labelled_lines(call: Call, label: str, value: str) -> Iterator[str]:
    """Yield a value after its label; several lines stand below it."""
    first, *others = map(visible, value.strip("\n").split("\n"))
    if not others:
        yield _INDENT + with_colon(label, first, call.language)
        return
    yield _INDENT + with_colon(label, "", call.language).rstrip()
    yield from (f"{_INDENT * 2}{line}".rstrip() for line in (first, *others))


def _evidence_lines(call: Call, task: Task, status: ProofStatus) -> Iterator[str]:
    """Yield each check with what it showed last."""
    latest = status.proof.evidence if status.proof else ()
    shown = {evidence.check: evidence for evidence in latest}
    if task.checks:
        yield _INDENT + with_colon(call.text(FIELDS["checks"]), "", call.language).rstrip()
    for check in task.checks:
        evidence = shown.get(check)
        mark = _MARKS[evidence.ok] if evidence else "○"
        says = visible(check_result(evidence.says, call.language)) if evidence else ""
        yield f"{_INDENT * 2}{mark} {visible(write_rule(check))}  {says}".rstrip()


def _cost_lines(call: Call, state: PlanState, task: Task) -> Iterator[str]:
    cost = amount_texts(spent_amount(state, task.id), call.language)
    if cost:
        yield _INDENT + call.text("cost_used", what=cost)


# The history


def _history_lines(plan: Plan, call: Call, task_id: int) -> Iterator[str]:
    """Yield the last few commits that concern a task, newest first."""
    events = _history(plan, call, task_id)
    if events:
        yield ""
    for commit, words in events[: -_EVENTS - 1 : -1]:
        at = f"{commit.at.astimezone():%Y-%m-%d %H:%M}"
        yield f"r{commit.revision}  {at}  {author_name(call, commit)}  {words}"
    if len(events) > _EVENTS:
        yield call.text("show_earlier", count=len(events) - _EVENTS)


def _history(plan: Plan, call: Call, task_id: int) -> list[tuple[Commit, str]]:
    """Return the commits that concern a task, oldest first, and what they did to it."""
    events: list[tuple[Commit, str]] = []
    commits = plan.core.store.commits_since(0)
    state = plan.core.store.state_before(min((each.revision for each in commits), default=1))
    for commit in commits:
        plan_id = state.id
        words = describe_changes(call, commit, state, lambda change: _concerns(change, task_id))
        if state.id != plan_id:
            events.clear()  # the tasks of another plan have the same numbers
        if words:
            events.append((commit, clauses(words, call.language)))
    return events


def _concerns(change: Change, task_id: int) -> bool:
    return subject_of(change) == (TASKS, task_id) and not isinstance(change, LeaseRenewed)
