"""F4: a runner is killed or frozen in the middle of a task, and another takes the plan over."""

import os
from pathlib import Path

import pytest

from outlast.model.changes import AttemptBegan, TaskLeased
from tests.agent.runtime.crashes.runners import Chaos
from tests.agent.runtime.scene import FILES, Scene

ROUNDS = int(os.environ.get("OUTLAST_F4", "200"))


@pytest.mark.soak
@pytest.mark.slow
def test_f4_each_attempt_has_one_outcome_whichever_runner_dies_or_freezes(tmp_path: Path) -> None:
    whole = Scene(tmp_path / "whole")
    whole.go()
    kills = late = refusals = 0
    for seed in range(ROUNDS):
        chaos = Chaos(tmp_path / str(seed), seed)
        chaos.play()
        assert chaos.scene.outcome() == whole.outcome(), seed
        assert chaos.scene.files() == FILES, seed
        chaos.scene.check()
        check_tokens(chaos.scene)
        kills, late = kills + chaos.kills, late + chaos.late
        refusals += chaos.refusals
    assert kills > ROUNDS // 2
    assert late > ROUNDS // 10
    assert refusals > ROUNDS // 2


def check_tokens(scene: Scene) -> None:
    """Check that every attempt was started by the runner that held the plan then."""
    token = 0
    for commit in scene.past():
        for change in commit.changes:
            if isinstance(change, TaskLeased):
                assert change.token == token + 1
                token = change.token
            elif isinstance(change, AttemptBegan):
                assert change.token == token
