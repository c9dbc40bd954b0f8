"""A5: secrets in JSON-like values are redacted, and everything else stays as it was."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.redact.secrets import REDACTED, redact
from outlast.redact.values import redact_json, redact_value

CANARY = "c4n4ry7Q9xZ2"


def test_a5_values_under_a_secret_name_are_redacted() -> None:
    params: dict[str, Any] = {
        "url": f"https://u:{CANARY}@h",
        "headers": {"Authorization": CANARY, "X-Api-Key": [CANARY], "Accept": "json"},
        "password": {"deep": CANARY},
        "dbPassword": 1234,
        "pin_token": None,
        "secrets": [CANARY],
        "max_tokens": 4096,
        "nextPageToken": CANARY,
        "page": ["--page-token", CANARY],
        "tokens": 3,
        "pwd": "/work",
        "user_pwd": CANARY,
        "pass": True,
        "pass ": f"token={CANARY}",
        "argv": ["mysql", "--password", CANARY, "-v", ("--token", 5)],
        "env": [{"name": "API_KEY", "value": CANARY}, {"name": "HOME", "value": "/root"}],
        f"Bearer {CANARY}": 1,
        "n": 1.5,
        "ok": True,
        "none": None,
    }
    assert redact_value(params) == {
        "url": f"https://u:{REDACTED}@h",
        "headers": {"Authorization": REDACTED, "X-Api-Key": REDACTED, "Accept": "json"},
        "password": REDACTED,
        "dbPassword": REDACTED,
        "pin_token": REDACTED,
        "secrets": REDACTED,
        "max_tokens": 4096,
        "nextPageToken": CANARY,
        "page": ["--page-token", CANARY],
        "tokens": 3,
        "pwd": "/work",
        "user_pwd": REDACTED,
        "pass": True,
        "pass ": f"token={REDACTED}",
        "argv": ["mysql", "--password", REDACTED, "-v", ["--token", 5]],
        "env": [{"name": "API_KEY", "value": REDACTED}, {"name": "HOME", "value": "/root"}],
        f"Bearer {REDACTED}": 1,
        "n": 1.5,
        "ok": True,
        "none": None,
    }
    assert redact_value(["pass", {"pass": CANARY}]) == ["pass", {"pass": REDACTED}]


TEXTS = st.text("xyz09 =:-é{\n", max_size=8)  # in which nothing bears the name of a secret
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner),
)


@given(JSON)
def test_values_without_secrets_stay_and_nothing_is_shared(value: Any) -> None:
    copy = redact_value(value)
    assert copy == value
    assert copy is not value or not isinstance(value, dict | list)


def test_a5_depth_and_cycles_do_no_harm() -> None:
    deep: Any = f"password={CANARY}"
    for _ in range(50_000):
        deep = [deep]
    copy: Any = redact_value(deep)
    while isinstance(copy, list):
        (copy,) = copy
    assert copy == f"password={REDACTED}"
    while isinstance(deep, list):
        (deep,) = deep
    ring: dict[str, Any] = {"token": CANARY}
    ring["self"] = ring
    turned: Any = redact_value(ring)
    assert turned["self"] is turned
    assert turned["token"] == REDACTED


@pytest.mark.parametrize("text", ["password=hunter2secret {", "[" * 100_000])
def test_a5_a_text_that_is_no_json_is_redacted_as_a_text(text: str) -> None:
    assert redact_json(text) == redact(text)
    assert "hunter2secret" not in redact_json(text)
