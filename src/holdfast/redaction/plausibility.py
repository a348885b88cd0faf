"""Whether a value can be a secret: drawn by lot, or chosen by a person; or standing for one.

Values in, answers out. Nothing here knows where a value was found, and every answer takes time
linear in the value.
"""

from __future__ import annotations

# The pairs of letters that most of English is made of. In words about two thirds of the pairs are
# among them, in letters drawn by lot about a fifth.
PAIRS = frozenset(
    "th he in er an re nd at on nt ha es st en ed to it ou ea hi is or ti as te et ng of al"
    " de se le sa si ar ve ra ld ur ss ce ro ri ic ne io me el co ma li la ll no us om ec ch"
    " tr ta ac em ot ho il pe ca ns ut nc tt di so pl lo ge ct id wi be ee mo un fi po sh do"
    " ay ie wa ul pa ai ad im ke ow ol su ir ab am op sp ia mi tu if ry ag ty ov ci ni vi pr"
    " ex up ap os iv ig ck ey rs ts ud da ue go og ef ff fo oo ok ob ep pt pp cl cr br bl fa"
    " ga gi gr gu gh va wo wh ye yo my bo bu by ba bi qu rt rd rk rn rm sc sk sl sw av aw ev"
    " ew lt ly ls".split()
)

# What stands where a secret will be; the second lot only where nothing else looks drawn by lot.
BLANKS = ("xxxx", "your", "placeholder", "redacted", "replace", "....", "****", "_here", "-here")
STAND_INS = (
    "removed", "changeme", "change_me", "change-me", "changeit", "insert", "todo", "dummy",
    "sample", "example", "fixme", "put_", "enter_", "enter-", "\u2026", "not-a-real", "foobar",
)  # fmt: skip

# Words that stand beside `password:` and are no password: types, rules, labels, field names.
ORDINARY = frozenset(
    "string str text bytes bool boolean int integer number char varchar any object none"
    " null nil undefined true false yes no on off required optional require missing invalid"
    " valid wrong correct incorrect empty blank unset set hidden visible masked secret"
    " secrets password passwords passwd pass pwd pw psw passphrase token tokens key keys"
    " apikey credential credentials auth login username user users name email mail admin"
    " root guest default value values data input output field form label type test tests"
    " testing example sample demo dev prod local foo bar baz qux foobar abc xyz hash hashed"
    " salt encrypted plain plaintext cleartext raw encoded base64 bcrypt argon2 scrypt"
    " sha256 sha512 sha1 md5 hs256 rs256 es256 utf8 utf16 oauth oauth1 oauth2 ed25519 aes128"
    " aes256 x509 http2 ipv4 ipv6 latin1 bearer basic digest jwt env environ environment"
    " config settings option options param params argument args kwargs self this new old"
    " current confirm confirmation reset change update forgot forgotten generate generated"
    " random prompt ask read write file path url uri host port the and for with from that"
    " which must should will can not but was were has have policy strength length min max"
    " mismatch expired error failed failure success ok unknown never always one two stored"
    " provided given return returns const final static public private protected var let def"
    " func function class struct interface enum slice map list dict tuple array vector box"
    " rc arc cow readonly sensitive unicode date time uuid postgres mysql redis mongo"
    " mongodb rabbitmq sqlite keyring keychain vault stdin changeme changeit letters digits"
    " characters enabled disabled supported method stringdata https http ssh git".split()
)

# The word for a password in other languages: the value of a label, not of a password.
LABELS = (
    "passwor", "kennwor", "contrase", "wachtwoord", "haslo", "senha", "salasana", "losenord",
    "adgangskode", "passord", "parol", "heslo", "jelszo", "lozinka", "sifre", "passe", "geslo",
    "zaporka", "clave", "kata-sandi", "geheim", "jeton",
)  # fmt: skip

# How images, fonts and archives begin in base64.
MEDIA = (
    "iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR", "d09GMg", "d09GRg", "AAEAAAA", "T1RUTw", "PHN2Zy",
    "PD94bWw", "JVBERi0", "UEsDB", "H4sI", "AAAAIGZ0eX", "SUkqA", "eyJ2ZXJzaW9uIjozL",
)  # fmt: skip

# Passwords of which everyone knows that they stand for another.
NOMINAL = frozenset(
    "password passwd pass pwd pw secret token apikey key xxx pass123 changeme".split()
)

LOOKED_AT = 200  # as many characters show whether a value is drawn by lot

