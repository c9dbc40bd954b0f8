"""F17: tags, field names, their order and their defaults are as they are stored.

`stored_names.json` was reviewed. A new field or structure is added to it on purpose; what stands in
it never changes, because files have it. A renamed attribute keeps its stored name by
`msgspec.field(name=...)`.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from outlast.model.changes import Change
from outlast.model.commands import Command
from tests.golden import stored_kinds

NAMES: dict[str, Any] = json.loads((Path(__file__).parent / "stored_names.json").read_text("utf-8"))
STRUCTURES: dict[str, Any] = NAMES["structures"]


def test_f17_every_stored_structure_is_listed() -> None:
    assert sorted(stored_kinds.STORED) == sorted(STRUCTURES)


@pytest.mark.parametrize("name", STRUCTURES)
def test_f17_a_structure_is_stored_as_it_was(name: str) -> None:
    assert stored_kinds.describe(stored_kinds.STORED[name]) == STRUCTURES[name]


def test_f17_every_change_and_command_has_its_stored_name() -> None:
    assert {*stored_kinds.CHANGES.values()} == {*Change.__args__}
    assert {*stored_kinds.COMMANDS.values()} == {*Command.__args__}
    assert len({kind.__struct_config__.tag for kind in Change.__args__}) == len(Change.__args__)


def test_f17_settings_keep_their_keys_and_defaults() -> None:
    assert stored_kinds.setting_keys() == NAMES["settings"]


def test_f17_the_tables_of_a_database_are_as_they_were(tmp_path: Path) -> None:
    assert stored_kinds.table_columns(tmp_path) == NAMES["tables"]
    assert stored_kinds.agenda_columns(tmp_path) == NAMES["agenda"]
