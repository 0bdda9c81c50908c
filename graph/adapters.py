"""The loop as a LangChain runnable, tool and retriever, so that any chain or agent gains it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun as AsyncRetrieverRun
from langchain_core.callbacks import CallbackManagerForRetrieverRun as RetrieverRun
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from ..stores.errors import ReplyNeeded
from ..stores.langchain_passages import to_langchain
from .answer import Answer
from .settings import Settings

App = CompiledStateGraph[Any, Settings, Any, Any]
Input = str | Mapping[str, Any] | Sequence[BaseMessage] | Command[Any]
INTERRUPT = "__interrupt__"
"""Where LangGraph puts what a run waits for."""


def question_of(given: Input) -> Any:
    """Read a string, a mapping with `question` or `messages`, or a list of messages.

    A `Command`, which resumes a run, stays what it is.
    """
    if isinstance(given, Command):
        return given
    if isinstance(given, str):
        return {"question": given}
    if isinstance(given, Mapping):
        return dict(given)
    return {"messages": list(given)}


def answer_in(result: Mapping[str, Any]) -> Answer:
    """The answer of a finished run; raises ReplyNeeded when the run waits for a person."""
    if waiting := result.get(INTERRUPT):
        raise ReplyNeeded(
            f"The run waits for a reply: {waiting[0].value['message']} "
            "Go on with Command(resume=...) in the same thread."
        )
    answer: Answer = result["answer"]
    return answer


def as_runnable(
    app: App,
    *,
    output: Literal["answer", "text", "message"] = "answer",
    settings: Settings | None = None,
) -> Runnable[Any, Any]:
    """Give a runnable: a string, a dict or messages in; the Answer, its text or a message out."""

    def shaped(result: dict[str, Any]) -> Answer | str | AIMessage:
        answer = answer_in(result)
        if output == "text":
            return answer["text"]
        if output == "message":
            return AIMessage(answer["text"], additional_kwargs={"answer": answer})
        return answer

    def run(given: Input, config: RunnableConfig) -> Any:
        return shaped(app.invoke(question_of(given), config, context=settings))

    async def arun(given: Input, config: RunnableConfig) -> Any:
        return shaped(await app.ainvoke(question_of(given), config, context=settings))

    return RunnableLambda(run, afunc=arun, name="ragloop")


def as_tool(
    app: App,
    *,
    name: str = "search_documents",
    description: str = "Answer a question from the documents, with citations, or say that they "
    "do not hold the answer.",
    settings: Settings | None = None,
) -> BaseTool:
    """Give a tool for an agent: a question in; the text out, the whole Answer as artifact."""

    def run(question: str) -> tuple[str, Answer]:
        answer = answer_in(app.invoke({"question": question}, context=settings))
        return answer["text"], answer

    async def arun(question: str) -> tuple[str, Answer]:
        answer = answer_in(await app.ainvoke({"question": question}, context=settings))
        return answer["text"], answer

    return StructuredTool.from_function(
        func=run,
        coroutine=arun,
        name=name,
        description=description,
        response_format="content_and_artifact",
    )


class LoopRetriever(BaseRetriever):
    """Search, grade, rewrite and select; the chosen passages come out as LangChain documents."""

    app: Any
    settings: Settings | None = None

    def _get_relevant_documents(self, query: str, *, run_manager: RetrieverRun) -> list[Document]:
        steps = self.app.stream(
            {"question": query},
            {"callbacks": run_manager.get_child()},
            context=self.settings,
            stream_mode="updates",
        )
        for step in steps:
            if "select_context" in step:
                return [to_langchain(passage) for passage in step["select_context"]["context"]]
        return []

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncRetrieverRun
    ) -> list[Document]:
        steps = self.app.astream(
            {"question": query},
            {"callbacks": run_manager.get_child()},
            context=self.settings,
            stream_mode="updates",
        )
        async for step in steps:
            if "select_context" in step:
                return [to_langchain(passage) for passage in step["select_context"]["context"]]
        return []


def as_retriever(app: App, *, settings: Settings | None = None) -> BaseRetriever:
    """Give a retriever that stops where the writing would begin: any chain gains the loop.

    It brings nothing when nothing that was found is good enough, or when no source is needed.
    """
    return LoopRetriever(app=app, settings=settings)
