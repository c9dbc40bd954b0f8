"""Replans: after each item and each answer, list what remains, or end the task (R3.02).

With review, a person looks at each change of the list before it is made (X7).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.application.context.escape import one_line
from outlast.application.loops.endings import LoopEnd
from outlast.application.loops.replan_loop import contracts as c
from outlast.application.loops.replan_loop.answers import plain
from outlast.application.loops.replan_loop.requests import replan_request
from outlast.application.loops.replan_loop.work import Request
from outlast.application.loops.review import parse_ruling, review_question
from outlast.domain.commands import AddTasks, Complete, Deliver, MoveReplan, NewTask, Replan, Return
from outlast.domain.limits import default_title
from outlast.domain.replan_position import Observation
from outlast.domain.replies.markers import normalize_name
from outlast.formats.proposals import ReplanProposal, read_replan
from outlast.ports import effects as e
from outlast.texts import listing, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.application.loops.replan_loop.work import Work
    from outlast.domain.commands import Command
    from outlast.domain.model import Proof, Task
    from outlast.ports.outcomes import ReplanState

_ANSWER_CHARACTERS: Final = 16_000  # at most 64 KB in any script
_RESULT_CHARACTERS: Final = 2_000
_SHOWN_CHARACTERS: Final = 300  # of an answer that a person is asked about
_RULED: Final = {"reject": "replan_reject", "edit": "replan_edit"}


class Replanner:
    """Replans the work of one run."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._wish = ""  # what a person wants instead of the list that was proposed last
        self._proofs: dict[int, Proof | None] = {}  # of the items that a replan completes

    def replan(self) -> e.Loop[None]:
        """Ask for what remains, unless a person has decided that, or nothing new is known."""
        work = self._work
        if not (yield from self._check_items()) or (yield from self._follow_review()):
            return
        if self._may_skip():
            yield from self._keep_list(text("replan_skipped", work.language))
            return
        messages = replan_request(work.state, work.options, self._wish)
        yield from work.ask(messages, Request(c.Replan, self._accept_replan))

    def _check_items(self) -> e.Loop[bool]:
        """Run the checks of the items that are done; one that fails them is worked on again."""
        self._proofs = {}
        for item in self._done_items():
            checked = (yield from e.run_checks(item.id)).outcome
            if checked.code:  # they could not be run, and no model can help
                raise LoopEnd("waiting", checked.error)
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

    def _accept_replan(self, replan: c.Replan) -> e.Loop[str]:
        work = self._work
        attempt = str(work.position.steps)
        if isinstance(replan, c.AllDone):
            answer = replan.response.strip()
            if work.state.item is None:
                return (yield from self._finish(answer))
            return (yield from self._propose(ReplanProposal(attempt, answer=answer)))
        names = _list_remaining(replan.plan, work.state)
        if not names:
            return text("replan_has_nothing_new", work.language)
        return (yield from self._propose(ReplanProposal(attempt, tuple(map(NewTask, names)))))

    def _propose(self, proposal: ReplanProposal) -> e.Loop[str]:
        """Change the plan; with review, ask a person first if that changes anything."""
        work = self._work
        preview = (yield from e.preview_replan(proposal.tasks, self._started_item())).outcome
        if preview.error or not (work.options.review and preview.text):
            return preview.error or (yield from self._carry_out(proposal, preview.text))
        patch, answer = preview.text, proposal.answer
        if answer:
            ending = one_line(answer, _SHOWN_CHARACTERS)
            patch += "\n" + text("replan_would_end", work.language, answer=ending)
            proposal = replace(proposal, answer=answer[:_ANSWER_CHARACTERS])
        question = review_question(proposal, None, patch, self._reason(), work.language)
        return (yield from work.commit(question, MoveReplan(work.position.propose())))

    def _carry_out(self, proposal: ReplanProposal, patch: str) -> e.Loop[str]:
        """Do what a proposal says; return why the plan refuses it."""
        if proposal.answer:
            return (yield from self._finish(proposal.answer, patch))
        return (yield from self._change_list(proposal.tasks, patch))

    def _change_list(self, tasks: tuple[NewTask, ...], patch: str) -> e.Loop[str]:
        """Replace the open items in one commit with all that belongs to it (R3.02)."""
        work = self._work
        reason, position = self._reason(), work.position.replan()
        change: tuple[Command, ...] = (*self._returns(), Replan(tasks), *self._completions())
        error = yield from work.commit(*change, MoveReplan(position), reason=reason)
        if not error:
            self._wish = ""
            yield from work.progress.show_replan([task.name for task in tasks], patch, reason)
        return error

    def _finish(self, answer: str, patch: str = "") -> e.Loop[str]:
        """End the task and the run with the final answer; what was left is dropped.

        `patch` shows what that is.
        """
        work = self._work
        state, position = work.state, work.position.replan()
        commands: tuple[Command, ...] = (*self._returns(), Replan(()), *self._completions())
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
            self._wish = yield from self._approve(proposal)
            return not self._wish
        if work.state.item is None or ruling.ruling == "change":
            self._wish = review.answer
            return False
        reason = text(_RULED[ruling.ruling], work.language)
        names = listing((task.name for task in proposal.tasks), work.language)
        proposed = names or proposal.answer
        observation = Observation("replan", proposed, ok=False, result=ruling.words or reason)
        yield from self._keep_list(reason, observation)
        return True

    def _approve(self, proposal: ReplanProposal) -> e.Loop[str]:
        """Do what a person has approved; return why the plan refuses it now."""
        preview = (yield from e.preview_replan(proposal.tasks, self._started_item())).outcome
        return preview.error or (yield from self._carry_out(proposal, preview.text))

    # What a change consists of

    def _started_item(self) -> int:
        item = self._work.state.item
        return item.id if item is not None and item.status == "in_progress" else 0

    def _returns(self) -> tuple[Command, ...]:
        """Return the command that lets the item that has begun be replaced too."""
        item = self._started_item()
        return (Return(item, self._reason()),) if item else ()

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


def _list_remaining(plan: Sequence[str], state: ReplanState) -> tuple[str, ...]:
    """Return what a replan leaves to be done: without a leading run of items that are finished.

    An item that is finished and also open, because the first plan had it twice, stays as often as
    it is open.
    """
    rest = [*map(c.task_name, plan)]
    finished = {_fold(name) for name in state.finished}
    still_open = Counter(_fold(item.name) for item in state.items[state.position.cursor :])
    listed = Counter(map(_fold, rest))
    while rest and (first := _fold(rest[0])) in finished and listed[first] > still_open[first]:
        listed[first] -= 1
        del rest[0]
    return tuple(rest)


def _fold(name: str) -> str:
    """Return what two spellings of an item have in common."""
    return normalize_name(name) or name
