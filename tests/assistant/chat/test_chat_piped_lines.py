"""Lines from a pipe, and what a pipe does not need."""

import asyncio
import io
import subprocess
import sys

from outlast.assistant.chat.chat import Key, PipedLines


class BrokenStream(io.BytesIO):
    def readline(self, _size: int | None = -1) -> bytes:
        raise OSError


def read_all(lines: PipedLines) -> list[str | Key]:
    async def read() -> list[str | Key]:
        read = list[str | Key]()
        while not read or isinstance(read[-1], str):
            read.append(await lines.read(answering=False))
        return read

    return asyncio.run(read())


def test_lines_are_read_to_the_end_and_what_is_no_text_is_replaced() -> None:
    lines = PipedLines(io.BytesIO("买\n\n".encode() + b"\xff"))
    assert read_all(lines) == ["买\n", "\n", "\ufffd", Key.END]
    assert read_all(PipedLines(BrokenStream())) == [Key.END]


def test_the_byte_order_mark_of_a_file_is_no_part_of_its_first_line() -> None:
    lines = PipedLines(io.BytesIO("\ufeff/todo list\n".encode()))
    assert read_all(lines) == ["/todo list\n", Key.END]


def test_ctrl_c_between_two_lines_ends_the_next_read() -> None:
    lines = PipedLines(io.BytesIO(b"one\n"))
    lines.open()
    lines.discard_typed()
    lines.interrupt()
    lines.close()
    assert read_all(lines) == [Key.INTERRUPT]


def test_a_pipe_does_not_load_the_line_editor() -> None:
    program = (
        "import sys, outlast.assistant, outlast.assistant.commands;"
        "print('prompt_toolkit' in sys.modules)"
    )
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    )
    assert done.stdout == "False\n"
