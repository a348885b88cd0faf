"""A person's own words in a prompt, apart from code, logs, quotations and what tools put there.

Laws:
  - what is masked keeps its length: an offset in the masked text is an offset in the prompt;
  - reading is linear in the prompt's length, whatever the prompt is made of;
  - when in doubt, text is not the person's own: a rule that was missed can be said again.
"""

from __future__ import annotations

SPELLINGS = {
    "dont": "don't", "don`t": "don't", "dosn't": "doesn't", "doesnt": "doesn't",
    "didnt": "didn't", "cant": "can't", "cannot": "can't", "wont": "won't",
    "shouldnt": "shouldn't", "isnt": "isn't", "arent": "aren't", "wasnt": "wasn't",
    "mustnt": "mustn't", "wouldnt": "wouldn't", "havent": "haven't", "pls": "please",
    "plz": "please", "pleas": "please", "u": "you", "ur": "your", "lets": "let's",
    "im": "i'm", "ive": "i've", "youre": "you're", "thats": "that's", "alway": "always",
    "allways": "always", "nver": "never", "neve": "never", "alwyas": "always",
    "nevr": "never", "plase": "please", "thx": "thanks", "ok": "okay", "k": "okay",
    "kk": "okay", "nvm": "nevermind", "favour": "favor", "whats": "what's",
    "bitte": "please", "its'": "it's", "w/o": "without", "wo": "without", "b4": "before",
    "everytime": "every time", "anymore": "any more", "onwards": "onward",
}  # fmt: skip
# Who brings somebody else's words: "the review says:", "output of the linter:".
REPORTING = frozenset(
    "answered comment commented comments complains docs documentation error errors"
    " excerpt feedback following log logs message output paragraph printed prints quote"
    " quoted readme reads replied reply reported review reviewer said say says snippet"
    " stacktrace stated states suggested suggests thread trace traceback transcript"
    " warning writes wrote".split()
)
LONG_QUOTES = frozenset(
    "comment comments feedback findings review reviewer suggestion suggestions thread"
    " transcript".split()
)

GAP = "\x1a"  # stands for each character of an inline quotation, so that it reads as one word
QUOTED = "\x1a"
PARAGRAPH, PROMPT = "paragraph", "prompt"
COLON_REACH = 2_000  # a colon further into a line introduces nothing
STRAY_TAGS = 50  # closing tags without an opening one, before the rest is taken for text
SENTENCE_WORDS = 120
FIRST_LINES, LAST_LINES = 400, 200  # what is between them was pasted
OWN = frozenset(("i", "rule", "rules", "constraints"))

