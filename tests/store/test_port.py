"""An edit in a view, as a store hands it on."""

from outlast.store.port import EditedView


def test_an_edit_is_saved_if_its_key_names_the_file() -> None:
    saved = EditedView("task_plan.md", "# A", 3, "task_plan.md:12:34", 99)
    asked = EditedView("task_plan.md", "# A", 3, "question:7", 99)
    assert (saved.is_saved, asked.is_saved) == (True, False)
