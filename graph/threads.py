"""Conversations that are kept: checkpointers for `invoke` and `ainvoke` alike."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)

_SYNC_ONLY = ("langgraph.checkpoint.sqlite", "langgraph.checkpoint.postgres")
"""Modules of savers that raise NotImplementedError from every async method."""


def for_both_ways(saver: Any) -> Any:
    """Give a checkpointer that serves async runs as well; any other value as it is."""
    return InThreads(saver) if type(saver).__module__ in _SYNC_ONLY else saver


class InThreads(BaseCheckpointSaver[Any]):
    """A sync checkpointer whose async side does the work in a thread."""

    def __init__(self, saver: BaseCheckpointSaver[Any]) -> None:
        super().__init__(serde=saver.serde)
        self.saver = saver

    @property
    def config_specs(self) -> list[Any]:
        """Those of the saver."""
        return self.saver.config_specs

    def with_allowlist(self, extra_allowlist: Any) -> InThreads:
        """Do what the saver does; LangGraph asks for it when a graph is compiled."""
        return InThreads(self.saver.with_allowlist(extra_allowlist))

    def get_next_version(self, current: Any, channel: None) -> Any:
        """Count as the saver does."""
        return self.saver.get_next_version(current, channel)

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read one checkpoint."""
        return self.saver.get_tuple(config)

    def list(self, config: RunnableConfig | None, **how: Any) -> Iterator[CheckpointTuple]:
        """Read the checkpoints of a thread, newest first."""
        return self.saver.list(config, **how)

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint."""
        return self.saver.put(config, checkpoint, metadata, new_versions)

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Keep what a node of an unfinished step wrote."""
        self.saver.put_writes(config, writes, task_id, task_path)

    def delete_thread(self, thread_id: str) -> None:
        """Forget a conversation."""
        self.saver.delete_thread(thread_id)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Do `get_tuple` in a thread."""
        return await asyncio.to_thread(self.saver.get_tuple, config)

    async def alist(
        self, config: RunnableConfig | None, **how: Any
    ) -> AsyncIterator[CheckpointTuple]:
        """Do `list` in a thread."""
        for kept in await asyncio.to_thread(lambda: [*self.saver.list(config, **how)]):
            yield kept

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Do `put` in a thread."""
        return await asyncio.to_thread(self.saver.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Do `put_writes` in a thread."""
        await asyncio.to_thread(self.saver.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """Do `delete_thread` in a thread."""
        await asyncio.to_thread(self.saver.delete_thread, thread_id)
