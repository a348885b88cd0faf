"""What people and agents read of gates: the refusal, the question at Stop, the status at start.

Laws:
  - everything that is open is said at once, with what to run for it;
  - a refusal says that nothing was written, and that satisfying and approving are the person's
    commands; the command it names for the person is complete;
  - a team's text is quoted: without markup that an agent could take for its own;
  - what is too long loses from its own text, never from what to do next.
"""

from __future__ import annotations

from holdfast.hook import voice
from holdfast.hook.voice import Ours, inline, joined, ours, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from holdfast.config.requirement_type import Requirement
    from holdfast.rooms.gates.judgement_facts import Open

STOPPING = "SESSION_STOP"
CAP = 4_000
STATUS_CAP = 1_500
ROWS_CAP = 20
CELL_CAP, ITEM_CAP = 160, 200
UNREAD = (
    "The command is too long or too odd to be read: it counts because the words of the trigger"
    " stand in it. Run it in shorter parts."
)
OPAQUE = "Nobody can tell what this would run. Write the command out in full:"
REPEAT_S = 5  # parallel edits are refused at once: the second refusal need not say it all again
PLACEHOLDERS = (
    "total",
    "value",
    "summary",
    "base_branch",
    "warn_threshold",
    "block_threshold",
)
UNTOUCHED = "The tool did not run: nothing was written."
NOT_YOURS = (
    "`holdfast req satisfy` and `holdfast req approve` are the person's commands, not yours: do not"
    " run them."
)
NO_PROOF = "Not finished: the contract of this session lacks proof."
NOT_SOUND = "Not finished: the checkpoint found what the next session could not rely on."
ONCE = "This is asked once in a turn: the next stop passes, with a note for the next session."
TOO_HIGH = "{summary}\nThe value is {value}; from {block_threshold} on it is refused."


def denial(unmet: Sequence[Open], session: str, *, asks: bool = False) -> Ours:
    """One refusal for all that is open, or one question; "" when nothing is."""
    of_rules = [_of_rule(each, session, asks=asks) for each in unmet if each.requirement["rule"]]
    unmet = [each for each in unmet if not each.requirement["rule"]]
    if of_rules:
        return joined("\n\n", [*of_rules, *([denial(unmet, session)] if unmet else [])])
    what = ours("{} requirements are", len(unmet))
    if len(unmet) == 1:
        what = ours("the requirement {} is", voice.named(unmet[0].name))
    return _refusal(ours("Refused: {} not satisfied. {}", what, ours(UNTOUCHED)), unmet, session)


def _of_rule(unmet: Open, session: str, *, asks: bool) -> Ours:
    """A gate of a rule: the user's words first, then what either may do."""
    requirement: Requirement = unmet.requirement
    rule: Any = requirement["rule"]
    id_, day, words = voice.word(rule["id"][:6]), voice.word(rule["at"][:10]), quoted(rule["words"])
    if asks:
        return ours(
            "Your rule of {}: {}. Yes allows this once, No keeps the rule."
            " `holdfast rules enforce {} --off` asks no more.",
            *(day, words, id_),
        )
    instead = [name for each in requirement["trigger"] for name in each.get("instead", ())]
    step = ours("Do without it, or ask the user; another way to the same end is against it too.")
    if instead:
        step = ours("Use {} instead.", _quoted(instead))
    proof = rule["kind"] == "prove"
    if proof:
        step = ours("Do that first, then try again.")
    lacks = _single(unmet, ITEM_CAP * 4) if proof else []
    return joined(
        "\n",
        [
            ours("Refused: on {} the user said {}. {}", day, words, ours(UNTOUCHED)),
            *lacks,
            step,
            ours(
                "The user allows it once {}by `holdfast req satisfy {} --session {}` in a terminal;"
                " that command is not yours.",
                ours("" if proof else "by asking for it in a prompt, or "),
                *(voice.word(unmet.name), voice.word(session)),
            ),
        ],
    )


def short(names: Sequence[str]) -> Ours:
    """The same refusal again, a moment later."""
    verb = ours("is" if len(names) == 1 else "are")
    return ours("{} {} still not satisfied (see above). {}", _listed(names), verb, ours(UNTOUCHED))


