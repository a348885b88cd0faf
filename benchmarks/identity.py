"""Does identity earn its place? Real sessions through the hook's own steps, and a turn of another
task in the place of every turn that goes on.

    python benchmarks/identity.py --data DIR [--repo OWNER/NAME] [--write]

DIR holds recorded sessions as benchmarks/field.py reads them, and labels.jsonl, in which a reader
has said of each turn of a person whether it goes on with the task. Sessions of one developer and
repository are played together, event by event, on a store of their own; at a turn that goes on, the
store is copied, and the copy is given the actions of a turn of another session: an agent that
wanders off. What the mind reads after each is what the status line would show.

Laws: every figure comes from minds that the product folded from events; what a mind is compared
with sees the same words; the first repository was in view when constants were chosen, the others
are left out; nothing but the results file is written, and it holds numbers alone.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from field import Repository, Roots, Stage, grouped
from field_events import (
    KILLED,
    Choice,
    Event,
    Reader,
    Recording,
    Turns,
    read_lines,
    recordings,
    together,
    turns_of,
)

from holdfast.agents.claude_code import payloads
from holdfast.hook.transaction import look, receive
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.identity import facets, mind, projection, queries
from holdfast.rooms.identity.drift import GOOD, cosine13, is_crisis
from holdfast.rooms.work import topics
from holdfast.system import clock, paths, processes

RESULTS = Path(__file__).parent / "results" / "identity.json"
DEVELOPED_ON = "entireio/cli"
GOES_ON = ("go", "more")
NO_BRANCH = {"", "HEAD", "main", "master"}
APART_S = 3 * 86_400
FEWEST, MOST = 3, 40  # actions of a turn that is put in another's place
SPLICES = 60  # of one developer, at most
RESAMPLES = 400
SEED = 20_250_101


@dataclass
class Judged:
    """A turn with actions: what each way of looking says for its being the session's own."""

    repository: str
    session: str
    own: bool
    done: int
    falls: bool  # the class fell below good in it
    ends_below: bool
    in_crisis: bool
    evidence: float
    ic: float
    cosine: float
    overlaps: list[float]
    words: float
    overlap: float


@dataclass
class Played:
    repository: str
    judged: list[Judged] = field(default_factory=list)
    heard: list[bool] = field(default_factory=list)  # new tasks: whether the class fell after it
    crossings: list[tuple[float, bool]] = field(default_factory=list)  # cross IC, same branch
    r_at_end: list[float] = field(default_factory=list)
    states: Counter[str] = field(default_factory=Counter)
    factors: list[tuple[float, float, float]] = field(default_factory=list)  # r, R, D: by event
    below: list[int] = field(default_factory=lambda: [0, 0])  # events below good, all
    events: int = 0


# The same words, without a mind


class Words:
    """Words of a task and of a turn, and how many sessions of the project had each."""

    def __init__(self) -> None:
        self.known: Counter[str] = Counter()
        self.sessions = 0
        self.task: dict[str, Counter[str]] = {}
        self.turn: dict[str, Counter[str]] = {}

    def begin(self, session: str, before: str) -> None:
        self.task[session] = Counter(self.task.get(before, ()))
        self.turn[session] = Counter()

    def hear(self, session: str, text: str, *, is_new: bool) -> None:
        self.task[session].update(self.turn[session])
        if is_new:
            self.task[session] = Counter()
        self.turn[session] = Counter()
        self.task[session].update(words_of(text))

    def act(self, session: str, body: dict[str, Any]) -> None:
        self.turn[session].update(words_of_tool(body))

    def end(self, session: str) -> None:
        self.task[session].update(self.turn[session])
        self.turn[session] = Counter()
        self.known.update(set(self.task[session]))
        self.sessions += 1

    def alike(self, session: str, turn: Counter[str]) -> tuple[float, float]:
        """Cosine of tf-idf, and of the plain counts."""
        task = self.task[session]
        return cosine(self._weighed(task), self._weighed(turn)), cosine(task, turn)

    def _weighed(self, count: Counter[str]) -> dict[str, float]:
        total = self.sessions + 1.5
        return {
            word: (1 + math.log(many)) * math.log(total / (self.known[word] + 0.5))
            for word, many in count.items()
        }


def words_of(text: str) -> list[str]:
    return topics.words(text[:4000])