PAIRS = {'"': '"', "`": "`", "\u201c": "\u201d", "\u00ab": "\u00bb", "\u201e": "\u201c"}
OPENING = "([{\"'*_<>\u2018\u201c~"
CLOSING = ")]}\"'*_>\u2019\u201d~"
TRAILING = ".,;:!?\u2026" + CLOSING
DASHES = frozenset(
    {"-", "--", "\u2013", "\u2014", "->", "=>", "\u2192", "|", "/", "\u2022", "*", "+"}
)
ABBREVIATIONS = frozenset(
    {"e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "resp.", "incl.", "eg."}
)
LOG_STARTS = (
    "$ ", "% ", "\u276f", "> ", ">>>", ">", "@@", "diff --git", "//", "/*", "*/", "<!--", "-->",
    "#!", "at ", "Traceback", 'File "', "fatal:", "error:", "Error:", "ERROR", "WARN", "INFO",
    "DEBUG", "FATAL", "warning:", "Warning:", "WARNING", "hint:", "+  ", "npm ERR", "npm WARN",
    "E   ", "---", "+++", "===", "***", "___", "FAIL", "PASS", "error[",
    "warning[", "ok  ", "panic:", "Caused by",
    "\u251c", "\u2514", "\u2502", "\u2717", "\u2713", "\u2a2f", "note:", "remote:", "TypeError",
    "ValueError", "[",
)  # fmt: skip
NEGATIONS = (
    (" do not ", " don't "),
    (" does not ", " doesn't "),
    (" did not ", " didn't "),
    (" must not ", " mustn't "),
    (" should not ", " shouldn't "),
    (" can not ", " can't "),
    (" is not ", " isn't "),
    (" are not ", " aren't "),
    (" shall not ", " mustn't "),
    (" will not ", " won't "),
    (" would not ", " wouldn't "),
)
SYMBOLS = "{}()[];=<>|\\$#@&^%+"


class Sentence:
    """One sentence as words, lower-cased and bare, with what is needed to find them again."""

    __slots__ = ("ends", "heading", "is_item", "is_question", "marks", "starts", "words")

    def __init__(self, is_item: bool, heading: str) -> None:
        self.heading = heading  # the heading of the document it stands under, if any
        self.words: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.marks: list[str] = []  # the punctuation after each word
        self.is_question = False
        self.is_item = is_item


def sentences(prompt: str) -> list[Sentence]:
    """The prompt's own sentences, in order."""
    return split(own_words(prompt))


def own_words(prompt: str) -> str:
    """The prompt with everything that is not the person's own words blanked, length kept."""
    opening = prompt[:200].lstrip().lower()
    if _is_unclosed(opening, prompt):
        return " " * len(prompt)
    text = prompt.replace("\r", "\n").replace("\u2019", "'").replace("\x00", " ")
    text = _without_blocks(text, "```")
    text = _without_blocks(text, '"""')
    text = _without_tags(text)
    lines = text.split("\n")
    foreign = _foreign(lines)
    quoted = ""  # what others said goes on to the end of its paragraph, or of the prompt
    begun = False
    for i, raw in enumerate(prompt.replace("\r", "\n").split("\n")):
        line = lines[i]
        if quoted == PARAGRAPH and begun and not raw.strip():
            quoted = ""
        if raw.startswith("#") and not quoted and _is_heading(line):
            continue
        if quoted or foreign[i] or line.lstrip().startswith("#"):
            begun = begun or bool(raw.strip())
            lines[i] = " " * len(line)
            if quoted == PROMPT and foreign[i] and raw.strip():
                quoted = PARAGRAPH
            continue
        masked = _without_quotations(line)
        cut, quoted = _reported(masked)
        begun = False
        lines[i] = masked[:cut] + " " * (len(masked) - cut)
    return "\n".join(lines)


def _is_heading(line: str) -> bool:
    return line.lstrip("#").startswith(" ") and len(line) < 80


def _is_unclosed(opening: str, prompt: str) -> bool:
    """Output that a tool wrapped in a tag and cut off: the end of the tag is lost."""
    name = opening[1:].split(">", 1)[0] if opening.startswith("<") else ""
    return ("-" in name or "_" in name) and " " not in name and f"</{name}>" not in prompt


def _foreign(lines: list[str]) -> list[bool]:
    """Which lines are not speech; where at least half of a paragraph is not, none of it is."""
    flags: list[bool] = []
    first = strange = 0
    beyond = range(FIRST_LINES, len(lines) - LAST_LINES)
    for i, line in enumerate([*lines, ""]):
        bare = "" if i in beyond else line.strip()
        if not bare:
            if strange > 1 and strange * 2 >= i - first:
                # Who pastes begins with a line of his own.
                kept = not first and not flags[0]
                flags[first + kept :] = [True] * (i - first - kept)
            first, strange = i + 1, 0
            flags.append(True)
            continue
        flags.append(_is_foreign(line, bare))
        strange += flags[-1]
    return flags


def _without_blocks(text: str, fence: str) -> str:
    if fence not in text:
        return text
    parts = text.split(fence)
    for i in range(1, len(parts), 2):
        parts[i] = _blank(parts[i])
    return "   ".join(parts)


def _blank(text: str) -> str:
    return "\n".join(" " * len(line) for line in text.split("\n"))


def _without_tags(text: str) -> str:
    """Blank `<name>...</name>` with what is in it; an element that never closes is left."""
    at = text.find("</")
    if at < 0:
        return text
    done: list[str] = []
    begin = stray = 0
    while at >= 0 and stray < STRAY_TAGS:
        end = text.find(">", at, at + 80)
        name = text[at + 2 : end] if end > 0 else ""
        opened = text.find("<" + name, begin, at) if name and " " not in name else -1
        if opened >= 0:
            done.append(text[begin:opened])
            done.append(_blank(text[opened : end + 1]))
            begin = end + 1
        else:
            stray += 1
        at = text.find("</", max(begin, at + 2))
    done.append(text[begin:])
    return "".join(done)


def _is_foreign(line: str, bare: str) -> bool:
    """Whether a line looks like code, output or a quotation rather than like speech."""
    if bare.startswith(LOG_STARTS):
        return True
    if line.startswith(("    ", "\t")) and bare[0] not in "-*\u20220123456789":
        return True
    first = bare.split(None, 1)[0]
    if _is_place(first):
        return True
    size = len(bare)
    symbols = sum(map(bare.count, SYMBOLS))
    if symbols * 9 > size and symbols > 2:
        return True
    return (
        " <> " in bare
        or bare.endswith(("{", ";", "*/", "\\", "/>"))
        or bare.startswith(("}", "<", "{"))
    )


def _is_place(word: str) -> bool:
    """`src/a.py:12:3:`, `12:30:01`, `2026-01-02T03:04`: how tools begin a line."""
    if word.count(":") > 1 and any(c.isdigit() for c in word):
        return True
    return len(word) > 7 and word[:4].isdigit() and word[4] in "-/"


def _without_quotations(line: str) -> str:
    for opening, closing in PAIRS.items():
        at = line.find(opening)
        while at >= 0:
            end = line.find(closing, at + 1)
            if end < 0:
                break
            line = line[: at + 1] + GAP * (end - at - 1) + line[end:]
            at = line.find(opening, end + 1)
    return _without_single_quotations(line) if " '" in line or line[:1] == "'" else line


def _without_single_quotations(line: str) -> str:
    at = 0 if line[0] == "'" else line.find(" '") + 1
    while at >= 0 and at < len(line):
        end = line.find("'", at + 1)
        while 0 < end < len(line) - 1 and line[end + 1].isalnum():
            end = line.find("'", end + 1)
        if end < 0 or line[end - 1] == " ":
            return line
        line = line[: at + 1] + GAP * (end - at - 1) + line[end:]
        at = line.find(" '", end) + 1 or -1
    return line


def _reported(line: str) -> tuple[int, str]:
    """Where somebody else's words begin in a line, and how far they go on after it."""
    at = line.find(":")
    while 0 <= at < COLON_REACH:
        if line[at + 1 : at + 2] in ("", " ") and not line[at + 1 : at + 10].lstrip().startswith(
            "http"
        ):
            lead = set(line[max(0, at - 80) : at].lower().split()[-7:])
            if not REPORTING.isdisjoint(lead) and lead.isdisjoint(OWN):
                if line[at + 1 :].strip():
                    return at + 1, ""
                return at + 1, PARAGRAPH if LONG_QUOTES.isdisjoint(lead) else PROMPT
        at = line.find(":", at + 1)
    return len(line), ""


def split(text: str) -> list[Sentence]:
    sentences: list[Sentence] = []
    offset = 0
    current: Sentence | None = None
    heading = ""
    for line in text.split("\n"):
        if line.startswith("#") and _is_heading(line):
            heading = line
            line = ""  # noqa: PLW2901
            offset += len(heading)
        current = _read_line(line, offset, current, sentences, heading)
        offset += len(line) + 1
    if current is not None and current.words:
        sentences.append(current)
    return sentences


def _read_line(
    line: str, offset: int, current: Sentence | None, sentences: list[Sentence], heading: str
) -> Sentence | None:
    """Read a line into sentences; returns the one that the next line may go on with."""
    pieces = line.split()
    is_item = bool(pieces) and _is_bullet(pieces[0])
    if current is not None and (is_item or not pieces or not _goes_on(current, pieces[0])):
        if current.words:
            sentences.append(current)
        current = None
    at = 0
    for i, piece in enumerate(pieces):
        start = line.index(piece, at)
        at = start + len(piece)
        if i == 0 and is_item:
            continue
        if current is None:
            current = Sentence(is_item, heading)
        if _take(current, piece, offset + start) or len(current.words) >= SENTENCE_WORDS:
            sentences.append(current)
            current = None
    return current


def _is_bullet(piece: str) -> bool:
    if piece in ("-", "*", "\u2022", "+", "\u2013"):
        return True
    return len(piece) < 4 and piece[-1] in ".)" and piece[:-1].isalnum() and len(piece) > 1


def _goes_on(sentence: Sentence, piece: str) -> bool:
    """A hard-wrapped line: long before, and the next one begins in lower case."""
    if not sentence.words or sentence.marks[-1] or not piece[0].islower():
        return False
    return sentence.ends[-1] - sentence.starts[0] > 55


def _take(sentence: Sentence, piece: str, start: int) -> bool:
    """Add a piece to the sentence; whether it ends it."""
    if piece in DASHES:
        if sentence.words:
            sentence.marks[-1] += "\u2014"
        return False
    body = piece.lstrip(OPENING)
    lead = len(piece) - len(body)
    bare = body.rstrip(TRAILING)
    if not bare or not (bare[0].isalnum() or bare[-1].isalnum() or GAP in bare):
        if sentence.words:  # dots, an emoji
            sentence.marks[-1] += piece if not bare else "\u2014"
        return bool(sentence.words) and piece[-1] in ".!?"
    if "(" in piece[:lead] and sentence.words:
        sentence.marks[-1] += "("
    mark = body[len(bare) :]
    word = QUOTED if GAP in bare else bare.lower()
    sentence.words.append(SPELLINGS.get(word, word))
    sentence.starts.append(start + lead)
    sentence.ends.append(start + lead + len(bare))
    sentence.marks.append(mark)
    if not mark:
        return False
    if "?" in mark:
        sentence.is_question = True
        return True
    if body.lower() in ABBREVIATIONS:
        return False
    return "." in mark or "!" in mark or ";" in mark or "\u2026" in mark


def spaced(words: list[str]) -> str:
    """Words as text between spaces, with the two-word negations made one."""
    text = f" {' '.join(words)} "
    if " not " in text:
        for two, joined in NEGATIONS:
            text = text.replace(two, joined)
    return text
