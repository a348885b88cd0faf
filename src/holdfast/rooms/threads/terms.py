"""The words by which a prompt and the work before it find each other.

Laws: the same text gives the same words; what every request has (add, fix, the file) says nothing;
a number of an issue or a pull request is a word of its own.
"""

from __future__ import annotations

from holdfast.rooms.identity.facets import pieces, stem, stems

READ_CAP = 4_000  # characters of a prompt; what is longer is a paste
MESSAGE_CAP = 2_000
MOST = 60  # of a prompt, the first
KEPT = 120  # of one text
NUMBERED = ("issues", "pull", "pulls", "merge_requests", "discussions")
LONGEST_KEY = 6  # letters of a tracker's key
ASKING = frozenset(
    stem(word)
    for word in (
        "please add fix change changes update remove create review check run see implement"
        " implementing following plan context move rename test tests code file files issue issues"
        " problem pull request branch commit commits push merge github gitlab com https http www"
        " investigate analyse analyze like also working changed sure help understand doing done way"
        " start continue line lines function functions method methods improve improvement"
        " summary approach step steps option options currently current existing work show tell"
    ).split()
)
# How a prompt opens that goes on with earlier work.
OPENINGS = (
    *(" go on with", " continue with", " continue the", " carry on with", " pick up the"),
    *(" back to the", " keep going with"),
)
OPENING = 40  # characters
# Branches that many tasks share, by the names that people give them.
SHARED = frozenset(
    "main master dev develop development trunk next staging stable hotfix hotfixes prod production"
    " release head".split()
)


def of_text(text: str, most: int = KEPT) -> list[str]:
    """What a text says, cut small, and the numbers that it names."""
    stemmed = [word for word in stems(pieces(text, READ_CAP), most) if word not in ASKING]
    return [*numbers(text[:READ_CAP]), *stemmed]


def numbers(text: str) -> list[str]:
    """Issues and pull requests: `#7369`, `.../issues/7369`, `ENT-109`."""
    numbered: dict[str, None] = {}
    for piece in text.split():
        parts = piece.strip(".,;:!?()[]<>\"'`").split("/")
        for before, part in zip(["", *parts], parts, strict=False):
            digits = part.lstrip("#").split("#")[0]
            if digits.isdecimal() and (part.startswith("#") or before in NUMBERED):
                numbered[f"#{int(digits)}"] = None
            key, dash, number = part.partition("-")
            if dash and number.isdecimal() and key.isalpha() and 1 < len(key) <= LONGEST_KEY:
                numbered[f"{key.lower()}-{number}"] = None
    return list(numbered)


def goes_on(prompt: str) -> bool:
    """Whether a user says at once that earlier work goes on."""
    opening = f" {prompt[:OPENING].lower()}"
    return any(words in opening for words in OPENINGS)


def is_number(word: str) -> bool:
    return word[-1].isdecimal() and ("#" in word or "-" in word)


def is_shared(branch: str) -> bool:
    """Whether a branch is one that many tasks share, so that being on it says nothing."""
    opening = branch.lower().replace("_", "-").replace("-", "/").split("/")[0]
    return not branch or opening in SHARED or not opening.strip("v.x0123456789")
