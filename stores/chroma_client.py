"""Opening Chroma so that a reader sees what others write.

A Chroma client shares one engine with every client of its process on the same path, and that engine
answers queries from what it has read before: another process's rows are not found, and a folder
that was removed and made again cannot be written (code 1032). So each of our handles has an engine
of its own, which can be closed and opened anew. Chroma keys its engines by the path as it is
spelled, and "folder/." is the same folder under another spelling.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import StoreError, StoreMissing

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

DATABASE = "chroma.sqlite3"
_spellings: set[str] = set()
_spelling_lock = threading.Lock()


def _settings() -> Any:
    from chromadb.config import Settings

    return Settings(anonymized_telemetry=False)


def _take_spelling(path: Path) -> str:
    """A spelling of the path that no open engine has."""
    with _spelling_lock:
        spelled = str(path.resolve()) + "/."
        while spelled in _spellings:
            spelled += "/."
        _spellings.add(spelled)
        return spelled


def _forget(spelling: str) -> None:
    """Free a spelling, and the engine that Chroma keeps for it even when it failed to start."""
    from chromadb.api.shared_system_client import SharedSystemClient

    with _spelling_lock:
        for kept in ("_identifier_to_system", "_identifier_to_refcount"):
            getattr(SharedSystemClient, kept, {}).pop(spelling, None)
        _spellings.discard(spelling)


class Engine:
    """An own Chroma engine on a folder, or a client of a server."""

    def __init__(self, client: ClientAPI, *, own: bool = False, spelling: str = "") -> None:
        self.client = client
        self._own = own
        self._spelling = spelling

    @classmethod
    def on_disk(cls, path: Path) -> Engine:
        """Open the store in a folder, which must exist or be makeable."""
        import chromadb

        spelling = _take_spelling(path)
        try:
            with plain_errors(str(path)):
                client = chromadb.PersistentClient(spelling, _settings())
                return cls(client, own=True, spelling=spelling)
        except StoreError:
            _forget(spelling)
            raise

    @classmethod
    def on_server(cls, host: str, port: int, ssl: bool = False) -> Engine:
        """Reach a Chroma server."""
        import chromadb

        with plain_errors(f"http://{host}:{port}"):
            client = chromadb.HttpClient(host, port, ssl=ssl, settings=_settings())
            return cls(client, own=True)

    def close(self) -> None:
        """Let go of the engine and its files; a client that was given to us stays open."""
        if self._own:
            for part in (self.client, getattr(self.client, "_admin_client", None)):
                # Chroma 1.5 does not close the connections of a server's client itself.
                session = getattr(getattr(part, "_server", None), "_session", None)
                if session is not None:
                    session.close()
            self.client.close()  # type: ignore[attr-defined]
        _forget(self._spelling)


def inode(path: Path) -> int:
    """Which file the database of a store is; 0 when there is none."""
    try:
        return os.stat(path / DATABASE).st_ino  # noqa: PTH116 - called before every search
    except OSError:
        return 0


@contextmanager
def plain_errors(where: str) -> Iterator[None]:
    """Turn what Chroma raises into one line that says what to do."""
    import httpx
    from chromadb.errors import ChromaError, NotFoundError

    unreachable = f"The Chroma server at {where} cannot be reached. Is it running?"
    try:
        yield
    except NotFoundError as error:
        raise StoreMissing(
            f"The store at {where} was emptied or replaced meanwhile. Open it again."
        ) from error
    except ChromaError as error:
        raise StoreError(_reason(where, str(error))) from error
    except (httpx.HTTPError, ConnectionError) as error:
        raise StoreError(unreachable) from error
    except ValueError as error:
        if "Could not connect" in str(error):
            raise StoreError(unreachable) from error
        raise
    except (PermissionError, FileExistsError, NotADirectoryError) as error:
        raise StoreError(f"The store at {where} cannot be used: {error.strerror}.") from error


def _reason(where: str, said: str) -> str:
    said = " ".join(said.split())
    if "readonly" in said or "unable to open database" in said or "Permission denied" in said:
        return (
            f"The store at {where} is not writable (read-only), and Chroma must write even to "
            "read. Make it writable, or copy it to where you may write."
        )
    if "not a database" in said or "malformed" in said:
        return f"The store at {where} is damaged: {said[:120]}. Remove it and index again."
    if "Error finding id" in said or "hnsw" in said:
        return f"The store at {where} has lost its vectors. Remove it and index again."
    if "File exists" in said:
        return f"The store cannot be at {where}: a file is there. Give a folder."
    return f"The store at {where} failed: {said[:200]}"
