"""Files as documents: .md, .txt, .html and, with the extra `pdf`, .pdf.

A document's id is its path below the folder that was given; its text is the file's own, so that
offsets hold in the file (line ends count as one character). HTML and PDF become plain text, with
headings as in Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .errors import LoadError
from .html import html_text
from .passage import Document
from .splitting import headings
from .text import clean

MARKDOWN, PLAIN, HTML, PDF = (".md", ".markdown"), (".txt",), (".html", ".htm"), (".pdf",)
TYPES = MARKDOWN + PLAIN + HTML + PDF
_FRONT = re.compile(r"\A---[ \t]*\n(.*?\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_PAIR = re.compile(r"^(title|date|version)[ \t]*:[ \t]*(.+?)[ \t]*$", re.M | re.I)
_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?([\w-]+)", re.I)
_DAMAGED = 0.1
"""Share of broken characters among those beyond ASCII up to which a file is damaged UTF-8."""


@dataclass(frozen=True)
class FoundFile:
    """A file to load."""

    path: Path
    id: str
    """The path below the folder given, with forward slashes; a single file's own name."""
    source: str
    """The path as the user wrote it, down to the file."""
    absolute: str
    """The path from the top, which tells two files apart."""


@dataclass
class Loaded:
    """A document, or the reason why there is none, and what had to be mended."""

    document: Document
    notes: list[str] = field(default_factory=list)


def find_files(paths: Iterable[str | Path]) -> list[FoundFile]:
    """List the files to load, in order of their ids; what is hidden or of another type is passed.

    Raises `LoadError` for a path that does not exist or a named file of another type.
    """
    found: dict[Path, FoundFile] = {}
    for given in paths:
        path = Path(given)
        if path.is_dir():
            for file in _walk(path):
                below = file.relative_to(path).as_posix()
                found.setdefault(file.resolve(), _found(file, below))
        elif path.is_file():
            if path.suffix.lower() not in TYPES:
                raise LoadError(
                    f"{path} is of a type that cannot be read. Readable are {', '.join(TYPES)}."
                )
            found.setdefault(path.resolve(), _found(path, path.name))
        else:
            raise LoadError(f"There is no file or folder at {path}.")
    return sorted(found.values(), key=lambda file: (file.id, file.absolute))


def _found(path: Path, identity: str) -> FoundFile:
    return FoundFile(path, clean(identity), clean(str(path)), clean(str(path.resolve())))


def _walk(folder: Path) -> Iterator[Path]:
    """Files of our types below a folder; hidden ones and links to folders are not followed."""
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise LoadError(f"The folder {folder} cannot be read: {error.strerror}.") from error
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            if not entry.is_symlink():
                yield from _walk(entry)
        elif entry.suffix.lower() in TYPES and entry.is_file():
            yield entry


def load(
    paths: Iterable[str | Path], metadata: Mapping[str, Any] | None = None
) -> tuple[list[Document], dict[str, str]]:
    """Load files and folders: the documents, and path -> reason for each file that was left out.

    Raises `LoadError` for a path that does not exist or a named file of another type.
    """
    documents: list[Document] = []
    skipped: dict[str, str] = {}
    for file in find_files(paths):
        try:
            documents.append(load_file(file, read_bytes(file), metadata).document)
        except LoadError as error:
            skipped[file.source] = str(error)
    return documents, skipped


def read_bytes(file: FoundFile) -> bytes:
    """The bytes of a file. Raises `LoadError` when it cannot be read."""
    try:
        return file.path.read_bytes()
    except OSError as error:
        raise LoadError(f"{file.source} cannot be read: {error.strerror}.") from error


def load_file(file: FoundFile, content: bytes, metadata: Mapping[str, Any] | None = None) -> Loaded:
    """Make a document of a file's bytes. Raises `LoadError` when it holds no text or is damaged."""
    suffix = file.path.suffix.lower()
    notes: list[str] = []
    title = date = version = ""
    if suffix in PDF:
        text, title = _pdf(file, content)
    else:
        text, note = decode(content, html=suffix in HTML)
        notes += [f"{file.source}: {note}"] if note else []
        if suffix in HTML:
            text, title = html_text(text)
    text = clean(text)
    if not text.strip():
        raise LoadError(f"{file.source} is blank: it holds no text.")
    if suffix in MARKDOWN and (front := _FRONT.match(text)):
        about = {key.lower(): value.strip("\"'") for key, value in _PAIR.findall(front.group(1))}
        title, date = about.get("title", ""), about.get("date", "")
        version = about.get("version", "")
    document: Document = {
        "id": file.id,
        "text": text,
        "title": title or _first_heading(text, suffix) or file.path.stem,
        "source": file.source,
    }
    if date:
        document["date"] = date
    if version:
        document["version"] = version
    if metadata:
        document["metadata"] = dict(metadata)
    return Loaded(document, notes)


def decode(content: bytes, *, html: bool = False) -> tuple[str, str]:
    """Text of a file's bytes, and a note when something had to be guessed or replaced.

    UTF-8 unless a byte-order mark says UTF-16, an HTML page names its charset, or the bytes are no
    UTF-8 and read as common Chinese in GB 18030.
    """
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace"), ""
    try:
        return content.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        replaced = content.decode("utf-8-sig", "replace")
    if html and (named := _CHARSET.search(content[:2048])):
        try:
            return content.decode(named.group(1).decode("ascii")), ""
        except (LookupError, UnicodeDecodeError):
            pass
    broken = replaced.count("\ufffd")
    beyond = sum(1 for sign in replaced if not sign.isascii())
    if broken > _DAMAGED * beyond and (chinese := _as_chinese(content)):
        return chinese, "read as GB 18030, for it is no UTF-8"
    return replaced, f"is no clean UTF-8: {broken} characters were replaced"


def _as_chinese(content: bytes) -> str:
    """The bytes as GB 18030 when nearly all beyond ASCII is common Chinese, else nothing."""
    try:
        text = content.decode("gb18030")
    except UnicodeDecodeError:
        return ""
    beyond = [sign for sign in text if not sign.isascii()]
    common = sum(
        "\u4e00" <= sign <= "\u9fff" or "\u3000" <= sign <= "\u303f" or "\uff00" <= sign <= "\uffef"
        for sign in beyond
    )
    return text if common >= 0.9 * len(beyond) else ""


def _first_heading(text: str, suffix: str) -> str:
    if suffix in PLAIN:
        return ""
    return next((mark.title for mark in headings(text)), "")


def _pdf(file: FoundFile, content: bytes) -> tuple[str, str]:
    """Text and title of a PDF, pages set apart by a blank line."""
    import io

    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ImportError as error:
        raise LoadError(
            f"{file.source} is a PDF. To read those, run: pip install 'ragloop[pdf]'"
        ) from error
    try:
        reader = PdfReader(io.BytesIO(content))
        pages = [page.extract_text() for page in reader.pages]
        title = (reader.metadata.title if reader.metadata else "") or ""
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise LoadError(f"{file.source} is no readable PDF: {error}.") from error
    return "\n\n".join(page.strip() for page in pages), title.strip()
