"""What people and agents read of gates: the refusal, the question at Stop, the status at start.

Laws:
  - everything that is open is said at once, with what to run for it;
  - a refusal says that nothing was written, and that satisfying and approving are the person's
    commands; the command it names for the person is complete;
  - a team's text is shown as a text: without markup that an agent could take for its own;
  - what is too long loses from its own text, never from what to do next.
"""

from __future__ import annotations

from holdfast.hook.briefing import harmless, inline, phase
from holdfast.redaction.gate import cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.config.requirement_type import Requirement
    from holdfast.rooms.gates.unmet import Open

COMMAND = "holdfast req"
STOPPING = "SESSION_STOP"
CAP = 4_000
STATUS_CAP = 1_500
ROWS_CAP = 20
CELL_CAP = 160
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
    f"`{COMMAND} satisfy` and `{COMMAND} approve` are the person's commands, not yours:"
    " do not run them."
)
ONCE = "This is asked once in a turn: the next stop passes, with a note for the next session."
TOO_HIGH = "{summary}\nThe value is {value}; from {block_threshold} on it is refused."


def denial(unmet: Sequence[Open], session: str) -> str:
    """One refusal for all that is open, "" when nothing is."""
    if len(unmet) == 1:
        heading = f"Refused: the requirement {unmet[0].name} is not satisfied. {UNTOUCHED}"
    else:
        heading = f"Refused: {len(unmet)} requirements are not satisfied. {UNTOUCHED}"
    return _refusal(heading, unmet, session)


def short(names: Sequence[str]) -> str:
    """The same refusal again, a moment later."""
    verb = "is" if len(names) == 1 else "are"
    return f"{_listed(names)} {verb} still not satisfied (see above). {UNTOUCHED}"


def stop(
    unmet: Sequence[Open], session: str, lacks: Sequence[str] = (), findings: Sequence[str] = ()
) -> str:
    """What keeps the agent from stopping: used in this session, and still open; what the contract
    lacks; and what a strict checkpoint found."""
    parts = []
    if unmet:
        what = "a requirement is" if len(unmet) == 1 else f"{len(unmet)} requirements are"
        parts.append(
            _refusal(f"Not finished: {what} open for what this session did.", unmet, session)
        )
    for heading, items in (
        ("Not finished: the contract of this session lacks proof.", lacks),
        ("Not finished: the checkpoint found what the next session could not rely on.", findings),
    ):
        if items:
            parts.append("\n".join([heading, *(f"- {inline(item)}" for item in items)]))
    if not parts:
        return ""
    parts[0] = f"{phase(STOPPING)} {parts[0]}"
    return f"{parts[0]}\n{ONCE}" if not unmet and len(parts) == 1 else "\n\n".join([*parts, ONCE])


def warning(name: str, values: Mapping[str, object]) -> str:
    """A number that comes near its limit."""
    return (
        f"{name}: {inline(str(values.get('summary') or values['value']))}. From"
        f" {values['block_threshold']} on it is refused; finish what is begun."
    )


def status(unmet: Sequence[Open], total: int, session: str, header: str = "") -> str:
    """What a session is told when it begins; "" when nothing is demanded."""
    if total == 0:
        return ""
    lines = [inline(header)] if header else []
    lines.append(f"## Requirements: {total - len(unmet)}/{total} satisfied")
    if unmet:
        ways: dict[str, list[str]] = {}
        for each in unmet:
            ways.setdefault(_way(each.requirement), []).append(each.name)
        # Skills first: those an agent can do something about at once.
        for way in sorted(ways, key=lambda way: not way.startswith("Run ")):
            lines.append(f"{way} → {_listed(ways[way])}")
        lines.append("Gated: the tools these stand in front of are refused until they are met.")
        lines.append(NOT_YOURS)
        lines.append(
            f"To go on regardless, the person runs: `{COMMAND} satisfy NAME"
            f" --session {_bare(session)}`"
        )
    return cut("\n".join(lines), STATUS_CAP)


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


def _way(requirement: Requirement) -> str:
    """How it comes to be satisfied, in a few words."""
    skill = skill_of(requirement)
    if skill:
        return f"Run `/{skill}`"
    if requirement["type"] != "blocking":
        return "Refused as things stand"
    return "Prove it" if _proof(requirement) else "By hand, confirmed by the person"


