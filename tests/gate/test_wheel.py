"""What a user gets: the wheel, installed alone into an empty environment."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.gate.snippets import Command, Script, language_of, snippets, steady

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
READMES = ("README.md", "README.zh-CN.md")

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]


def run(*command: str | Path, cwd: Path, env: dict[str, str] | None = None) -> str:
    """Return all that a command printed; the test fails with it if the command does."""
    done = subprocess.run(
        command,
        check=False,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, f"{command[-1]}\n{done.stdout}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tree = tmp_path_factory.mktemp("tree")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    shutil.copytree(
        ROOT / "src" / "outlast",
        tree / "src" / "outlast",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    # The build backend looks for its own program on the path.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    build = ("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir=dist", ".")
    run(sys.executable, "-m", "pip", *build, cwd=tree, env={**os.environ, "PATH": path})
    (built,) = (tree / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def scripts(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the commands of an environment that holds the wheel alone."""
    home = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", home, cwd=home)
    pip = (home / "bin" / "python", "-m", "pip")
    pinned = ROOT / "requirements" / "runtime.txt"
    run(*pip, "install", "--require-hashes", "-r", pinned, cwd=home)
    run(*pip, "install", "--no-deps", wheel, cwd=home)
    run(*pip, "check", cwd=home)
    return home / "bin"


@pytest.fixture
def env(scripts: Path, tmp_path: Path) -> dict[str, str]:
    return {
        "COLUMNS": "80",
        "HOME": str(tmp_path),
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
        "PATH": f"{scripts}{os.pathsep}{os.defpath}",
    }


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    held = {name for name in ZipFile(wheel).namelist() if not name.endswith("/")}
    source = ROOT / "src"
    wanted = {
        str(file.relative_to(source))
        for file in (source / "outlast").rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    metadata = {name for name in held if name.startswith("outlast-")}
    assert held - metadata == wanted
    stubs = ("plan_manager.pyi", "async_plan.pyi")
    assert {"outlast/py.typed", *(f"outlast/plan/{stub}" for stub in stubs)} <= held
    assert any(name.endswith("/licenses/LICENSE") for name in metadata)


def test_the_command_says_its_version(env: dict[str, str], tmp_path: Path) -> None:
    printed = run("sh", "-c", "outlast --version", cwd=tmp_path, env=env)
    assert PROJECT["version"] in printed


@pytest.mark.parametrize("readme", READMES)
def test_every_snippet_of_the_readme_does_what_it_shows(
    readme: str, env: dict[str, str], tmp_path: Path
) -> None:
    env |= language_of(readme)
    found = list(snippets((ROOT / readme).read_text(encoding="utf-8")))
    assert found, "a README shows how outlast is used"
    for snippet in found:
        if isinstance(snippet, Script):
            run("python", "-c", snippet.source, cwd=tmp_path, env=env)
        elif isinstance(snippet, Command):
            printed = run("sh", "-c", f"{snippet.line}\n:", cwd=tmp_path, env=env)
            assert visible(printed) == visible(snippet.output), snippet.line
        else:
            snippet.save(tmp_path)


def visible(text: str) -> list[str]:
    """Return the lines of a text without what a reader cannot see."""
    return [line.rstrip() for line in steady(text).strip("\n").splitlines()]
