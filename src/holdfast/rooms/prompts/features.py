"""Traits of what is said: the features by which a clause or a whole prompt is judged.

A clause is a part of a sentence between punctuation, or from "and don't" on. Its traits are its
words, their neighbours, the classes the words belong to, how it begins, and where it stands. What
each trait weighs lies in `classifier.weights` and is read by `classifier.py`.

Laws: the same words give the same traits; nothing here knows a single prompt.
"""

from __future__ import annotations

from holdfast.rooms.prompts.typed_text import GAP, Sentence, spaced
from holdfast.system.word_endings import undouble, without_ending

CUTTING = frozenset(
    "and but or so then also because plus though although since unless except while instead".split()
)
CUT_BEFORE = frozenset(
    "don't never always no not please keep use make do only without you we i it that this let just"
    " stay leave avoid stop ask put write the if for in until".split()
)
# Begin a clause even where nothing else says so: speech has no commas.
STRONG = frozenset(
    "please don't never always without but only unless instead because until".split()
)
HOLDING = frozenset(
    "and but or so to i you we they it that who which please also just not do must should can could"
    " would will may the a an is are was were be been if when as for of with in on at by".split()
)
# Said before an order, and no part of it.
FILLERS = frozenset(
    "please pls also and but so just ok okay then btw plus oh hey well really again great now yes"
    " alright right cool nice".split()
)

_NEGATIVE = (
    "never don't no not without mustn't shouldn't can't cannot avoid stop won't nobody"
    " nothing isn't aren't doesn't didn't refrain neither nor none"
)
_OTHERS = (
    "they he she it this that these those there its it's that's let's someone everyone"
    " everything something one"
)
_ADVERBS = (
    "also now then just please pls ok okay so well right great good nice cool thanks perfect"
    " yes yeah yep nope hm hmm ah oh hey hi hello and but or maybe perhaps actually finally"
    " next first again still here really alright sure sorry btw fyi however otherwise instead"
    " anyway generally usually normally"
)
_BEFORE = (
    "in on at for with from to of by as about after before into over under between during"
    " until since via per like than when while if because once unless whenever wherever except"
    " though although"
)
_WORK = (
    "add allow alter amend annotate answer ask assume attach begin branch break bring build"
    " bump call catch change check cite close comment commit compile confirm consult copy"
    " cover create declare delete deploy describe disable do document downgrade drop edit"
    " execute explain finish follow force format generate get give go guess hardcode ignore"
    " import include inline install introduce keep leave link lint look make mention merge"
    " mock modify move name open override paste pin plan prefer prefix propose publish pull"
    " push put quote read rebase refactor reformat regenerate release remove rename reply"
    " respond review rewrite run set ship sign silence skip speak squash start stub summarise"
    " summarize suppress swallow tag take tell test think touch translate try type update"
    " upgrade use vendor verify work wrap write"
)
_TASK = (
    "adapt address adjust analyse analyze audit automate backfill batch benchmark bootstrap"
    " clean compare compress compute configure connect consolidate convert debug decouple"
    " dedupe design diagnose document draft eliminate enable encrypt ensure evaluate examine"
    " expand explore export expose extend extract figure filter find fix flatten gather group"
    " guard harden identify implement improve index instrument integrate investigate join kill"
    " limit localize map measure migrate mirror monitor normalize optimise optimize package"
    " parse patch port prepare prevent produce profile protect prototype provide reduce repair"
    " replace reproduce resolve restrict restructure rework rotate scaffold schedule search"
    " secure seed simplify solve speed split stream strip style support swap switch sync teach"
    " tidy trace track trim tune tweak unify validate wire"
)
_PROGRAM = (
    "accept animate append bill block cache charge count crash display download draw email"
    " emit escape evict exit expire fetch fire handle hide highlight load lock log notify"
    " output paginate panic persist play print process prompt raise record redirect refresh"
    " reject reload render require resend reset respawn retry return save scroll send show"
    " sort spawn store throw treat trigger truncate unlock upload warn"
)
_WORK_NOUNS = (
    "abbreviations api apis benchmark benchmarks branches bugfix changes class classes code"
    " comments commits component components config configs constants dependencies dependency"
    " diff docs docstring docstrings emoji emojis endpoint endpoints exceptions feature"
    " features file files fixture fixtures framework frameworks function functions globals"
    " handler handlers helper helpers identifiers imports interface interfaces libraries"
    " library lines linter logs messages method methods migration migrations mocks module"
    " modules package packages patches plugin pr prs prints queries refactoring releases"
    " schema schemas script scripts secrets snapshots specs style styles tests todos types"
    " variables warnings workflow workflows"
)

