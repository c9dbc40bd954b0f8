"""F25: the threads that commit keep no program from ending."""

import threading
from pathlib import Path

from outlast.model import commands as c
from outlast.model.execute import return_commit
from outlast.store.port import Request
from tests.store.operations import NOW, fresh_directory, make_store


def test_f25_no_commit_thread_outlives_the_main_one(ram_path: Path) -> None:
    store = make_store(fresh_directory(ram_path / "plan"))
    added = c.AddTasks((c.NewTask("one"),))
    store.submit(Request((added,), "ann", NOW), return_commit).result(60)
    pool = [thread for thread in threading.enumerate() if thread.name == "outlast-commits"]
    assert pool
    assert all(thread.daemon for thread in pool)
    store.close()
