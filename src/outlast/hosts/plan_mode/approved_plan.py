"""Read the plan that a person approved in the plan mode of a coding agent: free Markdown.

A model wrote it, so its form is a guess: headings and lists become tasks, the text below them
becomes their descriptions, and commands under a heading such as `Verification` become checks, which
a person still has to approve.
"""

from __future__ import annotations

import re
from textwrap import dedent
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from outlast.hosts.plan_mode.check_commands import find_check_commands, is_check_command
from outlast.hosts.plan_mode.outline import (
    RULE,
    Item,
    Outline,
    Role,
    Section,
    plain_text,
    read_mark,
    without_number,
)
from outlast.model.commands import NewTask
from outlast.model.limits import NAME_CHARACTERS, default_title, shorten_name
from outlast.model.model import Check
from outlast.redact.text_fields import TEXT_BYTES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from outlast.documents.markdown.outline import Kind


LARGEST_TEXT: Final = 1_000_000  # characters; the rest is not read
MOST_TASKS: Final = 200
_MOST_CHECKS: Final = 20
_GOAL_CHARACTERS: Final = 4_000
_LONG_NAME: Final = 120  # a longer line is cut after its first sentence
_FEW_WORDS: Final = 2  # in bold before a colon: a file or a label, which belongs to the name
_FEW: Final = 2
_AT_END: Final = " :：.。"
_UNTITLED: Final = "Plan"
_UNDERLINE: Final = re.compile(r" {0,3}={3,}$")
_GOAL_LABEL: Final = re.compile(
    r"(?:\*\*|__)?(?:goal|objective|overview|context|summary|目标|概述|背景"
    r"|目的)\s*(?:[:：]\s*(?:\*\*|__)?|(?:\*\*|__)\s*[:：])\s*",
    re.IGNORECASE,
)
_LEAD: Final = re.compile(  # **Name** or **Name:** and then what belongs to the description
    r"(?:\*\*|__)(?=\S)(?P<name>.{1,200}?)(?:\*\*|__)(?P<sign>\s*[:：.。–—-]|\s+\("
    r"|\s*$)?\s*(?P<rest>.*)$"
)
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])|[:：]\s+|\s+[–—]\s+|[；;]\s*")
_VERIFYING: Final = re.compile(
    r"(?:run\s+|execute\s+)?(?:verif|validat|test|check\b|run\s+(?:the\s+"
    r"|all\s+)?(?:\w+\s+)?(?:tests?|suite|checks?|lint)"
    r"|final\s+(?:check|verif)|验证|测试|检验|验收|运行.{0,6}测试)",
    re.IGNORECASE,
)
_CHECK_LINE: Final = re.compile(
    r"\s*(?:[-*+]\s+)?[*_]*(?:verif\w*|test(?:s|ing)?|check|validat\w*|验证|测试)[*_]*\s*[:：]",
    re.IGNORECASE,
)


class ApprovedPlan(Struct, frozen=True):
    """A plan that a person approved.

    The goal is what it is to achieve; empty if the text does not say. The checks of the tasks are
    proposals. `left_out` counts the tasks beyond the first 200.
    """

    title: str
    goal: str
    tasks: tuple[NewTask, ...]
    left_out: int = 0


def parse_approved_plan(text: str) -> ApprovedPlan:
    """Read free Markdown as a plan. Only a blank text has no tasks."""
    outline = Outline(text[:LARGEST_TEXT])
    goal = _goal(outline)
    first = default_title(_first_sentence(goal))
    items = _items(outline)
    tasks = [task for item in items[:MOST_TASKS] if (task := _task(item))]
    if not tasks and any(outline.lines):
        tasks = [_whole_task(outline.title or first, outline.lines)]
    title = outline.title or first or (default_title(tasks[0].name) if tasks else "")
    if outline.title.casefold() not in goal.casefold():
        goal = f"{outline.title}\n\n{goal}".strip()
    left_out = len(items[MOST_TASKS:])
    return ApprovedPlan(title, goal, _with_checks(tasks, _commands(outline)), left_out)


# The goal


def _goal(outline: Outline) -> str:
    """Return the text before the first part of the plan, and that of sections such as Goal."""
    parts = [*map(outline.text_before_list, outline.sections[: 2 if outline.title else 1])]
    parts += [
        outline.lines[section.start : section.own]
        for section in outline.sections
        if section.role == "goal"
    ]
    goal = "\n\n".join(filter(None, map(_paragraphs, parts)))
    if len(goal) > _GOAL_CHARACTERS:
        goal = goal[:_GOAL_CHARACTERS].rpartition("\n")[0] or goal[:_GOAL_CHARACTERS]
    return goal.strip()


