"""A model for the Gemini CLI: a server of the generateContent protocol on loopback."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

from msgspec import json

from outlast.context.chat_model import Call, Message, ToolSpec
from outlast.testing.model_http.request import ModelRequest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.context.chat_model import Model, Reply

Json = dict[str, Any]


@contextmanager
def serve_gemini(model: Model, requests: list[ModelRequest]) -> Iterator[str]:
    """Let a model answer in a block, and add its requests to a list; return the address."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_arguments: object) -> None:
            """Log nothing."""

        def do_POST(self) -> None:
            body = json.decode(self.rfile.read(int(self.headers["content-length"])))
            request = _parse(self.path, body)
            requests.append(request)
            reply = asyncio.run(model.think(request.messages, request.tools))
            answer = b"data: %b\n\n" if "stream" in self.path else b"%b"
            kind = "text/event-stream" if "stream" in self.path else "application/json"
            self.send_response(200)
            self.send_header("content-type", kind)
            self.end_headers()
            self.wfile.write(answer % json.encode(_response(reply)))

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def _parse(path: str, body: Json) -> ModelRequest:
    messages = [
        message
        for content in body["contents"]
        for part in content["parts"]
        for message in _messages(content["role"], part)
    ]
    tools = [
        ToolSpec(tool["name"], tool.get("description", ""), {})
        for group in body.get("tools", ())
        for tool in group.get("functionDeclarations", ())
    ]
    return ModelRequest(path, {}, body, "gemini", tuple(messages), tuple(tools))


def _messages(role: str, part: Json) -> Iterator[Message]:
    if "functionCall" in part:
        call = part["functionCall"]
        yield Message("assistant", "", (Call(call["name"], call.get("args", {})),))
    elif "functionResponse" in part:
        response = part["functionResponse"]["response"]
        yield Message("tool", str(response.get("output", response.get("error", ""))))
    else:
        yield Message("assistant" if role == "model" else "user", part.get("text", ""))


def _response(reply: Reply) -> Json:
    parts: list[Json] = [{"text": reply.text}] if reply.text else []
    parts += [{"functionCall": {"name": call.name, "args": call.params}} for call in reply.calls]
    content = {"role": "model", "parts": parts}
    return {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}]}
