"""Secrets beside a word that tells of one: `password = "..."`, `X-Api-Key: ...`, `--token ...`.

A telling word is found by a plain search, the name around it is read, then what joins the name to
a value, then the value; a value that stands for a secret, names a thing or is code stays.

Laws: around each telling word at most a fixed number of characters is read, so that a text is
read in linear time; no regular expressions, for this runs in most hooks.
"""

from __future__ import annotations

from holdfast.redaction.named_values import OBJECT_IDS, Place, is_secret, trimmed
from holdfast.redaction.plausibility import is_drawn
from holdfast.redaction.secret_names import kind_of
from holdfast.redaction.telling_words import ROOTS

NAME = "abcdefghijklmnopqrstuvwxyz0123456789_-.$"
TAIL = "abcdefghijklmnopqrstuvwxyz0123456789_-"
WIDE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+~"
NAME_CAP, GAP_CAP, VALUE_CAP, BARE_CAP = 60, 40, 2_000, 400
BARE_ENDS = (" ", "\t", "\r", "\n", '"', "'", "`", "<", ">", "|", "\\n", "\\r", "\\t", '\\"')
QUOTES = "\"'`"

# What joins a name to its value, and how it is judged; `::` joins nothing.
JOINS = {
    "===": "==", "!==": "==", "||=": "=", "??=": "=", "==": "==", "!=": "==", "=>": "=", ":=": "=",
    "?=": "=", "+=": "=", ".=": "=", "?:": ":", "<-": "=", "->": "=", "::": "", "=": "=", ":": ":",
}  # fmt: skip
COMPANY = ("", "export", "set", "env", "arg", "e", "setenv", "+", "#", "//", ";", "declare", "let")
SCHEMES = (
    "basic", "bearer", "token", "apikey", "api-key", "ssws", "bot", "key", "digest", "negotiate",
)  # fmt: skip
TYPES = ("str", "string", "&str", "&'static", "char", "std::string", "text", "any", "const")
SPOKEN = ("api ", "access ", "secret ", "private ", "app ", "signing ")  # ... key
# Random ids that stand beside words such as token and open nothing.
IDS = (
    "toolu_", "msg_", "req_", "call_", "chatcmpl-", "srvtoolu_", "evt_", "cus_", "pi_", "sub_",
    "acct_", "session_", "run_", "thread_", "file-", "asst_", "resp_", "prod_", "price_", "user_",
)  # fmt: skip


def find(text: str, lower: str) -> list[tuple[int, int, str]]:
    """Where secrets stand beside telling words. `lower` is the text in small ASCII letters."""
    spans: list[tuple[int, int, str]] = []
    judged = 0  # what was read as one bare value is not read again from inside
    seen = -1
    for at, size in _telling_words(lower):
        end = at + size + _run(lower, at + size, TAIL, NAME_CAP)
        if end == seen or at < judged:
            continue
        seen = end
        span, until = _beside(text, lower, at, end)
        judged = max(judged, until)
        if span:
            spans.append(span)
    return spans


def _telling_words(lower: str) -> list[tuple[int, int]]:
    """Where each stands, and how long it is, in order."""
    places = []
    for root in ROOTS:
        at = lower.find(root)
        while at >= 0:
            places.append((at, len(root)))
            at = lower.find(root, at + 1)
    return sorted(places)


def named(name: str, value: str) -> str:
    """The kind of secret that a member of that name and value is; empty when it is none."""
    grade = kind_of(name)
    if not grade or len(value) > VALUE_CAP or not value.strip():
        return ""
    at = _past_scheme(value, 0, len(value)) if grade == "credentials" else 0
    place = Place(name, grade, ":", is_quoted=True, is_line=False, is_setting=True)
    return _kind(grade) if is_secret(value[at:].strip(), place) else ""


def _kind(grade: str) -> str:
    return "key" if grade == "mere key" else grade


