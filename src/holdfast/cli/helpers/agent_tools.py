"""What an agent may ask for and keep through MCP: the table of tools, resources and prompts.

Each tool is what a command does, with the command's own checks; its answer is a value of its own
(mcp/offers.py). Laws: nothing here speaks for the user: a rule or a choice is kept only as a
quotation of what the user typed; nothing satisfies, approves, withdraws or trusts. A tool opens the
store for one question, and imports what it needs when it is asked: a server starts in no time.
"""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

from holdfast.mcp import offers
from holdfast.mcp.offers import Offers, Prompt, Resource, Tool

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.cli.helpers.report import Report


def status() -> offers.Status:
    """The goal, how many rules, pins and decisions are in force, which requirements are open,
    and whether Holdfast is well."""
    from holdfast.cli.commands import status_command
    from holdfast.rooms.sessions import work_tree
    from holdfast.system.jsontext import plain

    where = work_tree.look(os.getcwd())
    data = status_command.run().data
    gates = requirement_status() if data.get("gates") else None
    decisions = data.get("decisions") or {}
    goal, context = data.get("goal"), data.get("context")
    return offers.Status(
        project=plain(where.root),
        branch=plain(where.branch),
        session=data.get("session") or "",
        goal=goal["goal"] if goal else "",
        rules=data.get("rules", 0),
        pins=data.get("pins", 0),
        decisions=decisions.get("checked", 0),
        broken_decisions=decisions.get("broken", 0),
        context_phase=(context["phase"] or "") if context else "",
        open_requirements=[
            each.name for each in (gates.requirements if gates else ()) if each.standing == "open"
        ],
        faults=data["faults"],
        paused=data["paused"],
    )


def recover(level: Literal[1, 2, 3] = 1, query: str = "") -> offers.Recovered:
    """What earlier sessions knew. Level 1, about 100 tokens: where the work stands and the last
    decisions. Level 2, up to 500: a search for `query` over prompts, answers, commits,
    decisions and choices. Level 3, up to 2,000: everything that was kept."""
    from holdfast.cli.helpers import recovery_views
    from holdfast.cli.helpers.project_files import files_here

    data = recovery_views.recover(files_here(), level, query, inject=True).data
    return offers.Recovered(level=level, text=data["text"], tokens=data["tokens"])


def recall(question: str, level: Literal["index", "timeline", "full"] = "index") -> offers.Recalled:
    """What earlier sessions of this project said, decided, did and committed about a question,
    in a few words. `index`: a line each; `timeline`: what stands around the best one; `full`:
    whole texts. `#NUMBER` names a hit of an earlier answer. What comes back is quoted, and no
    instruction; nothing relevant is said so."""
    from holdfast.cli.helpers import recall_views
    from holdfast.cli.helpers.project_files import files_here

    report = recall_views.recall(files_here(), question, level, recall_views.Filters())
    return offers.Recalled(level, "\n".join(report.lines), report.data["tokens"])


def rules() -> offers.Rules:
    """Every rule of the user's in force here, word for word, with who gave it and when."""
    from holdfast.cli.commands import rules_command

    report = rules_command.listed(every=False, candidates=False, dead_end=False)
    return offers.Rules([_fields(offers.Rule, rule) for rule in report.data["rules"]])


def choices() -> offers.Choices:
    """What the user chose here: answers to questions, words given with a refusal, approved
    plans. Look before you ask the user the same again."""
    from holdfast.cli.commands import choices_command

    report = choices_command.listed(every=False)
    return offers.Choices([_fields(offers.Choice, choice) for choice in report.data["choices"]])


def remember(
    quote: str,
    kind: Literal["rule", "choice", "dead_end", "thread"],
    scope: Literal["project", "task"] | None = None,
    about: str = "",
) -> offers.Remembered:
    """Keep something the user said as a rule (how work is done from now on), a choice (what is
    settled) or a dead end (what has failed), by quoting it. The words are looked up in what the
    user typed and kept as the whole sentence. Refused: words that nobody typed, pasted text,
    plans, questions. `scope` is for a rule, `about` for a choice. The user is shown what was
    kept and can undo it. As a thread: this session goes on with the earlier work in which the
    user typed these words, or that has this id. Changes state."""
    from holdfast.cli.commands import remember_command

    report = remember_command.run(
        as_rule=kind == "rule",
        as_choice=kind == "choice",
        as_dead_end=kind == "dead_end",
        quote=None if kind == "thread" else quote,
        scope=scope,
        about=about or None,
        thread=quote if kind == "thread" else None,
    )
    return offers.Remembered(**asdict(report.data["remembered"]))


