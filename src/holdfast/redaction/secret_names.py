"""What a thing of a name holds: a password, a secret, a token, a key, credentials; or nothing.

The last word of a name decides, after words such as `prod` or `value` and after numbers; the word
before it can take that back (`public_key`, `next_page_token`).
"""

from __future__ import annotations

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
