"""Every prompt of the loop, a constant a node.

A slot is a name in braces. Slots are filled in one pass over the template, so braces in a document
or in an earlier answer stay as they are. Texts that come from documents are fenced by
`nodes.judges.fence` before they get here.
"""

from __future__ import annotations

import re

_SLOT = re.compile(r"\{([a-z_]+)\}")
