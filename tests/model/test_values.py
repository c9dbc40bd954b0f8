"""Values in the parameters of a plan's methods, as pydantic reads them."""

import pytest

from outlast import Check, NewTask


def test_r2_06_a_framework_reads_a_value_or_an_object_of_its_fields() -> None:
    adapter = pytest.importorskip("pydantic").TypeAdapter(NewTask)
    task = NewTask("a", needs=(1,))
    assert adapter.validate_python(task) is task
    given = {"name": "a", "checks": [{"kind": "person", "rule": "ask"}]}
    assert adapter.validate_python(given) == NewTask("a", checks=(Check("person", "ask"),))
    schema = pytest.importorskip("pydantic").TypeAdapter(Check).json_schema()
    assert schema["required"] == ["kind", "rule"]
