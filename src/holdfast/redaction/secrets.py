"""What in a text is a secret, and of which kind.

Laws: a text is read in linear time; what a text cannot hold is not looked for: the table of
formats is imported for long words alone, a pattern is compiled when its literals occur, and most
texts never import `re`. Spans are disjoint and in order; where two finders meet, the first names
the kind.
"""

from __future__ import annotations

import sys

from holdfast.redaction.telling_words import ROOTS
from holdfast.system.environment import bring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from re import Match

    Span = tuple[int, int, str]  # from, to, kind

SHORTEST_WORD = 18
KEPT = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.~"
BETWEEN = bytes(sign if sign in KEPT else 32 for sign in range(256))
ESCAPED = (b"n", b"t", b"r")
OPEN, CLOSE = "<private>", "</private>"
BEGIN = "-----BEGIN "
KEY_CAP = 20_000
# From where a secret begins, or what tells of it, no rule looks further than this. Only `<private>`
# reaches as far as it likes.
REACH = KEY_CAP + 1_000
KEY_BODY = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\\ \t\r\n\"',:-"
AUTHORITY_CAP = 400
AUTHORITY_ENDS = " \t\r\n\"'`<>/\\|,"
TOLD = ("login password", "secret from stdin")  # only what looks like one by itself
# Where one secret stood, what is left may tell another: so it is looked at again, this many times.
LOOKS = 4
BASIC = ("x-oauth-basic", "x-token-auth", "x-access-token", "oauth2")  # names, not passwords


def find(text: str) -> list[Span]:
    """The secrets of a text: where they begin and end, and what they are."""
    plain = text.encode("ascii", "replace")  # one character stays one, so places stay places
    for code in (b"\x1b[", b"\\u001b["):
        if code in plain:
            from holdfast.redaction import colours

            bare, places = colours.without(text, code.decode())
            return colours.restored(_find(bare, bare.encode("ascii", "replace")), places)
    return _find(text, plain)


def _find(text: str, plain: bytes) -> list[Span]:
    from holdfast.redaction.formats import SHAPED

    latin = plain.decode()  # of one byte a character, whatever the text is of
    lower = plain.lower().decode()
    spans: list[Span] = []
    if OPEN in lower:
        spans += _private(lower)
    if "private key" in lower and "-----begin" in lower:
        spans += _private_keys(text, latin)
    spans += _words(text, plain)
    if spans or "432:" in latin or ":*:" in latin or '"kty' in latin:
        from holdfast.redaction import paired_secrets

        spans += paired_secrets.find(text, latin, spans)
    for gate, shapes in SHAPED.items():
        if gate in latin:
            for literal, rows in shapes.items():
                if literal in latin:
                    spans += _shaped(text, latin, rows)
    if "://" in lower and "@" in lower:
        spans += _addresses(text, latin)
    for root in ROOTS:
        if root in lower:
            if "holdfast.redaction.named_secrets" not in sys.modules:
                bring("telling")
            from holdfast.redaction import named_secrets

            spans += named_secrets.find(text, lower)
            break
    return disjoint(spans) if spans else spans


def replaced(text: str, secrets: list[Span]) -> str:
    """The text with a mark in place of each secret."""
    pieces: list[str] = []
    at = 0
    for start, end, kind in secrets:
        pieces += (text[at:start], _mark(kind))
        at = end
    return "".join((*pieces, text[at:]))


def _mark(kind: str) -> str:
    return f"[removed: {kind}]"


def look_again(text: str, secrets: list[Span], find: Callable[[str], list[Span]]) -> Iterator[Span]:
    """The secrets of a text in which these were replaced. It is another text only around what was
    replaced, and no rule looks further than REACH: there alone it is looked at again."""
    changed: list[tuple[int, int]] = []
    longer = 0
    for start, end, kind in secrets:
        begin = start + longer
        longer += len(_mark(kind)) - (end - start)
        if changed and begin - changed[-1][1] <= 2 * REACH:
            begin, _ = changed.pop()
        changed.append((begin, end + longer))
    for begin, until in changed:
        at = max(0, begin - 2 * REACH)
        for start, end, kind in find(text[at : until + 2 * REACH]):
            if begin - REACH < at + start < until + REACH:  # further off, the cut is what is new
                yield at + start, at + end, kind


