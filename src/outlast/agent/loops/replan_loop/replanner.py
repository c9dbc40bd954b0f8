"""Replans: after each item and each answer, list what remains, or end the task (R3.02).

With review, a person looks at each change of the list before it is made (X7).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.agent import effects as e
from outlast.agent.loops.endings import LoopEnd
from outlast.agent.loops.replan_loop import contracts
from outlast.agent.loops.replan_loop.progress import plain
from outlast.agent.loops.replan_loop.requests import NO_FEEDBACK, replan_request
from outlast.agent.loops.replan_loop.work import Request, Work
from outlast.agent.loops.review import parse_ruling, review_question
from outlast.context.escape import one_line
from outlast.documents.proposals import ReplanProposal, read_replan
from outlast.language import listing, text
from outlast.model.commands import AddTasks, Complete, Deliver, MoveReplan, NewTask, Replan, Return
from outlast.model.history.diff import drop_known
from outlast.model.limits import default_title
from outlast.model.markers import normalize_name
from outlast.model.replan_position import Observation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.model.commands import Command
    from outlast.model.model import Proof, Task

_ANSWER_CHARACTERS: Final = 16_000  # at most 64 KB in any script
_RESULT_CHARACTERS: Final = 2_000
_SHOWN_CHARACTERS: Final = 300  # of an answer that a person is asked about
_RULED: Final = {"reject": "replan_reject", "edit": "replan_edit"}


class Replanner:
    """Replans the work of one run."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._feedback = NO_FEEDBACK
        self._proofs: dict[int, Proof | None] = {}  # of the items that a replan completes

    def replan(self) -> e.Loop[None]:
        """Ask for what remains, unless a person has decided that, or nothing new is known."""
        work = self._work
        if not (yield from self._check_items()) or (yield from self._follow_review()):
            return
        if self._may_skip():
            yield from self._keep_list(text("replan_skipped", work.language))
            return
        messages = replan_request(work.state, work.options, self._feedback)
        yield from work.ask(messages, Request(contracts.Replan, self._accept_replan))

    def _check_items(self) -> e.Loop[bool]:
        """Run the checks of the items that are done; one that fails them is worked on again."""
        self._proofs = {}
        for item in self._done_items():
            checked = (yield from e.RunChecks(item.id)).outcome
            if checked.code:  # they could not be run, and no model can help
                raise LoopEnd("waiting", checked.error)
            if checked.is_unknown:
                problem = text("checks_unknown", self._work.language, problem=checked.problem)
                raise LoopEnd("waiting", problem)
            if not checked.is_green:
                shown = checked.output or checked.problem
                failed = Observation("check", item.name, ok=False, result=shown)
                yield from self._work.record(MoveReplan(self._work.position.reopen_item(), failed))
                return False
            self._proofs[item.id] = checked.proof
        return True

    def _may_skip(self) -> bool:
        """Return whether the item brought nothing new, and a replan may then be skipped (R3.15)."""
        work = self._work
        is_last = work.state.item is None
        return work.options.skips_replans and not work.position.has_news and not is_last

    def _keep_list(self, reason: str, observation: Observation | None = None) -> e.Loop[None]:
        """Go on with the present list."""
        work = self._work
        move = MoveReplan(work.position.skip_replan(), observation)
        yield from work.record(*self._completions(), move, reason=reason)
        yield from work.progress.show_note(reason)

    def _accept_replan(self, replan: contracts.Replan) -> e.Loop[str]:
        """Do what a replan says; one that does not know the newest answers or items is repeated.

        The items that its request did not list stay behind a new list, and none ends the task.
        """
        work = self._work
        yield from work.refresh()
        attempt, is_end = str(work.position.steps), isinstance(replan, contracts.AllDone)
        if work.is_outdated if is_end else work.is_answered:
            yield from work.progress.show_note(text("replan_outdated", work.language))
            return ""
        if isinstance(replan, contracts.AllDone):
            end = ReplanProposal(attempt, answer=replan.response.strip(), listed=work.listed_items)
            is_last = work.state.item is None
            return (yield from (self._finish(end) if is_last else self._propose(end)))
        names = _list_remaining(replan.plan, work.state, work.listed_items)
        if not names:
            return text("replan_has_nothing_new", work.language)
        tasks = tuple(map(NewTask, names))
        return (yield from self._propose(ReplanProposal(attempt, tasks, listed=work.listed_items)))

    def _propose(self, proposal: ReplanProposal) -> e.Loop[str]:
        """Change the plan; with review, ask a person first if that changes anything."""
        work, change = self._work, self._drop_added(proposal)
        preview = yield from self._preview(change)
        if preview.error or not (work.options.review and preview.text):
            return preview.error or (yield from self._carry_out(change, preview.text))
        patch, answer = preview.text, proposal.answer
        if answer:
            ending = one_line(answer, _SHOWN_CHARACTERS)
            patch += "\n" + text("replan_would_end", work.language, answer=ending)
            proposal = replace(proposal, answer=answer[:_ANSWER_CHARACTERS])
        question = review_question(proposal, None, patch, self._reason(), work.language)
        return (yield from work.commit(question, MoveReplan(work.position.reset_failed_rounds())))

    def _preview(self, proposal: ReplanProposal) -> e.Loop[e.PatchPreview]:
        item = self._started_item(proposal)
        return (yield from e.PreviewReplan(proposal.tasks, item, proposal.listed)).outcome

    def _carry_out(self, proposal: ReplanProposal, patch: str) -> e.Loop[str]:
        """Do what a proposal says; return why the plan refuses it."""
        if proposal.answer:
            return (yield from self._finish(proposal, patch))
        return (yield from self._change_list(proposal, patch))

    def _change_list(self, proposal: ReplanProposal, patch: str) -> e.Loop[str]:
        """Replace the listed items in one commit with all that belongs to it (R3.02)."""
        work = self._work
        reason, position = self._reason(), work.position.begin_new_list()
        change = self._replacement(proposal)
        error = yield from work.commit(*change, MoveReplan(position), reason=reason)
        if not error:
            self._feedback = NO_FEEDBACK
            kept = (item.name for item in self._find_unlisted(proposal))
            names = [*(task.name for task in proposal.tasks), *kept]
            yield from work.progress.show_replan(names, patch, reason)
        return error

    def _finish(self, proposal: ReplanProposal, patch: str = "") -> e.Loop[str]:
        """End the task and the run with the final answer; what was left is dropped.

        `patch` shows what that is.
        """
        work = self._work
        state, position, answer = work.state, work.position.begin_new_list(), proposal.answer
        commands = self._replacement(proposal)
        if not state.finished:  # a plan without a task would never end
            name, result = default_title(state.goal), answer[:_RESULT_CHARACTERS]
            whole = Complete(state.next_id, work.plan.actor, result)
            commands = (*commands, AddTasks((NewTask(name),)), whole)
        deliver = Deliver(answer[:_ANSWER_CHARACTERS], answer=True)
        reason = self._reason() if patch else ""
        error = yield from work.commit(*commands, deliver, MoveReplan(position), reason=reason)
        if error:
            return error
        yield from work.progress.show_change(patch, reason)
        yield from work.progress.show_decision("all_done")
        yield from work.progress.show_counts(state, work.position)
        raise LoopEnd("answered", plain(answer))

    # Review

    def _follow_review(self) -> e.Loop[bool]:
        """Do what a person says to the list that was proposed last; return whether that settles it.

        A wish for another list is told to the model.
        """
        work = self._work
        review = work.state.review
        if review is None or review.answer is None:
            return False
        proposal = read_replan(review.about)
        if proposal.attempt != str(work.position.steps):  # of an earlier replan
            return False
        ruling = parse_ruling(review.answer)
        if ruling.ruling == "approve":
            refusal = yield from self._approve(proposal)
            self._feedback = "section_refusal", refusal
            return not refusal
        if work.state.item is None or ruling.ruling == "change":
            self._feedback = "section_feedback", review.answer
            return False
        reason = text(_RULED[ruling.ruling], work.language)
        names = listing((task.name for task in proposal.tasks), work.language)
        proposed = names or proposal.answer
        observation = Observation("replan", proposed, ok=False, result=ruling.words or reason)
        yield from self._keep_list(reason, observation)
        return True

    def _approve(self, proposal: ReplanProposal) -> e.Loop[str]:
        """Do what a person has approved; return why the plan refuses it now."""
        yield from self._work.refresh()
        proposal = self._drop_added(proposal)
        if proposal.answer and self._find_unlisted(proposal):
            return text("replan_outdated", self._work.language)
        preview = yield from self._preview(proposal)
        return preview.error or (yield from self._carry_out(proposal, preview.text))

    # What a change consists of

    def _find_unlisted(self, proposal: ReplanProposal) -> list[Task]:
        """Return the open items that a proposal leaves alone: they came after its request."""
        items = self._work.state.items[self._work.position.cursor :]
        listed = proposal.listed
        return [] if listed is None else [item for item in items if item.id not in listed]

    def _drop_added(self, proposal: ReplanProposal) -> ReplanProposal:
        """Return a proposal without the tasks that others have added to the plan meanwhile."""
        added = (_fold(item.name) for item in self._find_unlisted(proposal))
        tasks = drop_known(proposal.tasks, added, lambda task: _fold(task.name))
        return replace(proposal, tasks=tuple(tasks))

    def _started_item(self, proposal: ReplanProposal) -> int:
        """Return the item that has begun, if a proposal may replace it; else 0."""
        item = self._work.state.item
        if item is None or item.status != "in_progress" or item in self._find_unlisted(proposal):
            return 0
        return item.id

    def _replacement(self, proposal: ReplanProposal) -> tuple[Command, ...]:
        """Return the commands that replace the listed items, also the one that has begun."""
        item = self._started_item(proposal)
        returns = (Return(item, self._reason()),) if item else ()
        return (*returns, Replan(proposal.tasks, only=proposal.listed), *self._completions())

    def _completions(self) -> tuple[Command, ...]:
        """Return the commands that complete the items before the cursor.

        They are committed with what follows: a plan without an open task would end, and only a
        replan may end it.
        """
        result = self._work.position.conclusion[:_RESULT_CHARACTERS] or None
        return tuple(
            Complete(item.id, self._work.plan.actor, result, proof=self._proofs.get(item.id))
            for item in self._done_items()
        )

    def _done_items(self) -> list[Task]:
        items = self._work.state.items[: self._work.position.cursor]
        return [item for item in items if not item.finished]

    def _reason(self) -> str:
        """Return why the plan may change now: an item has ended, or a question was answered."""
        work = self._work
        state, cursor = work.state, work.position.cursor
        if self._done_items() or not state.clarifications:
            name = state.items[cursor - 1].name if cursor else default_title(state.goal)
            return text("replan_item_ended", work.language, name=name)
        last = state.clarifications[-1]
        return text("replan_answered", work.language, answer=default_title(last.answer))


def _list_remaining(
    plan: Sequence[str], state: e.ReplanState, listed: tuple[int, ...]
) -> tuple[str, ...]:
    """Return what a replan leaves to be done: without a leading run of items that are finished.

    An item that is finished and also open, because the first plan had it twice, stays as often as
    it was listed as open.
    """
    rest = [*map(contracts.task_name, plan)]
    finished = {_fold(name) for name in state.finished}
    remaining = state.items[state.position.cursor :]
    still_open = Counter(_fold(item.name) for item in remaining if item.id in listed)
    counts = Counter(map(_fold, rest))
    while rest and (first := _fold(rest[0])) in finished and counts[first] > still_open[first]:
        counts[first] -= 1
        del rest[0]
    return tuple(rest)


def _fold(name: str) -> str:
    """Return what two spellings of an item have in common."""
    return normalize_name(name) or name
