"""What a plan's loop counts, and what people and the loop have said to each other."""

# No annotations as text here: making a decoder would take it several times as long to read them.

from typing import Final

from msgspec import Struct

from outlast.domain.budget import NOTHING, Budget, Spend
from outlast.domain.model import Interjection, PauseWhy, Question


class Books(Struct, frozen=True, omit_defaults=True):
    """Budgets and costs by task, 0 being the plan as a whole, and the counts of its loop.

    `planning` is the part of the plan's costs that went into the plan itself. `iterations` are
    those spent in each task in progress.
    """

    budgets: dict[int, Budget] = {}
    spent: dict[int, Spend] = {}
    planning: Spend = NOTHING
    iterations: dict[int, int] = {}
    managed: bool = False
    stops: int = 0
    paused_for: PauseWhy = ""


class Talk(Struct, frozen=True, omit_defaults=True):
    """Questions by number, the last few answered ones among them, and what was said but not heard.

    A number is never given twice.
    """

    questions: dict[int, Question] = {}
    asked: int = 0
    said: tuple[Interjection, ...] = ()
    spoken: int = 0


EMPTY: Final = Books()
SILENCE: Final = Talk()
