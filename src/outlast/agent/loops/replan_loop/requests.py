"""What the model is asked when it plans, thinks and replans (R3.16); what others wrote is data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from outlast.agent.context.prompts import prompt
from outlast.agent.loops.replan_loop.contracts import hide_keys, required_names, text_parameter
from outlast.context.chat_model import Message, ToolSpec
from outlast.context.escape import quote_lines, quote_one_line
from outlast.language import Language, text
from outlast.model.replan_position import OBSERVATION_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.agent.agent_spec import Replan
    from outlast.agent.effects import ReplanState
    from outlast.model.model import Task

_GOAL_CHARACTERS: Final = 20_000
_SECTION_CHARACTERS: Final = 10_000
_LINE_CHARACTERS: Final = 2_000
_OBSERVED_CHARACTERS: Final = 60_000  # of all observations, the newest first
_EXAMPLES: Final = {"todo": "/todo list"}  # what an input looks like, by tool
_BREAK: Final = "\n---\n"  # between instructions, an example request, and its answer
Section = tuple[str, str]  # the key of its title, and what it says
NO_FEEDBACK: Final[Section] = ("", "")


def plan_request(state: ReplanState, options: Replan) -> tuple[Message, ...]:
    """Return the request for the first plan: the goal, the time, the tools."""
    sections = [("section_now", options.moment), _words_of_people(state), _goal(state)]
    return _messages("assistant_plan", sections, options)


def thought_request(state: ReplanState, options: Replan) -> tuple[Message, ...]:
    """Return the request for a thought: the item, what was observed and answered, the counts."""
    position, item, language = state.position, state.item, options.language
    counts = text(
        "thought_counts",
        language,
        steps=position.steps,
        limit=position.limit,
        succeeded=position.successes,
        failed=position.failures,
    )
    if position.failures_in_a_row >= options.most_failures:
        counts += "\n" + text("must_not_continue", language, count=position.failures_in_a_row)
    sections = [
        *_background(state, options),
        ("section_counts", counts),
        ("section_item", _item(item) if item else text("item_none", language)),
    ]
    *head, request = _messages("assistant_thought", sections, options)
    repeated = _repeated_tool(state)
    if repeated:
        hint = text("action_repeats", language, tool=_line(repeated))
        request = Message("user", f"{request.text}\n\n{hint}")
    return *head, request


def replan_request(
    state: ReplanState, options: Replan, feedback: Section = NO_FEEDBACK
) -> tuple[Message, ...]:
    """Return the request for a replan: what remains of the goal after all that is known.

    `feedback` is why the list that was proposed last is not the plan.
    """
    rest = [item.name for item in state.items[state.position.cursor :]]
    sections = [
        *_background(state, options),
        (feedback[0], quote_lines(feedback[1], _SECTION_CHARACTERS)),
        ("section_finished", _lines(state.finished)),
        ("section_conclusion", quote_lines(state.position.conclusion, _SECTION_CHARACTERS)),
        ("section_remaining", _lines(rest)),
    ]
    return _messages("assistant_replan", sections, options)


def _background(state: ReplanState, options: Replan) -> Iterable[Section]:
    """Return what a thought and a replan need to know: the goal, the time, what came of it."""
    return (
        _goal(state),
        ("section_now", options.moment),
        _observations(state),
        _clarifications(state),
        _words_of_people(state),
    )


def _messages(name: str, sections: Iterable[Section], options: Replan) -> tuple[Message, ...]:
    """Return instructions and tools, an example, and the sections.

    The example decides whether a small model knows when to stop. What changes comes last, because
    servers cache how a request begins.
    """
    action = _example_action(options.tools)
    filled = prompt(name, options.language).replace("{tool}", action["tool"])
    filled = filled.replace("{action}", json.dumps(action, ensure_ascii=False))
    system, asked, answered = (part.strip() for part in filled.split(_BREAK))
    return (
        Message("system", f"{system}\n\n{_section(_tools(options), options)}"),
        Message("user", asked),
        Message("assistant", answered),
        Message(
            "user", "\n\n".join(_section(each, options) for each in sections if each[1].strip())
        ),
    )


def _section(section: Section, options: Replan) -> str:
    key, body = section
    return f"## {text(key, options.language)}\n{body}"


def _example_action(tools: tuple[ToolSpec, ...]) -> dict[str, Any]:
    """Return an action with a tool of this run."""
    tool = next((each for each in tools if each.name in _EXAMPLES), tools[0] if tools else None)
    given: object = "…"
    if tool is not None and text_parameter(tool) is None:
        given = dict.fromkeys(required_names(tool), "…")
    elif tool is not None:
        given = _EXAMPLES.get(tool.name, "…")
    return {"tool": tool.name if tool else "…", "input": given}


def _goal(state: ReplanState) -> Section:
    return "section_goal", quote_lines(state.goal, _GOAL_CHARACTERS)


def _tools(options: Replan) -> Section:
    return "section_tools", "\n".join(_tool_line(tool, options.language) for tool in options.tools)


def _tool_line(tool: ToolSpec, language: Language) -> str:
    """Return what a model has to know about a tool: what it does, and what its input is."""
    about, single, takes = " ".join(tool.description.split()), text_parameter(tool), ""
    if single is None:
        required = required_names(tool)
        names = hide_keys(tool).parameters["properties"]
        fields = [f"{name}{'' if name in required else '?'}" for name in names]
        takes = text("tool_takes_object", language, fields=fields)
    elif single != "input":
        takes = text("tool_takes_text", language, name=single)
    return f"- {tool.name}: {about} {takes}".rstrip()


def _item(item: Task) -> str:
    """Return an item with what a person wrote about it."""
    about = (item.description, item.constraints, item.expected)
    quoted = (quote_lines(part, _SECTION_CHARACTERS) for part in about if part.strip())
    return "\n".join((_lines((item.name,)), *quoted))


def _line(words: str) -> str:
    return quote_one_line(words, _LINE_CHARACTERS)


def _lines(names: Iterable[str]) -> str:
    return "\n".join(f"- {_line(name)}" for name in names)


def _observations(state: ReplanState) -> Section:
    """Return what tools gave, the newest as far as there is room; tools may write anything."""
    kept, room = list[str](), _OBSERVED_CHARACTERS
    for each in reversed(state.observations):
        head = f"- {_line(each.tool)} ({'ok' if each.ok else 'failed'}): {_line(each.input)}"
        entry = f"{head}\n{quote_lines(each.result, OBSERVATION_CHARACTERS)}"
        room -= len(entry)
        if room < 0 and kept:
            break
        kept.append(entry)
    return "section_observations", "\n".join(reversed(kept))


def _repeated_tool(state: ReplanState) -> str:
    """Return the tool of the last action if it succeeded twice; small models repeat what works."""
    actions = [(each.tool, each.input) for each in state.observations if each.ok]
    return actions[-1][0] if actions and actions[-1] in actions[:-1] else ""


def _clarifications(state: ReplanState) -> Section:
    entries = (
        f"- {_line(each.question)}\n{quote_lines(each.answer, _SECTION_CHARACTERS)}"
        for each in state.clarifications
    )
    return "section_clarifications", "\n".join(entries)


def _words_of_people(state: ReplanState) -> Section:
    told = (quote_lines(message.text, _SECTION_CHARACTERS) for message in state.messages)
    return "section_told", "\n\n".join(told)
