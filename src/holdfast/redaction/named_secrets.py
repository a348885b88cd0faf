"""Secrets beside a word that tells of one: `password = "..."`, `X-Api-Key: ...`, `--token ...`.

A telling word is found by a plain search, the name around it is read, then what joins the name to
a value, then the value; a value that stands for a secret, names a thing or is code stays.

Laws: around each telling word at most a fixed number of characters is read, so that a text is
read in linear time; no regular expressions, for this runs in most hooks.
"""

from __future__ import annotations

from holdfast.redaction import secret_columns, spoken_secrets
from holdfast.redaction.named_values import OBJECT_IDS, Place, is_secret, kind_of, trimmed
from holdfast.redaction.plausibility import is_drawn
from holdfast.redaction.telling_words import ROOTS

NAME = "abcdefghijklmnopqrstuvwxyz0123456789_-.$"
TAIL = "abcdefghijklmnopqrstuvwxyz0123456789_-"
WIDE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+~"
NAME_CAP, GAP_CAP, VALUE_CAP, BARE_CAP = 60, 40, 2_000, 400
BARE_ENDS = (" ", "\t", "\r", "\n", '"', "'", "`", "<", ">", "\\n", "\\r", "\\t", '\\"')
QUOTES = "\"'`"
HEADS = (",", ";", "\t", "|", "\n", "\r", '"', "'", "`", " ", ")")  # what ends the head of a column

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
SPOKEN = ("api ", "access ", "secret ", "private ", "app ", "signing ", "unseal ")  # ... key
# Options of commands that set the secret named before them, and calls that type it.
OPTIONS = ("--body", "-b", "--value", "--data", "--secret-string", "--text", "--string")
TYPING = (
    "fill", "type", "send_keys", "sendkeys", "setvalue", "set_value", "input", "presssequentially",
    "press_sequentially", "settext", "set_text", "clear().type",
)  # fmt: skip
OTHERWISE = ("||", "??", "or ", ".unwrap_or(", ".unwrap_or_else(", ".orelse(", ".getorelse(")
BLOCK = ">|-+("  # what a value on the next line follows
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
    tabled = 0  # what was read as a table has no head of another inside
    for at, size in _telling_words(lower):
        end = at + size + _run(lower, at + size, TAIL, NAME_CAP)
        if end == seen or at < judged:
            continue
        seen = end
        span, until = _beside(text, lower, at, end)
        judged = max(judged, until)
        if span:
            spans.append(span)
        elif at >= tabled and text[end : end + 1] in HEADS:
            start = at - _run_back(lower, at, NAME, NAME_CAP)
            column, tabled = secret_columns.below(text, lower, start, end)
            spans += column
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
    if grade == "mere key" and _is_spoken_of(lower, start):
        grade = "key"
    if not grade or _is_inside_removal(text, start):
        return None, 0
    join, cursor = _joined(text, lower, start, end)
    if not join:
        return _elsewhere(text, lower, start, end, grade), 0
    if grade in ("credentials", "token"):
        after = _past_scheme(text, cursor, cursor + 40)
        if "bearer" in lower[cursor:after]:
            grade = "bearer token"
        cursor = after
    value_at, value_end, is_quoted = _value(text, cursor, join)
    if _is_other(name, text[start - 1 : start], is_quoted, join):
        return None, 0
    line = value_at + _run(text, value_at, BLOCK, 2)
    if not is_quoted and text[line : line + 1] in ("\n", "\r"):
        is_listed = join == "," and name[0] != "-"
        return None if is_listed else _below(text, line, grade, is_sentence=False), 0
    if value_end <= value_at:
        return None, 0
    if grade == "cookie":
        return _cookie(text, cursor)
    value = text[value_at:value_end]
    is_default = text[start - 2 : start] == "${"
    place = Place(
        name,
        grade,
        join,
        is_quoted=is_quoted,
        is_line=_is_alone(text, start) and _is_end(text, value_end),
        is_setting=is_default
        or (join == "=" and text[end] == "=" and text[end + 1 : end + 2] not in (" ", "=")),
        is_spaced=text[value_at - 1 : value_at] in (" ", "\t"),
    )
    until = 0
    if not is_quoted:
        if value[:2] != "${":
            until = value_at + min(_first(value, "&;,?"), 200)
        value = trimmed(value, place, text[start - 1 : start])
    if value and is_secret(value, place):
        return (value_at, value_at + len(value), _kind(grade)), until
    return _instead(text, lower, value_at, value_end, place), until


def _is_spoken_of(lower: str, start: int) -> bool:
    """Whether words make of a mere key one that opens something: the api key, my weather key."""
    before = lower[max(0, start - 24) : start]
    return before.endswith(SPOKEN) or " my " in before or before.startswith("my ")


