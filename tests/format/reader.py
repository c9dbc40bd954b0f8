"""Read a plan from its journal, by docs/reference/format.md alone, and print it as JSON.

python reader.py journal.jsonl [snapshot.json]
"""

import json
import sys
from datetime import datetime
from pathlib import Path
from typing import Any
from zlib import crc32

Json = dict[str, Any]
FORMAT = 1
TAIL = len(',"crc":"00000000"}')
HOLDS = {"PlanPaused": "paused", "PlanAborted": "aborted", "PlanResumed": ""}
FINISHED = ("completed", "skipped")
PLAN_FIELDS = {"id": "", "goal": "", "title": "", "order": "graph", "begun": False, "hold": ""}
NULLS = ("result", "error", "progress", "started_at", "ended_at")
WORK: Json = {"status": "pending", **dict.fromkeys(NULLS), "retry_count": 0, "how": "", "actor": ""}
TASK = {"phase": "main", "dependencies": [], "checks": [], "protect": [], **WORK}
NO_EFFECT = {
    *("Undone", "IterationCounted", "NumbersPassed", "TaskLeased", "LeaseRenewed", "LeaseEnded"),
    *("AttemptBegan", "AttemptEnded", "BudgetSet", "Charged", "RunRemembered", "ReportNoted"),
    *("DecisionNoted", "SessionBegan", "FootprintNoted", "SessionEnded", "ReplanMoved"),
    *("ApprovalRequired", "PlanApproved", "QuestionAsked", "QuestionAnswered", "Interjected"),
    *("InterjectionsTaken", "LoopNoted", "LoopRetold", "StruckOut", "StrikesCleared"),
    *("RefusalNoted", "PhaseMarked", "FindingNoted", "FindingForgotten", "ErrorNoted"),
    *("ErrorsForgotten", "Delivered", "ProseKept"),
}
TAKEN, AT = object(), object()  # from the change; the time of its commit
ENDED = {"status": "completed", "error": None, "ended_at": AT}
AGAIN = {"status": "pending", "actor": "", "started_at": None}
WORK_AFTER: dict[str, Json] = {  # what is TAKEN though the change has not got it has its default
    "TaskStarted": {"status": "in_progress", "actor": TAKEN, "started_at": AT},
    "TaskCompleted": {**ENDED, "result": TAKEN, "how": TAKEN},
    "CompletionConfirmed": {"how": TAKEN},
    "TaskFailed": {"status": "failed", "error": TAKEN, "ended_at": AT},
    "TaskSkipped": {"status": "skipped", "result": TAKEN, "ended_at": AT},
    "TaskRetried": {**AGAIN, "error": TAKEN, "retry_count": TAKEN},
    "TaskReturned": AGAIN,
    "TaskReopened": {**AGAIN, "result": None, "retry_count": 0, "how": "", "ended_at": None},
    "TaskProgressed": {"progress": TAKEN},
    "TaskRestored": dict.fromkeys(WORK, TAKEN),
}
HOW_REPORTED = ("TaskCompleted", "CompletionConfirmed")


class UnknownError(Exception):
    """A newer version wrote this, or it is no journal."""


