"""Traits of a decision and a statement: by which it is judged whether both speak of the same, and
whether the statement breaks the decision. What a trait weighs lies in `forks.weights`.

Laws: the same words give the same traits; nothing here knows a single pair.
"""

from __future__ import annotations

from collections.abc import Set
from functools import lru_cache
from itertools import pairwise

from holdfast.rooms.decisions.contradiction import alternatives
from holdfast.rooms.decisions.contradiction.cues import (
    ABSOLUTE,
    AT_LEAST,
    AT_MOST,
    LEADS,
    PREAMBLE,
    SIGNS,
)
from holdfast.rooms.decisions.contradiction.sentence import COUNT, Reading
from holdfast.rooms.decisions.contradiction.stems import stem

OTHERS = 24  # words of a sentence that are put beside each of the other's


def of_subject(held: Reading, stated: Reading) -> list[str]:
    """By which two sentences speak of the same."""
    shared = held.yes.keys() & stated.yes.keys()
    kinds = held.names.keys() & stated.names.keys()
    strong = [kind for kind in kinds if not alternatives.kinds()[kind].is_weak]
    topics = held.topics & stated.topics
    heads = {word[:4] for word in held.yes if word not in shared}
    alike = len(heads & {word[:4] for word in stated.yes if word not in shared})
    measures = {a.measure for a in held.amounts} & {b.measure for b in stated.amounts}
    return [
        f"shared {min(len(shared), 4)}",
        f"of held {_share(shared, held)}",
        f"of said {_share(shared, stated)}",
        f"kinds {min(len(strong), 2)}",
        f"weak kinds {min(len(kinds) - len(strong), 2)}",
        f"shaped {min(len(shared & held.shaped), 2)}",
        f"begins {held.order[:1] == stated.order[:1]}",
        f"shared {min(len(shared), 3)} kinds {bool(kinds)}",
        f"alike {min(alike, 2)} {min(len(shared), 2)}",
        f"topics {min(len(topics), 4)}",
        f"topics {min(len(topics), 3)} {min(len(shared), 3)}",
        f"of topics {round(4 * len(topics) / max(1, len(held.topics)))}",
        *(f"topic {topic}" for topic in sorted(topics)),
        *(f"measure {measure}" for measure in sorted(measures)),
        *(f"both {word}" for word in sorted(shared)),
    ]


def _share(shared: set[str], of: Reading) -> int:
    return round(5 * len(shared) / max(1, len(of.yes)))


def of_breach(held: Reading, stated: Reading) -> list[str]:
    """By which a statement that speaks of the same chooses otherwise."""
    shared = held.yes.keys() & stated.yes.keys()
    state = _state(held, stated, shared)
    signs = _signs(stated.plain)
    theme, rest = shared & held.theme, shared - held.theme
    chosen = {word for word in rest if held.yes[word]}
    parts = f"theme {bool(theme)} of {bool(held.theme)} chosen {bool(chosen)}"
    absolute = bool(ABSOLUTE & set(held.tokens))
    traits = [
        state,
        parts,
        f"{parts} {state}",
        f"theme {_part(theme, held.theme)}",
        f"chosen {_part(chosen, held.yes.keys() - held.theme)}",
        f"denied {_part(rest - chosen, {word for word in held.yes if not held.yes[word]})}",
        f"{state} absolute {absolute}",
        f"shared {min(len(shared), 4)}",
        f"of held {_share(shared, held)}",
        f"of said {_share(shared, stated)}",
        f"length {min(len(stated.tokens) // 4, 6)}",
        f"held length {min(len(held.tokens) // 4, 6)}",
        f"capital {stated.plain[:1].isupper()} stop {stated.plain[-1:]}",
        *(f"sign {name}" for name in signs),
        *(f"sign {name} {state}" for name in signs),
        *(f"held sign {name}" for name in ("only", "no", "all") if SIGNS[name].search(held.plain)),
    ]
    traits += _of_names(held, stated, shared)
    traits += _of_amounts(held, stated, signs)
    lead, sort, words = _of_words(stated)
    traits += [f"lead {lead} {state}", f"leads {sort} {state}"]
    return list(dict.fromkeys([*traits, *words]))


