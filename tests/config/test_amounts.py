"""X4: budgets as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.config.amounts import parse_amount, parse_budget
from outlast.errors import InvalidSetting
from outlast.language import explain
from outlast.model.budget import AMOUNTS, Budget


@pytest.mark.parametrize(
    ("written", "budget"),
    [
        ("tokens=200k", Budget(tokens=200_000)),
        ("tokens=1.5M", Budget(tokens=1_500_000)),
        ("tokens=1.5m,model_calls=3", Budget(tokens=1_500_000, model_calls=3)),
        ("money=$2", Budget(money=2.0)),
        ("money=0.25, tool_calls=7", Budget(money=0.25, tool_calls=7)),
        ("time=90", Budget(time=90.0)),
        ("time=30m", Budget(time=1_800.0)),
        (" time = 2h ,replans=0", Budget(time=7_200.0, replans=0)),
        ("time=1.5d", Budget(time=129_600.0)),
    ],
)
def test_x4_a_budget_is_read_as_people_write_it(written: str, budget: Budget) -> None:
    assert parse_budget(written) == budget


@pytest.mark.parametrize(
    "written",
    [
        "",
        "tokens",
        "tokens=",
        "tokens=-1",
        "tokens=1.2",
        "tokens=1e9",
        "tokens=٣",
        "tokens=1,tokens=2",
        "tokens=1,",
        "seconds=3",
        "money=2$",
        "money=nan",
        "time=1w",
        "seconds=inf",
        "tokens=" + "9" * 30,
    ],
)
def test_x4_what_is_no_budget_is_refused_with_an_example(written: str) -> None:
    with pytest.raises(InvalidSetting) as caught:
        parse_budget(written)
    assert "tokens=200k,money=2,time=30m" in explain(caught.value)


@given(st.sampled_from(AMOUNTS), st.text())
def test_x4_no_text_breaks_the_reading(name: str, written: str) -> None:
    amount = parse_amount(name, written)
    assert amount is None or amount >= 0


@given(st.integers(0, 10**12))
def test_x4_whole_numbers_stay_what_they_are(number: int) -> None:
    assert parse_budget(f"tokens={number}") == Budget(tokens=number)
