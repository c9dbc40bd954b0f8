"""What a plan keeps beside its tasks: findings, errors, what came out, people's own lines."""

# No annotations as text here: making a decoder would take it several times as long to read them.

from msgspec import Struct

from outlast.domain.model import ErrorRecord, Finding, Prose


class Notes(Struct, omit_defaults=True):
    """Findings by id, errors by key, both in the order they came in, and how many there were."""

    findings: dict[int, Finding] = {}
    errors: dict[str, ErrorRecord] = {}
    noted: int = 0
    logged: int = 0
    deliverable: str = ""
    prose: tuple[Prose, ...] = ()

    def copy(self) -> "Notes":
        """Return the same notes, to be put back when a commit is refused half-way."""
        return Notes(
            dict(self.findings),
            dict(self.errors),
            self.noted,
            self.logged,
            self.deliverable,
            self.prose,
        )
