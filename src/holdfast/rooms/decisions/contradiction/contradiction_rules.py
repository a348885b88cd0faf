"""What can be told by rule: another name of the same kind, another amount, a no against a yes.

The same thing must be spoken of, and another choice made. A restatement, a refinement, a thing
more, another part, a narrower case of what was not said of all, a question and a memory are none.
The rules know the wordings of one author: by themselves they are wrong in one of three of others',
so `fork_judgement.py` asks the weights as well.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from holdfast.rooms.decisions.contradiction import alternatives
from holdfast.rooms.decisions.contradiction.claim import Claim, Clause, read
from holdfast.rooms.decisions.contradiction.quantity import LABELLED, Amount
from holdfast.rooms.decisions.contradiction.stems import ACTS, stem, stems_of

__all__ = ["differs"]

_read = lru_cache(maxsize=4096)(read)


OPPOSING = ("un", "in", "im", "ir", "non", "dis", "de", "anti")
AT_MOST = stem("atmost")
OPPOSED = (
    ("read", "writ"), ("upload", "download"), ("import", "export"), ("input", "output"),
    ("incoming", "outgoing"), ("public", "privat"), ("old", "new"), ("staging", "production"),
    ("development", "production"), ("stor", "show"), ("stor", "display"), ("kept", "show"),
    ("intern", "extern"), ("unit", "brows"), ("admin", "public"),
)  # fmt: skip


def differs(decision: str, statement: str) -> str:
    """In what a statement differs from a decision by rule, "" when in nothing."""
    held, stated = _read(decision), _read(statement)
    if held.is_moot or stated.is_moot or _opposed(held, stated):
        return ""
    return (
        _another_name(held, stated)
        or _another_amount(held, stated)
        or _a_no_for_a_yes(held, stated)
        or _another_value(held, stated)
        or _another_role(held, stated)
        or _another_use(held, stated)
        or _another_word(held, stated)
    )


def _opposed(held: Claim, stated: Claim) -> bool:
    """Whether they speak of two things that come in pairs: uploads here, downloads there."""
    ours, theirs = held.words - stated.words, stated.words - held.words
    return any((a in ours and b in theirs) or (b in ours and a in theirs) for a, b in OPPOSED)


# Names


def _another_name(held: Claim, stated: Claim) -> str:
    for kind in sorted(held.chosen.keys() | held.denied.keys()):
        if not _same_subject(held, stated, kind):
            continue
        ours, theirs = held.chosen.get(kind, frozenset()), stated.chosen.get(kind, frozenset())
        taken_up = theirs & held.denied.get(kind, frozenset())
        given_up = ours & stated.denied.get(kind, frozenset())
        if taken_up:
            return f"takes up {_list(taken_up)}, which the decision rules out"
        if given_up and not _of_other_versions(held, stated):
            return f"gives up {_list(given_up)}, which the decision chose"
        is_more = stated.denied.get(kind) or (stated.is_additive and not held.is_universal)
        if ours and theirs and not ours & theirs and not is_more:
            return f"chooses {_list(theirs)} where the decision chose {_list(ours)}"
    return ""


def _of_other_versions(held: Claim, stated: Claim) -> bool:
    ours, theirs = ({amount.value for amount in claim.amounts} for claim in (held, stated))
    return bool(ours and theirs and not ours & theirs)


def _list(names: frozenset[str]) -> str:
    return " and ".join(sorted(names))


def _same_subject(held: Claim, stated: Claim, kind: int) -> bool:
    """Whether two claims choose for one thing. Words for the kind itself ("database") and of mere
    use say little: two claims that have nothing else in common must have them in common."""
    about = stems_of(alternatives.kinds()[kind].words)
    ours = held.subject - stems_of(ACTS) - held.names_of(kind)
    theirs = stated.subject - stems_of(ACTS) - stated.names_of(kind)
    shared = ours & theirs
    everyday = alternatives.kinds()[kind].is_weak
    around, around_theirs = (claim.subject - claim.names_of(kind) for claim in (held, stated))
    if everyday and not around & around_theirs:
        return False
    if not shared and ours & about and theirs & about:
        return False
    if not (shared or not ours or not theirs):
        return ours <= about and theirs <= about
    return _agree(ours - about, theirs - about, stated, held.is_universal)


def _agree(ours: frozenset[str], theirs: frozenset[str], stated: Claim, is_universal: bool) -> bool:
    """Whether two sets of words speak of one thing: neither has what the other lacks, or only one
    has more, and not as a narrower case of the other's."""
    ours, theirs = ours - {AT_MOST}, theirs - {AT_MOST}
    if theirs - ours and ours - theirs:
        return False
    if not theirs - ours:
        return True
    common = ours & theirs
    return is_universal or bool(common and not _narrows(stated.stems, common, theirs - ours))


def _narrows(stems: tuple[str, ...], common: frozenset[str], more: frozenset[str]) -> bool:
    more -= stems_of(ACTS)
    return any(before in more and after in common for before, after in pairwise(stems))


