"""Which earlier session does a session go on with? The weights of rooms/threads/linking.py, on
recorded sessions, without playing them.

    python benchmarks/thread_links.py --data DIR [--draws 400]

DIR holds recorded sessions and threads.jsonl, in which readers say which sessions go on with which.
Sessions of one developer and repository are taken in order of time. What can be seen of each
earlier one (branches, the words of its prompts and of the agent's messages, when it was at work)
adds up to one figure, as in linking.py; facts of files and crashes are left out, for the recordings
have none.

Printed: how often the first session told of is right where work goes on, how often one is told
where none goes on, and how well sessions that share a thread are told apart; with the weights in
force, and with those of so many random draws that do best on all other repositories, for each one
left out.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from field_events import Choice, Event, Reader, Turns, read_lines, recordings, together, turns_of

from holdfast.rooms.threads import linking, queries, terms

Weights = dict[str, float]
IN_FORCE: Weights = {
    "prompt": linking.PROMPT,
    "name": linking.NAME,
    "age": linking.AGE,
    "own": linking.OWN_BRANCH,
    "shared": linking.SHARED_BRANCH,
    "cleared": linking.JUST_CLEARED,
    "number": linking.NUMBER,
    "other number": linking.OTHER_NUMBER,
    "says so": linking.SAYS_SO,
    "at start": linking.AT_START,
    "at prompt": linking.AT_PROMPT,
    "filed": queries.FILED / 100,
}
MOST_OTHERS = 0.32  # told where nothing goes on: more costs, in the choice between draws
PLAN = "Implement the following plan"
SEED = 7


@dataclass
class Candidate:
    """What can be seen of an earlier session at one moment."""

    id: str
    prompt: float  # by the words that it shares with what is asked
    name: float  # and with the branch's name
    age: float
    is_same_branch: bool
    is_cleared: bool
    number: int  # 1: the same, -1: another, 0: none is named


@dataclass
class Moment:
    """What speaks for each earlier session, at a start or with a prompt."""

    is_own_branch: bool
    says_so: bool
    candidates: list[Candidate]


@dataclass
class Session:
    """A session, as far as links need it."""

    id: str
    repository: str
    branch: str
    is_cleared: bool
    at: float
    before: str = ""  # whose process it goes on in
    prompts: list[tuple[float, str]] = field(default_factory=list)
    messages: list[tuple[float, str]] = field(default_factory=list)
    acts: list[float] = field(default_factory=list)
    branches: set[str] = field(default_factory=set)
    moments: list[Moment | None] = field(default_factory=list)

    def words(self, now: float) -> set[str]:
        texts = [text for at, text in self.prompts if at < now]
        texts += [text[: terms.MESSAGE_CAP] for at, text in self.messages if at < now]
        texts += [branch for branch in self.branches if not terms.is_shared(branch)]
        return {word for text in texts for word in terms.of_text(text)}

    def active(self, now: float) -> float:
        place = bisect_left(self.acts, now)
        return self.acts[place - 1] if place else self.at


def main() -> None:
    options = argparse.ArgumentParser(description="Judge the links between recorded sessions.")
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--draws", type=int, default=400)
    given = options.parse_args()
    labels = {line["session"]: line for line in read_lines(given.data / "threads.jsonl")}
    groups = [session for group in load(given.data) for session in [look_back(group)]]
    repositories = sorted({session.repository for group in groups for session in group})
    print("weights in force:", shown(judge(groups, labels, IN_FORCE)))
    chance = random.Random(SEED)
    draws = [IN_FORCE] + [drawn(chance) for _ in range(given.draws)]
    parts = [
        {
            name: judge([g for g in groups if g[0].repository == name], labels, weights)
            for name in repositories
        }
        for weights in draws
    ]
    held_out: Counter[str] = Counter()
    for name in repositories:
        best = max(parts, key=lambda part: worth(total(part, but=name)))
        held_out.update(best[name])
        print(f"  without {name}: {shown(best[name])}")
    print("left out one at a time:", shown(held_out))
    best = max(parts, key=lambda part: worth(total(part)))
    print("best of all draws:", shown(total(best)), json.dumps(draws[parts.index(best)]))


def load(data: Path) -> list[list[Session]]:
    """The sessions of each developer and repository, in order of time."""
    turns = turns_of(data)
    by_owner: dict[tuple[str, str], list[Reader]] = {}
    for each in recordings(data):
        reader = Reader(each.id, Turns(turns.get(each.id, [])), Choice(plans_as_prompts=True))
        if reader.read(list(read_lines(each.path))):
            by_owner.setdefault((each.repository, each.developer), []).append(reader)
    groups = []
    for (repository, _), readers in by_owner.items():
        events, heirs = together(readers)
        sessions: dict[str, Session] = {}
        for event in events:
            session = sessions.get(event.session)
            if session is None:
                before = heirs.get(event.session, "")
                session = sessions[event.session] = Session(
                    event.session,
                    repository,
                    event.branch,
                    event.source == "clear",
                    event.at,
                    before,
                )
            take(session, event)
        groups.append(list(sessions.values()))
    return groups


def take(session: Session, event: Event) -> None:
    if event.name in ("SessionEnd", "killed"):
        return
    session.acts.append(event.at)
    session.branches.add(event.branch)
    if event.name == "UserPromptSubmit":
        session.prompts.append((event.at, event.fields["prompt"]))
    elif event.name == "Stop":
        session.messages.append((event.at, event.fields.get("last_assistant_message") or ""))


def look_back(group: list[Session]) -> list[Session]:
    """What each session could see of those before it: at its start, and with its first prompt."""
    for place, session in enumerate(group):
        earlier = [each for each in group[:place] if each.prompts]
        first = session.prompts[0] if session.prompts else None
        session.moments = [
            seen(session, earlier, session.at, ""),
            seen(session, earlier, first[0], first[1]) if first else None,
        ]
    return group


def seen(session: Session, earlier: list[Session], now: float, prompt: str) -> Moment:
    words = {each.id: each.words(now) for each in earlier}
    asked = terms.of_text(prompt[: terms.READ_CAP], terms.MOST)
    is_own = not terms.is_shared(session.branch)
    named = terms.of_text(session.branch) if is_own else []
    by_prompt, by_name = shared(asked, words), shared(named, words)
    numbers = [word for word in asked if terms.is_number(word)]
    candidates = [
        Candidate(
            id=each.id,
            prompt=by_prompt[each.id] / (len(asked) + linking.PROMPT_PADDING) ** 0.5,
            name=by_name[each.id] / (len(named) + linking.NAME_PADDING) ** 0.5,
            age=math.log(max(0.0, now - each.active(now)) / 3600 + linking.SOON_H),
            is_same_branch=session.branch in each.branches,
            is_cleared=session.is_cleared and each.id == session.before,
            number=0 if not numbers else 1 if words[each.id] & set(numbers) else -1,
        )
        for each in earlier
    ]
    return Moment(is_own, bool(prompt) and terms.goes_on(prompt), candidates)


def shared(asked: list[str], words: dict[str, set[str]]) -> dict[str, float]:
    """What a session's words are worth, by how rare those are that are asked for."""
    worth: dict[str, float] = dict.fromkeys(words, 0.0)
    for word in asked:
        having = [id_ for id_, own in words.items() if word in own]
        if 0 < len(having) <= queries.COMMON:
            for id_ in having:
                worth[id_] += math.log(1 + len(words) / len(having))
    return worth


