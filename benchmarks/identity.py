"""Does identity earn its place? Same task, drift, the person's own changes, and the ranges reached.

    python benchmarks/identity.py --data DIR [--write]

DIR holds recorded sessions of one repository: index.json, and per session one gzipped file of JSON
lines (prompt, reply, tool, result). A mind is fed what the hooks would keep, in their order. The
branch is the label and never a feature. Constants are fixed in the package; branches are dealt into
two halves by a checksum of their names, and figures are told for both.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import random
import sys
import zlib
from collections import Counter, defaultdict
from datetime import datetime
from itertools import groupby
from pathlib import Path

from holdfast.agents.acts import PATH_FIELDS
from holdfast.agents.claude_code import payloads
from holdfast.rooms.identity.drift import GOOD
from holdfast.rooms.identity.mind import PROVISIONAL_EVENTS, Mind, Reading
from holdfast.rooms.prompts import goal, understanding
from holdfast.rooms.prompts.queries import Goal
from holdfast.rooms.work import relevance
from holdfast.rooms.work import topics as work_topics

RESULTS = Path(__file__).parent / "results"
NO_TASK = {"main", "master", "HEAD", "", None}
DAYS = 3
RECENT_HOURS = 24.0
PROMPTS = 3  # of a splice
RESAMPLES = 400
LONG = 30  # events


class Session:
    def __init__(self, name: str, told: dict, lines: list[dict], known: set[str]) -> None:
        times = [_time(line["at"]) for line in lines if line.get("at")]
        self.name = name
        self.first, self.last = min(times), max(times)
        self.branches = {line.get("branch") for line in lines} - NO_TASK
        self.all_branches = {line.get("branch") for line in lines}
        self.prompts = [line["text"] for line in lines if line["kind"] == "prompt"]
        self.turns = _turns(lines, _roots(lines, known))
        self.events = [event for turn in self.turns for event in turn.events]
        self.inherited = ""  # what the sessions before handed on, without a purpose
        self.mind = Mind()
        self.legacy = ""

    @property
    def half(self) -> int:
        return min((zlib.crc32(b.encode()) & 1 for b in self.branches), default=0)


class Turn:
    def __init__(self, branch: str | None) -> None:
        self.branch = branch
        self.events: list[tuple[str, object]] = []


def _time(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def load(folder: Path) -> list[Session]:
    index = json.loads((folder / "index.json").read_text())
    known = {file for told in index.values() for file in told["files"]}
    found = []
    for name, told in index.items():
        with gzip.open(folder / f"{name}.jsonl.gz", "rt") as lines:
            found.append(Session(name, told, [json.loads(line) for line in lines], known))
    return sorted(found, key=lambda session: (session.first, session.name))


def _roots(lines: list[dict], known: set[str]) -> list[str]:
    """Where the repository lay: what stands before a path that it is known to have."""
    roots: Counter[str] = Counter()
    for line in lines:
        given = line.get("input")
        for key in PATH_FIELDS if isinstance(given, dict) else ():
            parts = str(given.get(key, "")).split("/")
            for at in range(2, len(parts)):
                if "/".join(parts[at:]) in known:
                    roots["/".join(parts[:at]) + "/"] += 1
                    break
    return sorted(roots, key=lambda root: (-len(root), root))


def _turns(lines: list[dict], roots: list[str]) -> list[Turn]:
    """Prompts and tools as `prompt_given` and `tool_used` entries would have them."""
    results = {line["id"]: line for line in lines if line["kind"] == "result"}
    turns: list[Turn] = []
    for line in lines:
        if line["kind"] == "prompt":
            if line["text"].startswith("<task-notification>"):
                continue
            turns.append(Turn(line.get("branch")))
            turns[-1].events.append(("prompt", line["text"]))
        elif line["kind"] == "tool":
            if not turns:
                turns.append(Turn(line.get("branch")))
            turns[-1].events.append(("tool", _body(line, results.get(line["id"]), roots)))
    return turns


def _body(line: dict, result: dict | None, roots: list[str]) -> dict:
    said = {"tool_name": line["tool"], "tool_input": line["input"]}
    text = (result or {}).get("text", "")
    if result is not None and result.get("ok") is False:
        body = payloads._tool_failure({**said, "error": text})[1]
    else:
        body = payloads._post_tool({**said, "tool_response": {"stdout": text}})[1]
    for root in roots:  # entries hold paths below the root
        if body.get("path", "").startswith(root):
            body["path"] = body["path"][len(root) :]
        if "command" in body:
            body["command"] = body["command"].replace(root, "")
    return body


def feed(mind: Mind, event: tuple[str, object], *, is_new_task: bool = False) -> None:
    kind, what = event
    if kind == "prompt":
        mind.prompt(what, is_new_task=is_new_task)
    else:
        mind.tool(what)


def fold_all(sessions: list[Session]) -> None:
    """Every session by itself, knowing only what was usual in the sessions before it."""
    handed = ""
    for session in sessions:
        session.inherited = handed
        mind = anew(session)
        for event in session.events:
            feed(mind, event)
        mind.rest()
        session.mind, session.legacy = mind, mind.legacy()
        handed = session.legacy


def anew(session: Session) -> Mind:
    """A mind with the project's baseline and no purpose yet."""
    mind = Mind.begin(session.inherited)
    usual = mind.usual
    mind = Mind()
    mind.usual = usual
    mind._weigh()
    return mind