def words_of_tool(body: dict[str, Any]) -> list[str]:
    given = body.get("input")
    texts = [each for each in given.values() if isinstance(each, str)] if given else []
    path = [body["path"]] if body.get("path") else []
    return words_of(" ".join(text[:1200] for text in texts)) + path


def cosine(a: dict[str, float] | Counter[str], b: dict[str, float] | Counter[str]) -> float:
    dot = sum(value * b.get(word, 0) for word, value in a.items())
    size = math.sqrt(sum(v * v for v in a.values()) * sum(v * v for v in b.values()))
    return dot / size if size else 0.0


# Playing


class Hook(Stage):
    """The stage of the field benchmark, with the hook's steps in this process."""

    workspace: Workspace | None = None

    def _call(self, event: Event, payload: bytes, agent: int) -> tuple[str, str]:
        self.workspace = self.workspace or Workspace(self.state)
        self.state_after = tell(self.workspace, json.loads(payload), event.at, agent)
        return "", ""


def tell(workspace: Workspace, said: dict[str, Any], at: float, agent: int) -> Any:
    """One payload through the table of events; the context that it leaves."""
    event = payloads.read(
        said,
        raw=json.dumps(said).encode(),
        at=clock.iso(at),
        process=(agent, processes.process_started(agent)),
        size=lambda path: os.path.getsize(path) if os.path.exists(path) else 0,
    )
    if event is None:
        return None
    projection.FOLDED.clear()
    steps = look(event)
    return receive(workspace, event, steps=steps)


def reading_of(store: Any, session: str) -> tuple[mind.Mind, mind.Reading] | None:
    """The mind as the last event left it, folded in this process or read."""
    folded = next((each for each in projection.FOLDED if each.entry.session == session), None)
    kept = folded.mind if folded else queries.mind_of(store, session)
    return (kept, kept.reading()) if kept else None


