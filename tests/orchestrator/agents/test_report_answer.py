"""R1.03: the report that an agent gives as its answer."""

from outlast.agent.work import Report
from outlast.orchestrator.agents.report_answer import read_answer


def test_r1_03_an_answer_becomes_a_report_or_names_every_problem() -> None:
    answer = read_answer({"status": "success", "results": "did it", "next_steps": "rest"})
    assert answer.value is not None
    assert answer.value.report("s1") == Report("SUCCESS", "s1", "did it", "", "rest")
    assert len(read_answer({"status": "perhaps"}).problems) == 2
