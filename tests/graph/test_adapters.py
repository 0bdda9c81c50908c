"""The loop inside other people's code: runnable, tool, retriever, agent, subgraph."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import MessagesState
from langgraph.prebuilt import ToolNode, tools_condition
from pydantic import Field
from scripted import ScriptedModel
from small_graph import QUESTION, compiled
from typing_extensions import TypedDict

from ragloop.graph.adapters import as_retriever, as_runnable, as_tool
from ragloop.graph.settings import Settings, preset

ANSWER = "The well at Orsa is 31 metres deep. [1]"
GIVEN: dict[str, Any] = {
    "a string": QUESTION,
    "a question": {"question": QUESTION},
    "messages": [HumanMessage(QUESTION)],
    "a mapping with messages": {"messages": [HumanMessage("Hello"), HumanMessage(QUESTION)]},
}


@pytest.mark.parametrize("kind", GIVEN)
async def test_a_runnable_takes_strings_dicts_and_messages_both_ways(kind: str) -> None:
    chain = as_runnable(compiled(), output="text")

    assert chain.invoke(GIVEN[kind]) == ANSWER
    assert await chain.ainvoke(GIVEN[kind]) == ANSWER


def test_a_runnable_gives_the_answer_its_text_or_a_message() -> None:
    app = compiled()

    answer = as_runnable(app).invoke(QUESTION)
    message = as_runnable(app, output="message").invoke(QUESTION)

    assert answer["text"] == ANSWER and answer["citations"]
    assert isinstance(message, AIMessage) and message.text == ANSWER
    assert message.additional_kwargs["answer"]["citations"] == answer["citations"]


def test_a_runnable_is_a_link_of_a_chain_and_takes_batches() -> None:
    chain = as_runnable(compiled(), output="text") | str.upper

    assert chain.batch([QUESTION, QUESTION]) == [ANSWER.upper()] * 2


def test_a_runnable_has_settings_of_its_own() -> None:
    model = ScriptedModel()
    chain = as_runnable(compiled(model), settings=preset("plain"))

    chain.invoke(QUESTION)

    assert model.calls["grade_passages"] == 0


async def test_a_tool_gives_the_text_and_the_whole_answer_as_artifact() -> None:
    tool = as_tool(compiled())
    call = {"name": tool.name, "args": {"question": QUESTION}, "id": "1", "type": "tool_call"}

    for message in (tool.invoke(call), await tool.ainvoke(call)):
        assert message.content == ANSWER
        assert message.artifact["citations"][0]["document_id"] == "well"


class Agent(BaseChatModel):
    """Calls the first tool with the user's words, then repeats what the tool said."""

    tools: list[Any] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "agent"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self.model_copy(update={"tools": list(tools)})

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        last = messages[-1]
        if isinstance(last, ToolMessage):
            said = AIMessage(f"I read: {last.text}")
        else:
            call = {"name": self.tools[0].name, "args": {"question": last.text}, "id": "1"}
            said = AIMessage("", tool_calls=[{**call, "type": "tool_call"}])
        return ChatResult(generations=[ChatGeneration(message=said)])


@pytest.mark.parametrize("way", ["sync", "async"])
async def test_an_agent_calls_the_loop_as_a_tool_and_has_its_citations(way: str) -> None:
    tool = as_tool(compiled())
    model = Agent().bind_tools([tool])
    graph = StateGraph(MessagesState)
    graph.add_node("agent", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode([tool]))
    graph.add_edge(START, "agent")
    graph.add_conditional_edges("agent", tools_condition)
    graph.add_edge("tools", "agent")
    agent, given = graph.compile(), {"messages": [HumanMessage(QUESTION)]}

    done = agent.invoke(given) if way == "sync" else await agent.ainvoke(given)

    used = next(message for message in done["messages"] if isinstance(message, ToolMessage))
    assert done["messages"][-1].text == f"I read: {ANSWER}"
    assert used.artifact["citations"][0]["document_id"] == "well"


async def test_a_retriever_brings_what_the_loop_would_write_from() -> None:
    retriever = as_retriever(compiled())

    for documents in (retriever.invoke(QUESTION), await retriever.ainvoke(QUESTION)):
        assert [document.id for document in documents] == ["well#0"]
        assert "31 metres" in documents[0].page_content


def test_a_retriever_rewrites_but_never_writes() -> None:
    model = ScriptedModel(script={"grade_passages": ["no"] * 4 + ["yes"]})
    retriever = as_retriever(compiled(model, preset("loop", max_concurrency=1)))

    documents = retriever.invoke(QUESTION)

    assert documents
    assert model.calls["rewrite_query"] == 1
    assert model.calls["generate"] == 0


def test_a_retriever_brings_nothing_rather_than_what_is_no_good() -> None:
    model = ScriptedModel(script={"grade_passages": "no"})
    settings = preset("loop", remedies=["search_again"], max_rounds=0)

    assert as_retriever(compiled(model, settings)).invoke(QUESTION) == []


def test_what_the_loop_does_shows_in_the_callbacks_of_the_chain_around_it() -> None:
    seen: list[str] = []

    class Watching(BaseCallbackHandler):
        def on_chain_start(self, serialized: Any, inputs: Any, **how: Any) -> None:
            seen.append(str(how.get("name")))

    as_retriever(compiled()).invoke(QUESTION, {"callbacks": [Watching()]})
    as_runnable(compiled()).invoke(QUESTION, {"callbacks": [Watching()]})

    assert {"retrieve", "grade_passages", "generate"} <= set(seen)


class Ticket(TypedDict, total=False):
    """A state that shares no key with the loop's."""

    text: str
    reply: str
    sources: list[str]


async def test_the_loop_is_a_step_of_a_graph_with_another_state() -> None:
    app = compiled()

    async def reply(state: Ticket) -> Ticket:
        answer = (await app.ainvoke({"question": state["text"]}))["answer"]
        return {"reply": answer["text"], "sources": answer["sources"]}

    outer = StateGraph(Ticket)
    outer.add_node("reply", reply)
    outer.add_edge(START, "reply")
    outer.add_edge("reply", END)

    done = await outer.compile().ainvoke({"text": QUESTION})

    assert done == {"text": QUESTION, "reply": ANSWER, "sources": ["well"]}


def test_the_loop_is_a_node_of_a_graph_that_shares_its_messages() -> None:
    outer = StateGraph(MessagesState, context_schema=Settings)
    outer.add_node("loop", compiled())
    outer.add_edge(START, "loop")
    outer.add_edge("loop", END)

    done = outer.compile().invoke({"messages": [HumanMessage(QUESTION)]})

    assert [message.text for message in done["messages"]] == [QUESTION, ANSWER]
