"""What people and models read about models, in English."""

from __future__ import annotations

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "model_busy": "{model} is busy (HTTP {status})",
    "model_timed_out": "{model} gave no answer within {seconds} seconds",
    "model_unreachable": "{model} cannot be reached: {problem}",
    "model_garbled": "{model} gave an answer that cannot be read: {problem}",
    "model_declined": "{model} declined to answer: {problem}",
    "model_cut": (
        "{model} had only {written} tokens for its answer, which was not finished; "
        "raise limits.max_tokens, or the budget if little of it is left"
    ),
    "model_too_much": "{model} sent more than {most} bytes",
    "model_quota": "{model} is not answered for this account any more: its quota is used up",
    "model_key_refused": "{model} does not accept the key (HTTP {status})",
    "model_not_there": "There is no {model} (HTTP {status}); look at its name and its address",
    "model_refused": "{model} refused the request (HTTP {status}): {problem}",
    "model_name": "{name} names no model; a name looks like one of these: {forms}",
    "model_url": "The address of {kind} has to be http:// or https://, without name, key and query",
    "model_extra": "{name} needs the extra llm: pip install 'outlast[llm]'",
    "model_key_missing": "{name} needs a key in the environment variable {variable}",
    "script_reference": "The script wants {reference}, which the conversation does not have",
    "script_wrong": (
        "{where}, line {line}: {problem}. A script is a list of turns, "
        "each with some of: when, unless, after_tool, times, say, calls"
    ),
    "script_unreadable": "{where} cannot be read: {problem}",
    "script_too_large": "{where} has more than {most} bytes",
    "script_alias": "a script has no aliases, and nothing in it is nested so deeply",
    "prompted_head": (
        "You work with tools. Answer with one JSON object and nothing else. "
        "To call a tool: {call}. When everything is done, or to say something to the user: "
        "{answer}. You see what a tool returned before you answer again."
    ),
    "prompted_tools": "These are the tools, one on each line:",
    "models_usable": "Usable here:",
    "models_others": "To use others:",
    "models_scripted": "plays the turns of a YAML file; no key, no network",
    "models_key_found": "{variable} is set",
    "models_key_wanted": "set {variable}",
    "models_extra": "pip install 'outlast[llm]'",
    "models_answers": "answers at {url}",
    "models_none": "answers at {url}, but has no model yet: ollama pull NAME",
    "models_silent": "nothing answers at {url}; start it, or set {variable}",
    "models_any_server": "any server that speaks the OpenAI protocol; its key in {variable}",
    "models_prompt": "?tools=prompt behind a name: for models that cannot call tools",
}
