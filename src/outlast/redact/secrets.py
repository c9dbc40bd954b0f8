"""Redact secrets in text, in two passes.

The first pass finds secrets by their form: keys of well-known services, private keys, passwords in
addresses. The second finds them by their name: `password=…`, `"api_key": "…"`. A value under such a
name is redacted unless it is clearly code, a placeholder or prose. Every expression consumes what
it has examined or has a bounded lookahead, so the time is linear in the length of the text.
"""

from __future__ import annotations

import re
from binascii import Error, a2b_base64
from typing import Final

from outlast.redact.hints import has_form_hint, has_name_hint, lowercase

REDACTED: Final = "[redacted]"

# --- secrets by their form ----------------------------------------------------------------------

# The boundary follows the first letters, so that the search can skip to these.
_FORMS: Final = re.compile(
    r"""
      sk-(?<![A-Za-z0-9]sk-)(?=[A-Za-z_-]{0,40}[0-9])[A-Za-z0-9_-]{16,}
    | sk_(?<![A-Za-z0-9]sk_)(?:live|test)_[A-Za-z0-9]{10,}
    | rk_(?<![A-Za-z0-9]rk_)(?:live|test)_[A-Za-z0-9]{10,}
    | whsec_[A-Za-z0-9+/]{16,}
    | gh[pousr]_[A-Za-z0-9]{20,}
    | github_pat_[A-Za-z0-9_]{20,}
    | gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent|oas|imt)-[A-Za-z0-9_.-]{16,}
    | A(?:KIA|SIA)(?<![A-Za-z0-9]A...)[A-Z0-9]{16}(?![A-Za-z0-9])
      (?:["'\s,:;|]{1,4}[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+]))?
    | AIza[A-Za-z0-9_-]{30,}
    | EAA(?<![A-Za-z0-9]EAA)[A-Za-z0-9]{60,}
    | ya29\.[A-Za-z0-9_-]{20,}
    | GOCSPX-[A-Za-z0-9_-]{20,}
    | xox[abeoprs]-[A-Za-z0-9-]{10,}
    | xapp-[0-9]-[A-Za-z0-9-]{10,}
    | hooks\.slack\.com/services/[A-Za-z0-9/]{20,}
    | npm_[A-Za-z0-9]{30,}
    | pypi-[A-Za-z0-9_-]{50,}
    | hf_(?<![A-Za-z0-9]hf_)[A-Za-z0-9]{20,}
    | gsk_(?<![A-Za-z0-9]gsk_)[A-Za-z0-9]{20,}
    | xai-(?<![A-Za-z0-9]xai-)[A-Za-z0-9]{20,}
    | pplx-[A-Za-z0-9]{20,}
    | r8_(?<![A-Za-z0-9]r8_)[A-Za-z0-9]{30,}
    | dop_v1_[a-f0-9]{32,}
    | SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}
    | hvs\.[A-Za-z0-9_-]{20,}
    | eyJ(?<![A-Za-z0-9_-]eyJ)[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?
    | -----BEGIN[ ](?:[A-Z0-9]{1,20}[ ]){0,4}PRIVATE[ ]KEY(?:[ ]BLOCK)?-----
      (?=[\s+>|\#*"']{0,80}(?:\\+[nr]|[A-Za-z0-9+/=]{16}|[A-Z][A-Za-z-]{1,20}:))
      [^-]*(?:-(?!----)[^-]*)*(?:-----END[^-\r\n]{1,60}-----)?
    | (?P<address>://[^\s/?\#:@"'<>`]*:)[^\s/?\#"'<>`]+(?=@)
    | (?P<bot>:)(?<=[0-9]:)AA[A-Za-z0-9_-]{30,}
    | (?P<bearer>earer(?<=[Bb]earer)[ \t]{1,4})
      (?:(?=[A-Za-z._~+/-]{0,60}[0-9])[A-Za-z0-9._~+/-]{6,}|[A-Za-z._~+/-]{20,})=*
    | (?P<basic>asic(?<=[Bb]asic)[ \t]{1,4})(?P<pair>[A-Za-z0-9+/]{6,}={0,2})
    """,
    re.VERBOSE,
)


def _redact_form(match: re.Match[str]) -> str:
    if match["pair"] and not _is_login(match["pair"]):
        return match[0]
    prefix = match["address"] or match["bot"] or match["bearer"] or match["basic"] or ""
    return prefix + REDACTED


def _is_login(coded: str) -> bool:
    """Return whether the word after `Basic` is a user name with a password, not just a word."""
    try:
        return b":" in a2b_base64(coded + "=" * (-len(coded) % 4))
    except Error:
        return False


# --- secrets by their name ----------------------------------------------------------------------