def _paragraphs(lines: Iterable[str]) -> str:
    """Return text without its label, and without a last line that only announces a list."""
    kept = (line for line in lines if not RULE.match(line) and not _UNDERLINE.match(line))
    text = _GOAL_LABEL.sub("", "\n".join(kept).strip(), count=1)
    before, _, last = text.rpartition("\n\n")
    return before.rstrip() if last.endswith((":", "：")) else text


def _first_sentence(text: str) -> str:
    line = text.partition("\n")[0]
    mark = read_mark(line)
    sentences = _SENTENCE_END.split(plain_text(mark.text if mark else line), maxsplit=1)
    return sentences[0].rstrip(_AT_END)


# The tasks


def _items(outline: Outline) -> list[Item]:
    """Return the tasks by the first reading that finds any."""
    readings = (
        _step_headings(outline),
        _lists_of(outline, "steps", ("ordered",)),
        _lists_of(outline, "approach", ("ordered",)),
        _longest_list(outline),
        _boxes(outline),
        _lists_of(outline, "steps", ("box", "bullet")),
        _lists_of(outline, "approach", ("box", "bullet")),
        _lists_by_heading(outline),
        _plain_headings(outline),
        _lists_of(outline, "goal", ("ordered", "box")),
    )
    return next(filter(None, map(list, readings)), [])


def _is_work(section: Section) -> bool:
    """Return whether a section may have tasks."""
    return section.part not in ("goal", "context", "verify")


def _step_headings(outline: Outline) -> Iterator[Item]:
    """Yield the headings that are steps: numbered ones, or those below a heading of steps."""
    named = _named_steps(outline)
    steps = dict.fromkeys(
        section
        for section in outline.sections
        if (section.step and section.parent and _is_work(section.parent)) or section in named
    )
    if len(steps) == 1 and not next(iter(steps)).part:
        return
    tasks = [section for section in steps if not _is_detail(section, steps)]
    divided = {section.parent for section in tasks}
    for section in tasks:
        if section not in divided:
            yield from _step(outline, section)


def _named_steps(outline: Outline) -> set[Section]:
    """Return the headings without a number right below a heading of steps.

    There are none beside another heading of steps, or where the steps are a numbered list.
    """
    below: dict[Section, list[Section]] = {}
    for section in outline.sections:
        parent = section.parent
        if parent and parent.role == "steps" and not section.is_bold and not section.step:
            below.setdefault(parent, []).append(section)
    named: set[Section] = set()
    for parent, sections in below.items():
        roles = [section.role for section in sections]
        least = _FEW if outline.items(parent, ("bullet",)) else 1
        is_listed = bool(outline.items(parent, ("ordered", "box")))
        if roles.count("") >= least and "steps" not in roles and not is_listed:
            named.update(each for each in sections if not each.role or each.is_about_tests)
    return named


def _is_detail(section: Section, steps: Collection[Section]) -> bool:
    """Return whether a step belongs to the description of one above it.

    The steps below a phase, or below a heading or a mere number, are tasks of their own.
    """
    above = section.parent
    while above:
        is_divisible = above.is_phase or above.step in ("", "number")
        is_below_step = section.is_bold and not above.is_phase
        if above in steps and (is_below_step or not is_divisible):
            return True
        above = above.parent
    return False


def _step(outline: Outline, section: Section) -> list[Item]:
    """Return the numbered items of a phase or of a part without a number, else its heading."""
    if section.is_phase or not section.step:
        items = outline.items(section, ("ordered", "box"))
        if len(items) >= _FEW:
            return items
    return [_heading_item(outline, section)]


def _heading_item(outline: Outline, section: Section) -> Item:
    title = without_number(section.title, is_heading=True)
    return Item(title, outline.lines[section.start : section.end])


def _lists_of(outline: Outline, role: Role, kinds: Sequence[Kind]) -> Iterator[Item]:
    for section in outline.sections:
        if section.part == role:
            yield from outline.items(section, kinds)


def _longest_list(outline: Outline) -> Iterator[Item]:
    """Yield the longest list with numbers, and those below the siblings of its heading."""
    lists = {
        section: items
        for section in outline.sections
        if _is_work(section) and len(items := outline.items(section, ("ordered",))) >= _FEW
    }
    if not lists:
        return
    longest = max(lists, key=lambda section: len(lists[section]))
    for section, items in lists.items():
        if section.parent is longest.parent and section.level == longest.level:
            yield from items


def _boxes(outline: Outline) -> Iterator[Item]:
    for section in filter(_is_work, outline.sections):
        yield from outline.items(section, ("box",))