def check_line(line: bytes) -> Json | None:
    """Return the object of a line without its end; None if the checksum is wrong."""
    body = line[:-TAIL] + b"}"
    if line[-TAIL:] != b',"crc":"%08x"}' % crc32(body):
        return None
    try:
        value = json.loads(body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def is_damage(data: bytes, bad: int) -> bool:
    """Return whether the bad line that begins there is more than the torn end of a write."""
    begin = bad
    while (end := data.find(b"\n", begin)) >= 0:
        line = check_line(data[begin:end])
        if line is not None and (begin == bad or begin - line.get("back", 0) > bad):
            return True
        begin = end + 1
    return False


class Plan:
    """What the commits come to."""

    def __init__(self) -> None:
        self.revision, self.damaged = 0, False
        self.begin({})

    def begin(self, created: Json) -> None:
        self.fields = {name: created.get(name, default) for name, default in PLAN_FIELDS.items()}
        self.created_at: str | None = created.get("created_at")
        self.phases: list[Json] = list(created.get("phases", []))
        self.tasks: list[Json] = []
        self.proofs: dict[int, Json] = {}

    def task(self, number: int) -> Json:
        return next(task for task in self.tasks if task["id"] == number)

    def insert(self, task: Json, after: int | None) -> None:
        if after is None:
            order = [phase["id"] for phase in self.phases]
            last = order.index(task["phase"])
            fitting = (t["id"] for t in reversed(self.tasks) if order.index(t["phase"]) <= last)
            after = next(fitting, 0)
        self.tasks.insert(self.tasks.index(self.task(after)) + 1 if after else 0, task)

    def apply(self, change: Json, at: str) -> None:  # noqa: C901, PLR0912 - the table of the page
        kind, number, fields = change["type"], change.get("id", 0), self.fields
        if kind in NO_EFFECT:
            return
        if kind == "PlanCreated":
            self.begin(change)
        elif kind in ("PlanEdited", "PlanRestored"):
            fields.update((x, y) for x, y in change.items() if x != "type")
        elif kind == "PlanBegun":
            fields["begun"] = True
        elif kind in HOLDS:
            fields["hold"] = HOLDS[kind]
        elif kind.startswith("Phase"):
            self.apply_to_phases(kind, change)
        elif kind == "TaskAdded":
            self.insert({**TASK, **change["task"]}, change.get("after"))
        elif kind == "TaskMoved":
            task = self.task(number)
            self.tasks.remove(task)
            self.insert({**task, "phase": change["phase"]}, change["after"])
        elif kind == "TaskRemoved":
            self.tasks.remove(self.task(number))
        elif kind == "TaskEdited":
            self.task(number).update((x, y) for x, y in change.items() if x != "type")
        elif kind == "PlanReset":
            for task in self.tasks:
                task.update(WORK)
                self.proofs.get(task["id"], {}).pop("confirmed", None)
            fields.update(begun=False, hold="")
        elif kind == "ProofNoted":
            proof = change["proof"]
            part = "baseline" if proof["stage"] in ("set", "before") else "latest"
            self.proofs.setdefault(proof["task"], {})[part] = proof
        elif kind == "CheckConfirmed":
            self.proofs.setdefault(number, {}).setdefault("confirmed", []).append(change)
        elif kind not in WORK_AFTER:
            raise UnknownError(kind)
        else:
            self.task(number).update(work_after(kind, change, at))
            if kind in ("TaskRetried", "TaskReturned", "TaskReopened"):
                self.proofs.get(number, {}).pop("confirmed", None)

    def apply_to_phases(self, kind: str, change: Json) -> None:
        phases = self.phases
        phase_id = change["id"] if "id" in change else change.get("phase", {}).get("id")
        place = next((n for n, phase in enumerate(phases) if phase["id"] == phase_id), 0)
        if kind == "PhaseAdded":
            phases.insert(change["place"], change["phase"])
        elif kind == "PhaseEdited":
            phases[place] = change["phase"]
        elif kind == "PhaseMoved":
            phases.insert(change["place"], phases.pop(place))
            order = [phase["id"] for phase in phases]
            self.tasks.sort(key=lambda task: order.index(task["phase"]))
        elif kind == "PhaseRemoved":
            del phases[place]
        else:
            raise UnknownError(kind)

    def blocked_by(self, task: Json) -> list[int]:
        needs = [self.task(need) for need in task["dependencies"] if task["status"] == "pending"]
        return [need["id"] for need in needs if need["status"] not in FINISHED]

    def is_ready(self, task: Json) -> bool:
        first = next(t for t in self.tasks if t["status"] not in FINISHED)
        is_turn = self.fields["order"] == "graph" or task is first
        return is_turn and task["status"] == "pending" and not self.blocked_by(task)

    def status(self) -> str:
        statuses = [task["status"] for task in self.tasks]
        if self.fields["hold"] == "aborted":
            return "failed"
        if self.tasks and all(status in FINISHED for status in statuses) and not self.is_assumed():
            return "completed"
        if self.fields["hold"] == "paused":
            return "paused"
        is_stuck = "failed" in statuses and "in_progress" not in statuses
        if is_stuck and not any(map(self.is_ready, self.tasks)):
            return "failed"
        return "running" if self.fields["begun"] else "idle"

    def is_assumed(self) -> bool:
        done = [task for task in self.tasks if task["status"] == "completed"]
        times = [(time(task["ended_at"] or self.created_at), task["id"]) for task in done]
        return bool(times) and self.task(max(times)[1])["how"] == "assumed"

    def label(self, task: Json) -> str:  # noqa: PLR0911 - the table of the page
        proofs = self.proofs.get(task["id"], {})
        before, latest = proofs.get("baseline", {"stage": ""}), proofs.get("latest")
        if task["status"] == "skipped":
            return ""
        if task["status"] == "completed" and task["how"] == "proved":
            return proved_label(task, latest)
        if before["stage"] == "before" and checks_of(before) != task["checks"]:
            return "tampered"
        if task["status"] == "completed":
            return unproved_label(task, latest)
        if latest is None or not checks_of(latest) or checks_of(latest) != task["checks"]:
            return ""
        if fault_of(latest):
            return fault_of(latest)
        confirmed = [given["check"] for given in proofs.get("confirmed", [])]
        left = (x for x in task["checks"] if x["kind"] == "person" and x not in confirmed)
        return "" if any(left) else "passes now"

    def show(self) -> Json:
        found = ({"blocked_by": self.blocked_by(t), "label": self.label(t)} for t in self.tasks)
        tasks = [{**task, **more} for task, more in zip(self.tasks, found, strict=True)]
        return {**self.fields, "status": self.status(), "phases": self.phases, "tasks": tasks}


def work_after(kind: str, change: Json, at: str) -> Json:
    """Return the fields of a task's work that a change sets."""
    given = {"how": "reported", **change} if kind in HOW_REPORTED else change
    if kind == "TaskSkipped":
        given = {"result": change.get("reason")}
    after = {
        name: given.get(name, WORK[name]) if value is TAKEN else at if value is AT else value
        for name, value in WORK_AFTER[kind].items()
    }
    if kind == "CompletionConfirmed" and "result" in change:
        after["result"] = change["result"]
    return after


def time(text: str | None) -> datetime:
    return datetime.fromisoformat(text or "")


def checks_of(proof: Json) -> list[Json]:
    return [evidence["check"] for evidence in proof.get("evidence", [])]


def fault_of(proof: Json) -> str:
    evidence = proof.get("evidence", [])
    known = {item["ok"] for item in evidence if item["check"]["kind"] != "person"}
    fault = "unknown" if None in known and False not in known else "fails now"
    return "" if all(item["ok"] for item in evidence) else fault


def proved_label(task: Json, latest: Json | None) -> str:  # noqa: PLR0911 - the table of the page
    if latest is None:
        return "forged"
    if checks_of(latest) != task["checks"]:
        return "tampered"
    if fault_of(latest):
        return fault_of(latest)
    started, ended = task["started_at"], task["ended_at"]
    if started and ended and time(latest["at"]) < time(started) < time(ended):
        return "stale"
    evidence = latest.get("evidence", [])
    if evidence and all(item["check"]["kind"] == "report" for item in evidence):
        return "reported"
    machine = [item for item in evidence if item["check"]["kind"] not in ("person", "report")]
    seen = {item.get("seen", "") for item in machine}
    if not seen or "red" in seen:
        return "proved"
    return "proved (was green)" if seen == {"green"} else "proved (not seen red)"


def unproved_label(task: Json, latest: Json | None) -> str:
    if not (task["checks"] or task["protect"] or task["how"] == "unproved"):
        return "assumed" if task["how"] == "assumed" else "reported"
    is_later = latest and (not task["ended_at"] or time(latest["at"]) > time(task["ended_at"]))
    fails = latest and is_later and fault_of(latest) == "fails now"
    return "unproved, fails now" if fails else "unproved"


def is_of(data: bytes, saved: Json) -> bool:
    return saved["format"] == FORMAT and data[: saved["offset"]].endswith(saved["mark"].encode())


def read(data: bytes, snapshot: bytes = b"") -> Plan:
    """Return the plan of a journal; a snapshot of it saves folding the beginning."""
    end = data.find(b"\n")
    header = check_line(data[:end]) if end >= 0 else None
    if not header or header.get("outlast") != "journal" or header["format"] > FORMAT:
        raise UnknownError(header)
    plan, begin = Plan(), end + 1
    saved = check_line(snapshot.rstrip(b"\n"))
    if saved and is_of(data, saved):
        plan.begin(saved)
        plan.revision, begin = saved["revision"], saved["offset"]
        plan.tasks = [{**TASK, **task} for task in saved["tasks"]]
        plan.proofs = {int(task): x for task, x in saved["ledger"].get("proofs", {}).items()}
    while (end := data.find(b"\n", begin)) >= 0:
        commit = check_line(data[begin:end])
        if not commit or commit["revision"] != plan.revision + bool(commit["changes"]):
            break
        plan.revision = commit["revision"]
        for change in commit["changes"]:
            plan.apply(change, commit["at"])
        begin = end + 1
    plan.damaged = begin < len(data) and is_damage(data, begin)
    return plan


if __name__ == "__main__":
    found = read(*(Path(name).read_bytes() for name in sys.argv[1:]))
    sys.stdout.write(json.dumps(found.show(), indent=1))