_CLASSES = {
    "NEG": _NEGATIVE,
    "WH": "what why how where when which who whose whether",
    "YOU": "you u you'll you're your",
    "I": "i i'd i'm i've i'll me my",
    "WE": "we we're we've our us we'll",
    "PRO": _OTHERS,
    "MOD": "must should shall have has need needs ought gotta",
    "AUX": "is are was were be been am do does did had can could will would may might",
    "ALW": "always every each only all whenever",
    "ART": "the a an some any both another their",
    "P": _BEFORE,
    "ADV": _ADVERBS,
    "WV": _WORK,
    "PV": _PROGRAM,
    "TV": _TASK,
    "WN": _WORK_NOUNS,
}
CLASSES: dict[str, str] = {}
for _name, _words in _CLASSES.items():
    for _word in _words.split():
        CLASSES.setdefault(_word, _name)
# Of a whole sentence only such words are a trait of its clauses.
TELLING = frozenset(
    word for word, name in CLASSES.items() if name not in ("WV", "PV", "TV", "WN")
) | frozenset("ever from general project repo codebase rule policy anymore forever".split())

ORDERING = frozenset("never always don't mustn't".split())
MOMENTARY = frozenset("yet now moment today think assume mind worry bother know".split())

# Of a word's endings the first that fits goes, and what stands in its place.
ENDINGS = (
    *(("ations", "", 3), ("ation", "", 3), ("ings", "", 3), ("ing", "", 3), ("ies", "y", 3)),
    *(("ied", "y", 3), ("edly", "", 3), ("ed", "", 3), ("ers", "", 3), ("er", "", 3)),
    *(("ly", "", 3), ("es", "", 3), ("s", "", 3), ("e", "", 3)),
)
APART = 4  # how far apart two words may stand and still be a pair
SIZES = (2, 3, 4, 6, 8, 12, 20, 40, 80)


class Part:
    """A clause: its place in the prompt, its words, and the sentence around it."""

    __slots__ = (
        "after",
        "before",
        "end",
        "first",
        "is_last",
        "mark",
        "place",
        "sentence",
        "start",
        "words",
    )

    def __init__(self, sentence: Sentence, first: int, last: int) -> None:
        self.sentence = sentence
        self.first = first
        self.start = sentence.starts[first]
        self.end = sentence.ends[last]
        self.words = plain(sentence.words[first : last + 1])
        self.mark = sentence.marks[last]
        self.place = 0
        self.is_last = False
        self.before: list[str] = []  # the clause before it in its sentence
        self.after: list[str] = []


def plain(words: list[str]) -> list[str]:
    """Words as traits know them: names, numbers and paths by their kind alone."""
    return [_kind(word) for word in spaced(words).split()]


def _kind(word: str) -> str:
    if word.isalpha() or "'" in word:
        return word
    if GAP in word:
        return "QUOTE"
    if any(map(str.isdigit, word)):
        return "NUM" if word.strip("%.").replace(".", "").isdigit() else "ID"
    if "/" in word:
        return "PATH"
    return "ID" if "_" in word or "." in word or ":" in word else word


def class_of(word: str) -> str:
    known = CLASSES.get(word)
    if known or word.isupper():
        return known or word
    if word.endswith("ing") and len(word) > 5:
        return "ING"
    if word.endswith("ed") and len(word) > 4:
        return "ED"
    if word.endswith("ly") and len(word) > 4:
        return "ADV"
    return "S" if word.endswith("s") and len(word) > 3 else "X"


def stem(word: str) -> str:
    """A word without its ending, roughly: stays, staying and stayed are one."""
    if len(word) < 4 or not word.isalpha() or word.isupper():
        return word
    return undouble(without_ending(word, ENDINGS), but="ls")


