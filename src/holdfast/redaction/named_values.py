"""Whether a value beside a telling name is a secret: what the name holds, how the value looks.

The last word of a name decides, after words such as `prod` or `value` and after numbers; the word
before it can take that back (`public_key`, `next_page_token`). A quoted value is taken at its word.
Without quotes code, prose and settings look alike, so the place decides: a line of its own,
`NAME=value`, an option of a command.
"""

from __future__ import annotations

from holdfast.redaction.plausibility import (
    ORDINARY,
    is_blank,
    is_chosen,
    is_drawn,
    is_hex,
    is_label,
    is_name,
    is_phrase,
    is_public,
    is_told,
    is_uuid,
    is_versioned,
    wordiness,
)
from holdfast.system.value import Value

PASSWORDS = (
    "password", "passwd", "passphrase", "pwd", "passcode", "passwort", "masterauth",
)  # fmt: skip
TOKENS = ("token", "jwt", "sessid")
CREDENTIALS = ("credential", "credentials", "creds", "authorization")
# Before `pass` and `pw`: bypass and compass are no passwords.
PASSING = (
    "store", "key", "db", "user", "require", "root", "admin", "smtp", "mail", "ssh", "my", "ftp",
    "sql", "login", "wifi", "bind", "pg", "proxy", "redis", "trust", "mysql", "postgres", "ldap",
)  # fmt: skip
QUALIFIERS = frozenset(
    "prod production dev test staging stage live value str string b64 base64 hex raw default old"
    " new main base data plain v1 v2".split()
)
# The word before that takes it back.
HARMLESS = frozenset(
    "page next continuation sync eos bos pad unk mask cls sep stop cancel cancellation max min num"
    " public publishable primary foreign partition sort cache row object unique index lookup hash"
    " sha commit checksum digest etag fingerprint integrity anon site query map dict json"
    " idempotency translation i18n host known natural group bucket s3 storage react item header"
    " field label param row column".split()
)
NO_KEYS = frozenset("monkey turkey donkey hotkey whiskey hockey jockey mickey".split())
# What makes of a mere key one that opens something.
OPENING = (
    "api", "app", "access", "secret", "private", "encryption", "encrypt", "encr", "signing", "sign",
    "auth", "account", "shared", "master", "admin", "service", "client", "consumer", "license",
    "subscription", "ssh", "deploy", "function", "webhook", "crypto", "aes", "hmac", "jwt", "rsa",
    "session", "cookie", "integration", "write", "ingest", "ingestion", "role", "server", "root",
    "security", "cipher", "symmetric", "preshared",
)  # fmt: skip


def kind_of(name: str) -> str:
    words = _words(name)
    last = words[-1]
    flat = "".join(words)
    if last.endswith(PASSWORDS) or flat.endswith(PASSWORDS):
        return "password"
    if last.endswith(("pass", "pw")):
        return _of_pass(name, words)
    if last == "bearer":
        return "bearer token"
    if len(words) > 1 and words[-2] in HARMLESS:
        return ""
    if flat.endswith("secret"):
        return "secret"
    if flat.endswith(TOKENS):
        return "token"
    if flat.endswith("key"):
        return _of_key(flat)
    if flat.endswith(CREDENTIALS) or last == "auth":
        return "credentials"
    return "cookie" if last.endswith("cookie") else ""


def _words(name: str) -> list[str]:
    """The words of a name, in small letters, without numbers and qualifiers at its end."""
    if not name.islower() and not name.isupper():
        before = ""
        spread = []
        for sign in name:
            if "A" <= sign <= "Z" and "a" <= before <= "z":
                spread.append("_")
            spread.append(sign)
            before = sign
        name = "".join(spread)
    small = name.lower().replace("-", "_").replace(".", "_").replace("$", "_")
    words = [word for word in small.split("_") if word]
    while len(words) > 1 and (words[-1] in QUALIFIERS or words[-1].isdigit()):
        words.pop()
    last = words[-1].rstrip("0123456789") if words else ""
    if last.endswith(("tokens", "secrets", "keys", "passwords")):
        last = last[:-1]
    return [*words[:-1], last]