DIGESTS = ("sha1-", "sha256-", "sha384-", "sha512-", "sha256:", "sha512:", "sha1:", "md5:", "h1:")
PUBLIC = ("AAAAB3Nza", "AAAAC3Nza", "AAAAE2V", "ssh-", "data:", "arn:", "urn:", "pk_live_", "pk_")
FILES = (
    ".txt", ".json", ".yml", ".yaml", ".pem", ".key", ".env", ".py", ".js", ".ts", ".go", ".rb",
    ".md", ".html", ".php", ".xml", ".crt", ".cfg", ".ini", ".toml", ".java", ".rs", ".sh", ".tsx",
    ".pub", ".gpg", ".png", ".svg", ".css", ".csv", ".lock", ".log", ".c", ".h", ".cs", ".kt",
)  # fmt: skip


def wordiness(value: str) -> tuple[int, int]:
    """Of how many pairs of letters, how many are common in words."""
    common = pairs = 0
    before = ""
    for letter in value.lower():
        if "a" <= letter <= "z":
            if before:
                pairs += 1
                common += before + letter in PAIRS
            before = letter
        else:
            before = ""
    return common, pairs


def is_drawn(value: str) -> bool:
    """Whether the characters look drawn by lot, as a whole or in a part that marks set off."""
    value = value[:LOOKED_AT]
    if _is_drawn(value):
        return True
    for sign in "-.":
        value = value.replace(sign, "_")
    parts = value.split("_")
    return len(parts) > 1 and any(len(part) >= 12 and _is_drawn(part) for part in parts)


def _is_drawn(value: str) -> bool:
    """Kinds of characters take turns as they do not in names, and the letters make no words."""
    size, letters, digits, runs, inner = _turns(value)
    if size < 8 or not letters or len(set(value)) < 6:
        return False
    if not digits:
        common, pairs = wordiness(value)
        return size >= 14 and runs > 1 + (size < 20) and common < 0.42 * pairs
    if is_hex(value.replace("-", "")):
        return runs >= (0.25 if size < 32 else 0.18) * size
    common, pairs = wordiness(value)
    if runs >= 0.34 * size or inner >= 3:
        return pairs < (6 if size >= 12 else 4) or common <= (0.75 if size >= 12 else 0.55) * pairs
    if size >= 30 and runs >= 0.25 * size:
        return common <= 0.6 * pairs
    return runs >= 0.14 * size and size >= 10 and pairs >= 4 and common < 0.42 * pairs


def _turns(value: str) -> tuple[int, int, int, int, int]:
    """Characters, letters, digits, runs of one kind (a capital belongs to the small letters that
    follow it, as in names), and runs of digits between letters."""
    letters = digits = runs = inner = 0
    before = capitals = after_letter = 0
    for sign in value:
        if "0" <= sign <= "9":
            kind, digits = 1, digits + 1
            after_letter = after_letter or before > 1
        elif "a" <= sign <= "z":
            kind, letters = 2, letters + 1
        elif "A" <= sign <= "Z":
            kind, letters = 3, letters + 1
        else:
            before = after_letter = 0
            continue
        if kind > 1 and after_letter:
            inner, after_letter = inner + 1, 0
        if kind != before and not (kind == 2 and capitals == 1):
            runs += 1
        capitals = capitals + 1 if kind == 3 else 0
        before = kind
    return letters + digits, letters, digits, runs, inner


def is_blank(value: str) -> bool:
    """Whether the value stands for a secret instead of being one."""
    first, last = value[0], value[-1]
    if (first == "<" and ">" in value) or (first == "%" and last == "%") or first == "{":
        return True
    if first == "$" and (value[1:2].isalpha() or value[1:2] in ("{", "(", "_")):
        return "$" not in value[2:] or "{" in value  # $apr1$... is the hash of a password
    if any(
        mark in value for mark in ("${", "{{", "$(", "#{", "<%", "%(", "[removed:", "$env:", "&lt;")
    ):
        return True
    if any(mark in value and _is_verb(value, mark) for mark in ("%s", "%v", "%q", "%@")):
        return True
    if len(set(value)) <= 2 and not value.isdigit():
        return True
    small = value.lower()
    if any(word in small for word in BLANKS):
        return True
    return any(word in small for word in STAND_INS) and not is_drawn(value)


def _is_verb(value: str, mark: str) -> bool:
    """Whether something will be printed there; between other letters and digits it is by chance."""
    before, _, after = value.partition(mark)
    return not (before[-1:].isalnum() and after[:1].isalnum())


def is_public(value: str) -> bool:
    """Digests, public keys, addresses, paths and files: they name a thing and open nothing."""
    if len(value) > 60 and value.startswith(MEDIA):
        return True
    if value.startswith(DIGESTS) or value.startswith(PUBLIC) or "://" in value:
        return True
    is_path = value.startswith(("/", "./", "../", "~/", "@/")) and not value.endswith("=")
    if is_path and "+" not in value and value.count("/") > (value[0] == "/"):
        return True
    if value.endswith(FILES):
        return True
    return value.count("/") > 1 and all(_is_plain(part) for part in value.split("/"))


