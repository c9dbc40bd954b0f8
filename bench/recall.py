"""What a model knows after its process was killed: `./dev bench recall [--quick] [--write]`.

A process plants 40 facts in a plan through the real loop: a scripted model calls the plan's tools,
people interject, answer, and change the goal. The process is killed, and a run in a new process
continues. Counted are the facts in its first request and the tokens of that request, with a real
tokenizer; against reading all files of the plan again, and against a todo list. A fact that is not
in the first request counts as reachable if one of the calls that the request names returns it.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bench.bookkeeping import spelled
from bench.durable import scratch
from bench.measure import count, table, write
from bench.recall_facts import EACH, KINDS, planted_work
from bench.tokenizer import NAME, tokens
from bench.verdicts import at_least, at_most, judged
from outlast import AgentLoop, Plan, open_plan
from outlast.agents import ToolLoop
from outlast.context.chat_model import Call, Reply, Usage
from outlast.errors import TaskClaimed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from bench.recall_facts import Fact, Work
    from bench.verdicts import Row
    from outlast.context.chat_model import Message, ToolSpec
    from outlast.model.model import Question

SIZES: Final = (20, 200)
ENDS: Final = ("[Done]", "words", "limit", "tool")  # of a step whose result no tool is given
_GIVEN: Final = "given"
_KEY: Final = "reports"
_TOKENS: Final = 2_000
_LEASE: Final = 2  # seconds
_PATIENCE: Final = 300  # seconds that the planting process may take
_ALL: Final = EACH * len(KINDS)
_OURS: Final = "outlast: the brief"
_RENDER: Final = 1.5  # seconds after which the files of the plan have everything
_READY: Final = "ready"
_VIEWS: Final = ("task_plan.md", "findings.md", "errors.md")
_BRIEF: Final = re.compile(r"\[Resuming task\] (.*)\n\nUser instruction: ", re.DOTALL)
_CALL: Final = re.compile(
    r'plan_details\(about="(\w+)"(?:, page=P\), (?:pages P begin with ([\d, ]+)|([\d,]+) pages))?'
)


_Words = tuple[str, tuple[Call, ...]]  # of a reply


@dataclass(frozen=True)
class Recall:
    """What one way to continue knows, and what it costs."""

    facts: int
    tokens: int
    by_kind: dict[str, int]


@dataclass(frozen=True)
class Found:
    """The ways to continue at one size, and the facts within one call."""

    size: int
    ways: dict[str, Recall]
    reachable: int

    @property
    def brief(self) -> Recall:
        return self.ways[_OURS]


# --- the process that is killed -------------------------------------------------------------------


class Planter:
    """A model that works through the steps by tool calls, and a person who answers it."""

    name, price = "planter", None

    def __init__(
        self, work: Work, say: Callable[[str], object], ready: Path, end: str = _GIVEN
    ) -> None:
        self._work, self._say, self._ready, self._end = work, say, ready, end
        self._replies = self._script()
        self._answers = {question: answer for step in work.steps for question, answer in step.asks}

    async def think(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        *,
        max_tokens: int | None = None,
        on_text: Callable[[str], object] | None = None,
    ) -> Reply:
        del messages, tools, max_tokens, on_text
        words, calls = next(self._replies)
        if not calls:
            self._ready.touch()
            await asyncio.sleep(_PATIENCE)  # until the process is killed
        return Reply(words, calls, Usage(500, 50))

    def _script(self) -> Iterator[_Words]:
        tasks = [{"name": step.name, "description": step.description} for step in self._work.steps]
        yield "", (Call("add_tasks", {"tasks": tasks}, "plan"),)
        yield "", (Call("propose_goal", {"goal": self._work.goal}, "goal"),)
        for number, step in enumerate(self._work.steps[: self._work.done], 1):
            calls = [Call("look_up", {"number": number, "fails": fails}) for fails in step.fails]
            calls += [Call("ask_user", {"question": question}) for question, _ in step.asks]
            calls += [
                Call("findings_write", {"category": "insight", "title": title, "content": content})
                for title, content in step.finds
            ]
            for text in step.says:
                self._say(text)
            ending = self._ending(number, step.result)
            said, given = next(ending)
            yield said, _numbered(number, (*calls, *given))
            yield from ending
        yield "", ()

    def _ending(self, number: int, result: str) -> Iterator[_Words]:
        """Say what was found, or give it to the tool; then end the step."""
        look = Call("look_up", {"number": number}, f"{number}.again")
        if self._end == _GIVEN:
            yield "", (Call("complete_task", {"task": number, "result": result}),)
            return
        yield f"{result}.", ()
        if self._end == "limit":
            for _ in range(ToolLoop().most_iterations - 2):
                yield "", (look,)
        ends = {
            "tool": ("", Call("complete_task", {"task": number, "result": ""}, f"{number}.end")),
            "[Done]": ("[Done]", look),
            "words": (f"Next, {self._work.steps[number].name}", look),
            "limit": ("Done with it", look),
        }
        words, call = ends[self._end]
        yield words, (call,)

    async def answer(self, question: Question) -> str | None:
        return "yes" if question.kind == "goal" else self._answers[question.text]


def _numbered(number: int, calls: Sequence[Call]) -> tuple[Call, ...]:
    found = calls or (Call("look_up", {"number": number}),)  # a reply without a call ends the run
    return tuple(Call(call.name, call.params, f"{number}.{i}") for i, call in enumerate(found))


def look_up(number: int, fails: str = "") -> str:
    """Look a report up."""
    if fails:
        raise OSError(fails)
    return f"Report {number}"


def plant(place: Path, size: int, end: str) -> None:
    """Work until all facts are planted, and wait to be killed."""
    work, said = planted_work(size), list[str]()

    def say(text: str) -> None:
        said.append(text)
        asyncio.get_running_loop().call_soon(loop.say, text)

    planter = Planter(work, say, place / _READY, end)
    loop = AgentLoop(
        model=planter,
        tools=[look_up],
        person=planter,
        workdir=place,
        key=_KEY,
        max_iterations=12 * size,
        loop=ToolLoop(policy="words") if end in ("words", "limit") else "tools",
        lease_seconds=_LEASE,
    )
    asyncio.run(loop.run(work.old_goal))


def kill_planter(place: Path, size: int, end: str) -> None:
    """Start the process, wait until it has planted everything, and kill it."""
    command = [sys.executable, "-m", "bench.recall", "--plant", str(place), str(size), end]
    with subprocess.Popen(command, cwd=Path(__file__).parents[1]) as process:  # noqa: S603 - ourselves
        limit = time.monotonic() + _PATIENCE
        while not (place / _READY).exists():
            if process.poll() is not None or time.monotonic() > limit:
                process.kill()
                raise RuntimeError(process.returncode)
            time.sleep(0.05)
        time.sleep(_RENDER)
        process.kill()


# --- the run that continues -----------------------------------------------------------------------


class Listener:
    """A model that keeps its first request."""

    name, price = "listener", None

    def __init__(self) -> None:
        self.messages: tuple[Message, ...] = ()
        self.tools: tuple[ToolSpec, ...] = ()

    async def think(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        *,
        max_tokens: int | None = None,
        on_text: Callable[[str], object] | None = None,
    ) -> Reply:
        del max_tokens, on_text
        self.messages, self.tools = tuple(messages), tuple(tools)
        return Reply("I continue.", (), Usage(500, 5))


def first_request(place: Path) -> Listener:
    """Continue the work in this process; return what the model was asked first."""
    model = Listener()
    loop = AgentLoop(model=model, tools=[look_up], workdir=place, key=_KEY, max_iterations=1)
    for _ in range(_LEASE * 10):
        try:
            asyncio.run(loop.run("continue"))
        except TaskClaimed:  # by the killed process, for a moment
            time.sleep(0.2)
        else:
            break
    return model


def measure(size: int, end: str = _GIVEN) -> Found:
    """Plant, kill, continue, count; `end` is how the model ends its steps."""
    work = planted_work(size)
    with scratch() as place:
        kill_planter(place, size, end)
        files = _files(place)
        request = first_request(place)
        shown = unescape("\n\n".join(message.text for message in request.messages))
        schemas = [(tool.name, tool.description, tool.parameters) for tool in request.tools]
        match = _BRIEF.search(shown)
        if match is None:
            raise AssertionError(shown)
        with open_plan(place, _KEY, actor="agent") as plan:
            answers = _named_pages(plan, match[1])
            todos = "\n".join(f"- [{task.status}] {task.name}" for task in plan.tasks())
    ways = {
        _OURS: _recall(work.facts, match[1], tokens(match[1])),
        "outlast: the first request, with tool schemas": _recall(
            work.facts, shown, tokens(shown) + tokens(spelled(schemas))
        ),
        "all files of the plan, read again": _recall(work.facts, files, tokens(files)),
        "the todo list": _recall(work.facts, todos, tokens(todos)),
    }
    reachable = sum(_is_reachable(fact, shown, answers) for fact in work.facts)
    return Found(size, ways, reachable)


def _files(place: Path) -> str:
    """Return the texts of all files of the plan that are made for reading."""
    directory = place / ".outlast" / "plans" / _KEY
    found = [directory / name for name in _VIEWS]
    return "\n\n".join(file.read_text() for file in found if file.exists())


def _named_pages(plan: Plan, brief: str) -> list[str]:
    """Make each call that the brief names; return the answers."""
    answers = []
    for about, starts, counted in _CALL.findall(brief):
        if about == "N":  # one task: the pages of all tasks have the same texts
            continue
        pages = int(counted.replace(",", "")) if counted else len(starts.split(","))
        for page in range(1, pages + 1):
            arguments = {"about": about, "page": page}
            answer: Any = plan.handle({"name": "plan_details", "arguments": arguments})
            answers.append(unescape(str(answer)))
    return answers


def _is_reachable(fact: Fact, shown: str, answers: list[str]) -> bool:
    return fact.is_in(shown) or any(fact.is_in(shown + answer) for answer in answers)


def _recall(facts: list[Fact], text: str, size: int) -> Recall:
    by_kind = dict.fromkeys(KINDS, 0)
    for fact in facts:
        by_kind[fact.kind] += fact.is_in(text)
    return Recall(sum(by_kind.values()), size, by_kind)


# --- the page -------------------------------------------------------------------------------------


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench recall")
    parser.add_argument("--quick", action="store_true", help="a plan of 20 tasks alone")
    parser.add_argument("--write", action="store_true", help="put the tables into the docs")
    parser.add_argument("--plant", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.plant:
        place, size, end = options.plant
        plant(Path(place), int(size), end)
        return
    found = [measure(size) for size in (SIZES[:1] if options.quick else SIZES)]
    text = report(found, {end: measure(SIZES[0], end) for end in ENDS})
    print(text)
    if options.write:
        write("recall", text)


def report(found: Sequence[Found], ended: Mapping[str, Found]) -> str:
    head = ["", *(f"{one.size} tasks" for one in found)]
    ways = [[way, *(_cell(one.ways[way]) for one in found)] for way in found[0].ways]
    kinds = [[kind, *(str(one.brief.by_kind[kind]) for one in found)] for kind in KINDS]
    return "\n\n".join(
        (
            f"Facts and tokens, by the tokenizer {NAME}.",
            table(head, ways, 1),
            f"### In the brief, of {EACH} facts of each kind",
            table(head, kinds, 1),
            f"### In the brief, where no result is given, {SIZES[0]} tasks",
            table(
                ["a step ends by", "facts, tokens"],
                [[end, _cell(one.brief)] for end, one in ended.items()],
                1,
            ),
            "### Goals",
            judged(head[1:], [*recall_goals(found), *said_goals(ended)]),
        )
    )


def _cell(recall: Recall) -> str:
    return f"{recall.facts} of {_ALL}, {count(recall.tokens)}"


def _whole(value: float) -> str:
    return count(int(value))


def recall_goals(found: Sequence[Found]) -> list[Row]:
    small = found[0]
    first = f"recall after resume: facts in the brief, {small.size} tasks"
    return [
        [first, str(_ALL), at_least(small.brief.facts, _ALL, _whole)],
        [
            "recall after resume: tokens of the brief",
            f"≤ {count(_TOKENS)}",
            *(at_most(one.brief.tokens, _TOKENS, _whole) for one in found),
        ],
        [
            "recall after resume: facts within one tool call that the brief names",
            str(_ALL),
            *(at_least(one.reachable, _ALL, _whole) for one in found),
        ],
    ]


def said_goals(ended: Mapping[str, Found]) -> list[Row]:
    return [
        [
            f"recall after resume: facts in the brief, steps ended by {end}, no result given",
            str(_ALL),
            at_least(one.brief.facts, _ALL, _whole),
        ]
        for end, one in ended.items()
    ]


if __name__ == "__main__":
    main()
