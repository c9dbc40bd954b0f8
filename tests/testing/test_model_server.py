"""The model server: any number of clients at once, all connections closed at its end."""

from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from msgspec import json

from outlast.testing import Fault, ModelServer, ScriptedModel, Turn

HELLO = ScriptedModel([Turn(say="Hello")])
BODY = json.encode({"model": "any", "messages": [{"role": "user", "content": "Hi"}]})
PATIENCE = 60.0


def connect(server: ModelServer) -> HTTPConnection:
    return HTTPConnection(urlsplit(server.url).netloc, timeout=PATIENCE)


def ask(connection: HTTPConnection) -> int:
    connection.request("POST", "/v1/chat/completions", BODY)
    answer = connection.getresponse()
    answer.read()
    return answer.status


def test_f13_a_connection_that_a_client_keeps_is_closed_at_the_end() -> None:
    with ModelServer(HELLO) as server:
        connection = connect(server)
        assert ask(connection) == 200
        assert connection.sock is not None, "it is kept for the next request"
    assert connection.sock.recv(1) == b""
    connection.close()


def test_f13_waiting_clients_are_disconnected_at_the_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with ModelServer(HELLO, [Fault("hang"), Fault("huge"), Fault("drip")]) as server:
        waiting = [connect(server) for _ in range(3)]
        for one in waiting:
            one.request("POST", "/v1/chat/completions", BODY)
    for one in waiting:
        one.close()
    assert capsys.readouterr().err == ""


def test_f13_faults_are_met_once_by_clients_that_come_at_the_same_time() -> None:
    with ModelServer(HELLO, [Fault("status", status=503, times=5)]) as server:

        def asked(_number: int) -> int:
            connection = connect(server)
            try:
                return ask(connection)
            finally:
                connection.close()

        with ThreadPoolExecutor(8) as threads:
            found = sorted(threads.map(asked, range(24)))
    assert found == [200] * 19 + [503] * 5
    assert len(server.requests) == 24
