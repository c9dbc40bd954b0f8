"""What people and models read about running an agent from the command line, in English."""

from __future__ import annotations

from typing import Final

TEXTS: Final[dict[str, str]] = {
    # what is wrong with it
    "no_model": (
        "no model is named: add --model NAME, or set it once as OUTLAST_MODEL or as loop.model in "
        "{file}; outlast models shows which can be used here, and outlast demo needs none"
    ),
    "run_as_person": "an agent does not work in the name of a person; leave --as {actor} out",
    "answer_left_out": 'say what the answer is: outlast answer {id} "the answer"',
    "demo_not_empty": "{where} is not empty; name another directory, or none",
    "demo_no_place": "{where} cannot be used: {problem}; name another directory, or none",
    # while it works
    "continue_word": "continue",
    "run_waits": "Another run, {holder}, holds this plan until {until}; waiting, in case it died",
    "run_done_by_other": "The other run has ended this plan meanwhile",
    "run_pausing": "Pausing; Ctrl-C again ends at once",
    "ask_before_acting": "Shall this be done now? [y/N] ",
    "plan_only": (
        "{goal}\n\nOnly plan for now: look at what you need, add the tasks, and reply with a short "
        "summary of the plan. Nothing may be changed or run before a person has agreed."
    ),
    "not_while_planning": "Not done: {tool}. Only planning is allowed before a person agrees",
    # what came of it
    "run_said_nothing": "The model ended without a word",
    "run_delivered": "What came out ({file}):",
    "run_go_on": "Go on with: {command}",
    "run_go_on_budget": "Raise the budget and go on: {command}",
    "run_raise_of_task": "Raise the budget of task {task}: {command}",
    "run_go_on_answer": "Answer, then go on: {command}",
    "run_go_on_watch": "Follow the other run: {command}",
    "run_not_begun": (
        "Only answered, not begun: the plan {key} is paused. As a plan of its own: {command}"
    ),
    "run_go_on_paused": "Go on with {key}: {command}",
    "run_go_on_plan": "Only planned so far; do it with: {command}",
    "run_look": "Look at it: {show}, {log}",
    "resume_without_model": "To let an agent go on: {command}",
    # questions and answers
    "say_question": "Question {id}: {question}\n  {command}",
    "say_answered": "Answered question {id}: {question}",
    "say_answered_next": "The agent goes on with it: {command}",
    "say_heard_soon": "The agent takes it in at its next step",
    "say_heard_later": "No agent is at work; it is heard after: outlast resume",
    # what it costs
    "amount_of_steps": "model calls {count}",
    "amount_of_tokens": "tokens {count}",
    "amount_of_money": "${count}",
    "amount_of_time": "time {count}",
    "amount_of_calls": "tool calls {count}",
    "amount_of_replans": "replans {count}",
    "cost_used": "Used: {what}",
    "cost_aside": "Set aside for what has begun: {what}",
    "cost_left": "Left: {what}",
    "cost_left_of": "{left} of {limit}",
    "cost_forecast": "The open tasks may cost: {what}",
    "cost_unknown": "What the open tasks may cost is unknown before three have been finished",
    "cost_of_task": "  {task}: {what}",
    "cost_left_of_task": "  {task}: left {what}",
    "cost_planning": "Of this, planning itself: {what}",
    # the demo
    "demo_begins": (
        "A small real job in {where}: prices.py has a mistake, and its tests show it.\n"
        "The model is {model}.\n"
        "All else is real: files, tools, tests, processes, the kill."
    ),
    "demo_script": "a script, so that no key is needed",
    "demo_goal": "Mend prices.py and report what was wrong",
    "demo_task_find": "Find the mistake",
    "demo_task_mend": "Mend prices.py",
    "demo_task_report": "Write REPORT.md",
    "demo_plan": "A person makes the plan, with checks that have to pass",
    "demo_works": "An agent works on it: outlast run",
    "demo_killed": "Killed by signal {signal}, in the middle of that. The plan as it is then:",
    "demo_not_killed": "It was done before there was a moment to kill it",
    "demo_resumes": "Another process goes on, from the plan alone: outlast resume",
    "demo_asked": "Nobody saw how that command ended; a person is asked, who looks and says",
    "demo_answer": "not done",
    "demo_ends": "The plan at the end",
    "demo_next": "Try next",
    "demo_own_goal": 'run "A goal of your own" --model NAME   (outlast models lists them)',
}
