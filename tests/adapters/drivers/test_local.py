"""The local driver sends replies, throws cancellation in, and ends with its loop."""

import asyncio

import pytest

from outlast.adapters.drivers.local import run
from outlast.ports import effects as e
from outlast.ports.events import Said
from outlast.testing import FixedClock

NOW = FixedClock()()


class Echo:
    """A handler that notes what is told, and fails or hangs where it should."""

    def __init__(self, *, hang_at: int = 0, error: Exception | None = None) -> None:
        self.told: list[str] = []
        self.hang_at, self.error = hang_at, error
        self.hanging = asyncio.Event()

    async def handle(self, effect: e.Effect) -> e.Reply:
        assert isinstance(effect, e.Emit)
        assert isinstance(effect.event, Said)
        self.told.append(effect.event.text)
        if self.error:
            raise self.error
        if len(self.told) == self.hang_at:
            self.hanging.set()
            await asyncio.Event().wait()
        return e.Emitted(NOW)


def say_texts(*texts: str, last: str = "") -> e.Loop[int]:
    try:
        for text in texts:
            yield from e.emit(Said(text))
    except e.Cancelled:
        if not last:
            raise
        yield from e.emit(Said(last))
    return len(texts)


def test_a_loop_runs_to_its_end_and_its_result_is_returned() -> None:
    echo = Echo()
    assert asyncio.run(run(say_texts("a", "b"), echo)) == 2
    assert echo.told == ["a", "b"]
    assert asyncio.run(run(say_texts(), echo)) == 0


@pytest.mark.parametrize(("last", "told"), [("sorry", ["a", "sorry"]), ("", ["a"])])
def test_a_cancelled_loop_may_say_a_last_word(last: str, told: list[str]) -> None:
    echo = Echo(hang_at=1)

    async def cancel() -> None:
        task = asyncio.create_task(run(say_texts("a", "b", last=last), echo))
        await echo.hanging.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert echo.told == told


def test_a_loop_cancelled_twice_ends_at_once() -> None:
    echo = Echo(hang_at=1)
    loop = say_texts("a", last="b")

    async def cancel() -> None:
        task = asyncio.create_task(run(loop, echo))
        await echo.hanging.wait()
        echo.hang_at = 2
        echo.hanging.clear()
        task.cancel()
        await echo.hanging.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    with pytest.raises(StopIteration):
        next(loop)


def test_an_error_of_a_handler_ends_the_loop_and_comes_out() -> None:
    loop = say_texts("a", "b")
    with pytest.raises(ZeroDivisionError):
        asyncio.run(run(loop, Echo(error=ZeroDivisionError())))
    with pytest.raises(StopIteration):
        next(loop)
