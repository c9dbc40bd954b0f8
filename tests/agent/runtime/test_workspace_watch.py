"""R1.13: whose work the changes in a workspace are."""

import asyncio

from outlast.agent.runtime.workspace import FileStates, WorkspaceWatch
from outlast.model.commands import NoteFootprint


class Board:
    """A workspace that shows what a test writes on it."""

    def __init__(self) -> None:
        self.files: FileStates | None = {}
        self.commit, self.looks = "", 0

    def list_files(self) -> FileStates | None:
        self.looks += 1
        return None if self.files is None else dict(self.files)

    def read_commit(self) -> str:
        return self.commit


def test_r1_13_a_workspace_that_cannot_be_listed_is_not_blamed_on_anybody() -> None:
    async def visit() -> list[NoteFootprint | None]:
        board = Board()
        watch, left = WorkspaceWatch(board), list[NoteFootprint | None]()
        changed: FileStates = {"x": (1,)}
        for before, after in ((None, changed), ({}, None), ({}, changed)):
            board.files = before
            attempt = await watch.begin(("a",))
            board.files = after
            left.append(await watch.end(attempt, "1#1"))
        return left

    assert asyncio.run(visit()) == [None, None, NoteFootprint("1#1", outside=("x",), count=1)]


def test_r1_13_files_are_not_even_listed_for_tasks_that_name_none() -> None:
    async def visit() -> int:
        board = Board()
        watch = WorkspaceWatch(board)
        await watch.end(await watch.begin(()), "1#1")
        return board.looks

    assert asyncio.run(visit()) == 0


def test_r1_13_a_commit_is_shared_only_if_two_worked_when_it_was_made() -> None:
    async def visit() -> list[tuple[str, str, bool]]:
        board = Board()
        watch, left = WorkspaceWatch(board), list[NoteFootprint | None]()
        board.commit = "1"
        first = await watch.begin(("a",))
        board.commit = "2"  # by the first one, alone
        second = await watch.begin(("b",))
        left.append(await watch.end(first, "1#1"))
        board.commit = "3"  # by the second one, alone
        third = await watch.begin(("c",))
        board.commit = "4"
        left.append(await watch.end(second, "2#2"))
        left.append(await watch.end(third, "3#3"))
        return [(each.before, each.after, each.shared) for each in left if each is not None]

    found = asyncio.run(visit())
    assert found == [("1", "2", False), ("2", "4", True), ("3", "4", True)]