# (a) same task


def pairs(sessions: list[Session]) -> list[tuple[Session, Session]]:
    return [
        (a, b)
        for i, a in enumerate(sessions)
        for b in sessions[i + 1 :]
        if b.first - a.last <= DAYS * 86400
    ]


def hours(a: Session, b: Session) -> float:
    return max(0.0, (b.first - a.last) / 3600)


def same_task(sessions: list[Session]) -> dict[str, list[float]]:
    found = pairs(sessions)
    words = _vectors(
        [Counter(w for p in s.prompts for w in work_topics.words(p[:4000])) for s in sessions]
    )
    paths = _vectors([Counter(_names(s)) for s in sessions])
    place = {id(s): i for i, s in enumerate(sessions)}
    topics = [work_topics.top(_topics(s)) for s in sessions]
    scores: dict[str, list[float]] = defaultdict(list)
    for a, b in found:
        i, j, gap = place[id(a)], place[id(b)], hours(a, b)
        text, path = _dot(words[i], words[j]), _dot(paths[i], paths[j])
        fresh = 1 / (1 + gap / RECENT_HOURS)
        kin = b.mind.kinship(a.legacy)
        scores["most recent"].append(-gap)
        scores["seed's relevance"].append(relevance.score(gap, topics[i], topics[j], 0))
        scores["tf-idf"].append(text)
        scores["tf-idf + paths"].append(text + path)
        scores["tf-idf + paths + recency"].append(text + path + 0.4 * (1 - gap / 168))
        # The form of recency that identity has, with the constant that serves these words best.
        scores["tf-idf + paths, same recency"].append((text + path + 0.2) * (fresh + 0.1))
        scores["identity"].append(kin)
        scores["identity + recency"].append((kin + 0.05) * (fresh + 0.1))
    scores["label"] = [float(bool(a.branches & b.branches)) for a, b in found]
    return scores


def _names(session: Session) -> list[str]:
    return [
        w["path"].rsplit("/", 1)[-1] for k, w in session.events if k == "tool" and w.get("path")
    ]


def _topics(session: Session) -> Counter[str]:
    found: Counter[str] = Counter()
    for turn in session.turns:
        found.update(_turn_topics(turn))
    return found


def _vectors(counts: list[Counter[str]]) -> list[dict[str, float]]:
    known = Counter(word for count in counts for word in count)
    vectors = []
    for count in counts:
        vector = {w: (1 + math.log(n)) * math.log(len(counts) / known[w]) for w, n in count.items()}
        size = math.sqrt(sum(v * v for v in vector.values())) or 1.0
        vectors.append({w: v / size for w, v in vector.items()})
    return vectors