def _refusal(heading: str, unmet: Sequence[Open], session: str) -> str:
    if not unmet:
        return ""
    ending = f"\n\n{NOT_YOURS}\n{_fallback(unmet, session)}"
    body = _single(unmet[0]) if len(unmet) == 1 else _several(unmet)
    # The cut itself takes some characters to say what it cut.
    room = CAP - len(heading) - len(ending) - 60
    return f"{heading}\n\n{cut(body, room)}{ending}" if body else f"{heading}{ending}"


def _single(unmet: Open) -> str:
    requirement = unmet.requirement
    parts = [harmless(_words_of(unmet))]
    parts += [f"- [ ] {inline(item, 500)}" for item in requirement["checklist"]]
    parts += _proof(requirement)
    skill = skill_of(requirement)
    if skill:
        parts.append(f"**Execute**: `/{skill}`")
    elif requirement["type"] == "blocking" and not _proof(requirement):
        parts.append("No skill satisfies it: when it is done, ask the person to confirm it.")
    return "\n".join(part for part in parts if part)


def _several(unmet: Sequence[Open]) -> str:
    skills = {skill_of(each.requirement) for each in unmet}
    if len(skills) == 1 and "" not in skills:
        names = _listed([each.name for each in unmet])
        return f"**Execute**: `/{skills.pop()}` (resolves {names})"
    rows = ["| Requirement | Execute |", "|---|---|"]
    rows += [f"| {each.name} | {_cell(each)} |" for each in unmet[:ROWS_CAP]]
    if len(unmet) > ROWS_CAP:
        rows.append(f"| and {len(unmet) - ROWS_CAP} more | `{COMMAND} status` |")
    return "\n".join(rows)


def _cell(unmet: Open) -> str:
    skill = skill_of(unmet.requirement)
    if skill:
        return f"`/{skill}`"
    text = unmet.requirement["short_message"] or _words_of(unmet)
    text = text or "; ".join(unmet.requirement["checklist"])
    return inline(text, CELL_CAP).replace("|", "/") or "the person decides"


def _words_of(unmet: Open) -> str:
    requirement = unmet.requirement
    return str(unmet.reason or requirement["message"] or requirement["description"])


def _proof(requirement: Requirement) -> list[str]:
    """What has to be there besides, or instead of, somebody's word."""
    lines = []
    evidence = requirement["evidence"]
    if evidence:
        sentence = f"Evidence: a file in {_quoted(evidence['dirs'])}"
        if evidence["require_markers"]:
            sentence += f" with {_quoted(evidence['require_markers'])}"
        if evidence["require_verdict"]:
            sentence += (
                f", its `## Verdict` section saying {_quoted([evidence['require_verdict']])}"
            )
        if evidence["max_age_seconds"]:
            sentence += f", at most {evidence['max_age_seconds']} seconds old"
        lines.append(f"{sentence}.")
    if requirement["evidence_required"]:
        kinds = ", ".join(requirement["evidence_required"])
        lines.append(f"Proof, newer than the last edit: {kinds}.")
    if requirement["min_confidence"] is not None:
        lines.append(f"Confidence: at least {requirement['min_confidence']} of 100.")
    return lines


def _fallback(unmet: Sequence[Open], session: str) -> str:
    """The person's way on: the whole command. A number and a condition are approved, not met."""
    commands = []
    for verb, approved in (("satisfy", False), ("approve", True)):
        names = [
            each.name for each in unmet if (each.requirement["type"] != "blocking") is approved
        ]
        if names:
            named = " ".join(names[:ROWS_CAP])
            commands.append(f"`{COMMAND} {verb} {named} --session {_bare(session)}`")
    return f"To go on regardless, the person runs in a terminal: {' and '.join(commands)}"


def _bare(session: str) -> str:
    """A session id inside a command that a person copies: nothing that a shell would read."""
    return "".join(each for each in session if each.isalnum() or each in "-_.")


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - ROWS_CAP} more" if len(names) > ROWS_CAP else ""
    return f"{', '.join(names[:ROWS_CAP])}{more}"


def _quoted(texts: Sequence[str]) -> str:
    return ", ".join(f"`{inline(text)}`" for text in texts)
