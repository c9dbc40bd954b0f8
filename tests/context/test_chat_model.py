"""What a reply has cost."""

import pytest

from outlast.context.chat_model import Price, Usage


def test_x4_tokens_are_counted_in_both_directions_and_paid_by_the_million() -> None:
    usage = Usage(input=3_000, output=1_000)
    assert usage.tokens == 4_000
    assert Price(2.0, 10.0).cost(usage) == pytest.approx(0.016)
