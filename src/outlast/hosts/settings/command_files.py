"""The files by which a coding agent knows the command `/outlast`, and lines for AGENTS.md.

The hook of the prompt does what the command says. The files only make agents accept it, so what
they tell a model is what to do with the answer of the hook.
"""

from __future__ import annotations

import json
from typing import Final

from outlast.language import Language, text

COMMAND: Final = "outlast"
ARGUMENTS: Final = "[GOAL | status | done [N] | resume [KEY] | guard [on|off] | off]"
PLUGIN: Final = "outlast"


def claude_command(language: Language) -> str:
    """Return the slash command of Claude Code; its model cannot call it."""
    return (
        "---\n"
        f"description: {_quote(_about(language))}\n"
        f"argument-hint: {_quote(ARGUMENTS)}\n"
        "disable-model-invocation: true\n"
        "---\n\n"
        f"/{COMMAND} $ARGUMENTS\n\n"
        f"{_body(language)}\n"
    )


def gemini_command(language: Language) -> str:
    """Return the slash command of Gemini CLI."""
    return (
        f"description = {_quote(_about(language))}\n"
        'prompt = """\n'
        f"/{COMMAND} {{{{args}}}}\n\n"
        f"{_body(language)}\n"
        '"""\n'
    )


def codex_skill(language: Language) -> str:
    """Return the skill of Codex, which has no slash commands of users: it is typed `$outlast`."""
    return (
        "---\n"
        f"name: {COMMAND}\n"
        f"description: {_quote(_about(language))}\n"
        "---\n\n"
        f"${COMMAND} {ARGUMENTS}\n\n"
        f"{_body(language)}\n"
    )


CODEX_POLICY: Final = "policy:\n  allow_implicit_invocation: false\n"


def guide_lines(language: Language) -> list[str]:
    """Return what AGENTS.md or CLAUDE.md tells an agent without hooks."""
    return text("agents_md_lines", language).split("\n")


def plugin_manifest(version: str, language: Language) -> str:
    """Return the manifest of a plugin for Claude Code."""
    manifest = {
        "name": PLUGIN,
        "version": version,
        "description": _about(language),
        "author": {"name": "Outlast"},
        "license": "Apache-2.0",
    }
    return f"{json.dumps(manifest, indent=2, ensure_ascii=False)}\n"


def _about(language: Language) -> str:
    return text("command_file_about", language)


def _body(language: Language) -> str:
    return text("command_file_body", language)


def _quote(value: str) -> str:
    """Return a quoted string, which YAML and TOML read as JSON does."""
    return json.dumps(value, ensure_ascii=False)
