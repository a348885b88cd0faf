"""The signs by which a sentence is read: of moot ones, reasons, contrasts, clauses, no and yes."""

from __future__ import annotations

import re

MOOT = re.compile(
    r"\?\s*$|^\s*(?:should|shall|could|would|why|what|how|when|which|who|do|does|did|is|are|can)\b"
    r"[^.]*\?|\b(?:used to|last (?:year|month|week|quarter|sprint)|(?:years?|months?|weeks?) ago"
    r"|previously|formerly|originally|historically|in the past|back (?:then|in)|(?:was|were)\b"
    r"[^,;]*"
    r"\b(?:once|before|until|then)|before (?:19|20)\d\d|until (?:19|20)\d\d|(?:we|i) tried|tried"
    r"|(?:has|have|had) been tried|considered|considering|looked (?:at|into)|evaluated|weighed"
    r"|thought about|debated|compared|decided against|ruled out|rejected (?:the|because)"
    r"|(?:document|explain|describe)s? how|off the table|not chosen|supersedes?|superseded)\b"
)
REASON = re.compile(
    r"\b(?:because|so that|in order to|even though|although|whereas|so (?:clients|we|users|it|they"
    r"|nobody|people|the)|as (?:it|we|they) |as [a-z]+ (?:does|do|wants|want|requires)\b"
    r"|to (?:keep (?:it|things|this)|cut|avoid|save|get|stay|make (?:it|sure)|be sure|help)|while i"
    r"|where (?:it|they|we|needed)|how to|which (?:is|are|was)|since (?:it|we|they|the)"
    r"|after (?:it|they) (?:was|were)"
    r"|in this release|from (?:now|here) on)\b.*"
)
SHOUTED = re.compile(r"\b[A-Z]+(?:_[A-Z0-9]+)+\b")  # NO_COLOR is a name, and says no to nothing
CONDITION = frozenset("when if unless until while whenever".split())
REPLACE = re.compile(
    r"\b(?:replac(?:e|es|ed|ing)|swap(?:ping)?|exchang(?:e|ing)) (?:out )?(.+?) (?:with|by|for) "
)
MOVES = re.compile(r"\b(?:switch|mov|migrat|go|chang|convert|port)\w*\b")
PIECE = re.compile(r"\b(?:logic|code|function|method|class|file|this|it)\b")
PREFERS = re.compile(r"\bprefer\w*\b.* over\b")
FROM_TO = re.compile(r"\bfrom ([^,;]+?) (?:over )?to (?!date\b)")
CONTRAST = re.compile(
    r"\b(?:instead of|rather than|as opposed to|in place of|not by|not with|not in|and not|but not"
    r"|without)\b|,\s*(?:not|no|never)\b(?! longer)"
)
CLAUSE = re.compile(
    r"[;:!]|\.(?=\s|$)|,(?!\d)|\s[-\u2013\u2014]\s|\b(?:but|then|that|which)\b"
    r"|\band (?=(?:use|offer|add|keep"
    r"|write|build|run|put|move|switch|go|return|store|make|let|never|not|no|do)\b)"
)
TOKEN = re.compile(r"\d+(?:[.,]\d+)+|\d+|[a-z]+\d+[a-z0-9]*|[a-z]\+\+|[a-z]#|[a-z]+|%")
SPELT_OUT = (
    (re.compile(r"\ba quarter of an hour\b"), "15 minutes"),
    (re.compile(r"\bhalf an hour\b"), "30 minutes"),
    (re.compile(r"\bup to an? (second|minute|hour|day|week|month|year)\b"), r"atmost 1 \1"),
    (re.compile(r"\b(?:at most|up to|no more than|not more than)\b"), "atmost"),
    (re.compile(r"-only\b"), "only"),
    (
        re.compile(r"\b(?:for|after|within|in) an? (second|minute|hour|day|week|month|year)\b"),
        r"for 1 \1",
    ),
    (re.compile(r"(\d+)\s*/\s*(\d+)"), r"\1 to \2 parts"),
    (re.compile(r"\btimes? out\b|\btiming out\b"), "timeout"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\bcannot\b"), "can not"),
    (re.compile(r"'(?:ll|re|ve|m|d)\b"), " "),
    (re.compile(r"'s\b|s'(?=\s)"), ""),
    (re.compile(r"\bas well\b(?! as)"), "too"),
    (re.compile(r"\band nothing else\b"), "only"),
    (re.compile(r"\b(?:any ?more|for now|this (?:year|month|week|quarter|sprint)|yet)\b"), " "),
    (re.compile(r"\b(?:switch|mov|migrat|convert)(?:e|es|ing|ed)? (?:over )?to\b"), "use"),
    (re.compile(r"\bno longer\b"), "not"),
    (re.compile(r"\bfree (?:of|from)\b"), "without"),
    (re.compile(r"\b(?:is|are) (?:an )?errors?\b"), "is forbidden"),
    (re.compile(r"\bnon[- ](?=[a-z])"), "non "),
    (re.compile(r"\bhands?[- ](?:written|made)\b|\bby hand\b|\bmanually\b"), "handwritten"),
)  # fmt: skip

PLAIN_NO = frozenset("not no never none nothing nobody nowhere neither nor without".split())
# Verbs that deny what they govern; said of them, too: "off".
DENYING = frozenset(
    "disable disables disabled disabling deny denies denied denying forbid forbids forbidden ban"
    " bans banned prohibit prohibits prohibited reject rejects rejected rejecting refuse refuses"
    " refused stop stops stopping stopped remove removes removed removing drop drops dropped"
    " dropping ditch ditching abandon abandoning skip skips skipping omit omits off exclude"
    " excludes excluded excluding"
    " ignore ignores ignored ignoring avoid avoids avoiding block blocks blocked blocking".split()
)
TURNED = frozenset(
    "is are be stay stays remain remains turn turns turned turning switch switched leave".split()
)
ROLES = {
    **dict.fromkeys("with by using through via over use uses adopt choose on".split(), "means"),
    **dict.fromkeys("in into at".split(), "place"),
    **dict.fromkeys("as to from".split()),
}
UNIVERSAL = frozenset("every all any always never no only everything throughout".split())

# What says that a choice stays as it is, or that something only comes beside it.
AFFIRMS = re.compile(
    r"\b(?:keep|keeps|kept|keeping|still|stay|stays|stayed|staying|remain|remains|remaining|remained"
    r"|continue|continues|continued|continuing|stick|sticks|sticking|stuck|unchanged|untouched"
    r"|as (?:before|agreed|decided|always|is|it (?:is|was)|ever|planned|usual|well|discussed)"
    r"|go(?:es|ing)? on|holds?|same|leaves?|leaving|revert(?:s|ed|ing)?|back to|again|already|right"
    r"|yes|yep|agreed|confirm(?:s|ed)?|only|either|too|also|alone|anyway|besides?|for now|except"
    r"|unless|fallback|in addition|plus|alongside)\b"
)
# What speaks of a past, a case, a text or a comparison, and chooses nothing.
UNSURE = re.compile(
    r"\b(?:(?:19|20)\d\d|was|were|had|been|did|went|moved|took|found|turned out|abandoned|triall?ed"
    r"|gone|if|when|until|whether|example|e\.g|compared?|document(?:s|ed)?|mention(?:s|ed)?"
    r"|tests? that|checks? that|without|unlike|than|maybe|perhaps|might|could|would|should)\b"
    r"|[\"?\u201c\u201d]|\d:\d"
)
BOUNDS = re.compile(
    r"\b(?:at (?:most|least)|up to|more than|less than|fewer than|below|above|over|under|within"
    r"|newer|older|oldest|newest|minimum|maximum|min|max|beyond|no later|before|after|from|between"
    r"|until|capped|default)\b|[<>]=?"
)
MEANS = frozenset("with by using via use uses".split())
CHOOSING = frozenset(
    "use uses using used adopt add adds adding with via by on install import prefer need".split()
)
