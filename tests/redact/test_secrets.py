"""A5: secrets in text are redacted, and everything else stays as it was."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from outlast.language import TOPICS, topic
from outlast.redact.hints import has_hint
from outlast.redact.secrets import REDACTED, redact

CANARY = "c4n4ry7Q9xZ2"
LONG = "c4n4ry7Q9xZ2bT5vLm8KpW3sRd6HyJf1NgAe0UoC"
CODED = "eyJzdWIiOiIxMjM0NTY3ODkwIn0"
LETTERS = "CANARYQXZBTVLMKP"

# Begun and ended apart, so that nobody's scanner takes this file for a leak.
FORMS = [
    *(("sk-", LONG), ("sk-proj-", LONG), ("sk-ant-api03-", LONG), ("sk-or-v1-", LONG)),
    *(("ghp_", LONG), ("gho_", LONG), ("ghs_", LONG), ("github_pat_", LONG), ("glpat-", LONG)),
    *(("AK" + "IA", LETTERS), ("AS" + "IA", LETTERS), ("AI" + "za", LONG), ("ya29.", LONG)),
    *(("xox" + "b-1234-", LONG), ("xox" + "p-", LONG), ("xa" + "pp-1-", LONG), ("GOCSPX-", LONG)),
    *(("sk_" + "live_", LONG), ("rk_" + "test_", LONG), ("whsec_", LONG), ("npm_", LONG)),
    *(("pypi-", LONG + LONG), ("hf_", LONG), ("gsk_", LONG), ("xai-", LONG), ("pplx-", LONG)),
    *(("r8_", LONG), ("dop_v1_", "0123456789abcdef" * 4), ("hvs.", LONG)),
    *((f"SG.{LONG}.", LONG), ("eyJhbGciOiJIUzI1NiJ9.", f"{CODED}.{LONG}")),
    ("EA" + "A", LONG + LONG),
    ("hooks.slack.com/services/", f"T000/B000/{LONG}"),
]


@pytest.mark.parametrize(("start", "rest"), FORMS)
@pytest.mark.parametrize(
    "around", ["{}", "a {} b", '"{}"', "x={}", "({}),", "密钥是{}。", "\n{}\n"]
)
def test_a5_well_known_forms_are_redacted(start: str, rest: str, around: str) -> None:
    assert redact(around.format(start + rest)) == around.format(REDACTED)


BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQ+/c4n4ry==\n"
PEM = f"-----BEGIN {{0}}PRIVATE KEY-----\n{BODY}-----END {{0}}PRIVATE KEY-----"


@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
def test_a5_private_keys_are_redacted(kind: str) -> None:
    key = PEM.format(kind)
    assert redact(f"before\n{key}\nafter") == f"before\n{REDACTED}\nafter"
    assert redact(json.dumps({"k": key, "b": 1})) == json.dumps({"k": REDACTED, "b": 1})
    assert redact(key.replace("\n", "\n+ ")) == REDACTED
    assert redact(key[:90]) == REDACTED
    assert redact(key.replace("\n", "\nProc-Type: 4,ENCRYPTED\n", 1)) == REDACTED


NAMED = [
    ("password={}", ""),
    ("password = {}", ""),
    ("Password: {}", ""),
    ("passwd={};Database=x", ""),
    ("DB_PASSWORD={},;&x(y", "DB_PASSWORD=[redacted]"),
    ("export API_KEY={}|x", "export API_KEY=[redacted]"),
    ("a\nTOKEN={}{{x\nb", "a\nTOKEN=[redacted]\nb"),
    ("PASSWORD=$x{}", "PASSWORD=[redacted]"),
    ("MYSQL_PWD={}", ""),
    ("SMTP_PASS={}", ""),
    ("auth: {{user: 'a', pass: '{}'}}", ""),
    ("dbPassword: {}", ""),
    ("- access_token: {}", ""),
    ("refreshToken={}&next=1", ""),
    ("page_access_token={}", ""),
    ("homepage_token={}", ""),
    ("SYNC_NEXT_TOKEN={}", ""),
    ('{{"nextAuthToken": "{}"}}', ""),
    ("GET /x?api_key={}&page=2 HTTP/1.1", ""),
    ("?token={}#top", "?token=[redacted]"),
    ('{{"api_key": "{}", "n": 1}}', ""),
    ('{{"a": {{"clientSecret":"{} with spaces"}}}}', '{{"a": {{"clientSecret":"[redacted]"}}}}'),
    ('"password": "a\\"{}\\\\", "b": 2', '"password": "[redacted]", "b": 2'),
    ('{{\\"password\\": \\"{}\\", \\"b\\": 1}}', ""),
    (
        '{{\\"password\\": \\"a\\\\\\"{}\\", \\"b\\": 1}}',
        '{{\\"password\\": \\"[redacted]\\", \\"b\\": 1}}',
    ),
    ("{{'secret': '{}'}}", ""),
    ("'password' => '{}',", ""),
    ('config["secret_key"] = "{}"', ""),
    ('password: str = "{}"', ""),
    ('password := "{}"', ""),
    ('connect("h", token=b"{}")', ""),
    ('password: SecretStr = SecretStr("{}")', ""),
    ('password="{} not closed', 'password="[redacted]'),
    ("password: |\n  {}\nuser: x", ""),
    ("- name: DB_PASSWORD\n  value: {}\n", ""),
    ('{{"name": "API_TOKEN", "value": "{}"}}', ""),
    ("<password>{} x</password>", "<password>[redacted]</password>"),
    ("mysql --password {} --user bob", ""),
    ("mysql --db-password={} db", ""),
    ('tool --api-key "{}" run', ""),
    ('["--token", "{}"]', ""),
    ("Authorization: Bearer {}", "Authorization: [redacted]"),
    ("AUTHORIZATION: {}", ""),
    ('curl -H "Authorization: token {}" x', 'curl -H "Authorization: [redacted]" x'),
    ('curl -H \\"X-Api-Key: {}\\" x', ""),
    ('"Proxy-Authorization": "Basic {}"', '"Proxy-Authorization": "[redacted]"'),
    ('Authorization: Digest username="x", response="{}"', "Authorization: [redacted]"),
    ("Cookie: a=b; session={}; c", "Cookie: [redacted]"),
    ("send Bearer {} along", ""),
    ("aws_secret_access_key = {}/x", "aws_secret_access_key = [redacted]"),
    ("AccountName=x;AccountKey={};", ""),
    ("//registry/:_auth={}", ""),
    ("API key: {}", ""),
    ("postgres://user:{}@host:5432/db", ""),
    ("redis://:{}@host", ""),
    ("git clone https://user:p@{}@host/x.git", "git clone https://user:[redacted]@host/x.git"),
    ("https://x-access-token:{}@github.com/a/b", ""),
    ("bot 123456789:AA{0}{0}{0}", "bot 123456789:[redacted]"),
    ('  File "a.py", line 3, in f\n    login(password="{}")\nValueError: token={}', ""),
    ("密码：{}，请保管", ""),
    ("令牌: {}", ""),
    ("İ password={}", ""),
    ("api_key: oauth{}, expires soon", "api_key: [redacted], expires soon"),
    ("PASSWORD: {}, USER: ann", ""),
    ("PASSWORD=self.{}", "PASSWORD=[redacted]"),
    ("next_secret={}", ""),
    ("""say('password: "{}"')""", ""),
    ("call it with PASSWORD={}, then go on", ""),
]


@pytest.mark.parametrize(("form", "expected"), NAMED)
def test_a5_values_under_the_name_of_a_secret_are_redacted(form: str, expected: str) -> None:
    text = form.replace("{}", CANARY).replace("{0}", CANARY).replace("{{", "{").replace("}}", "}")
    wanted = (expected or form.replace("{}", REDACTED)).replace("{{", "{").replace("}}", "}")
    assert redact(text) == wanted
    assert redact(wanted) == wanted


@pytest.mark.parametrize(
    "assignment",
    ["password=12345", "api_key=99999", "DB_PASSWORD=4711", "secret=2024", "Password: 31415"],
)
def test_a5_a_short_number_is_a_secret_under_the_name_of_one(assignment: str) -> None:
    assert redact(assignment).endswith(REDACTED)


@pytest.mark.parametrize("count", ["token=5", "token: 12345", "pass=12"])
def test_a5_a_short_number_of_tokens_or_passes_is_none(count: str) -> None:
    assert redact(count) == count
    assert redact(count.replace("token", "secret").replace("pass=12", "secret=1212")) != count


def test_a5_what_is_too_short_for_a_secret_stays() -> None:
    assert redact("password=k9z") == f"password={REDACTED}"
    assert redact("password=k9") == "password=k9"


def test_a5_a_secret_beside_an_access_key_is_redacted_too() -> None:
    text = f"ann,{'AK' + 'IA'}{LETTERS},{LONG}\nbob"
    assert redact(text) == f"ann,{REDACTED}\nbob"


@pytest.mark.parametrize("login", ["dXNlcjpwYXNz", "dXNlcjpwYXNzdw=="])
def test_a5_a_basic_login_is_told_from_a_word(login: str) -> None:
    assert redact(f"sent Basic {login} to it") == f"sent Basic {REDACTED} to it"


PROSE = """the token is missing
password reset page
next: 5
Token: missing
password: required
password: must be at least 8 characters
Password: the user types it twice, then it is hashed
token: see the docs
the password field: leave it empty
All tests pass: 12, fail: 0
pass: true
test_pass=true
PWD=/home/ann OLDPWD=/tmp
lease token: 7, revision 12
token=12 until 10:00
max_tokens=4096, "total_tokens": 512, token_count: 9, token_type: bearer
tokenizer: fast
primary_key=id, sort_key: name, keyboard: us
cookie: chocolate
Bearer authentication and Basic authentication, Basic JavaScript, Basic understanding
--password PASSWORD  the password
use --token to pass it, or --api-key <API_KEY>
--token-file path
--password "$DB_PASSWORD" --token ${TOKEN} --secret $(cat file)
task-management-of-many-things, disk-usage-2024-report-final, sk-learn-like-names-only
the file begins with `-----BEGIN PRIVATE KEY-----`, so look for that
http://localhost:8080/path ssh://git@host/x mailto:a@b.org http://[::1]:80/@scope/x
2024-01-01T00:00:00Z sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
3f2b8c1e-7d4a-4b6e-9c1f-2a5d8e7b6c3f add-oauth-3f2
def login(user: str, password: str, token: Token | None = None) -> None:
password = input("Password: ")
password = getpass.getpass('Enter password: ')
password = ask("Password: ", timeout=30)
the tests pass: commit4711 was built
pwd=
{"cookie": "theme=dark1"} cookie=theme=dark1
token = self.tokens[0]; token = next(tokens); token += 1
if token == expected and password != other: pass
login(password=password, token=access_token, api_key=args.api_key, secret=self.secret)
const token = await fetchToken(); let apiKey = process.env.API_KEY
token: accessToken
f"token={token} password={{password}}"
"token=%s password=%(password)s" % x
SELECT * FROM users WHERE token = ? AND password = :password OR token = $1
password: string; token?: string; secret: bytes
"password": {"type": "string"}, "token": null, "secret": ""
password: ${{ secrets.PASSWORD }}
password: "{{ password }}"
password: "<your password>"
password=******** token=xxxxxxxx
fetch(url, {credentials: 'include'})
Token::Kind, token => x, token->next
给登录页加上验证：令牌缺失时提示用户，密码：必填，口令：无
密码: 8 位以上，密钥长度不限
"password": "密码"
next_page_token=CAUQAA page_token: c4n4ry7Q9xZ2 "nextPageToken": "CiAKGjBpNDd2Nmp2Zml2cXRwYjBpOXA"
GET /items?pageToken=CAUQAA&continuation_token=abc123def4 --page-token CAUQAA --next-token=eyJ2Ijoi
{"NextToken": "c4n4ry7Q9xZ2", "continuationToken":"1!72!MDAw", "prev-page-token": "c4n4ry7Q9xZ2"}
authorization: required
Authorization: Basic authentication is used
"""


@pytest.mark.parametrize("line", PROSE.splitlines())
def test_ordinary_text_code_and_chinese_stay(line: str) -> None:
    assert redact(line) == line


def test_ordinary_text_stays_as_a_whole() -> None:
    assert redact(PROSE) == PROSE


def test_what_the_program_says_itself_stays() -> None:
    for said in (said for name in TOPICS for row in topic(name).values() for said in row):
        assert redact(said) == said


FRAGMENTS = st.one_of(
    st.sampled_from(
        [
            *(
                "password",
                "PASSWORD",
                "token",
                "Token",
                "api_key",
                "pass",
                "pwd",
                "cookie",
                "secret",
            ),
            *(
                "authorization",
                "passphrase",
                "密码",
                "value",
                "name",
                "--",
                "-",
                "_",
                "self.",
                "str",
            ),
            *("=", ":", "：", "=>", ":=", " ", "  ", "\n", "\t", '"', "'", "`", "\\", '\\"', ","),
            *(";", "&", "(", ")", "[", "]", "{", "}", "<", ">", "</", "$", "@", "://", "/", "|\n"),
            *(
                "Bearer ",
                "Basic ",
                "basic",
                "digest ",
                "dXNlcjpwYXNz",
                "hunter2",
                "a",
                "1",
                "hunter",
            ),
            *(
                REDACTED,
                CANARY,
                "sk-",
                LONG,
                "ghp_",
                "eyJ",
                "-----BEGIN PRIVATE KEY-----\n",
                "-----",
            ),
            *("-----END PRIVATE KEY-----", BODY, "AK" + "IA", LETTERS, ".", "İ", "中", "b"),
        ]
    ),
    st.text(max_size=3),
)


@given(st.lists(FRAGMENTS, max_size=14).map("".join))
@example("")
def test_a5_what_is_redacted_stays_as_it_is(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


@given(st.lists(FRAGMENTS, max_size=14).map("".join))
@example(f"DB_PASSWORD\n value: {CANARY}")
@example(f"<password>{CANARY}</password>")
@example(f"--password {CANARY}")
@example(f"密码：{CANARY}")
def test_a5_every_text_with_a_secret_has_a_hint(text: str) -> None:
    assert has_hint(text) or redact(text) == text


@pytest.mark.parametrize(("start", "rest"), FORMS)
def test_a5_every_form_has_a_hint_before_its_secret_part(start: str, rest: str) -> None:
    assert has_hint(start)
    assert has_hint(start + rest)


@given(st.text("abcdefghijklmnopqrstuvwxyz .,!?\n中文，。", max_size=300))
def test_text_without_any_hint_stays(text: str) -> None:
    assert redact(text) == text


HOSTILE = [
    *("password=", "token:", "token=token(", "--token ", 'password: "', '\\"password\\": \\"'),
    *(
        "password=\\",
        "token   ",
        "token",
        "://",
        "://a:",
        "eyJaaaaaaaa.",
        "eyJ",
        "sk-",
        "AK" + "IA",
    ),
    *("-----BEGIN PRIVATE KEY-----\n", "-----BEGIN A ", "Bearer ", "Basic aaaaaaaa", "token>a"),
    *("secret \n value", "cookie: a=", "authorization: digest ", "token: str", "token=a.", "\\"),
    *("'", '"', "-", "_", "密码：", "密码:", "password='\\", "SG.aaaaaaaaaaaaaaaaaaaa", "x-token-"),
]


@pytest.mark.parametrize("part", HOSTILE)
@pytest.mark.parametrize("end", ["", "(", '"', "@", "</"])
def test_a5_hostile_text_does_not_hang(part: str, end: str) -> None:
    """A search that goes back and forth would take hours here, not a moment."""
    text = (part * 65536)[:65536] + end
    redact(text)
    redact(f"token={part}{' ' * 65536}{end}")