def disjoint(spans: Iterable[Span]) -> list[Span]:
    """Spans that meet become one, of the kind that was found first."""
    ordered = sorted((start, end, rank, kind) for rank, (start, end, kind) in enumerate(spans))
    merged: list[tuple[int, int, int, str]] = []
    for start, end, rank, kind in ordered:
        if merged and start < merged[-1][1]:
            last_start, last_end, last_rank, last_kind = merged[-1]
            if rank < last_rank:
                last_rank, last_kind = rank, kind
            merged[-1] = (last_start, max(end, last_end), last_rank, last_kind)
        else:
            merged.append((start, end, rank, kind))
    return [(start, end, kind) for start, end, _, kind in merged]


def _private(lower: str) -> Iterator[Span]:
    at = lower.find(OPEN)
    while at >= 0:
        close = lower.find(CLOSE, at)
        end = close + len(CLOSE) if close >= 0 else len(lower)
        yield at, end, "private"
        at = lower.find(OPEN, end)


def _private_keys(text: str, latin: str) -> Iterator[Span]:
    """Blocks from BEGIN to END; without an END, as far as what follows looks like a key."""
    at = latin.find(BEGIN)
    while at >= 0:
        following = latin.find(BEGIN, at + len(BEGIN))
        until = min(at + KEY_CAP, following if following >= 0 else len(text))
        body = text.find("-----", at + len(BEGIN), min(until, at + 80)) + 5
        if body > 5 and "PRIVATE KEY" in text[at:body]:
            end = _end_of_key(text, body, until)
            if end:
                yield at, end, "private key"
        at = following


def _end_of_key(text: str, body: int, until: int) -> int:
    """Where the key ends whose body begins here; 0 when there is none."""
    close = text.find("-----END ", body, until)
    tail = text.find("-----", close + 9, close + 80) if close >= 0 else -1
    if tail >= 0:
        return tail + 5 if _is_key_body(text[body:close].replace("\\n", "")) else 0
    chunk = text[body:until]
    run = chunk[: len(chunk) - len(chunk.lstrip(KEY_BODY))]
    is_long = any(len(word) >= 40 for word in run.replace("\\n", " ").split())
    return body + len(run) if is_long else 0


def _is_key_body(inside: str) -> bool:
    """Whether something stands between BEGIN and END that is neither code nor a stand-in."""
    if any(len(word) >= 40 for word in inside.split()):
        return True
    is_code = any(mark in inside for mark in (" = ", "(", "{", "...", "<", '"', "'"))
    is_stand_in = "your" in inside.lower() or "XXX" in inside
    return not is_code and not is_stand_in and any(sign.isalnum() for sign in inside)


def _words(text: str, plain: bytes) -> Iterator[Span]:
    """Credentials that are one long word with a prefix of their provider's."""
    if b"\\" in plain:  # what is escaped separates: \\nghp_...
        first, *escaped = plain.split(b"\\")
        pieces = [b"  " + piece[1:] if piece[:1] in ESCAPED else b" " + piece for piece in escaped]
        plain = b"".join((first, *pieces))
    spaced = plain.translate(BETWEEN).decode()
    words = [word for word in spaced.split() if len(word) >= SHORTEST_WORD]
    if not words:
        return
    from holdfast.redaction.formats import MARKED, OPENINGS, SHORTEST_MARKED

    at = 0
    marks = [row for row in MARKED if row[1] in spaced]
    for long_word in words:
        word = long_word.lstrip("-._~") if long_word[0] in "-._~" else long_word
        kind = _marked(word.rstrip("."), marks) if len(word) >= SHORTEST_MARKED else ""
        if not kind:
            for row in OPENINGS.get(word[:2], ()):
                if word.startswith(row[0]):
                    break
            else:
                continue
        at = _place(spaced, long_word, at) + len(long_word)
        if kind:
            here = at - len(word)
            yield here, here + len(word.rstrip(".")), kind
        yield from _opened(text, word, at)


def _opened(text: str, word: str, end: int) -> Iterator[Span]:
    """The credentials a word begins with: another one may hang on the first by a dash."""
    from holdfast.redaction.formats import OPENINGS

    while len(word) >= SHORTEST_WORD:
        here = end - len(word)
        rows = [row for row in OPENINGS.get(word[:2], ()) if word.startswith(row[0])]
        size, kind = next(((n, row[1]) for row in rows if (n := _size(text, here, row))), (0, ""))
        if not size:
            return
        yield here, here + size, kind
        word = word[size:].lstrip("-._~")


