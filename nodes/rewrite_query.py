"""Name the kind of failure and write new queries; the question itself is never touched."""

from __future__ import annotations

from ..graph.prompts import fill
from ..graph.state import State
from .judges.fence import fence
from .judges.replies import Rewritten
from .rewriting import kind_of_failure, new_queries, queries_offline
from .run import Run
from .steps import Ask, Reply, Steps
from .tiers import raised


def rewrite_query(state: State, run: Run) -> Steps[State]:
    """Propose queries that were not tried. None means no progress, and another remedy is next."""
    question = state["question"]
    if run.has_model("judge"):
        failure, proposed = yield from _asked(state, run)
    else:
        failure = kind_of_failure(question, state["kept"])
        proposed = [*queries_offline(failure, question, state["kept"], state["found"])]
    queries = new_queries(proposed, state["queries"], question)
    return {
        "rounds": state["rounds"] + 1,
        "failure": failure,
        "searching": queries,
        "query": queries[0] if queries else state["query"],
        "stalled": not queries,
        "tier": raised(state),
    }


def _asked(state: State, run: Run) -> Steps[tuple[str, list[object]]]:
    tried = "\n".join(record["query"] for record in state["queries"])
    seen = "\n".join(
        fence("passage", passage["text"][:600], title=passage.get("title"))
        for passage in [*state["kept"], *state["found"]][:3]
    )
    prompt = fill(
        run.settings.rewrite_query_prompt,
        question=fence("question", state["question"]),
        why_not=state["why_not"] or "the answer could not be found in what it brought",
        tried=fence("history", tried),
        passages=seen,
    )
    replies: list[Reply] = yield Ask(
        run.node, "judge", (prompt,), Rewritten, text_field="queries", max_tokens=300
    )
    reply = replies[0]
    if reply.finish != "stop":
        run.warn(f"{run.node}: no new query ({reply.error or reply.finish}).")
        return state["failure"] or "other", []
    queries = reply.fields.get("queries") or []
    if isinstance(queries, str):
        queries = queries.splitlines()
    failure = str(reply.fields.get("failure") or "other")
    return failure, list(queries)