NAME: Final = r"""(?P<name>
      pass(?:word|wd|phrase|code) | pass(?<![a-z0-9]pass) | pwd
    | secret(?:[_ -]?(?:access[_ -]?)?key)? | token
    | api[_ -]?key | a(?:ccess|ccount|uth)[_ -]?key | private[_ -]?key | client[_ -]?key
    | encryption[_ -]?key | signing[_ -]?key | master[_ -]?key | subscription[_ -]?key
    | credentials? | (?P<header>authorization) | _auth(?<![a-z0-9]_auth) | cookie
    | 密码 | 口令 | 密钥 | 令牌
)"""
_ASSIGNED: Final = re.compile(
    NAME
    + r"""
    (?: (?P<closed>\\*["'`])?\]?[ \t]{0,16}
        (?::[ \t]{0,4}(?:&?str(?:ing)?|bytes|secretstr|final)[ \t]{0,4}(?=:?=))?
        (?P<sign>:=|=>|[=:\uff1a])(?![=:>~])[ \t]{0,16}(?:[|>][+-]?[ \t]{0,16}\r?\n[ \t]{0,40})?
      | (?P<pair>["']?,?\s{1,40}["']?value["']?[ \t]{0,4}:[ \t]{0,16})
      | (?P<gap>[ \t]{1,4}|["'],[ \t]{0,4}(?=["']))
      | (?P<tag>>)(?=[^<>\r\n]{1,200}</)
    )
    (?: (?:secretstr\(|[brfu]{1,2})?
        (?: (?P<slashes>\\+)["'](?P<escaped>(?:(?!(?<!\\)(?P=slashes)["'])[^\r\n])*)
          | "(?P<double>[^"\\\r\n]*(?:\\.[^"\\\r\n]*)*)
          | '(?P<single>[^'\\\r\n]*(?:\\.[^'\\\r\n]*)*)
        )
      | (?P<bare>
            (?(header)(?:(?:bearer|basic|token|bot|apikey|negotiate)[ \t]{1,4})?)
            (?:\[redacted\]|\\(?!\\{0,7}["'])|[^\s\\"'`,;&<>(){}\[\]\uff0c\u3002\uff1b\uff1a\u3001\uff01\uff1f\uff08\uff09])*
        )
    )
    """,
    re.VERBOSE,
)

# The position in a list that is fetched page by page: working data, not a credential.
_PAGE: Final = re.compile(
    r"(?:^|[^a-z]|next|prev|previous|start)page[_ -]?\Z"
    r"|(?:^|[^a-z])(?:next|prev|previous|continuation|continue|pagination|cursor)[_ -]?\Z"
)
_TO_SPACE: Final = re.compile(r"""[^\s"'`]*""")
_TO_END: Final = re.compile(r"[^\r\n]*")
_LONG_SCHEMES: Final = ("digest", "aws4-", "oauth", "hawk")
_TO_QUOTE: Final = re.compile(r"""[^\r\n"'`]*""")
_TO_TAG: Final = re.compile(r"[^<]*")
_LINE_START: Final = re.compile(r"(?:^|\n)[ \t]*(?:(?:export|set|env|-e)[ \t]+)?[\w.]*\Z")
_IN_QUOTES: Final = re.compile(r"""(["'`])[\w ]{0,40}\Z""")
_FLAG: Final = re.compile(r"(?:^|[^\w-])--?[a-z0-9-]*\Z")
_NO_LETTER: Final = re.compile(r"\W+")
_LETTERS: Final = re.compile(r"[a-z]+")
_CODE: Final = re.compile(r"[$:@&*!]{0,2}[a-z_]\w*(?:(?:\.|->|::)[a-z_]\w*)*")
_VARIABLE: Final = re.compile(r"\$(?:\d|[A-Z_][A-Z0-9_]*)|%[a-z]")
_BLANK: Final = re.compile(
    r"[^a-z0-9=:\uff1a]* | x{3,} | <[\w .-]*> | \{\{?[\w .]*\}\}? | \$\{.*\} | \$\(.*\)", re.VERBOSE
)
_NEXT_WORD: Final = re.compile(r"[,;.]?[ \t]+[a-z\u4e00-\u9fff]")
_SHORTEST: Final = 3
_SMALL: Final = re.compile(r"\d{1,5}")
_OWNERS: Final = frozenset(
    {
        *("self", "this", "args", "config", "cfg", "settings", "os", "process", "env", "req"),
        *("request", "options", "opts", "ctx", "data", "user", "params", "secrets", "vars"),
        *("var", "local", "module", "response", "client", "props", "state", "body", "form"),
        *("event", "app"),
    }
)
_WORDS: Final = frozenset(
    {
        *("null", "none", "nil", "undefined", "true", "false", "yes", "no", "on", "off", "str"),
        *("string", "bytes", "bool", "boolean", "int", "integer", "number", "float", "object"),
        *("any", "text", "char", "varchar", "secretstr", "required", "optional", "missing"),
        *("expired", "invalid", "valid", "wrong", "incorrect", "unknown", "empty", "unset"),
        *("set", "changed", "rotated", "revoked", "ok", "is", "are", "was", "were", "must"),
        *("should", "can", "may", "will", "has", "have", "the", "a", "an", "and", "or", "of"),
        *("to", "in", "for", "from", "with", "by", "as", "at", "it", "not", "see", "via"),
        *("tbd", "todo", "hidden", "masked", "redacted", "removed", "omitted", "prompt"),
        *("stdin", "file", "env", "default", "self", "this", "await", "new", "lambda"),
        *("function", "async", "input", "if", "else", "return", "typeof", "field", "include"),
        *("omit", "same-origin", "flag", "option", "n/a"),
    }
)


