"""Commands in Markdown that one runs to verify work."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.hosts.plan_mode.check_commands import find_check_commands, is_check_command

CHECKS = """
pytest
pytest --ignore=tests/slow
pytest --import-mode=importlib --fixtures
mypy --ignore-missing-imports src
cargo test --ignored
python -m unittest --unbuffered
pytest -q tests/test_delete.py
pytest -k "not slow" --cov=src
python -m pytest tests
python3.12 -m unittest discover
python -m mypy src
python manage.py test
python manage.py makemigrations --check --dry-run
./manage.py check
python tests/run_tests.py
python3 test_all.py
uv run pytest
uv run -- pytest
uv run python -m pytest
poetry run mypy .
CI=1 npm test
PYTHONPATH=src pytest
timeout 60 pytest
time make check
npm test
npm t
npm run lint
npm run test:unit
npm run typecheck -- --strict
npm --prefix web run build
pnpm test
pnpm --filter api test
pnpm run ci
yarn lint
yarn run build
bun test
bun run type-check
npx tsc --noEmit
npx eslint src
npx vitest run
./node_modules/.bin/jest
vendor/bin/phpunit
make check
make -C api test
make -j4 test lint
make test V=1
make type-check
just test
cargo test
cargo +nightly test
cargo clippy -- -D warnings
cargo fmt --all -- --check
cargo nextest run
go test ./...
go vet ./pkg/...
golangci-lint run
ruff check .
ruff format --check .
black --check .
isort --check-only src
prettier --check src
gofmt -l .
cmake --build build
mvn test
./mvnw -q verify
./gradlew test
./gradlew :app:testDebug lint
dotnet test
bundle exec rspec
bin/rails test
mix test
deno test
tox -e py312
ctest --output-on-failure
git diff --check
pre-commit run --all-files
terraform validate
terraform fmt -check
./dev check
scripts/test.sh
./scripts/run_tests.sh --all
bash ci/lint.sh
bin/test
npm run build && npm test
cd web && npm test
cd web/app && pytest && ruff check .
"""
NO_CHECKS = """
rm -rf build
ls
cd web
cd .. && pytest
cd / && make test
cd ~ && make test
echo done
curl http://localhost:3000
docker compose up
git push
git diff
npm install
npm ci
npm start
npm run dev
npm run deploy
npm run test:watch
npm run lint:fix
npm run db:migrate
npm run lint -- --fix
npm
npm run
make
make clean
make test clean
make install
make deploy-test
make V=1
just release
mvn clean verify
cargo run
cargo fmt
cargo publish
cargo
go run main.go
go mod tidy
ruff check --fix .
ruff check --fix-only
ruff format .
ruff
black .
isort src
prettier --write src
eslint --fix src
jest -u
sphinx-build -i
rubocop -i=x
golangci-lint run -fix
jest --updateSnapshot
jest --watchAll
vitest --watch
pytest --snapshot-update
pytest <path>
pytest path/to/test.py
pytest ...
pytest tests/...
pytest {file}
pytest $FILE
pytest [options]
pytest | sh
pytest > log
pytest; rm -rf .
pytest || true
pytest && rm -rf .
pytest & sleep 9
pytest `date`
pytest $(date)
python app.py
python manage.py migrate
python manage.py makemigrations
python -c "print(1)"
python
terraform apply
terraform fmt
tests/test_parser.py
src/test.py
test
uv run
timeout 60
sh
TODO: pytest
the tests
"""


@pytest.mark.parametrize("command", CHECKS.strip().splitlines())
def test_a_command_that_verifies_is_found(command: str) -> None:
    assert is_check_command(command)
    assert [*find_check_commands([f"- Run `{command}` and look"])] == [command]


@pytest.mark.parametrize("command", NO_CHECKS.strip().splitlines())
def test_what_does_more_or_says_less_is_no_check(command: str) -> None:
    assert not is_check_command(command)


def test_no_check_has_control_characters_or_is_too_long() -> None:
    assert not is_check_command("pytest\x1b[31m")
    assert not is_check_command(f"pytest {'x' * 300}")


def test_commands_stand_in_code_and_in_blocks_of_shell_code() -> None:
    text = """
`pytest` and ``mypy src``, then `look`
```python
make check
```
~~~sh
# all of it
make check  # the whole
ruff check . \\
  --select E
~~~
1. ```
   $ npm test 2>&1 | tail -5
   12 passed
   ```
pytest -q
Do not run `tox`, 不要运行 `nox`
"""
    assert [*find_check_commands(text.splitlines())] == [
        "pytest",
        "mypy src",
        "make check",
        "ruff check . --select E",
        "npm test",
    ]


def test_a_block_ends_at_its_own_fence() -> None:
    lines = ["````sh", "pytest", "```", "mypy", "````", "nox"]
    assert [*find_check_commands(lines)] == ["pytest", "mypy"]


@given(st.lists(st.text() | st.sampled_from(CHECKS.strip().splitlines()).map("`{}`".format)))
def test_every_command_found_is_a_check_in_one_line(lines: list[str]) -> None:
    for command in find_check_commands(lines):
        assert is_check_command(command)
        assert command.isprintable()