def cut(sentence: Sentence) -> list[Part]:
    """A sentence as clauses; a single word such as "please" belongs to what follows it."""
    words, marks = sentence.words, sentence.marks
    ends = [i for i in range(len(words)) if _ends(words, marks, i)]
    parts: list[Part] = []
    first = 0
    for last in ends:
        if first == last and last < len(words) - 1 and CLASSES.get(words[last]) == "ADV":
            continue
        parts.append(Part(sentence, first, last))
        first = last + 1
    for place, part in enumerate(parts):
        part.place = place
        part.is_last = place == len(parts) - 1
        if place:
            part.before = parts[place - 1].words
            parts[place - 1].after = part.words
    return parts


def _ends(words: list[str], marks: list[str], i: int) -> bool:
    if i == len(words) - 1 or any(mark in marks[i] for mark in ",;:\u2014()"):
        return True
    if i + 2 >= len(words):
        return False
    if words[i + 1] in STRONG and words[i] not in HOLDING:
        return True
    if words[i + 1] == "make" and words[i + 2] == "sure":
        return True
    if words[i + 1] not in CUTTING:
        return False
    return words[i + 2] in CUT_BEFORE or words[i + 2].endswith("n't")


def of_part(part: Part, place: int, sentences: int) -> list[str]:
    """The traits of a clause; `place` is its sentence's among the prompt's."""
    words = part.words
    classes = [class_of(word) for word in words]
    traits = [f"w {word}" for word in words]
    w, c = ["<", *words, ">"], ["<", *classes, ">"]
    for i in range(len(w) - 1):
        traits.append(f"b {w[i]} {w[i + 1]}")
        traits.append(f"B {c[i]} {c[i + 1]}")
        traits.append(f"m {w[i]} {c[i + 1]}")
        traits.append(f"M {c[i]} {w[i + 1]}")
    for i in range(len(w) - 2):
        traits.append(f"t {w[i]} {w[i + 1]} {w[i + 2]}")
        traits.append(f"T {c[i]} {c[i + 1]} {c[i + 2]}")
    traits += _stems(words)
    traits += beginning(words, classes, "")
    traits += _standing(part, place, sentences)
    if "NEG" in classes:
        at = classes.index("NEG")
        traits.append(f"neg {min(at, 4)}")
        traits.append(f"neg {words[at]} {c[at + 2]}")
    return list(dict.fromkeys(traits))


def _stems(words: list[str]) -> list[str]:
    """Words without their endings, alone and in pairs, neighbours or a little apart."""
    stems = [stem(word) for word in words]
    edged = ["<", *stems, ">"]
    traits = [f"s {root}" for root in stems]
    traits += [f"sb {edged[i]} {edged[i + 1]}" for i in range(len(edged) - 1)]
    for i, root in enumerate(stems):
        traits += [f"sk {root} {other}" for other in stems[i + 2 : i + 1 + APART]]
    return traits


def of_sentence(parts: list[list[Part]], place: int, share: int) -> list[str]:
    """The traits of a whole sentence, with its neighbours and the shape of the prompt around it."""
    sentence = parts[place][0].sentence
    words = plain(sentence.words)
    classes = [class_of(word) for word in words]
    w, c = ["<", *words, ">"], ["<", *classes, ">"]
    traits = [f"w {word}" for word in words]
    traits += [f"b {w[i]} {w[i + 1]}" for i in range(len(w) - 1)]
    traits += [f"T {c[i]} {c[i + 1]} {c[i + 2]}" for i in range(len(c) - 2)]
    traits += _stems(words)
    traits += beginning(words, classes, "")
    traits.append("question" if sentence.is_question else "no question")
    for mark, near in (("p", parts[place - 1 : place]), ("n", parts[place + 1 : place + 2])):
        heard = [word for clauses in near for part in clauses for word in part.words]
        traits += [f"{mark} {word}" for word in heard or ["none"]]
    asked = [clauses[0].sentence.is_question for clauses in parts]
    size = sum(len(part.words) for clauses in parts for part in clauses)
    traits += [f"share {share}", f"long {min(size // 12, 9)}", f"sentences {min(len(parts), 6)}"]
    traits += ["asked"] * any(asked) + ["asked last"] * asked[-1]
    traits.append(f"first {' '.join(parts[0][0].words[:2])}")
    return list(dict.fromkeys(traits))


