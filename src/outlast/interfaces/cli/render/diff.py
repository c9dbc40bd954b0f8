"""What is different between two revisions, in words and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain.model import MAIN_PHASE, Check, Progress
from outlast.formats.check_rule import write_rule
from outlast.interfaces.cli.render.fields import FIELDS
from outlast.texts import status_words, visible

if TYPE_CHECKING:
    from outlast.domain.history.diff import Difference, Value
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Json


def difference_shape(one: Difference) -> Json:
    """Return a difference for programs."""
    shape = {name: getattr(one, name) for name in one.__struct_fields__}
    return shape | {"old": _plain(one.old), "new": _plain(one.new)}


def _plain(value: Value) -> object:
    if isinstance(value, Progress):
        return {"current": value.current, "total": value.total}
    return value


def told(call: Call, one: Difference) -> str:
    """Return a difference in words."""
    if one.kind == "changed":
        return _changed(call, one)
    if one.kind == "moved":
        return _moved(call, one)
    what = visible(f"{one.id} {one.name}" if one.about == "task" else one.name)
    said = call.say(_CAME_AND_WENT[one.kind, one.about], what=what)
    if one.new in (None, MAIN_PHASE):
        return said
    return call.say("diff_in_phase", what=said, phase=visible(str(one.new)))


def _changed(call: Call, one: Difference) -> str:
    if one.field == "id":
        return call.say("diff_followed")
    field = call.say(FIELDS[one.field])
    old, new = _value(call, one.field, one.old), _value(call, one.field, one.new)
    return call.say("diff_changed", what=_thing(call, one), field=field, old=old, new=new)


def detail(call: Call, one: Difference) -> str:
    """Return what a field of something new is."""
    return f"{call.say(FIELDS[one.field])}: {_value(call, one.field, one.new)}"


def _moved(call: Call, one: Difference) -> str:
    what, where = _thing(call, one), visible(str(one.new))
    if one.field == "phase":
        return call.say("diff_moved_to", what=what, phase=where)
    if one.new in (0, ""):
        return call.say("diff_moved_first", what=what)
    return call.say("diff_moved_behind", what=what, after=where)


def _thing(call: Call, one: Difference) -> str:
    if one.about == "plan":
        return call.say("log_the_plan")
    if one.about == "phase":
        return call.say("diff_phase", what=visible(one.name))
    return f"{one.id} {visible(one.name)}"


def _value(call: Call, field: str, value: Value) -> str:
    if value in (None, "", ()):
        return call.say("nothing")
    if field in _STATUSES:
        return status_words(str(value), call.language)
    if isinstance(value, Progress):
        return f"{value.current}/{value.total}"
    if isinstance(value, tuple):
        return visible(", ".join(map(_item, value)))
    return visible(str(value))


def _item(value: int | str | Check) -> str:
    return write_rule(value) if isinstance(value, Check) else str(value)


_STATUSES: Final = ("status", "marked", "hold")
_CAME_AND_WENT: Final = {
    ("added", "task"): "log_task_added",
    ("added", "phase"): "log_phase_added",
    ("removed", "task"): "log_task_removed",
    ("removed", "phase"): "log_phase_removed",
}
