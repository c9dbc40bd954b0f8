"""Patterns that are compiled when they are first used behave as compiled ones."""

import copy
import re

import pytest

from outlast.language.lazy_pattern import compile_lazily


def test_a_lazy_pattern_is_compiled_at_its_first_use() -> None:
    broken = compile_lazily("(")
    with pytest.raises(re.error):
        broken.search("x")


def test_a_lazy_pattern_finds_what_a_compiled_one_finds() -> None:
    lazy, compiled = compile_lazily("b+", re.IGNORECASE), re.compile("b+", re.IGNORECASE)
    for text in ("", "abBa bb", "x"):
        assert lazy.findall(text) == compiled.findall(text)
        assert lazy.sub("-", text) == compiled.sub("-", text)
        assert bool(lazy.search(text, 1)) == bool(compiled.search(text, 1))
    assert lazy.pattern == "b+"
    assert copy.deepcopy(compile_lazily("b+")).search("abb")