def _beside(text: str, lower: str, at: int, end: int) -> tuple[tuple[int, int, str] | None, int]:
    """The secret beside the name that ends here, and until where a bare value was read."""
    start = at - _run_back(lower, at, NAME, NAME_CAP)
    name = text[start:end]
    grade = kind_of(name)
    if grade == "mere key" and lower[max(0, start - 8) : start].endswith(SPOKEN):
        grade = "key"
    if not grade or _is_inside_removal(text, start):
        return None, 0
    join, here = _joined(text, lower, start, end)
    if not join:
        return _drawn_nearby(text, end, grade), 0
    if grade in ("credentials", "token"):
        after = _past_scheme(text, here, here + 40)
        if "bearer" in lower[here:after]:
            grade = "bearer token"
        here = after
    value_at, value_end, is_quoted = _value(text, here, join)
    if value_end <= value_at or _is_other(name, text[start - 1 : start], is_quoted, join):
        return None, 0
    if grade == "cookie":
        return _cookie(text, here)
    value = text[value_at:value_end]
    place = Place(
        name,
        grade,
        join,
        is_quoted=is_quoted,
        is_line=_is_alone(text, start) and _is_end(text, value_end),
        is_setting=join == "=" and text[end] == "=" and text[end + 1 : end + 2] not in (" ", "="),
        is_spaced=text[value_at - 1 : value_at] in (" ", "\t"),
    )
    until = 0
    if not is_quoted:
        until = value_at + min(_first(value, "&;,?"), 200)
        value = trimmed(value, place, text[start - 1 : start])
    if value and is_secret(value, place):
        return (value_at, value_at + len(value), _kind(grade)), until
    return None, until


def _is_other(name: str, before: str, is_quoted: bool, join: str) -> bool:
    """`pass` that is no password, and where a shell stands."""
    if name == "pass":
        return join not in ("=", ":")
    return name in ("PWD", "OLDPWD") and before != ";"


def _first(value: str, signs: str) -> int:
    return min((at for at in map(value.find, signs) if at >= 0), default=len(value))


def _is_alone(text: str, start: int) -> bool:
    """Whether nothing but an assignment's usual company stands before the name on its line."""
    line_from = text.rfind("\n", max(0, start - 40), start) + 1
    if not line_from and start > 40:
        return False
    before = text[line_from:start]
    if "\\n" in before:
        before = before[before.rindex("\\n") + 2 :]
    return before.strip(" \t\"'-").lower() in COMPANY


def _is_end(text: str, end: int) -> bool:
    return text[end : end + 1] in ("", "\n", "\r", '"', "'") or text[end : end + 2] in (
        "\\n",
        "\\r",
    )


def _is_inside_removal(text: str, start: int) -> bool:
    """What was removed says its kind in words such as token; they tell of nothing."""
    mark = text.rfind("[removed: ", max(0, start - 40), start)
    return mark >= 0 and "]" not in text[mark:start]


def _joined(text: str, lower: str, start: int, end: int) -> tuple[str, int]:
    """What joins the name to a value, and where the value begins."""
    slashes = _run(text, end, "\\", 3)
    here, is_quoted = end, text[end + slashes : end + slashes + 1] in ("'", '"', "`")
    if is_quoted:
        here = end + slashes + 1
        here += text[here : here + 1] == "]"
    gap = _run(text, here, " \t", GAP_CAP)
    here += gap
    for size in (3, 2, 1):
        join = JOINS.get(text[here : here + size])
        if join and size == 1 and is_quoted and join == ":" and _is_choice(text, start):
            return "", here
        if join:
            value = _past_blanks(text, here + size)
            return join, _past_type(text, lower, value) if join == ":" else value
    sign, following = text[here : here + 1], text[here + 1 : here + 2]
    if sign == ">" and not gap and (is_quoted or text[start - 1 : start] == "<"):
        return ">", here + 1
    if sign == "(" and not is_quoted and following in ("'", '"'):
        return "(", here + 1
    labelled = _past_label(lower, here) if is_quoted or gap or sign in "\r\n" else 0
    if labelled:
        return "=", _past_blanks(text, labelled)
    if sign == "," and is_quoted:
        return ",", _past_blanks(text, here + 1)
    return _loosely_joined(text, lower, start, here, gap)


def _is_choice(text: str, start: int) -> bool:
    """Whether the name is the first half of `is_hidden ? "password" : "text"`."""
    return text[max(0, start - 8) : start].rstrip("\"'` ").endswith("?")


def _loosely_joined(text: str, lower: str, start: int, here: int, gap: int) -> tuple[str, int]:
    if not gap:
        return "", here
    after = _past_type(text, lower, here)
    if after > here:
        return "=", after
    if lower[here : here + 3] in ("is ", "is:", "was"):
        return "is", _past_blanks(text, here + 3)
    if text[here : here + 1] in ("'", '"', "`"):
        return "is", here
    if text[start : start + 1] == "-" or lower[start : start + 6] == "bearer":
        return " ", here
    return "", here


def _past_label(lower: str, here: int) -> int:
    """Past the `value:` of a pair such as name: X, value: Y; 0 when there is none."""
    gap = _run(lower, here, " \t\r\n,\"'\\-", GAP_CAP)
    here += gap
    if not lower.startswith("value", here):
        return 0
    here += 5
    here += _run(lower, here, "\"'\\ ", 8)
    return here + 1 if lower[here : here + 1] in ("=", ":") else 0


