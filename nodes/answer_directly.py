"""Answer what needs no source: small talk, arithmetic, writing."""

from __future__ import annotations

from ..graph.prompts import fill
from ..graph.state import State
from .conversation import lines_of
from .judges.fence import fence
from .judges.replies import Direct
from .run import Run
from .steps import Ask, Reply, Steps
from .writers.direct import reply_offline
from .writers.model import not_answerable


def answer_directly(state: State, run: Run) -> Steps[State]:
    """Reply without evidence, and without claiming any."""
    if not run.has_model("writer"):
        text = reply_offline(state["asked"], state["decision"].get("rule", ""))
        return {"draft": {**not_answerable(""), "text": text, "answerable": True}}
    prompt = fill(
        run.settings.answer_directly_prompt,
        history=fence("history", "\n".join(lines_of((state.get("messages") or [])[-6:]))),
        question=fence("question", state["asked"]),
    )
    replies: list[Reply] = yield Ask(
        run.node,
        "writer",
        (prompt,),
        Direct,
        text_field="answer",
        max_tokens=run.settings.answer_tokens,
        stream=run.streams_live,
    )
    text = str(replies[0].fields.get("answer") or "").strip()
    if replies[0].finish != "stop" or not text:
        why = replies[0].error or f"the reply was {replies[0].finish}"
        run.warn(f"{run.node}: {why}")
        return {"draft": {**not_answerable(why), "finish": replies[0].finish}}
    return {"draft": {**not_answerable(""), "text": text, "answerable": True}}
