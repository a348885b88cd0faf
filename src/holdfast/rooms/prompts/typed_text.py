"""A person's own words in a prompt, apart from code, logs, quotations and what tools put there.

Laws:
  - what is masked keeps its length: an offset in the masked text is an offset in the prompt;
  - reading is linear in the prompt's length, whatever the prompt is made of;
  - when in doubt, text is not the person's own: a rule that was missed can be said again.
"""

from __future__ import annotations

from holdfast.system.value import Value

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

# What a region is that the person did not type.
CLIENT, COMMAND, LOG, DIFF, CODE = "client", "command", "log", "diff", "code"
REVIEW, TABLE, QUOTATION = "review", "table", "quotation"
LOGGED = frozenset(
    "error errors log logs output printed prints stacktrace trace traceback warning".split()
)

GAP = "\x1a"  # stands for each character of an inline quotation, so that it reads as one word
QUOTED = "\x1a"
PARAGRAPH, PROMPT = "paragraph", "prompt"
COLON_REACH = 2_000  # a colon further into a line introduces nothing
STRAY_TAGS = 50  # closing tags without an opening one, before the rest is taken for text
SENTENCE_WORDS = 120
FIRST_LINES, LAST_LINES = 400, 200  # what is between them was pasted
FIRST_CHARACTERS, LAST_CHARACTERS = 20_000, 10_000  # of a line: what is between them was, too
OWN = frozenset(("i", "rule", "rules", "constraints"))
# "Stick to the following:" brings one's own.
FOLLOWING = frozenset(("following",))
KEEPING = OWN | frozenset("adhere follow keep mind obey observe remember respect stick".split())

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
DIFF_STARTS = ("@@", "diff --git", "+  ", "---", "+++")
CODE_STARTS = ("//", "/*", "*/", "<!--", "-->", "#!", "[")
LOG_STARTS = (
    "$ ", "% ", "\u276f", ">>>", "at ", "Traceback", 'File "', "fatal:", "error:", "Error:",
    "ERROR", "WARN", "INFO", "DEBUG", "FATAL", "warning:", "Warning:", "WARNING", "hint:",
    "npm ERR", "npm WARN", "E   ", "===", "***", "___", "FAIL", "PASS", "error[", "warning[",
    "ok  ", "panic:", "Caused by", "\u251c", "\u2514", "\u2502", "\u2717", "\u2713", "\u2a2f",
    "note:", "remote:", "TypeError", "ValueError",
)  # fmt: skip
ENDS_OF_CODE = ("{", ";", "*/", "\\", "/>")
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
STARTS = (
    (LOG, LOG_STARTS),
    (DIFF, DIFF_STARTS),
    (CODE, CODE_STARTS),
    (QUOTATION, (">",)),
)
SYMBOLS = "{}()[];=<>|\\$#@&^%+"


class Region(Value):
    """A part of a prompt that the person did not type, and what it is."""

    start: int
    end: int
    kind: str


class Sentence:
    """One sentence as words, lower-cased and bare, with what is needed to find them again."""

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
    return read(prompt)[0]


def read(prompt: str) -> tuple[str, list[Region]]:
    """The person's own words, the rest blanked, and which regions the rest is made of. A region
    may lie within another that was recognised after it."""
    regions: list[Region] = []
    opening = prompt[:200].lstrip().lower()
    if _is_unclosed(opening, prompt):
        return " " * len(prompt), [Region(0, len(prompt), CLIENT)]
    raw = prompt.replace("\r", "\n")
    text = raw.replace("\u2019", "'").replace("\x00", " ").replace(GAP, " ")
    text = _without_blocks(text, "```", CODE, regions)
    text = _without_blocks(text, '"""', QUOTATION, regions)
    text = _without_tags(text, regions)
    lines = text.split("\n")
    foreign = _foreign(lines)
    quoted = ""  # what others said goes on to the end of its paragraph, or of the prompt
    kind = QUOTATION  # of what others said
    begun = False
    at = 0  # where the line begins
    for i, whole in enumerate(raw.split("\n")):
        line = lines[i]
        start, at = at, at + len(line) + 1
        if quoted == PARAGRAPH and begun and not whole.strip():
            quoted = ""
        if whole.startswith("#") and not quoted and _is_heading(line):
            continue
        if quoted or foreign[i] or line.lstrip().startswith("#"):
            begun = begun or bool(whole.strip())
            lines[i] = " " * len(line)
            if line.strip():
                regions.append(
                    Region(start, start + len(line), kind if quoted else foreign[i] or CODE)
                )
            if quoted == PROMPT and foreign[i] and whole.strip():
                quoted = PARAGRAPH
            continue
        line = _without_middle(line, start, regions)
        masked = _without_quotations(line, start, regions)
        cut, quoted, kind = _reported(masked)
        begun = False
        if masked[cut:].strip():
            regions.append(Region(start + cut, start + len(masked), kind))
        lines[i] = masked[:cut] + " " * (len(masked) - cut)
    return "\n".join(lines), regions


def _is_heading(line: str) -> bool:
    return line.lstrip("#").startswith(" ") and len(line) < 80


def _is_unclosed(opening: str, prompt: str) -> bool:
    """Output that a tool wrapped in a tag and cut off: the end of the tag is lost."""
    name = opening[1:].split(">", 1)[0] if opening.startswith("<") else ""
    return ("-" in name or "_" in name) and " " not in name and f"</{name}>" not in prompt


