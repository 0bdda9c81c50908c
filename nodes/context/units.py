"""The units that texts are compared by: words, and single CJK characters."""

from __future__ import annotations

import re
import string

from ...stores.text import CJK

_UNIT = re.compile(rf"[{CJK}]|[^\W_{CJK}]+[+#]*")
_SIGNS = {ord(sign): " " for sign in string.punctuation if sign not in "+#"}


def units(folded: str) -> list[str]:
    """The words of a folded text in order, without signs; a CJK character is a unit of its own."""
    if folded.isascii():  # the same split, five times as fast
        return folded.translate(_SIGNS).split()
    return _UNIT.findall(folded)
