"""Methods of a plan as function tools of a framework that reads annotations."""

from typing import Any

import pytest

from outlast import Check, NewTask, Plan
from tests.making import make_plan

VERBS = ("add", "add_all", "update", "start", "complete", "claim", "renew", "undo", "graph")


def schema_of(plan: Plan, name: str) -> dict[str, Any]:
    from pydantic_ai import Tool

    return Tool(getattr(plan, name)).function_schema.json_schema


@pytest.mark.filterwarnings("ignore:Could not generate return schema")
@pytest.mark.filterwarnings("ignore:Default value Budget")
@pytest.mark.parametrize("name", VERBS)
def test_pydantic_ai_makes_a_tool_of_a_verb(name: str) -> None:
    assert schema_of(make_plan("a"), name)["type"] == "object"


@pytest.mark.filterwarnings("ignore:Could not generate return schema")
def test_the_schema_says_what_a_task_takes() -> None:
    schema = schema_of(make_plan(), "add")
    assert schema["required"] == ["name"]
    assert schema["properties"]["name"] == {"type": "string"}
    assert schema["properties"]["checks"]["items"] == {"$ref": "#/$defs/Check"}
    check = schema["$defs"]["Check"]
    assert check["required"] == ["kind", "rule"]
    assert check["properties"]["kind"]["enum"] == ["command", "file", "person", "python", "report"]


def test_pydantic_reads_a_value_or_an_object_of_its_fields() -> None:
    from pydantic import TypeAdapter, ValidationError

    adapter = TypeAdapter(NewTask)
    task = NewTask("Test", checks=(Check("file", "made"),))
    assert adapter.validate_python(task) is task
    given = {"name": "Test", "checks": [{"kind": "file", "rule": "made"}]}
    assert adapter.validate_python(given) == task
    text = '{"name": "Test", "checks": [{"kind": "file", "rule": "made"}]}'
    assert adapter.validate_json(text) == task
    with pytest.raises(ValidationError):
        adapter.validate_python({"name": "Test", "checks": [{"kind": "hope", "rule": "x"}]})
