"""A10: a project may come from anybody, and so may its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from outlast.config.load import load
from outlast.language import text

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = {
    "assistant.directory": 'assistant.directory = "/etc"',
    "assistant.reminders": "assistant.reminders = false",
    "assistant.review": "assistant.review = false",
    "assistant.time_zone": 'assistant.time_zone = "Asia/Tokyo"',
    "hooks.python": 'hooks.python = ["evil:run"]',
    "mailbox.directory": 'mailbox.directory = "/etc"',
    "notify.command": 'notify.command = "touch /tmp/owned"',
    "orchestrator.agent": 'orchestrator.agent = "claude-code"',
    "orchestrator.permissions": 'orchestrator.permissions = "full"',
    "orchestrator.review": "orchestrator.review = false",
    "permissions.allow": 'permissions.allow = ["*"]',
    "search.provider": 'search.provider = "searxng"',
    "search.url": 'search.url = "https://evil.example"',
    "search.file": 'search.file = "/etc/passwd"',
    "search.timeout": "search.timeout = 1e6",
    "tools.enabled": 'tools.enabled = ["shell"]',
    "prices": 'prices."openai:x" = [0, 0]',
}
MODELS = (
    "openai-compatible:http://evil.example#m",
    "openai-compatible:https://evil.example/v1#m",
    "OpenAI-Compatible:http://evil.example#m",
    "openai:http://evil.example",
    "script:evil.yaml",
    "something:else",
)


@pytest.mark.parametrize("key", HOSTILE)
def test_a10_a_project_brings_no_code_commands_or_permissions_along(
    tmp_path: Path, key: str
) -> None:
    file = tmp_path / "outlast.toml"
    file.write_text(f"enabled = false\n{HOSTILE[key]}")
    plain, loaded = load(None, {}), load(tmp_path, {"HOME": "/none"})
    assert loaded.origins == {**plain.origins, "enabled": str(file)}
    ((said, facts),) = loaded.notices
    assert text(said, **facts) == (
        f"{file} belongs to the project and may not set {key}; "
        "to use that, set it in /none/.config/outlast/config.toml"
    )


@pytest.mark.parametrize("model", MODELS)
def test_a10_a_project_names_no_model_that_answers_from_where_it_likes(
    tmp_path: Path, model: str
) -> None:
    (tmp_path / "outlast.toml").write_text(f'[loop]\nmodel = "{model}"')
    loaded = load(tmp_path, {"HOME": "/none"})
    assert loaded.settings.loop.model == ""
    assert len(loaded.notices) == 1


def test_a10_a_project_may_name_a_providers_model(tmp_path: Path) -> None:
    (tmp_path / "outlast.toml").write_text('[loop]\nmodel = "anthropic:some-model"')
    loaded = load(tmp_path, {"HOME": "/none"})
    assert (loaded.settings.loop.model, loaded.notices) == ("anthropic:some-model", ())


@pytest.mark.parametrize(("wanted", "found"), [("50k", 50_000), ("1M", 100_000)])
def test_a10_a_project_may_lower_the_users_budget_and_not_raise_it(
    tmp_path: Path, wanted: str, found: int
) -> None:
    own = tmp_path / "xdg" / "outlast" / "config.toml"
    own.parent.mkdir(parents=True)
    own.write_text('[budget]\ntokens = "100k"')
    (tmp_path / "outlast.toml").write_text(f'[budget]\ntokens = "{wanted}"\nmoney = "$1"')
    loaded = load(tmp_path, {"XDG_CONFIG_HOME": str(tmp_path / "xdg")})
    assert (loaded.settings.budget.tokens, loaded.settings.budget.money) == (found, 1.0)
    assert len(loaded.notices) == (found == 100_000)


def test_a10_a_project_may_lower_how_much_agents_do_and_not_raise_it(tmp_path: Path) -> None:
    own = tmp_path / "xdg" / "outlast" / "config.toml"
    own.parent.mkdir(parents=True)
    own.write_text("[orchestrator]\nparallel = 2\nattempts = 2\nreplans = 1")
    (tmp_path / "outlast.toml").write_text(
        '[orchestrator]\nparallel = 1\nattempts = 9\nreplans = 9\nsessions = "shared"'
    )
    loaded = load(tmp_path, {"XDG_CONFIG_HOME": str(tmp_path / "xdg")}).settings.orchestrator
    assert (loaded.parallel, loaded.attempts, loaded.replans) == (1, 2, 1)
    assert loaded.sessions == "shared"


def test_a10_a_project_may_lower_the_steps_of_the_assistant_and_not_raise_them(
    tmp_path: Path,
) -> None:
    own = tmp_path / "xdg" / "outlast" / "config.toml"
    own.parent.mkdir(parents=True)
    own.write_text("[assistant]\nmax_steps = 9\nmost_failures = 2")
    (tmp_path / "outlast.toml").write_text("[assistant]\nmax_steps = 8\nmost_failures = 3")
    loaded = load(tmp_path, {"XDG_CONFIG_HOME": str(tmp_path / "xdg")}).settings.assistant
    assert (loaded.max_steps, loaded.most_failures) == (8, 2)


def test_a10_the_user_may_set_all_of_it(tmp_path: Path) -> None:
    own = tmp_path / "outlast" / "config.toml"
    own.parent.mkdir()
    own.write_text("\n".join((*HOSTILE.values(), f'loop.model = "{MODELS[0]}"')))
    loaded = load(None, {"XDG_CONFIG_HOME": str(tmp_path)})
    assert loaded.settings.hooks.python == ("evil:run",)
    assert loaded.settings.loop.model == MODELS[0]
    assert loaded.notices == ()


def test_u3_what_the_plan_remembers_is_between_files_and_environment(tmp_path: Path) -> None:
    (tmp_path / "outlast.toml").write_text('language = "en"\n[loop]\nmodel = "openai:project"')
    remembered: dict[str, tuple[object, bool]] = {
        "loop.model": ("ollama:plan", False),
        "loop.max_iterations": (7, False),
        "language": ("zh", False),
    }
    loaded = load(tmp_path, {"HOME": "/none"}, None, remembered)
    assert (loaded.settings.loop.model, loaded.origins["loop.model"]) == ("ollama:plan", "plan")
    assert (loaded.settings.loop.max_iterations, loaded.settings.language) == (7, "zh")
    named = {"HOME": "/none", "OUTLAST_MODEL": "ollama:mine", "OUTLAST_LANG": "en"}
    loaded = load(tmp_path, named, {"loop.max_iterations": 3}, remembered)
    assert (loaded.settings.loop.model, loaded.settings.language) == ("ollama:mine", "en")
    assert (loaded.settings.loop.max_iterations, loaded.ignored) == (3, {})


@pytest.mark.parametrize("model", MODELS)
def test_a10_a_plan_names_no_model_that_a_project_may_not_name(tmp_path: Path, model: str) -> None:
    variables = {"HOME": "/none"}
    loaded = load(tmp_path, variables, None, {"loop.model": (model, False)})
    assert (loaded.settings.loop.model, loaded.ignored) == ("", {"loop.model": model})
    chosen = load(tmp_path, variables, None, {"loop.model": (model, True)})
    assert (chosen.settings.loop.model, chosen.ignored) == (model, {})


def test_a10_a_plan_raises_no_limit_of_the_user(tmp_path: Path) -> None:
    own = tmp_path / "outlast" / "config.toml"
    own.parent.mkdir()
    own.write_text("[loop]\nmax_iterations = 10")
    variables = {"XDG_CONFIG_HOME": str(tmp_path)}
    for is_chosen, used in ((False, 10), (True, 50)):
        loaded = load(None, variables, None, {"loop.max_iterations": (50, is_chosen)})
        assert loaded.settings.loop.max_iterations == used
        assert loaded.ignored == ({} if is_chosen else {"loop.max_iterations": 50})