def _another_value(held: Claim, stated: Claim) -> str:
    """Names that no table knows: each claim has one, in the same role, and all else is one."""
    if len(held.slots) != 1 or len(stated.slots) != 1 or stated.is_additive:
        return ""
    (role, ours), (other_role, theirs) = held.slots[0], stated.slots[0]
    if role != other_role or stem(ours) in stated.words or stem(theirs) in held.words:
        return ""
    mine, others = held.subject - {stem(ours)}, stated.subject - {stem(theirs)}
    if not others - stems_of(ACTS) or not others <= mine:
        return ""
    return f"chooses {theirs} where the decision chose {ours}"


def _another_role(held: Claim, stated: Claim) -> str:
    """Something else after the same preposition, where all the other words are the same."""
    if stated.is_additive and not held.is_universal:
        return ""
    for role, ours in held.roles:
        for other, theirs in stated.roles:
            mine, others = held.subject - set(ours), stated.subject - set(theirs)
            # "in" says where as often as how: only what is done in one way is done in another.
            if role == "in" and not (
                mine & others & stems_of(ACTS) and len(ours) == len(theirs) == 1
            ):
                continue
            if (
                role == other
                and mine == others
                and (mine - stems_of(ACTS) or stem("only") in held.words)
                and len(ours) < 3 > len(theirs)
                and not (set(ours) <= set(theirs) or set(theirs) <= set(ours))
            ):
                words, held_words = stated.as_spelt(theirs), held.as_spelt(ours)
                return f"says {words} where the decision says {held_words}"
    return ""


def _another_use(held: Claim, stated: Claim) -> str:
    """Something else that is used for the very same."""
    if stated.is_additive and not held.is_universal:
        return ""
    if held.chosen and stated.chosen and not held.chosen.keys() & stated.chosen.keys():
        return ""  # things of two kinds go together: a framework here, a format there
    acts = stems_of(ACTS)
    for what, ours in held.uses:
        for other, theirs in stated.uses:
            is_same = bool(what - acts) and what - acts == other - acts
            if is_same and not (ours <= theirs or theirs <= ours or theirs & held.subject):
                used = (stated.as_spelt(sorted(theirs)), held.as_spelt(sorted(ours)))
                return "uses {} where the decision uses {}".format(*used)
    return ""


def _another_word(held: Claim, stated: Claim) -> str:
    """One word exchanged: for its opposite, or for another where only the first is meant."""
    ours, theirs = held.subject - stated.subject, stated.subject - held.subject
    if len(ours) != 1 or len(theirs) != 1 or not held.subject & stated.subject:
        return ""
    (mine,), (other,) = ours, theirs
    one_way = all(clause.is_yes for clause in (*held.clauses, *stated.clauses))
    is_opposite = any(f"{no}{mine}" == other or mine == f"{no}{other}" for no in OPPOSING)
    is_excluded = mine in held.only and len(held.subject & stated.subject) > 1
    if one_way and (is_opposite or is_excluded):
        return f"says {stated.as_spelt([other])} where the decision says {held.as_spelt([mine])}"
    return ""


# Amounts


def _another_amount(held: Claim, stated: Claim) -> str:
    for ours in held.amounts:
        same = [amount for amount in stated.amounts if _comparable(ours, amount, held)]
        if not same or any(amount.value == ours.value for amount in same):
            continue
        ignored = stems_of(ACTS)
        if not (held.subject - ignored) & (stated.subject - ignored):
            ignored = frozenset() if ours.dimension not in LABELLED else ignored
        units = {stem(ours.unit), *(stem(amount.unit) for amount in same)}
        mine, theirs = held.subject - ignored, stated.subject - ignored
        mine, theirs = mine - (units - theirs), theirs - (units - mine)
        if (mine & theirs or not mine | theirs) and _agree(mine, theirs, stated, held.is_universal):
            return f"says {same[0].spelt} where the decision says {ours.spelt}"
    return ""


def _comparable(ours: Amount, other: Amount, held: Claim) -> bool:
    if other.dimension != ours.dimension:
        return False
    if not other.unit or other.unit == ours.unit or other.unit in ("character", "char"):
        return True
    return not ours.unit and stem(other.unit) in held.subject


# Yes and no


def _a_no_for_a_yes(held: Claim, stated: Claim) -> str:
    if _of_other_versions(held, stated):
        return ""
    for ours in held.clauses:
        for theirs in stated.clauses:
            if ours.is_yes != theirs.is_yes and _denies(ours, theirs, held, stated):
                verdict = ("yes", "no") if theirs.is_yes else ("no", "yes")
                return "says {} where the decision says {}".format(*verdict)
    return ""


def _denies(ours: Clause, theirs: Clause, held: Claim, stated: Claim) -> bool:
    common = ours.subject & theirs.subject
    if not common:
        return False
    if not ours.is_yes:
        if ours.measures or not (ours.is_plain or theirs.affirms):
            return False
        missing = ours.subject - theirs.subject - (stated.words - stated.subject)
        more = theirs.subject - ours.subject
        return not missing or (len(common) > 2 and len(missing) == 1 and not more)
    more = theirs.subject - ours.subject - (held.words - held.subject)
    if AT_MOST in held.words:
        more -= {stem("limit")}
    if not more:
        # A lone word that is denied in passing says nothing about the decision.
        return (
            len(common) > 1
            or len(held.subject & stated.subject) > 1
            or not stated.subject - held.subject - stems_of(ACTS)
        )
    return (
        len(ours.subject) > 1
        and ours.subject <= theirs.subject
        and (held.is_universal or not _narrows(theirs.stems, common, more))
    )
