"""The language of an answer."""

from outlast.system.caller import choose_language


def test_x8_language_order() -> None:
    assert choose_language("zh", {"OUTLAST_LANG": "en"}) == "zh"
    assert choose_language(None, {"OUTLAST_LANG": "en", "LANG": "zh_CN.UTF-8"}) == "en"
    assert choose_language(None, {"LC_ALL": "", "LANG": "zh_TW.UTF-8"}) == "zh"
    assert choose_language(None, {"LC_ALL": "C", "LANG": "zh_TW.UTF-8"}) == "en"
    assert choose_language(None, {}) == "en"
