"""THE TABLE from words to gates: what a rule says, as named actions with their arguments.

A sentence is read word by word as pieces: a stance (never, ask first, without, before, instead), an
action, a proof, a program, a place, a branch. The pieces in their order are a form, and a form has
a meaning. English and German share the forms. The words stand in `templates.txt`, what they come to
in `docs/internals/rule-words.md`.

Laws: a word that is no piece makes the sentence none of these forms, for a wrong proposal is worse
than none; what holds for the moment or under a condition is never proposed; what is proposed is
shown, and changes nothing by itself.
"""

from __future__ import annotations

import re

from holdfast.system import files
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    Action = dict[str, object]  # as a requirement's `trigger` has it
    Named = Mapping[str, Any]  # values by the first letter of their groups' names
    Meaning = Callable[[list["_Piece"], Named], "Proposal | None"]

FORBID, ASK, PROVE = "forbid", "ask", "prove"
WORDS = f"{__file__[:-3]}.txt"
LONGEST = 40  # words of a sentence
TESTS, LINT = "tests", "lint"
TEST_FILES = ["**/test*/**", "**/*test*.*", "**/*.spec.*"]
MODELS = "sonnet|opus|haiku|fable"
CONVENTIONAL = r"!^(feat|fix|docs|style|refactor|perf|test|build|ci|chore|revert)(\([^)]*\))?!?: "


class Proposal(Value):
    """A gate that a rule's words propose."""

    kind: str  # forbid, ask: before the action; prove: what has to be there before it
    actions: list[Action]
    demand: dict[str, object]  # the other fields of the requirement


_REASON = re.compile(
    r"\s(?:[-\u2013\u2014]{1,2}|because|since|as (?:it|that|this)|it (?:messes|breaks|is|will)"
    r"|they (?:are|get)|weil|denn|da (?:das|es|sie))\s.*|\([^)]*\)|\s[:;][-)D(]+",
    re.DOTALL,
)
_BULLET = re.compile(r"^[\s>*\u2022-]*(?:\d+[.)]\s+)?")
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n+")
_FORBIDDING_QUESTION = re.compile(r"(?i)(?:why|can|could|would|will|there are)\b")
_BUT_NOT = re.compile(r"(?i), (?:not|nicht)\b(?= `?[\w-]+`?$)")  # "pnpm, not npm"
_CONDITION = re.compile(
    r"^(?:if|when|whenever|while|once|after|as long as|in case|for|wenn|falls|sobald|solange)\b"
)
_NEGATED = re.compile(
    r"(?i)\b(?:don't|do not|never|not|no longer|without|instead of|nicht|kein\w*|nie|if|when|unless"
    r"|wenn|could|would)\b"
)


def propose(text: str) -> Proposal | None:
    """The gate that a rule's words propose; None where they fit no template."""
    for sentence in _SENTENCES.split(text):
        plain = _BULLET.sub("", sentence.replace("\u2019", "'")).strip()
        if 0 < len(plain.split()) <= LONGEST and not plain.endswith(":"):
            proposal = _of_sentence(plain)
            if proposal:
                return proposal
    return None


def _of_sentence(sentence: str) -> Proposal | None:
    is_question = sentence.endswith("?")
    if is_question and not _FORBIDDING_QUESTION.match(sentence):
        return None
    for name, form in () if is_question else _table()[2]:
        match = form.search(sentence)
        if match and (name.endswith("!") or not _NEGATED.search(sentence)):
            return OPEN[name.rstrip("!")](match)
    bare = _REASON.sub(" ", sentence).strip(" .!,;:")
    bare = _BUT_NOT.sub(" instead of", bare)
    clauses, parts = [bare], bare.split(", ")
    if not any(_CONDITION.match(part.lower()) for part in parts):
        clauses += parts
    proposals = (_of_clause(clause.strip(" .!?,;:")) for clause in clauses)
    return next((proposal for proposal in proposals if proposal), None)


class _Piece(Value):
    letter: str
    value: Any