def _of_pass(name: str, words: list[str]) -> str:
    """`pass` ends many words: only as a word of its own does it tell, or after few others."""
    last = words[-1]
    if words in (["pass"], ["pw"]):
        return "password" if name.lstrip("-") in ("pass", "pw", "PW") else ""
    stem = last.removesuffix("pass").removesuffix("pw")
    return "password" if not stem or stem in PASSING else ""


def _of_key(flat: str) -> str:
    if flat in NO_KEYS:
        return ""
    return "key" if flat.removesuffix("key").endswith(OPENING) else "mere key"


CODE = ("?.", "->", "::", "=>", "&&", "||", "==")
BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))
TELLING = ("password", "passwd", "secret", "token", "credential", "apikey", "api_key")
OBJECT_IDS = (40, 64)


class Place(Value):
    """Where a value stands: what it is called, what joins them, and how it is marked off."""

    name: str
    grade: str
    join: str
    is_quoted: bool
    is_line: bool  # the name begins the line and the value ends it
    is_setting: bool  # as in a file of settings: NAME=value
    is_spaced: bool = False  # a blank stands before the value


def is_secret(value: str, place: Place) -> bool:
    if len(value) < 3 or is_blank(value) or is_public(value):
        return False
    if not place.is_quoted and _is_code(value, place):
        return False
    if place.grade == "password":
        return (
            _is_quoted_password(value, place)
            if place.is_quoted
            else _is_bare_password(value, place)
        )
    if any(sign in value for sign in " \t\n") or is_versioned(value):
        return False
    return _is_key(value, place) if place.grade == "mere key" else _is_token(value, place)


def trimmed(value: str, place: Place, before: str) -> str:
    """A value without quotes, and without the rest of its query, list or sentence."""
    if before in ("?", "&", ";"):
        return _cut(value, ";" if before == ";" else "&#;,)")
    ends = ";&,)}]|"
    if place.is_line and place.is_setting:
        ends = "&" if "=" in value.partition("&")[2] else ""
    for sign in ends:
        head, _, rest = value.partition(sign)
        is_more = place.grade == "password" and head and _goes_on(rest)
        if not is_more or (sign == "|" and not is_drawn(head + rest)):
            value = head
    return _cut(value, "") if "(" not in value else value.rstrip(".,;:")


def _cut(value: str, ends: str) -> str:
    for sign in ends:
        value = value.partition(sign)[0]
    return value.rstrip(")").rstrip(".,;:")


def _goes_on(rest: str) -> bool:
    """Whether a password has more behind a sign that elsewhere ends a value."""
    core = rest.strip(";,)}]|&")
    if not core or any(sign in core for sign in "=:\"'$/(") or not core[0].isalnum():
        return False
    kinds = (str.isdigit, str.islower, str.isupper)
    return len(core) > 3 and sum(any(map(kind, core)) for kind in kinds) > 1


def is_likely_password(value: str) -> bool:
    """Where a password must stand, whatever is not a word for one."""
    return is_chosen(value) or (
        len(value) >= 5 and value.lower() not in ORDINARY and value.isalpha()
    )


def _is_code(value: str, place: Place) -> bool:
    if any(mark in value.rstrip("=") for mark in CODE) or _is_bracketed(value, place):
        return not (place.is_line and place.is_setting and place.name.isupper())
    condition, choice, rest = value.partition("?")
    if choice and ":" in rest and condition.isidentifier():
        return True
    head, dot, _ = value.partition(".")
    if dot and head.isidentifier() and not is_drawn(value):
        return all(part.isidentifier() for part in value.split("."))
    return False


def _is_bracketed(value: str, place: Place) -> bool:
    """Whether it is a call or an index; a password may hold one bracket, too."""
    for opened, closed in BRACKETS:
        head, mark, rest = value.partition(opened)
        if mark:
            is_part = place.grade == "password" and closed not in rest and is_drawn(head + rest)
            return not (is_part and rest)
    return False


