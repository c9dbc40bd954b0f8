"""The scripted model plays the first turn that fits, and remembers nothing."""

import asyncio

import pytest

from outlast.adapters.models.scripted import ScriptedModel, Turn
from outlast.errors import ModelFailed
from outlast.ports.model import Call, Message, Reply
from outlast.texts import explain

TURNS = (Turn("two", "2", (Call("tool", {"n": 2}),)), Turn("one", "1"))


def think(model: ScriptedModel, *texts: str) -> Reply:
    return asyncio.run(model.think([Message("user", text) for text in texts], ()))


def test_the_first_turn_that_fits_is_played() -> None:
    model = ScriptedModel(TURNS)
    assert think(model, "one") == Reply("1")
    assert think(model, "one", "and two") == Reply("2", (Call("tool", {"n": 2}),))
    assert think(model, "one") == Reply("1"), "it remembers nothing"


def test_a_turn_without_a_text_fits_always() -> None:
    assert think(ScriptedModel((*TURNS, Turn(say="else"))), "three") == Reply("else")


def test_a_script_without_a_fitting_turn_says_so() -> None:
    with pytest.raises(ModelFailed) as caught:
        think(ScriptedModel(TURNS), "three")
    assert explain(caught.value) == "None of the 2 turns of the script fits the conversation"
