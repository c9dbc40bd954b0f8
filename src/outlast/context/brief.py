"""The brief: what a model must know that continues work it has not seen (R0.14).

It starts with the progress summary, with the whole goal, and everything that people have said. What
else the plan has recorded follows in one block: results, descriptions, findings, errors, open
questions, and what was being done when the work stopped. If that is too long, results, findings and
descriptions are shortened first, the oldest and longest most; what people said and the goal last.
The end of the block lists what was shortened and the calls that return it whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.context.details import Statement, Topic, statements, topic_pages
from outlast.context.escape import escape_end, escape_lines, escape_to_tokens
from outlast.context.summary import progress_summary
from outlast.context.tokens import CHARACTERS_OF_TOKEN, estimate_tokens
from outlast.language import Language, clauses, text
from outlast.model.ledger import THINK
from outlast.model.model import PERSON

if TYPE_CHECKING:
    from outlast.context.plan_view import PlanView
    from outlast.context.tool import SettledAttempt
    from outlast.model.state import PlanState

DetailCall = Callable[[str, str], str]  # spells the call that shows `about` and `page`

TOKENS: Final = 2_000
_NAME: Final = 24  # tokens of a step's name
_STEP: Final = 9  # tokens of its line beside the name
_LEAST_STEP: Final = 5  # tokens of the shortest line
_WHO: Final = 8
_QUESTION: Final = 60
_LABEL: Final = 5  # tokens of the number before an entry and of its line break
_LEAST: Final = 40  # tokens of an entry; if it were shortened further, it would say nothing
_OLDEST: Final = 0.5  # what the oldest entry is granted, compared with the newest
_FRAME: Final = 90  # tokens of labels and headings
_MOST: Final = 200  # entries of one kind: the newest
_NEXT_STEPS: Final = 5
_RANGES: Final = 12
_TOKENS_OF_PAGE: Final = 100  # of the brief, for each page of a topic that is listed
_ROUNDS: Final = 6
_WHOLE: Final = float("inf")
_number: Final = attrgetter("number")
# Kinds of entries in the order of the text, and the topic that shows them whole.
_TOPICS: Final[dict[str, Topic]] = {
    "results": "tasks",
    "descriptions": "tasks",
    "findings": "findings",
    "errors": "errors",
    "failures": "tasks",
    "agents": "messages",
    "questions": "messages",
    "work": "tasks",
}
# What agents, models and tools have written: it reaches no conversation whose host may take it for
# instructions.
_UNTRUSTED: Final = frozenset(
    ("results", "findings", "errors", "failures", "work", "agents", "questions")
)
# Groups, the most protected first, and the share of the remaining tokens that each may have.
_SHARES: Final[tuple[tuple[tuple[str, ...], float], ...]] = (
    (("goal",), 0.9),
    (("messages",), 0.8),
    (("work", "questions", "agents"), 0.4),
    (("steps",), 0.35),
    (("failures", "errors"), 0.4),
    (("findings", "descriptions", "results"), 1.0),
)


def tool_call(about: str, page: str = "", prefix: str = "") -> str:
    """Return the call of the plan tool that shows a page."""
    argument = f", page={page}" if page else ""
    return f'{prefix}plan_details(about="{about}"{argument})'


def render_brief(  # noqa: PLR0913 - one keyword per option
    state: PlanState,
    plan: PlanView,
    language: Language = "en",
    *,
    limit: int = 0,
    tokens: int = TOKENS,
    settled: Iterable[SettledAttempt] = (),
    unread: bool = True,
    without: str = "",
    call: DetailCall = tool_call,
    trusted_only: bool = False,
) -> str:
    """Return the brief of a plan: the same bytes as long as nothing has changed.

    `plan` is the view of the actor who reads it. `limit` is the iteration count at which the run
    would stop; 0 without a run. `settled` are attempts that a crash left open. A loop leaves
    out what it shows itself: the `unread` messages, and the message that it works on (`without`).
    `call` spells the call that shows whole texts. With `trusted_only` nothing is in it that agents
    or tools have written, beside the plan itself; it names the calls that show that.
    """
    said = _messages(state, without, language, unread=unread, trusted_only=trusted_only)
    entries: dict[str, list[_Entry]] = {
        "goal": [_Entry(0, state.goal)],
        "messages": [entry for entry in said if entry.by == PERSON],
        "agents": [entry for entry in said if entry.by != PERSON],
        "results": _results(state, language),
        "descriptions": _descriptions(state),
        "findings": _findings(state),
        "errors": _errors(state, language),
        "failures": _failures(state),
        "questions": _questions(state),
        "work": _work(state, tuple(settled), language),
    }
    entries = {kind: parts for kind, parts in entries.items() if parts}
    hidden = ""
    if trusted_only:
        hidden = _name_hidden(entries, language, call)
        entries = {kind: parts for kind, parts in entries.items() if kind not in _UNTRUSTED}
    return _Brief(state, plan, language, entries).render_within(tokens, limit, call) + hidden


def _name_hidden(entries: dict[str, list[_Entry]], language: Language, call: DetailCall) -> str:
    """Return lines that count the open questions, and name the calls that show what is left out."""
    topics = dict.fromkeys(
        topic for kind, topic in _TOPICS.items() if kind in _UNTRUSTED and kind in entries
    )
    if not topics:
        return ""
    count, lines = len(entries.get("questions", ())), [""]
    if count:
        lines.append(text("brief_open_questions", language, count=count))
    calls = clauses((call(topic, "") for topic in topics), language)
    return "\n".join((*lines, text("brief_hidden", language, calls=calls)))


def _excess(shown: str, tokens: int) -> float:
    """Return by how many tokens a text is too long; no byte has more than one token."""
    return 0.0 if len(shown.encode()) <= tokens else estimate_tokens(shown) - tokens


class _Entry:
    """A text that can be shortened: `needed` are its tokens, `granted` how many it may have."""

    __slots__ = ("by", "granted", "label", "needed", "number", "text")

    def __init__(self, number: int, value: str, label: str = "", by: str = "") -> None:
        self.number, self.text, self.label, self.by = number, value, label, by
        self.needed = self.granted = _WHOLE

    def measure(self, tokens: float) -> None:
        """Estimate how many tokens it needs; one with too many for `tokens` never fits."""
        shown = self.label + escape_lines(self.text, tokens)
        needed = _LABEL + estimate_tokens(shown)
        self.needed = needed if needed < tokens - _FRAME else _WHOLE

    @property
    def is_whole(self) -> bool:
        return self.granted >= self.needed

    def show(self) -> str:
        """Return as much of the text as was granted; lines after the first are indented."""
        room = self.granted - _LABEL - estimate_tokens(self.label)
        return self.label + escape_lines(self.text, _WHOLE if self.is_whole else room)

    def show_ends(self) -> str:
        """Return the same, but the beginning and the end of a text that is shortened."""
        if self.is_whole:
            return self.show()
        half = (self.granted - _LABEL) / 2
        return f"{escape_lines(self.text, half)} {escape_end(self.text, half)}"


class _Brief:
    """The entries of a brief by kind, each kind oldest first, and the steps that it lists.

    At first everything is whole.
    """

    def __init__(
        self, state: PlanState, plan: PlanView, language: Language, entries: dict[str, list[_Entry]]
    ) -> None:
        self._state, self._plan, self._language = state, plan, language
        self._most_pages = 0
        self._entries, self._steps = entries, set(state.tasks)
        self._page_starts: dict[Topic, list[int]] = {}
        self._is_shortened = False

    def render_within(self, tokens: int, limit: int, call: DetailCall) -> str:
        """Return the text, shortened until it has no more than these tokens."""
        self._most_pages = tokens // _TOKENS_OF_PAGE - 4
        if self._may_fit(tokens):
            shown = self._render(limit, call)
            if _excess(shown, tokens) <= 0:
                return shown
        room = float(tokens)
        for _ in range(_ROUNDS):
            self._shorten(room)
            shown = self._render(limit, call)
            excess = _excess(shown, tokens)
            if excess <= 0:
                break
            room -= excess + 1
        return shown

    def _may_fit(self, tokens: int) -> bool:
        """Return whether everything might fit whole, by its length; renders nothing."""
        tasks = self._state.tasks.values()
        if len(tasks) * _LEAST_STEP > tokens:
            return False
        names = sum(len(task.name) for task in tasks)
        texts = sum(len(entry.text) for entries in self._entries.values() for entry in entries)
        return names + texts <= CHARACTERS_OF_TOKEN * tokens

    def _measure(self, tokens: float) -> None:
        """Estimate what the newest entries need; leave the others out."""
        self._is_shortened = True
        for entries in self._entries.values():
            for entry in entries[:-_MOST]:
                entry.granted = 0.0
            least = 0.0
            for entry in reversed(entries[-_MOST:]):
                if least > tokens:
                    break  # there is no room for older ones
                entry.measure(tokens)
                least += min(entry.needed, _LEAST)

    def _shorten(self, tokens: float) -> None:
        """Grant tokens to every group: first its share, then what the others have left over."""
        if not self._is_shortened:
            self._measure(tokens)
        left = max(tokens - _FRAME, 0.0)
        granted = dict.fromkeys((kinds for kinds, _ in _SHARES), 0.0)
        for second_round in (False, True):
            for kinds, share in _SHARES:
                left += granted[kinds]
                room = left if second_round else left * share
                granted[kinds] = self._grant(kinds, room)
                left -= granted[kinds]

    def _grant(self, kinds: tuple[str, ...], tokens: float) -> float:
        """Share tokens out among the entries of some kinds; return how many are used."""
        if kinds == ("steps",):
            return self._choose_steps(tokens)
        aged = [
            ((index + 1) / min(len(entries), _MOST), entry)
            for entries in (self._entries.get(kind, ()) for kind in kinds)
            for index, entry in enumerate(entries[-_MOST:])
        ]
        return _share_out(sorted(aged, key=lambda pair: pair[0]), tokens)

    def _choose_steps(self, tokens: float) -> float:
        """Choose the steps to list: around the current one, then earlier ones, then later ones."""
        used, self._steps = 0.0, set()
        order, at = self._state.graph.order, self._plan.current_index
        ahead = at + _NEXT_STEPS
        for task_id in chain(order[at:ahead], reversed(order[:at]), order[ahead:]):
            name = estimate_tokens(self._state.tasks[task_id].name)
            used += _STEP + min(name, _NAME)
            if used > tokens:
                return tokens
            self._steps.add(task_id)
        return used

    def _render(self, limit: int, call: DetailCall) -> str:
        """Return the text: the summary, what people said, and the block of everything else."""
        block = [line for kind in _TOPICS if kind in self._entries for line in self._section(kind)]
        if self._is_shortened:
            block += self._list_omissions(call)
        parts = [self._summary(limit)]
        people = self._section("messages") if "messages" in self._entries else ()
        if people:
            parts.append("\n".join(people))
        if block:
            head = text("brief_head", self._language)
            parts.append("\n".join(("<brief>", head, *block, "</brief>")))
        return "\n\n".join(parts)

    def _summary(self, limit: int) -> str:
        state = self._state
        tasks = tuple(task for task in state.tasks_in_order() if task.id in self._steps)
        needs = {task.id: tuple(state.blocked_by(task)[:_NEXT_STEPS]) for task in tasks}
        plan = replace(self._plan, tasks=tasks, unmet_needs=needs)
        goal = self._entries["goal"][0].show_ends()
        return progress_summary(
            plan, limit, self._language, show=escape_to_tokens, goal=goal, name_limit=_NAME
        )

    def _section(self, kind: str) -> list[str]:
        """Return a heading and the entries of a kind; nothing if all of them are left out."""
        listed = sorted((entry for entry in self._entries[kind] if entry.granted), key=_number)
        lines = [f"{entry.number}. {entry.show()}" for entry in listed]
        return [text(f"brief_section_{kind}", self._language), *lines] if lines else []

    def _list_omissions(self, call: DetailCall) -> Iterator[str]:
        """Say what was shortened, and which calls show it whole."""
        language, missing = self._language, dict[str, str]()
        for kind, entries in self._entries.items():
            numbers = _ranges(sorted(entries, key=_number))
            if numbers:
                missing[kind] = text(f"brief_part_{kind}", language, numbers=numbers)
        hidden = len(self._state.tasks) - len(self._steps)
        if hidden:
            missing["steps"] = text("brief_part_steps", language, count=hidden)
        yield text("brief_shortened", language, parts=clauses(missing.values(), language))
        topics = {"goal": "goal", "messages": "messages", "steps": "tasks", **_TOPICS}
        for topic in dict.fromkeys(topics[kind] for kind in missing):
            yield f"- {self._pages(topic, call)}"

    def _pages(self, topic: Topic, call: DetailCall) -> str:
        """Return the call that shows a topic, and where its pages begin."""
        language = self._language
        if topic not in self._page_starts:
            pages = topic_pages(self._state, topic, language)
            self._page_starts[topic] = [page.first for page in pages]
        starts = self._page_starts[topic]
        count, one_page = len(starts), call(topic, "P")
        if count <= 1:
            return call(topic, "")
        if starts[0] == starts[-1] or self._most_pages <= 1:
            shown = text("brief_pages_counted", language, call=one_page, count=count)
        elif count <= self._most_pages:
            listed = ", ".join(map(str, starts))
            shown = text("brief_pages", language, call=one_page, starts=listed)
        else:
            every = -(-count // self._most_pages)
            listed = ", ".join(f"{at + 1}: {starts[at]}" for at in range(0, count, every))
            shown = text("brief_pages_some", language, call=one_page, count=count, starts=listed)
        if topic != "tasks":
            return shown
        return clauses((shown, text("brief_one_step", language, call=call("N", ""))), language)


def _share_out(aged: Sequence[tuple[float, _Entry]], tokens: float) -> float:
    """Grant tokens to entries, each with its age from 0 (oldest) to 1; return how many are used.

    The longest are shortened first, the older ones more. If there are too many, the oldest are
    left out.
    """
    for _, entry in aged:
        entry.granted = 0.0
    least, kept = 0.0, list[tuple[float, _Entry]]()
    for age, entry in reversed(aged):
        least += min(entry.needed, _LEAST)
        if least > tokens:
            break
        kept.append((_OLDEST + (1 - _OLDEST) * age, entry))
    level = _water_level([(weight, entry.needed) for weight, entry in kept], tokens)
    for weight, entry in kept:
        entry.granted = min(entry.needed, max(weight * level, _LEAST))
    return min(sum(entry.granted for _, entry in kept), tokens)


def _water_level(needs: Sequence[tuple[float, float]], tokens: float) -> float:
    """Return the level to which all needs, by weight, can be filled with these tokens."""
    left, weights = tokens, sum(weight for weight, _ in needs)
    for weight, needed in sorted(needs, key=lambda need: need[1] / need[0]):
        level = left / weights
        if needed > weight * level:
            return level
        left, weights = left - needed, weights - weight
    return _WHOLE


def _ranges(entries: Sequence[_Entry]) -> str:
    """Return the numbers of shortened entries, neighbours as a range; only the first of many."""
    ranges, is_neighbour = list[list[int]](), False
    for entry in entries:
        if entry.is_whole:
            is_neighbour = False
        elif is_neighbour:
            ranges[-1][1:] = [entry.number]
        else:
            ranges.append([entry.number])
            is_neighbour = True
    shown = ", ".join("-".join(map(str, ends)) for ends in ranges[:_RANGES])
    return f"{shown}, …" if len(ranges) > _RANGES else shown


# What the entries are made of, oldest first


def _messages(
    state: PlanState, without: str, language: Language, *, unread: bool, trusted_only: bool
) -> list[_Entry]:
    """Return what people said, but for the message `without` and the consent to the goal.

    With `trusted_only`, what they were asked is left out. The numbers are those of the pages, which
    leave out nothing.
    """
    goal, numbered = state.goal, enumerate(statements(state), 1)
    said = [(number, each) for number, each in numbered if unread or not each.is_unread]
    if without and said and said[-1][1].text == without:
        said.pop()
    return [
        _Entry(number, each.text, _statement_label(each, language, trusted_only), each.by)
        for number, each in said
        if not goal or each.proposal != goal
    ]


def _statement_label(
    statement: Statement,
    language: Language,
    trusted_only: bool,  # noqa: FBT001 - as in the brief
) -> str:
    who = "" if statement.by == PERSON else f"{escape_to_tokens(statement.by, _WHO)}: "
    if trusted_only and (statement.proposal or statement.question):
        return who + text("brief_answer", language)
    if statement.proposal:
        proposal = escape_to_tokens(statement.proposal, _QUESTION)
        return who + text("brief_proposal", language, goal=proposal)
    if statement.question:
        question = escape_to_tokens(statement.question, _QUESTION)
        return who + text("brief_question", language, question=question)
    return who


def _results(state: PlanState, language: Language) -> list[_Entry]:
    assumed = text("brief_assumed", language)
    return [
        _Entry(task.id, task.result, assumed if task.is_assumed else "")
        for task in state.tasks_in_order()
        if task.finished and task.result
    ]


def _descriptions(state: PlanState) -> list[_Entry]:
    """Return the descriptions of tasks; those of the tasks that come next count as the newest."""
    tasks = list(state.tasks_in_order())
    at = state.current_step_index
    nearest_last = sorted(enumerate(tasks), key=lambda pair: (pair[0] >= at, -abs(pair[0] - at)))
    return [_Entry(task.id, task.description) for _, task in nearest_last if task.description]


def _findings(state: PlanState) -> list[_Entry]:
    entries = []
    for finding in state.notes.findings.values():
        title = "" if finding.content.startswith(finding.title) else f"{finding.title}: "
        source = f" ({finding.source})" if finding.source else ""
        entry = _Entry(finding.id, f"{title}{finding.content}{source}", f"[{finding.category}] ")
        entries.append(entry)
    return entries


def _errors(state: PlanState, language: Language) -> list[_Entry]:
    entries = []
    for error in state.notes.errors.values():
        tool, count = escape_to_tokens(error.tool, _WHO), error.count
        often = text("brief_error", language, tool=tool, count=count)
        entries.append(_Entry(error.id, error.message, often if count > 1 else f"{tool}: "))
    return entries


def _failures(state: PlanState) -> list[_Entry]:
    """Return why attempts at unfinished tasks have failed."""
    tasks = (task for task in state.tasks_in_order() if not task.finished)
    return [_Entry(task.id, task.error) for task in tasks if task.error]


def _questions(state: PlanState) -> list[_Entry]:
    return [_Entry(asked.id, asked.text) for asked in state.open_questions()]


def _work(
    state: PlanState, settled: tuple[SettledAttempt, ...], language: Language
) -> list[_Entry]:
    """Return what was done lately for the tasks in progress, and what was interrupted.

    What a person answered about an attempt is told until the next iteration.
    """
    ended = {attempt.id for attempt, _ in settled}
    answers = [
        (asked, answer)
        for asked in state.ledger.conversation.questions.values()
        if (answer := asked.answer) is not None and asked.kind == "settle"
        if asked.about not in ended and asked.iteration == state.iteration_count
    ]
    ended.update(asked.about for asked, _ in answers)
    entries = [
        _Entry(task, work.what, text("brief_done", language))
        for task in (0, *state.tasks_in_progress())
        for work in state.ledger.done.get(task, ())
        if work.kind != THINK and work.id not in ended
    ]
    entries += [
        _Entry(attempt.task, attempt.what, text(f"brief_settled_{settlement}", language))
        for attempt, settlement in settled
        if attempt.kind != THINK  # a reply that was never used
    ]
    entries += [
        _Entry(attempt.task, attempt.what, text("brief_open", language))
        for attempt in state.ledger.attempts.values()
        if attempt.kind != THINK and attempt.id not in ended
    ]
    for asked, answer in answers:
        shown = escape_to_tokens(answer, _WHO)
        label = text("brief_answered", language, answer=shown)
        entries.append(_Entry(asked.task, asked.text, label))
    return entries
