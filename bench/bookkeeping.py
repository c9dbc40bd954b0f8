"""What an agent writes and reads about its plan, step by step, in several styles.

For Outlast, a real plan carries out every call, and its answers are counted. The other styles get
what favours them: no schemas, the shortest result texts.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bench.tokenizer import tokens
from outlast import create_plan
from outlast.context.plan_block import plan_block
from outlast.plan.plan_view import plan_view

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from outlast.language import Language

_VERBS: Final = ("Write", "Review", "Measure", "Translate", "Simplify")
_DOING: Final = ("Writing", "Reviewing", "Measuring", "Translating", "Simplifying")
_THINGS: Final = (
    "the parser of dates and its errors",
    "retries in the client",
    "the page on installing",
    "reports of unused settings",
    "the index of customers",
)
_RESULT: Final = "tests pass"
_UPDATED: Final = "The list has been updated."
_EDITED: Final = "The file has been updated."
_SAMPLES: Final = 20


@dataclass(frozen=True)
class Account:
    """Tokens about the plan in a whole run.

    `written` is what the model wrote, `told` what tools told it. `standing` is what stood in every
    request at most, and `needed` what it takes to go on once the history has been cut.
    """

    steps: int
    written: int
    told: int
    standing: int
    needed: int

    @property
    def fresh(self) -> float:
        """Tokens that were new in a step, beside what stands in every request."""
        return (self.written + self.told) / self.steps

    @property
    def resident(self) -> int:
        """Tokens in the last request of all if nothing was cut."""
        return self.written + self.told + self.standing


def names(count: int) -> list[str]:
    """Return what the steps of a plan are called."""
    return [f"{_VERBS[i % 5]} {_THINGS[i // 5 % 5]}, part {i + 1}" for i in range(count)]


def doing(count: int) -> list[str]:
    """Return what a step is called while it is done."""
    return [f"{_DOING[i % 5]} {_THINGS[i // 5 % 5]}, part {i + 1}" for i in range(count)]


# --- ours -----------------------------------------------------------------------------------------


def outlast(count: int) -> Account:
    """Run a plan through the default tools, with the plan block in every request."""
    with create_plan("memory:", "Make the library ready for its next release") as plan:
        schemas = tokens(spelled(plan.tools("openai")))
        written, told = _called(plan.handle, "add_tasks", {"tasks": names(count)})
        block = tokens(plan.context())
        for number in range(1, count + 1):
            call = _called(plan.handle, "complete_task", {"task": number, "result": _RESULT})
            written, told = written + call[0], told + call[1]
            block = max(block, tokens(plan.context()))
        if plan.status != "completed":
            raise AssertionError(plan)
    return Account(count, written, told, schemas + block, schemas + block)


def _called(
    handle: Callable[[object], object], name: str, arguments: dict[str, object]
) -> tuple[int, int]:
    """Return the tokens of a call and of its answer."""
    given = spelled(arguments)
    function = {"name": name, "arguments": given}
    answer = handle({"id": "call", "type": "function", "function": function})
    if not isinstance(answer, dict):
        raise TypeError(answer)
    return tokens(name) + tokens(given), tokens(answer["content"])


def spelled(value: object) -> str:
    """Return the JSON that a model writes or is shown."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# --- other styles ---------------------------------------------------------------------------------


def todo_write(count: int) -> Account:
    """Write the whole list again after each step."""
    contents, active = names(count), doing(count)

    def written(done: int) -> int:
        items = [
            {"content": contents[i], "status": _status(i, done), "activeForm": active[i]}
            for i in range(count)
        ]
        return tokens("TodoWrite") + tokens(spelled({"todos": items}))

    return _rewritten(count, written, lambda _: tokens(_UPDATED))


def echoed_todos(count: int) -> Account:
    """Write the whole list again after each step, and have it echoed."""
    contents = names(count)

    def items(done: int) -> list[dict[str, str]]:
        return [{"content": contents[i], "status": _status(i, done)} for i in range(count)]

    def written(done: int) -> int:
        return tokens("write_todos") + tokens(spelled({"todos": items(done)}))

    return _rewritten(count, written, lambda done: tokens(f"Updated todo list to {items(done)}"))


def _rewritten(count: int, written: Callable[[int], int], told: Callable[[int], int]) -> Account:
    """Return the account of a list that is written once at first and once after each step."""
    sampled = _evenly(count + 1)
    share = (count + 1) / len(sampled)
    return Account(
        count,
        round(sum(map(written, sampled)) * share),
        round(sum(map(told, sampled)) * share),
        0,
        written(count),
    )


def re_read_file(count: int) -> Account:
    """Keep a checklist in a file: read it before each step, tick the step off after it."""
    lines = names(count)

    def page(done: int) -> str:
        ticked = (f"- [{'x' if i < done else ' '}] {lines[i]}" for i in range(count))
        return "\n".join(("# Plan", "", *ticked, ""))

    def tick(number: int) -> int:
        old, new = f"- [ ] {lines[number]}", f"- [x] {lines[number]}"
        edit = {"file_path": "plan.md", "old_string": old, "new_string": new}
        read = tokens("Read") + tokens(spelled({"file_path": "plan.md"}))
        return read + tokens("Edit") + tokens(spelled(edit))

    first = {"file_path": "plan.md", "content": page(0)}
    written = tokens("Write") + tokens(spelled(first)) + sum(map(tick, range(count)))
    sampled = _evenly(count)
    read = sum(tokens(page(done)) for done in sampled) * count / len(sampled)
    told = round(read) + count * tokens(_EDITED)
    return Account(count, written, told, 0, tokens(page(count)))


def _status(index: int, done: int) -> str:
    if index == done:
        return "in_progress"
    return "completed" if index < done else "pending"


def _evenly(count: int) -> Sequence[int]:
    """Return all of the first numbers, or some: what is counted grows evenly in between."""
    if count <= _SAMPLES:
        return range(count)
    return [round(i * (count - 1) / (_SAMPLES - 1)) for i in range(_SAMPLES)]


STYLES: Final[dict[str, Callable[[int], Account]]] = {
    "outlast, default tools": outlast,
    "TodoWrite: the whole list after each step": todo_write,
    "write_todos: the same, echoed by its result": echoed_todos,
    "a checklist in a file, read before each step": re_read_file,
}
OURS: Final = next(iter(STYLES))


def blocks() -> Iterator[tuple[str, int]]:
    """Yield the tokens of the plan block, the loop's or a rider's, whichever is larger."""
    for what, language, goal, name in _WORDS:
        with create_plan("memory:", goal) as plan:
            arguments = {"tasks": [f"{name} {i}"[:1_000] for i in range(1, 101)]}
            plan.handle({"name": "add_tasks", "arguments": arguments})
            shown = plan.core.read(lambda state: plan_view(state, "agent"))
            in_loop = plan_block(shown, language)
            yield what, max(tokens(in_loop), tokens(plan.context(language)))


_WORDS: Final[tuple[tuple[str, Language, str, str], ...]] = (
    ("English", "en", "Make the library ready for its next release", "Write the page on dates"),
    (
        "Chinese",
        "zh",
        "下载并总结过去五年的年度报告" * 20,
        "下载并核对年度报告的全部数据和图表" * 5,
    ),
    ("long names", "en", "Prepare the release. " * 500, "Measure the client carefully " * 30),
    ("emoji", "en", "\N{FACE WITH TEARS OF JOY}\N{MAN}" * 200, "\N{FOX FACE}\N{WATERMELON}" * 300),
)
