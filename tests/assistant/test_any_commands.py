"""R3.10: any sequence of commands, valid or not, is answered in any language at any width."""

import shutil
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from outlast.assistant.agenda.database import AgendaDatabase
from outlast.assistant.slash.answers import AgendaWriter, answer_request
from outlast.assistant.slash.forms import DAY, FORMS, MOMENT, NUMBER, SWITCH, AgendaRequest, Form
from outlast.assistant.slash.parse import parse_slash_command
from outlast.errors import InvalidArgument, InvalidStatus, WrongUsage
from outlast.language import Language, explain
from outlast.system.clock import FixedClock

ZONES = ["UTC", "Europe/Berlin", "Asia/Shanghai", "America/New_York", "Pacific/Apia"]
RAM = Path("/dev/shm")  # noqa: S108 - mkdtemp makes a private directory in it
DAYS = st.sampled_from(
    ["2026-11-16", "2026-11-17", "2027-03-28", "2028-02-29", "2999-12-31", "1970-01-01", "2027-2-1"]
)
TIMES = st.sampled_from(["00:00", "02:30", "09:00", "23:59", "24:00"])
NUMBERS = st.sampled_from(["-1", "0", "1", "2", "3", "60", "1440", "52704000", "9007199254740992"])
TEXTS = st.text("ab 中👍\x1b\u202e-", max_size=12)
MOMENTS = st.builds("{} {}".format, DAYS, TIMES)
VALUES = {NUMBER: NUMBERS, MOMENT: MOMENTS, DAY: DAYS, SWITCH: st.sampled_from(["on", "off", "x"])}


@st.composite
def typed(draw: st.DrawFn, form: Form) -> str:
    """Return a line of a form, with values that it takes or nearly takes."""

    def value(kind: object) -> str:
        if isinstance(kind, tuple):
            return str(draw(st.sampled_from([*kind, "x"])))
        return str(draw(VALUES.get(str(kind), TEXTS)))

    words = [*form.words, *(value(kind) for _, kind in form.places)]
    for name, kind in form.options:
        if draw(st.integers(0, 2)) == 0:
            words.append(f"--{name.replace('_', '-')} {value(kind)}")
    return " ".join(words)


LINES = st.lists(st.sampled_from(FORMS).flatmap(typed), max_size=12)


@settings(max_examples=60)
@given(
    LINES, st.sampled_from(ZONES), st.sampled_from(["en", "zh"]), st.sampled_from([0, 20, 40, 80])
)
def test_r3_10_any_commands_are_answered_or_refused(
    lines: list[str], zone_name: str, language: Language, width: int
) -> None:
    zone, clock = ZoneInfo(zone_name), FixedClock(datetime(2026, 11, 16, 9, tzinfo=UTC))
    directory = tempfile.mkdtemp(dir=RAM if RAM.is_dir() else None)
    agenda = AgendaDatabase(f"{directory}/agenda", clock, zone)
    try:
        for line in lines:
            writer = AgendaWriter(language, zone, clock(), width)
            try:
                request = parse_slash_command(line, zone)
                if not isinstance(request, AgendaRequest):
                    continue
                answer = answer_request(request, agenda, writer)
            except (WrongUsage, InvalidArgument, InvalidStatus) as error:
                answer = explain(error, language)
            assert answer
            assert all(part.isprintable() for part in answer.split("\n"))
            clock.advance(timedelta(hours=7).total_seconds())
            for reminder in agenda.claim_reminders(clock()):
                assert writer.reminder_line(reminder).isprintable()
    finally:
        shutil.rmtree(directory)