class Theatre:
    """Sessions of one developer, played in order."""

    def __init__(self, stage: Hook, labels: dict[str, str], played: Played) -> None:
        self.stage = stage
        self.labels = labels
        self.played = played
        self.words = Words()
        self.turns: dict[str, Turn] = {}
        self.branches: dict[str, set[str]] = {}
        self.watched: dict[str, int] = {}
        self.chance = random.Random(SEED)
        self.splices = 0

    def play(self, events: list[Event]) -> None:
        foreign = actions_of(events)
        boundaries = [each for each in events if self.labels.get(each.turn) in GOES_ON]
        stride = max(1, len(boundaries) // SPLICES)
        chosen = {id(each) for each in boundaries[::stride]}
        for event in events:
            self._play(event, foreign if id(event) in chosen else [])
        for session in list(self.turns):
            self._judge(session)

    def _play(self, event: Event, foreign: list[tuple[Event, list[Event]]]) -> None:
        session, words = event.session, self.words
        if event.name in ("UserPromptSubmit", "SessionEnd", KILLED):
            self._judge(session)
        if event.name in ("SessionEnd", KILLED):
            self._end(session)
        self.stage.send(event)
        if event.name == KILLED or self.stage.workspace is None:
            return
        self.played.events += 1
        store = self.stage.workspace.store
        self.branches.setdefault(session, set()).add(event.branch)
        if session not in words.task:
            row = queries.kept(store, session)
            words.begin(session, row.source if row else "")
        context = self.stage.state_after
        if context is None or context.kept is None:
            return
        state = reading_of(store, session)
        if state is None:
            return
        is_below = not state[1].is_provisional and state[1].ic < GOOD
        if event.name == "UserPromptSubmit":
            is_new = any(e.entry.kind == "goal_set" for e in projection.FOLDED)
            words.hear(session, event.fields["prompt"], is_new=is_new)
            self.turns[session] = Turn(is_below, self.labels.get(event.turn) in GOES_ON)
            if is_new and state[1].events > 2:
                self.watched[session] = 3
            if foreign and state[0].taken >= mind.PROVISIONAL_EVENTS:
                self._splice(event, foreign)
        elif event.name.startswith("PostToolUse"):
            words.act(session, context.kept.body)
            turn = self.turns.setdefault(session, Turn(is_below, False))
            turn.see(is_below)
            self.played.below[0] += is_below
            self.played.below[1] += 1
            self.played.states[state[1].state] += 1
            read = state[1]
            self.played.factors.append((read.r, read.reflection, read.differentiation))

    def _judge(self, session: str) -> None:
        turn = self.turns.pop(session, None)
        if turn is None or self.stage.workspace is None:
            return
        if session in self.watched:
            self.watched[session] -= 1
            if turn.falls or not self.watched[session]:
                self.played.heard.append(turn.falls)
                del self.watched[session]
        if turn.acts and turn.goes_on:
            count = self.words.turn.get(session, Counter())
            store = self.stage.workspace.store
            self._note(store, session, turn, count, own=True)

    def _note(
        self, store: Any, session: str, turn: Turn, count: Counter[str], *, own: bool
    ) -> None:
        kept = queries.mind_of(store, session)
        if kept is None or not kept.done or kept.taken < mind.PROVISIONAL_EVENTS:
            return
        reading = kept.reading()
        words, overlap = self.words.alike(session, count)
        self.played.judged.append(
            Judged(
                *(self.played.repository, session, own, kept.done),
                *(turn.falls, turn.is_below, is_crisis(reading.ic)),
                *(reading.evidence, reading.ic),
                cosine13(kept.alignments, kept.reference),
                overlaps_of(kept),
                words,
                overlap,
            )
        )

    def _end(self, session: str) -> None:
        if session not in self.words.task or self.stage.workspace is None:
            return
        self.words.end(session)
        store = self.stage.workspace.store
        state, row = reading_of(store, session), queries.kept(store, session)
        if state and state[1].events >= 30:
            self.played.r_at_end.append(state[1].r)
        if row and row.source and row.is_fixed:
            own = self.branches[session] - NO_BRANCH
            before = self.branches.get(row.source, set()) - NO_BRANCH
            if own and before:
                self.played.crossings.append((row.crossed(), bool(own & before)))

    def _splice(self, event: Event, foreign: list[tuple[Event, list[Event]]]) -> None:
        """The same prompt, and then what another session did."""
        others = [acts for first, acts in foreign if is_another(first, event, self.branches)]
        if not others or self.stage.workspace is None:
            return
        acts = self.chance.choice(others)[:MOST]
        self.stage.workspace.store.run("pragma wal_checkpoint(truncate)")
        aside = tempfile.mkdtemp(prefix="holdfast-splice-")
        try:
            shutil.copy(paths.store(self.stage.state), paths.store(aside))
            workspace = Workspace(aside)
            row = reading_of(workspace.store, event.session)
            turn, count = Turn(bool(row and row[1].ic < GOOD), True), Counter[str]()
            for number, act in enumerate(acts):
                said = {
                    "session_id": event.session,
                    "cwd": event.cwd,
                    "hook_event_name": act.name,
                    **act.fields,
                    "tool_use_id": f"splice-{number}",
                }
                context = tell(workspace, said, event.at + number, os.getpid())
                state = reading_of(workspace.store, event.session)
                if context is not None and context.kept is not None and state is not None:
                    count.update(words_of_tool(context.kept.body))
                    turn.see(not state[1].is_provisional and state[1].ic < GOOD)
            self._note(workspace.store, event.session, turn, count, own=False)
            workspace.store.close()
        finally:
            shutil.rmtree(aside, ignore_errors=True)


def overlaps_of(kept: mind.Mind) -> list[float]:
    """By facet how much of the present is the task's; -1 where one of them has nothing."""
    known = [bool(kept.present[i] and kept.sizes[i]) for i in range(mind.N)]
    return [kept._overlap(i) if is_known else -1.0 for i, is_known in enumerate(known)]


@dataclass
class Turn:
    was_below: bool
    goes_on: bool
    acts: int = 0
    falls: bool = False
    is_below: bool = False

    def see(self, is_below: bool) -> None:
        self.acts += 1
        self.falls |= is_below and not self.was_below
        self.is_below = is_below


def actions_of(events: list[Event]) -> list[tuple[Event, list[Event]]]:
    """The turns of all sessions: their prompt, and the actions after it."""
    turns: list[tuple[Event, list[Event]]] = []
    current: dict[str, list[Event]] = {}
    for event in events:
        if event.name == "UserPromptSubmit":
            current[event.session] = []
            turns.append((event, current[event.session]))
        elif event.name.startswith("PostToolUse") and event.session in current:
            current[event.session].append(event)
    return [turn for turn in turns if len(turn[1]) >= FEWEST]


def is_another(turn: Event, event: Event, branches: dict[str, set[str]]) -> bool:
    """Whether a turn is of another task: another session, three days away or on another branch."""
    if turn.session == event.session:
        return False
    names = {turn.branch, event.branch}
    return abs(turn.at - event.at) > APART_S or (len(names) == 2 and not names & NO_BRANCH)


def play(data: Path, group: list[Recording]) -> Played:
    """The sessions of one developer and repository, in a scratch folder."""
    played = Played(group[0].repository)
    folder = Path(tempfile.mkdtemp(prefix="holdfast-identity-"))
    try:
        roots = Roots([row for each in group for row in read_lines(each.path)], folder)
        turns, readers, rows = turns_of(data), [], {}
        for each in group:
            rows[each.id] = [roots.mapped(json.dumps(row)) for row in read_lines(each.path)]
            reader = Reader(each.id, Turns(turns.get(each.id, [])), Choice())
            reader.read([json.loads(row) for row in rows[each.id]])
            readers.append(reader)
        events, heirs = together(readers)
        bundle = data / "repos" / f"{group[0].repository.replace('/', '+')}.bundle"
        stage = Hook(folder, Repository(folder, roots, bundle), rows, heirs, "")
        labels = {line["id"]: line["turn"] for line in read_lines(data / "labels.jsonl")}
        try:
            sent = [
                event for event in events if event.name in payloads.HOOKS or event.name == KILLED
            ]
            Theatre(stage, labels, played).play(sent)
        finally:
            stage.close()
            if stage.workspace:
                stage.workspace.store.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return played


# Figures


def auc(scores: Iterable[float], labels: Iterable[bool]) -> float:
    """The area under the curve; equal scores are one step."""
    ranked = sorted(zip(scores, labels, strict=True), key=lambda pair: -pair[0])
    good = sum(label for _, label in ranked)
    bad = len(ranked) - good
    if not good or not bad:
        return math.nan
    area = passed = 0.0
    for _, group in groupby(ranked, key=lambda pair: pair[0]):
        members = [label for _, label in group]
        right = sum(members)
        wrong = len(members) - right
        area += right * (bad - passed - wrong / 2)
        passed += wrong
    return area / (good * bad)


def fits(turn: Judged, trust: Sequence[int]) -> float:
    """How well a turn fits, with other trust in facets."""
    known = [
        (weight, overlap**2 / (overlap**2 + middle**2))
        for weight, overlap, middle in zip(trust, turn.overlaps, mind.MIDDLE, strict=True)
        if overlap >= 0 and weight
    ]
    total = sum(weight for weight, _ in known)
    return sum(weight * fit for weight, fit in known) / total if total else 1.0


WAYS = {
    "identity": lambda turn: turn.evidence,
    "identity, by IC": lambda turn: turn.ic,
    "identity, by the cosine alone": lambda turn: turn.cosine,
    "words, tf-idf": lambda turn: turn.words,
    "words, plain counts": lambda turn: turn.overlap,
}


def areas(judged: list[Judged]) -> dict[str, float]:
    own = [turn.own for turn in judged]
    return {name: round(auc(map(way, judged), own), 3) for name, way in WAYS.items()}


def facet_figures(judged: list[Judged]) -> dict[str, list[float]]:
    """By facet: the area by it alone, and what it brings to those that are judged by."""
    own = [turn.own for turn in judged]

    def area(trust: Sequence[int]) -> float:
        return auc((fits(turn, trust) for turn in judged), own)

    table = {}
    for i, name in enumerate(facets.NAMES):
        alone = [int(at == i) for at in range(mind.N)]
        without = [0 if at == i else each for at, each in enumerate(mind.TRUST)]
        with_it = [mind.TRUST[i] or 1 if at == i else each for at, each in enumerate(mind.TRUST)]
        table[name] = [round(area(alone), 3), round(area(with_it) - area(without), 4)]
    return table


def better_by(judged: list[Judged], theirs: str) -> list[float]:
    """95 % interval of identity's lead, sessions drawn with replacement."""
    by_session: dict[str, list[Judged]] = {}
    for turn in judged:
        by_session.setdefault(turn.session, []).append(turn)
    names, chance, leads = sorted(by_session), random.Random(SEED), []
    for _ in range(RESAMPLES):
        drawn = [turn for _ in names for turn in by_session[chance.choice(names)]]
        own = [turn.own for turn in drawn]
        lead = auc(map(WAYS["identity"], drawn), own) - auc(map(WAYS[theirs], drawn), own)
        if not math.isnan(lead):
            leads.append(lead)
    leads.sort()
    return [round(leads[int(len(leads) * share)], 3) for share in (0.025, 0.975)]


def share(answers: Iterable[bool]) -> float:
    known = list(answers)
    return round(sum(known) / max(1, len(known)), 3)


def figures(played: list[Played]) -> dict[str, Any]:
    judged = [turn for each in played for turn in each.judged]
    own, spliced = [t for t in judged if t.own], [t for t in judged if not t.own]
    crossings = [pair for each in played for pair in each.crossings]
    below, acts = (sum(each.below[at] for each in played) for at in (0, 1))
    return {
        "events": sum(each.events for each in played),
        "turns": {"own": len(own), "spliced": len(spliced)},
        "auc": areas(judged),
        "identity_better_by": {n: better_by(judged, n) for n in WAYS if n.startswith("words")},
        "class_falls": {
            "spliced": share(t.falls for t in spliced),
            "own": share(t.falls for t in own),
        },
        "ends_below_good": {
            "spliced": share(t.ends_below for t in spliced),
            "own": share(t.ends_below for t in own),
        },
        "in_crisis": {
            "spliced": share(t.in_crisis for t in spliced),
            "own": share(t.in_crisis for t in own),
        },
        "events_below_good": round(below / max(1, acts), 3),
        "new_tasks": {
            "heard": sum(len(each.heard) for each in played),
            "class_falls_after": share(fell for each in played for fell in each.heard),
        },
        "cross_ic": {
            "pairs": len(crossings),
            "same_branch": sum(same for _, same in crossings),
            "auc": _crossing_area(crossings),
        },
        "r_at_end": {
            "sessions": sum(len(each.r_at_end) for each in played),
            "at_least_0.9": share(r >= 0.9 for each in played for r in each.r_at_end),
            "below_0.5": share(r < 0.5 for each in played for r in each.r_at_end),
        },
        "ranges": ranges([each for one in played for each in one.factors]),
        "states": dict(sum((each.states for each in played), Counter[str]())),
        "facets": facet_figures(judged),
    }


def ranges(factors: list[tuple[float, float, float]]) -> dict[str, list[float]]:
    """Of r, reflection and differentiation the 2nd, 10th, 50th, 90th and 98th percentile."""
    named = zip(("r", "reflection", "differentiation"), zip(*factors, strict=True), strict=True)
    return {
        name: [sorted(values)[len(values) * part // 100] for part in (2, 10, 50, 90, 98)]
        for name, values in named
    }


def _crossing_area(crossings: list[tuple[float, bool]]) -> float | None:
    area = auc((ic for ic, _ in crossings), (same for _, same in crossings))
    return None if math.isnan(area) else round(area, 3)


def main() -> None:
    options = argparse.ArgumentParser(description="Whether identity tells drift from work.")
    options.add_argument("--data", type=Path, required=True, help="folder of recorded sessions")
    options.add_argument("--repo", help="one repository alone")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--turns", type=Path, help="written: a line for each judged turn")
    options.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    given = options.parse_args()
    data = given.data.resolve()
    chosen = [each for each in recordings(data) if given.repo in (None, each.repository)]
    began, played = time.perf_counter(), []
    with ProcessPoolExecutor(given.jobs, max_tasks_per_child=1) as pool:
        for each in pool.map(play, [data] * len(grouped(chosen)), grouped(chosen)):
            played.append(each)
            passed = time.perf_counter() - began
            print(f"  {each.events} events, {passed:.0f} s", file=sys.stderr, flush=True)
    if given.turns:
        lines = [json.dumps(asdict(turn)) for each in played for turn in each.judged]
        given.turns.write_text("\n".join(lines) + "\n")
    developed = [each for each in played if each.repository == DEVELOPED_ON]
    left_out = [each for each in played if each.repository != DEVELOPED_ON]
    parts = {"developed on": developed, "left out": left_out}
    results = {name: figures(part) for name, part in parts.items() if part}
    for number, name in enumerate(sorted({each.repository for each in left_out}), 1):
        part = [turn for each in left_out if each.repository == name for turn in each.judged]
        results.setdefault("left out, each", {})[str(number)] = {"turns": len(part), **areas(part)}
    print(json.dumps(results, indent=1))
    if given.write:
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
