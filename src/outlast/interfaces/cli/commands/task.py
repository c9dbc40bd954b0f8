"""Which tasks there are: `add`, `skip`, `rm`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from outlast.domain.budget import NO_LIMIT
from outlast.domain.commands import NewTask
from outlast.interfaces.cli.parser.phase_option import begun_shape, begun_words, meant_phase
from outlast.interfaces.cli.parser.task_options import checks_of, limits_of, patterns_of
from outlast.interfaces.cli.parser.task_refs import reference, references
from outlast.interfaces.cli.render.advice import unallowed
from outlast.interfaces.cli.render.json import task_shape
from outlast.interfaces.cli.render.output import Answer
from outlast.interfaces.cli.render.summary import following, next_shape, standing, task_words

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Json


def add(  # noqa: PLR0913 - one keyword for each thing the command takes
    plan: Plan,
    call: Call,
    *,
    names: tuple[str, ...],
    needs: tuple[str, ...] = (),
    after: str | None = None,
    phase: str | None = None,
    checks: tuple[str, ...] = (),
    run: str = "",
    files: tuple[str, ...] = (),
    protect: tuple[str, ...] = (),
    budget: str | None = None,
) -> Answer:
    """Add tasks, all or none, each with the same dependencies, checks and budget."""
    phase_id, begun = meant_phase(plan, phase)
    alike = NewTask(
        "",
        phase=phase_id,
        needs=tuple(references(needs)),
        checks=checks_of(checks),
        run=run,
        files=patterns_of(files),
        protect=patterns_of(protect),
        budget=NO_LIMIT if budget is None else limits_of(budget),
    )
    new = [replace(alike, name=name) for name in names]
    made = plan.add_all(
        new,
        insert_after=None if after is None else reference(after),
        new_phase=begun.title if begun else None,
    )
    now = standing(plan)

    def shape() -> Json:
        shown = plan.read(lambda state: [task_shape(one, state.blocked_by(one)) for one in made])
        return {"tasks": shown, "new_phase": begun_shape(begun), **next_shape(now)}

    def words() -> str:
        lines = begun_words(call, begun)
        lines += [call.say("say_added", task=task_words(task)) for task in made]
        return "\n".join([*lines, *unallowed(plan, call, made), following(now, call)])

    return Answer(shape, words)


def skip(plan: Plan, call: Call, *, task: str, reason: tuple[str, ...] = ()) -> Answer:
    """Leave a task out."""
    left = plan.skip(reference(task), " ".join(reason))
    now = standing(plan)

    def words() -> str:
        head = call.say("say_skipped", task=task_words(left), done=now.done, total=now.total)
        return f"{head}\n{following(now, call)}"

    return Answer(lambda: {"task": task_shape(left), **next_shape(now)}, words)


def remove(plan: Plan, call: Call, *, task: str) -> Answer:
    """Take a pending task out of the plan."""
    gone = plan.task(reference(task))
    plan.remove(gone.id)
    now = standing(plan)

    def words() -> str:
        head = call.say("say_removed", task=task_words(gone))
        return f"{head}\n{following(now, call)}"

    return Answer(lambda: {"task": task_shape(gone), **next_shape(now)}, words)
