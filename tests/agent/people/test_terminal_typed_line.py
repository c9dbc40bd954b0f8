"""What a person types, key by key."""

import pytest

from outlast.agent.people.terminal import TypedLine


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (b"skip\n", "skip"),
        (b"skop\x7f\x7fip\r", "skip"),
        (b"\x08\x7fa\n", "a"),
        ("跳过\n".encode(), "跳过"),
        ("e\u0301\x7fa\n".encode(), "a"),
        (b"all of it\x15again\n", "again"),
        (b"one two  \x17three\n", "one three"),
        (b"one\x17two\n", "two"),
        (b"a\x1b[Db\x1b[1;5Cc\x1bOHd\x1bxe\n", "abcde"),
        (b"a\tb\x01c\x04d\n", "abcd"),
        (b"\n", ""),
        (b"\x04", ""),
        (b"first\nsecond\n", "first"),
        (b"\xff\n", "\ufffd"),
    ],
)
@pytest.mark.parametrize("size", [1, 100])
def test_r1_06_keys_make_a_line(keys: bytes, text: str, size: int) -> None:
    line = TypedLine()
    for start in range(0, len(keys), size):
        assert not (line.is_ended and start == 0)
        line.feed(keys[start : start + size])
    assert (line.text, line.is_ended) == (text, True)


def test_r1_06_an_endless_answer_is_cut() -> None:
    line = TypedLine()
    line.feed(b"x" * 9_999)
    assert (len(line.text), line.is_ended) == (4_000, False)