def _dot(a: dict[str, float], b: dict[str, float]) -> float:
    return sum(v * b.get(w, 0.0) for w, v in a.items())


def auc_ap(scores: list[float], labels: list[float]) -> tuple[float, float]:
    """Area under the curve, and average precision; equal scores are one step."""
    ranked = sorted(zip(scores, labels, strict=True), key=lambda pair: -pair[0])
    good = sum(labels)
    bad = len(labels) - good
    if not good or not bad:
        return math.nan, math.nan
    area = precision = seen = hits = 0.0
    passed = 0.0
    for _, group in groupby(ranked, key=lambda pair: pair[0]):
        members = [label for _, label in group]
        right = sum(members)
        wrong = len(members) - right
        area += right * (bad - passed - wrong / 2)
        passed += wrong
        hits += right
        seen += len(members)
        precision += right * hits / seen
    return area / (good * bad), precision / good


def bootstrap(
    found, scores, ours: str, theirs: str, seed: int = 1
) -> tuple[list[float], list[float]]:
    """95 % intervals of the difference in AUC and AP, branches drawn with replacement.

    A pair belongs to the first branch of its later session, or to that session if it has none.
    """
    groups: dict[str, list[int]] = defaultdict(list)
    for at, (_, b) in enumerate(found):
        groups[min(b.branches, default=b.name)].append(at)
    names, rng, areas, precisions = sorted(groups), random.Random(seed), [], []
    for _ in range(RESAMPLES):
        drawn = [at for _ in names for at in groups[rng.choice(names)]]
        labels = [scores["label"][at] for at in drawn]
        one = auc_ap([scores[ours][at] for at in drawn], labels)
        other = auc_ap([scores[theirs][at] for at in drawn], labels)
        areas.append(one[0] - other[0])
        precisions.append(one[1] - other[1])
    return _interval(areas), _interval(precisions)


def _interval(values: list[float]) -> list[float]:
    ranked = sorted(value for value in values if not math.isnan(value))
    return [round(ranked[int(len(ranked) * share)], 3) for share in (0.025, 0.975)]


# (b) drift, (c) the person's own changes, (d) ranges


def is_change(turn: Turn, before: Turn | None) -> bool:
    return before is not None and turn.branch != before.branch


def boundaries(sessions: list[Session]) -> list[tuple[Session, int]]:
    """Prompts that go on with the same branch, after a purpose of at least five events."""
    found = []
    for session in sessions:
        size = 0
        for at, turn in enumerate(session.turns):
            before = session.turns[at - 1] if at else None
            if is_change(turn, before):
                size = 0
            elif before is not None:
                size += len(before.events)
                if size >= PROVISIONAL_EVENTS and session.branches:
                    found.append((session, at))
    return found


