"""Models are found by their names, and what is missing is told."""

from pathlib import Path

import pytest

from outlast.adapters.models.local_servers import models_at, ollama_address
from outlast.config.settings import Limits, Settings
from outlast.errors import InvalidArgument
from outlast.ports.model import Price
from outlast.testing import ModelServer, ScriptedModel
from outlast.texts import explain
from outlast.wiring.models import find_model, models_here

CANARY = "canary-77f3"
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
    assert refused("anthropic:x").endswith("a key in the environment variable ANTHROPIC_API_KEY")
    assert refused("openai:x?tools=prompt").endswith("OPENAI_API_KEY")


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
    ],
)
def test_ollama_is_looked_for_where_its_variable_says(given: str, found: str) -> None:
    assert ollama_address({"OLLAMA_HOST": given}) == found


def test_what_can_be_used_is_told_by_keys_and_by_who_answers() -> None:
    with ModelServer(ScriptedModel((), name="qwen3:4b")) as server:
        assert models_at(server.url) == ["qwen3:4b"]
        here = {one.name: one for one in models_here({**server.environment, "OPENAI_API_KEY": ""})}
    assert here["anthropic:NAME"].usable
    assert not here["openai:NAME"].usable
    assert here["openai:NAME"].values == {"variable": "OPENAI_API_KEY"}
    assert here["ollama:qwen3:4b"].usable
    assert here["script:FILE"].usable


def test_a_server_that_does_not_answer_is_none() -> None:
    with ModelServer(ScriptedModel(())) as server:
        url = server.url
    assert models_at(url) is None
    silent = {one.name: one for one in models_here({"OLLAMA_HOST": url})}["ollama:NAME"]
    assert (silent.usable, silent.says) == (False, "models_silent")
