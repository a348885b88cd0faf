"""Recovery by level, and the full checkpoint, as `holdfast context` prints them."""

from __future__ import annotations

from typing import TypedDict, cast

from holdfast.cli.helpers import checkpoint_views, recall_views
from holdfast.cli.helpers.place_here import SHORT
from holdfast.cli.helpers.project_files import ProjectFiles
from holdfast.cli.helpers.recall_views import Hit
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.wording import plural
from holdfast.errors import StoreError
from holdfast.hook.tokens import count
from holdfast.ledger import queries as ledger
from holdfast.rooms.decisions import deciding, queries as decisions
from holdfast.rooms.decisions.grounding.ratio import STRICT, told
from holdfast.rooms.notes import identifiers, notes_file
from holdfast.rooms.prompts.attribution import author_of
from holdfast.rooms.recall.passage import Found
from holdfast.rooms.recovery import full_checkpoint, levels, synthesis
from holdfast.rooms.tracker import queries
from holdfast.rooms.work import commands, queries as activity


class Recovered(TypedDict):
    """What was known, on one level."""

    level: int
    query: str
    text: str
    tokens: int
    found: list[Hit]


class Finding(TypedDict):
    """What a step of a full checkpoint objects to."""

    step: int
    says: str
    presses: bool


class FullCheckpoint(TypedDict):
    """What the seven steps came to; `steps` are by number."""

    session: str
    cause: str
    mode: str
    grounded: int
    claims: int
    findings: list[Finding]
    steps: dict[str, str]


SEE = "`holdfast context recover 3`"
MORE_WORDS = "ask with other words"
HITS = 50


def recover(
    project_files: ProjectFiles, level: int, query: str, *, inject: bool
) -> Report[Recovered]:
    """One level, within its tokens; level 3 whole unless it is injected."""
    limits = {
        number: project_files.settings[f"recovery.level{number}_tokens"] for number in (1, 2, 3)
    }
    matches: list[Found] = []
    if level == 1:
        lines = _level1(project_files, limits[1])
        empty = "Nothing to recover: no decision, no question, no item in work."
    elif level == 2:
        asked = query or _keywords(project_files)
        matches = (
            recall_views.hits(project_files, asked, HITS)
            if asked
            else newest_first(documents(project_files))[:HITS]
        )
        shown = [match.lines(query=asked) for match in matches]
        lines = levels.within(shown, limits[2], see=MORE_WORDS if asked else SEE)
        empty = recall_views.NOTHING
    else:
        matches = newest_first(documents(project_files))
        lines = [*_level1(project_files, limits[1]), *(match.whole() for match in matches)]
        if inject:
            lines = levels.within(lines, limits[3], see=SEE)
        empty = "Nothing was kept here yet."
    text = "\n".join(lines)
    data: Recovered = {
        "level": level,
        "query": query,
        "text": text,
        "tokens": count(text),
        "found": [cast("Hit", match.as_dict()) for match in matches],
    }
    return Report(lines or [empty], data)


def _level1(project_files: ProjectFiles, tokens: int) -> list[str]:
    here = project_files.here
    store, project = here.workspace.store, here.project
    known = queries.identifiers(store, project)
    standings = identifiers.looked_at(here.root, known)
    return levels.level1(
        project_files.active(),
        deciding.greeting(store, project, here.root),
        decisions.open_items(store, project),
        sum(looked != identifiers.HERE for looked in standings.values()),
        tokens,
    )


def _keywords(project_files: ProjectFiles) -> str:
    """What to search for without a query: what the work is about."""
    goal = commands.goal_here(project_files.place)
    return " ".join(goal["keywords"]) if goal else ""