def _of_clause(clause: str) -> Proposal | None:
    pieces = _pieces(clause)
    letters = "".join(piece.letter for piece in pieces)
    for meaning, form in _table()[1] if pieces else ():
        match = form.fullmatch(letters)
        if match:
            spans = [match.span(number) for number in range(1, form.groups + 1)]
            held = [piece for start, end in spans for piece in pieces[slice(start, end)]]
            names = {
                name[0]: pieces[match.start(name)].value
                for name, letter in match.groupdict().items()
                if letter
            }
            return MEANINGS[meaning](held, names)
    return None


def _pieces(clause: str, *, is_order: bool = False) -> list[_Piece]:
    """The clause as pieces; none where a word is no piece. Of those that take as much of it the
    first counts. An order of the moment has words of its own that say nothing."""
    pieces: list[_Piece] = []
    rest = clause.strip()
    while rest:
        matches = [pattern.match(rest) for _, pattern, _ in _table()[0]]
        ends = [match.end() if match else 0 for match in matches]
        longest = max(ends)
        spare = _MOMENTARY.match(rest) if is_order else None
        if spare and spare.end() > longest:
            rest = rest[spare.end() :].lstrip(" ,:")
            continue
        if not longest:
            return []
        at = ends.index(longest)
        letter, _, value = _table()[0][at]
        if letter != "-":
            pieces.append(_Piece(letter, value(matches[at]) if callable(value) else value))
        rest = rest[longest:].lstrip(" ,:")
    return pieces


_BUILT: list[Any] = []


def _table() -> Any:
    """Pieces (a letter, its words, what it stands for), forms, and forms with room."""
    if not _BUILT:
        rows = [
            row.split(" = ", 1)
            for row in (files.read_text(WORDS) or "").splitlines()
            if " = " in row
        ]
        short = {
            head: words
            for head, words in rows
            if len(head) > 1 and head.replace("_", "A").isalpha() and head.isupper()
        }
        pieces: list[tuple[str, str, Any]] = [
            (head[0], _spelled(words, short), _value(head, short))
            for head, words in rows
            if head not in short and head[0] not in ">:#"
        ]
        pieces += [(letter, _filled(words, short), value) for letter, words, value in READ]
        opened = [(head[2:], _filled(words, short)) for head, words in rows if head[0] == ":"]
        _BUILT[:] = [
            [(a, re.compile(rf"(?i)(?:{b})(?=[\s,:]|$)"), c) for a, b, c in pieces],
            [(head[2:], re.compile(words)) for head, words in rows if head[0] == ">"],
            [(name, re.compile(f"(?i){words}")) for name, words in opened],
        ]
    return _BUILT


def _filled(words: str, short: dict[str, str]) -> str:
    for name, meaning in short.items():
        words = words.replace(name, meaning)
    return words


def _spelled(words: str, short: dict[str, str]) -> str:
    """Words of the table as a regular expression."""
    signs = {" | ": "|", "(": "(?:", ")": ")*", "[": "(?:", "]": ")", "~": ENDING}
    return _filled(_filled(words, short), signs)


def _value(head: str, short: dict[str, str]) -> Any:
    letter, _, value = head.partition(" ")
    if letter == "P":
        return value.split(" ")
    if letter != "A":
        return short.get(value, value)
    name, *arguments = value.split(" ")
    action: Action = {"action": name}
    for argument in arguments:
        key, equals, text = argument.partition("=")
        words = short.get(text, text)
        action[key] = True if not equals else words if key == "message" else words.split(",")
    return action


def _globs(match: re.Match[str]) -> list[str]:
    path = match["is"].removeprefix("./")
    if path.endswith("/") or ("." not in path.rsplit("/", 1)[-1] and "*" not in path):
        return [f"{path.rstrip('/')}/**"]
    return [path if "/" in path else f"**/{path}"]


def _same(match: re.Match[str]) -> str:
    return match["is"].strip()


