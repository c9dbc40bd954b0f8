"""A conversation with the assistant, as a script for its model, in both languages."""

import json
from pathlib import Path
from typing import Any

from outlast.agent.context.prompts import prompt
from outlast.language import Language

GOAL = {"en": "Arrange a party", "zh": "安排一次聚会"}
QUESTION = {"en": "Which evening?", "zh": "哪天晚上？"}
ANSWER = {"en": "on Friday please", "zh": "周五吧"}
RESULT = {"en": "The party is on Friday at 19:00.", "zh": "聚会定在周五 19:00。"}
_ITEMS = {"en": ("Look at the week", "Enter the party"), "zh": ("查看本周", "登记聚会")}
_LOOK = "/schedule view week 2026-11-16"
_ENTER = {"en": "/schedule add 2026-11-20 19:00 Party", "zh": "/schedule add 2026-11-20 19:00 聚会"}


def party_script(folder: Path, language: Language) -> str:
    """Save the script of the model; return the model's name."""
    script = folder / f"party-{language}.yaml"
    script.write_text(json.dumps(party_turns(language)), encoding="utf-8")
    return f"script:{script}"


def party_turns(language: Language) -> list[dict[str, Any]]:
    """Return what the model says, each time with the words of the request that it fits."""
    look, enter = _ITEMS[language]
    entry, answer = _ENTER[language], ANSWER[language]
    plan, thought, replan = (
        prompt(f"assistant_{name}", language).splitlines()[0]
        for name in ("plan", "thought", "replan")
    )
    return [
        _turn(plan, status="planned", plan=[look, enter]),
        _turn(replan, entry, status="done", response=RESULT[language]),
        _turn(replan, answer, status="replanned", plan=[enter]),
        _turn(thought, entry, status="done", response=entry),
        _turn(thought, answer, **_action("schedule", entry)),
        _turn(thought, _LOOK, status="ask_user", current_step=look, question=QUESTION[language]),
        _turn(thought, **_action("schedule", _LOOK)),
    ]


def _turn(*when: str, **said: Any) -> dict[str, Any]:
    return {"when": when, "say": json.dumps(said, ensure_ascii=False)}


def _action(tool: str, command: str) -> dict[str, Any]:
    action = {"tool": tool, "input": command}
    return {"status": "continue", "current_step": "…", "next_action": action}
