import json
import subprocess
import sys

import pytest

PROBE = """
import json, sys
before = set(sys.modules)
{statement}
loaded = {{name.partition(".")[0] for name in set(sys.modules) - before}}
print(json.dumps(sorted(loaded - sys.stdlib_module_names - {{"outlast"}})))
"""


def third_party_modules_loaded_by(statement: str) -> list[str]:
    command = [sys.executable, "-I", "-c", PROBE.format(statement=statement)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    return list(json.loads(answer.stdout))


@pytest.mark.parametrize("statement", ["import outlast", "import outlast; dir(outlast)"])
def test_importing_outlast_loads_no_third_party_module(statement: str) -> None:
    assert third_party_modules_loaded_by(statement) == []


def test_the_probe_sees_a_third_party_module() -> None:
    assert "msgspec" in third_party_modules_loaded_by("import msgspec")