def drift(sessions: list[Session], seed: int = 3) -> dict:
    """At every boundary: the session's own next turn, and three turns of another branch instead."""
    rng = random.Random(seed)
    every = boundaries(sessions)
    spliced: dict[tuple[str, int], list[Turn]] = {}
    for session, at in every:
        others = [
            other
            for other in sessions
            if other.branches
            and not other.branches & session.branches
            and len(other.turns) >= PROMPTS
        ]
        other = rng.choice(others)
        start = rng.randrange(len(other.turns) - PROMPTS + 1)
        spliced[session.name, at] = other.turns[start : start + PROMPTS]
    said: list[tuple[float, float]] = []
    done: list[Judged] = []
    noticed: dict[int, Counter[int]] = {0: Counter(), 1: Counter()}
    false_alarms: Counter[int] = Counter()
    under = 0
    words = TurnWords()
    for session in sessions:
        half = session.half
        mind, is_alarmed, before = anew(session), False, None
        for at, turn in enumerate(session.turns if session.branches else ()):
            if is_change(turn, before):
                words.forget()
            foreign = spliced.get((session.name, at))
            if foreign is not None:
                taken = Mind.unpack(mind.pack())
                count, first, last = _splice(taken, foreign)
                noticed[half][count] += 1
                said.append((first.evidence, 0.0))
                if len(foreign[0].events) > 1:
                    done.append(Judged(session, 0.0, last, words.alike(foreign[0])))
            first, falls, is_alarmed, last = _live(mind, turn, is_alarmed, is_change(turn, before))
            if foreign is not None:
                false_alarms[half] += falls
                under += is_alarmed
                said.append((first.evidence, 1.0))
                if len(turn.events) > 1:
                    done.append(Judged(session, 1.0, last, words.alike(turn)))
            words.take(turn)
            before = turn
        words.end(session)
    total = len(spliced)
    sizes = {half: sum(noticed[half].values()) for half in (0, 1)}
    return {
        "splices": total,
        "auc_prompt": round(auc_ap(*map(list, zip(*said, strict=True)))[0], 3),
        "auc_actions": {
            name: [
                _auc(done, name),
                *(_auc([d for d in done if d.half == h], name) for h in (0, 1)),
            ]
            for name in done[0].scores
        },
        "better_by": {
            name: _better_by(done, "identity", name)
            for name in done[0].scores
            if not name.startswith("identity")
        },
        "noticed_within": [
            round(sum(noticed[h][k] for h in (0, 1) for k in range(1, n + 1)) / total, 3)
            for n in range(1, PROMPTS + 1)
        ],
        "noticed_halves": [round(1 - noticed[h][0] / sizes[h], 3) for h in (0, 1)],
        "false_alarms_per_prompt": round(sum(false_alarms.values()) / total, 4),
        "false_alarms_halves": [round(false_alarms[h] / sizes[h], 4) for h in (0, 1)],
        "own_prompts_that_end_below_good": round(under / total, 4),
        "splices_without_an_action": round(
            sum(all(len(t.events) == 1 for t in turns) for turns in spliced.values()) / total, 3
        ),
    }


class Judged:
    """A turn with actions, and what each way of looking says for its being the session's own."""

    def __init__(
        self, session: Session, label: float, last: Reading, others: dict[str, float]
    ) -> None:
        self.branch = min(session.branches)
        self.half = session.half
        self.label = label
        self.scores = {"identity": last.evidence, "identity, by IC": last.ic, **others}


def _auc(done: list[Judged], name: str) -> float:
    return round(auc_ap([d.scores[name] for d in done], [d.label for d in done])[0], 3)


def _better_by(done: list[Judged], ours: str, theirs: str, seed: int = 1) -> list[float]:
    """The 95 % interval of the difference in AUC, branches drawn with replacement."""
    groups: dict[str, list[Judged]] = defaultdict(list)
    for one in done:
        groups[one.branch].append(one)
    names, rng, found = sorted(groups), random.Random(seed), []
    for _ in range(RESAMPLES):
        drawn = [one for _ in names for one in groups[rng.choice(names)]]
        found.append(_auc(drawn, ours) - _auc(drawn, theirs))
    return _interval(found)


