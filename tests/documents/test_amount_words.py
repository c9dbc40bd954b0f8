"""Amounts in words."""

from outlast.documents.amount_words import amount_texts, figure, limits_in, part_of_limit
from outlast.model.budget import Budget, Spend


def test_amounts_are_short() -> None:
    assert amount_texts(Spend(1, 1_234, 0.0123, 3_661, 2, 0), "en") == [
        *("1 model call", "1,234 tokens", "$0.0123", "1 h 1 min", "2 tool calls")
    ]
    assert [figure("money", 2.5, "en"), figure("time", 75, "en")] == ["$2.50", "1 min 15 s"]
    assert figure("time", 75, "zh") == "1 分 15 秒"
    assert figure("money", 0, "zh") == "$0.00"
    assert figure("time", 1.25, "en") == "1.2 s"


def test_an_amount_is_shown_as_part_of_its_limit() -> None:
    assert part_of_limit("model_calls", 3, 20, "en") == "3 of 20 model calls"
    assert part_of_limit("money", 0.5, 2, "en") == "$0.5000 of $2.00"
    assert list(limits_in(Budget(tokens=9, time=1.5))) == [("tokens", 9), ("time", 1.5)]
