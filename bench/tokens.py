"""Tokens that go into the plan itself: `./dev bench tokens [--quick] [--write]`.

Every style is counted on the same steps with the same tokenizer. Nothing is timed.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bench.bookkeeping import OURS, STYLES, blocks, spelled
from bench.measure import count, figure, table, times, write
from bench.tokenizer import NAME, tokens
from bench.verdicts import at_most, judged
from outlast.plan.tools.tool_sets import tool_schemas, tool_set

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.bookkeeping import Account
    from bench.verdicts import Row

_SIZES: Final = (5, 20, 100, 500, 5_000)
_QUICK_SIZES: Final = (5, 20, 100)
_FRESH_LIMIT: Final = 40
_FLAT_LIMIT: Final = 1.2
_BLOCK_LIMIT: Final = 300
_SCHEMA_LIMIT: Final = 1_500
_SCHEMAS: Final = f"≤ {count(_SCHEMA_LIMIT)}"
_HOW: Final = (
    "A step is fresh tokens: what the model writes and reads about the plan, including its first "
    "list. For Outlast, a run carries out every call. The block is part of every request and is "
    "replaced there, so it is counted separately. Lists that are written again and again are "
    "counted at 20 evenly spread points of the run. The other styles get the shortest results "
    "and are charged no schemas."
)


@dataclass(frozen=True)
class Found:
    """What was counted: each style at each size, the plan block, the schemas by dialect."""

    sizes: tuple[int, ...]
    accounts: dict[tuple[str, int], Account]
    blocks: dict[str, int]
    schemas: dict[str, int]


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench tokens")
    parser.add_argument("--quick", action="store_true", help="up to 100 steps")
    parser.add_argument("--write", action="store_true", help="put the tables into the docs")
    options = parser.parse_args()
    text = report(measure(_QUICK_SIZES if options.quick else _SIZES))
    print(text)
    if options.write:
        write("tokens", text)


def measure(sizes: Sequence[int], styles: Sequence[str] = tuple(STYLES)) -> Found:
    """Count everything."""
    return Found(
        tuple(sizes),
        {(style, n): STYLES[style](n) for style in styles for n in sizes},
        dict(blocks()),
        {d: tokens(spelled(tool_schemas(d, tool_set("default")))) for d in ("openai", "anthropic")},
    )


def report(found: Found) -> str:
    parts = [
        f"Tokenizer {NAME}. {_HOW}",
        "### Fresh tokens a step",
        _table(found, lambda account: account.fresh),
        "### Tokens about the plan in the last request, history not truncated",
        _table(found, lambda account: account.resident),
        "### Tokens needed to continue after the history was truncated",
        _table(found, lambda account: account.needed),
        "### Goals",
        judged([f"{count(n)} steps" for n in found.sizes], token_goals(found)),
    ]
    return "\n\n".join(parts)


def token_goals(found: Found) -> list[Row]:
    ours = [found.accounts[OURS, n].fresh for n in found.sizes]
    first, last = found.sizes[0], found.sizes[-1]
    return [
        [
            "fresh tokens a step, without the block",
            f"≤ {_FRESH_LIMIT}",
            *_cells(ours, _FRESH_LIMIT),
        ],
        [
            f"the same, {count(last)} steps against {count(first)}",
            f"≤ {times(_FLAT_LIMIT)}",
            at_most(ours[-1] / ours[0], _FLAT_LIMIT, times),
        ],
        *(
            [f"the plan block, {what}", f"≤ {_BLOCK_LIMIT}", *_cells([size], _BLOCK_LIMIT)]
            for what, size in found.blocks.items()
        ),
        *(
            [f"schemas of the default set, {d}", _SCHEMAS, *_cells([size], _SCHEMA_LIMIT)]
            for d, size in found.schemas.items()
        ),
    ]


def _cells(values: Sequence[float], limit: float) -> list[str]:
    return [at_most(value, limit, figure) for value in values]


def _table(found: Found, figures: Callable[[Account], float]) -> str:
    rows = []
    for style in STYLES:
        row = [style]
        for n in found.sizes:
            value, ours = figures(found.accounts[style, n]), figures(found.accounts[OURS, n])
            row += [figure(value), times(value / ours)]
        rows.append(row)
    head = [""]
    for n in found.sizes:
        head += [f"{count(n)} steps", "of ours"]
    return table(head, rows)


if __name__ == "__main__":
    main()
