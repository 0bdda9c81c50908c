"""What the commands write: the answer to stdout, everything else to stderr."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..graph.answer import Answer


def forgive_encodings() -> None:
    """Let signs that the console cannot show come out as escapes instead of ending the run."""
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")


def say(text: str) -> None:
    """Write a line to stdout."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def note(text: str) -> None:
    """Write a line to stderr."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def say_json(value: Any) -> None:
    """Write one JSON value to stdout; in plain ASCII where the console knows no more."""
    plain = (sys.stdout.encoding or "ascii").lower().replace("-", "") != "utf8"
    say(json.dumps(value, ensure_ascii=plain, indent=2))


def from_shell(text: str) -> str:
    """Read an argument as UTF-8, whatever the console's encoding; other bytes become U+FFFD."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def answer_text(answer: Answer) -> str:
    """The answer as people read it: the text, then its numbered sources."""
    lines = [answer["text"]]
    if citations := answer.get("citations"):
        lines.append("")
    for citation in citations or ():
        place = " > ".join(filter(None, [_near(citation["source"]), citation["section"]]))
        lines.append(f'[{citation["marker"]}] {place}: "{_short(citation["quote"])}"')
    return "\n".join(lines)


def summary(answer: Answer) -> str:
    """One line on how the run ended and what it cost."""
    spent = answer["spent"]
    parts = [
        answer["outcome"],
        f"route {answer['route'].replace('_', ' ')}",
        counted(answer["rounds"], "round"),
        counted(spent["calls"], "model call"),
        counted(spent["input_tokens"] + spent["output_tokens"], "token"),
        f"{spent['seconds']:.2f} s",
    ]
    if answer["stopped_by"] != "done":
        parts.insert(1, f"stopped by {answer['stopped_by']}")
    return f"({', '.join(parts)})"


def _near(source: str) -> str:
    """A path below the folder at hand, the short way; anything else as it is."""
    path = Path(source)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else source


def counted(number: int, thing: str) -> str:
    """A number with its noun: "1 round", "2 rounds"."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _short(text: str, most: int = 160) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"
