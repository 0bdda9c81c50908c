"""Map the top-level folders to the import package `ragloop`.

Wheel: hatchling's `sources` table renames the folders; this hook adds graph/_facade.py as
ragloop/__init__.py. Editable install: the hook lays `.editable/ragloop/` with one directory link
a folder (a symlink; on Windows without that right a junction, which needs none), and hatchling
writes one plain .pth line that points there. Nothing of this is committed.

`python hatch_build.py` lays the links alone, for tools that read the tree without installing it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "ragloop"
PARTS = ("graph", "nodes", "stores", "evals", "cli")

# Runs graph/_facade.py instead of importing it, so that `import ragloop` does not import
# ragloop.graph first: the same order as in the wheel, where a circular import would show.
EDITABLE_INIT = """\
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .graph._facade import *
    from .graph._facade import __all__ as __all__
else:
    from pathlib import Path as _Path

    _facade = _Path(__file__).parent / "graph" / "_facade.py"
    exec(compile(_facade.read_text(encoding="utf-8"), str(_facade), "exec"))
"""


def link_folder(link: Path, target: Path) -> None:
    """Make `link` lead to the folder `target`; leave it alone when it already does."""
    if os.path.lexists(link):
        if os.path.realpath(link) == os.path.realpath(target):
            return
        # A link must be removed, never what it leads to.
        link.unlink() if link.is_symlink() else link.rmdir()
    try:
        link.symlink_to(os.path.relpath(target, link.parent), target_is_directory=True)
    except OSError:
        if sys.platform != "win32":
            raise
        import _winapi

        _winapi.CreateJunction(str(target), str(link))


def lay_links(root: Path) -> None:
    """Make `root`/.editable/ragloop a package whose parts are the folders at the top level."""
    package = root / ".editable" / PACKAGE
    package.mkdir(parents=True, exist_ok=True)
    for part in PARTS:
        link_folder(package / part, root / part)
    (package / "__init__.py").write_text(EDITABLE_INIT, encoding="utf-8")
    (package / "py.typed").touch()


class RagloopHook(BuildHookInterface[Any]):
    """Adds the facade to a wheel, or lays the links of an editable install."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        if version == "editable":
            lay_links(root)
            return
        included = build_data["force_include"]
        included[str(root / "graph" / "_facade.py")] = f"{PACKAGE}/__init__.py"
        included[str(root / "graph" / "py.typed")] = f"{PACKAGE}/py.typed"


if __name__ == "__main__":
    lay_links(Path(__file__).parent)
