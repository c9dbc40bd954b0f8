"""How the journal tells a text that is long or secret from another one."""

from outlast.context.tool import digest, is_same_text


def test_x3_a_recorded_digest_stands_for_its_text_and_no_other() -> None:
    recorded = digest("the text")
    assert recorded.startswith("sha256:")
    assert is_same_text(recorded, "the text")
    assert not is_same_text(recorded, "another")
    assert digest("\ud800"), "half a surrogate pair has a digest too"


def test_x3_a_short_text_is_recorded_as_it_is() -> None:
    assert is_same_text("short", "short")
    assert not is_same_text("short", "other")
