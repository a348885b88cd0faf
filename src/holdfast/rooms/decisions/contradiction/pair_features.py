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


def of_subject(held: Reading, said: Reading) -> list[str]:
    """By which two sentences speak of the same."""
    shared = held.yes.keys() & said.yes.keys()
    kinds = held.names.keys() & said.names.keys()
    strong = [kind for kind in kinds if not alternatives.kinds()[kind].is_weak]
    topics = held.topics & said.topics
    heads = {one[:4] for one in held.yes if one not in shared}
    alike = len(heads & {one[:4] for one in said.yes if one not in shared})
    measures = {one.measure for one in held.amounts} & {one.measure for one in said.amounts}
    return [
        f"shared {min(len(shared), 4)}",
        f"of held {_share(shared, held)}",
        f"of said {_share(shared, said)}",
        f"kinds {min(len(strong), 2)}",
        f"weak kinds {min(len(kinds) - len(strong), 2)}",
        f"shaped {min(len(shared & held.shaped), 2)}",
        f"begins {held.order[:1] == said.order[:1]}",
        f"shared {min(len(shared), 3)} kinds {bool(kinds)}",
        f"alike {min(alike, 2)} {min(len(shared), 2)}",
        f"topics {min(len(topics), 4)}",
        f"topics {min(len(topics), 3)} {min(len(shared), 3)}",
        f"of topics {round(4 * len(topics) / max(1, len(held.topics)))}",
        *(f"topic {one}" for one in sorted(topics)),
        *(f"measure {one}" for one in sorted(measures)),
        *(f"both {one}" for one in sorted(shared)),
    ]


def _share(shared: set[str], of: Reading) -> int:
    return round(5 * len(shared) / max(1, len(of.yes)))


def of_breach(held: Reading, said: Reading) -> list[str]:
    """By which a statement that speaks of the same chooses otherwise."""
    shared = held.yes.keys() & said.yes.keys()
    state = _state(held, said, shared)
    signs = _signs(said.plain)
    theme, rest = shared & held.theme, shared - held.theme
    chosen = {one for one in rest if held.yes[one]}
    parts = f"theme {bool(theme)} of {bool(held.theme)} chosen {bool(chosen)}"
    absolute = bool(ABSOLUTE & set(held.tokens))
    found = [
        state,
        parts,
        f"{parts} {state}",
        f"theme {_part(theme, held.theme)}",
        f"chosen {_part(chosen, held.yes.keys() - held.theme)}",
        f"denied {_part(rest - chosen, {one for one in held.yes if not held.yes[one]})}",
        f"{state} absolute {absolute}",
        f"shared {min(len(shared), 4)}",
        f"of held {_share(shared, held)}",
        f"of said {_share(shared, said)}",
        f"length {min(len(said.tokens) // 4, 6)}",
        f"held length {min(len(held.tokens) // 4, 6)}",
        f"capital {said.plain[:1].isupper()} stop {said.plain[-1:]}",
        *(f"sign {name}" for name in signs),
        *(f"sign {name} {state}" for name in signs),
        *(f"held sign {name}" for name in ("only", "no", "all") if SIGNS[name].search(held.plain)),
    ]
    found += _of_names(held, said, shared)
    found += _of_amounts(held, said, signs)
    lead, sort, words = _of_words(said)
    found += [f"lead {lead} {state}", f"leads {sort} {state}"]
    return list(dict.fromkeys([*found, *words]))


@lru_cache(maxsize=16)
def _signs(plain: str) -> list[str]:
    return [name for name, sign in SIGNS.items() if sign.search(plain)]


def _part(shared: set[str], of: Set[str]) -> int:
    return round(4 * len(shared) / len(of)) if of else -1


def _state(held: Reading, said: Reading, shared: set[str]) -> str:
    if any(said.yes[one] and not held.yes[one] for one in shared):
        return "takes up"
    if any(held.yes[one] and not said.yes[one] for one in shared):
        return "gives up"
    return "agrees" if shared else "shares nothing"


def _of_names(held: Reading, said: Reading, shared: set[str]) -> list[str]:
    found = []
    for kind, ours in held.names.items():
        theirs = said.names.get(kind, {})
        weak = " weak" if alternatives.kinds()[kind].is_weak else ""
        for name, yes in theirs.items():
            if name in ours:
                found.append(f"name {ours[name]} {yes}{weak}")
            elif yes and any(ours.values()):
                kept = any(name in theirs for name in ours)
                found.append(f"other name kept {kept}{weak}")
                found.append(f"other name kept {kept} shared {min(len(shared), 2)}")
    new = bool(said.shaped - held.yes.keys())
    if held.shaped:
        still = held.shaped & said.yes.keys()
        found.append(f"shaped kept {bool(still)} new {new}")
        found.append(f"shaped affirmed {any(said.yes[one] for one in still)}")
    else:
        found.append(f"shaped new {new}")
    return found


def of_others(held: Reading, said: Reading) -> list[str]:
    """What one of them has and the other has not: word for word, and each by itself."""
    shared = held.yes.keys() & said.yes.keys()
    few = min(len(shared), 2)
    ours = [one for one in held.yes if one not in shared][:OTHERS]
    theirs = [one for one in said.yes if one not in shared][:OTHERS]
    known = set(held.tokens)
    found = [f"for {a} {b}" for a in ours for b in theirs]
    found += [f"left out {one} {few}" for one in ours]
    found += [f"brought {one} {few}" for one in theirs]
    return found + [f"new {one}" for one in dict.fromkeys(said.tokens) if one not in known]


def _of_amounts(held: Reading, said: Reading, signs: list[str]) -> list[str]:
    if not (held.amounts and said.amounts):
        return [f"amounts {bool(held.amounts)} {bool(said.amounts)}"]
    bound = "most" if AT_MOST.search(held.plain) else ""
    bound = bound or ("least" if AT_LEAST.search(held.plain) else "")
    pairs = [(a, b) for a in held.amounts for b in said.amounts if a.measure == b.measure]
    if any(a.value == b.value for a, b in pairs):
        others = any(a.value != b.value for a, b in pairs)
        return ["amount kept", f"amount kept others {others}", f"amount kept {bound}"]
    found = ["amount of another measure"] if not pairs else []
    for ours, theirs in pairs:
        sort = "count" if ours.measure == COUNT else "measure"
        way = "less" if theirs.value < ours.value else "more"
        found += [f"{sort} other", f"{sort} {bound} {way}"]
        found.append(f"{sort} around {min(len(ours.around & theirs.around), 3)}")
        found += [f"other amount {name}" for name in signs if name in ("stays", "swaps", "tail")]
    if len(held.amounts) == len(said.amounts) == 1:
        found.append("one amount each")
    return found


@lru_cache(maxsize=16)
def _of_words(said: Reading) -> tuple[str, str, list[str]]:
    """The verb that leads, what sort it is of, and the words in ones, twos and threes."""
    words = said.words
    first = [word.lower() for word in PREAMBLE.sub("", said.plain).split()[:2]]
    plain = first[0].strip("`'\".,:;") if first else ""
    lead, sort = stem(plain), LEADS.get(plain, "")
    found = [f"lead {lead}", f"lead {' '.join(first)}", f"leads {sort}"]
    found += [f"word {word}" for word in words]
    found += [f"two {a} {b}" for a, b in pairwise(said.tokens)]
    found += [f"three {a} {b} {c}" for (a, b), (_, c) in pairwise(pairwise(words))]
    return lead, sort, found
