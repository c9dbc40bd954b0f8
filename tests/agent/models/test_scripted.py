"""The scripted model plays the first turn that fits and keeps no state."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.agent.models.scripted import ScriptedModel, Turn
from outlast.context.chat_model import Call, Message, Price, Reply, Usage
from outlast.errors import ModelFailed
from outlast.language import explain

TURNS = (Turn("two", "2", (Call("tool", {"n": 2}),)), Turn("one", "1"))
ASKED = Message("assistant", "", (Call("read_file", {"path": "a"}, "c1"),))
READ = Message("tool", '{"lines": ["x", {"n": 7}], "note": "3 passed"}', call_id="c1")


def talk(model: ScriptedModel, *messages: Message, max_tokens: int | None = None) -> Reply:
    return asyncio.run(model.think(messages, (), max_tokens=max_tokens))


def think(model: ScriptedModel, *texts: str) -> tuple[str, tuple[Call, ...]]:
    reply = talk(model, *(Message("user", text) for text in texts))
    return reply.text, reply.calls


def test_the_first_turn_that_fits_is_played() -> None:
    model = ScriptedModel(TURNS)
    assert think(model, "one") == ("1", ())
    assert think(model, "one", "and two") == ("2", (Call("tool", {"n": 2}),))
    assert think(model, "one") == ("1", ()), "it remembers nothing"


def test_a_turn_without_a_text_fits_always() -> None:
    assert think(ScriptedModel((*TURNS, Turn(say="else"))), "three") == ("else", ())


def test_a_script_without_a_fitting_turn_fails() -> None:
    with pytest.raises(ModelFailed) as caught:
        think(ScriptedModel(TURNS), "three")
    assert explain(caught.value) == "None of the script's 2 turns fits the conversation"


def test_a_turn_can_want_several_texts_and_forbid_others() -> None:
    model = ScriptedModel((Turn(("a", "b"), "both", unless=("c",)), Turn(say="else")))
    assert think(model, "a", "b") == ("both", ())
    assert think(model, "a") == ("else", ())
    assert think(model, "a b c") == ("else", ())


def test_a_turn_can_follow_a_tool() -> None:
    model = ScriptedModel((Turn(after_tool="read_file", say="read"), Turn(say="else")))
    assert talk(model, Message("user", "go"), ASKED, READ).text == "read"
    assert talk(model, Message("user", "go")).text == "else"
    other = Message("assistant", "", (Call("bash"),)), Message("tool", "ok")
    assert talk(model, ASKED, READ, *other).text == "else", "another tool came later"


def test_a_turn_is_played_so_many_times() -> None:
    model = ScriptedModel((Turn(say="again", times=2), Turn(say="enough")))
    said = [Message("user", "go")]
    for _ in range(3):
        said.append(Message("assistant", talk(model, *said).text))
    assert [message.text for message in said[1:]] == ["again", "again", "enough"]


def test_results_of_tools_can_be_used() -> None:
    call = Call("write_file", {"all": "{{read_file}}", "n": "{{read_file.lines.1.n}}"})
    turn = Turn(say="It was {{ any ~ (\\d+) passed }} of \\{{x}}", calls=(call,))
    reply = talk(ScriptedModel((turn,)), ASKED, READ)
    assert reply.text == "It was 3 of {{x}}"
    assert reply.calls[0].params == {"all": READ.text, "n": 7}


def test_the_last_user_message_can_be_used() -> None:
    turn = Turn(say="{{user ~ \\d+}} and {{read_file.lines}}")
    reply = talk(ScriptedModel((turn,)), ASKED, READ, Message("user", "make 5"))
    assert reply.text == '5 and ["x",{"n":7}]'


@pytest.mark.parametrize(
    "reference",
    ["bash", "read_file.nope", "read_file.lines.9", "read_file ~ zzz", "read_file ~ (", "a b"],
)
def test_a_reference_without_a_result_is_an_error(reference: str) -> None:
    with pytest.raises(ModelFailed) as caught:
        talk(ScriptedModel((Turn(say=f"{{{{{reference}}}}}"),)), ASKED, READ)
    assert reference in explain(caught.value)


def test_x4_words_are_counted_as_tokens() -> None:
    model = ScriptedModel((Turn(say="Two words."),), price=Price(1.0, 10.0))
    reply = talk(model, Message("user", "一二 three"))
    assert reply.usage == Usage(3, 3, money=(3 * 1.0 + 3 * 10.0) / 1_000_000)
    assert (model.name, model.price) == ("scripted", Price(1.0, 10.0))


def test_text_is_streamed_by_line() -> None:
    told: list[str] = []
    model = ScriptedModel((Turn(say="One\ntwo"),))
    asyncio.run(model.think((), (), on_text=told.append))
    assert told == ["One\n", "two"]


@given(st.text(max_size=60), st.integers(0, 12), st.booleans())
def test_x4_it_never_says_more_than_it_may(say: str, most: int, calls: bool) -> None:  # noqa: FBT001
    turn = Turn(say=say.replace("{", ""), calls=(Call("tool", {"a": say}),) if calls else ())
    reply = talk(ScriptedModel((turn,)), Message("user", say), max_tokens=most)
    assert reply.usage is not None
    assert reply.usage.output <= most
    assert reply.usage.input <= len(say.encode("utf-8", "surrogatepass"))