ENDING = "(?:e|es|ed|ing|en|s|t|st|ting|te|test|ion|ions)?"
# Pieces whose words say what they stand for.
READ: list[tuple[str, str, Any]] = [
    ("R", r"(?:on|to|into|onto|in|auf|nach) (?:the )?`?(?:origin[/ ])?(?P<is>BRANCHES)`?",
     lambda match: match["is"].lower()),
    ("P", (r"(?:in |under |files in )?`?(?P<is>[\w.*@-]*/[\w./*@-]*|[\w-]*\.\w{1,5})`?"
     r"(?: (?:files?|folder|directory|docs?))*"), _globs),
    ("C", r"`(?P<is>[^`\n]{1,80})`", _same),
    ("C", (r"(?P<is>(?:RUNNERS)(?: run)?(?: (?!(?:BETWEEN)\b)-{0,2}[a-z][\w:./-]*)?|PROGRAMS)"
     r"(?: commands?)?"), _same),
]  # fmt: skip


# Words that lift


def lifts(words: str, triggers: Sequence[Mapping[str, Any]], branch: str) -> bool:
    """Whether a person's words ask for the very act that a gate stands before, and not in the
    negative. `branch` is checked out."""
    for sentence in _SENTENCES.split(words.replace("\u2019", "'").lower()):
        if sentence.rstrip().endswith("?") and not _POLITE.match(sentence):
            continue
        apart = _CLAUSES if _NEGATED.search(sentence) else _ORDERS
        for clause in apart.split(sentence):
            bare = "" if _TOLD.search(clause) else clause.strip(" .!?")
            pieces = _pieces(bare, is_order=True)
            if not {piece.letter for piece in pieces} & set("NWBMKI") and any(
                _is_ordered(trigger, pieces, branch) for trigger in triggers
            ):
                return True
    return False


def _is_ordered(trigger: Mapping[str, Any], pieces: list[_Piece], branch: str) -> bool:
    held: dict[str, list[Any]] = {}
    for piece in pieces:
        held.setdefault(piece.letter, []).append(piece.value)
    if trigger["action"] == "run":
        named = {value.split()[0] for value in held.get("C", ())}
        return "U" in held and any(each.split()[0] in named for each in trigger["program"])
    if trigger["action"] in ("edit_files", "write", "add"):
        wanted = trigger.get("path") or trigger.get("pattern")
        return any(value == wanted for value in (*held.get("P", ()), *held.get("Y", ())))
    branches = trigger.get("branch", [branch])
    is_there = branch in branches or any(value in branches for value in held.get("R", ()))
    bare = {name: value for name, value in trigger.items() if name != "branch"}
    return is_there and bare in held.get("A", ())


_TOLD = re.compile(r"\w(?:ed|ing)\b")  # what was done, or is
_POLITE = re.compile(r"(?:please |bitte )?(?:can|could|would|will|kannst|könntest)\b")
_CLAUSES = re.compile(r"[,;:\n]|\bbut\b|\baber\b")
_ORDERS = re.compile(r"[,;:\n]|\b(?:but|and|then|aber|und|dann)\b")
_MOMENTARY = re.compile(
    r"(?:this time|it|this|that|them|these|now|yes|yep|yeah|sure|go ahead|you (?:can|may)"
    r"|(?:can|could|would) you|feel free|anyway|after all|once|(?:last|latest|previous) commit|last"
    r"|branch|origin|remote|changes|es|das|jetzt|ja|gerne?|kannst|könntest|letzten|nochmal|diesmal"
    r"|trotzdem)(?=\s|$)"
)


# What the forms mean


def _narrowed(pieces: list[_Piece]) -> list[Action]:
    """The actions, with the branch and the place that were named; none where one has no such."""
    actions: list[Action] = []
    for piece in sorted(pieces, key=lambda piece: "ATRP".index(piece.letter)):
        if piece.letter == "A":
            actions.append(piece.value)
        elif piece.letter == "T":
            actions += [{"action": "run_tests"}] * (piece.value == TESTS)
        elif piece.letter == "R":
            if any(each["action"] not in ("commit", "push") for each in actions):
                return []
            actions = [each | {"branch": [piece.value]} for each in actions]
        elif actions != [COMMIT]:
            return []
        else:
            actions = [{"action": "add", "path": piece.value}]
    return actions


def _before(kind: str) -> Meaning:
    def read(held: list[_Piece], _: Named) -> Proposal | None:
        actions = _narrowed(held)
        return Proposal(kind, actions, {}) if actions else None

    return read


def _edit(kind: str) -> Meaning:
    return lambda held, _: Proposal(kind, [EDIT | {"path": held[0].value}], {})