def _is_quoted_password(value: str, place: Place) -> bool:
    if any(sign in value for sign in " \t\n"):
        words = value.split(" ")
        return "phrase" in place.name.lower() and len(words) > 3 and value.islower()
    if place.join in (",", "is", "==", "("):
        return is_chosen(value) and (not _tells(value) or _is_numbered(value))
    return is_chosen(value) or _is_chosen_word(value, place)


def _is_bare_password(value: str, place: Place) -> bool:
    if place.join in ("==", ",", "("):
        return False
    if place.name == "pass" and not place.is_line:
        return is_told(value)
    has_digit = any(sign.isdigit() for sign in value)
    if place.join in ("is", " "):
        value = value.rstrip("!?*)")
        if place.join == "is" and not has_digit:
            return False
        is_word = is_name(value) and not is_phrase(value)
        return len(value) >= 5 and is_chosen(value) and not is_word and not _tells(value)
    if _tells(value) and value.replace("_", "").isalnum() and not _is_numbered(value):
        return False
    if value.isdigit() and not (place.is_setting and len(value) > 3):
        return False
    if is_chosen(value) and not _is_address(value):
        if place.is_line or place.is_setting:
            return True
        is_mixed = has_digit and not value.isalnum() and not is_name(value)
        return is_drawn(value) or is_mixed or is_told(value)
    is_variable = place.is_setting and place.name.isupper()
    is_entry = place.is_setting or (place.join == ":" and place.is_spaced and value.islower())
    return (is_variable or (place.is_line and is_entry)) and _is_chosen_word(value, place)


def _is_chosen_word(value: str, place: Place) -> bool:
    """A password of letters alone. Labels, names of fields and of variables look the same."""
    small = value.lower()
    parts = small.replace("-", "_").split("_")
    if len(value) < 5 or not "".join(parts).isalpha() or _tells(small) or is_label(small):
        return False
    if any(part in ORDINARY for part in parts):
        return False
    if len(parts) > 1:
        return place.is_setting and place.is_line
    if value.islower():
        return True
    if value[0].isupper() and value[1:].islower():
        return place.join == "="
    return is_drawn(value) or (len(value) >= 12 and _is_jumbled(value))


def _is_jumbled(value: str) -> bool:
    common, pairs = wordiness(value)
    return common < 0.42 * pairs


def _is_token(value: str, place: Place) -> bool:
    if is_uuid(value):
        return len(set(value)) > 4 and place.join in ("=", ":", ">", " ", ",")
    has_digit = any(sign.isdigit() for sign in value)
    if place.grade == "credentials" and _is_basic(value):
        return True
    if is_drawn(value):
        is_header = place.is_line and len(value) >= 20
        return place.is_quoted or place.is_setting or is_header or (has_digit and len(value) >= 10)
    is_marked = place.is_quoted or (place.is_setting and place.is_line)
    if place.grade == "secret" and is_marked and place.join in ("=", ":", ">"):
        is_mixed = not value.isalnum() or not (value.islower() or value.isupper())
        return len(value) >= 6 and has_digit and is_mixed and is_chosen(value)
    return False


def _is_basic(value: str) -> bool:
    """Whether it is name:password in base64, as in the header of basic authentication."""
    import binascii

    if len(value) < 8 or not value.isascii():
        return False
    try:
        decoded = binascii.a2b_base64(value + "=" * (-len(value) % 4))
    except binascii.Error:
        return False
    return b":" in decoded and all(32 <= sign < 127 for sign in decoded)


def _is_key(value: str, place: Place) -> bool:
    """A mere `key` is mostly an index into something: only what is clearly drawn counts."""
    if len(value) < 20 or not is_drawn(value) or is_uuid(value):
        return False
    if is_hex(value) and len(value) in OBJECT_IDS:
        return False
    is_marked = place.is_quoted or place.is_setting or place.is_line
    return is_marked and place.join in ("=", ":", ">") and any(sign.isdigit() for sign in value)


def _tells(value: str) -> bool:
    small = value.lower()
    return any(word in small for word in TELLING)


def _is_numbered(value: str) -> bool:
    return sum(sign.isdigit() for sign in value) > 1


def _is_address(value: str) -> bool:
    name, at, host = value.partition("@")
    return bool(at) and name.replace(".", "").isalnum() and "." in host and "@" not in host
