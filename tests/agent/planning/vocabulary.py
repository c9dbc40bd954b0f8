"""What may be done to a plan, drawn by Hypothesis: calls good and bad, native calls, reloads.

Most values come from short lists, the plainest first: that is fast, and what a failure shrinks to.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from hypothesis import strategies as st

from tests.agent.planning.oddities import ODDITIES, Odd
from tests.agent.planning.picks import Pick
from tests.agent.planning.reference_arguments import FILTERS, SIGNATURES, snake

if TYPE_CHECKING:
    from collections.abc import Sequence

ACTORS: Final = ("agent", "bo", "代理", "human")


@dataclass(frozen=True)
class Call:
    """A call of one of the functions, as a method or through `call`."""

    actor: str
    tool: Any
    given: tuple[Any, ...] = ()
    named: Any = field(default_factory=dict)
    by_name: bool = False


@dataclass(frozen=True)
class Native:
    """A call of `Plan`."""

    actor: str
    operation: str
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Reload:
    """The plan is written, read again and goes on."""


Action = Call | Native | Reload

# --- values -------------------------------------------------------------------------------------

_ANY: Final = [Pick("any", k) for k in range(8)]
_STRANGE_REFS: Final = [Pick("any", 0, "{}"), Pick("any", 1, "step_{}"), Pick("any", 2, "00{}")]
_WRONG_REFS: Final = ["a", "b", "step_7", 0, -1, 99, "abc", "９", 2**53, -(2**53) - 1]
_NAMES: Final = [
    "a",
    "b",
    "c",
    "1",
    "step_1",
    "{name}",
    "x" * 1000,
    "任务 🙂",
    " a ",
    "a\tb",
    "\x00",
]
_TEXTS: Final = ["", "ok", "two\nlines", "{reason}", "%s", "结果"]
_NEEDS: Final[list[Any]] = [
    [],
    *([pick] for pick in _ANY),
    *([_ANY[k], _ANY[(k * 3 + 1) % 8]] for k in range(8)),
    (_ANY[0], _ANY[2], _ANY[4]),
    [_ANY[1], *_STRANGE_REFS, _ANY[1]],
    [99],
    [99, _ANY[0], "x", 99],
    ["a"],
    [0],
]


def _refs(*kinds: str) -> st.SearchStrategy[Any]:
    """Draw tasks that are mostly of these kinds."""
    wanted = [Pick(kind, k) for kind in kinds for k in range(3)]
    return st.sampled_from([*wanted * 5, *_ANY, *_STRANGE_REFS, *_WRONG_REFS])


_REFS: Final = {
    "completeTask": _refs("in_progress", "executable"),
    "failTask": _refs("in_progress", "retried", "retried", "executable"),
    "updateTask": _refs("pending", "failed"),
    "skipTask": _refs("blocked", "failed", "in_progress"),
    "removeTask": _refs("leaf"),
    "getTaskById": _refs("any"),
    "reopenTask": _refs("failed", "finished"),
}
PLANS: Final[list[list[Any]]] = [
    [],
    [{"name": "a"}],
    [{"name": "a"}, {"name": "b", "dependencies": [1]}, {"name": "c", "dependencies": ["b"]}],
    [{"name": name} for name in "abcd"],
    [
        {"name": "a", "reasoning": "because"},
        {"name": "b", "dependencies": [1]},
        {"name": "c", "dependencies": ["a", 1]},
        {"name": "d", "dependencies": ("step_2", "c"), "reasoning": None},
        {"name": "e", "dependencies": None},
        {"name": "f", "dependencies": [5, "4"]},
        {"name": "g", "dependencies": ["e"]},
    ],
    [{"name": "a", "dependencies": [2]}, {"name": "b"}, {"name": "2", "dependencies": ["2"]}],
]
_arbitrary_tasks: Final = st.lists(
    st.fixed_dictionaries(
        {"name": st.sampled_from(_NAMES[:5])},
        optional={
            "dependencies": st.lists(st.sampled_from([1, 2, 3, "4", "a", "b", "1", 9]), max_size=2)
        },
    ),
    max_size=5,
)
_new_tasks: Final = st.sampled_from(
    [*(st.just(plan) for plan in PLANS * 2), _arbitrary_tasks]
).flatmap(lambda tasks: tasks)
_texts: Final = st.sampled_from(_TEXTS)
_odd: Final = st.sampled_from([Odd(name) for name in ODDITIES])

_GOOD: Final[dict[str, st.SearchStrategy[Any]]] = {
    "after_task_id": st.sampled_from([*(None,) * 6, *_ANY, *_STRANGE_REFS, 99]),
    "name": st.sampled_from(_NAMES),
    "description": _texts,
    "goal": _texts,
    "result": _texts,
    "error_message": _texts,
    "reason": _texts,
    "reasoning": _texts,
    "should_retry": st.sampled_from([True, True, True, False, None]),
    "dependencies": st.sampled_from(_NEEDS),
    "updates": st.sampled_from(
        [
            *({"dependencies": needs} for needs in _NEEDS * 2),
            *({"name": name} for name in _NAMES),
            *({"reasoning": text} for text in _TEXTS),
            {"name": "d", "dependencies": [_ANY[0]], "reasoning": "because"},
            {"name": None, "dependencies": [], "reasoning": None},
            {"name": None},
            {},
        ]
    ),
    "tasks": _new_tasks,
    "status_filter": st.sampled_from([*FILTERS, None]),
}

# --- calls --------------------------------------------------------------------------------------

_WEIGHTS: Final = {
    "addTask": 9,
    "startNextTask": 7,
    "completeTask": 6,
    "failTask": 7,
    "updateTask": 5,
    "skipTask": 2,
    "removeTask": 3,
    "reopenTask": 3,
    "initializePlan": 4,
    "resumePlan": 4,
    "resetPlan": 2,
}
_tools: Final = st.sampled_from([t for t in SIGNATURES for _ in range(_WEIGHTS.get(t, 1))])
_STYLES: Final = ("camel", "snake", "named", "call")
_FAULTS: Final = (*("",) * 20, "odd", "missing", "extra", "unknown", "twice")
_manners: Final = st.sampled_from(
    [
        *((actor, style, fault) for fault in _FAULTS for actor in ACTORS for style in _STYLES),
        *(("native", actor) for actor in ACTORS * 24),
        *(("reload",),) * 12,
        *(("strange",),) * 3,
    ]
)


@st.composite
def actions(draw: st.DrawFn) -> Action:
    """Draw one action."""
    manner = draw(_manners)
    if manner[0] == "native":
        operation = draw(_natives)
        return Native(manner[1], operation, draw(_native_arguments[operation]))
    if manner[0] == "reload":
        return Reload()
    if manner[0] == "strange":
        return Call(ACTORS[0], draw(_odd | _tools), (), draw(_odd), by_name=True)
    actor, style, fault = manner
    tool = draw(_tools)
    return _spelled(actor, tool, style, _values(draw, tool, fault), fault)


def _values(draw: st.DrawFn, tool: str, fault: str) -> list[Any]:
    values = [
        draw(_REFS[tool] if name == "task_id" else _GOOD[name]) for name, _, _ in SIGNATURES[tool]
    ]
    if values and fault in ("odd", "missing"):
        index = draw(st.integers(0, len(values) - 1))
        values[index:] = [draw(_odd), *values[index + 1 :]] if fault == "odd" else []
    if fault == "extra":
        values.append(draw(_odd))
    return values


def _spelled(actor: str, tool: str, style: str, values: Sequence[Any], fault: str) -> Call:
    names = [name for name, _, _ in SIGNATURES[tool]]
    spelled = snake(tool) if style == "snake" else tool
    if style in ("camel", "snake") or fault == "extra":
        again = {"task_id": 1} if fault == "twice" else {}
        return Call(actor, spelled, tuple(values), again)
    named: dict[Any, Any] = dict(zip(names, values, strict=False))
    strange: Any = Odd("huge int") if style == "call" else "\ud800"
    if fault == "unknown":
        named[strange] = 1
    if fault == "twice" and style == "call":
        named[Odd("hostile")] = 1
    return Call(actor, spelled, (), named, by_name=style == "call")


_PHASES: Final = ("main", "next", "next-2", "last")
_EXECUTABLE: Final = [Pick("executable", k) for k in range(4)]
_NATIVES: Final[dict[str, list[tuple[Any, ...]]]] = {
    "abort": [()],
    "skip_all": [()],
    "order": [("sequential",), ("graph",)],
    "start": [(ref,) for ref in (*_EXECUTABLE * 2, *_ANY[:3], 99)],
    "assume": [(ref,) for ref in _EXECUTABLE],
    "complete": [(ref,) for ref in (*_EXECUTABLE * 2, *_ANY[:3], 99)],
    "progress": [(pick, 1, 2) for pick in _ANY],
    "add_phase": [("Next", None), ("Last", None), ("Next", "main"), ("Next", "last")],
    "move_phase": [
        *[("main", "next"), ("next", None)] * 6,
        *((phase, after) for phase in _PHASES for after in (None, *_PHASES)),
    ],
    "remove_phase": [(phase,) for phase in _PHASES],
    "add": [("p", needs, phase) for phase in _PHASES for needs in (_NEEDS[:12])],
    "move_behind": [(pick, after) for pick in _ANY for after in _ANY],
    "move_to": [
        (pick, phase, end)
        for pick in _ANY
        for phase in (None, *_PHASES)
        for end in ("front", "end")
    ],
}
_natives: Final = st.sampled_from(
    [
        *_NATIVES,
        "add_phase",
        "add",
        "move_to",
        "move_behind",
        "skip_all",
        "start",
        "start",
        "move_phase",
    ]
)
_native_arguments: Final = {name: st.sampled_from(given) for name, given in _NATIVES.items()}