def _foreign(lines: list[str]) -> list[str]:
    """What each line is that is not speech, "" for speech; where at least half of a paragraph is
    not, none of it is."""
    kinds: list[str] = []
    first = strange = 0
    beyond = range(FIRST_LINES, len(lines) - LAST_LINES)
    for i, line in enumerate([*lines, ""]):
        bare = "" if i in beyond else line.strip()
        if not bare:
            if strange > 1 and strange * 2 >= i - first:
                # Who pastes below a line of his own ends it with a colon.
                own = not first and not kinds[0] and lines[0].rstrip().endswith(":")
                kind = next(filter(None, kinds[first:]))
                kinds[first + own :] = [each or kind for each in kinds[first + own :]]
            first, strange = i + 1, 0
            kinds.append(LOG)
            continue
        kinds.append(_foreign_kind(line, bare))
        strange += bool(kinds[-1])
    return kinds


def _without_blocks(text: str, fence: str, kind: str, regions: list[Region]) -> str:
    if fence not in text:
        return text
    parts = text.split(fence)
    at = 0
    for i, part in enumerate(parts):
        if i % 2:
            end = min(at + len(part) + len(fence), len(text))
            regions.append(Region(at - len(fence), end, kind))
            parts[i] = _blank(part)
        at += len(part) + len(fence)
    return "   ".join(parts)


def _blank(text: str) -> str:
    return "\n".join(" " * len(line) for line in text.split("\n"))


def _without_tags(text: str, regions: list[Region]) -> str:
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
            regions.append(Region(opened, end + 1, _kind_of_tag(name)))
            begin = end + 1
        else:
            stray += 1
        at = text.find("</", max(begin, at + 2))
    done.append(text[begin:])
    return "".join(done)


def _kind_of_tag(name: str) -> str:
    if name.startswith("command-"):
        return COMMAND
    return CLIENT if "-" in name or "_" in name else CODE


def _foreign_kind(line: str, bare: str) -> str:
    """What a line is that looks like code, output or a quotation; "" when it looks like speech."""
    for kind, starts in STARTS:
        if bare.startswith(starts):
            return kind
    if line.startswith(("    ", "\t")) and bare[0] not in "-*\u20220123456789":
        return CODE
    first = bare.split(None, 1)[0]
    if _is_place(first):
        return LOG
    symbols = sum(map(bare.count, SYMBOLS))
    if symbols * 9 > len(bare) and symbols > 2:
        return TABLE if bare.count("|") > 1 else CODE
    if " <> " in bare or bare.endswith(ENDS_OF_CODE) or bare.startswith(("}", "<", "{")):
        return CODE
    return ""


def _is_place(word: str) -> bool:
    """`src/a.py:12:3:`, `12:30:01`, `2026-01-02T03:04`: how tools begin a line."""
    if word.count(":") > 1 and any(c.isdigit() for c in word):
        return True
    return len(word) > 7 and word[:4].isdigit() and word[4] in "-/"


def _without_middle(line: str, start: int, regions: list[Region]) -> str:
    """The beginning and the end of a very long line: what is between them was pasted."""
    last = len(line) - LAST_CHARACTERS
    if last <= FIRST_CHARACTERS:
        return line
    regions.append(Region(start + FIRST_CHARACTERS, start + last, LOG))
    return line[:FIRST_CHARACTERS] + " " * (last - FIRST_CHARACTERS) + line[last:]


def _without_quotations(line: str, start: int, regions: list[Region]) -> str:
    for opening, closing in PAIRS.items():
        places = []
        at = line.find(opening)
        while at >= 0:
            end = line.find(closing, at + 1)
            if end < 0:
                break
            places.append((at + 1, end))
            at = line.find(opening, end + 1)
        line = _gapped(line, places, start, regions)
    if " '" in line or line[:1] == "'":
        line = _gapped(line, _single_quotations(line), start, regions)
    return line


def _gapped(line: str, places: list[tuple[int, int]], start: int, regions: list[Region]) -> str:
    """Quotations as gaps, all at once: a line may have a hundred thousand of them."""
    pieces = []
    done = 0
    for begin, end in places:
        pieces += [line[done:begin], GAP * (end - begin)]
        regions.append(Region(start + begin, start + end, QUOTATION))
        done = end
    return "".join(pieces) + line[done:] if pieces else line


def _single_quotations(line: str) -> list[tuple[int, int]]:
    places = []
    at = 0 if line[0] == "'" else line.find(" '") + 1
    while 0 <= at < len(line):
        end = line.find("'", at + 1)
        while 0 < end < len(line) - 1 and line[end + 1].isalnum():
            end = line.find("'", end + 1)
        if end < 0 or line[end - 1] == " ":
            break
        places.append((at + 1, end))
        at = line.find(" '", end) + 1 or -1
    return places


def _reported(line: str) -> tuple[int, str, str]:
    """Where somebody else's words begin in a line, how far they go on after it, and what they
    are."""
    at = line.find(":")
    while 0 <= at < COLON_REACH:
        after = line[at + 1 : at + 10]
        if after[:1] in ("", " ") and not after.lstrip().startswith("http"):
            before = line[max(0, at - 80) : at].lower()
            lead = set(before.replace("ever log ", "").split()[-7:])  # "never log" shows no log
            reporting = REPORTING & lead
            if reporting and lead.isdisjoint(KEEPING if reporting == FOLLOWING else OWN):
                kind = QUOTATION if LOGGED.isdisjoint(lead) else LOG
                kind = kind if LONG_QUOTES.isdisjoint(lead) else REVIEW
                if line[at + 1 :].strip():
                    return at + 1, "", kind
                return at + 1, PROMPT if kind == REVIEW else PARAGRAPH, kind
        at = line.find(":", at + 1)
    return len(line), "", QUOTATION


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
