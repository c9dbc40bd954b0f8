"""X4: arithmetic of budgets."""

from outlast.model.budget import Budget, Spend, free_reservation, update_budget


def test_x4_limits_that_are_given_replace_the_known_ones() -> None:
    known = Budget(model_calls=5, tokens=100)
    assert update_budget(known, Budget(tokens=7, money=1.5)) == Budget(5, 7, 1.5)


def test_x4_a_reservation_is_replaced_by_what_was_spent() -> None:
    left = Budget(model_calls=1, tokens=100)
    assert free_reservation(left, Spend(1, 50), Spend(1, 20)) == Budget(model_calls=1, tokens=130)
