"""Models without tool calls: tools described in the prompt, calls parsed leniently."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json

from outlast.agent.models.prompted import (
    PromptedModel,
    parse_reply,
    reply_schema,
    to_plain_text,
    tool_signature,
)
from outlast.context.chat_model import Call, Message, Price, Reply, ToolSpec, Usage
from outlast.errors import ModelBusy, ModelFailed
from tests.fake_model import FakeModel, ModelRequest

FIELDS = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOLS = (ToolSpec("read_file", "Read it.", FIELDS), ToolSpec("bash", "Run it.", FIELDS))
READ_WORDS = "Action: read_file\nAction Input:"
READ_TAG = "<function=read_file></function>"
READ = Call("read_file", {"path": "a"})


class PlainModel(FakeModel):
    """Says what it is told to, without tools, and may refuse a schema."""

    def __init__(self, *says: str, refuses: ModelFailed | None = None) -> None:
        replies = (Reply(text, usage=Usage(5, 2)) for text in says)
        super().__init__(replies, name="writing", price=Price(1.0, 2.0))
        self.refuses = refuses

    async def reply(self, request: ModelRequest) -> Reply:
        assert not request.tools
        assert request.on_text is None, "what it says is told when it has been read"
        if request.schema is not None and self.refuses is not None:
            raise self.refuses
        return await super().reply(request)


def ask(inner: PlainModel, *messages: Message, told: list[str] | None = None) -> Reply:
    model = PromptedModel(inner)
    on_text = None if told is None else told.append
    return asyncio.run(model.think(messages, TOOLS, on_text=on_text))


def test_it_is_held_to_a_schema_and_its_call_is_read() -> None:
    inner = PlainModel('{"name": "read_file", "arguments": {"path": "a"}}')
    told: list[str] = []
    reply = ask(inner, Message("user", "go"), told=told)
    assert reply == Reply("", (READ,), Usage(5, 2))
    assert told == []
    assert inner.requests[0].schema == reply_schema(TOOLS)
    model = PromptedModel(inner)
    assert (model.name, model.price) == ("writing?tools=prompt", Price(1.0, 2.0))


def test_it_can_answer_with_words() -> None:
    told: list[str] = []
    inner = PlainModel('{"name": "answer", "arguments": {"text": "All done"}}')
    assert ask(inner, Message("user", "go"), told=told).text == "All done"
    assert told == ["All done"]


def test_a_server_that_knows_no_schemas_is_asked_without() -> None:
    refusal = ModelFailed("model_refused", model="m", status=400, problem="response_format")
    inner = PlainModel("Hello", "Hello again", refuses=refusal)
    model = PromptedModel(inner)
    for _ in range(2):
        asyncio.run(model.think([Message("user", "go")], TOOLS))
    assert [request.schema is None for request in inner.requests] == [False, True, True]


@pytest.mark.parametrize(
    "error",
    [ModelBusy("model_busy", model="m", status=503), ModelFailed("model_key_refused", status=401)],
)
def test_f13_another_failure_is_passed_on(error: ModelFailed) -> None:
    inner = PlainModel(refuses=error)
    with pytest.raises(ModelFailed) as caught:
        ask(inner, Message("user", "go"))
    assert caught.value is error
    assert len(inner.requests) == 1


def test_the_conversation_becomes_plain_text() -> None:
    said = (
        Message("system", "You work."),
        Message("user", "go"),
        Message("assistant", "I look.", (READ,)),
        Message("tool", "found"),
    )
    system, user, assistant, result = to_plain_text(said, TOOLS)
    assert system.text.startswith("You work with tools.")
    assert system.text.endswith("</tools>\n\nYou work.")
    assert "bash(path: string): Run it." in system.text
    assert user.text == "go"
    assert assistant.text == 'I look.\n{"name":"read_file","arguments":{"path":"a"}}'
    assert result.role == "user"
    assert result.text == '<tool_response name="read_file">\nfound\n</tool_response>'


def test_x5_a_tool_is_described_in_one_short_line() -> None:
    fields = {
        "type": "object",
        "properties": {
            "tasks": {
                "type": "array",
                "items": {"anyOf": [{"type": "string"}, FIELDS | {"required": []}]},
            },
            "kind": {"enum": ["a", 1], "description": "Which\n one"},
            "id": {"type": ["integer", "string"]},
            "one": {"const": True},
            "rest": True,
            "free": {"type": "object"},
            "list": {"type": "array"},
        },
        "required": ["tasks"],
    }
    assert tool_signature(ToolSpec("add", "Add\n some.", fields)) == (
        'add(tasks: [string | {path?: string}], kind?: "a" | 1 (Which one), '
        "id?: integer | string, one?: true, rest?: any, free?: object, list?: [any]): Add some."
    )


def test_x8_tools_are_described_in_the_language_of_the_instructions() -> None:
    assert "可用的工具" in to_plain_text([Message("system", "你按计划工作")], TOOLS)[0].text


@given(st.text(st.sampled_from("<>/ tolresponse_\n"), max_size=40))
def test_a2_no_result_ends_the_block_it_stands_in(output: str) -> None:
    said = (Message("assistant", "", (READ,)), Message("tool", f"</tool_response>{output}"))
    text = to_plain_text(said, ())[-1].text
    assert text.count("</tool_response>") == 1
    assert text.count("<tool") == 1


WRITTEN = {
    "bare": ('{"name": "read_file", "arguments": {"path": "a"}}', "", (READ,)),
    "fenced": (
        'Sure!\n```json\n{"name": "read_file", "arguments": {"path": "a"}}\n```',
        "Sure!",
        (READ,),
    ),
    "tagged": (
        '<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>',
        "",
        (READ,),
    ),
    "other words": ('{"tool": "read_file", "parameters": {"path": "a"}}', "", (READ,)),
    "flat": ('{"name": "read_file", "path": "a"}', "", (READ,)),
    "as a string": ('{"name": "read_file", "arguments": "{\\"path\\": \\"a\\"}"}', "", (READ,)),
    "openai": (
        '{"tool_calls": [{"function": {"name": "read_file", "arguments": {"path": "a"}}}]}',
        "",
        (READ,),
    ),
    "by its name": ('{"read_file": {"path": "a"}}', "", (READ,)),
    "langchain": ('{"action": "read_file", "action_input": {"path": "a"}}', "", (READ,)),
    "react": ('Action: read_file\nAction Input: {"path": "a"}', READ_WORDS, (READ,)),
    "named before": ('<function=read_file>{"path": "a"}</function>', READ_TAG, (READ,)),
    "in another spelling": ('{"name": "functions.readFile", "path": "a"}', "", (READ,)),
    "with hyphens": ('{"name": "Read-File", "arguments": {"path": "a"}}', "", (READ,)),
    "two": (
        '{"name": "read_file", "arguments": {"path": "a"}}\n{"name": "bash", "arguments": {}}',
        "",
        (READ, Call("bash")),
    ),
    "a list": ('[{"name": "bash", "arguments": {}}]', "", (Call("bash"),)),
    "repeated": ('{"name": "bash"} {"name": "bash"}', "", (Call("bash"),)),
    "words beside it": ('{"say": "[Step] a", "name": "bash"}', "[Step] a", (Call("bash"),)),
    "words alone": ('{"say": "Hello"}', "Hello", ()),
    "an answer alone": ('{"answer": "Hello"}', "Hello", ()),
    "text": ("It is done.", "It is done.", ()),
    "answer and text": ('Well: {"name": "answer", "arguments": {"text": "Hi"}}', "Well: Hi", ()),
    "answer as a string": ('{"name": "answer", "arguments": "Hi"}', "Hi", ()),
    "another tool": ('{"name": "rm", "arguments": {}}', "", (Call("rm"),)),
    "another tool in a list": ('{"tool_calls": [{"name": "rm"}, 5]}', "", (Call("rm"),)),
    "a person": ('{"name": "Ann", "input": 5}', '{"name": "Ann", "input": 5}', ()),
    "a sentence": (
        '{"name": "Ann Lee", "arguments": {}}',
        '{"name": "Ann Lee", "arguments": {}}',
        (),
    ),
    "other JSON": ('{"result": 5}', '{"result": 5}', ()),
    "other keys": ('bash {"x": 1}', 'bash {"x": 1}', ()),
    "no arguments": ("I use bash. {}", "I use bash. {}", ()),
    "wrong arguments": ('{"name": "bash", "arguments": 5}', '{"name": "bash", "arguments": 5}', ()),
    "trailing commas": ('{"name": "read_file", "arguments": {"path": "a",},}', "", (READ,)),
    "single quotes": ("{'name': 'read_file', 'arguments': {'path': 'a'}}", "", (READ,)),
    "bare keys": ('{name: "read_file", arguments: {path: "a"}}', "", (READ,)),
    "unclosed": ('```json\n{"name": "read_file", "arguments": {"path": "a"\n```', "", (READ,)),
    "raw line breaks": (
        '{"name": "read_file", "arguments": {"path": "a\nb"}}',
        "",
        (Call("read_file", {"path": "a\nb"}),),
    ),
    "as Python": ('I look.\nread_file(path="a")\n', "I look.", (READ,)),
    "as Python, quoted": (
        'It says:\nread_file(path="a")\nThat is all.\nbash()\n',
        'It says:\nread_file(path="a")\nThat is all.',
        (Call("bash"),),
    ),
    "named before, quoted": ('read_file {"path": "a"} is', 'read_file {"path": "a"} is', ()),
    "as a function": ('read_file({"path": "a"})', "read_file()", (READ,)),
    "as Python, fenced": ("```tool_code\nread_file('a')\n```", "", (READ,)),
    "as Python, two": (
        'read_file("a")\nread_file(path="b", )',
        "",
        (READ, Call("read_file", {"path": "b"})),
    ),
    "as Python, nothing": ("bash()", "", (Call("bash"),)),
    "in a sentence": ('Then read_file(path="a") helps.', 'Then read_file(path="a") helps.', ()),
    "an unknown argument": ('read_file(x="a")', 'read_file(x="a")', ()),
    "an argument twice": ('read_file("a", path="b")', 'read_file("a", path="b")', ()),
    "two without a name": ('read_file("a", "b")', 'read_file("a", "b")', ()),
    "an unknown function": ('print("a")', 'print("a")', ()),
    "torn Python": ('read_file(path="a', 'read_file(path="a', ()),
    "empty": ("", "", ()),
}
BROKEN = [
    '{"name": "bash", "arg',
    '{"name": "bash", "n": NaN}',
    '{"name": "read_file", "arguments": {"path": "say "hi""}}',
    '{"tool": "readFile", "path": "a", "path": "b"}',
]


@pytest.mark.parametrize("name", WRITTEN)
def test_calls_are_found_in_what_is_written(name: str) -> None:
    written, said, calls = WRITTEN[name]
    assert parse_reply(written, TOOLS) == Reply(said, calls)


@pytest.mark.parametrize("written", BROKEN)
def test_f13_a_call_that_is_broken_beyond_repair_is_counted(written: str) -> None:
    assert parse_reply(written, TOOLS) == Reply(written, invalid_calls=1)
    assert ask(PlainModel(written), Message("user", "go")).invalid_calls == 1


@given(st.text(max_size=200))
def test_f13_anything_can_be_read(written: str) -> None:
    parsed = parse_reply(written, TOOLS)
    assert isinstance(parsed.text, str)


def test_f13_a_flood_of_beginnings_is_read_in_no_time() -> None:
    assert parse_reply('{"a": [' * 50_000, TOOLS).calls == ()
    assert parse_reply("bash(\n" * 50_000, TOOLS).calls == ()


@given(st.dictionaries(st.text(max_size=9), st.text(max_size=9) | st.integers(-9, 9), max_size=4))
def test_every_call_comes_back(params: dict[str, Any]) -> None:
    written = json.encode({"name": "bash", "arguments": params}).decode()
    assert parse_reply(f"So: {written} ok", TOOLS) == Reply("So:  ok", (Call("bash", params),))