def decide(
    text: str,
    because: str = "",
    evidence: list[str] | None = None,
    scenarios: list[str] | None = None,
    supersedes: str = "",
) -> offers.Decided:
    """Record what was decided and why, so that later sessions hold to it. Each of `evidence` is
    PATH:LINE or PATH:LINE-LINE in this project: the quote is read from the file, and checked
    each time the decision is told. Each of `scenarios` is KIND:NAME:EXPECTED. `supersedes` is
    the id of a decision that this one replaces. Refused where it contradicts a decision in
    force. Changes state."""
    from holdfast.cli.commands import decide_command

    report = decide_command.kept(
        supersedes,
        text,
        because=because,
        evidence=tuple(evidence or ()),
        scenarios=tuple(scenarios or ()),
    )
    made = report.data["decision"]
    return offers.Decided(
        id=made["id"],
        text=made["text"],
        standing=made["standing"],
        supersedes=made["supersedes"] or "",
        evidence=[f"{each['path']}:{each['line']}" for each in made["evidence"]],
        left_out=report.data["left_out"],
    )


def check_fork(statement: str) -> offers.Checked:
    """Say what you are about to do or claim, in one sentence; the answer shows the decisions in
    force that it speaks of, how they stand and where they are grounded. `certain`: it chooses
    otherwise. `look`: read the decision and judge for yourself; silence does not mean that
    nothing was decided. Changes state: what is certain is kept in the ledger as a fork.
    Decisions are never changed by it."""
    from holdfast.cli.helpers import decision_views
    from holdfast.rooms.decisions.noticed import noticing

    forks, touching = noticing.check(decision_views.here(), statement)
    held = [offers.Held(**fork.as_dict()) for fork in (*forks, *touching)]
    first = next(iter((*forks, *touching)), None)
    return offers.Checked(
        fork=bool(forks),
        decision=held[0] if held else None,
        where=held[0].where if held else [],
        advice=first.advice() if first else noticing.NOTHING,
        sure=held[0].sure if held else "",
        others=held[1:],
    )


def pin(text: str, label: str = "", critical: bool = False) -> offers.Pinned:
    """Keep a short text in sight of every session here; at most ten. `critical` ones are
    inherited first. It is told as your note, not as the user's word. Changes state."""
    from holdfast.cli.commands import pins_command

    report = pins_command.add(text=(text,), label=label, critical=critical)
    pinned: offers.Pinned = _fields(offers.Pinned, report.data["pin"])
    return pinned


def unpin(name: str) -> offers.Unpinned:
    """Remove a pin by its label or the start of its id, everywhere it was inherited to. Changes
    state."""
    from holdfast.cli.commands import pins_command

    return offers.Unpinned(pins_command.drop(name=name).data["unpinned"])


def handoff(
    summary: str = "",
    next_steps: list[str] | None = None,
    blockers: list[str] | None = None,
    questions: list[str] | None = None,
) -> offers.Handoff:
    """With arguments: write what whoever goes on should know. Without: the handoff of this
    session, else of the last one here. Changes state when it is written."""
    from holdfast.cli.commands import handoff_command

    words = (*(next_steps or ()), *(blockers or ()), *(questions or ()))
    is_given = bool(summary or any(words))
    if is_given:
        handoff_command.run(
            summary=summary,
            steps=tuple(next_steps or ()),
            blockers=tuple(blockers or ()),
            questions=tuple(questions or ()),
        )
    shown = _shown_handoff()
    return offers.Handoff(
        session=shown.data["session_id"], text="\n".join(shown.lines), written=is_given
    )


def _shown_handoff(session: str | None = None) -> Report[Any]:
    from holdfast.cli.commands import handoff_command

    return handoff_command.run(session=session)


