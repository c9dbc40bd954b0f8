"""Forty facts of eight kinds, and the long work that they are said, found and learned in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

EACH: Final = 5  # facts of a kind
_COMPANIES: Final = ("Arbor", "Brandt", "Corvus", "Delmar", "Elvira")
_GOAL: Final = (
    "Collect the yearly reports of the companies on the list and compare their figures: revenue, "
    "profit, cash flow, debt and the number of employees. Take the figures from the reports, not "
    "from the press. Where a figure is missing in one year, say so in the table and do not fill "
    "the gap. The reader is a board that has little time, so each company gets half a page and "
    "one table, and the comparison comes first. "
)
_OLD_GOAL: Final = f"{_GOAL}Write it for the magazine Quartal, in English."
_CHANGED: Final = (
    "The text is for the newsletter Lumen",
    "leave the company Ostrava out",
    "use the years 2019 to 2023",
    "compare with the index Marlow",
    "the deadline is 14 March",
)
_GOAL_END: Final = (
    "Write it in German",
    "use no more than 1800 words",
    "name the file lagebericht.md",
    "put the sources into footnotes",
    "never round below ten thousand",
)
_SAID: Final = (
    "Use euros, not dollars",
    "Skip the annexes of Brandt",
    "The board calls staff Mitarbeitende",
    "Send nothing to the printer Halvorsen",
    "Tables need a grey header",
)
_ASKED: Final = (
    ("Which rate converts kroner", "the rate of 31 December, 0.0888"),
    ("Who signs the letter", "Ingrid Solberg signs it"),
    ("Does restated revenue count", "only the restated one counts"),
    ("Which logo is current", "the one in logo-2022.svg"),
    ("May the debt be netted", "no, show gross debt"),
)
_DESCRIPTIONS: Final = (
    "Only the consolidated statement on page 88",
    "Ask the archive for the 2020 edition",
    "The file is encrypted; its key is in vault/reports",
    "Check the total against the auditor's table 7",
    "The half-page may have one photograph",
)
_RESULTS: Final = (
    "revenue 4183 million, saved to out/arbor.csv",
    "profit fell to 212 million, note on page 3",
    "cash flow checked, sign was inverted in 2021",
    "debt 967 million gross, bond of 2027 included",
    "staff 18402, without the Polish branch",
)
_FINDINGS: Final = (
    ("Column order of Corvus", "Corvus swaps the columns for profit and revenue after 2021"),
    ("Footnote marks", "An asterisk means unaudited in all reports of Delmar"),
    ("Fiscal year of Elvira", "Its year ends on 30 June, so shift by two quarters"),
    ("Hidden sheet", "The workbook of Arbor has a hidden sheet called prior"),
    ("Naming", "Brandt was called Brandt & Sohn until 2020"),
)
_ERRORS: Final = (
    ("pdftotext: Incorrect password", "opened it with qpdf --password-file"),
    ("locale de_DE.UTF-8 not supported", "set LC_ALL to C.UTF-8 instead"),
    ("HTTP 403 from archive.example", "sent the header X-Reader: board"),
    ("csv.Error: field larger than limit", "raised csv.field_size_limit to ten million"),
    ("font Inter not found", "fell back to Source Sans"),
)
KINDS: Final = (
    "end of a long goal",
    "interjections",
    "a changed goal",
    "results",
    "findings",
    "errors with their fix",
    "answers",
    "descriptions",
)


@dataclass(frozen=True)
class Fact:
    """A fact of a kind; it is known if all of its parts are."""

    kind: str
    parts: tuple[str, ...]

    def is_in(self, text: str) -> bool:
        return all(part in text for part in self.parts)


@dataclass
class Step:
    """A step of the work, and what happens while it is done."""

    name: str
    result: str
    description: str = ""
    says: list[str] = field(default_factory=list)
    asks: list[tuple[str, str]] = field(default_factory=list)
    finds: list[tuple[str, str]] = field(default_factory=list)
    fails: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Work:
    """Work on many steps, of which the first three quarters are done before the end."""

    steps: list[Step]
    facts: list[Fact]
    old_goal: str = _OLD_GOAL
    goal: str = f"{_GOAL}{'; '.join(_CHANGED)}. {'; '.join(_GOAL_END)}."

    @property
    def done(self) -> int:
        return len(self.steps) * 3 // 4


def planted_work(size: int) -> Work:
    """Return work of some steps in which the facts are spread evenly over what is done."""
    done = size * 3 // 4
    steps = [_ordinary_step(number, done) for number in range(1, size + 1)]
    every = done / EACH
    facts = [Fact("end of a long goal", (part,)) for part in _GOAL_END]
    facts += [Fact("a changed goal", (part,)) for part in _CHANGED]
    for index in range(EACH):
        at = int(index * every)
        steps[at].says.append(_SAID[index])
        steps[at].result = _RESULTS[index]
        steps[at].finds.append(_FINDINGS[index])
        steps[at + 1].asks.append(_ASKED[index])
        steps[at + 1].fails.append(_ERRORS[index][0])
        steps[at + 1].result = f"{steps[at + 1].name}: {_ERRORS[index][1]}"
        described = steps[at + 2] if index < EACH - 1 else steps[done + 1]
        described.description = _DESCRIPTIONS[index]
        facts += (
            Fact("interjections", (_SAID[index],)),
            Fact("results", (_RESULTS[index],)),
            Fact("findings", (_FINDINGS[index][1],)),
            Fact("answers", (_ASKED[index][1],)),
            Fact("errors with their fix", _ERRORS[index]),
            Fact("descriptions", (_DESCRIPTIONS[index],)),
        )
    return Work(steps, facts)


def _ordinary_step(number: int, done: int) -> Step:
    company = _COMPANIES[number % len(_COMPANIES)]
    step = Step(f"Check {company}, report {number}", f"report {number} agrees")
    if number > 2 * EACH and number < done and number % EACH == 0:
        step.finds.append((f"Page of report {number}", f"The totals are on page {number + 30}"))
    return step