def _is_plain(word: str) -> bool:
    """A word, a number, or a name made of words."""
    if is_drawn(word) or any(sign in word for sign in "+=!@#$%^&*"):
        return False
    common, pairs = wordiness(word)
    return pairs < 5 or common > 0.4 * pairs


def is_uuid(value: str) -> bool:
    return len(value) == 36 and [at for at, sign in enumerate(value) if sign == "-"] == [
        8, 13, 18, 23,
    ]  # fmt: skip


def is_hex(value: str) -> bool:
    return not value.strip("0123456789abcdefABCDEF")


def is_chosen(value: str) -> bool:
    """Whether a person could have chosen it as a password: a word with a digit or a sign in it.

    Names of variables and of fields, and ordinary words, are not.
    """
    core = value.strip("\"'`.,;")
    if len(core) < 4 or " " in core:
        return False
    has_digit = any("0" <= sign <= "9" for sign in core)
    has_sign = any(not (sign.isalnum() or sign in "_-.") for sign in core)
    if has_sign:
        rules = core.replace(",", "|").replace(":", "|").split("|")
        is_rule = len(rules) > 1 and any(rule in ORDINARY for rule in rules)
        return not is_rule and any(sign.isalnum() for sign in core)
    if not has_digit:
        return is_drawn(core)
    if not any(sign.isalpha() for sign in core):
        return core.isdigit()
    return is_phrase(core) or not is_name(core)


def is_phrase(value: str) -> bool:
    """Whether it is words with a number, as generators of passwords join them."""
    parts = _parts(value)
    words = [part for part in parts if len(part) > 3 and part.isalpha()]
    numbers = [part for part in parts if part.isdigit() and 1 < len(part) < 5]
    return (
        len(words) > 1
        and len(numbers) == 1
        and len(words) + len(numbers) == len(parts)
        and sum(part in ORDINARY for part in parts) < len(words) - 1
    )


def is_told(value: str) -> bool:
    """Whether it is a password where only a sentence says so: no word, no name, no version."""
    core = value.strip("\"'`.,;:!?)*")
    digits = sum("0" <= sign <= "9" for sign in core)
    if len(core) < 6 or not digits or not any(sign.isalpha() for sign in core):
        return False
    if is_blank(core) or is_public(core) or "(" in core or core.startswith(("-", "#", "@")):
        return False
    if not is_chosen(core) or is_uuid(core) or is_label(core) or _is_reference(core):
        return False
    if "_" in core and core.isupper() and core.isidentifier():
        return False
    if is_phrase(core) or is_drawn(core):
        return True
    if any(sign in core for sign in "=<>{}[]|"):
        return False
    has_sign = any(not (sign.isalnum() or sign in "-./:") for sign in core)
    if core.isalnum() and core.strip("0123456789").isupper():
        return False
    return (digits > 1 or has_sign) and not is_versioned(core)


def _is_reference(value: str) -> bool:
    """owner/name#12, a time, an address of a host."""
    owner, mark, number = value.rpartition("#")
    if mark and number.isdigit() and (len(owner) < 3 or "/" in owner or owner.isupper()):
        return True
    name, at, host = value.partition("@")
    return bool(at) and "." in host and name.replace(".", "").isalnum()


def is_label(value: str) -> bool:
    """Whether it is what a field for a password is called, in whatever language."""
    small = value.lower()
    return not small.isascii() or any(word in small for word in LABELS)


def is_versioned(value: str) -> bool:
    """Whether it is a name of words and versions: scram-sha-256, oauth2-proxy-7.5, bcrypt-12."""
    parts = _parts(value.replace("/", "_").replace(":", "_"))
    return len(parts) > 1 and all(_is_version(part) for part in parts) and not is_phrase(value)


def _is_version(part: str) -> bool:
    word = part.rstrip("0123456789")
    is_word = not word or (word.isalpha() and (len(word) < 3 or _is_plain(word)))
    return is_word and len(part) - len(word) < 5 and len(part) < 16


def _parts(value: str) -> list[str]:
    small = value.lower()
    for sign in "-.":
        small = small.replace(sign, "_")
    return [part for part in small.split("_") if part]


def _is_numbered(part: str) -> bool:
    """password1 is the name of a field; password123 is what people type into it."""
    return part[-1:].isdigit() and part[:-1] in ORDINARY


def is_name(value: str) -> bool:
    """Whether it reads as the name of a thing: ordinary words, perhaps numbered."""
    parts = _parts(value)
    if any(part in ORDINARY or _is_numbered(part) for part in parts):
        return True
    is_of_words = all(part.strip("0123456789").isalpha() or part.isdigit() for part in parts)
    return (len(parts) > 1 or "." in value) and is_of_words and not is_drawn(value)
