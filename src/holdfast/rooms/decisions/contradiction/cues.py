"""The signs by which a statement is read: of a no, a memory, a rejected thought, an excuse."""

from __future__ import annotations

import re


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


NEGATIVE = _words("not no never none nothing nobody without n't neither nor cannot")
DENYING = _words(
    "drop drops dropping dropped remove removes removing removed delete deleting skip skips"
    " skipping skipped disable disables disabling disabled ditch ditching bypass bypasses bypassing"
    " ignore ignores ignoring silence silencing stop stopping omit avoid exclude forget forgo rid"
    " strip suppress revert relax loosen instead over against banned forbidden"
)
FORBIDDEN = _words("banned forbidden disallowed removed rejected off dropped deprecated")
# Between what a decision is about and what it chooses.
COPULA = _words(
    "is are uses use run runs go goes live lives must may can has have need needs come comes get"
    " gets talk talks happen happens stay stays be written stored kept served sent hashed : default"
    " defaults supports support requires require contains follow follows"
)
# What somebody sets out to do, by the verb that leads.
LEADS = {
    verb: sort
    for sort, verbs in {
        "changes": "switch swap replace move migrate change convert rewrite port use using go bring"
        " pull introduce adopt moving switching replacing going",
        "raises": "raise bump increase extend double widen lift grow",
        "lowers": "lower reduce cut shorten shrink decrease halve",
        "allows": "allow let permit accept enable grant give open expose",
        "keeps": "keep stay stick leave follow",
        "adds": "add adding added include create write build",
        "mends": "fix fixed rename upgrade update updated refactor rotate bumped",
        "guards": "check verify ensure fail warn test assert enforce monitor alert reject document",
    }.items()
    for verb in verbs.split()
} | dict.fromkeys(DENYING, "drops")
BEFORE_NO = _words(
    "is are was were be do does must may can could should will has have did would wo ca"
)
TURNING = _words("but then so because")
BY_HEART = ("?", "n't", "%")
ABSOLUTE = _words(
    "only never always all every each no none must any exclusively single one zero nothing nobody"
    " without not cannot everything n't"
)
NORMAL = tuple(
    (re.compile(pattern, re.IGNORECASE), plainer)
    for pattern, plainer in (
        (r"\b(?:leave|leaves|leaving|left|take|takes|taking|rip|comment(?:ed)?) out\b", "disable"),
        (r"\b(?:turn|turns|turning|turned|switch|switched|shut) off\b", "disable"),
        (r"\bturn (?:\S+ \S+|\S+) off\b", "disable"),
        (r"\bget rid of\b|\bdo away with\b|\bno longer\b|\bno more\b|\bopt out of\b", "disable"),
        (r"\bno need (?:for|to)\b", "disable"),
        (r"\b(?:replac|swap)\w* (?:out )?(\S+(?: \S+)?) (?:with|by|for) ", r"drop \1, use "),
        (r"\bfourth\b", "4"),
        (r"\bfifth\b", "5"),
        (r"\bsixth\b", "6"),
        (r"\bhalf an hour\b", "30 minutes"),
        (r"\ba quarter of an hour\b", "15 minutes"),
        (r"\bcouple of\b|\bboth\b|\btwice\b", "two"),
        (r"\ban? (hour|day|week|month|minute|year)\b", r"1 \1"),
        (r"(\d)[ ,](\d{3})\b", r"\1\2"),
    )
)
# What somebody says before the verb that counts: "I'll just", "Let me", "Plan:".
PREAMBLE = re.compile(
    r"^\W*(?:(?:plan|done|next|chore|feat|fix|refactor|todo|note|idea|proposal|ok|okay|so|and|then"
    r"|also|please|now|first|to|we|i|you|they|it|the|a)\b[:,]?\s*|(?:i'll|i'm|i've|i'd|let me|let's"
    r"|we'll|we're|we've|can|should|could|will|going to|just|simply|have|quickly|make sure)"
    r"\s+){1,8}",
    re.IGNORECASE,
)
AT_MOST = re.compile(
    r"\b(?:at most|max|maximum|up to|no more than|within|under|below|less than|limit|limited|cap"
    r"|capped|budget|larger than|over|exceed|above|more than)\b",
    re.IGNORECASE,
)
AT_LEAST = re.compile(
    r"\b(?:at least|min|minimum|no less|oldest|no faster|or newer|and up|or higher|older)\b",
    re.IGNORECASE,
)
SIGNS = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "rejected": r"reject|turned? (?:it |that |them )?down|said no|told \w+ no|declin|decided"
        r" against|ruled out|(?:is|was)(?:n't| not) worth|not worth|came up|proposed|suggested"
        r"|considered|looked at|evaluated|tempting|(?:, so|but) no\b|answer (?:is|was|stays)|won't"
        r" fix|asked (?:for|whether|if)|staying (?:with|on)|stick(?:ing)? (?:with|to)|we're not"
        r"|would have|discussed|supersede",
        "past": r"used to|\b(?:19|20)\d\d\b|until (?:last|v|version)|back (?:then|when|in)|in the"
        r" old|previous(?:ly)?|originally|formerly|years? ago|last (?:year|month|week|quarter)"
        r"|before (?:the|we|v)|\b(?:had|was|were)\b",
        "question": r"\?",
        "stays": r"\bstays?\b|\bremains?\b|unchanged|untouched|\bstill\b|as (?:before|decided"
        r"|agreed|usual|always)|same as|like (?:the )?(?:rest|other|every)|already|still fits"
        r"|(?:within|under|below|above) the",
        "tail": r", (?:it's|it is|that's|they're|there's|nobody|no ?one|no need|the|we|it|they"
        r"|easier|simpler|faster|will|one|too|good|saves?|storage|people|users|most|everyone|which"
        r"|this)\b",
        "reason": r"\b(?:since|because|as) (?:it|we|they|the|that|each|nobody|most|everyone)|so"
        r" (?:that )?(?:we|it|they|people|users|the|new|everyone|nobody|you|i)\b|to (?:save|speed"
        r"|cut|avoid|keep|make|get|suit|help)\b|anyway|for now|until (?:the|we)|this (?:time|once)"
        r"|good enough|is enough|fine\b|plenty|no point|overkill|too (?:slow|noisy|long|much|many"
        r"|strict|big|hard)|can follow|later\b|for free|right away|just this",
        "direct": r"\bstraight\b|\bdirectly\b|\bby hand\b|\b(?:my|it)self\b|\bon (?:their|its|his"
        r"|her|my) own\b|without (?:a|an|the|any|waiting|asking|going)|from my|my (?:machine"
        r"|laptop)",
        "from to": r"\bfrom \S+(?: \S+)? to \S+",
        "elsewhere": r"\b(?:locally|local dev|staging|sandbox|debug builds?|dev(?:elopment)?|in"
        r" tests|unit tests|laptops?|internal|prototype|admin|blog|landing|docs? site|readme"
        r"|demo)\b",
        "guards": r"\b(?:ci|lint|linter|check|test|rule|job|hook|alert)\b.*\b(?:fails?|rejects?"
        r"|greps?|warns?|errors?|catch|block|ensures?|verif|asserts?)|make sure|ensure|enforce",
        "swaps": r"\binstead\b|\bin place of\b|\brather than\b|\breplac|\bswap|\bswitch|\bmove\b"
        r".*\bto\b|\bmigrat|\bdrop\b|\bditch\b|\bconvert",
        "code first": r"^[`\"<({\[]|^\w+[=(.]|^[a-z_]+:|^(?:SELECT|INSERT|UPDATE|DELETE|FROM|def"
        r"|class|import|from|set)\b",
        "excuse": r"\bwent ahead\b|while i was at it|\bharmless\b|quick fix|carry on|nobody'?s"
        r"|hardly any|(?:is|that's) acceptable|will do\b|(?:is|are) (?:plenty|fine)|don't (?:need"
        r"|have|care)|doesn't (?:need|matter)|won't (?:notice|hurt|matter)|worth it|one less|small"
        r" (?:one|enough)|tiny|simplest|easiest|nicer|lighter|smoother|complain|annoy|killing"
        r"|takes too|adds? (?:\w+ ){1,2}(?:minutes|seconds)|costs?\b|cheap|expensive|bill\b",
        "compares": r"\b(?:more|less|fewer|better|easier|faster|simpler|quicker|cheaper|shorter"
        r"|longer|bigger|smaller|higher|lower|larger)\b",
        "complies": r"\bwaiting for|approved|ok'd|to review|reminder|signed off|ask (?:the|them)"
        r"|per the|as per|according|in line with|complies|so (?:it|they|each) (?:still|stays?"
        r"|builds|finish|ends?)|refus",
        "adds": r"\balso\b|next to|beside|in addition|on top of|alongside|\bplus\b|as well",
        "only": r"\bonly\b",
        "new": r"\bfor the (?:new|three|two|partner|old)\b|\bnew\b",
        "for once": r"this (?:time|once|one)|just (?:for|this)|one-off|temporar|for now|until"
        r"|quick",
        "own": r"\bown\b|\bseparate\b|\bsecond\b|\banother\b",
        "by itself": r"\bby itself\b|\bautomatically\b|\bon startup\b|\bin the background\b",
        "all": r"\b(?:everyone|everybody|anyone|anybody|any|all|every|each)\b",
        "no": r"\bnot\b|n't\b|\bno\b|\bnever\b|\bwithout\b|\bnobody\b",
        "done": r"^(?:done|added|fixed|wrote|updated|opened|moved|removed|merged|ported|bumped"
        r"|upgraded|quarantined|pulled|replaced)\b",
        "doing": r"^\w+ing\b",
        "sets": r"\bset\b|\bsetting\b|=",
        "says": r"\b(?:tell|told|say|says|mention|document|explain|describe|show|print|list"
        r"|note)s?\b",
        "path": r"[\w.]+/[\w./]+|\.\w{2,4}\b",
        "code": r"[`=_{}<>/]|--|\w\(|\w\.\w",
    }.items()
}