def redact(text: str) -> str:
    """Replace each secret in a text by `[redacted]`."""
    if has_form_hint(text):
        text = _FORMS.sub(_redact_form, text)
    low = lowercase(text)
    return _redact_named(text, low) if has_name_hint(low) else text


def names_page_token(before: str) -> bool:
    """Return whether `token` after this lowercase text names a page of results, not a secret."""
    return _PAGE.search(before) is not None


def _redact_named(text: str, low: str) -> str:
    pieces: list[str] = []
    done = at = 0
    while (match := _ASSIGNED.search(low, at)) is not None:
        value = _NamedValue(text, low, match)
        if value.is_harmless():
            at = match.end("name")
            continue
        pieces += text[done : value.begin], REDACTED
        done = at = value.end
    return "".join([*pieces, text[done:]])


class _NamedValue:
    """A value under the name of a secret, with the text around it."""

    def __init__(self, text: str, low: str, match: re.Match[str]) -> None:
        """Find where the value begins and ends."""
        self.low = low
        self.match = match
        self.name = match["name"]
        self.before = low[max(0, match.start() - 60) : match.start()]
        self.quoted = match["bare"] is None
        self.strict = text[match.start("name") : match.end("name")].isupper()
        self.begin, self.end = match.span(match.lastgroup or 0)
        if not self.quoted:
            self.end = self._end_of_bare()
        self.value = low[self.begin : self.end]
        self.exact = text[self.begin : self.end]

    def _end_of_bare(self) -> int:
        more = None
        if self.match["tag"]:
            more = _TO_TAG
        elif self.name == "cookie":
            more = _TO_QUOTE
        elif self.match["header"] and self.match["bare"].startswith(_LONG_SCHEMES):
            more = _TO_END
        elif self.strict and self.match["sign"] == "=" and _LINE_START.search(self.before):
            more = _TO_SPACE
        rest = more and more.match(self.low, self.end)
        return rest.end() if rest else self.end

    def is_harmless(self) -> bool:
        """Return whether the value is no secret."""
        if not self.value or self.value == REDACTED or self.value.startswith(REDACTED + "@"):
            return True
        if self.match["gap"] and not _FLAG.search(self.before):
            return True
        if self._is_other_name() or _BLANK.fullmatch(self.value):
            return True
        if self.value in _WORDS or _VARIABLE.fullmatch(self.exact):
            return True
        if self.quoted:
            return self._is_label()
        return len(self.value) < _SHORTEST or self._is_code() or self._is_prose()

    def _is_other_name(self) -> bool:
        """Return whether the name means something else here."""
        if self.name == "cookie":
            return self.quoted or self.match["sign"] != ":" or "=" not in self.value
        if self.name == "pwd":
            return self.value[0] in "/~."
        if self.name == "pass" and not self.quoted and self.before[-1:] not in tuple("_-&?"):
            return True
        if self.name == "token" and not self.strict and names_page_token(self.before):
            return True
        return self.name in ("pass", "token") and _SMALL.fullmatch(self.value) is not None

    def _is_label(self) -> bool:
        """Return whether the quotation mark ends a string such as "Password: "."""
        if self.match["sign"] != ":" or self.match["closed"]:
            return False
        opened = _IN_QUOTES.search(self.before)
        return opened is not None and opened[1] == self.low[self.begin - 1]

    def _is_code(self) -> bool:
        """Return whether the value is an expression, not a literal."""
        if self.strict or not _CODE.fullmatch(self.value):
            return False
        if self.low[self.end : self.end + 1] in ("(", "["):
            return True
        parts = _NO_LETTER.split(self.value.lstrip("$:@&*!"))
        return (len(parts) > 1 and parts[0] in _OWNERS) or self._is_named_alike(parts[-1])

    def _is_named_alike(self, variable: str) -> bool:
        """Return whether a variable has the name that it is assigned to."""
        name = self.name.replace("-", "_").replace(" ", "_")
        if variable == name or variable.endswith(f"_{name}"):
            return True
        return self.exact[0].islower() and self.exact.endswith(name.capitalize())

    def _is_prose(self) -> bool:
        """Return whether the value is a word of a sentence."""
        if self.match["sign"] not in (":", "\uff1a") or not _LETTERS.fullmatch(
            self.value.split()[-1]
        ):
            return False
        return _NEXT_WORD.match(self.low, self.end) is not None