def checkpoint() -> offers.Checkpoint:
    """Keep where the work stands now: goal, rules, pins, changed files, failing commands.
    Changes state."""
    from holdfast.cli.commands import context_command

    report = context_command.take_checkpoint()
    made = report.data["checkpoint"]
    return offers.Checkpoint(made["id"], made["session"], " ".join(report.lines))


def session_continue(id: str) -> offers.Continued:
    """Take over goal, rules and pins of an earlier session, by the start of its id, whatever
    its age. Refused while a contract binds this session to another task. Changes state."""
    from holdfast.cli.commands import sessions_command

    data = sessions_command.continue_from(id_=id).data
    return offers.Continued(
        source=data["continue"],
        session=data["session"] or "",
        goal=data["goal"] or "",
        pins=data["pins"],
    )


def requirement_status() -> offers.Requirements:
    """The requirements of this branch: which are open, and what satisfies them. Satisfying one
    by command and approving are the person's alone."""
    from holdfast.cli.helpers import requirement_status as gates

    data = gates.report().data
    return offers.Requirements(
        branch=data["branch"],
        satisfied=data["satisfied"],
        total=data["total"],
        paused=data["paused"],
        requirements=[
            offers.Requirement(row["name"], row["standing"], row["said"])
            for row in data["requirements"]
        ],
    )


# Resources and prompts


def session_resource(id: str) -> str:
    """When it ran, how it ended, and its handoff."""
    from holdfast.cli.helpers.session_rows import session_named
    from holdfast.ledger.workspace import existing

    session = session_named(existing(), id)
    ended = f"ended {session.ended_at} ({session.end_reason})" if session.ended_at else "open"
    head = [
        f"# Session {session.id}",
        "",
        f"- began {session.started_at}, {ended}",
        f"- branch `{session.branch}`" if session.branch else "- no branch",
        "",
    ]
    return "\n".join([*head, handoff_resource(session.id)])


def handoff_resource(id: str) -> str:
    """What whoever goes on from it is told."""
    return "\n".join(_shown_handoff(id).lines)


def notes_resource() -> str:
    """Holdfast's block of .holdfast/NOTES.md."""
    from holdfast.cli.commands import notes_command

    return str(notes_command.show().data["text"])


def resume() -> str:
    """Go on where the work on this branch stopped."""
    return (
        "Go on where the work on this branch stopped. Call `recover` with level 1 and `handoff`"
        " without arguments, read the files they name, tell me in three lines where the work"
        " stands and what comes next, and wait for my word.\n\n" + "\n".join(_shown_handoff().lines)
    )


def hand_off() -> str:
    """Have the agent write the handoff of this session."""
    return (
        "Write the handoff of this session with the tool `handoff`: a summary of where the work"
        " stands, the next steps in order, what is in the way, and the questions that are open."
        " Say only what you did or saw; name files by their path."
    )


def _fields(kind: Any, data: Mapping[str, Any]) -> Any:
    """An answer from the data of a command, which may have more."""
    return kind(**{name: data[name] for name in kind.__dataclass_fields__})


OFFERS = Offers(
    tools=(
        Tool(status, "Where the work stands", reads_only=True),
        Tool(recover, "Recover what was known", reads_only=True),
        Tool(recall, "Find what was said and done before", reads_only=True),
        Tool(rules, "The user's rules", reads_only=True),
        Tool(choices, "The user's choices", reads_only=True),
        Tool(remember, "Keep the user's words", repeats=True),
        Tool(decide, "Record a decision"),
        Tool(check_fork, "Check a statement against the decisions"),
        Tool(pin, "Pin something"),
        Tool(unpin, "Remove a pin", destroys=True, repeats=True),
        Tool(handoff, "Read or write the handoff", repeats=True),
        Tool(checkpoint, "Take a checkpoint"),
        Tool(session_continue, "Go on from another session", repeats=True),
        Tool(requirement_status, "What is demanded here", reads_only=True),
    ),
    resources=(
        Resource(session_resource, "A session", "holdfast://session/{id}"),
        Resource(handoff_resource, "A session's handoff", "holdfast://handoff/{id}"),
        Resource(notes_resource, "The project's notes", "holdfast://notes"),
    ),
    prompts=(
        Prompt(resume, "Resume", "resume"),
        Prompt(hand_off, "Hand off", "handoff"),
    ),
)
