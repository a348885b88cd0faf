"""Secrets without a name or a format of their own, told by what stands beside them.

The secret of an AWS key beside its id, the private members of a JWK, the last field of a line of
`.pgpass`. Each is looked for around a mark that is rare, in a window of bounded length.
"""

from __future__ import annotations

from holdfast.redaction.plausibility import ORDINARY, is_blank, is_hex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[int, int, str]  # from, to, kind

BESIDE = 200  # so far from its id an AWS secret is looked for
SECRET = 40
KEPT = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
BETWEEN = bytes(sign if sign in KEPT else 32 for sign in range(256))
JWK = '"kty'
JWK_CAP = 4_000
PRIVATE = r'"(?:d|k|p|q|dp|dq|qi)\\{0,2}" {0,3}: {0,3}\\{0,2}"([A-Za-z0-9_-]{16,700})\\{0,2}"'
PGPASS = (":5432:", ":6432:", ":*:")
FIELD = 120
FIELD_ENDS = " \t\r\n\"'`<>|\\,"


def find(text: str, latin: str, spans: list[Span]) -> list[Span]:
    """What is told by its company alone; `spans` are the credentials of a format of their own.
    `latin` is the text in ASCII, place for place: quicker to search."""
    return [
        *_of_aws(text, [span for span in spans if span[2] == "aws key"]),
        *_of_jwk(latin),
        *_of_pgpass(text, latin),
    ]


def _of_aws(text: str, ids: list[Span]) -> Iterator[Span]:
    for start, end, _ in ids:
        for begin, until in ((end, end + BESIDE), (max(0, start - BESIDE), start)):
            window = text[begin:until].encode("ascii", "replace").translate(BETWEEN).decode()
            for word in window.split():
                size = len(word) - len(word.lstrip("/")) if len(word) > SECRET else 0
                if len(word) - size == SECRET and _is_mixed(word):
                    at = begin + window.index(word) + size
                    yield at, at + SECRET, "aws secret"


def _is_mixed(word: str) -> bool:
    kinds = (str.isdigit, str.islower, str.isupper)
    return all(any(map(kind, word)) for kind in kinds) and not is_hex(word)


def _of_jwk(text: str) -> Iterator[Span]:
    """The private members of each object that says what type of key it is."""
    at = text.find(JWK)
    while at >= 0:
        import re

        begin = max(text.rfind("{", max(0, at - JWK_CAP), at), 0)
        end = text.find("}", at, at + JWK_CAP)
        end = end if end >= 0 else min(len(text), at + JWK_CAP)
        for match in re.finditer(PRIVATE, text[begin:end]):
            yield begin + match.start(1), begin + match.end(1), "private key"
        at = text.find(JWK, end)


def _of_pgpass(text: str, latin: str) -> Iterator[Span]:
    """host:port:database:user:password"""
    for mark in PGPASS:
        at = latin.find(mark)
        while at >= 0:
            before = _until(text[max(0, at - FIELD) : at][::-1])[::-1]
            line = before + _until(text[at : at + 3 * FIELD])
            fields = line.split(":", 4)
            if len(fields) == 5 and _is_entry(fields):
                end = at - len(before) + len(line)
                yield end - len(fields[4]), end, "password"
            at = latin.find(mark, at + len(mark))


def _until(chunk: str) -> str:
    for sign in FIELD_ENDS:
        chunk = chunk.partition(sign)[0]
    return chunk


def _is_entry(fields: list[str]) -> bool:
    host, port, base, user, password = fields
    is_plain = all(
        field == "*" or field.replace("-", "").replace("_", "").replace(".", "").isalnum()
        for field in (host, base, user)
    )
    is_port = port == "*" or port.isdigit()
    if not is_plain or not is_port or len(password) < 4 or is_blank(password):
        return False
    return password.lower() not in ORDINARY and not password.isdigit() and ":" not in password
