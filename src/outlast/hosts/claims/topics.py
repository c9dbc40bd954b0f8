"""Topics: whether two texts, in English or Chinese, name the same thing."""

from __future__ import annotations

from typing import Final

from outlast.language.lazy_pattern import compile_lazily

_CHINESE: Final = compile_lazily(r"[\u3040-\u9fff]+")
_WORD: Final = compile_lazily(r"[^\W\d_\u3040-\u9fff][^\W_\u3040-\u9fff]+")
COMMON_ZH: Final = compile_lazily(  # what stands in any name, or in any report on work
    r"按照?(?:要求|计划|需求)|已经|全部|全都|所有|整个|一切"
    r"|现在|目前|成功|顺利|圆满|正式|彻底|完全|终于|总结|本次|这个?|那个?|以上|上述|相关"
    r"|本(?=任务|工作|计划|步)|上面|当前|中的"
    r"|任务|工作|计划|需求|功能|问题|目标|错误|缺陷|故障|步骤|代码|改动"
    r"|完成|完毕|完工|完事|搞定|做[完好]|改[完好]|写[完好]|修好|弄好|处理好?|收工|大功告成|齐活|达成|就绪"
    r"|落地|上线|交付|结束|执行|可以|正常|使用|运行"
    r"|实现|修复|修正|修改|改造|解决|重构|迁移|开发|升级|整理|优化|清理|替换|接入|适配|部署|编写"
    r"|添加|新增|更新|创建|删除|移除|增加|补充|加上|重写|调整|支持"
    r"|[一二两三四五六七八九十0-9]个?"
    r"|[已都全均也现把将并且和与的了该此个好我们]"
)
_COMMON_WORDS: Final = frozenset(
    (
        *("the", "an", "of", "to", "in", "on", "for", "and", "or", "with", "from", "into", "by"),
        *("as", "at", "is", "it", "its", "all", "new", "one", "old", "this", "that", "our", "your"),
        *("add", "write", "fix", "implement", "update", "create", "make", "change", "remove", "do"),
        *("improve", "build", "run", "use", "set", "get", "support", "handle", "finish"),
        *("complete", "code", "when", "not", "be", "are", "up"),
    )
)
_LONG_FORMS: Final = {
    "doc": "document",
    "docs": "document",
    "auth": "authentication",
    "db": "database",
    "config": "configuration",
    "repo": "repository",
    "crash": "bug",
    "issue": "bug",
    "issues": "bug",
}
_ENDINGS: Final = ("s", "es", "ed", "ing", "ion", "ation", "ment", "er", "e")
_SHORTEST_STEM: Final = 3


def is_chinese(text: str) -> bool:
    """Return whether a text has Chinese words."""
    return _CHINESE.search(text) is not None


def share_topic(text: str, name: str) -> bool:
    """Return whether a text, in lower case, has a word of a name, in whatever form.

    Words that many names have do not count, unless there are no others. Of Chinese words, two
    characters are enough.
    """
    words = _WORD.findall(name)
    pieces = _pieces(COMMON_ZH.sub(" ", name))
    content = [word for word in words if word not in _COMMON_WORDS]
    if not (content or pieces):
        content, pieces = words, _pieces(name)
    if any(piece in text for piece in pieces):
        return True
    stems = {stem for word in _WORD.findall(text) for stem in _stems(word)}
    return any(not stems.isdisjoint(_stems(word)) for word in content)


def _pieces(text: str) -> set[str]:
    """Return each two neighbouring characters of the Chinese words; one, if there are no two."""
    runs = _CHINESE.findall(text)
    pairs = {run[at : at + 2] for run in runs for at in range(len(run) - 1)}
    return pairs or {*runs}


def _stems(word: str) -> set[str]:
    """Return a word without the endings that it may have: parser and parsing share `pars`."""
    word = _LONG_FORMS.get(word, word)
    if word.endswith("ies"):
        word = f"{word[:-3]}y"
    singular = word.removesuffix("s")
    stems = {word, singular}
    for ending in _ENDINGS:
        for form in (word, singular):
            if form.endswith(ending) and len(form) - len(ending) >= _SHORTEST_STEM:
                stem = form.removesuffix(ending)
                stems |= {stem, stem[:-1] if stem[-1] == stem[-2] else stem}
    return stems