def stop(
    unmet: Sequence[Open], session: str, lacks: Sequence[str] = (), findings: Sequence[str] = ()
) -> Ours:
    """What keeps the agent from stopping: used in this session, and still open; what the contract
    lacks; and what a strict checkpoint found."""
    parts = []
    if unmet:
        what = ours("{} requirements are", len(unmet))
        what = ours("a requirement is") if len(unmet) == 1 else what
        heading = ours("Not finished: {} open for what this session did.", what)
        parts.append(_refusal(heading, unmet, session))
    for heading, items in ((ours(NO_PROOF), lacks), (ours(NOT_SOUND), findings)):
        if items:
            parts.append(
                joined("\n", [heading, *(voice.fence(f"- {item}", ITEM_CAP) for item in items)])
            )
    if not parts:
        return ours("")
    parts[0] = ours("{} {}", voice.phase(STOPPING), parts[0])
    apart = "\n" if not unmet and len(parts) == 1 else "\n\n"
    return joined(apart, [*parts, ours(ONCE)])


def warning(name: str, values: Mapping[str, object]) -> Ours:
    """A number that comes near its limit."""
    return ours(
        "{}: {}. From {} on it is refused; finish what is begun.",
        voice.named(name),
        voice.quoted(str(values.get("summary") or values["value"])),
        voice.word(str(values["block_threshold"])),
    )


def status(unmet: Sequence[Open], total: int, session: str, header: str = "") -> Ours:
    """What a session is told when it begins; "" when nothing is demanded."""
    if total == 0:
        return ours("")
    lines = [voice.fence(inline(header))] if header else []
    lines.append(ours("## Requirements: {}/{} satisfied", total - len(unmet), total))
    if not unmet:
        return joined("\n", lines)
    ways: dict[Ours, list[str]] = {}
    for each in unmet:
        ways.setdefault(_way(each.requirement), []).append(each.name)
    # Skills first: those an agent can do something about at once.
    for way in sorted(ways, key=lambda way: not way.startswith("Run ")):
        lines.append(ours("{} → {}", way, _listed(ways[way])))
    ending = [
        ours("Gated: the tools these stand in front of are refused until they are met."),
        ours(NOT_YOURS),
        ours(
            "To go on regardless, the person runs: `holdfast req satisfy NAME --session {}`",
            voice.word(session),
        ),
    ]
    room = STATUS_CAP - sum(map(len, ending))
    return joined("\n", [*_fitting(lines, room), *ending])


def blocking(requirement: Requirement, values: Mapping[str, object]) -> str:
    """A dynamic requirement's message, with what was counted filled in."""
    shown = {
        name: inline(str(values[name]), 400)
        for name in PLACEHOLDERS
        if values.get(name) is not None
    }
    return filled(requirement["blocking_message"] or TOO_HIGH, shown)


def filled(template: str, values: dict[str, str]) -> str:
    """Names in braces replaced, once; what is no such name stays as it is."""
    first, *pieces = template.split("{")
    text = first
    for piece in pieces:
        name, brace, rest = piece.partition("}")
        text += f"{values[name]}{rest}" if brace and name in values else f"{{{piece}"
    return text


def skill_of(requirement: Requirement) -> str:
    """The skill to run for it, "" when no skill satisfies it."""
    skills = requirement["satisfied_by_skill"]
    return str(requirement["auto_resolve_skill"] or (skills[0] if skills else ""))


def _way(requirement: Requirement) -> Ours:
    """How it comes to be satisfied, in a few words."""
    skill = skill_of(requirement)
    if skill:
        return ours("Run {}", voice.code(f"/{skill}"))
    if requirement["type"] != "blocking":
        return ours("Refused as things stand")
    return ours("Prove it" if _proof(requirement) else "By hand, confirmed by the person")


def _refusal(heading: Ours, unmet: Sequence[Open], session: str) -> Ours:
    if not unmet:
        return ours("")
    ending = ours("{}\n{}", ours(NOT_YOURS), _fallback(unmet, session))
    room = CAP - len(heading) - len(ending) - len(ONCE) - 60  # and what says how much is left out
    lines = _single(unmet[0], room) if len(unmet) == 1 else _several(unmet)
    body = joined("\n", _fitting(lines, room))
    return joined("\n\n", [part for part in (heading, body, ending) if part])


def _single(unmet: Open, room: int) -> list[Ours]:
    """What to do next comes after the team's own text, and is never cut for it."""
    requirement = unmet.requirement
    lines = [*_proof(requirement), *(voice.fence(line, ITEM_CAP) for line in unmet.lacks)]
    skill = skill_of(requirement)
    if skill:
        lines.append(ours("**Execute**: {}", voice.code(f"/{skill}")))
    elif requirement["type"] == "blocking" and not _proof(requirement):
        lines.append(ours("No skill satisfies it: when it is done, ask the person to confirm it."))
    words = [_words_of(unmet), *(f"- [ ] {inline(item, 500)}" for item in requirement["checklist"])]
    quotation = "\n".join(filter(None, words))
    # Marks before each line, and what the cut says of itself.
    cap = room - sum(map(len, lines)) - 3 * quotation.count("\n") - 100
    return [voice.fence(quotation, max(cap, 0)), *lines] if quotation else lines


