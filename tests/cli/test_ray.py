"""`--ray` on a real local cluster, one of whose workers is killed on the way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from .shell import COMMAND, environment

pytest.importorskip("ray")
pytestmark = pytest.mark.slow


def descendants(pid: int) -> list[int]:
    """Processes that a process of ours has started, and theirs."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, ValueError):
                continue  # it has ended meanwhile
            children.setdefault(parent, []).append(int(entry.name))
    found, todo = [], [pid]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return found


def workers_at_work(pid: int) -> list[int]:
    """Ray workers below a process that run a share now; Ray names them after what they run."""
    found = []
    for child in descendants(pid):
        try:
            command = Path(f"/proc/{child}/cmdline").read_bytes()
        except OSError:
            continue
        if command.startswith(b"ray::_run_share"):
            found.append(child)
    return found


@pytest.fixture
def asked(tmp_path: Path, docs: Path) -> list[str]:
    rows = [
        {"id": str(at), "question": "When does the Brell ferry leave Tarn pier?", "answer": "07:40"}
        for at in range(150)
    ]
    questions = tmp_path / "questions.jsonl"
    questions.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return ["bench", "--data", str(questions), "--docs", str(docs), "--out", "runs.jsonl", "--json"]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds workers through /proc")
def test_the_share_of_a_killed_worker_is_done_again(tmp_path: Path, asked: list[str]) -> None:
    file = tmp_path / "runs.jsonl"
    process = subprocess.Popen(
        [COMMAND, *asked, "--ray", "local"],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    killed = 0
    until = time.monotonic() + 100
    while process.poll() is None and not killed and time.monotonic() < until:
        if file.exists() and file.stat().st_size and (found := workers_at_work(process.pid)):
            os.kill(found[0], signal.SIGKILL)
            killed = found[0]
        time.sleep(0.005)
    out, errors = process.communicate(timeout=100)

    assert killed, "no worker was caught at work"
    assert process.returncode == 0, errors
    assert out.startswith("{"), out[:2000]
    told = json.loads(out)
    assert [figures["questions"] for figures in told["presets"].values()] == [150, 150]
    assert file.read_bytes().count(b"\n") == 300, "each run is there once"


def test_an_index_embedded_on_a_cluster_is_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for at in range(600):
        (folder / f"{at}.txt").write_text(f"The mill number {at} grinds rye.", encoding="utf-8")
    script = (
        "from ragloop.stores.embeddings import HashingEmbeddings\n"
        "from ragloop.stores.ray_cluster import RayEmbeddings\n"
        "texts = [f'The mill number {at} grinds rye.' for at in range(600)]\n"
        "here = HashingEmbeddings()\n"
        "there = RayEmbeddings(here, 'local')\n"
        "assert abs(there.vectors(texts) - here.vectors(texts)).max() < 1e-6\n"
        "assert there.name == here.name and there.dims == here.dims\n"
        "print('same')\n"
    )

    indexed = subprocess.run(
        [COMMAND, "index", str(folder), "--store", "store", "--ray", "local"],
        check=False, cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True,
    )  # fmt: skip
    compared = subprocess.run(
        [COMMAND.with_name("python"), "-c", script],
        check=False, cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True,
    )  # fmt: skip

    assert indexed.returncode == 0, indexed.stderr
    assert indexed.stdout.startswith("600 documents, 600 passages"), indexed.stdout
    assert compared.stdout.strip() == "same", compared.stderr
