from bench.verdicts import at_least, at_most, judged


def test_a_limit_that_is_met_exactly_is_reached() -> None:
    assert at_most(5, 5, "{:.0f}".format) == "5 reached"
    assert at_least(5, 5, "{:.0f}".format) == "5 reached"


def test_a_goal_that_is_missed_says_so_loudly() -> None:
    assert at_most(6, 5, "{:.0f}".format) == "6 **missed**"
    assert at_least(4, 5, "{:.0f}".format) == "4 **missed**"


def test_the_goals_table_counts_verdicts_and_fills_short_rows() -> None:
    shown = judged(["one", "two"], [["a", "≤ 1", "1 reached"], ["b", "0", "2 **missed**", ""]])
    assert shown.endswith("1 of 2 reached, 1 missed.")
    assert len({line.count("|") for line in shown.splitlines() if line.startswith("|")}) == 1
