"""`Plan`: the handle that programs and the command line use."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Self, overload

from outlast import plan as facets
from outlast.errors import InvalidArgument, OutlastError, PlanClosed
from outlast.language import Language
from outlast.model import commands as c
from outlast.model.changes import Commit
from outlast.model.commands import NewTask, TaskRef
from outlast.model.execute import return_commit
from outlast.model.limits import check_choice, check_ref
from outlast.model.model import (
    PERSON,
    Check,
    ClaimedHow,
    GraphForm,
    LastRun,
    Lease,
    Order,
    Phase,
    PlanStatus,
    Progress,
    StatusFilter,
    Task,
)
from outlast.plan.core import (
    PlanCore,
    as_tuple,
    check_amend,
    check_lease,
    edit_task,
    find_completed,
    last_id,
    last_task,
    lease_of,
    new_phase_of,
    new_tasks_of,
    record_checks,
    token_of,
)
from outlast.plan.tools import Dialect, ToolSet
from outlast.store.heartbeat import Heartbeat, release_lease, renew_lease
from outlast.store.port import Notice

if TYPE_CHECKING:
    from outlast.context.chat_model import Call
    from outlast.model.state import PlanState

_AGENT: Final = "agent"


class Plan:
    """A goal and its tasks. Methods return frozen values and raise `outlast.errors`.

    A handle acts for one `actor`; several handles may share one plan.
    """

    __slots__ = ("core",)

    def __init__(self, core: PlanCore) -> None:
        """Put the verbs on a core; `outlast.create_plan` is the usual way to get a plan."""
        self.core = core

    def __repr__(self) -> str:
        try:
            return self.core.read(
                lambda s: f"<Plan {s.id} {s.title!r} {s.finished_count}/{len(s.tasks)} {s.status}>"
            )
        except PlanClosed:
            return "<Plan closed>"
        except OutlastError as error:  # a repr must not raise
            return f"<Plan {error.code}>"

    def acting_as(self, actor: str, *, person: str = "") -> Plan:
        """Return a handle on the same plan that acts for another actor.

        `person` is the name to record with what `human` does, such as that of a user who is
        signed in.
        """
        return Plan(self.core.acting_as(actor, person))

    def close(self) -> None:
        """Close the store; every change has been saved already."""
        self.core.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    # What the plan is

    @property
    def actor(self) -> str:
        """Who this handle acts for."""
        return self.core.actor

    @property
    def id(self) -> str:
        """The plan's own id, `plan_<random>`."""
        return self.core.read(lambda state: state.id)

    @property
    def key(self) -> str:
        """The name of the plan in its workspace."""
        return self.core.read(lambda state: state.key)

    @property
    def goal(self) -> str:
        """What the plan is to achieve."""
        return self.core.read(lambda state: state.goal)

    @property
    def title(self) -> str:
        """The goal in one short line."""
        return self.core.read(lambda state: state.title)

    @property
    def order(self) -> Order:
        """`graph` if only needs hold a task back, `sequential` if earlier tasks do too."""
        return self.core.read(lambda state: state.order)

    @property
    def status(self) -> PlanStatus:
        """The status of the plan as a whole."""
        return self.core.read(lambda state: state.status)

    @property
    def progress(self) -> Progress:
        """Finished tasks out of all."""
        return self.core.read(lambda state: state.progress)

    @property
    def iteration_count(self) -> int:
        """How many iterations of work have been counted; never falls."""
        return self.core.read(lambda state: state.iteration_count)

    @property
    def revision(self) -> int:
        """How many commits have changed the plan."""
        return self.core.read(lambda state: state.revision)

    @property
    def created_at(self) -> datetime:
        """When the plan was created."""
        return self.core.read(lambda state: state.created_at)

    @property
    def updated_at(self) -> datetime:
        """When the plan last changed."""
        return self.core.read(lambda state: state.updated_at)

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases in order."""
        return self.core.read(lambda state: tuple(state.phases.values()))

    @property
    def last_run(self) -> LastRun | None:
        """What the last run of an agent worked with; None before the first one."""
        return self.core.read(lambda state: state.last_run)

    @property
    def needs_approval(self) -> bool:
        """Whether agents may only plan until a person approves the plan."""
        return self.core.read(lambda state: state.needs_approval)

    @property
    def notices(self) -> list[Notice]:
        """What was repaired or applied since the plan was opened, as text keys with details."""
        return self.core.store.notices

    # More verbs, by subject

    @property
    def checks(self) -> facets.PlanChecks:
        """Run, approve and confirm checks, and read proofs."""
        return facets.PlanChecks(self.core)

    @property
    def budget(self) -> facets.PlanBudget:
        """Set limits, and read what the plan and its tasks cost."""
        return facets.PlanBudget(self.core)

    @property
    def notes(self) -> facets.PlanNotes:
        """Record and read findings and errors, and set the deliverable."""
        return facets.PlanNotes(self.core)

    @property
    def questions(self) -> facets.PlanQuestions:
        """Ask people, answer, and send messages to a running loop."""
        return facets.PlanQuestions(self.core)

    @property
    def history(self) -> facets.PlanHistory:
        """Read and compare the commits of the plan."""
        return facets.PlanHistory(self.core)

    @property
    def files(self) -> facets.PlanFiles:
        """Sync people's edits in the view files, and render them."""
        return facets.PlanFiles(self.core)

    # Look at the tasks

    def task(self, task: TaskRef) -> Task:
        """Return one task."""
        return self.core.read(lambda state: state.task(check_ref(task, "task")))

    def tasks(self, status: StatusFilter | None = None) -> tuple[Task, ...]:
        """Return the tasks in list order; `pending` includes the `blocked` ones."""
        return self.core.read(lambda state: tuple(state.with_status(status)))

    def current(self) -> Task | None:
        """Return the task that this actor has in progress."""
        actor = self.core.actor
        return self.core.read(lambda state: state.tasks.get(state.current_task(actor) or 0))

    def next(self) -> Task | None:
        """Return the task that `start()` would start."""
        return self.core.read(lambda state: state.tasks.get(state.next_ready() or 0))

    def ready(self) -> tuple[Task, ...]:
        """Return all tasks that can start now."""
        return self.core.read(
            lambda state: tuple(map(state.tasks.__getitem__, state.ready_tasks()))
        )

    def blocked_by(self, task: TaskRef) -> tuple[int, ...]:
        """Return the unfinished needs that keep a pending task from starting."""
        return self.core.read(
            lambda state: tuple(state.blocked_by(state.task(check_ref(task, "task"))))
        )

    def graph(self, form: GraphForm = "mermaid", language: Language = "en") -> str:
        """Draw the tasks and their needs as `mermaid`, `dot` or `ascii`, or say them in `words`."""
        from outlast.documents import graph_text

        check_choice(form, "form", graph_text.FORMS)
        return self.core.read(lambda state: graph_text.FORMS[form](state, language))

    def parallel_groups(self) -> tuple[tuple[int, ...], ...]:
        """Return the tasks in layers; the tasks of one layer can run in parallel."""
        from outlast.model.layers import compute_layers

        return self.core.read(compute_layers).groups

    def critical_path(self) -> tuple[int, ...]:
        """Return the longest chain of needs, counted in tasks."""
        from outlast.model.layers import compute_layers

        return self.core.read(compute_layers).critical_path

    def as_of(self, revision: int) -> Plan:
        """Return a read-only handle on the plan as it was at a revision, where its clock stands."""
        from outlast.plan.past_revision import PastStore

        core = self.core
        past = PastStore(core.store, revision)
        moment = past.read(lambda state: state.updated_at)
        return Plan(PlanCore(past, lambda: moment, core.new_id, core.actor, checker=core.checker))

    # Shape the plan

    def initialize(self, goal: str, tasks: Iterable[NewTask]) -> tuple[Task, ...]:
        """Give an empty plan its goal and tasks, or begin a new plan after one that ended."""
        command = c.InitializePlan(self.core.new_id(), goal, as_tuple(tasks, "tasks"))
        return record_checks(
            self.core, self.core.commit((command,), lambda state, _: tuple(state.tasks_in_order()))
        )

    def edit(
        self,
        *,
        goal: str | None = None,
        title: str | None = None,
        order: Order | None = None,
        reason: str = "",
    ) -> None:
        """Change the goal, the title or the order of the plan.

        An agent may give a goal to a plan without one. Only a person may change a goal.
        """
        if goal is not None and self.core.actor != PERSON and self.goal not in ("", goal):
            raise InvalidArgument("goal_of_a_person", argument="goal", person=PERSON)
        self.core.commit((c.EditPlan(goal, title, order),), return_commit, reason=reason)

    def add(  # noqa: PLR0913 - one keyword for each thing a task may have
        self,
        name: str,
        needs: Iterable[TaskRef] = (),
        reasoning: str = "",
        *,
        insert_after: TaskRef | None = None,
        phase: str | None = None,
        description: str = "",
        constraints: str = "",
        expected: str = "",
        active_form: str = "",
        kind: str = "",
        checks: Iterable[Check] = (),
        run: str = "",
        files: Iterable[str] = (),
        protect: Iterable[str] = (),
    ) -> Task:
        """Add a task at the end of its phase, or right after the task `insert_after`.

        `needs` are the tasks to finish first, `phase` is the id of a phase. `description` says more
        about the task than its name, in any number of lines; `constraints` are what the work has to
        respect, `expected` is what should come of it. `reasoning` is why the task is needed,
        `active_form` how to name it while it is in progress ("Cooking the soup"),
        `kind` a word of your own; Outlast only keeps these. `checks` have to pass before it counts
        as completed; those that a person adds are approved at once. `run` is the command that does
        the work: the agent `shell` runs it once a person has approved it. `files` are patterns of
        its results, `protect` of files that must not change while it is in progress.
        """
        new = NewTask(
            name=name,
            phase=phase,
            needs=as_tuple(needs, "needs"),
            reasoning=reasoning,
            description=description,
            constraints=constraints,
            expected=expected,
            active_form=active_form,
            kind=kind,
            checks=as_tuple(checks, "checks"),
            run=run,
            files=as_tuple(files, "files"),
            protect=as_tuple(protect, "protect"),
        )
        command = c.AddTasks((new,), insert_after)
        return record_checks(self.core, self.core.commit((command,), new_tasks_of))[0]

    def add_all(
        self,
        tasks: Iterable[NewTask],
        *,
        insert_after: TaskRef | None = None,
        new_phase: str | None = None,
    ) -> tuple[Task, ...]:
        """Add several tasks, which may need each other, all or none.

        `new_phase` is the title of a phase to add in the same commit; tasks that name no phase go
        into it.
        """
        command = c.AddTasks(as_tuple(tasks, "tasks"), insert_after, last_phase=bool(new_phase))
        commands = (command,) if new_phase is None else (c.AddPhase(new_phase), command)
        return record_checks(self.core, self.core.commit(commands, new_tasks_of))

    def update(  # noqa: PLR0913 - one keyword for each thing that can change
        self,
        task: TaskRef,
        *,
        name: str | None = None,
        needs: Iterable[TaskRef] | None = None,
        reasoning: str | None = None,
        description: str | None = None,
        constraints: str | None = None,
        expected: str | None = None,
        active_form: str | None = None,
        kind: str | None = None,
        checks: Iterable[Check] | None = None,
        run: str | None = None,
        files: Iterable[str] | None = None,
        protect: Iterable[str] | None = None,
        result: str | None = None,
        amend: bool = False,
    ) -> Task:
        """Change the given fields of a task; `add` says what they are, `result` what came of it.

        Only a person may change the checks of a task that has any. A person may also `amend` a
        finished task, or one in progress; its checks only while no attempt of it is open.
        """
        command = c.EditTask(
            task=task,
            name=name,
            needs=None if needs is None else as_tuple(needs, "needs"),
            reasoning=reasoning,
            description=description,
            constraints=constraints,
            expected=expected,
            active_form=active_form,
            kind=kind,
            checks=None if checks is None else as_tuple(checks, "checks"),
            run=run,
            files=None if files is None else as_tuple(files, "files"),
            protect=None if protect is None else as_tuple(protect, "protect"),
            result=result,
            amend=amend,
        )
        return edit_task(self.core, task, (command,))

    def move(
        self,
        task: TaskRef,
        *,
        insert_after: TaskRef | None = None,
        phase: str | None = None,
        first: bool = False,
    ) -> Task:
        """Move a task after another, else to the end (or front) of its phase or a named one."""
        command = c.MoveTask(task, phase, insert_after, first)
        return self.core.commit((command,), lambda state, _: state.task(task))

    def remove(self, task: TaskRef, *, amend: bool = False) -> int:
        """Remove a pending task that no other needs; return its id, which is not reused.

        A person may `amend` the plan: remove a task that has ended or that others need.
        """
        check_amend(self.core, amend=amend)
        return self.core.commit((c.RemoveTask(task, amend),), last_id)

    def add_phase(self, title: str, *, notes: str = "", insert_after: str | None = None) -> Phase:
        """Add a phase at the end, or after another."""
        return self.core.commit((c.AddPhase(title, notes, insert_after),), new_phase_of)

    def edit_phase(
        self, phase: str, *, title: str | None = None, notes: str | None = None
    ) -> Phase:
        """Change a phase's title or notes; its id stays."""
        command = c.EditPhase(phase, title, notes)
        return self.core.commit((command,), lambda state, _: state.phases[phase])

    def move_phase(self, phase: str, *, insert_after: str | None = None) -> None:
        """Move a phase with its tasks after another, or to the front."""
        self.core.commit((c.MovePhase(phase, insert_after),), return_commit)

    def remove_phase(self, phase: str) -> None:
        """Remove a phase that has no tasks."""
        self.core.commit((c.RemovePhase(phase),), return_commit)

    def undo(self, revision: int | None = None) -> Commit:
        """Undo a commit, or the newest one that can be undone; return the undone commit.

        A commit that later ones build on is refused; the error names what to undo first. Facts are
        not undone: claims, attempts, counts and notes stay.
        """
        from outlast.plan.past_revision import undo_commit

        return undo_commit(self.core, revision)

    # Work on tasks

    def start(self, task: TaskRef | None = None) -> Task:
        """Start a task, or the next one if this actor has none in progress.

        Its checks are run as the baseline, to see later what the work has changed.
        """
        return self.core.commit_with_checks((c.Start(self.core.actor, task),), last_task)

    def complete(  # noqa: PLR0913 - one keyword for each option
        self,
        task: TaskRef,
        result: str | None = None,
        *,
        how: ClaimedHow = "reported",
        lease: Lease | None = None,
        force: bool = False,
        amend: bool = False,
    ) -> Task:
        """Complete a task; a ready task that was not started is started first.

        If it has checks, they are run and have to pass. A person may complete it without them
        (`force`), or before it is ready (`amend`).
        """
        core, token = self.core, token_of(lease)
        command = c.Complete(task, core.actor, result, how, token, force=force, amend=amend)
        try:
            return core.commit_with_checks((command,), last_task)
        except InvalidArgument as error:
            completed = find_completed(core, command) if error.text == "key_reused" else None
            if completed is None:
                raise
            return completed

    def fail(
        self, task: TaskRef, error: str, *, retry: bool = True, lease: Lease | None = None
    ) -> Task:
        """Record a failed attempt: the task is pending again, or failed after three retries."""
        command = c.Fail(task, self.core.actor, error, retry, token_of(lease))
        return self.core.commit((command,), last_task)

    def return_task(self, task: TaskRef, reason: str = "", *, lease: Lease | None = None) -> Task:
        """Return a task in progress to pending, without an outcome."""
        command = c.Return(task, reason, token_of(lease))
        return self.core.commit((command,), last_task, reason=reason)

    def skip(self, task: TaskRef, reason: str = "") -> Task:
        """Skip an unfinished task; tasks that need it can go on."""
        return self.core.commit((c.Skip(task, reason),), last_task, reason=reason)

    def reopen(self, task: TaskRef, reason: str = "") -> Task:
        """Make a failed or finished task pending again."""
        return self.core.commit((c.Reopen(task),), last_task, reason=reason)

    def set_progress(
        self, task: TaskRef, current: int, total: int, *, lease: Lease | None = None
    ) -> Task:
        """Record that `current` of `total` parts of a task are done."""
        command = c.SetProgress(task, current, total, token_of(lease))
        return self.core.commit((command,), lambda state, _: state.task(task))

    def pause(self, reason: str = "") -> None:
        """Pause the plan."""
        self.core.commit((c.Pause(),), return_commit, reason=reason)

    def resume(self) -> None:
        """Resume a paused plan."""
        self.core.commit((c.Resume(),), return_commit)

    def approve(self) -> None:
        """Approve, as a person, that agents carry out a plan that needs approval."""
        self.core.commit((c.ApprovePlan(self.core.actor),), return_commit)

    def abort(self, reason: str = "") -> None:
        """Abort the plan: it becomes failed, and everything done so far is kept."""
        self.core.commit((c.Abort(),), return_commit, reason=reason)

    def reset(self) -> int:
        """Make every task pending again; return how many there are."""
        return self.core.commit((c.Reset(),), lambda state, _: len(state.tasks))

    # Claim tasks

    def claim(self, task: TaskRef | None = None, seconds: int = 60) -> Lease:
        """Start and lease a task, or the next one; an expired lease may be taken over."""
        command = c.Claim(self.core.actor, task, seconds)
        return self.core.commit_with_checks((command,), lease_of)

    def claim_with_heartbeat(self, task: TaskRef | None = None, seconds: int = 60) -> Heartbeat:
        """Claim a task and renew the lease from a thread until the `with` block ends."""
        return Heartbeat(self.core, self.claim(task, seconds), seconds)

    def renew(self, lease: Lease, seconds: int = 60) -> Lease:
        """Extend a lease to so many seconds from now."""
        return renew_lease(self.core, check_lease(lease), seconds)

    def release(self, lease: Lease) -> Task | None:
        """End a lease and return its task to pending."""
        return release_lease(self.core, check_lease(lease))

    def with_lease(self, lease: Lease, key: str = "") -> Plan:
        """Return a handle whose changes raise `ClaimLost` once the lease is lost.

        With a key the handle makes one change only, and repeats the answer if it is called again.
        """
        return Plan(self.core.with_lease(lease, key))

    # Give the plan to an agent that has a loop of its own

    def tools(
        self, dialect: Dialect = "openai", which: ToolSet = "default", *, prefix: str = ""
    ) -> list[Any]:
        """Return the schemas of the plan's tools as an SDK takes them.

        `openai` is for chat completions, `openai-responses` for the Responses API, `gemini` for
        function declarations. `which` is the compact `default` set, or `full`: all functions of
        `PlanManager`. A `prefix` before all names sets them apart from those of other tools; give
        it to `context`, `owns` and `handle` too.
        """
        from outlast.plan.tools.tool_sets import runnable_tools, tool_schemas

        return tool_schemas(dialect, runnable_tools(which, prefix))

    def context(
        self,
        language: Language = "en",
        which: ToolSet = "default",
        *,
        prefix: str = "",
        brief: bool = False,
    ) -> str:
        """Return the plan block for a model, short however large the plan is.

        Its bytes are the same until the plan changes, so that prompt caches hold. `which` is the
        set of tools that the model was offered; the block names those tools. With `brief`, return
        what a model must know that has not seen the work: goal, everything people have said,
        results, findings, errors. It opens a conversation; the block is for every request.
        """
        from functools import partial

        from outlast.context.brief import render_brief, tool_call
        from outlast.context.plan_block import agent_plan_block
        from outlast.plan.plan_view import plan_view

        actor, call = self._as_agent().actor, partial(tool_call, prefix=prefix)

        def describe(state: PlanState) -> str:
            view = plan_view(state, actor)
            if brief:
                return render_brief(state, view, language, call=call)
            return agent_plan_block(view, language, which, prefix)

        return self.core.read(describe)

    def owns(self, call: object, *, prefix: str = "") -> bool:
        """Return whether a model's tool call names one of the plan's tools."""
        from outlast.plan.tools.calls import parse_call
        from outlast.plan.tools.tool_sets import find_tool

        return find_tool(parse_call(call).name, prefix) is not None

    @overload
    def handle(self, call: Call, *, prefix: str = "") -> str: ...
    @overload
    def handle(self, call: object, *, prefix: str = "") -> Any: ...  # noqa: ANN401 - what the SDK of the call takes
    def handle(self, call: object, *, prefix: str = "") -> Any:
        """Run a model's tool call and return the answer in the call's own dialect.

        Accepts calls of the SDKs of OpenAI, Anthropic and Gemini, of LangChain and of MCP, as
        objects or dicts, and `outlast.models.Call`. Errors in a call are part of the answer, not
        raised.
        """
        from outlast.plan.tools.dispatch import answer_call

        return answer_call(self._as_agent(), call, prefix)

    def _as_agent(self) -> Plan:
        """Return a handle for an agent: what a model does never counts as a person's doing."""
        return self.acting_as(_AGENT) if self.core.actor == PERSON else self
