"""`models`, in a process of its own."""

from pathlib import Path
from typing import Any

from outlast.testing import ModelServer, ScriptedModel
from tests.cli.processes import json_of, stdout_of

CANARY = "canary-51"
TRIES = 10


def answer_of(where: Path, **keys: str) -> tuple[str, list[dict[str, Any]]]:
    """Ask until the server was heard: it may be too slow for the command on a busy machine."""
    for _ in range(TRIES):
        words = stdout_of(where, "models", **keys)
        models = json_of(where, "models", "--json", code=0, **keys)["models"]
        if "ollama:NAME" not in f"{words}{models}":
            break
    return words, models


def test_models_says_what_can_be_used_here_and_how_the_rest_could_be(tmp_path: Path) -> None:
    with ModelServer(ScriptedModel((), name="qwen3:4b")) as server:
        keys = {"ANTHROPIC_API_KEY": CANARY, "OPENAI_API_KEY": "", "OLLAMA_HOST": server.url}
        words, models = answer_of(tmp_path, **keys)
    usable, others = words.split("To use others:")
    assert "anthropic:NAME              ANTHROPIC_API_KEY is set" in usable
    assert f"ollama:qwen3:4b             running at {server.url}" in usable
    assert "script:FILE" in usable
    assert "openai:NAME                 set OPENAI_API_KEY" in others
    assert {one["name"]: one["usable"] for one in models} == {
        "anthropic:NAME": True,
        "openai:NAME": False,
        "ollama:qwen3:4b": True,
        "openai-compatible:URL#NAME": True,
        "script:FILE": True,
    }
    assert CANARY not in words + str(models)


def test_x8_models_speaks_chinese(tmp_path: Path) -> None:
    words = stdout_of(
        tmp_path, "models", "--lang", "zh", OPENAI_API_KEY="", OLLAMA_HOST="127.0.0.1:9"
    )
    assert words.startswith("此处可用：")
    assert "请启动它，或设置 OLLAMA_HOST" in words