def _several(unmet: Sequence[Open]) -> list[Ours]:
    skills = {skill_of(each.requirement) for each in unmet}
    if len(skills) == 1 and "" not in skills:
        names = _listed([each.name for each in unmet])
        return [ours("**Execute**: {} (resolves {})", voice.code(f"/{skills.pop()}"), names)]
    rows = [ours("| Requirement | Execute |"), ours("|---|---|")]
    rows += [ours("| {} | {} |", _in_cell(each.name), _cell(each)) for each in unmet[:ROWS_CAP]]
    if len(unmet) > ROWS_CAP:
        rows.append(ours("| and {} more | `holdfast req status` |", len(unmet) - ROWS_CAP))
    return rows


def _cell(unmet: Open) -> Ours:
    skill = skill_of(unmet.requirement)
    if skill:
        return voice.code(f"/{skill}")
    text = unmet.requirement["short_message"] or "; ".join(unmet.lacks) or _words_of(unmet)
    text = text or "; ".join(unmet.requirement["checklist"])
    return voice.quoted(text.replace("|", "/"), CELL_CAP) if text else ours("the person decides")


def _in_cell(name: str) -> Ours:
    return voice.named(name.replace("|", "/"), CELL_CAP)


def _fitting(lines: Sequence[Ours], room: int) -> list[Ours]:
    """As many whole lines as there is room for: a cut would open what they quote."""
    fitting: list[Ours] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            return [*fitting, ours("({} more lines)", len(lines) - len(fitting))]
        fitting.append(line)
    return fitting


def _words_of(unmet: Open) -> str:
    requirement = unmet.requirement
    return str(unmet.reason or requirement["message"] or requirement["description"])


def _proof(requirement: Requirement) -> list[Ours]:
    """What has to be there besides, or instead of, somebody's word."""
    lines = []
    evidence = requirement["evidence"]
    if evidence:
        parts = [ours("Evidence: a file in {}", _quoted(evidence["dirs"]))]
        if evidence["require_markers"]:
            parts.append(ours(" with {}", _quoted(evidence["require_markers"])))
        if evidence["require_verdict"]:
            verdict = voice.code(evidence["require_verdict"])
            parts.append(ours(", its `## Verdict` section saying {}", verdict))
        if evidence["max_age_seconds"]:
            parts.append(ours(", at most {} seconds old", evidence["max_age_seconds"]))
        lines.append(joined("", [*parts, ours(".")]))
    if requirement["evidence_required"]:
        kinds = joined(", ", map(voice.word, requirement["evidence_required"]))
        lines.append(ours("Proof, newer than the last edit: {}.", kinds))
    if requirement["evidence_runs"]:
        runs = _quoted(requirement["evidence_runs"])
        lines.append(ours("Commands to have succeeded, newer than the last edit: {}.", runs))
    if requirement["evidence_first"]:
        lines.append(ours("To be changed first: {}.", _quoted(requirement["evidence_first"])))
    if requirement["min_confidence"] is not None:
        lines.append(ours("Confidence: at least {} of 100.", requirement["min_confidence"]))
    return lines


def _fallback(unmet: Sequence[Open], session: str) -> Ours:
    """The person's way on: the whole command. A number and a condition are approved, not met."""
    commands = []
    for verb, approved in ((ours("satisfy"), False), (ours("approve"), True)):
        names = [
            each.name for each in unmet if (each.requirement["type"] != "blocking") is approved
        ]
        if names:
            # Nothing that a shell would read: the person copies it.
            given = joined(" ", map(voice.word, names[:ROWS_CAP]))
            commands.append(
                ours("`holdfast req {} {} --session {}`", verb, given, voice.word(session))
            )
    return ours("To go on regardless, the person runs in a terminal: {}", joined(" and ", commands))


def _listed(names: Sequence[str]) -> Ours:
    listed = joined(", ", map(voice.named, names[:ROWS_CAP]))
    more = len(names) - ROWS_CAP
    return ours("{} and {} more", listed, more) if more > 0 else listed


def _quoted(texts: Sequence[str]) -> Ours:
    return joined(", ", map(voice.code, texts))