def _run(kind: str) -> Meaning:
    return lambda held, _: Proposal(kind, [_running(held[0].value)], {})


def _running(command: str) -> Action:
    """The action that a command is: a program with the first of its words."""
    if re.fullmatch(r"[\w.-]*/[\w./-]*|[\w-]+\.\w{2,4}", command):
        return EDIT | {"path": [command]}
    git = _of_clause(f"never {command}") if command.startswith("git ") else None
    return git.actions[0] if git and git.kind == FORBID else {"action": "run", "program": [command]}


def _write(held: list[_Piece], _: Named) -> Proposal | None:
    pattern = held[0].value
    if len(held) > 1:
        return Proposal(FORBID, [COMMIT | {"message": pattern}], {})
    return Proposal(FORBID, [{"action": "write", "pattern": pattern}], {})


def _prove(held: list[_Piece], _: Named) -> Proposal | None:
    actions = _narrowed([piece for piece in held if piece.letter == "A"])
    return _proven(actions, [piece.value for piece in held if piece.letter == "T"])


def _proven(actions: list[Action], kinds: list[str]) -> Proposal:
    return Proposal(PROVE, actions, {"evidence_required": list(dict.fromkeys(kinds))})


def _prove_command(held: list[_Piece], _: Named) -> Proposal | None:
    actions = _narrowed([piece for piece in held if piece.letter == "A"])
    return _after(actions, next(piece.value for piece in held if piece.letter == "C"))


def _prove_together(_: list[_Piece], names: Named) -> Proposal | None:
    return _after([{"action": "run", "program": [names["w"]]}], names["c"])


def _after(actions: list[Action], command: str) -> Proposal:
    return Proposal(PROVE, actions, {"evidence_runs": [command]})


def _instead(_: list[_Piece], names: Named) -> Proposal | None:
    if names["g"] == names["b"]:
        return None
    return Proposal(FORBID, [_running(names["b"]) | {"instead": [names["g"]]}], {})


def _delegate(_: list[_Piece], __: Named) -> Proposal | None:
    return Proposal(FORBID, [EDIT], {"for_subagents": False})


COMMIT: Action = {"action": "commit"}
EDIT: Action = {"action": "edit_files"}
MEANINGS: dict[str, Meaning] = {
    "forbid": _before(FORBID),
    "ask": _before(ASK),
    "forbid_edit": _edit(FORBID),
    "ask_edit": _edit(ASK),
    "forbid_run": _run(FORBID),
    "ask_run": _run(ASK),
    "forbid_write": _write,
    "prove": _prove,
    "prove_command": _prove_command,
    "prove_together": _prove_together,
    "instead": _instead,
    "delegate": _delegate,
}


# What the forms with room for other words mean


def _model(match: re.Match[str]) -> Proposal:
    names = dict.fromkeys(re.findall(MODELS, match.group().lower()))
    return Proposal(FORBID, [{"action": "subagent", "model": [f"!*{name}*" for name in names]}], {})


def _skill(match: re.Match[str]) -> Proposal:
    return Proposal(PROVE, [EDIT], {"satisfied_by_skill": [match["is"]], "scope": "session"})


def _worktree(match: re.Match[str]) -> Proposal:
    return Proposal(FORBID, [EDIT | {"path": [f"!{match['is'].rstrip('/.')}/**"]}], {})


def _order(_: object) -> Proposal:
    others = [f"!{glob}" for glob in (*TEST_FILES, "**/*.md")]
    demand: dict[str, object] = {"evidence_first": TEST_FILES}
    return Proposal(PROVE, [EDIT | {"path": others}], demand)


OPEN: dict[str, Callable[[re.Match[str]], Proposal]] = {
    "model": _model,
    "skill": _skill,
    "conventional": lambda _: Proposal(FORBID, [COMMIT | {"message": CONVENTIONAL}], {}),
    "draft": lambda _: Proposal(
        FORBID, [{"action": "pull_request", "create": True, "draft": False}], {}
    ),
    "order": _order,
    "working": lambda _: _proven([COMMIT], [TESTS, LINT]),
    "worktree": _worktree,
}
