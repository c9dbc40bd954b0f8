"""Tools read the signatures of public names: their hints resolve, and show no secret."""

import inspect
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any, get_args, get_type_hints

import pytest

MODULES = [
    "outlast",
    "outlast.agents",
    "outlast.assistant",
    "outlast.changes",
    "outlast.errors",
    "outlast.events",
    "outlast.hooks",
    "outlast.importers",
    "outlast.integrations.langgraph",
    "outlast.integrations.pydantic_ai",
    "outlast.models",
    "outlast.plans",
    "outlast.sessions",
    "outlast.settings",
    "outlast.stores",
    "outlast.testing",
    "outlast.tools",
]
PROBE = """
import inspect, json, pydoc, sys
import outlast, outlast.models, outlast.settings, outlast.tools, outlast.stores, outlast.sessions
pages = [pydoc.plaintext.document(module) for module in (
    outlast.models, outlast.settings, outlast.tools, outlast.stores, outlast.sessions)]
pages += [str(inspect.signature(getattr(outlast, name))) for name in outlast.__all__
    if callable(getattr(outlast, name))]
defaults = [repr(value) for name, module in list(sys.modules.items()) if name.startswith("outlast")
    for function in vars(module).values() if inspect.isfunction(function)
    for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())]
print(json.dumps([pages, defaults]))
"""


def load(name: str) -> Any:
    if name.startswith("outlast.integrations."):
        pytest.importorskip({"langgraph": "langchain"}.get(name[21:], name[21:]))
    return import_module(name)


def callables_of(module: Any) -> Iterator[tuple[str, Any]]:
    """Yield the classes and functions of a module, and the methods and properties of classes."""
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            yield name, value
        for method_name, member in vars(value).items() if inspect.isclass(value) else ():
            method = getattr(member, "fget", None) or getattr(member, "__func__", member)
            is_public = method_name in ("__init__", "__call__") or method_name[0] != "_"
            if is_public and inspect.isfunction(method):
                yield f"{name}.{method_name}", method


def hints_of(value: Any) -> dict[str, Any]:
    if getattr(value, "__name__", "") == "PlanMiddleware":
        return {}  # the base class is LangChain's, and names what its module does not import
    return get_type_hints(value)


def problem_of(value: Any) -> str:
    try:
        hints_of(value)
        inspect.signature(value)
    except (NameError, TypeError, ValueError, AttributeError) as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", MODULES)
def test_the_signatures_and_type_hints_of_every_public_name_can_be_read(name: str) -> None:
    problems = {label: problem_of(value) for label, value in callables_of(load(name))}
    assert {label: problem for label, problem in problems.items() if problem} == {}


def test_the_walk_sees_functions_methods_properties_and_protocols() -> None:
    labels = {
        label for name in ("outlast", "outlast.stores") for label, _ in callables_of(load(name))
    }
    assert {"run", "Plan.add", "Plan.budget", "Person.answer", "Store.submit"} <= labels


def our_classes_in(hint: Any) -> Iterator[type]:
    if inspect.isclass(hint) and hint.__module__.startswith("outlast."):
        yield hint
    for part in get_args(hint):
        for argument in part if isinstance(part, list) else [part]:
            yield from our_classes_in(argument)


def test_the_types_of_what_public_names_return_and_hold_are_public() -> None:
    modules = [load(name) for name in MODULES]
    public = {id(getattr(module, name)) for module in modules for name in module.__all__}
    hidden = {
        (label, kind.__name__)
        for module in modules
        for label, value in callables_of(module)
        for name, hint in hints_of(value).items()
        if (name == "return" or inspect.isclass(value)) and name[0] != "_"
        for kind in our_classes_in(hint)
        if id(kind) not in public and not kind.__module__.startswith("outlast.model.commands")
    }
    assert hidden == set()


def test_no_signature_shows_the_environment() -> None:
    secret = f"sk-fake-{os.getpid()}-of-a-test"
    environment = {**os.environ, "A_KEY_OF_THIS_TEST": secret}
    answer = subprocess.run(
        [sys.executable, "-c", PROBE], check=True, capture_output=True, text=True, env=environment
    ).stdout
    pages, defaults = json.loads(answer)
    assert any("find_model" in page for page in pages)
    assert [text for text in (*pages, *defaults) if secret in text or "environ(" in text] == []
