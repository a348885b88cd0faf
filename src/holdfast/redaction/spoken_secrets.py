"""Secrets that a sentence tells, or the line above: "the password for root is ...", "Password:".

Read when nothing joins a telling word to a value as code and settings do. Laws: at most the rest
of the line and the next one, each of bounded length; a value must look like a password by itself
(`is_told`) or be drawn by lot, for sentences about passwords are many and passwords in them few.
"""

from __future__ import annotations

from holdfast.redaction.named_values import Place, is_secret
from holdfast.redaction.plausibility import (
    is_blank,
    is_chosen,
    is_drawn,
    is_hex,
    is_name,
    is_phrase,
    is_public,
    is_told,
    is_uuid,
    is_versioned,
)

LINE, VALUE = 160, 400
WORDS = 9
SAYING = frozenset("is was be to from equals are lautet ist = -> => : := reads becomes as".split())
LEADS = frozenset("use using with and enter type try needs takes uses".split())
BETWEEN = frozenset("the this my our a that new".split())
DIRECTIVES = frozenset(("env", "arg", "setenv", "setx", "set -gx", "set -x", "export", "set"))
OBJECT_IDS = (40, 64)


def on_line(text: str, lower: str, start: int, end: int, grade: str) -> tuple[int, int] | None:
    """Where the value lies that the rest of the line tells."""
    to = text.find("\n", end, end + LINE)
    is_whole = to >= 0 or end + LINE >= len(text)
    rest = text[end : to if to >= 0 else end + LINE].rstrip("\r")
    if rest[:1] != " " or grade == "mere key" or text[start:end] == "pass":
        return None
    words = rest.split(" ")
    if _is_directive(lower, start) and len(words) == 2 and is_whole:
        place = Place("X", grade, "=", is_quoted=False, is_line=True, is_setting=True)
        return _span(end, words, 1) if is_secret(words[1], place) else None
    if grade == "password":
        return _password(lower, start, end, words, is_whole)
    if grade == "credentials":
        return _pair_in(end, words)
    return _key(end, words)


def _password(
    lower: str, start: int, end: int, words: list[str], is_whole: bool
) -> tuple[int, int] | None:
    last = len(words) - 1
    is_last = is_whole and (last == 1 or (last == 2 and len(words[1]) == 1 and words[1].isdigit()))
    if is_last and is_told(words[last]):
        return _span(end, words, last)
    if _is_led(lower, start) and is_told(words[1]):
        return _span(end, words, 1)
    for at in range(1, min(last, WORDS)):
        if _says(words[at]) and is_told(words[at + 1]):
            return _span(end, words, at + 1)
    return None


def _key(end: int, words: list[str]) -> tuple[int, int] | None:
    """A key or a token that a sentence gives: "for the weather service is ..."."""
    if words[1] not in ("for", "of", "to", "on", "is", "should", "->", "=>", "will"):
        return None
    for at in range(1, min(len(words) - 1, WORDS)):
        value = words[at + 1].strip("\"'`.,;:!?()")
        if _says(words[at]) and len(value) >= 20 and value.isascii() and is_drawn(value):
            is_one = not (is_uuid(value) or is_public(value) or is_blank(value))
            return _span(end, words, at + 1) if is_one and not is_versioned(value) else None
    return None


def _pair_in(end: int, words: list[str]) -> tuple[int, int] | None:
    for at in range(1, min(len(words) - 1, WORDS)):
        if not _says(words[at]):
            continue
        size = pair(words[at + 1])
        if size:
            _, until = _span(end, words, at + 1)
            return until - size, until
    return None


def pair(word: str) -> int:
    """How long the password of name:password or name/password is; 0 when it is no such pair."""
    bare = word.rstrip(".,;!?)\"'`")
    for sign in ":/":
        name, mark, password = bare.partition(sign)
        if mark and name.isidentifier() and "/" not in password and is_told(password):
            return len(password)
    return 0


def below(text: str, end: int, grade: str, *, is_sentence: bool) -> tuple[int, int] | None:
    """Where the value lies that stands alone on the line after the one that ends here."""
    chunk = text[end : end + VALUE]
    begin = len(chunk) - len(chunk.lstrip(" \t\r\n"))
    if not 0 < chunk.count("\n", 0, begin) < 4:
        return None
    line = chunk[begin:].partition("\n")[0].rstrip("\r ")
    if line.startswith("- "):
        begin, line = begin + 2, line[2:]
    value = line.rstrip(",;")
    at = end + begin
    if value[:1] in ("'", '"', "`") and value[:1] == value[-1:]:
        value, at = value[1:-1], at + 1
        place = Place("X", grade, "=", is_quoted=True, is_line=False, is_setting=False)
        return (at, at + len(value)) if not is_sentence and is_secret(value, place) else None
    if not value or " " in value or value[-1] in ":({[=" or is_blank(value) or is_public(value):
        return None
    is_one = _is_password(value) if grade == "password" and not is_sentence else _is_drawn(value)
    return (at, at + len(value)) if is_one else None


def _is_password(value: str) -> bool:
    is_word = (is_name(value) and not is_phrase(value)) or is_versioned(value)
    has_digit = any(sign.isdigit() for sign in value)
    is_code = any(sign in value for sign in "(=<{")
    if is_code or is_word or not is_chosen(value):
        return is_drawn(value) and len(value) > 11 and "(" not in value
    return has_digit and len(value) > 5 and not value.isdigit()


def _is_drawn(value: str) -> bool:
    if len(value) < 16 or is_uuid(value) or not is_drawn(value) or is_versioned(value):
        return False
    is_id = is_hex(value) and len(value) in OBJECT_IDS
    has_digit = any(sign.isdigit() for sign in value)
    return has_digit and not is_id and not any(sign in value for sign in "(){}<>[]\\,;\"'")


def _is_directive(lower: str, start: int) -> bool:
    before = lower[max(0, start - 40) : start]
    return before[before.rfind("\n") + 1 :].strip() in DIRECTIVES


def _is_led(lower: str, start: int) -> bool:
    before = lower[max(0, start - 30) : start].split()
    if before and before[-1] in BETWEEN:
        before.pop()
    return bool(before) and before[-1] in LEADS


def _says(word: str) -> bool:
    return word in SAYING or (len(word) > 1 and word[-1] == ":")


def _span(end: int, words: list[str], at: int) -> tuple[int, int]:
    """Where that word lies without the punctuation around it."""
    begin = end + sum(len(word) + 1 for word in words[:at])
    word = words[at]
    bare = word.rstrip("\"'`.,;:)*")
    if bare.endswith(("!", "?")) and not any(sign.isdigit() for sign in bare[-2:]):
        bare = bare.rstrip("!?")
    core = bare.lstrip("\"'`(*")
    return begin + len(bare) - len(core), begin + len(bare)