def is_order(part: Part) -> bool:
    """The plain form: never, always or don't, and something that agents do."""
    words = part.words
    i = 0
    while i < len(words) - 1 and (words[i] in FILLERS or words[i] == "you"):
        i += 1
    if part.sentence.is_question or words[i] not in ORDERING or MOMENTARY & set(words):
        return False
    after = [word for word in words[i + 1 :] if word != "ever"][:1]
    return bool(after) and CLASSES.get(after[0]) == "WV"


def beginning(words: list[str], classes: list[str], mark: str) -> list[str]:
    """How it begins, less what is said before an order."""
    i = 0
    while i < len(words) - 1 and words[i] in FILLERS:
        i += 1
    w, c = [*words[i : i + 3], "", ""], [*classes[i : i + 3], "", ""]
    traits = [f"{mark}1 {w[0]}", f"{mark}C1 {c[0]}"]
    if w[1]:
        traits += [f"{mark}2 {w[0]} {w[1]}", f"{mark}C2 {c[0]} {c[1]}", f"{mark}m2 {w[0]} {c[1]}"]
    if w[2]:
        traits += [f"{mark}C3 {c[0]} {c[1]} {c[2]}", f"{mark}m3 {w[0]} {c[1]} {c[2]}"]
    if i:
        traits.append(f"{mark}lead {words[i - 1]}")
    return traits


def _standing(part: Part, place: int, sentences: int) -> list[str]:
    """Where a clause stands: in its sentence, and its sentence in the prompt."""
    sentence = part.sentence
    around = plain(sentence.words)
    traits = [f"size {min(len(part.words), 12) // 2}", f"place {min(part.place, 2)}"]
    traits.append("last" if part.is_last else "not last")
    where = "mid"
    if sentences == 1:
        where = "only"
    elif place in (0, sentences - 1):
        where = "last" if place else "first"
    traits.append(f"sentence {where}")
    traits += [f"mark {mark}" for mark in part.mark]
    if sentence.is_question:
        traits += ["question", f"question {around[0]}"]
    if sentence.is_item:
        traits.append("item")
    if sentence.heading:
        traits.append("heading")
    traits += [f"S1 {around[0]}", f"SC {class_of(around[0])}"]
    traits += [f"S {word}" for word in around if word in TELLING]
    traits += [f"Ss {stem(word)}" for word in around]
    if part.before:
        traits += [f"p {part.before[0]}", f"p- {part.before[-1]}", f"pC {class_of(part.before[0])}"]
    if part.after:
        traits += [f"n {part.after[0]}", f"nC {class_of(part.after[0])}"]
    return traits


def of_prompt(parts: list[list[Part]], share: int) -> list[str]:
    """The traits of a whole prompt, cut into clauses by sentence; `share` is how much of it is
    the person's own words, in quarters."""
    traits = [f"share {share}"]
    size = sum(len(part.words) for clauses in parts for part in clauses)
    traits += [f"size {least}" for least in SIZES if size >= least]
    traits.append(f"sentences {min(len(parts), 6)}")
    asked = [clauses[0].sentence.is_question for clauses in parts]
    traits += ["asked"] * any(asked) + ["only asked"] * all(asked)
    traits += ["heading"] * any(clauses[0].sentence.heading for clauses in parts)
    traits += ["items"] * (sum(clauses[0].sentence.is_item for clauses in parts) > 1)
    for i, clauses in enumerate(parts):
        mark = "?" if clauses[0].sentence.is_question else ""
        for part in clauses:
            words = part.words
            classes = [class_of(word) for word in words]
            begun = beginning(words, classes, mark)
            traits += begun
            if not i and not part.place:
                traits += [f"first {trait}" for trait in begun]
            traits += [f"w {word}" for word in words]
            w, c = ["<", *words, ">"], ["<", *classes, ">"]
            traits += [f"b {w[j]} {w[j + 1]}" for j in range(len(w) - 1)]
            traits += [f"T {c[j]} {c[j + 1]} {c[j + 2]}" for j in range(len(c) - 2)]
            traits += _stems(words)
            if len(words) <= 4:
                traits.append(f"whole {' '.join(words)}")
    return list(dict.fromkeys(traits))