def _instead(
    text: str, lower: str, value_at: int, value_end: int, place: Place
) -> tuple[int, int, str] | None:
    """The secret behind a value that is none: `env.X || "..."`, `("name", "...")`, name:..."""
    grade = place.grade
    if not place.is_quoted:
        span = _otherwise(text, lower, value_end, grade)
        if not span and place.join == "is" and grade == "password":
            span = _span(spoken_secrets.on_line(text, lower, value_at, value_end, grade), grade)
        if not span and grade == "credentials":
            word = text[value_at:value_end]
            size = spoken_secrets.pair(word)
            span = (value_end - size, value_end, grade) if size else None
        return span
    second = text[value_end + 1 : value_end + 4].replace(" ", "")
    if grade != "credentials" or second[:1] != "," or second[1:2] not in ("'", '"'):
        return None
    at, end, is_quoted = _value(text, _past_blanks(text, value_end + 2), ",")
    second_place = Place(
        place.name, "password", ",", is_quoted=True, is_line=False, is_setting=False
    )
    return (at, end, "password") if is_quoted and is_secret(text[at:end], second_place) else None


def _otherwise(text: str, lower: str, end: int, grade: str) -> tuple[int, int, str] | None:
    """What is taken when a variable is not set: `|| "..."`, `?? "..."`, ` or "..."`."""
    cursor = end + _run(text, end, "\"'])}! ", 8)
    size = next((len(mark) for mark in OTHERWISE if lower.startswith(mark, cursor)), 0)
    if not size:
        return None
    cursor += size + _run(text, cursor + size, " |_(", 8)
    at, until, is_quoted = _value(text, cursor, "=")
    place = Place("", grade, ",", is_quoted=True, is_line=False, is_setting=False)
    if is_quoted and is_secret(text[at:until], place):
        return at, until, _kind(grade)
    return None


def _elsewhere(
    text: str, lower: str, start: int, end: int, grade: str
) -> tuple[int, int, str] | None:
    """The secret that nothing joins to the name: instead of it, in a sentence, on the next line."""
    span = _otherwise(text, lower, end, grade)
    if not span:
        span = _span(spoken_secrets.on_line(text, lower, start, end, grade), grade)
    if not span:
        span = _drawn_nearby(text, end, grade)
    return span or _below_line(text, start, end, grade)


def _below_line(text: str, start: int, end: int, grade: str) -> tuple[int, int, str] | None:
    """The value on the next line: of an option, of a field, of what a line with a colon says."""
    line_end = text.find("\n", end, end + 160)
    if line_end < 0 or grade == "mere key":
        return None
    rest = text[end:line_end].strip()
    is_field = rest == '"' and text[max(0, start - 6) : start] == 'name="'
    is_option = not rest and text[start : start + 1] == "-"
    if is_field or is_option:
        return _below(text, line_end, grade, is_sentence=False)
    return _below(text, line_end, grade, is_sentence=True) if rest[-1:] == ":" else None


def _below(text: str, end: int, grade: str, *, is_sentence: bool) -> tuple[int, int, str] | None:
    if grade == "mere key":
        return None
    return _span(spoken_secrets.below(text, end, grade, is_sentence=is_sentence), grade)


def _span(place: tuple[int, int] | None, grade: str) -> tuple[int, int, str] | None:
    return (*place, _kind(grade)) if place else None


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
    cursor, is_quoted = end, text[end + slashes : end + slashes + 1] in ("'", '"', "`")
    if is_quoted:
        cursor = end + slashes + 1
        cursor += text[cursor : cursor + 1] == "]"
    stars = _run(text, cursor, "*", 2)
    if stars and text[cursor + stars : cursor + stars + 1] == ":":
        cursor += stars
    gap = _run(text, cursor, " \t", GAP_CAP)
    cursor += gap
    if text[start - 2 : start] == "${" and text[cursor : cursor + 1] == ":":
        return _default(text, cursor + 1)
    for size in (3, 2, 1):
        join = JOINS.get(text[cursor : cursor + size])
        if join and size == 1 and is_quoted and join == ":" and _is_choice(text, start):
            return "", cursor
        if join:
            value = _past_blanks(text, _past_stars(text, cursor + size))
            return join, _past_type(text, lower, value) if join == ":" else value
    if is_quoted or text[cursor : cursor + 1] == "]":
        typed = _typed(lower, cursor)
        if typed:
            return ",", typed
    elif text[cursor : cursor + 1] in ("<", ">", " ") or gap:
        inner = _inside_tags(text, lower, start, end)
        if inner:
            return ">", inner
    labelled = (
        _past_label(lower, cursor) if is_quoted or gap or text[cursor : cursor + 1] in "\r\n" else 0
    )
    if labelled:
        return "=", _past_blanks(text, labelled)
    return _signed(text, lower, start, cursor, gap, is_quoted)


