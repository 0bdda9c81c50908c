"""A run with a checkpointer, in a process that a test can kill at any moment.

Run as a program it forks a process for each line on its standard input, KIND WHERE URL THREAD, and
prints that process's id: so the libraries are imported once.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.sqlite import SqliteSaver
from loopback import Loopback
from small_graph import QUESTION, compiled, passage

from ragloop.graph.prompts import DEFAULTS
from ragloop.graph.settings import preset

DEPTH = "The well at Orsa is 31 metres deep. It was dug by hand."
REPLIES: dict[str, Any] = {
    "grade_passages": [{"by_text": {"31 metres": "yes", "*": "no"}}],
    "rewrite_query": ['{"failure": "vocabulary", "queries": ["depth of the Orsa well"]}'],
    "generate": ["The well is 31 metres deep. [1] It was dug by hand. [1]"],
}
"""Replies that depend on the prompt alone, so that a repeated call changes nothing."""
OPEN: dict[str, Any] = {
    "sqlite": SqliteSaver.from_conn_string,
    "postgres": PostgresSaver.from_conn_string,
}


class TwoSearches:
    """Finds the passage only under the rewritten query."""

    def search(self, query: str, k: int, where: Any = None) -> list[Any]:
        if "depth" in query:
            return [passage("well", DEPTH), passage("mill")]
        return [passage("tram"), passage("kiln")]

    async def asearch(self, query: str, k: int, where: Any = None) -> list[Any]:
        return self.search(query, k, where)


def server() -> Loopback:
    """A model server that takes its time."""
    return Loopback(REPLIES, delay_s=0.04)


def graph(url: str, saver: Any) -> Any:
    """The graph whose every node asks a model of its own name."""
    settings = preset("loop", base_url=url, models={node: node for node in DEFAULTS})
    return compiled(None, settings, passages=TwoSearches(), checkpointer=saver)


def ask(kind: str, where: str, url: str, thread: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Ask, or go on where a run was killed; gives the answer and the nodes that were to do."""
    config = {"configurable": {"thread_id": thread}}
    with OPEN[kind](where) as saver:
        saver.setup()
        app = graph(url, saver)
        found = app.get_state(config)
        to_do = found.next
        if found.values.get("answer") and not to_do:  # it had ended before it could be killed
            return found.values["answer"], ()
        given = None if to_do else {"question": QUESTION}
        return app.invoke(given, config, durability="sync")["answer"], to_do


@contextmanager
def launcher() -> Iterator[subprocess.Popen[str]]:
    """The program below, ready to fork."""
    program = [sys.executable, __file__]
    paths = os.pathsep.join(path for path in sys.path if path)
    with subprocess.Popen(
        program,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    ) as running:
        yield running
        running.kill()


def killed_and_resumed(kind: str, where: str, points: int) -> None:
    """Kill a run at each of so many points, go on with it, and compare; see the tests that call."""
    dice = random.Random(7)
    with server() as undisturbed:
        expected, _ = ask(kind, where, undisturbed.url, "undisturbed")
        calls = undisturbed.calls()
    with launcher() as forks:
        for point in range(points):
            with server() as models:
                _run_and_kill(forks, models, f"{kind} {where}", 1 + point * calls // points, dice)
                answer, to_do = ask(kind, where, models.url, models.url)
                again = _repeated(models)
            assert story(answer) == story(expected), point
            assert again <= set(to_do), (point, again, to_do)


def _run_and_kill(
    forks: subprocess.Popen[str], models: Loopback, what: str, calls: int, dice: random.Random
) -> None:
    assert forks.stdin is not None and forks.stdout is not None
    forks.stdin.write(f"{what} {models.url} {models.url}\n")
    forks.stdin.flush()
    pid = int(forks.stdout.readline())
    end = time.monotonic() + 30
    while models.calls() < calls:
        assert time.monotonic() < end, "the run makes no calls"
        time.sleep(0.001)
    time.sleep(dice.uniform(0, 0.08))
    os.kill(pid, signal.SIGKILL)
    while models.under_way:
        time.sleep(0.005)


def _repeated(models: Loopback) -> set[str]:
    """Nodes of which the server saw one and the same prompt more than once."""
    asked = Counter((chat["model"], str(chat["messages"])) for chat in models.chats())
    return {node for (node, _), times in asked.items() if times > 1}


def story(answer: dict[str, Any]) -> dict[str, Any]:
    """What of an answer does not depend on the clock."""
    return {name: answer[name] for name in answer if name != "spent"}


def _fork_for_each_line() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            kind, rest = line.strip().split(" ", 1)
            where, url, thread = rest.rsplit(" ", 2)
            ask(kind, where, url, thread)
            os._exit(0)
        print(pid, flush=True)  # noqa: T201  the test reads it


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    _fork_for_each_line()
