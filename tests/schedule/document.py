"""The parts of docs/schedules.md that are measured: each stands between two comments with its maker's name."""

import pathlib

from bug import HERE

SCHEDULES = HERE.parent.parent / "docs" / "schedules.md"


def write(maker, lines, document=SCHEDULES):
    """Puts the lines where the document keeps those of this maker: "verdicts.py check"."""
    document = pathlib.Path(document)
    text = document.read_text()
    begin, end = (f"<!-- made by tests/schedule/{maker}: {side} -->\n" for side in ("begin", "end"))
    first, last = text.index(begin) + len(begin), text.index(end)
    document.write_text(text[:first] + "\n".join(lines) + "\n" + text[last:])
