"""The full program behind `hook.sh`: `python -I -S main.py MOMENT HOST`, the payload on its input.

It is started without `site`, which may cost more than the answer; so it finds its packages itself.
"""

from __future__ import annotations

import os
import sys

_PACKAGE_DEPTH = 4  # src/outlast/hosts/hook/main.py


def _find_packages() -> None:
    """Put Outlast and msgspec on the path: beside it, or in the environment of Python."""
    root = os.path.abspath(__file__)  # noqa: PTH100 - a short-lived process cannot afford pathlib
    for _ in range(_PACKAGE_DEPTH):
        root = os.path.dirname(root)  # noqa: PTH120 - the same
    prefix = os.path.dirname(os.path.dirname(sys.executable))  # noqa: PTH120 - the same
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    sys.path[:] = [
        *(path for path in sys.path if path != os.path.dirname(__file__)),  # noqa: PTH120 - the same
        root,
        f"{prefix}/lib/{version}/site-packages",
    ]
    from outlast.system.startup import start_quickly

    try:
        start_quickly()
    except ImportError:
        import site

        site.main()
        start_quickly()


if __name__ == "__main__":
    _find_packages()
    from outlast.hosts.hook.answer import main

    os._exit(main(sys.argv[1:]))
