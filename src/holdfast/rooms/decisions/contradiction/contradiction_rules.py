"""What can be told by rule: another name of the same kind, another amount, a no against a yes.

The same thing must be spoken of, and another choice made. A restatement, a refinement, a thing
more, another part, a narrower case of what was not said of all, a question and a memory are none.
The rules know the wordings of one author: by themselves they are wrong in one of three of others',
so `fork.py` asks the weights as well.
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
    held, said = _read(decision), _read(statement)
    if held.is_moot or said.is_moot or _opposed(held, said):
        return ""
    return (
        _another_name(held, said)
        or _another_amount(held, said)
        or _a_no_for_a_yes(held, said)
        or _another_value(held, said)
        or _another_role(held, said)
        or _another_use(held, said)
        or _another_word(held, said)
    )


def _opposed(held: Claim, said: Claim) -> bool:
    """Whether they speak of two things that come in pairs: uploads here, downloads there."""
    ours, theirs = held.words - said.words, said.words - held.words
    return any((a in ours and b in theirs) or (b in ours and a in theirs) for a, b in OPPOSED)


# Names


def _another_name(held: Claim, said: Claim) -> str:
    for kind in sorted(held.chosen.keys() | held.denied.keys()):
        if not _same_subject(held, said, kind):
            continue
        ours, theirs = held.chosen.get(kind, frozenset()), said.chosen.get(kind, frozenset())
        taken_up = theirs & held.denied.get(kind, frozenset())
        given_up = ours & said.denied.get(kind, frozenset())
        if taken_up:
            return f"takes up {_list(taken_up)}, which the decision rules out"
        if given_up and not _of_other_versions(held, said):
            return f"gives up {_list(given_up)}, which the decision chose"
        is_more = said.denied.get(kind) or (said.is_additive and not held.is_universal)
        if ours and theirs and not ours & theirs and not is_more:
            return f"chooses {_list(theirs)} where the decision chose {_list(ours)}"
    return ""


def _of_other_versions(held: Claim, said: Claim) -> bool:
    ours, theirs = ({one.value for one in claim.amounts} for claim in (held, said))
    return bool(ours and theirs and not ours & theirs)


def _list(names: frozenset[str]) -> str:
    return " and ".join(sorted(names))


def _same_subject(held: Claim, said: Claim, kind: int) -> bool:
    """Whether two claims choose for one thing. Words for the kind itself ("database") and of mere
    use say little: two claims that have nothing else in common must have them in common."""
    about = stems_of(alternatives.kinds()[kind].words)
    ours = held.subject - stems_of(ACTS) - held.names_of(kind)
    theirs = said.subject - stems_of(ACTS) - said.names_of(kind)
    shared = ours & theirs
    everyday = alternatives.kinds()[kind].is_weak
    if everyday and not (held.subject - held.names_of(kind)) & (said.subject - said.names_of(kind)):
        return False
    if not shared and ours & about and theirs & about:
        return False
    if not (shared or not ours or not theirs):
        return ours <= about and theirs <= about
    return _agree(ours - about, theirs - about, said, held.is_universal)


def _agree(ours: frozenset[str], theirs: frozenset[str], said: Claim, is_universal: bool) -> bool:
    """Whether two sets of words speak of one thing: neither has what the other lacks, or only one
    has more, and not as a narrower case of the other's."""
    ours, theirs = ours - {AT_MOST}, theirs - {AT_MOST}
    if theirs - ours and ours - theirs:
        return False
    if not theirs - ours:
        return True
    common = ours & theirs
    return is_universal or bool(common and not _narrows(said.stems, common, theirs - ours))


def _narrows(stems: tuple[str, ...], common: frozenset[str], more: frozenset[str]) -> bool:
    more -= stems_of(ACTS)
    return any(before in more and after in common for before, after in pairwise(stems))


def _another_value(held: Claim, said: Claim) -> str:
    """Names that no table knows: each claim has one, in the same role, and all else is one."""
    if len(held.slots) != 1 or len(said.slots) != 1 or said.is_additive:
        return ""
    (role, ours), (other_role, theirs) = held.slots[0], said.slots[0]
    if role != other_role or stem(ours) in said.words or stem(theirs) in held.words:
        return ""
    mine, others = held.subject - {stem(ours)}, said.subject - {stem(theirs)}
    if not others - stems_of(ACTS) or not others <= mine:
        return ""
    return f"chooses {theirs} where the decision chose {ours}"


