"""Files of a work tree as evidence is read from them: as text, and without their secrets."""

from __future__ import annotations

from holdfast.redaction.gate import spans
from holdfast.rooms.decisions.grounding.quotes import Text, lines_of
from holdfast.system import files
from holdfast.system.jsontext import plain

CAP_BYTES = 4 << 20
REMOVED = "[removed: "


def read(root: str, path: str) -> str | None:
    """A file's text; None when it is not there, is no text, or is larger than a source is."""
    if path.startswith("/") or ".." in path.split("/"):  # as an entry from elsewhere may say
        return None
    content = files.read_bytes(f"{root}/{path}", CAP_BYTES + 1)
    return None if content is None else decoded(content)


def decoded(content: bytes) -> str | None:
    if len(content) > CAP_BYTES or b"\0" in content[:8_000]:
        return None
    return plain(content.decode("utf-8", "replace"))


class Source:
    """A file's text, as it is and as it may be kept."""

    def __init__(self, content: str) -> None:
        self.content = content
        self.text = Text(content)
        self._redacted: Text | None = None

    def redacted(self) -> Text:
        """With every secret replaced, line by line, so that lines keep their numbers."""
        if self._redacted is None:
            self._redacted = Text(redacted(self.content))
        return self._redacted

    def for_quote(self, quote: str) -> Text:
        """What a quote is looked for in: a quote without a removed secret has none to compare."""
        return self.redacted() if REMOVED in quote else self.text

    def hidden(self) -> set[int]:
        """The lines that hold a secret."""
        kept = self.redacted().lines
        return {at for at, line in enumerate(self.text.lines) if line != kept[at]}


def redacted(content: str) -> str:
    """A text with its secrets replaced; one that runs over lines is replaced on each of them."""
    content = "\n".join([*lines_of(content), ""])
    pieces: list[str] = []
    at = 0
    for start, end, kind in spans(content):
        replacement = f"{REMOVED}{kind}]"
        pieces += (
            content[at:start],
            "\n".join([replacement] * (content.count("\n", start, end) + 1)),
        )
        at = end
    return "".join((*pieces, content[at:]))
