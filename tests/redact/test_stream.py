"""A5: secrets in streamed pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.redact.secrets import redact
from outlast.redact.stream import StreamRedactor
from tests.attacks.leaky_agent import CANARY, KEY, NAMED, PEM

SAID = (
    *(
        "Well.\n",
        "It is ",
        f"{KEY} now\n",
        f"{NAMED}, so\n",
        f"{PEM}\n",
        "- one\n- two\n",
        "token: ",
    ),
    *(f"password: |\n  {CANARY}\n", f'"name": "TOKEN",\n"value": "{CANARY}"\n', "\n", "the end"),
)
texts = st.lists(st.sampled_from(SAID), max_size=8).map("".join)


@given(text=texts, size=st.integers(1, 40))
def test_a5_in_whatever_pieces_something_is_said_no_secret_is_told(text: str, size: int) -> None:
    speech = StreamRedactor()
    told = [speech.add(text[at : at + size]) for at in range(0, len(text), size)]
    if CANARY not in redact(text):
        assert CANARY not in "".join((*told, speech.flush()))


@pytest.mark.parametrize("between", ["\n", ",\n", "\r\n", "\n\n"])
@pytest.mark.parametrize("size", [1, 7, 100])
def test_a5_the_second_half_of_a_key_in_the_next_line_is_not_told(between: str, size: int) -> None:
    half = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzzzz"
    speech, text = StreamRedactor(), f"it is AKIA{'Q7' * 8}{between}{half}\nso there\n"
    told = [speech.add(text[at : at + size]) for at in range(0, len(text), size)]
    assert half not in redact(text)
    said = "".join((*told, speech.flush()))
    assert half not in said
    assert said.startswith("it is ")
    assert "[redacted]" in said
    assert said.endswith("so there\n")


def test_a5_what_cannot_hold_a_secret_is_told_at_once() -> None:
    speech = StreamRedactor()
    pieces = ["I lo", "ok around.\nThen ", "I write it", " down."]
    assert [speech.add(one) for one in pieces] == pieces
    assert speech.flush() == ""


def test_a5_a_line_that_can_is_told_when_it_is_over() -> None:
    speech = StreamRedactor()
    assert [speech.add(one) for one in ("a task", "-like", " thing\n", "b")] == [
        *("a task", "", "-like thing\n", "b")
    ]