def documents(project_files: ProjectFiles) -> list[Found]:
    """What was kept as worth knowing: decisions, what is open, rules, handoffs, identifiers."""
    store, project = project_files.here.workspace.store, project_files.here.project
    documents_found = _decided(project_files)
    for row in decisions.open_items(store, project):
        documents_found.append(
            Found(
                row["sort"].replace("_", " "),
                row["id"][:SHORT],
                row["at"],
                row["text"],
                session=row["session"],
            )
        )
    for rule in commands.rules_in_force(project_files.place):
        whose = author_of(rule)
        documents_found.append(
            Found("rule", rule.id[:SHORT], rule.at, rule.text, session=rule.session, who=whose)
        )
    for row in queries.identifiers(store, project):
        where = f"{row['path']}:{row['line']}-{row['last']}"
        documents_found.append(Found("identifier", where, row["at"], row["purpose"]))
    given = (
        activity.last_handoff(store, project_files.place.about)
        if project_files.place.about
        else None
    )
    if given:
        text = "; ".join([given.summary, *map(str, given.next_steps)])
        documents_found.append(
            Found("handoff", "", given.at, text, session=project_files.place.about)
        )
    return documents_found


def newest_first(hits: list[Found]) -> list[Found]:
    return sorted(hits, key=lambda each: each.at, reverse=True)


def _decided(project_files: ProjectFiles) -> list[Found]:
    """Every decision, with how it stands."""
    here = project_files.here
    made = decisions.history(here.workspace.store, here.project)
    judged = deciding.judged(here.workspace.store, here.root, [each.id for each in made])
    return [recall_views.decided(*each) for each in judged]


# The full checkpoint


def full(project_files: ProjectFiles) -> Report[FullCheckpoint]:
    """The seven steps, done now; in `strict` a finding exits with 1."""
    store, about = project_files.here.workspace.store, project_files.place.about
    here = project_files.here.changed(session=about)
    commands.checkpoint(project_files.place, checkpoint_views.gates_state(project_files.place))
    checkup = full_checkpoint.judge(store, here.project, here.root, about, project_files.settings)
    steps = _done(project_files, here, checkup)
    synthesis.keep(here, "checkpoint_judged", checkup.body("hand"))
    wrong: dict[int, list[str]] = {}
    for finding in checkup.findings:
        wrong.setdefault(finding["step"], []).append(finding["says"])
    lines = [f"Full checkpoint, {checkup.mode}:"]
    for number, name in enumerate(full_checkpoint.STEPS, 1):
        outcome = "; ".join(wrong.get(number, [])) or steps.get(number, "nothing to object to")
        lines.append(f"{'○' if number in wrong else '●'} {number} {name}: {outcome}")
    by_number = {str(number): outcome for number, outcome in steps.items()}
    data = cast("FullCheckpoint", {**checkup.body("hand"), "session": about, "steps": by_number})
    return Report(lines, data, exit_code=int(checkup.mode == STRICT and bool(wrong)))


def _done(
    project_files: ProjectFiles, here: deciding.Here, checkup: full_checkpoint.Checkup
) -> dict[int, str]:
    """Steps 3 to 6, and what each did."""
    outcomes = {
        1: f"{told(checkup.grounded, checkup.claims)} ({checkup.grounded} of {checkup.claims})"
    }
    items = project_files.tracker()
    item = items.active()
    many = synthesis.tell_item(here, items, item) if item else 0
    outcomes[4] = f"{item['id']} was told {plural(many, 'decision')}" if item else "no item in work"
    outcomes[6] = f"{plural(synthesis.decay(here), 'new place')} noted"
    outcomes[3] = "notes are off"
    if project_files.settings["notes.enabled"]:
        try:
            outcome = notes_file.render(here, project_files.active(), project_files.copies)
        except (OSError, StoreError) as error:
            checkup.find(3, str(error), presses=checkup.mode == STRICT)
        else:
            outcomes[3] = f"in {outcome.path}" if outcome else "nothing to note"
    agent = ledger.whose(here.workspace.store, here.session)[1]
    synthesis.hand_on(here, items, item, checkup, agent, ended=False)
    outcomes[5] = "logged" + (f"; {item['id']} is told when the session ends" if item else "")
    return outcomes
