"""X5: few tokens for the plan itself, counted with a real tokenizer on a real run."""

from bench import tokens
from bench.bookkeeping import OURS, STYLES, outlast, re_read_file, todo_write
from bench.tokenizer import tokens as count


def test_x5_the_goals_hold_at_small_figures() -> None:
    found = tokens.measure((5, 20))
    text = tokens.report(found)
    assert "**missed**" not in text
    assert text.endswith("0 missed.")
    assert all(f"| {style} " in text for style in STYLES)


def test_x5_what_a_step_costs_stays_the_same_and_a_list_does_not() -> None:
    assert outlast(200).fresh < outlast(20).fresh * 1.2
    assert todo_write(200).fresh > todo_write(20).fresh * 8
    assert re_read_file(200).fresh > re_read_file(20).fresh * 5
    assert outlast(200).needed < outlast(20).needed * 1.1


def test_x5_a_run_of_ours_is_a_plan_that_is_carried_out() -> None:
    account = STYLES[OURS](5)
    assert account.steps == 5
    assert account.resident > account.needed > account.standing - 1


def test_x5_the_tokenizer_is_the_real_one() -> None:
    assert count("hello world") == 2
    assert count("tiktoken is great!") == 6