class TurnWords:
    """The baselines of drift: a turn's words beside those since the branch began. How many sessions
    had a word is known from the sessions before. The most recent turn is the same for both, so
    recency has nothing to say here."""

    def __init__(self) -> None:
        self.known: Counter[str] = Counter()
        self.sessions = 0
        self.seen: set[str] = set()
        self.forget()

    def forget(self) -> None:
        self.past: Counter[str] = Counter()
        self.topics: Counter[str] = Counter()

    def take(self, turn: Turn) -> None:
        found = _turn_words(turn)
        self.past += found
        self.seen |= set(found)
        self.topics.update(_turn_topics(turn))

    def end(self, session: Session) -> None:
        for turn in session.turns:
            self.seen |= set(_turn_words(turn))
        self.known.update(self.seen)
        self.sessions += 1
        self.seen = set()
        self.forget()

    def alike(self, turn: Turn) -> dict[str, float]:
        now, before = self._vector(_turn_words(turn)), self._vector(self.past)
        topics = work_topics.top(_turn_topics(turn))
        return {
            "tf-idf of prompts and actions": _dot(now, before),
            "seed's relevance": relevance.score(0, work_topics.top(self.topics), topics, 0),
        }

    def _vector(self, count: Counter[str]) -> dict[str, float]:
        total = self.sessions + 1.5
        vector = {
            w: (1 + math.log(n)) * math.log(total / (self.known[w] + 0.5)) for w, n in count.items()
        }
        size = math.sqrt(sum(v * v for v in vector.values())) or 1.0
        return {w: v / size for w, v in vector.items()}


def _turn_words(turn: Turn) -> Counter[str]:
    found: Counter[str] = Counter()
    for kind, what in turn.events:
        if kind == "prompt":
            found.update(work_topics.words(what[:4000]))
            continue
        texts = [value for value in what["input"].values() if isinstance(value, str)]
        found.update(work_topics.words(" ".join(text[:1200] for text in texts)))
        if what.get("path"):
            found[what["path"]] += 1
    return found


def _turn_topics(turn: Turn) -> Counter[str]:
    found: Counter[str] = Counter()
    for kind, what in turn.events:
        found.update(
            work_topics.of_prompt(what)
            if kind == "prompt"
            else work_topics.of_tool(what["tool"], what["input"])
        )
    return found


def _live(mind: Mind, turn: Turn, is_alarmed: bool, is_new: bool):
    """One turn as the product lives it; whether the class fell in it."""
    falls, first, last = False, None, None
    for place, event in enumerate(turn.events):
        feed(mind, event, is_new_task=is_new and place == 0)
        last = mind.reading()
        first = first or last
        falls |= last.ic < GOOD and not is_alarmed
        is_alarmed = last.ic < GOOD
    mind.rest()
    last = mind.reading()
    falls |= last.ic < GOOD and not is_alarmed
    return first, falls, last.ic < GOOD, last


def _splice(mind: Mind, turns: list[Turn]) -> tuple[int, Reading, Reading]:
    """After how many foreign prompts the class fell, or 0; and how the first one was read."""
    read, noticed = None, 0
    for count, turn in enumerate(turns, 1):
        first, falls, _, last = _live(mind, turn, False, False)
        read = read or (first, last)
        if falls:
            noticed = count
            break
    return noticed, *read


def own_changes(sessions: list[Session]) -> dict:
    """Alarms in the turn of a prompt that begins another task, and in the two after it."""
    heard = branch = heard_alarms = branch_alarms = 0
    for session in sessions:
        mind, is_alarmed, before, current = anew(session), False, None, None
        watched: list[list] = []
        for turn in session.turns:
            is_new, current = _hear(turn, current)
            changes = is_change(turn, before) and not {turn.branch, before.branch} & {"HEAD", None}
            _, falls, is_alarmed, _ = _live(mind, turn, is_alarmed, is_new)
            if is_new:
                watched.append(["heard", 3, False])
            if changes:
                watched.append(["branch", 3, False])
            for one in watched:
                if one[1]:
                    one[1] -= 1
                    one[2] |= falls
            before = turn
        heard += sum(kind == "heard" for kind, _, _ in watched)
        branch += sum(kind == "branch" for kind, _, _ in watched)
        heard_alarms += sum(kind == "heard" and alarmed for kind, _, alarmed in watched)
        branch_alarms += sum(kind == "branch" and alarmed for kind, _, alarmed in watched)
    return {
        "heard_as_new_task": heard,
        "alarming": round(heard_alarms / max(1, heard), 3),
        "branch_changes": branch,
        "branch_changes_alarming": round(branch_alarms / max(1, branch), 3),
    }