def _signed(
    text: str, lower: str, start: int, cursor: int, gap: int, is_quoted: bool
) -> tuple[str, int]:
    """What joins by a sign of its own: a tag, a call, a list, a table, a remark in brackets."""
    sign, following = text[cursor : cursor + 1], text[cursor + 1 : cursor + 2]
    if sign == ">" and not gap and is_quoted:
        return ">", cursor + 1
    if sign == "(" and not is_quoted and following in ("'", '"'):
        return "(", cursor + 1
    if sign == "," and is_quoted:
        default = text.find("default=", cursor, cursor + 60)
        is_default = default >= 0 and "\n" not in text[cursor:default]
        return ",", _past_blanks(text, default + 8 if is_default else cursor + 1)
    if gap and sign in ("|", "\u2502") and text[max(0, start - 3) : start].strip("`* \n") == sign:
        return "is", _past_blanks(text, cursor + 1)
    if gap and sign == "(":
        close = text.find("):", cursor, cursor + GAP_CAP)
        return (":", _past_blanks(text, close + 2)) if close >= 0 else ("", cursor)
    colon = cursor + _run(text, cursor, "0123456789", 2)
    if gap and cursor < colon and text[colon : colon + 1] == ":":
        return ":", _past_blanks(text, colon + 1)
    if gap and text[start:cursor].strip().isupper():
        word = lower[cursor : cursor + 20].partition(" ")[0].partition("=")[0]
        if word in OPTIONS:
            return "=", _past_blanks(text, cursor + len(word) + 1)
    return _loosely_joined(text, lower, start, cursor, gap)


def _default(text: str, cursor: int) -> tuple[str, int]:
    """`${NAME:-this}`, `${NAME:this}`; what tells of an error is no value."""
    sign = text[cursor : cursor + 1]
    if sign in ("?", "+", "}"):
        return "", cursor
    return "=", cursor + (sign in ("-", "="))


def _typed(lower: str, cursor: int) -> int:
    """Past `).fill(` and its like, for what is typed into the field of that name."""
    cursor += _run(lower, cursor, "\"'])", 4)
    if lower[cursor : cursor + 1] != ".":
        return 0
    call = lower[cursor + 1 : cursor + 24].partition("(")[0]
    if lower.startswith("clear().type", cursor + 1):
        call = "clear().type"
    cursor += len(call) + 2
    return cursor if call in TYPING and lower[cursor : cursor + 1] in ("'", '"', "`") else 0


def _inside_tags(text: str, lower: str, start: int, end: int) -> int:
    """Where the content begins of the element of that name, or of the one after such a key."""
    before = text[max(0, start - 20) : start]
    if before[-1:] == "<" or (before[-1:] == ":" and before[before.rfind("<") + 1 : -1].isalnum()):
        close = text.find(">", end, end + 200)
        inside = text[end:close]
        is_open = close >= 0 and "<" not in inside and "\n" not in inside and inside[-1:] != "/"
        return close + 1 if is_open and (not inside or inside[0] in " \t") else 0
    if before[-1:] == ">" and text[end : end + 2] == "</":
        close = text.find(">", end, end + GAP_CAP)
        after = close + 1 + _run(text, close + 1, " \t\r\n", GAP_CAP)
        tag = text.find(">", after, after + GAP_CAP)
        if close >= 0 and tag >= 0 and lower[after + 1 : tag].endswith(("value", "string")):
            return tag + 1 if lower[after + 1] != "/" else 0
    return 0


def _past_stars(text: str, cursor: int) -> int:
    return cursor + _run(text, cursor, "*_", 3) if text[cursor : cursor + 1] == "*" else cursor


def _is_choice(text: str, start: int) -> bool:
    """Whether the name is the first half of `is_hidden ? "password" : "text"`."""
    return text[max(0, start - 8) : start].rstrip("\"'` ").endswith("?")


def _loosely_joined(text: str, lower: str, start: int, cursor: int, gap: int) -> tuple[str, int]:
    if not gap:
        return "", cursor
    after = _past_type(text, lower, cursor)
    if after > cursor:
        return "=", after
    if lower[cursor : cursor + 3] in ("is ", "is:", "was"):
        return "is", _past_blanks(text, cursor + 3)
    if text[cursor : cursor + 1] in ("'", '"', "`"):
        return "is", cursor
    if text[start : start + 1] == "-" or lower[start : start + 6] == "bearer":
        return " ", cursor
    return "", cursor


def _past_label(lower: str, cursor: int) -> int:
    """Past the `value:` of a pair such as name: X, value: Y; 0 when there is none."""
    gap = _run(lower, cursor, " \t\r\n,\"'\\-", GAP_CAP)
    cursor += gap
    if not lower.startswith("value", cursor):
        return 0
    cursor += 5
    cursor += _run(lower, cursor, "\"'\\ ", 8)
    return cursor + 1 if lower[cursor : cursor + 1] in ("=", ":") else 0