@lru_cache(maxsize=16)
def _signs(plain: str) -> list[str]:
    return [name for name, sign in SIGNS.items() if sign.search(plain)]


def _part(shared: set[str], of: Set[str]) -> int:
    return round(4 * len(shared) / len(of)) if of else -1


def _state(held: Reading, stated: Reading, shared: set[str]) -> str:
    if any(stated.yes[word] and not held.yes[word] for word in shared):
        return "takes up"
    if any(held.yes[word] and not stated.yes[word] for word in shared):
        return "gives up"
    return "agrees" if shared else "shares nothing"


def _of_names(held: Reading, stated: Reading, shared: set[str]) -> list[str]:
    traits = []
    for kind, ours in held.names.items():
        theirs = stated.names.get(kind, {})
        weak = " weak" if alternatives.kinds()[kind].is_weak else ""
        for name, yes in theirs.items():
            if name in ours:
                traits.append(f"name {ours[name]} {yes}{weak}")
            elif yes and any(ours.values()):
                kept = any(name in theirs for name in ours)
                traits.append(f"other name kept {kept}{weak}")
                traits.append(f"other name kept {kept} shared {min(len(shared), 2)}")
    new = bool(stated.shaped - held.yes.keys())
    if held.shaped:
        still = held.shaped & stated.yes.keys()
        traits.append(f"shaped kept {bool(still)} new {new}")
        traits.append(f"shaped affirmed {any(stated.yes[word] for word in still)}")
    else:
        traits.append(f"shaped new {new}")
    return traits


def of_others(held: Reading, stated: Reading) -> list[str]:
    """What one of them has and the other has not: word for word, and each by itself."""
    shared = held.yes.keys() & stated.yes.keys()
    few = min(len(shared), 2)
    ours = [word for word in held.yes if word not in shared][:OTHERS]
    theirs = [word for word in stated.yes if word not in shared][:OTHERS]
    known = set(held.tokens)
    traits = [f"for {a} {b}" for a in ours for b in theirs]
    traits += [f"left out {word} {few}" for word in ours]
    traits += [f"brought {word} {few}" for word in theirs]
    return traits + [f"new {word}" for word in dict.fromkeys(stated.tokens) if word not in known]


def _of_amounts(held: Reading, stated: Reading, signs: list[str]) -> list[str]:
    if not (held.amounts and stated.amounts):
        return [f"amounts {bool(held.amounts)} {bool(stated.amounts)}"]
    bound = "most" if AT_MOST.search(held.plain) else ""
    bound = bound or ("least" if AT_LEAST.search(held.plain) else "")
    pairs = [(a, b) for a in held.amounts for b in stated.amounts if a.measure == b.measure]
    if any(a.value == b.value for a, b in pairs):
        others = any(a.value != b.value for a, b in pairs)
        return ["amount kept", f"amount kept others {others}", f"amount kept {bound}"]
    traits = ["amount of another measure"] if not pairs else []
    for ours, theirs in pairs:
        sort = "count" if ours.measure == COUNT else "measure"
        way = "less" if theirs.value < ours.value else "more"
        traits += [f"{sort} other", f"{sort} {bound} {way}"]
        traits.append(f"{sort} around {min(len(ours.around & theirs.around), 3)}")
        traits += [f"other amount {name}" for name in signs if name in ("stays", "swaps", "tail")]
    if len(held.amounts) == len(stated.amounts) == 1:
        traits.append("one amount each")
    return traits


@lru_cache(maxsize=16)
def _of_words(stated: Reading) -> tuple[str, str, list[str]]:
    """The verb that leads, what sort it is of, and the words in ones, twos and threes."""
    words = stated.words
    first = [word.lower() for word in PREAMBLE.sub("", stated.plain).split()[:2]]
    plain = first[0].strip("`'\".,:;") if first else ""
    lead, sort = stem(plain), LEADS.get(plain, "")
    traits = [f"lead {lead}", f"lead {' '.join(first)}", f"leads {sort}"]
    traits += [f"word {word}" for word in words]
    traits += [f"two {a} {b}" for a, b in pairwise(stated.tokens)]
    traits += [f"three {a} {b} {c}" for (a, b), (_, c) in pairwise(pairwise(words))]
    return lead, sort, traits