def _hear(turn: Turn, current: Goal | None) -> tuple[bool, Goal | None]:
    """Whether continuity hears a new task in the turn's prompt, as the product asks it."""
    kind, text = turn.events[0]
    if kind != "prompt":
        return False, current
    heard = understanding.hear(text)
    related = current is not None and understanding.is_same_task(current.keywords, text)
    words = understanding.keywords(text, 20)
    verdict = goal.judge(heard, current, is_first=current is None, is_related=related, words=words)
    if verdict == goal.KEPT:
        return False, current
    keywords = understanding.keywords(heard.goal, 10)
    return current is not None, Goal("", "", "", "", heard.goal, keywords, "", "prompt")


def shuffled(session: Session, sessions: list[Session], share: int, rng: random.Random) -> list:
    """All own events and `share` foreign ones for each, every one drawn by itself from a session
    of other branches, in random order."""
    foreign = [s for s in sessions if s.branches and not s.branches & session.branches]
    drawn = [rng.choice(rng.choice(foreign).events) for _ in range(share * len(session.events))]
    return rng.sample([*session.events, *drawn], (1 + share) * len(session.events))


def woven(session: Session, sessions: list[Session], share: int, rng: random.Random) -> list:
    """The same, but own events keep their order and foreign ones stand between them."""
    foreign = [s for s in sessions if s.branches and not s.branches & session.branches]
    return [
        one
        for event in session.events
        for one in (event, *(rng.choice(rng.choice(foreign).events) for _ in range(share)))
    ]


def ranges(sessions: list[Session], seed: int = 5) -> dict:
    """r and states of one-branch sessions, and of the same with foreign events mixed in."""
    rng = random.Random(seed)
    steady = [s for s in sessions if len(s.all_branches) == 1 and len(s.events) >= LONG]
    states: Counter[str] = Counter()
    mixed_states: Counter[str] = Counter()
    own = [_fold_on(anew(s), s.events, states) for s in steady]
    ends: dict[str, list[float]] = {}
    found: dict = {"sessions": len(steady), "mixed": {}}
    for name, mix, share in (
        ("own events alone, shuffled", shuffled, 0),
        ("shuffled 1:1", shuffled, 1),
        ("shuffled 1:3", shuffled, 3),
        ("woven 1:1", woven, 1),
        ("woven 1:3", woven, 3),
    ):
        rows = [_fold_on(anew(s), mix(s, sessions, share, rng), mixed_states) for s in steady]
        ends[name] = [reading.r for reading, _ in rows]
        found["mixed"][name] = {
            "end_below": _share(r < 0.5 for r in ends[name]),
            "ever_below": _share(low < 0.5 for _, low in rows),
            "halves_end_below": [
                _share(row[0].r < 0.5 for row, s in zip(rows, steady, strict=True) if s.half == h)
                for h in (0, 1)
            ],
        }
    return {
        **found,
        "r_at_end": [reading.r for reading, _ in own],
        "ic_at_end": [reading.ic for reading, _ in own],
        "steady_share": _share(reading.r >= 0.9 for reading, _ in own),
        "steady_ever_below": _share(low < 0.5 for _, low in own),
        "r_mixed": ends,
        "states": dict(states),
        "states_mixed": dict(mixed_states),
    }


def _fold_on(mind: Mind, events: list, states: Counter[str]) -> tuple[Reading, float]:
    """How it ends, and the lowest r after the first fifteen events."""
    low = 1.0
    for event in events:
        feed(mind, event)
        reading = mind.reading()
        states[reading.state] += 1
        if mind.events > LONG // 2:
            low = min(low, reading.r)
    mind.rest()
    return mind.reading(), low