def _another_role(held: Claim, said: Claim) -> str:
    """Something else after the same preposition, where all the other words are the same."""
    if said.is_additive and not held.is_universal:
        return ""
    for role, ours in held.roles:
        for other, theirs in said.roles:
            mine, others = held.subject - set(ours), said.subject - set(theirs)
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
                return f"says {said.told(theirs)} where the decision says {held.told(ours)}"
    return ""


def _another_use(held: Claim, said: Claim) -> str:
    """Something else that is used for the very same."""
    if said.is_additive and not held.is_universal:
        return ""
    if held.chosen and said.chosen and not held.chosen.keys() & said.chosen.keys():
        return ""  # things of two kinds go together: a framework here, a format there
    acts = stems_of(ACTS)
    for what, ours in held.uses:
        for other, theirs in said.uses:
            is_same = bool(what - acts) and what - acts == other - acts
            if is_same and not (ours <= theirs or theirs <= ours or theirs & held.subject):
                used = (said.told(sorted(theirs)), held.told(sorted(ours)))
                return "uses {} where the decision uses {}".format(*used)
    return ""


def _another_word(held: Claim, said: Claim) -> str:
    """One word exchanged: for its opposite, or for another where only the first is meant."""
    ours, theirs = held.subject - said.subject, said.subject - held.subject
    if len(ours) != 1 or len(theirs) != 1 or not held.subject & said.subject:
        return ""
    (mine,), (other,) = ours, theirs
    one_way = all(clause.is_yes for clause in (*held.clauses, *said.clauses))
    is_opposite = any(f"{no}{mine}" == other or mine == f"{no}{other}" for no in OPPOSING)
    is_excluded = mine in held.only and len(held.subject & said.subject) > 1
    if one_way and (is_opposite or is_excluded):
        return f"says {said.told([other])} where the decision says {held.told([mine])}"
    return ""


# Amounts


def _another_amount(held: Claim, said: Claim) -> str:
    for ours in held.amounts:
        same = [one for one in said.amounts if _comparable(ours, one, held)]
        if not same or any(one.value == ours.value for one in same):
            continue
        ignored = stems_of(ACTS)
        if not (held.subject - ignored) & (said.subject - ignored):
            ignored = frozenset() if ours.dimension not in LABELLED else ignored
        units = {stem(ours.unit), *(stem(one.unit) for one in same)}
        mine, theirs = held.subject - ignored, said.subject - ignored
        mine, theirs = mine - (units - theirs), theirs - (units - mine)
        if (mine & theirs or not mine | theirs) and _agree(mine, theirs, said, held.is_universal):
            return f"says {same[0].said} where the decision says {ours.said}"
    return ""


def _comparable(ours: Amount, other: Amount, held: Claim) -> bool:
    if other.dimension != ours.dimension:
        return False
    if not other.unit or other.unit == ours.unit or other.unit in ("character", "char"):
        return True
    return not ours.unit and stem(other.unit) in held.subject


# Yes and no


def _a_no_for_a_yes(held: Claim, said: Claim) -> str:
    if _of_other_versions(held, said):
        return ""
    for ours in held.clauses:
        for theirs in said.clauses:
            if ours.is_yes != theirs.is_yes and _denies(ours, theirs, held, said):
                verdict = ("yes", "no") if theirs.is_yes else ("no", "yes")
                return "says {} where the decision says {}".format(*verdict)
    return ""


def _denies(ours: Clause, theirs: Clause, held: Claim, said: Claim) -> bool:
    common = ours.subject & theirs.subject
    if not common:
        return False
    if not ours.is_yes:
        if ours.measures or not (ours.is_plain or theirs.affirms):
            return False
        missing = ours.subject - theirs.subject - (said.words - said.subject)
        more = theirs.subject - ours.subject
        return not missing or (len(common) > 2 and len(missing) == 1 and not more)
    more = theirs.subject - ours.subject - (held.words - held.subject)
    if AT_MOST in held.words:
        more -= {stem("limit")}
    if not more:
        # A lone word that is denied in passing says nothing about the decision.
        return (
            len(common) > 1
            or len(held.subject & said.subject) > 1
            or not said.subject - held.subject - stems_of(ACTS)
        )
    return (
        len(ours.subject) > 1
        and ours.subject <= theirs.subject
        and (held.is_universal or not _narrows(theirs.stems, common, more))
    )