def _lists_by_heading(outline: Outline) -> Iterator[Item]:
    """Yield one task for each heading with a list; of a single list, its items."""
    lists = {
        section: items
        for section in filter(_is_work, outline.sections)
        if (items := outline.items(section, ("ordered", "bullet")))
    }
    for section, items in lists.items():
        if len(lists) == 1:
            yield from items
        elif section.level:
            body = outline.lines[section.start : section.own]
            yield _heading_item(outline, section)._replace(body=body)


def _plain_headings(outline: Outline) -> Iterator[Item]:
    """Yield the headings right below the title that say something and name no part of a plan."""
    sections = [
        section
        for section in outline.sections
        if section.level > 1
        and not section.is_bold
        and section.parent
        and section.parent.level <= 1
        and _is_work(section)
        and any(outline.lines[section.start : section.end])
    ]
    if len(sections) >= _FEW:
        yield from (_heading_item(outline, section) for section in sections)


def _task(item: Item) -> NewTask | None:
    """Return the task of an item; None if it says nothing."""
    line, rest = _split_name(without_number(item.line.strip()))
    is_bold = item.line.startswith(("**", "__"))  # the number may be inside
    name = (without_number(plain_text(line)) if is_bold else plain_text(line)).rstrip(_AT_END)
    body = [rest, *item.body] if rest else item.body
    if len(name) > NAME_CHARACTERS:
        body = [item.line.strip(), *item.body]
        name = shorten_name(name)
    description = _describe(body)
    name = name or default_title(_first_sentence(description))
    checks = _own_checks(name, item)
    return NewTask(name, description=description, checks=checks) if name else None


def _split_name(line: str) -> tuple[str, str]:
    """Split the line of a task into its name and what is said about it.

    Text in bold at the beginning is the name, unless it is only a label such as `API:`.
    """
    begin = _FEW
    lead = _LEAD.match(line)
    if lead and (lead["sign"] is not None or lead["name"].endswith((":", "：", "."))):
        is_label = lead["name"].isascii() and len(lead["name"].split()) <= _FEW_WORDS
        if not lead["rest"] or not is_label:
            rest = f"({lead['rest']}" if (lead["sign"] or "").endswith("(") else lead["rest"]
            return lead["name"], rest
        begin = lead.start("rest")
    if len(line) > _LONG_NAME:
        for end in _SENTENCE_END.finditer(line, begin, begin + 2 * _LONG_NAME):
            if line.count("`", 0, end.start()) % 2 == 0:
                return line[: end.start()], line[end.end() :]
    return line, ""


def _describe(lines: Iterable[str]) -> str:
    """Return the text below a task."""
    body = [line for line in lines if not RULE.match(line)]
    is_flush = bool(body) and not body[0].startswith(" ")
    text = dedent("\n".join(body[is_flush:]))
    if is_flush:
        text = f"{body[0]}\n{text}"
    return text.strip().encode()[:TEXT_BYTES].decode(errors="ignore").strip()


def _whole_task(title: str, lines: Sequence[str]) -> NewTask:
    text = _describe(lines)
    name = title or default_title(_first_sentence(text.lstrip("# ")))
    if not any(map(str.isalnum, name)):
        name = _UNTITLED
    return NewTask(name, description="" if text == name else text)


# The checks


def _commands(outline: Outline) -> list[str]:
    """Return the commands below headings such as Verification."""
    lines = (
        line
        for section in outline.sections
        if section.part == "verify"
        for line in (*outline.lines[section.start : section.own], "")
    )
    return [*dict.fromkeys(find_check_commands(lines))]


def _with_checks(tasks: Sequence[NewTask], commands: Sequence[str]) -> tuple[NewTask, ...]:
    """Propose the commands of the plan as checks of its last task.

    Of the last two, it is the one that verifies.
    """
    if not tasks or not commands:
        return tuple(tasks)
    verifying = [_VERIFYING.match(task.name) is not None for task in tasks[-_FEW:]]
    last = len(tasks) - (2 if verifying == [True, False] else 1)
    rules = dict.fromkeys([*tasks[last].checks, *(Check("command", rule) for rule in commands)])
    changed = replace(tasks[last], checks=tuple(rules)[:_MOST_CHECKS])
    return (*tasks[:last], changed, *tasks[last + 1 :])


def _own_checks(name: str, item: Item) -> tuple[Check, ...]:
    """Return what a task that verifies tells to run, or what others say in a line about that."""
    lines = [item.line, *item.body]
    if _VERIFYING.match(name) is None:
        lines = [line for line in item.body if _CHECK_LINE.match(line)]
    rules = [*filter(is_check_command, [name]), *find_check_commands(lines)]
    return tuple(Check("command", rule) for rule in dict.fromkeys(rules))[:_MOST_CHECKS]