def _place(spaced: str, word: str, at: int) -> int:
    """Where the word stands as a whole word, after the place of the one before."""
    at = spaced.find(word, at)
    while at > 0 and spaced[at - 1] != " ":
        at = spaced.find(word, at + 1)
    return max(at, 0)


def _size(text: str, at: int, row: tuple[str, str, str, int, int, int, bool]) -> int:
    """The length of the credential of that format that stands here; 0 when none does."""
    from holdfast.redaction.plausibility import BLANKS, is_drawn

    prefix, _, alphabet, shortest, longest, dots, must_be_drawn = row
    begin = at + len(prefix)
    body = text[begin : begin + longest + 1]
    rest = body.lstrip(alphabet)
    value = body[: len(body) - len(rest)].rstrip(".")
    if not shortest <= len(value) <= longest or rest[:1].isalnum() or value.count(".") < dots:
        return 0
    small = value.lower()
    if not small.strip("x0-_.") or any(word in small for word in BLANKS):
        return 0
    if must_be_drawn and not is_drawn(value):
        return 0
    return len(prefix) + len(value)


def _marked(word: str, marks: list[tuple[str, str, str]]) -> str:
    """The kind of a credential whose mark is inside the word, or its three parts."""
    for kind, mark, pattern in marks:
        if mark in word:
            import re

            if re.fullmatch(pattern, word):
                return kind
    is_discord = word[0] in "MNO" and word.count(".") == 2 and _has_parts_of_discord(word)
    return "discord token" if is_discord else ""


def _has_parts_of_discord(word: str) -> bool:
    from holdfast.redaction.plausibility import is_drawn

    parts = word.split(".")
    sizes = [len(part) for part in parts]
    return (
        22 <= sizes[0] <= 30 and 5 <= sizes[1] <= 8 and 26 <= sizes[2] <= 45
        and is_drawn(parts[2])
    )  # fmt: skip


def _shaped(text: str, latin: str, rows: list[tuple[str, str, str, str]]) -> Iterator[Span]:
    for kind, literal, also, pattern in rows:
        if also not in latin:
            continue
        from holdfast.redaction.named_values import is_likely_password
        from holdfast.redaction.plausibility import is_blank, is_drawn, is_told

        for match in _matches(latin, literal, pattern):
            value = text[match.start(1) : match.end(1)]
            is_one = not is_blank(value)
            if kind == "password":
                is_one = is_one and is_likely_password(value)
            elif kind in TOLD:
                is_one = is_one and (is_told(value) or is_drawn(value))
            if is_one:
                yield *match.span(1), kind


def _matches(latin: str, literal: str, pattern: str) -> Iterator[Match[str]]:
    """What `finditer` finds. A plain search for how every match begins is several times faster."""
    import re

    matched = re.compile(pattern).match
    at = latin.find(literal)
    while at >= 0:
        match = matched(latin, at)
        if match:
            yield match
        at = latin.find(literal, match.end() if match else at + 1)


def _addresses(text: str, latin: str) -> Iterator[Span]:
    """What opens a host: scheme://name:this@host, or scheme://this@host."""
    at = latin.find("://")
    while at >= 0:
        begin = at + 3
        authority = text[begin : begin + AUTHORITY_CAP]
        if "@" in authority:
            for sign in AUTHORITY_ENDS:
                authority = authority.partition(sign)[0]
            person, mark, host = authority.rpartition("@")
            if mark:
                start, size = _opener(person, host)
                if size:
                    yield begin + start, begin + start + size, "url credentials"
        at = latin.find("://", begin)


def _opener(person: str, host: str) -> tuple[int, int]:
    """Where in name:password the secret is, and how long."""
    from holdfast.redaction.plausibility import NOMINAL, ORDINARY, is_blank, is_drawn

    name, _, password = person.partition(":")
    if password and password not in BASIC:
        small = password.lower()
        is_here = "." not in host or host.startswith(("127.", "example."))
        if is_blank(password) or small in NOMINAL or (is_here and small in ORDINARY):
            return 0, 0
        return len(name) + 1, len(password)
    if len(name) >= 20 and is_drawn(name) and "sentry" not in host:
        return 0, len(name)
    return 0, 0