def _past_type(text: str, lower: str, here: int) -> int:
    """Past an annotation, `: str =`, to the value; else where it was."""
    size = _run(lower, here, "abcdefghijklmnopqrstuvwxyz&':[]?|", 24)
    if lower[here : here + size].rstrip("?[]") in TYPES:
        after = here + size + _run(lower, here + size, " ", 3)
        if lower.startswith("str", after):
            after += 3 + _run(lower, after + 3, " ", 3)
        if text[after : after + 1] == "=" and text[after : after + 2] != "==":
            return _past_blanks(text, after + 1)
    return here


def _past_scheme(text: str, here: int, cap: int) -> int:
    """Past the scheme of a header's value: Basic, Bearer, ..."""
    word = text[here:cap].lstrip("\"'\\")
    skipped = min(cap, len(text)) - here - len(word)
    first, space, _ = word.partition(" ")
    if space and first.lower() in SCHEMES:
        return here + max(skipped, 0) + len(first) + 1
    return here


def _value(text: str, here: int, join: str) -> tuple[int, int, bool]:
    """Where the value begins and ends, and whether quotes or tags mark it off."""
    if join == ">":
        end = text.find("<", here, here + VALUE_CAP)
        return here, end, True
    if text[here : here + 1] in ("[", "(") and text[here + 1 : here + 2] in ("'", '"'):
        here += 1
    if text[here + 1 : here + 2] in ("'", '"') and text[here : here + 1] in "bBrRuUfFN@$&":
        here += 1
    slashes = _run(text, here, "\\", 3)
    quote = text[here + slashes : here + slashes + 1]
    if quote and quote in QUOTES:
        here += slashes + 1
        end = _closing(text, here, quote, slashes)
        if end >= 0:
            return here, end, True
    chunk = text[here : here + BARE_CAP]
    for mark in BARE_ENDS:
        chunk = chunk.partition(mark)[0]
    return here, here + len(chunk), False


def _closing(text: str, here: int, quote: str, slashes: int) -> int:
    """Where the quotation ends; -1 when that is not on its line."""
    end = here
    for _ in range(20):
        end = text.find(quote, end, here + VALUE_CAP)
        if end < 0:
            return -1
        before = _run_back(text, end, "\\", 4)
        if before % 2 == slashes % 2 or before == slashes:
            return -1 if "\n" in text[here:end] else end - (before if slashes else 0)
        end += 1
    return -1


def _cookie(text: str, here: int) -> tuple[tuple[int, int, str] | None, int]:
    """The whole of a cookie header, when one of its values is drawn by lot."""
    here += _run(text, here, "\"'", 1)
    line = text[here : here + VALUE_CAP].splitlines()[:1]
    value = line[0].partition('"')[0].partition("'")[0].rstrip() if line else ""
    for part in value.split(";"):
        if len(part) > 12 and is_drawn(part.partition("=")[2]):
            return (here, here + len(value), "cookie"), here + len(value)
    return None, here + len(value)


def _drawn_nearby(text: str, end: int, grade: str) -> tuple[int, int, str] | None:
    """A long word drawn by lot, close behind a telling word on its line.

    Next to the word it may be of one kind of letters, as keys in hexadecimal are; further off
    that would be commits and digests.
    """
    near = text[end : end + 100].splitlines()[:1]
    at = end
    for word in near[0].split(" ")[:8] if near else ():
        bare = word.strip("\"'`.,;:()[]{}<>*")
        is_next = at == end + 1 and grade != "mere key"
        if len(bare) >= 20 and (_is_strongly_drawn(bare) or (is_next and _is_mere_key(bare))):
            begin = at + word.index(bare)
            return begin, begin + len(bare), _kind(grade)
        at += len(word) + 1
    return None


def _is_mere_key(word: str) -> bool:
    return word.isalnum() and len(word) not in OBJECT_IDS and is_drawn(word)


def _is_strongly_drawn(word: str) -> bool:
    kinds = (str.isdigit, str.islower, str.isupper)
    return (
        all(any(kind(sign) for sign in word) for kind in kinds)
        and not word.rstrip("=").strip(WIDE)
        and not word.startswith(IDS)
        and is_drawn(word)
    )


def _past_blanks(text: str, here: int) -> int:
    return here + _run(text, here, " \t", GAP_CAP)


def _run(text: str, here: int, alphabet: str, cap: int) -> int:
    """How many characters from here on are of the alphabet."""
    chunk = text[here : here + cap]
    return len(chunk) - len(chunk.lstrip(alphabet))


def _run_back(text: str, here: int, alphabet: str, cap: int) -> int:
    chunk = text[max(0, here - cap) : here]
    return len(chunk) - len(chunk.rstrip(alphabet))
