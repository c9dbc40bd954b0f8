"""A1, A5 and A6: a model server that echoes what it is sent, and says what it likes."""

from pathlib import Path

import pytest

from outlast.models import Call
from outlast.testing import Fault, ModelServer, ScriptedModel, Turn
from tests.cli.agent_scripts import isolated_home
from tests.cli.processes import outlast
from tests.payloads import CANARY as ORDER
from tests.payloads import PAYLOADS

pytestmark = pytest.mark.slow  # pydantic-ai takes seconds to load

KEY = "nobody-can-tell-what-this-is-Zk7canaryQ9xv2"  # a key without a well-known form
OTHER = "what-OpenAI-alone-may-see"
GATE = f"authorization: Bearer {OTHER}\nx-gate: {OTHER}"
HOSTILE = f"It is {KEY}, \x1b[2J\x1b]0;owned\x07, authorization: Bearer {KEY}"
FILE = "".join(f"{one}\n" for one in PAYLOADS[::40])
READ = Call("read_file", {"path": "orders.txt"}, "c1")
WRITE = Call("write_file", {"path": "key.txt", "content": KEY}, "c2")
TURNS = (Turn("Wrote", HOSTILE), Turn(ORDER, HOSTILE, (WRITE,)), Turn(say="x", calls=(READ,)))


@pytest.mark.parametrize("kind", ["openai-compatible", "anthropic"])
def test_a5_what_a_server_echoes_is_nowhere(tmp_path: Path, kind: str) -> None:
    here = tmp_path / "here"
    here.mkdir()
    (here / "orders.txt").write_text(FILE)
    fault = Fault("status", status=400, message=HOSTILE)
    with (
        ModelServer(ScriptedModel(TURNS)) as server,
        ModelServer(ScriptedModel(()), [fault]) as rude,
    ):
        printed = ""
        for one, goal in ((server, "Read the orders"), (rude, "Again")):
            name = f"openai-compatible:{one.url}/v1#m" if kind[0] == "o" else "anthropic:m"
            keys = {"OUTLAST_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": one.url}
            keys |= {"OPENAI_API_KEY": OTHER, "OPENAI_ORG_ID": OTHER, "OPENAI_CUSTOM_HEADERS": GATE}
            more = ("--json",) if kind == "anthropic" else ()
            done = outlast(here, "run", goal, "--model", name, *more, **keys, **isolated_home(here))
            printed += done.stdout + done.stderr
        first = server.requests[0]
        assert KEY in str(first.headers), "it was sent"
        assert OTHER not in str([asked.headers for asked in server.requests]), "it is not for them"
    assert {c for c in printed if not c.isprintable() and c != "\n"} == set()
    written = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert [path for path, data in written.items() if b"Zk7canary" in data] == []
    assert "Zk7canary" not in printed
    for asked in server.requests:
        system = [one.text for one in asked.messages if one.role == "system"]
        assert ORDER not in "".join(system)
    assert any(ORDER in one.text for one in server.requests[-1].messages if one.role == "tool")
