"""Models are found by their names, and what is missing is told."""

import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from socket import create_server
from threading import Event, Thread

import pytest

from outlast.agent.models.choice import available_models, find_model, list_models, ollama_address
from outlast.config.settings import Limits, Settings
from outlast.context.chat_model import Price
from outlast.errors import InvalidArgument
from outlast.language import explain
from outlast.testing import ModelServer, ScriptedModel

CANARY = "canary-77f3"
PATIENCE = 30.0
SETTINGS = Settings(limits=Limits(model_seconds=9.0), prices={"small": (1.0, 2.0)})


def refused(name: str, **environment: str) -> str:
    with pytest.raises(InvalidArgument) as caught:
        find_model(name, SETTINGS, environment)
    return explain(caught.value)


def test_a_script_is_a_model(tmp_path: Path) -> None:
    file = tmp_path / "turns.yaml"
    file.write_text("- say: hello", "utf-8")
    assert find_model(f"script:{file}", SETTINGS, {}).name == f"script:{file}"


@pytest.mark.parametrize("name", ["", "claude", "gemini:x", "anthropic:", "script:", "ollama:"])
def test_a_name_that_names_no_model_is_refused(name: str) -> None:
    assert "anthropic:NAME, openai:NAME, openai-compatible:URL#NAME" in refused(name)


def test_a_missing_key_is_told_with_its_variable() -> None:
    assert refused("anthropic:x").endswith(
        "an API key in the environment variable ANTHROPIC_API_KEY"
    )
    assert refused("openai:x?tools=prompt").endswith("OPENAI_API_KEY")


def test_an_extra_that_cannot_be_loaded_is_told_with_how_to_install_it(tmp_path: Path) -> None:
    for name in ("pydantic_ai", "anthropic", "openai"):
        (tmp_path / f"{name}.py").touch()
    code = "import outlast.agent.models.choice as m; from outlast.config.settings import Settings;"
    code += "m.find_model('ollama:x', Settings(), {})"
    shown = subprocess.run(  # noqa: S603 - our own lines
        [sys.executable, "-c", code],
        capture_output=True,
        check=False,
        env={"PYTHONPATH": str(tmp_path)},
        text=True,
        timeout=60,
    )
    assert shown.stderr.splitlines()[-1].startswith("outlast.errors.InvalidArgument")
    assert "model_extra" in shown.stderr


@pytest.mark.parametrize(
    "url",
    [
        f"http://me:{CANARY}@127.0.0.1/v1",
        f"http://127.0.0.1/v1?key={CANARY}",
        f"ftp://{CANARY}/",
        f"http://[{CANARY}/",
        CANARY,
    ],
)
def test_a5_an_address_that_could_hold_a_secret_is_refused_and_not_shown(url: str) -> None:
    said = refused(f"openai-compatible:{url}#small", OUTLAST_API_KEY="k")
    assert CANARY not in said
    assert said.startswith("The address of openai-compatible must be")


@pytest.mark.slow
def test_every_kind_is_built_with_its_limits_and_its_price() -> None:
    keys = {"ANTHROPIC_API_KEY": CANARY, "OPENAI_API_KEY": CANARY, "OUTLAST_API_KEY": CANARY}
    names = [
        "anthropic:small",
        "openai:small",
        "ollama:small",
        "openai-compatible:http://127.0.0.1:9/v1#small",
        "openai-compatible:http://127.0.0.1:9/v1#small?tools=prompt",
    ]
    for name in names:
        model = find_model(name, SETTINGS, keys)
        assert model.name == name
        assert model.price == Price(1.0, 2.0)
        assert CANARY not in repr(model)
    assert find_model("anthropic:claude-sonnet-4-5", Settings(), keys).price is not None
    assert find_model("openai:nobody-knows-it", Settings(), keys).price is None


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),  # noqa: S104 - nobody listens
        ("box:99", "http://box:99"),
        (":99", "http://127.0.0.1:99"),
        ("http://box:1/", "http://box:1"),
        ("[::1]:99", "http://[::1]:99"),
        ("box:port", "http://box:11434"),
        ("http://box", "http://box:80"),
        ("https://box/ollama/", "https://box:443/ollama"),
        ("http://me:secret@box:9", "http://box:9"),
        ("[::1", "http://127.0.0.1:11434"),
    ],
)
def test_ollama_is_looked_for_where_its_variable_says(given: str, found: str) -> None:
    assert ollama_address({"OLLAMA_HOST": given}) == found


def test_what_can_be_used_is_told_by_keys_and_by_who_answers() -> None:
    with ModelServer(ScriptedModel((), name="qwen3:4b")) as server:
        assert list_models(server.url, PATIENCE) == ["qwen3:4b"]
        found = available_models({**server.environment, "OPENAI_API_KEY": ""}, PATIENCE)
        here = {one.name: one for one in found}
    assert here["anthropic:NAME"].usable
    assert not here["openai:NAME"].usable
    assert here["openai:NAME"].values == {"variable": "OPENAI_API_KEY"}
    assert here["ollama:qwen3:4b"].usable
    assert here["script:FILE"].usable


@pytest.mark.parametrize("host", ["b ad", "a" * 70, "x\x00y"])
def test_an_address_that_is_none_is_a_server_that_does_not_answer(host: str) -> None:
    assert list_models(ollama_address({"OLLAMA_HOST": host})) is None


def test_ollama_without_any_model_is_told_with_how_to_get_one() -> None:
    script = b'HTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\n{"models":[]}'

    def answer() -> None:
        taken, _ = listening.accept()
        with taken:
            taken.recv(10_000)
            taken.sendall(script)

    with create_server(("127.0.0.1", 0)) as listening:
        answering = Thread(target=answer)
        answering.start()
        host = f"127.0.0.1:{listening.getsockname()[1]}"
        here = {one.name: one for one in available_models({"OLLAMA_HOST": host}, PATIENCE)}
        answering.join()
    assert (here["ollama:NAME"].usable, here["ollama:NAME"].text) == (False, "models_none")


def test_f13_a_server_that_drips_for_ever_is_not_waited_for() -> None:
    over = Event()

    def drip() -> None:
        taken, _ = listening.accept()
        with taken, suppress(OSError):
            taken.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 900000\r\n\r\n")
            while not over.wait(0.02):
                taken.sendall(b" ")

    with create_server(("127.0.0.1", 0)) as listening:
        dripping = Thread(target=drip)
        dripping.start()
        try:
            assert list_models(f"http://127.0.0.1:{listening.getsockname()[1]}", 0.1) is None
        finally:
            over.set()
            dripping.join()


def test_a_server_that_does_not_answer_is_none() -> None:
    with ModelServer(ScriptedModel(())) as server:
        url = server.url
    assert list_models(url) is None
    silent = {one.name: one for one in available_models({"OLLAMA_HOST": url})}["ollama:NAME"]
    assert (silent.usable, silent.text) == (False, "models_silent")
