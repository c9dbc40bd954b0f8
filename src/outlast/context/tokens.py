"""Estimate how many tokens a text has, without a tokenizer: rather too many than too few.

Models split text in different ways. The figures hold for the tokenizers o200k and cl100k: ordinary
English and Chinese are estimated at about one and a half times their tokens, and what is made up of
strange characters never at much less.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

# Frequent words with one token, whether or not a space stands before them or the first letter is
# a capital.
_WORDS: Final = (
    "about add after again against agent agents all almost also always and another answer any "
    "api are around array average away back because been before being better between both "
    "branch budget bug build business but cache call called calls came can change changes "
    "chart check class client close code column come command commit compare config context "
    "cost could course create current customer customers data database date dates day default "
    "deploy did directory disk docs document documents does don done down download draft "
    "during each email end english error errors even event events every export extract fact "
    "failed far feature few field fields figure file files find finding first fix folder for "
    "format found from function general get given goal going good got great group had hand "
    "has have head her here high him his home hook hooks hour house how however html image "
    "import index input install into issue its json just keep key know language last left "
    "less letter library life like line lines link list little load local long look loop made "
    "make man many map may measure memory men merge message messages method might minute "
    "model module money month more most much must name names never new next night not note "
    "notes nothing now number object off old once one only open option order other our out "
    "output over own package page parse parser part path people place plan plans point price "
    "print process program progress prompt public pull push put query question questions read "
    "release remote remove report reports request response result results retry return review "
    "right run runs said same save say schema school second section see server service set "
    "setting settings she should show since skip small some something source start state step "
    "steps still stop string success such sum summary table take target task tasks test tests "
    "text than that the their them then there these they think this those thought thread "
    "three through time token tokens too tool tools total translate two type types under "
    "until update upload upon use used user users value values version very view wait war was "
    "water way week well went were what when where which while who why will with without word "
    "words work world would write year years yet you your"
)
# Pairs of letters that are frequent in English: words made of them have few tokens.
_PAIRS: Final = (
    "ab ac ad ag ai al am an ap ar as at au ay ba be bl bu by ca ce ch ck cl co cr ct cu da "
    "dd de di do ds ea ec ed ee ef el em en ep er es et ev ew ex ey fa fi fo fr ft fu ge gr "
    "ha he hi ho ic id ie if il im in io ir is it iv ke ks la ld le li ll lo ls lt ly ma md "
    "me mi mm mo mp na nc nd ne ng ni nl nn no ns nt nu oc od of og ok ol om on oo op or os "
    "ot ou ov ow pa pe pl po pp pr ps pt py qu ra rd re ri rk rm rn ro rr rs rt ru ry sa se "
    "sh si sk so ss st su ta te th ti tl to tr ts tt tu ue ul um un ur us ut ve vi wa we wh "
    "wi wn wo wr xt yt"
)
# Chinese characters and punctuation with one token.
_CHINESE: Final = (
    "一万三上下不与专业东两个中串为主么义之也书了事二于五些交产享京人亿今介从他付代以们件价任"
    "份企优会传但位体何余作你使例供保信修倍值停像元先入全公共关其具内册再写出击分列则初利别到"
    "制前力功加务动包化北区十午华单南即历原去县参及友反发取变口只可台右号司合同名后向否含听启"
    "告员周命和品哈商器四回因国图土在地场址型城基填增声处备复外多大天失头女好如始子字存学安宋"
    "完定实审客家容密对导将小少尔就局展山岁州工左已市布常平年并广序库应店度建开异式引张当录形"
    "影径待得微心必志态思性总息您情意感成我或户所手打找技投报拉持指按换据排接推提播支收改放政"
    "效数整文料断新方族无日时明易星是景更最月有服期木未本机权束条来板构析果查标样核格案检模次"
    "款止正此步段每比民水求江汽没治法注活流海消清游源火点然片版物特率环现球理生用由电男画界番"
    "登的监目直相省看真知码确示社票私种科秒称移程稍税稿空立站章端笑符第等签简算管箱米类系素索"
    "约级线组经结给络统编网置美老考者而联能自至色节英藏行表装西要见规视角解言计认议记论设证评"
    "试话询该详语误说请读调象责败账货购费资起超路身车转软载辑输达过运近还这进连述退送选通速造"
    "道邮部都配释里重量金钟钮链销错键长门闭问间队阳陆限院除雅集雷需非面音页项预频题额首验高黑"
    "。、“”《》【】—…·\uff0c\uff1a\uff1b\uff08\uff09\uff1f\uff01"
)
_COMMON_WORDS: Final = frozenset(_WORDS.split())
_COMMON_PAIRS: Final = frozenset(_PAIRS.split())
_COMMON_CHINESE: Final = frozenset(_CHINESE)
_GB2312_LEVEL_1: Final = (b"\xb0", b"\xd8", 2.0)  # the other frequent characters
_TOKENS_BY_BYTES: Final = {1: 1.0, 2: 2.0, 3: 3.0, 4: 4.0}  # approximate maximum of a character
CHARACTERS_OF_TOKEN: Final = 12  # so many at most
_COMMON_LETTER: Final = 0.3  # a letter that continues a word, after one it often follows
_RARE_LETTER: Final = 0.65
_CAPITAL: Final = 0.75  # a capital after another one
_DIGIT: Final = 0.5  # a digit after another one
_LONG_LINE: Final = 200
_UNIT: Final = re.compile(r"[A-Z]?[a-z]{1,15}| {2,}|.", re.DOTALL)


def estimate_tokens(shown: str) -> float:
    """Return the approximate number of tokens of a text."""
    lines = shown.split("\n")
    return sum(map(_line_tokens, lines)) + len(lines) - 1


def _line_tokens(line: str) -> float:
    return _estimate(line) if len(line) > _LONG_LINE else _estimate_once(line)


def _estimate(line: str) -> float:
    total, before = 0.0, ""
    for unit in split_units(line):
        total += unit_tokens(before, unit)
        before = unit[-1]
    return total


# A text that is too long is shortened and estimated again; most of its lines stay as they are.
_estimate_once: Final = lru_cache(4_096)(_estimate)


def split_units(shown: str) -> Iterator[str]:
    """Yield a text in pieces whose tokens can be estimated: words and single characters."""
    return (match.group() for match in _UNIT.finditer(shown))


def unit_tokens(before: str, unit: str) -> float:
    """Return the approximate number of tokens of a unit after a character."""
    if unit[0] == " ":
        return 0.0 if unit == " " else 2.0  # a single one belongs to what follows
    if len(unit) > 1:
        return _word_tokens(unit.lower())
    if not unit.isascii():
        return _foreign_tokens(unit) + (before == " ")
    if unit.isdigit():
        return _DIGIT if before.isdigit() else 1.0 + (before == " ")
    return _CAPITAL if unit.isupper() and before.isupper() else 1.0


@lru_cache
def _word_tokens(word: str) -> float:
    if word in _COMMON_WORDS:
        return 1.0
    pairs = (word[index : index + 2] for index in range(len(word) - 1))
    return 1.0 + sum(_COMMON_LETTER if pair in _COMMON_PAIRS else _RARE_LETTER for pair in pairs)


@lru_cache
def _foreign_tokens(character: str) -> float:
    if character in _COMMON_CHINESE:
        return 1.0
    first, last, tokens = _GB2312_LEVEL_1
    if first <= character.encode("gb2312", "ignore") < last:
        return tokens
    return _TOKENS_BY_BYTES[len(character.encode(errors="replace"))]
