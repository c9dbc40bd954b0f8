"""Find the commands in Markdown that one runs to verify work: tests, linters, type checks, builds.

What is found is only proposed. Still it has to be a program that is known to check and not to
change anything, called without placeholders, pipes, redirections and substitutions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_LONGEST_LINE: Final = 2_000
_SHORTEST: Final = 4
_LONGEST: Final = 300

# The places of commands in Markdown

_CODE: Final = re.compile(r"(`{1,3})(?!`)(.+?)(?<!`)\1(?!`)")
_FENCE: Final = re.compile(r"\s*(?:[-*+]\s+|[0-9]{1,3}[.)]\s+)?(`{3,}|~{3,})\s*([\w-]*)\s*$")
_SHELLS: Final = ("", "sh", "bash", "shell", "zsh", "console", "shell-session", "terminal")
_NEGATED: Final = re.compile(
    r"\b(?:do\s+not|don\W?t|never|avoid|without)\b|不要|避免|不用", re.IGNORECASE
)
_OUTPUT: Final = re.compile(r"\s*(?:2>&1\s*)?\|\s*(?:tail|head|less|cat)\b[^|;&]*$|\s*2>&1\s*$")
_REMARK: Final = re.compile(r"\s+#\s.*$")

# The form of a command

_PLACEHOLDER: Final = re.compile(
    r"(?<!/)\.\.\.|…|[<>|;&`\\{}$]|\byour[_-]|\bpath/to\b|\bxxx+\b|\bTODO\b|\[[\w ]+\]$",
    re.IGNORECASE,
)
_CHANGING: Final = re.compile(
    r"--?(?:fix|write|update|snapshot-update|watch|ui|force|delete|in-place|apply)(?:[-=A-Z]\S*)?$"
    r"|-[iu](?:[^a-z]\S*)?$"
)
_CD: Final = re.compile(r"cd\s+(?![~/-])(?!.*\.\.)[\w./@-]+$")
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=[^\s'\"]*")
_VALUE_FLAGS: Final = ("-C", "-j", "-f", "--prefix", "--filter", "-w", "--workspace", "--cwd")

# The programs

_RUNNERS: Final = (
    *(("uv", "run"), ("poetry", "run"), ("pipenv", "run"), ("pdm", "run"), ("hatch", "run")),
    *(("rye", "run"), ("pixi", "run"), ("bundle", "exec"), ("pnpm", "exec"), ("yarn", "exec")),
    *(("npm", "exec"), ("mise", "exec"), ("npx",), ("bunx",), ("time",), ("env",), ("--",)),
)
_CHECKERS: Final = frozenset(
    (
        *("pytest", "py.test", "tox", "nox", "unittest", "mypy", "pyright", "basedpyright"),
        *("flake8", "pylint", "bandit", "lint-imports", "doctest", "compileall", "jest", "vitest"),
        *("mocha", "eslint", "stylelint", "tsc", "vue-tsc", "svelte-check", "rspec", "rubocop"),
        *("phpunit", "phpstan", "ctest", "shellcheck", "actionlint", "yamllint", "hadolint"),
        *("staticcheck", "sphinx-build", "ava", "karma"),
    )
)
_SUBCOMMANDS: Final = {
    "ruff": ("check",),
    "biome": ("check", "lint", "ci"),
    "playwright": ("test",),
    "cypress": ("run",),
    "cargo": ("test", "check", "clippy", "build", "nextest", "doc"),
    "go": ("test", "vet", "build"),
    "golangci-lint": ("run",),
    "zig": ("build",),
    "swift": ("test", "build"),
    "dotnet": ("test", "build"),
    "bazel": ("test", "build"),
    "mix": ("test", "compile", "credo", "dialyzer"),
    "deno": ("test", "lint", "check"),
    "rails": ("test", "spec"),
    "rake": ("test", "spec"),
    "manage.py": ("test", "check"),
    "composer": ("test", "check", "lint"),
    "pre-commit": ("run",),
    "terraform": ("validate",),
    "helm": ("lint",),
    "mkdocs": ("build",),
    "xcodebuild": ("test", "build"),
    "dev": ("test", "check", "lint", "build"),
}
_ONLY_WITH: Final = {  # they change files without one of these
    "ruff": ("format", "--check", "--diff"),
    "cargo": ("fmt", "--check"),
    "terraform": ("fmt", "-check"),
    "manage.py": ("makemigrations", "--check"),
    "git": ("diff", "--check"),
    "black": ("", "--check", "--diff"),
    "isort": ("", "--check", "--check-only", "-c", "--diff"),
    "prettier": ("", "--check", "-c", "--list-different", "-l"),
    "rustfmt": ("", "--check"),
    "gofmt": ("", "-l", "-d"),
    "clang-format": ("", "--dry-run", "-n"),
    "cmake": ("", "--build"),
}
_WITH_WILDCARDS: Final = ("go", "golangci-lint", "staticcheck", "bazel")  # such as `./...`
_TARGET_RUNNERS: Final = ("make", "gmake", "just", "task", "mage", "invoke", "inv", "gradle", "mvn")
_PACKAGE_MANAGERS: Final = ("npm", "pnpm", "yarn", "bun")
_TARGET: Final = re.compile(
    r"(?:[\w-]*:)*(?:t|unit|e2e|integration|smoke|test|check|lint|verify|validate|ci|build|compile"
    r"|package|type-?check|types|tsc|coverage|spec|format[-:]check|fmt[-:]check|vet|all|mypy|pytest"
    r"|ruff|eslint|quality|qa)s?(?:[:_-][\w:-]*|[A-Z]\w*)?"
)
_BAD_TARGET: Final = re.compile(
    r"(?:^|[:_-])(?:watch|fix|update|deploy|publish|release|clean|reset|drop|delete|destroy|push"
    r"|install|write|dev|start|open|debug)(?:$|[:_-])",
    re.IGNORECASE,
)
_PYTHON: Final = re.compile(r"python[0-9.]*")
_SCRIPT: Final = re.compile(
    r"(?:[\w.-]+/)*(?:run[_-])?(?:all[_-])?(?:tests?|check|lint|verify|ci)(?:[_-]\w+)*\.sh"
    r"|(?:bin|scripts?|\.)/(?:tests?|check|lint|verify|ci|build)"
)
_PYTHON_SCRIPT: Final = re.compile(r"(?:[\w.-]+/)*(?:run_)?(?:all_)?tests?(?:_\w+)?\.py")
_PLACES: Final = ("./vendor/bin/", "vendor/bin/", "./node_modules/.bin/", "node_modules/.bin/")


def find_check_commands(lines: Iterable[str]) -> Iterator[str]:
    """Yield the commands in inline code and in blocks of shell code that verify something."""
    fence, is_shell, joined = "", False, ""
    for line in (line[:_LONGEST_LINE] for line in lines):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence, is_shell = mark[1], mark[2].lower() in _SHELLS
        elif mark and mark[1].startswith(fence) and not mark[2]:
            fence, joined = "", ""
        elif fence:
            joined += line.strip()
            if is_shell and not joined.endswith("\\"):
                yield from _commands_of(joined)
            joined = joined[:-1] if joined.endswith("\\") else ""
        elif not _NEGATED.search(line):
            for code in _CODE.finditer(line):
                yield from _commands_of(code[2])


def _commands_of(code: str) -> Iterator[str]:
    command = _REMARK.sub("", code.strip().removeprefix("$ ")).strip()
    command = _OUTPUT.sub("", command)
    if is_check_command(command):
        yield command


def is_check_command(command: str) -> bool:
    """Return whether one would run this to verify work; it changes nothing of the work itself."""
    is_plain = command.isprintable() and _SHORTEST <= len(command) <= _LONGEST
    if not is_plain or _PLACEHOLDER.search(command.replace("&&", "")):
        return False
    *before, last = (part.strip() for part in command.split("&&"))
    return _verifies(last) and all(_CD.match(part) or _verifies(part) for part in before)


def _verifies(command: str) -> bool:
    program, *arguments = _without_runner(command.split()) or [""]
    has_wildcard = any(word.endswith("/...") for word in arguments)
    if any(map(_CHANGING.match, arguments)) or (has_wildcard and program not in _WITH_WILDCARDS):
        return False
    if program in _CHECKERS or _SCRIPT.fullmatch(program):
        return True
    if _PYTHON.fullmatch(program):
        return bool(arguments) and _PYTHON_SCRIPT.fullmatch(arguments[0]) is not None
    word = next((word for word in arguments if not word.startswith(("-", "+"))), "")
    if word in _SUBCOMMANDS.get(program, ()):
        return True
    subcommand, *flags = _ONLY_WITH.get(program, ("",))
    if subcommand in ("", word) and any(flag in arguments for flag in flags):
        return True
    return _runs_target(program, arguments)


def _without_runner(words: list[str]) -> list[str]:
    """Return a command without what only runs it: `uv run`, `python -m`, a shell, a time limit."""
    while words:
        runner = next((r for r in _RUNNERS if tuple(words[: len(r)]) == r), ())
        if runner:
            words = words[len(runner) :]
        elif _ASSIGNMENT.fullmatch(words[0]) or words[0] in ("sh", "bash"):
            words = words[1:]
        elif words[0] == "timeout" or (_PYTHON.fullmatch(words[0]) and words[1:2] == ["-m"]):
            words = words[2:]
        elif _PYTHON.fullmatch(words[0]) and _program(*words[1:2] or [""]) == "manage.py":
            words = words[1:]
        else:
            return [_program(words[0]), *words[1:]]
    return words


def _program(path: str) -> str:
    """Return the name of a program that is called by a usual path."""
    for place in _PLACES:
        path = path.removeprefix(place)
    names = {"./gradlew": "gradle", "./mvnw": "mvn", "./manage.py": "manage.py", "./dev": "dev"}
    return names.get(path, path.removeprefix("bin/") if path in ("bin/rails", "bin/rake") else path)


def _runs_target(program: str, arguments: Sequence[str]) -> bool:
    """Return whether a build tool or a package manager runs scripts that verify, and no others."""
    words = [*_positional(arguments)]
    if program in _TARGET_RUNNERS:
        targets = [word for word in words if not _ASSIGNMENT.fullmatch(word)]
        return bool(targets) and all(map(_is_target, targets))
    if program not in _PACKAGE_MANAGERS:
        return False
    is_named = words[:1] in (["run"], ["run-script"])
    target = next(iter(words[is_named:]), "")
    return _is_target(target) and (is_named or target != "ci")  # `npm ci` installs


def _positional(arguments: Sequence[str]) -> Iterator[str]:
    """Yield the arguments up to `--` that are neither options nor the values of options."""
    before = ""
    for word in arguments:
        if word == "--":
            return
        if not word.startswith("-") and before not in _VALUE_FLAGS:
            yield word
        before = word


def _is_target(word: str) -> bool:
    return _TARGET.fullmatch(word) is not None and not _BAD_TARGET.search(word)
