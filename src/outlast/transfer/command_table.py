"""The commands that read and write plans of other forms."""

from __future__ import annotations

from typing import Final

from outlast.console.command_index import (
    KEY,
    LAYOUT,
    UNLISTED_ARCHIVED,
    YES,
    Argument,
    Command,
    Option,
)

DOCUMENTS: Final = ("plan.json", "manager", "markdown", "checklist")

COMMANDS: Final = (
    Command(
        "import",
        "transfer.commands:import_plan",
        (Argument("file", "FILE", "argument_import"),),
        (Option("form", ("--format",), "option_import_form", "FORMAT"), KEY, LAYOUT),
        needs_plan=False,
    ),
    Command(
        "export",
        "transfer.commands:export_plan",
        (Argument("file", "FILE", "argument_export", required=False),),
        (
            Option("form", ("--format",), "option_document", choices=DOCUMENTS),
            YES,
            UNLISTED_ARCHIVED,
        ),
    ),
)
