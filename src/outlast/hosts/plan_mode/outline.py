"""The outline of a plan in free Markdown: its sections with what they are about, and its lists.

Headings are those of Markdown, and lines in bold that name a step or a part of a plan.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from outlast.documents.markdown import outline
from outlast.documents.markdown.blocks import Blocks
from outlast.documents.markdown.outline import TAB, Heading, Kind, Mark, read_heading, read_sections

if TYPE_CHECKING:
    from collections.abc import Sequence


Role = Literal["", "goal", "steps", "approach", "verify", "context"]

_LONGEST_LINE: Final = 4_000  # characters of a line that are read without Markdown
_LONGEST_HEADING: Final = 300
_BOLD_LEVEL: Final = 7  # of a heading in bold, below all others

_HAN: Final = "一二三四五六七八九十"
_BOLD: Final = re.compile(r" {0,3}(\*\*|__)(?=\S)(.{1,200}?)\1\s*[:：]?\s*$")
_UNDERLINE: Final = re.compile(r" {0,3}(?:(=)={2,}|-{3,})$")
RULE: Final = re.compile(r" {0,3}(?:[-*_]\s*){3,}$")
_FRONT_MATTER: Final = 50  # lines
_STEP_WORD: Final = re.compile(
    r"(?P<word>step|task|change|part|commit|pr|item|phase|stage|milestone)\s*#?"
    r"(?:[0-9]{1,3}(?:\.[0-9]{1,3})*[a-z]?|[ivx]{1,4}\b|[a-e]\b)\s*(?:[:：.)–—-]\s*|\s+[–—-]+\s+|$)"
    rf"|第\s*(?:[0-9]{{1,3}}|[{_HAN}]{{1,3}})\s*(?P<zh>步骤?|阶段|部分|项"
    rf"|个?任务)\s*[:：、.,，–—-]*\s*"
    rf"|(?P<zh_first>步骤|阶段|任务|步)\s*(?:[0-9]{{1,3}}|[{_HAN}]{{1,3}})\s*[:：、.)）–—-]*\s*",
    re.IGNORECASE,
)
_NUMBER: Final = (
    r"[0-9]{1,3}(?:\.[0-9]{1,3})*(?:[.)）、:：．]\s*(?![0-9])|\s+[–—-]+\s+)"
    rf"|[(（](?:[0-9]{{1,3}}|[{_HAN}]{{1,3}})[)）]\s*|[{_HAN}]{{1,3}}[、．.]\s*|[①-⑳]\s*"
    r"|[A-H][.)]\s+"
)
_NUMBERED: Final = re.compile(_NUMBER)
_NUMBERED_HEADING: Final = re.compile(rf"{_NUMBER}|[0-9]{{1,3}}(?:\.[0-9]{{1,3}})+\s+")
_BOX: Final = re.compile(r"\[[ xX]?\]\s+")
_BULLET: Final = re.compile(r"[-*+•]\s+")
_ITEM_NUMBER: Final = re.compile(
    rf"[0-9]{{1,3}}(?:[.)]\s+|[）、．]\s*)|[(（](?:[0-9]{{1,3}}|[{_HAN}]{{1,3}})[)）]\s*"
    rf"|[{_HAN}]{{1,3}}[、．]\s*|[①-⑳]\s*"
    rf"|第\s*(?:[0-9]{{1,3}}|[{_HAN}]{{1,3}})\s*步\s*[:：、.,，]\s*"
    r"|(?:step|phase|task)\s+[0-9]{1,3}\s*[:：.)–—-]\s*",
    re.IGNORECASE,
)
_EMPHASIZED: Final = re.compile(r"(?:\*\*|__)(?=[0-9(（第stp一二三四五六七八九十])", re.IGNORECASE)
_PHASES: Final = frozenset(("phase", "stage", "milestone", "阶段", "部分"))
_ROLE_WORDS: Final[dict[Role, str]] = {
    "context": """notes note files file risks risk considerations consideration assumptions
        assumption references reference alternatives dependencies rollback edge cases scope
        non-goals nongoals constraints trade-offs tradeoffs decisions decision architecture state
        findings questions mitigations mitigation limitations future reuse reuses existing gotchas
        appendix migration-notes resources concerns caveats compatibility security performance
        timeline estimate estimates effort patterns utilities structure layout design analysis
        research diagram schema""",
    "verify": """verification verify verifying testing test tests validation validate validating qa
        acceptance success definition checks check""",
    "steps": """steps step implementation implement changes change tasks task plan todo todos to-do
        to-dos actions action work phases phase milestones stages execution roadmap modifications
        edits fixes fix items checklist breakdown order sequence""",
    "approach": "approach strategy solution proposal proposed-solution",
    "goal": """overview context goal goals objective objectives summary background problem purpose
        motivation introduction intro why what aim aims description issue statement requirements
        requirement tldr""",
}
_ROLES: Final = {word: role for role, words in _ROLE_WORDS.items() for word in words.split()}
_GLUE_WORDS: Final = """the a an and or of to for in on by with this that proposed detailed detail
    details key main critical high-level high level step-by-step required needed code modify
    modified create created touch edit add new current open out end-to-end manual automated unit
    integration e2e criteria strategy done relevant important affected concrete specific technical
    final overall suggested recommended user how we it my our quick brief short follow-up potential
    possible project feature development"""
_GLUE: Final = frozenset(_GLUE_WORDS.split())
_ZH_ROLES: Final[tuple[tuple[Role, re.Pattern[str]], ...]] = (
    (
        "context",
        re.compile(
            "备注|注意|风险|文件|参考|假设|约束|范围|开放问题|依赖|回滚|架构|决策|现状|附录"
            "|兼容性?|权衡|事项"
        ),
    ),
    ("verify", re.compile("验证|测试|检验|验收|检查")),
    ("goal", re.compile("目标|概述|背景|目的|上下文|简介|需求|问题|概要|摘要|总结|说明|描述")),
    (
        "steps",
        re.compile(
            "步骤|实施|实现|任务|改动|修改|变更|计划|执行|开发|待办|流程|工作|阶段|清单|列表"
        ),
    ),
    ("approach", re.compile("方案|思路|方法|策略")),
)
_ZH_GLUE: Final = re.compile(
    r"[的与和及、/&+\s]|关键|相关|涉及|主要|具体|详细|需要|如何|影响|可能|标准|内容|总体|整体|手动"
    r"|自动|单元|集成"
)
_LATIN_WORD: Final = re.compile(r"[a-z][a-z0-9-]*")
_TESTS: Final = re.compile(  # what people write, and not only what they run
    r"(?:(?:add|write|update|the|new|unit|integration|e2e|end-to-end|and|&)\s+)*tests?|testing"
    r"|(?:编写|补充|单元)?测试",
    re.IGNORECASE,
)
_WHOLE_PLAN: Final = re.compile(  # a first heading that is no title
    r"(?:(?:the|implementation|project|development|execution|detailed|proposed|final|approved"
    r"|technical)"
    r"\s+)*(?:plan|steps|tasks|todos?|implementation|changes|approach|proposal)"
    r"|(?:实施|实现|开发|执行|重构|技术)?(?:计划|方案|步骤|任务)",
    re.IGNORECASE,
)
_PLAN_PREFIX: Final = re.compile(
    r"(?:(?:the\s+|implementation\s+|approved\s+|final\s+|detailed\s+|development\s+"
    r"|execution\s+)*plan"
    r"(?:\s*[:：–—-]+\s*|\s+(?:for|to)\s+)|(?:实施|实现|开发|执行|重构)?(?:计划|方案|任务"
    r"|需求)\s*[:：–—-]+\s*|(?:task|feature)\s*[:：]\s*)(?=\S)",
    re.IGNORECASE,
)
_CODE: Final = re.compile(r"(`{1,3})(?!`)(.+?)(?<!`)\1(?!`)")
_LINK: Final = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:\s+\"[^\"]*\")?\)")
_COMMENT: Final = re.compile(r"<!--.*?-->|<br\s*/?>", re.IGNORECASE)
_STRONG: Final = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_STARS: Final = re.compile(r"(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?![\w*])")
_LINES: Final = re.compile(r"(?<![\w_])_(?=\S)([^_]+?)(?<=\S)_(?![\w_])")
_STRUCK: Final = re.compile(r"~~(.+?)~~")
_STRAY: Final = re.compile(r"\*\*|(?<!\w)__|__(?!\w)")
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_MARKUP: Final = re.compile(
    r"[`*_\[<~\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)


class Section(outline.Section):
    """A section, and what makes it a step: `number`, or a word such as `phase`."""

    role: Role = ""
    step: str = ""

    @property
    def part(self) -> Role:
        """The role of the nearest section at or above it that has one."""
        section: Section | None = self
        while section and not section.role:
            section = section.parent
        return section.role if section else ""

    @property
    def is_phase(self) -> bool:
        """Whether it may hold several steps."""
        return self.step in _PHASES

    @property
    def is_bold(self) -> bool:
        """Whether it is a line in bold and no heading of Markdown."""
        return self.level == _BOLD_LEVEL

    @property
    def is_about_tests(self) -> bool:
        """Whether it is about tests to write or to run."""
        return _TESTS.fullmatch(plain_text(self.title)) is not None


class Item(NamedTuple):
    """An item of a list: its first line without the marker, and the lines below it."""

    line: str
    body: list[str]


class Outline:
    """The sections of a text; the first one has no heading."""

    def __init__(self, text: str) -> None:
        """Read a text, in which lone surrogates are replaced."""
        clean = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        lines = _without_front_matter(clean.splitlines())
        self.lines = [line.expandtabs(TAB).rstrip() for line in lines]
        self._blocks = Blocks(self.lines)
        self._lists: dict[Section, tuple[Kind, list[Item]]] = {}
        self.sections = read_sections(
            Section, self.lines, self._blocks, self._heading_at, read_mark
        )
        has_title = [section.level for section in self.sections].count(1) == 1
        for number, section in enumerate(self.sections[1:]):
            is_title = number == 0 and (
                (has_title and section.level == 1) or _PLAN_PREFIX.match(section.title) is not None
            )
            if not is_title or _names_goal(section.title):
                _classify(section)

    def _heading_at(self, index: int) -> Heading | None:
        line = self.lines[index]
        heading = read_heading(line)
        if heading:
            return heading._replace(title=heading.title[:_LONGEST_HEADING].rstrip("# "))
        if self._is_underlined(index):
            level = 1 if "=" in self.lines[index + 1] else 2
            return Heading(level, line.strip()[:_LONGEST_HEADING])
        match = _BOLD.match(line)
        if match is None:
            return None
        title = match[2].strip().rstrip(":：")
        return Heading(_BOLD_LEVEL, title) if _step_word(title) or _role(title) else None

    def _is_underlined(self, index: int) -> bool:
        """Return whether a line is a paragraph of one line that the next line underlines."""
        line, following = self.lines[index], self.lines[index + 1 : index + 2]
        if not following or not _UNDERLINE.match(following[0]):
            return False
        is_alone = index == 0 or not self.lines[index - 1]
        return is_alone and not read_mark(line) and not _UNDERLINE.match(line)

    @cached_property
    def title(self) -> str:
        """The title in the first heading; empty if it is none."""
        for section in self.sections[1:2]:
            title = plain_text(section.title)
            is_part = (
                section.role or section.step or section.is_bold or _WHOLE_PLAN.fullmatch(title)
            )
            if not is_part:
                name = _PLAN_PREFIX.sub("", title, count=1)
                return f"{name[:1].upper()}{name[1:]}"
        return ""

    def items(self, section: Section, kinds: Sequence[Kind]) -> list[Item]:
        """Return the items at the top of the list in a section, if it is of one of these kinds."""
        if section not in self._lists:
            self._lists[section] = self._read_list(section)
        kind, items = self._lists[section]
        return items if kind in kinds else []

    def _read_list(self, section: Section) -> tuple[Kind, list[Item]]:
        if not section.marks:
            return "bullet", []
        base = min(mark.indent for mark in section.marks.values())
        top = [(index, mark) for index, mark in section.marks.items() if mark.indent <= base + 1]
        kind = _kind_of([mark for _, mark in top])
        is_ordered = kind == "ordered"
        top = [(index, mark) for index, mark in top if (mark.kind == "ordered") == is_ordered]
        ends = [*(index for index, _ in top[1:]), self._list_end(top[-1][0], section.own)]
        return kind, [
            Item(mark.text, self.lines[index + 1 : end])
            for (index, mark), end in zip(top, ends, strict=True)
        ]

    def _list_end(self, last: int, end: int) -> int:
        """Return where the last item of a list ends: at text that is not indented."""
        for index in range(last + 1, end):
            line = self.lines[index]
            is_text = line and not line.startswith(" ") and index not in self._blocks.covered
            is_apart = not self.lines[index - 1] and not read_mark(line)
            if RULE.match(line) or (is_text and is_apart):
                return index
        return end

    def text_before_list(self, section: Section) -> list[str]:
        """Return the lines of a section above its first list or code block."""
        own = range(section.start, section.own)
        stops = (n for n in own if n in section.marks or n in self._blocks.covered)
        return self.lines[section.start : next(stops, section.own)]


def _classify(section: Section) -> None:
    """Find out what a section is about; a step may have the name of a part of the plan."""
    step, role = _step_word(section.title), _role(section.title)
    is_below_steps = section.parent is not None and section.parent.part == "steps"
    if role and step and (step != "number" or is_below_steps):
        role = ""
    section.role, section.step = role, "" if role else step


def read_mark(line: str) -> Mark | None:
    """Return what begins an item of a list; None if the line is none."""
    text = line.lstrip(" ")
    indent = len(line) - len(text)
    if RULE.match(line):
        return None
    bullet = _BULLET.match(text)
    if bullet:
        rest = text[bullet.end() :]
        box = _BOX.match(rest)
        return Mark("box", indent, rest[box.end() :]) if box else Mark("bullet", indent, rest)
    emphasis = _EMPHASIZED.match(text)
    begin = emphasis.end() if emphasis else 0
    number = _ITEM_NUMBER.match(text, begin)
    if number is None:
        return None
    box = _BOX.match(text, number.end())
    rest = text[box.end() if box else number.end() :]
    return Mark("ordered", indent, text[:begin] + rest.removeprefix(text[:begin]))


def _kind_of(marks: Sequence[Mark]) -> Kind:
    kinds = [mark.kind for mark in marks]
    if kinds.count("ordered") > 1 or kinds[0] == "ordered":
        return "ordered"
    return "box" if "box" in kinds else "bullet"


def _without_front_matter(lines: list[str]) -> list[str]:
    if lines[:1] == ["---"] and "---" in lines[1:_FRONT_MATTER]:
        return lines[lines.index("---", 1) + 1 :]
    return lines


def _step_word(title: str) -> str:
    """Return what a heading of a step begins with; empty if it is none."""
    text = plain_text(title)
    match = _STEP_WORD.match(text)
    if match:
        return (match["word"] or match["zh"] or match["zh_first"]).lower()
    return "number" if _NUMBERED_HEADING.match(text) else ""


def without_number(line: str, *, is_heading: bool = False) -> str:
    """Return a line without the number of a step, such as `Step 2:` or `3.`."""
    for pattern in (_STEP_WORD, _NUMBERED_HEADING if is_heading else _NUMBERED):
        match = pattern.match(line)
        if match and match.end() < len(line):
            return line[match.end() :]
    return line


def _names_goal(title: str) -> bool:
    """Return whether the title of a text is only a word such as `Goal`."""
    return _role(title) == "goal" and len(plain_text(title).split()) == 1


def _role(title: str) -> Role:
    """Return what a section of this heading is about; empty if the heading does not tell."""
    text = without_number(plain_text(title), is_heading=True)
    text = re.split("[(（]", text, maxsplit=1)[0].strip(" :：").lower()
    if not text.isascii():
        return _role_zh(text)
    words = [word for word in _LATIN_WORD.findall(text) if word not in _GLUE]
    roles = [_ROLES[word] for word in words if word in _ROLES]
    if not roles or len(roles) < len(words):
        return ""
    if roles[-1] == "goal" and "context" not in roles:
        return "goal"
    order: tuple[Role, ...] = ("context", "verify", "steps", "approach", "goal")
    return next(role for role in order if role in roles)


def _role_zh(text: str) -> Role:
    """Return the role of a Chinese heading that only has words which name roles."""
    rest, roles = _ZH_GLUE.sub("", text), []
    for role, pattern in _ZH_ROLES:
        rest, count = pattern.subn("", rest)
        roles.extend([role] * bool(count))
    return roles[0] if roles and not rest else ""


def plain_text(text: str) -> str:
    """Return a line without Markdown; the words of code stay."""
    text = text[:_LONGEST_LINE]
    if not _MARKUP.search(text):
        return " ".join(text.split())
    codes: list[str] = []

    def keep(match: re.Match[str]) -> str:
        codes.append(match[2].strip())
        return f"\x00{len(codes) - 1}\x00"

    line = _CODE.sub(keep, _COMMENT.sub(" ", text.replace("\x00", " ")))
    line = _LINK.sub(r"\1", line)
    for pattern, group in ((_STRONG, r"\2"), (_STARS, r"\1"), (_LINES, r"\1"), (_STRUCK, r"\1")):
        line = pattern.sub(group, line)
    line = _STRAY.sub("", line)
    line = re.sub("\x00([0-9]+)\x00", lambda match: codes[int(match[1])], line)
    return " ".join(_CONTROL.sub(" ", line).split())
