"""What real providers refuse in a request; the fake server accepts anything."""

import re
from collections.abc import Iterator
from typing import Any

from outlast.testing import ModelServer

Json = dict[str, Any]
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
LONGEST_ID = 40


def refusals(server: ModelServer) -> list[str]:
    """Return why real servers would have refused what this one was asked."""
    return [why for one in server.requests for why in _refusals(one.path, one.body)]


def _refusals(path: str, body: Json) -> Iterator[str]:
    anthropic = path.startswith("/v1/messages")
    yield from _tools(body, anthropic=anthropic)
    yield from _anthropic_refusals(body) if anthropic else _openai_refusals(body)


def _tools(body: Json, *, anthropic: bool) -> Iterator[str]:
    tools = (
        body.get("tools", []) if anthropic else [one["function"] for one in body.get("tools", [])]
    )
    names = [one["name"] for one in tools]
    if len(names) != len(set(names)) or not all(map(NAME.fullmatch, names)):
        yield f"names {names}"
    for one in tools:
        schema = one["input_schema" if anthropic else "parameters"]
        if schema.get("type") != "object" or {"anyOf", "oneOf", "allOf", "$ref"} & schema.keys():
            yield f"schema of {one['name']}"
        if "properties" not in schema or "$ref" in str(schema):
            yield f"schema of {one['name']}"


def _anthropic_refusals(body: Json) -> Iterator[str]:
    roles = [one["role"] for one in body["messages"]]
    if not roles or roles[0] != "user" or roles[-1] != "user" or {*roles} - {"user", "assistant"}:
        yield f"roles {roles}"
    if "'tool_use'" in str(body["messages"]) and not body.get("tools"):
        yield "calls, but no tools"
    waiting: list[str] = []
    points = str(body).count("'cache_control'")
    if points > 4:
        yield f"{points} marks for the cache"
    for message in body["messages"]:
        blocks = message["content"]
        if not blocks:
            yield "an empty message"
        results = [one["tool_use_id"] for one in blocks if one["type"] == "tool_result"]
        if results != waiting or [one["type"] for one in blocks[: len(results)]] != [
            "tool_result"
        ] * len(results):
            yield f"{waiting} answered by {results}"
        calls = [one for one in blocks if one["type"] == "tool_use"]
        waiting = [one["id"] for one in calls]
        yield from _calls((one["id"], one["name"]) for one in calls)
        inside = [part for one in blocks for part in one.get("content", ())]
        for one in (*blocks, *inside):
            if one["type"] == "text" and not one["text"].strip():
                yield "a text without words"


def _openai_refusals(body: Json) -> Iterator[str]:
    waiting: list[str] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                yield f"an answer to nothing: {message}"
            else:
                waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            yield f"{waiting} without an answer"
        calls = message.get("tool_calls", [])
        if not calls and not message["content"]:
            yield "an empty message"
        waiting = [one["id"] for one in calls]
        yield from _calls((one["id"], one["function"]["name"]) for one in calls)
    if waiting:
        yield f"{waiting} without an answer"


def _calls(calls: Iterator[tuple[str, str]]) -> Iterator[str]:
    seen: set[str] = set()
    for number, name in calls:
        if number in seen or len(number) > LONGEST_ID or not NAME.fullmatch(name):
            yield f"the call {number!r} of {name!r}"
        seen.add(number)
