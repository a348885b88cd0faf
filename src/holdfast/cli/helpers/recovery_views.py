"""Recovery by level, and the full checkpoint, as `holdfast context` prints them."""

from __future__ import annotations

from typing import Any

from holdfast.cli.helpers.place_here import SHORT
from holdfast.cli.helpers.project_desk import Desk
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.wording import plural
from holdfast.errors import StoreError
from holdfast.hook.tokens import count
from holdfast.ledger import queries as ledger
from holdfast.rooms.decisions import deciding
from holdfast.rooms.decisions import queries as decisions
from holdfast.rooms.decisions.grounding.ratio import STRICT, told
from holdfast.rooms.notes import identifiers, notes_file
from holdfast.rooms.recovery import full_checkpoint, levels, synthesis
from holdfast.rooms.recovery.levels import Found
from holdfast.rooms.tracker import queries
from holdfast.rooms.work import commands
from holdfast.rooms.work import queries as activity

SEE = "`holdfast context recover 3`"


def recover(desk: Desk, level: int, query: str, *, inject: bool) -> Report:
    """One level, within its tokens; level 3 whole unless it is injected."""
    limits = {one: desk.settings[f"recovery.level{one}_tokens"] for one in (1, 2, 3)}
    found: list[Found] = []
    if level == 1:
        lines = _level1(desk, limits[1])
        empty = "Nothing to recover: no decision, no question, no item in work."
    elif level == 2:
        found = levels.ranked(query or _keywords(desk), documents(desk))
        lines = levels.within([one.line() for one in found], limits[2], see=SEE)
        empty = "Nothing like that was kept here."
    else:
        found = levels.ranked("", documents(desk))
        lines = [*_level1(desk, limits[1]), *(one.line(10_000) for one in found)]
        if inject:
            lines = levels.within(lines, limits[3], see=SEE)
        empty = "Nothing was kept here yet."
    text = "\n".join(lines)
    data = {
        "level": level,
        "query": query,
        "text": text,
        "tokens": count(text),
        "found": [one.as_dict() for one in found],
    }
    return Report(tuple(lines) or (empty,), data)


def _level1(desk: Desk, tokens: int) -> list[str]:
    here = desk.here
    store, project = here.workspace.store, here.project
    known = queries.identifiers(store, project)
    standings = identifiers.looked_at(here.root, known)
    return levels.level1(
        desk.active(),
        deciding.greeting(store, project, here.root),
        len(decisions.open_items(store, project, "question")),
        sum(one != identifiers.HERE for one in standings.values()),
        tokens,
    )


def _keywords(desk: Desk) -> str:
    """Without a query what the work is about is asked for."""
    goal = commands.goal_here(desk.place)
    return " ".join(goal["keywords"]) if goal else ""


def documents(desk: Desk) -> list[Found]:
    """All that a search may find: decisions, what is open, rules, handoffs, identifiers."""
    store, project = desk.here.workspace.store, desk.here.project
    found = []
    for one in decisions.history(store, project):
        state = " (superseded)" if one.superseded_by else ""
        said = f"{one.text}{state}" + (f" because {one.because}" if one.because else "")
        places = " ".join(each.where() for each in one.evidence)
        found.append(Found("decision", one.id[:SHORT], one.at, f"{said} {places}".strip()))
    for row in decisions.open_items(store, project):
        found.append(
            Found(row["sort"].replace("_", " "), row["id"][:SHORT], row["at"], row["text"])
        )
    for row in commands.rules_here(desk.place):
        found.append(Found("rule", row["id"][:SHORT], row["at"], row["text"]))
    for row in queries.identifiers(store, project):
        where = f"{row['path']}:{row['line']}-{row['last']}"
        found.append(Found("identifier", where, row["at"], row["purpose"]))
    given = activity.last_handoff(store, desk.place.about) if desk.place.about else None
    if given:
        said = "; ".join([given.summary, *map(str, given.next_steps)])
        found.append(Found("handoff", desk.place.about[:8], given.at, said))
    return found


# The full checkpoint


def full(desk: Desk) -> Report:
    """The seven steps, done now; in `strict` a finding exits with 1."""
    store, about = desk.here.workspace.store, desk.place.about
    here = deciding.Here(
        desk.here.workspace,
        project=desk.here.project,
        root=desk.here.root,
        session=about,
        at=desk.here.at,
        source=desk.here.source,
    )
    commands.checkpoint(desk.place)
    found = full_checkpoint.judge(store, here.project, here.root, about, desk.settings)
    steps = _done(desk, here, found)
    synthesis.keep(here, "checkpoint_judged", found.body("hand"))
    wrong: dict[int, list[str]] = {}
    for one in found.findings:
        wrong.setdefault(one["step"], []).append(one["says"])
    lines = [f"Full checkpoint, {found.mode}:"]
    for number, name in enumerate(full_checkpoint.STEPS, 1):
        said = "; ".join(wrong.get(number, [])) or steps.get(number, "nothing to object to")
        lines.append(f"{'○' if number in wrong else '●'} {number} {name}: {said}")
    data: dict[str, Any] = {**found.body("hand"), "session": about, "steps": steps}
    return Report(tuple(lines), data, exit_code=int(found.mode == STRICT and bool(wrong)))


def _done(desk: Desk, here: deciding.Here, found: full_checkpoint.Checkup) -> dict[int, str]:
    """Steps 3 to 6, and what each did."""
    said = {1: f"{told(found.grounded, found.claims)} ({found.grounded} of {found.claims})"}
    items = desk.tracker()
    item = items.active()
    many = synthesis.tell_item(here, items, item) if item else 0
    said[4] = f"{item['id']} was told {plural(many, 'decision')}" if item else "no item in work"
    said[6] = f"{plural(synthesis.decay(here), 'new place')} noted"
    said[3] = "notes are off"
    if desk.settings["notes.enabled"]:
        try:
            outcome = notes_file.render(here, desk.active(), desk.copies)
        except (OSError, StoreError) as error:
            found.find(3, str(error), presses=found.mode == STRICT)
        else:
            said[3] = f"in {outcome.path}" if outcome else "nothing to note"
    agent = ledger.whose(here.workspace.store, here.session)[1]
    synthesis.hand_on(here, items, item, found, agent)
    said[5] = "logged" + (f", and told to {item['id']}" if item else "")
    return said
