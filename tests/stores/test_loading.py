"""Files become documents whose offsets hold in the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragloop.stores.errors import LoadError
from ragloop.stores.html import html_text
from ragloop.stores.loading import decode, find_files, load


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_ids_are_paths_below_the_folder_and_sources_as_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "docs/a.md", "One.")
    write(tmp_path, "docs/手册/灯 1.txt", "灯。")
    monkeypatch.chdir(tmp_path)

    documents, _ = load(["docs"])

    assert [one["id"] for one in documents] == ["a.md", "手册/灯 1.txt"]
    assert [one["source"] for one in documents] == ["docs/a.md", "docs/手册/灯 1.txt"]


def test_markdown_is_kept_as_it_stands_in_the_file(tmp_path: Path) -> None:
    text = "---\ntitle: 渡轮 \ndate: 2024-03-01\n---\n\n# Ferry\n\n“It leaves” — 渡轮。\n"
    path = write(tmp_path, "q.md", text)

    documents, _ = load([path])

    assert documents[0]["text"] == text
    assert (documents[0]["title"], documents[0]["date"]) == ("渡轮", "2024-03-01")


@pytest.mark.parametrize(
    ("name", "content", "title"),
    [
        ("a.md", "Text first.\n\n## Ferry { #ferry }\n", "Ferry"),
        ("a.html", "<title>The\n ferry</title><h1>Other</h1>x", "The ferry"),
        ("a.html", "<h1>渡轮</h1><p>x", "渡轮"),
        ("ferry times.txt", "# no heading in plain text", "ferry times"),
    ],
)
def test_the_title_is_what_the_file_says_of_itself(
    tmp_path: Path, name: str, content: str, title: str
) -> None:
    documents, _ = load([write(tmp_path, name, content)])

    assert documents[0]["title"] == title


@pytest.mark.parametrize(
    ("content", "text", "note"),
    [
        pytest.param("\ufeff渡轮".encode(), "渡轮", "", id="byte-order mark"),
        pytest.param("渡轮 ferry".encode("utf-16"), "渡轮 ferry", "", id="UTF-16"),
        pytest.param("渡轮七点开。".encode("gbk"), "渡轮七点开。", "GB 18030", id="GBK"),
        pytest.param(b"The caf\xe9 opens", "The caf\ufffd opens", "1 characters", id="Latin-1"),
        pytest.param(
            ("渡轮七点四十分开，航程三十五分钟。" * 3).encode() + b"\xff",
            "渡轮七点四十分开，航程三十五分钟。" * 3 + "\ufffd",
            "1 characters",
            id="damaged UTF-8",
        ),
    ],
)
def test_bytes_are_read_in_the_encoding_they_are_in(content: bytes, text: str, note: str) -> None:
    read, said = decode(content)

    assert read == text
    assert note in said
    assert bool(said) == bool(note)


def test_line_ends_of_windows_become_one_character(tmp_path: Path) -> None:
    documents, _ = load([write(tmp_path, "w.txt", b"One.\r\nTwo.\r\n")])

    assert documents[0]["text"] == "One.\nTwo.\n"


def test_html_loses_scripts_and_styles_and_keeps_headings() -> None:
    page = """<html><head><title>渡轮</title><style>p {color: red}</style></head><body>
      <script>alert("no")</script><h1>Ferry</h1><p>It leaves at <b>07:40</b>.</p>
      <ul><li>Dogs &amp; cats</li><li>狗</li></ul><pre>a
    b</pre></body></html>"""

    text, title = html_text(page)

    assert title == "渡轮"
    assert text == "# Ferry\n\nIt leaves at 07:40.\n\n- Dogs & cats\n- 狗\n\na\n    b"


def test_pdf_text_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, "f.pdf", _pdf("The Brell ferry leaves at 07:40."))

    documents, _ = load([path])

    assert "07:40" in documents[0]["text"]


def test_a_broken_pdf_is_skipped_with_its_name(tmp_path: Path) -> None:
    path = write(tmp_path, "f.pdf", b"%PDF-1.4 nothing")

    documents, skipped = load([path])

    assert documents == []
    assert "f.pdf is no readable PDF" in skipped[str(path)]


def test_a_blank_file_is_skipped_with_its_name(tmp_path: Path) -> None:
    path = write(tmp_path, "blank.txt", "\n \n\t\n")

    _, skipped = load([path])

    assert "blank.txt is blank" in skipped[str(path)]


def test_hidden_files_and_other_types_are_passed_over(tmp_path: Path) -> None:
    for name in (".hidden.md", ".git/a.md", "picture.png", "b.md"):
        write(tmp_path, name, "x")

    assert [file.id for file in find_files([tmp_path])] == ["b.md"]


def test_a_file_given_twice_is_loaded_once(tmp_path: Path) -> None:
    path = write(tmp_path, "a.md", "x")

    assert len(find_files([tmp_path, path, tmp_path])) == 1


@pytest.mark.parametrize(
    ("name", "message"),
    [("nowhere", "no file or folder at"), ("p.png", "cannot be read. Readable")],
)
def test_a_path_that_cannot_be_loaded_is_an_error(tmp_path: Path, name: str, message: str) -> None:
    write(tmp_path, "p.png", b"\x89PNG")

    with pytest.raises(LoadError, match=message):
        load([tmp_path / name])


def test_metadata_given_for_the_run_is_on_every_document(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "x")

    documents, _ = load([tmp_path], {"tenant": "a"})

    assert documents[0]["metadata"] == {"tenant": "a"}


def _pdf(text: str) -> bytes:
    """A PDF of one page, written by hand."""
    drawn = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    made, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, start=1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % len(made)
    return made + b"xref\n0 6\n0000000000 65535 f \n" + table + end