def _share(told) -> float:
    answers = list(told)
    return round(sum(answers) / max(1, len(answers)), 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help="keep the results beside this file")
    parser.add_argument("--only", default="abcd", help="parts: same task, drift, changes, ranges")
    asked = parser.parse_args()
    sessions = load(asked.data)
    fold_all(sessions)
    found: dict = {"sessions": len(sessions)}
    if "a" in asked.only:
        found["same_task"] = report_same_task(sessions)
    if "b" in asked.only:
        found["drift"] = drift(sessions)
    if "c" in asked.only:
        found["own_changes"] = own_changes(sessions)
    if "d" in asked.only:
        found["ranges"] = ranges(sessions)
    shown = json.loads(json.dumps(found))
    for key in ("r_at_end", "ic_at_end", "r_mixed"):
        shown.get("ranges", {}).pop(key, None)
    json.dump(shown, sys.stdout, indent=1)
    print()
    if asked.write:
        write(found)


def write(found: dict) -> None:
    """The figures, those of other parts staying; r of steady and mixed sessions as pictures."""
    drawn = found.get("ranges", {})
    file = RESULTS / "identity.json"
    before = json.loads(file.read_text()) if file.exists() else {}
    kept = {**before, **json.loads(json.dumps(found))}
    for key in ("r_at_end", "ic_at_end", "r_mixed"):
        kept.get("ranges", {}).pop(key, None)
    RESULTS.mkdir(exist_ok=True)
    file.write_text(json.dumps(kept, indent=1) + "\n")
    if drawn:
        series = {"one branch": drawn["r_at_end"]}
        series |= drawn["r_mixed"]
        (RESULTS / "identity-r.svg").write_text(picture("r at the end", series))
        ic = {"one branch": drawn["ic_at_end"]}
        (RESULTS / "identity-ic.svg").write_text(picture("IC at the end", ic))


def picture(title: str, series: dict[str, list[float]]) -> str:
    """Histograms over 0..1 in steps of a twentieth, one above the other."""
    rows = []
    for row, (name, values) in enumerate(series.items()):
        bottom = 110 + 100 * row
        bins = Counter(min(19, int(value * 20)) for value in values)
        most = max(bins.values(), default=1)
        rows.append(f'<text x="10" y="{bottom - 60}">{name} ({len(values)})</text>')
        rows.append(f'<path d="M150 {bottom}h400" stroke="#888"/>')
        for place, count in sorted(bins.items()):
            high = 70 * count / most
            rows.append(
                f'<rect x="{150 + 20 * place}" y="{bottom - high:.1f}" width="18"'
                f' height="{high:.1f}" fill="#47a"><title>{count}</title></rect>'
            )
        rows += [f'<text x="{145 + 200 * k}" y="{bottom + 15}">{k / 2}</text>' for k in range(3)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="580" height="{40 + 100 * len(series)}"'
        f' font-family="sans-serif" font-size="12"><text x="10" y="20">{title}</text>'
        + "".join(rows)
        + "</svg>\n"
    )


def report_same_task(sessions: list[Session]) -> dict:
    scores, found = same_task(sessions), pairs(sessions)
    labels = scores["label"]
    told: dict = {"pairs": len(found), "same": int(sum(labels)), "figures": {}, "halves": {}}
    for name, values in scores.items():
        if name == "label":
            continue
        told["figures"][name] = [round(value, 3) for value in auc_ap(values, labels)]
        for half in (0, 1):
            picked = [at for at, (_, b) in enumerate(found) if b.half == half]
            figure = auc_ap([values[at] for at in picked], [labels[at] for at in picked])
            told["halves"].setdefault(str(half), {})[name] = [round(value, 3) for value in figure]
    branched = [at for at, (a, b) in enumerate(found) if a.branches and b.branches]
    told["branched_only"] = {
        name: [
            round(value, 3)
            for value in auc_ap([values[at] for at in branched], [labels[at] for at in branched])
        ]
        for name, values in scores.items()
        if name != "label"
    }
    told["better_by"] = {
        name: bootstrap(found, scores, "identity + recency", name)
        for name in scores
        if name not in ("label", "identity", "identity + recency")
    }
    return told


if __name__ == "__main__":
    main()
