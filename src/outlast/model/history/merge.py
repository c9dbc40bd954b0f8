"""Merge a fork of the history: take over the commits of another branch, under numbers of this one.

Both branches went on from the same commit, so both gave out the same next numbers: to tasks,
findings, attempts and questions. What the other branch began gets new ones, in all of its commits.
What both changed stays as it is here, and a question tells a person what the other branch says.
Leases are left out: their holders work on the other copy of the plan.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from outlast.language import text
from outlast.model import changes as c
from outlast.model.changes import fold
from outlast.model.changes.facts import attempt_number
from outlast.model.changes.tasks import work_state
from outlast.model.decide.conversation import QUESTION_CHARACTERS
from outlast.model.history.rebuild import make_commit
from outlast.model.history.salvage import is_applicable, salvage
from outlast.model.limits import make_slug
from outlast.model.model import PLAN, Question
from outlast.model.state import PlanState

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from outlast.language import Language
    from outlast.model.model import Finding, Prose, Task

    Steps = Iterator[c.Change]
    _Hold = c.PlanPaused | c.PlanResumed | c.PlanAborted | c.PlanRestored
    _Work = (
        c.TaskStarted
        | c.TaskCompleted
        | c.CompletionConfirmed
        | c.TaskRetried
        | c.TaskFailed
        | c.TaskSkipped
        | c.TaskReopened
        | c.TaskReturned
        | c.TaskProgressed
        | c.TaskRestored
    )
    Numbered = Generator[c.Change, None, int | None]

_ENDS: Final = ("completed", "failed", "skipped")
_EDITED: Final = (
    "name",
    "phase",
    "needs",
    "reasoning",
    "description",
    "active_form",
    "kind",
    "checks",
    "run",
    "files",
    "protect",
    "constraints",
    "expected",
)
_PLAN_FIELDS: Final = ("goal", "title", "order")
_ABOUT_TASKS: Final = ("edit", "replan", "checks")  # kinds of questions that name tasks in `about`
_IDENTITY: Final = ("at", "author", "reason", "key", "person")


class Fork(Struct, frozen=True):
    """Where two branches part: the plan in the other one's numbers, and in those of this one.

    The tables translate the first into the second. A phase, an attempt or a question that is in
    none has the same name in both.
    """

    base: PlanState
    before: PlanState
    revisions: dict[int, int]
    tasks: dict[int, int]
    findings: dict[int, int]
    phases: dict[str, str] = {}
    attempts: dict[str, str] = {}
    questions: dict[int, int] = {}


def fork_from(base: PlanState, revisions: dict[int, int]) -> Fork:
    """Return the place where a branch parts that has had the same numbers up to there."""
    same = {task: task for task in base.tasks}, {number: number for number in base.notes.findings}
    return Fork(base, base, revisions, *same)


def is_continued(base: PlanState, branch: Iterable[c.Commit]) -> bool:
    """Return whether a branch may go on from a plan: it is no older, and all of it fits."""
    state, numbers = deepcopy(base), {number: number for number in range(base.revision + 1)}
    for commit in branch:
        if commit.at < base.updated_at or salvage(state, commit, numbers) != commit:
            return False
    return True


class BranchMerge:
    """Takes the commits of another branch into a plan.

    `commits` are those to append. Of the branch's own, `kept` were taken over whole, `partial` in
    part, and of `lost` nothing could be used; one that came to nothing counts as none of these.
    `questions` were asked about what clashes. `tasks` has the numbers here of the branch's tasks.
    """

    def __init__(self, state: PlanState, fork: Fork, own: Iterable[c.Commit]) -> None:
        """Merge into `state`, to which `own` commits led since the fork."""
        self.commits: list[c.Commit] = []
        self.kept = self.partial = self.lost = self.questions = 0
        self._state, self._mine = state, deepcopy(state)
        self._base, self._before = fork.base, fork.before
        self._known = {_identity(commit): commit for commit in own}
        self._revisions = {**fork.revisions}
        self._there = deepcopy(fork.base)  # the other branch, as far as it was taken over
        self._final = deepcopy(fork.base)  # and at its end
        is_same = state.id == fork.before.id
        self.tasks = {
            task: number for task, number in fork.tasks.items() if is_same and number in state.tasks
        }
        self._findings, self._phases = {**fork.findings}, {**fork.phases}
        self._attempts, self._questions = {**fork.attempts}, {**fork.questions}
        self._revived: dict[int, int] = {}
        self._branch: list[c.Commit] = []
        self._fork = fork
        self._other_goal: str | None = None
        self._is_partial = False

    def fork_at(self, revision: int, before: PlanState) -> Fork:
        """Return the place where a branch of the other branch parts, which was merged before.

        `before` is the plan here after the commit of that revision.
        """
        base = deepcopy(self._fork.base)
        for commit in self._branch:
            if commit.revision <= revision:
                fold(base, commit.changes, commit.revision, commit.at)
        revisions = {old: new for old, new in self._revisions.items() if old <= revision}
        return Fork(
            base,
            before,
            revisions,
            {**self.tasks},
            {**self._findings},
            {**self._phases},
            {**self._attempts},
            {**self._questions},
        )

    @property
    def first_revision(self) -> int:
        """The first revision of the branch that was merged."""
        return self._branch[0].revision if self._branch else 0

    @property
    def last_revision(self) -> int:
        """The last revision of the branch that was merged."""
        return self._branch[-1].revision if self._branch else 0

    def revision_here(self, revision: int) -> int:
        """Return what a revision of the branch became; that before it, if it came to nothing."""
        return max((new for old, new in self._revisions.items() if old <= revision), default=0)

    def merge(self, branch: Iterable[c.Commit], language: Language = "en") -> None:
        """Take over the commits of the other branch, in their order; then ask about clashes."""
        salvaged, same = [], {revision: revision for revision in self._revisions}
        for commit in branch:
            fitting = salvage(self._final, commit, same)  # after damage, not all of them fit
            same[commit.revision] = commit.revision
            if fitting is None:
                self.lost += 1
            else:
                salvaged.append((replace(fitting, revision=commit.revision), commit))
        self._branch = [fitting for fitting, _ in salvaged]
        for fitting, commit in salvaged:
            self._is_partial = len(fitting.changes) < len(commit.changes)
            self._take(fitting)
        self._combine_results()
        asked = [*self._ask_about_clashes(language)]
        self.questions = len(asked)
        if asked:
            self.commits.append(make_commit(self._state, asked, self._state.updated_at))

    def _take(self, commit: c.Commit) -> None:
        known = self._known.get(_identity(commit))
        if known is not None:  # the same commit came into both branches
            self._learn(known, commit)
            self._revisions[commit.revision] = known.revision
            return
        state, taken, before = self._state, list[c.Change](), self._state.updated_at
        state.updated_at = commit.at
        for change in commit.changes:
            for step in self._adapt(change):
                if is_applicable(state, step):
                    step.apply(state, commit.at)
                    taken.append(step)
                else:
                    self._is_partial = True
            change.apply(self._there, commit.at)
        if all(isinstance(change, c.Undone) for change in taken) and commit.changes:
            state.updated_at = before
            self.lost += self._is_partial  # else it came to nothing, as leases do
            return
        if taken:
            state.revision += 1
            self._revisions[commit.revision] = state.revision
        self.commits.append(replace(commit, revision=state.revision, changes=tuple(taken)))
        if self._is_partial:
            self.partial += 1
        else:
            self.kept += 1

    def _learn(self, known: c.Commit, commit: c.Commit) -> None:
        """Take over the numbers that this branch gave to what a commit of both began."""
        self.tasks |= _pairs(known, commit, c.TaskAdded, lambda added: added.task.id)
        self._findings |= _pairs(known, commit, c.FindingNoted, lambda noted: noted.finding.id)
        self._questions |= _pairs(known, commit, c.QuestionAsked, lambda asked: asked.question.id)
        self._attempts |= _pairs(known, commit, c.AttemptBegan, lambda began: began.id)
        self._phases |= _pairs(known, commit, c.PhaseAdded, lambda added: added.phase.id)
        for change in commit.changes:
            change.apply(self._there, commit.at)

    def _adapt(self, change: c.Change) -> Steps:
        """Yield the changes that do here what a change did in the other branch.

        Each is applied before the next one is made.
        """
        name = _ADAPT.get(type(change))
        steps: Steps = iter((change,)) if name is None else getattr(self, name)(change)
        return steps

    # Numbers

    def _own_task(self, task: int) -> Numbered:
        """Return the number of a task here, None if it is gone.

        One that this branch removed and the other one changed comes back under a new number.
        """
        if task in self.tasks:
            number = self.tasks[task]
            return number if number in self._state.tasks else None
        final = self._final.tasks.get(task)
        if final is None or _content(final) == _content(self._base.tasks[task]):
            return None
        yield from self._add_task(c.TaskAdded(self._there.tasks[task]))
        self._revived[task] = self.tasks[task]
        return self.tasks[task]

    def _own_scope(self, task: int) -> int | None:
        """Return the number here of a task, if it has one; the plan is its own."""
        number = PLAN if task == PLAN else self.tasks.get(task)
        return number if number == PLAN or number in self._state.tasks else None

    def _own_phase(self, phase: str) -> Generator[c.Change, None, str]:
        """Return the id of a phase here; one that this branch removed comes back."""
        known = self._phases.get(phase, phase)
        if known not in self._state.phases:
            yield from self._add_phase(
                c.PhaseAdded(self._there.phases[phase], len(self._state.phases))
            )
            known = self._phases[phase]
        return known

    def _own_attempt(self, attempt: str) -> str | None:
        if attempt in self._attempts:
            return self._attempts[attempt]
        if "#" not in attempt:
            return attempt
        is_common = attempt_number(attempt) <= self._base.ledger.attempts_begun
        return attempt if is_common else None

    def _own_needs(self, needs: Iterable[int]) -> tuple[int, ...]:
        numbers = (self._own_scope(task) for task in needs)
        return tuple(number for number in numbers if number)

    def _leave_out(self) -> Steps:
        """Yield nothing, and note that a commit was taken over in part."""
        self._is_partial = True
        return iter(())

    def _common(self, task: int) -> tuple[Task, Task] | None:
        """Return a task that is in both branches since before the fork: as it is here, and was."""
        number = self.tasks.get(task, PLAN)
        mine, before = (state.tasks.get(number) for state in (self._mine, self._before))
        return None if mine is None or before is None else (mine, before)

    def _has_changed(self, task: int, field: str) -> bool:
        """Return whether this branch has changed a field of a common task."""
        mine, before = self._common(task) or (None, None)
        return bool(mine is not None and getattr(mine, field) != getattr(before, field))

    # Tasks

    def _add_task(self, change: c.TaskAdded) -> Steps:
        there, state = change.task, self._state
        number = self.tasks.get(there.id)
        if number in state.tasks:
            return  # its removal was left out
        if number is None:
            number = self.tasks[there.id] = state.next_id
        phase = yield from self._own_phase(there.phase)
        alias = "" if there.alias in state.aliases else there.alias
        needs = self._own_needs(there.needs)
        task = replace(there, id=number, phase=phase, alias=alias, needs=needs)
        after = self._own_scope(change.after) if change.after else change.after
        places = c.TaskAdded(task, after), c.TaskAdded(task)
        fitting = (added for added in places if is_applicable(state, added))
        yield next(fitting, c.TaskAdded(replace(task, needs=())))

    def _remove_task(self, change: c.TaskRemoved) -> Steps:
        number = self._own_scope(change.id)
        if number is None:
            return
        common = self._common(change.id)
        if common is not None:
            if change.id in self._final.tasks:
                return  # it was put back
            if common[0] != common[1]:
                yield from self._leave_out()
                return
        yield c.TaskRemoved(number)

    def _edit_task(self, change: c.TaskEdited) -> Steps:
        number = yield from self._own_task(change.id)
        if number is None:
            return
        fields = change.__struct_fields__[1:]
        given = {name: getattr(change, name) for name in fields}
        given = {name: value for name, value in given.items() if value is not None}
        free = {k: value for k, value in given.items() if not self._has_changed(change.id, k)}
        if "needs" in free:
            free["needs"] = self._own_needs(free["needs"])
        self._is_partial |= len(free) < len(given)
        if free:
            yield c.TaskEdited(number, **free)

    def _move_task(self, change: c.TaskMoved) -> Steps:
        number = yield from self._own_task(change.id)
        if number is None:
            return
        phase, state = (yield from self._own_phase(change.phase)), self._state
        if self._has_changed(change.id, "phase") and phase != state.tasks[number].phase:
            yield from self._leave_out()
            return
        in_phase = [t.id for t in state.tasks_in_order() if t.phase == phase and t.id != number]
        places = (self._own_scope(change.after), *reversed(in_phase[-1:]))
        moves = (c.TaskMoved(number, phase, place) for place in places if place is not None)
        fitting = (move for move in moves if is_applicable(state, move))
        yield next(fitting, c.TaskMoved(number, phase, PLAN))

    def _work(self, change: _Work) -> Steps:
        """Repeat a change of the work on a task, on the state of work that it was made in."""
        number = yield from self._own_task(change.id)
        if number is None:
            return
        if self._is_held(change.id):
            yield from self._leave_out()
            return
        yield from self._align(change.id, number)
        yield replace(change, id=number)

    def _is_held(self, task: int) -> bool:
        """Return whether the work on a task stays as it is here.

        So it is if this branch has worked on it, unless only the other one has ended it.
        """
        mine, before = self._common(task) or (None, None)
        if mine is None or before is None or work_state(mine) == work_state(before):
            return False
        final = self._final.tasks.get(task)
        return mine.status in _ENDS or final is None or final.status not in _ENDS

    def _align(self, task: int, number: int) -> Steps:
        """Give a task the state of work that it has in the other branch."""
        wanted = replace(work_state(self._there.tasks[task]), id=number)
        if work_state(self._state.tasks[number]) == wanted:
            return
        if self._state.tasks[number].status == "in_progress":
            yield c.TaskReturned(number)
        yield c.TaskRestored(*(getattr(wanted, name) for name in wanted.__struct_fields__))

    def _reset(self, _change: c.PlanReset) -> Steps:
        for task in self._there.graph.order:
            number = self._own_scope(task)
            if number is None:
                continue
            if self._is_held(task):
                yield from self._leave_out()
            elif work_state(self._state.tasks[number]) != c.TaskRestored(number):
                yield from self._align(task, number)
                yield c.TaskRestored(number)
        yield from self._hold(c.PlanRestored(begun=False, hold=""))

    # Phases

    def _add_phase(self, change: c.PhaseAdded) -> Steps:
        phase, phases = change.phase, self._state.phases
        known = self._phases.get(phase.id, phase.id)
        if known in phases and phases[known].title == phase.title:
            self._phases[phase.id] = known
            return
        if known in phases:
            known = make_slug(phase.title, phases)
        self._phases[phase.id] = known
        yield c.PhaseAdded(replace(phase, id=known), change.place)

    def _edit_phase(self, change: c.PhaseEdited) -> Steps:
        known = yield from self._own_phase(change.phase.id)
        if self._has_changed_phase(change.phase.id):
            yield from self._leave_out()
        else:
            yield c.PhaseEdited(replace(change.phase, id=known))

    def _move_phase(self, change: c.PhaseMoved) -> Steps:
        known = yield from self._own_phase(change.id)
        yield c.PhaseMoved(known, change.place)

    def _remove_phase(self, change: c.PhaseRemoved) -> Steps:
        known = self._phases.get(change.id, change.id)
        if known not in self._state.phases:
            return
        if self._has_changed_phase(change.id):
            yield from self._leave_out()
        else:
            yield c.PhaseRemoved(known)

    def _mark_phase(self, change: c.PhaseMarked) -> Steps:
        yield replace(change, id=self._phases.get(change.id, change.id))

    def _has_changed_phase(self, phase: str) -> bool:
        known = self._phases.get(phase, phase)
        before, mine = self._before.phases.get(known), self._mine.phases.get(known)
        return before is not None and mine not in (None, before)

    # The plan

    def _create(self, change: c.PlanCreated) -> Steps:
        """Add the phases of another plan; its tasks are added to this one."""
        self._base = self._before = PlanState(change.created_at)
        self.tasks, self._phases, self._findings, self._revived = {}, {}, {}, {}
        if change.goal != self._state.goal:
            self._other_goal = change.goal
        self._is_partial = True
        if not self._state.id:
            yield change
        for phase in change.phases:
            yield from self._add_phase(c.PhaseAdded(phase, len(self._state.phases)))

    def _edit_plan(self, change: c.PlanEdited) -> Steps:
        given = {name: getattr(change, name) for name in _PLAN_FIELDS}
        given = {name: value for name, value in given.items() if value is not None}
        free = {name: value for name, value in given.items() if self._is_mine_unchanged(name)}
        self._is_partial |= len(free) < len(given)
        if free:
            yield c.PlanEdited(**free)

    def _is_mine_unchanged(self, field: str) -> bool:
        return bool(getattr(self._mine, field) == getattr(self._before, field))

    def _begin(self, change: c.PlanBegun) -> Steps:
        if not self._state.begun:
            yield change

    def _hold(self, change: _Hold) -> Steps:
        """Pause or resume the plan, unless this branch has; only a person aborts it here."""
        hold = getattr(change, "hold", "")
        if (
            not self._is_mine_unchanged("hold")
            or isinstance(change, c.PlanAborted)
            or hold == "aborted"
        ):
            yield from self._leave_out()
        elif isinstance(change, c.PlanRestored):
            is_begun = any(task.status != "pending" for task in self._state.tasks.values())
            yield c.PlanRestored(begun=change.begun or is_begun, hold=change.hold)
        else:
            yield change

    def _approve(self, _change: c.PlanApproved) -> Steps:
        """Leave out that a person approved a plan that was another one than this."""
        return self._leave_out()

    def _undo(self, change: c.Undone) -> Steps:
        revision = self._revisions.get(change.revision)
        if revision is not None:
            yield c.Undone(revision)

    def _count(self, change: c.IterationCounted) -> Steps:
        more = change.total - self._there.iteration_count
        task = self._own_scope(change.task) or PLAN
        yield c.IterationCounted(self._state.iteration_count + more, task)

    def _remember_run(self, change: c.RunRemembered) -> Steps:
        if self._is_mine_unchanged("last_run"):
            yield change

    # Facts about tasks

    def _end_lease(self, _change: c.TaskLeased | c.LeaseRenewed | c.LeaseEnded) -> Steps:
        return iter(())

    def _begin_attempt(self, change: c.AttemptBegan) -> Steps:
        task = self._own_scope(change.task)
        if task is None:
            yield from self._leave_out()
            return
        own = f"{task}#{self._state.ledger.attempts_begun + 1}"
        self._attempts[change.id] = own
        yield replace(change, id=own, task=task, token=0)

    def _end_attempt(self, change: c.AttemptEnded) -> Steps:
        attempt = self._own_attempt(change.id)
        if attempt is None:
            yield from self._leave_out()
        else:
            yield replace(change, id=attempt)

    def _set_budget(self, change: c.BudgetSet) -> Steps:
        task = self._own_scope(change.task)
        mine, before = (state.ledger.counters.budgets for state in (self._mine, self._before))
        if task is None or mine.get(task) != before.get(task):
            yield from self._leave_out()
        else:
            yield replace(change, task=task)

    def _charge(self, change: c.Charged) -> Steps:
        yield replace(change, task=self._own_scope(change.task) or PLAN)

    def _note_refusal(self, change: c.RefusalNoted) -> Steps:
        yield replace(change, task=self._own_scope(change.task) or PLAN)

    def _note_report(self, change: c.ReportNoted) -> Steps:
        task, attempt = self._own_scope(change.task), self._own_attempt(change.report.attempt)
        if task is None or attempt is None:
            yield from self._leave_out()
        else:
            yield c.ReportNoted(task, replace(change.report, attempt=attempt))

    def _note_decision(self, change: c.DecisionNoted) -> Steps:
        decision = change.decision
        task, attempt = self._own_scope(decision.task), self._own_attempt(decision.attempt)
        if task is None or attempt is None:
            yield from self._leave_out()
        else:
            yield c.DecisionNoted(replace(decision, task=task, attempt=attempt))

    def _begin_session(self, change: c.SessionBegan) -> Steps:
        attempt = self._own_attempt(change.used.attempt)
        if attempt is None:
            yield from self._leave_out()
        else:
            yield replace(change, used=replace(change.used, attempt=attempt))

    def _note_footprint(self, change: c.FootprintNoted) -> Steps:
        task, attempt = self._own_scope(change.task), self._own_attempt(change.footprint.attempt)
        if task is None or attempt is None:
            yield from self._leave_out()
        else:
            yield c.FootprintNoted(task, replace(change.footprint, attempt=attempt))

    def _move_replan(self, change: c.ReplanMoved) -> Steps:
        position = change.position
        if self._mine.ledger.replan != self._before.ledger.replan:
            position = self._state.ledger.replan
        else:
            done = self._own_needs(position.items[: position.cursor])
            items = (*done, *self._own_needs(position.open_items))
            position = replace(position, items=items, cursor=len(done))
        yield c.ReplanMoved(position, change.observation)

    def _note_proof(self, change: c.ProofNoted) -> Steps:
        """Take over a proof, which is sealed for one number, and no two of a task."""
        task = change.proof.task
        mine, before = (state.ledger.proofs.get(task) for state in (self._mine, self._before))
        if self._own_scope(task) != task or mine != before:
            yield from self._leave_out()
        else:
            yield change

    def _confirm_check(self, change: c.CheckConfirmed) -> Steps:
        number = self._own_scope(change.id)
        if number is None or self._is_held(change.id):
            yield from self._leave_out()
        else:
            yield replace(change, id=number)

    # Questions and messages

    def _ask(self, change: c.QuestionAsked) -> Steps:
        """Ask again under the next number, in words only where the details name tasks."""
        question, conversation = change.question, self._state.ledger.conversation
        number = self._questions[question.id] = conversation.last_question + 1
        task = self._own_scope(question.task) or PLAN
        kind, about = question.kind, self._attempts.get(question.about, question.about)
        if kind in _ABOUT_TASKS:
            kind, about = "ask", ""
        yield c.QuestionAsked(replace(question, id=number, task=task, kind=kind, about=about))

    def _answer(self, change: c.QuestionAnswered) -> Steps:
        yield replace(change, id=self._questions.get(change.id, change.id))

    def _interject(self, change: c.Interjected) -> Steps:
        last = self._state.ledger.conversation.last_interjection
        unread = {each.id for each in self._final.ledger.conversation.interjections}
        is_heard = change.interjection.id not in unread
        yield c.Interjected(replace(change.interjection, id=last + 1), is_heard)

    def _take_interjections(self, _change: c.InterjectionsTaken) -> Steps:
        """Let the loop here read what it has not read; what the other one read comes as read."""
        return iter(())

    def _note_loop(self, change: c.LoopNoted) -> Steps:
        if change.managed is not None:
            yield c.LoopNoted(managed=change.managed)

    def _restore_loop(self, _change: c.LoopRestored) -> Steps:
        return self._leave_out()

    # Notes

    def _note_finding(self, change: c.FindingNoted) -> Steps:
        finding, notes = change.finding, self._state.notes
        number = self._findings.get(finding.id, 0)
        mine, before = self._common_finding(number)
        if mine is not None and mine != before:
            if (mine.title, mine.content) == (finding.title, finding.content):
                more = finding.count - self._there.notes.findings[finding.id].count
                count = notes.findings[number].count + more
                yield c.FindingNoted(replace(mine, count=count))
                return
            number = 0  # both are kept
        if number not in notes.findings:
            number = self._findings[finding.id] = notes.last_finding + 1
        yield c.FindingNoted(replace(finding, id=number))

    def _common_finding(self, number: int) -> tuple[Finding | None, Finding | None]:
        """Return a finding as it is here and as it was at the fork; nothing if it is new."""
        mine, before = (state.notes.findings.get(number) for state in (self._mine, self._before))
        return (None, None) if before is None else (mine, before)

    def _forget_finding(self, change: c.FindingForgotten) -> Steps:
        number = self._findings.get(change.id, 0)
        mine, before = self._common_finding(number)
        if mine != before:
            yield from self._leave_out()
        else:
            yield c.FindingForgotten(number)

    def _note_error(self, change: c.ErrorNoted) -> Steps:
        error, notes = change.error, self._state.notes
        here, before = notes.errors.get(change.key), self._there.notes.errors.get(change.key)
        if here is None:
            yield c.ErrorNoted(change.key, replace(error, id=notes.last_error + 1))
            return
        more = error.count - (before.count if before else 0)
        first, last = min(error.first_at, here.first_at), max(error.at, here.at)
        counted = replace(error, id=here.id, count=here.count + more, first_at=first, at=last)
        yield c.ErrorNoted(change.key, counted)

    def _forget_errors(self, change: c.ErrorsForgotten) -> Steps:
        mine, before = self._mine.notes.errors, self._before.notes.errors
        keys = tuple(key for key in change.keys if mine.get(key) == before.get(key))
        self._is_partial |= len(keys) < len(change.keys)
        if keys:
            yield c.ErrorsForgotten(keys)

    def _deliver(self, change: c.Delivered) -> Steps:
        field = "answer" if change.answer else "deliverable"
        mine, before = (getattr(state.notes, field) for state in (self._mine, self._before))
        is_both = mine not in (before, change.text)
        yield replace(change, text=f"{mine}\n\n{change.text}") if is_both else change

    def _keep_prose(self, change: c.ProseKept) -> Steps:
        mine, before = self._mine.notes.prose, self._before.notes.prose
        theirs = tuple(replace(each, anchor=self._own_anchor(each)) for each in change.prose)
        if mine == before:
            yield c.ProseKept(theirs)
            return
        lines = {each.anchor: each.lines for each in mine}
        for each in theirs:
            own = lines.get(each.anchor, ())
            lines[each.anchor] = (*own, *(line for line in each.lines if line not in own))
        by_anchor = {each.anchor: each for each in (*theirs, *mine)}
        kept = (replace(by_anchor[anchor], lines=lines[anchor]) for anchor in lines)
        yield c.ProseKept(tuple(kept))

    def _own_anchor(self, prose: Prose) -> str:
        kind, _, name = prose.anchor.partition(":")
        if kind == "phase":
            return f"phase:{self._phases.get(name, name)}"
        return f"task:{self._own_scope(int(name)) or name}" if kind == "task" else prose.anchor

    # What both changed

    def _merged_tasks(self) -> Iterator[tuple[Task, Task, Task | None]]:
        """Yield the tasks of the other branch at its end, as they are here, and at the fork."""
        for task, final in self._final.tasks.items():
            here = self._state.tasks.get(self.tasks.get(task, PLAN))
            if here is not None:
                yield final, here, self._base.tasks.get(task)

    def _combine_results(self) -> None:
        """Keep both results of tasks that ended alike in both branches."""
        edits = [
            c.TaskEdited(here.id, result=f"{here.result}; {final.result}")
            for final, here, before in self._merged_tasks()
            if final.status == here.status in ("completed", "skipped")
            and (before is None or final.result != before.result)
            and final.result
            and final.result not in (here.result or "").split("; ")
            and here.result
        ]
        if edits:
            self.commits.append(make_commit(self._state, edits, self._state.updated_at))

    def _ask_about_clashes(self, language: Language) -> Steps:
        """Ask about each clash, but not again what an earlier merge of the branch has asked."""
        conversation, at = self._state.ledger.conversation, self._state.updated_at
        number = conversation.last_question
        known = {(question.task, question.text) for question in conversation.questions.values()}
        for task, words in self._clashes(language):
            asked = words[:QUESTION_CHARACTERS]
            if (task, asked) not in known:
                number += 1
                yield c.QuestionAsked(Question(number, asked, at, task=task))

    def _clashes(self, language: Language) -> Iterator[tuple[int, str]]:
        """Yield what a person should decide, each with the task that it is about, if any."""
        if self._other_goal is not None:
            yield PLAN, text("merge_other_plan", language, goal=self._other_goal)
        for old, new in self._revived.items():
            name = self._state.tasks[new].name
            yield new, text("merge_revived", language, old=old, task=new, name=name)
        for final, here, before in self._merged_tasks():
            said = [*self._differences(final, here, before)]
            if said:
                other = "; ".join(said)
                yield (
                    here.id,
                    text("merge_task", language, task=here.id, name=here.name, other=other),
                )
        for task in self._base.tasks.keys() - self._final.tasks.keys():
            kept = self._state.tasks.get(self.tasks.get(task, PLAN))
            if kept is not None:
                yield kept.id, text("merge_removed", language, task=kept.id, name=kept.name)
        said = [*self._plan_differences()]
        if said:
            yield PLAN, text("merge_plan", language, other="; ".join(said))
        for words in self._answers(language):
            yield PLAN, words

    def _differences(self, final: Task, here: Task, before: Task | None) -> Iterator[str]:
        """Yield what the other branch has changed in a task, and is otherwise here."""
        for field in _EDITED:
            value = getattr(final, field)
            if before is not None and value == getattr(before, field):
                continue
            own = value
            if field == "needs":
                own = self._own_needs(final.needs)
            elif field == "phase":
                own = self._phases.get(final.phase, final.phase)
            if own != getattr(here, field):
                yield f"{field}: {_words(own)}"
        outcome = final.status, final.result or "", final.error or ""
        if before is not None and outcome == (
            before.status,
            before.result or "",
            before.error or "",
        ):
            return
        is_told = final.status in _ENDS or (final.error or "") != (here.error or "")
        same = here.status, here.result or "", here.error or ""
        is_kept = final.status == here.status and (final.result or "") in same[1]
        if outcome != same and is_told and not (is_kept and not final.error):
            yield ": ".join(filter(None, (final.status, final.result, final.error)))

    def _plan_differences(self) -> Iterator[str]:
        if self._final.id != self._base.id:
            return
        for field in (*_PLAN_FIELDS, "hold"):
            value = getattr(self._final, field)
            if value not in (getattr(self._base, field), getattr(self._state, field)):
                yield f"{field}: {value or '-'}"
        for name, phase in self._final.phases.items():
            here = self._state.phases.get(self._phases.get(name, name))
            if here is not None and phase != self._base.phases.get(name):
                said = (phase.title, phase.notes)
                if said != (here.title, here.notes):
                    yield f"phase: {': '.join(filter(None, said))}"
        for name, phase in self._base.phases.items():
            if name not in self._final.phases and name in self._state.phases:
                yield f"phase: -{phase.title}"

    def _answers(self, language: Language) -> Iterator[str]:
        """Yield what was answered in the other branch to questions that have another answer."""
        here = self._state.ledger.conversation.questions
        for number, question in self._final.ledger.conversation.questions.items():
            own = here.get(self._questions.get(number, number))
            if own is not None and question.answer not in (None, own.answer):
                yield text("merge_answer", language, question=own.id, answer=question.answer)


_ADAPT: Final[dict[type[c.Change], str]] = {  # every other change is the same in any branch
    c.PlanCreated: "_create",
    c.PlanEdited: "_edit_plan",
    c.PlanBegun: "_begin",
    c.PlanPaused: "_hold",
    c.PlanResumed: "_hold",
    c.PlanAborted: "_hold",
    c.PlanRestored: "_hold",
    c.PlanApproved: "_approve",
    c.PlanReset: "_reset",
    c.PhaseAdded: "_add_phase",
    c.PhaseEdited: "_edit_phase",
    c.PhaseMoved: "_move_phase",
    c.PhaseRemoved: "_remove_phase",
    c.PhaseMarked: "_mark_phase",
    c.TaskAdded: "_add_task",
    c.TaskRemoved: "_remove_task",
    c.TaskEdited: "_edit_task",
    c.TaskMoved: "_move_task",
    c.TaskStarted: "_work",
    c.TaskCompleted: "_work",
    c.CompletionConfirmed: "_work",
    c.TaskRetried: "_work",
    c.TaskFailed: "_work",
    c.TaskSkipped: "_work",
    c.TaskReopened: "_work",
    c.TaskReturned: "_work",
    c.TaskProgressed: "_work",
    c.TaskRestored: "_work",
    c.IterationCounted: "_count",
    c.Undone: "_undo",
    c.RunRemembered: "_remember_run",
    c.TaskLeased: "_end_lease",
    c.LeaseRenewed: "_end_lease",
    c.LeaseEnded: "_end_lease",
    c.AttemptBegan: "_begin_attempt",
    c.AttemptEnded: "_end_attempt",
    c.BudgetSet: "_set_budget",
    c.Charged: "_charge",
    c.RefusalNoted: "_note_refusal",
    c.ReportNoted: "_note_report",
    c.DecisionNoted: "_note_decision",
    c.SessionBegan: "_begin_session",
    c.FootprintNoted: "_note_footprint",
    c.ReplanMoved: "_move_replan",
    c.ProofNoted: "_note_proof",
    c.CheckConfirmed: "_confirm_check",
    c.QuestionAsked: "_ask",
    c.QuestionAnswered: "_answer",
    c.Interjected: "_interject",
    c.InterjectionsTaken: "_take_interjections",
    c.LoopNoted: "_note_loop",
    c.LoopRestored: "_restore_loop",
    c.FindingNoted: "_note_finding",
    c.FindingForgotten: "_forget_finding",
    c.ErrorNoted: "_note_error",
    c.ErrorsForgotten: "_forget_errors",
    c.Delivered: "_deliver",
    c.ProseKept: "_keep_prose",
}


def _identity(commit: c.Commit) -> tuple[object, ...]:
    """Return what tells a commit from any other, under whatever numbers."""
    return tuple(getattr(commit, name) for name in _IDENTITY)


def _pairs(
    known: c.Commit, commit: c.Commit, kind: type[c.Change], number: Callable[[Any], Any]
) -> dict[Any, Any]:
    """Return the numbers of what a commit began, each with that in the commit known here."""
    own, other = (
        [number(change) for change in each.changes if isinstance(change, kind)]
        for each in (known, commit)
    )
    return dict(zip(other, own, strict=False))


def _content(task: Task) -> Task:
    return replace(task, needs=())


def _words(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(str(getattr(each, "rule", each)) for each in value) or "-"
    return str(value) or "-"