def best_of(moment: Moment | None, weights: Weights) -> tuple[float, str]:
    found = (-math.inf, "")
    for each in moment.candidates if moment else ():
        worth = weights["prompt"] * each.prompt + weights["name"] * each.name
        worth -= weights["age"] * each.age
        if each.is_same_branch:
            worth += weights["own" if moment and moment.is_own_branch else "shared"]
        worth += weights["cleared"] * each.is_cleared
        worth += weights["number"] if each.number > 0 else 0
        worth -= weights["other number"] if each.number < 0 else 0
        worth += weights["says so"] if moment and moment.says_so else 0
        found = max(found, (worth, each.id))
    return found


def judge(
    groups: list[list[Session]], labels: dict[str, dict[str, object]], weights: Weights
) -> Counter[str]:
    """Counts: of sessions that go on, of others, of pairs."""
    counts: Counter[str] = Counter()
    for group in groups:
        root: dict[str, str] = {}
        for session in group:
            start, prompt = (best_of(moment, weights) for moment in session.moments)
            told = [
                id_
                for (worth, id_), bar in ((start, "at start"), (prompt, "at prompt"))
                if worth > weights[bar]
            ]
            _, link = max(start, prompt)
            is_filed = max(start, prompt)[0] > weights["filed"]
            root[session.id] = root.get(link, link) if is_filed else session.id
            label = labels.get(session.id[:8])
            if label is None:
                continue
            if label["relation"] == "continues":
                right = label["continues"]
                assert isinstance(right, list)
                counts["go on"] += 1
                counts["first right"] += bool(told) and told[0][:8] in right
                counts["right"] += any(id_[:8] in right for id_ in told)
            else:
                counts["others"] += 1
                counts["others told"] += bool(told)
        for place, session in enumerate(group):
            for other in group[:place]:
                pair = [labels.get(each.id[:8]) for each in (session, other)]
                if all(pair):
                    mine = root[session.id] == root[other.id]
                    sets = [set(map(str, each["threads"])) for each in pair if each]  # type: ignore[call-overload]
                    theirs = bool(sets[0] & sets[1])
                    counts["pairs"] += mine
                    counts["pairs of readers"] += theirs
                    counts["pairs alike"] += mine and theirs
    return counts


def total(part: dict[str, Counter[str]], but: str = "") -> Counter[str]:
    return sum((counts for name, counts in part.items() if name != but), Counter())


def share(counts: Counter[str], name: str, of: str) -> float:
    return counts[name] / counts[of] if counts[of] else 0.0


def worth(counts: Counter[str]) -> float:
    others = share(counts, "others told", "others")
    return (
        2 * share(counts, "first right", "go on") - 2 * max(0.0, others - MOST_OTHERS) - others / 3
    )


def shown(counts: Counter[str]) -> str:
    def of(name: str, whole: str) -> str:
        return f"{counts[name]}/{counts[whole]} ({share(counts, name, whole):.2f})"

    return (
        f"first right {of('first right', 'go on')}, others told {of('others told', 'others')},"
        f" pairs: precision {share(counts, 'pairs alike', 'pairs'):.2f},"
        f" recall {share(counts, 'pairs alike', 'pairs of readers'):.2f}"
    )


def drawn(chance: random.Random) -> Weights:
    between = {
        "prompt": (0.3, 1.0),
        "name": (0.0, 1.2),
        "age": (0.2, 0.7),
        "own": (1.0, 6.0),
        "shared": (0.0, 1.2),
        "cleared": (0.0, 1.5),
        "number": (0.5, 3.0),
        "other number": (0.0, 1.0),
        "at start": (1.2, 3.2),
        "at prompt": (0.8, 2.6),
        "filed": (2.0, 4.0),
    }
    return IN_FORCE | {name: chance.uniform(*bounds) for name, bounds in between.items()}


if __name__ == "__main__":
    main()
