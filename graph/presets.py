"""The presets: what each one changes of the default settings, and nothing else.

No code asks which preset is on. `settings.preset` makes Settings of a name.
"""

from __future__ import annotations

from typing import Any

_CHECKS_OFF: dict[str, Any] = {
    "grade_retrieval": False,
    "check_support": False,
    "rate_usefulness": False,
    "max_rounds": 0,
    "remedies": (),
}

PRESETS: dict[str, dict[str, Any]] = {
    "plain": {"tier": 0, "refine": "off", **_CHECKS_OFF},
    "check": {"tier": 1, **_CHECKS_OFF, "check_support": True},
    "guard": {"tier": 2, "max_rounds": 0, "remedies": (), "rate_usefulness": False},
    "loop": {"tier": 3},
    "crag": {
        "tier": 3,
        "refine": "strips",
        "check_support": False,
        "rate_usefulness": False,
        "max_rounds": 1,
        "remedies": ("search_again", "search_elsewhere"),
    },
    "self_rag": {"tier": 3, "ask_retrieval": True, "candidates": 3, "remedies": ("search_again",)},
    "self_route": {"tier": 0, **_CHECKS_OFF, "refine": "off", "remedies": ("read_whole",)},
    "self_route_paper": {
        "tier": 0,
        **_CHECKS_OFF,
        "refine": "off",
        "remedies": ("read_whole",),
        "k": 5,
        "selector": "score",
    },
    "whole_document": {
        "tier": 0,
        **_CHECKS_OFF,
        "remedies": ("read_whole",),
        "pre_route": "always",
    },
}
"""What each preset changes of the defaults. The tiers are those of METHODS: what it costs grows."""
