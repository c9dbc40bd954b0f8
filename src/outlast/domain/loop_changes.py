"""What became of a loop's wishes: facts, which are never undone."""

# No annotations as text here: making a decoder would take it several times as long to read them.

from msgspec import Struct

from outlast.domain.budget import NOTHING, Budget, Spend
from outlast.domain.counters import Books, Talk
from outlast.domain.model import Interjection, Question


class BudgetSet(Struct, frozen=True, gc=False, omit_defaults=True, tag="BudgetSet"):
    """What the plan (task 0) or a task may cost."""

    budget: Budget
    task: int = 0


class Charged(Struct, frozen=True, gc=False, omit_defaults=True, tag="Charged"):
    """Something was spent outside an attempt."""

    spend: Spend
    task: int = 0
    planning: Spend = NOTHING


class QuestionAsked(Struct, frozen=True, gc=False, omit_defaults=True, tag="QuestionAsked"):
    """A person is asked."""

    question: Question


class QuestionAnswered(Struct, frozen=True, gc=False, omit_defaults=True, tag="QuestionAnswered"):
    """A person has answered."""

    id: int
    answer: str
    by: str


class Interjected(Struct, frozen=True, gc=False, omit_defaults=True, tag="Interjected"):
    """Somebody has said something to the loop."""

    said: Interjection


class InterjectionsTaken(
    Struct, frozen=True, gc=False, omit_defaults=True, tag="InterjectionsTaken"
):
    """The loop has heard what was said up to this number."""

    last: int


class LoopNoted(Struct, frozen=True, gc=False, omit_defaults=True, tag="LoopNoted"):
    """What a loop counts."""

    managed: bool | None = None
    stops: int | None = None


class StruckOut(Struct, frozen=True, gc=False, omit_defaults=True, tag="StruckOut"):
    """A tool is refused with these parameters."""

    tool: str
    params: str


class StrikesCleared(Struct, frozen=True, gc=False, omit_defaults=True, tag="StrikesCleared"):
    """What was refused of a tool, or of all, is allowed again."""

    tool: str | None = None


class LoopRetold(Struct, frozen=True, gc=False, omit_defaults=True, tag="LoopRetold"):
    """All that loops have counted and said, as it stood: the commits that told it are lost."""

    books: Books
    talk: Talk
    struck: dict[str, tuple[str, ...]] = {}


LoopChange = (
    BudgetSet
    | Charged
    | QuestionAsked
    | QuestionAnswered
    | Interjected
    | InterjectionsTaken
    | LoopNoted
    | StruckOut
    | StrikesCleared
    | LoopRetold
)
