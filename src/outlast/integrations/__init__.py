"""Plans for agents built with other frameworks; each module needs the extra of its name."""

from outlast.errors import ExtraMissing


def extra_missing(module: str, error: ImportError) -> ExtraMissing:
    """Return the error for a module whose framework is absent or too old."""
    extra = module.rpartition(".")[2].replace("_", "-")
    return ExtraMissing("extra_missing", module=module, extra=extra, problem=str(error))