def _past_type(text: str, lower: str, cursor: int) -> int:
    """Past an annotation, `: str =`, to the value; else where it was."""
    size = _run(lower, cursor, "abcdefghijklmnopqrstuvwxyz&':[]?|", 24)
    if lower[cursor : cursor + size].rstrip("?[]") in TYPES:
        after = cursor + size + _run(lower, cursor + size, " ", 3)
        if lower.startswith("str", after):
            after += 3 + _run(lower, after + 3, " ", 3)
        if text[after : after + 1] == "=" and text[after : after + 2] != "==":
            return _past_blanks(text, after + 1)
    return cursor


def _past_scheme(text: str, cursor: int, cap: int) -> int:
    """Past the scheme of a header's value: Basic, Bearer, ..."""
    word = text[cursor:cap].lstrip("\"'\\")
    skipped = min(cap, len(text)) - cursor - len(word)
    first, space, _ = word.partition(" ")
    if space and first.lower() in SCHEMES:
        return cursor + max(skipped, 0) + len(first) + 1
    return cursor


def _value(text: str, cursor: int, join: str) -> tuple[int, int, bool]:
    """Where the value begins and ends, and whether quotes or tags mark it off."""
    if join == ">":
        cursor += _run(text, cursor, " \t\r\n", GAP_CAP)
        end = text.find("<", cursor, cursor + VALUE_CAP)
        return cursor, cursor + len(text[cursor:end].rstrip()) if end >= 0 else -1, True
    if text[cursor : cursor + 1] in ("[", "(") and text[cursor + 1 : cursor + 2] in ("'", '"'):
        cursor += 1
    if text[cursor + 1 : cursor + 2] in ("'", '"') and text[cursor : cursor + 1] in "bBrRuUfFN@$&":
        cursor += 1
    slashes = _run(text, cursor, "\\", 3)
    quote = text[cursor + slashes : cursor + slashes + 1]
    if quote and quote in QUOTES:
        cursor += slashes + 1
        end = _closing(text, cursor, quote, slashes)
        if end >= 0:
            return cursor, end, True
    chunk = text[cursor : cursor + BARE_CAP]
    for mark in BARE_ENDS:
        chunk = chunk.partition(mark)[0]
    return cursor, cursor + len(chunk), False


def _closing(text: str, cursor: int, quote: str, slashes: int) -> int:
    """Where the quotation ends; -1 when that is not on its line."""
    end = cursor
    for _ in range(20):
        end = text.find(quote, end, cursor + VALUE_CAP)
        if end < 0:
            return -1
        before = _run_back(text, end, "\\", 4)
        if before % 2 == slashes % 2 or before == slashes:
            return -1 if "\n" in text[cursor:end] else end - (before if slashes else 0)
        end += 1
    return -1


def _cookie(text: str, cursor: int) -> tuple[tuple[int, int, str] | None, int]:
    """The whole of a cookie header, when one of its values is drawn by lot."""
    cursor += _run(text, cursor, "\"'", 1)
    line = text[cursor : cursor + VALUE_CAP].splitlines()[:1]
    value = line[0].partition('"')[0].partition("'")[0].rstrip() if line else ""
    for part in value.split(";"):
        if len(part) > 12 and is_drawn(part.partition("=")[2]):
            return (cursor, cursor + len(value), "cookie"), cursor + len(value)
    return None, cursor + len(value)


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
        if len(bare) >= 20 and (_is_strongly_drawn(bare) or (is_next and _is_next_key(bare))):
            begin = at + word.index(bare)
            return begin, begin + len(bare), _kind(grade)
        at += len(word) + 1
    return None


def _is_next_key(word: str) -> bool:
    if word.isalnum():
        return len(word) not in OBJECT_IDS and is_drawn(word)
    return len(word) == 40 and word.count("/") < 4 and _is_strongly_drawn(word.replace("/", "+"))


def _is_strongly_drawn(word: str) -> bool:
    kinds = (str.isdigit, str.islower, str.isupper)
    return (
        all(any(kind(sign) for sign in word) for kind in kinds)
        and not word.rstrip("=").strip(WIDE)
        and not word.startswith(IDS)
        and is_drawn(word)
    )


def _past_blanks(text: str, cursor: int) -> int:
    return cursor + _run(text, cursor, " \t", GAP_CAP)


def _run(text: str, cursor: int, alphabet: str, cap: int) -> int:
    """How many characters from here on are of the alphabet."""
    chunk = text[cursor : cursor + cap]
    return len(chunk) - len(chunk.lstrip(alphabet))


def _run_back(text: str, cursor: int, alphabet: str, cap: int) -> int:
    chunk = text[max(0, cursor - cap) : cursor]
    return len(chunk) - len(chunk.rstrip(alphabet))
