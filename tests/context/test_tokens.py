"""X5: tokens are estimated without a tokenizer, and seldom too low."""

import random
from pathlib import Path

import pytest

from bench.tokenizer import tokens
from outlast.context.tokens import estimate_tokens
from tests.context.test_plan_block import LETTERS

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("page", ["explanation.md", "tutorial.md"])
def test_x5_english_is_estimated_at_less_than_twice_its_tokens(page: str) -> None:
    text = (DOCS / page).read_text()
    assert 1 <= estimate_tokens(text) / tokens(text) < 2


def test_x5_chinese_is_estimated_at_less_than_twice_its_tokens() -> None:
    text = "下载并总结过去五年的年度报告，提取收入、利润和现金流，然后写一份比较。" * 5
    assert 1 <= estimate_tokens(text) / tokens(text) < 2


@pytest.mark.parametrize("letters", [*LETTERS, "abcdefghijklmnopqrstuvwxyz", "가걑각갆"])
def test_x5_strange_text_is_not_estimated_too_low(letters: str) -> None:
    pick = random.Random(letters)  # noqa: S311 - a made-up text
    text = "".join(pick.choices(letters, k=2_000))
    assert estimate_tokens(text) >= 0.97 * tokens(text)


def test_x5_what_a_unit_costs() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("the plan") == estimate_tokens("The Plan") == 2
    assert estimate_tokens("a  b") == 4, "several spaces are tokens of their own"
    assert estimate_tokens("1234") == 2.5
    assert estimate_tokens("the 12") == 3.5, "no digit takes the space before it along"
    assert estimate_tokens("HTTP") == 3.25
    assert estimate_tokens("qz") > estimate_tokens("th")
    assert estimate_tokens("长霄\u202e") == 1 + 2 + 3
    assert estimate_tokens("\ud800") == 1
