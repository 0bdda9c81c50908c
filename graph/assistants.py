"""The presets as assistants of a LangGraph server, where Studio offers them by name.

langgraph dev --no-browser
python -m ragloop.graph.assistants http://127.0.0.1:2024
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from .presets import PRESETS

GRAPH = "ragloop"
"""The graph's name in langgraph.json."""


async def offer_presets(server: LangGraphClient) -> list[str]:
    """Make an assistant of each preset; gives their names. One that is there stays as it is."""
    for name, changes in PRESETS.items():
        context: Any = {
            key: [*value] if isinstance(value, tuple) else value for key, value in changes.items()
        }
        await server.assistants.create(
            GRAPH,
            name=name,
            context=context,
            assistant_id=str(uuid5(NAMESPACE_URL, f"ragloop/{name}")),
            if_exists="do_nothing",
        )
    return [*PRESETS]


async def _main(url: str = "http://127.0.0.1:2024") -> None:
    async with get_client(url=url) as server:
        sys.stdout.write(f"Assistants: {', '.join(await offer_presets(server))}\n")


if __name__ == "__main__":
    asyncio.run(_main(*sys.argv[1:]))
