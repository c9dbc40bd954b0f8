"""A5: a long text is cut in the middle of a secret, and the pieces give nothing away."""

from hypothesis import given
from hypothesis import strategies as st

from outlast.redact.secrets import REDACTED, redact
from outlast.redact.text_fields import TEXT_BYTES
from outlast.redact.truncate import head_and_tail, text_of

CANARY = "Zk7canaryQ9xv2Mb4"
KEY = f"sk-ant-api03-{CANARY}{CANARY}"
LINES = "\n".join([CANARY * 3] * 20)
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{LINES}\n-----END RSA PRIVATE KEY-----"
LETTERS = 8


def pieces(ends: tuple[str, str]) -> list[str]:
    """Return what is left of the canary once both ends have been redacted as they are."""
    safe = redact("\n[cut]\n".join(ends))
    return [CANARY[at : at + LETTERS] for at in range(9) if CANARY[at : at + LETTERS] in safe]


@given(
    secret=st.sampled_from([KEY, PEM, f'"password": "{CANARY}"', f"ghp_{CANARY}{CANARY}"]),
    before=st.integers(0, 200),
    after=st.integers(0, 200),
    half=st.integers(1, 700),
)
def test_a5_a_cut_leaves_no_piece_of_a_secret(
    secret: str, before: int, after: int, half: int
) -> None:
    value = f"{'a ' * before}\n{secret}\n{'b ' * after}"
    assert pieces(head_and_tail(value, min(half, len(value)))) == []


def test_a5_without_a_secret_in_the_way_nothing_changes() -> None:
    value = f"{KEY} {'x ' * 20_000} {KEY}"
    assert head_and_tail(value, 10_000) == (value[:10_000], value[-10_000:])


def test_a5_a_secret_that_is_cut_is_redacted() -> None:
    value = f"{'x' * 9_000} {KEY} {'y' * 9_000}"
    head, _ = head_and_tail(value, 9_012)
    _, tail = head_and_tail(value, 9_020)
    assert (head.count(REDACTED), tail.count(REDACTED)) == (1, 1)
    assert (len(head), len(tail)) == (9_012, 9_020)


def test_a5_a_goal_is_stored_redacted_and_within_the_limit_of_a_text() -> None:
    assert text_of(f"use {KEY} today") == f"use {REDACTED} today"
    long = text_of("语" * TEXT_BYTES + KEY)
    assert len(long.encode()) <= TEXT_BYTES
    assert CANARY not in text_of("x" * (TEXT_BYTES - 90) + KEY)


def test_a5_a_text_that_is_shorter_than_its_ends_stays_whole() -> None:
    assert head_and_tail("abc", 5) == ("abc", "abc")
    assert head_and_tail("abcdef", 2) == ("ab", "ef")
