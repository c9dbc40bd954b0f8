"""F13: whatever a model server does, one request ends in one error that names it."""

import itertools
import tracemalloc

import pytest

from outlast.language import explain
from outlast.testing import Fault, ModelServer
from tests.agent.models.provider_clients import (
    CONTRACTS,
    SCRIPT,
    Contract,
    ask,
    contract_model,
    failure,
    provider_model,
)

pytestmark = pytest.mark.slow  # pydantic-ai takes seconds to load

CAP = 2_000_000
BUFFERS = 16_000_000  # what the system takes off the server's hands before anybody reads it
WRONG, LATER = "MODEL_FAILED", "MODEL_BUSY"
FAULTS = {
    "garbage": (Fault("garbage"), WRONG),
    "wrong schema": (Fault("wrong_shape"), WRONG),
    "endless": (Fault("huge"), WRONG),
    "packed": (Fault("packed"), WRONG),
    "drips": (Fault("drip"), LATER),
    "hangs": (Fault("hang"), LATER),
    "429": (Fault("status", status=429, retry_after="3"), LATER),
    "500": (Fault("status", status=500), LATER),
    "503": (Fault("status", status=503), LATER),
    "529": (Fault("status", status=529), LATER),
    "reset": (Fault("reset"), LATER),
    "cut": (Fault("cut"), LATER),
    "empty": (Fault("empty"), WRONG),
    "wrong type": (Fault("wrong_type"), WRONG),
}
UNREAD = Fault("nan")  # an argument that JSON has no word for
CELLS = list(itertools.product(FAULTS, CONTRACTS, (False, True)))


def is_ended_by_server(fault: Fault) -> bool:
    """Whether anything but the patience of whoever asks ends it."""
    return fault.kind not in ("drip", "hang")


def timeout_for(fault: Fault) -> float:
    """Return how many seconds to wait: not long where nothing else ends it."""
    return 20 if is_ended_by_server(fault) else 0.5


def is_complete(came: int, sent: int, fault: Fault) -> bool:
    """Whether the server saw what was sent, and no more.

    On a busy machine a short patience may be over before the server has read the request.
    """
    return came == sent if is_ended_by_server(fault) else came <= sent


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("contract", CONTRACTS)
def test_f13_an_invalid_call_is_counted_and_dropped(
    contract: Contract,
    stream: bool,  # noqa: FBT001
) -> None:
    with ModelServer(SCRIPT, [UNREAD]) as server:
        reply, _ = ask(contract_model(contract, server, seconds=20), stream=stream)
    assert (reply.invalid_calls, reply.calls) == (1, ())


@pytest.mark.parametrize(("name", "contract", "stream"), CELLS)
def test_f13_every_fault_is_one_error_and_the_next_request_is_answered(
    name: str,
    contract: Contract,
    stream: bool,  # noqa: FBT001
) -> None:
    fault, code = FAULTS[name]
    with ModelServer(SCRIPT, [fault]) as server:
        model = contract_model(contract, server, seconds=timeout_for(fault), max_bytes=CAP)
        error = failure(model, stream=stream)
        assert error.code == code, explain(error)
        assert is_complete(len(server.requests), 1, fault), "nothing is tried again behind our back"
        assert len(explain(error)) < 500
        assert "Traceback" not in explain(error)
        if fault.retry_after:
            assert error.details["retry_after"] == float(fault.retry_after)
        reply, _ = ask(contract_model(contract, server, seconds=20), stream=stream)
        assert reply.text == "I write it."
        assert server.flood_bytes < CAP + BUFFERS


@pytest.mark.parametrize("stream", [False, True])
def test_f13_an_endless_answer_does_not_fill_the_memory(stream: bool) -> None:  # noqa: FBT001
    with ModelServer(SCRIPT, [Fault("huge", times=2)]) as server:
        failure(provider_model(server, "openai", max_bytes=CAP), stream=stream)
        tracemalloc.start()
        try:
            failure(provider_model(server, "openai", max_bytes=CAP), stream=stream)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 10 * CAP
