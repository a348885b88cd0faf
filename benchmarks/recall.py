"""Whether the right memory is found: retrieval only, no model.

    python benchmarks/recall.py --data DIR [--write]

DIR holds `field/` and `data/`: recorded sessions of six repositories, condensed sessions of one,
and conversations with questions (LoCoMo, development part). All of it is imported into a store by
the product's own import, and asked through the product's own index and ranking; beside it, over the
same texts, three baselines: the most recent, grep (how many words of the question a text has), and
FTS5 as it comes (porter, bm25).

    commits    a commit's subject: the sessions that made it; leak-stripped
               (recall_data.py)
    needed     the first prompt of a session that needed known facts: are they in the five lines?
    LoCoMo     a question: which turns have the evidence?
    silence    questions about something else: how many are answered all the same?

Weights are chosen among CHOICES leaving one repository out at a time; "recall" in the tables is
what the choice on the others does on the one left out, "as shipped" the weights that the product
has. "Nearest to its date" knows more than the question's words.

Laws: an answer sees only what was said before the question's time; texts of the data are never
written, numbers and ids alone; the exit code is 0.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import apsw
from recall_data import (
    CONDENSED,
    Corpus,
    build_conversations,
    build_sessions,
    commits,
    digest_of,
    locomo,
    read_lines,
    seconds,
)
from recall_silence import FOREIGN_REPOSITORY, FOREIGN_WORLD, OWN, Asked, figures

from holdfast.cli.helpers.recall_views import SHOWN, WIDTH
from holdfast.hook.tokens import count
from holdfast.rooms.recall import queries, recalling
from holdfast.rooms.recall.documents import READERS, documents
from holdfast.rooms.recall.ranking import WEIGHTS, Question, Search, Weights
from holdfast.store.sqlite import Store
from holdfast.system import clock

RESULTS = Path(__file__).parent / "results" / "recall.md"
SEED = 20
TRIES = 3  # of each question that is timed: other programs run here, too
WORD = re.compile(r"\w{2,}")
Ranked = list[str]
FLAT: dict[str, float] = {}
# Weights to choose from.
CHOICES = (
    WEIGHTS,
    replace(WEIGHTS, whole=0.0, often=0.0),
    replace(WEIGHTS, whole=0.0),
    replace(WEIGHTS, often=0.0),
    replace(WEIGHTS, whole=0.4),
    replace(WEIGHTS, whole=1.5),
    replace(WEIGHTS, full=4.0),
    replace(WEIGHTS, breadth=0.0),
    replace(WEIGHTS, breadth=0.8),
    replace(WEIGHTS, sorts=FLAT),
)


@dataclass
class Texts:
    """What the index covers, for the baselines: sessions, when they spoke, and turns."""

    of_session: dict[str, list[tuple[float, str]]] = field(default_factory=dict)
    marks: dict[int, str] = field(default_factory=dict)  # document -> key of its entry
    names: dict[int, str] = field(default_factory=dict)  # of sessions
    bytes: int = 0


def texts_of(store: Store) -> Texts:
    texts = Texts()
    keys = {row[0]: row[1] for row in store.rows("select place, key from entries")}
    texts.names = {
        row[0]: row[1] for row in store.rows("select id, session from recalled_sessions")
    }
    for id_, place in store.rows("select id, place from recalled_documents"):
        texts.marks[id_] = keys[place]
    for _, entry in queries.entries(store, tuple(READERS), 0, 1 << 40):
        at = clock.seconds_of(entry.at)
        for document in documents(entry):
            texts.of_session.setdefault(entry.session, []).append((at, document.text))
            texts.bytes += len(document.text.encode("utf-8", "surrogatepass"))
    return texts


# The baselines, over sessions or turns


class Plain:
    """FTS5 as it comes, over texts by name; asked for some of the names."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.names = list(texts)
        self.db = apsw.Connection(":memory:")
        self.db.execute("create virtual table t using fts5 (text, tokenize = 'porter unicode61')")
        for number, name in enumerate(self.names):
            self.db.execute("insert into t (rowid, text) values (?, ?)", (number, texts[name]))

    def ask(self, text: str, admitted: set[str], limit: int) -> Ranked:
        words = dict.fromkeys(WORD.findall(text))
        match = " OR ".join(f'"{word}"' for word in words)
        if not match:
            return []
        rows = self.db.execute("select rowid from t where t match ? order by rank", (match,))
        names = (self.names[row[0]] for row in rows)
        return [name for name in names if name in admitted][:limit]


def grep(text: str, texts: dict[str, str], order: Ranked, limit: int) -> Ranked:
    """By how many words of the question a text has; `order` among equals."""
    words = {word.lower() for word in WORD.findall(text)}
    shared = {name: sum(word in texts[name] for word in words) for name in order}
    return sorted((name for name in order if shared[name]), key=lambda name: -shared[name])[:limit]


@dataclass
class Score:
    """Hits at several depths, by method and category."""

    at: tuple[int, ...]
    hits: dict[str, dict[str, list[list[float]]]] = field(default_factory=dict)
    misses: list[str] = field(default_factory=list)

    def add(self, method: str, category: str, ranked: Ranked, right: set[str]) -> None:
        shares = [len(right & set(ranked[:depth])) / len(right) for depth in self.at]
        self.note(method, category, shares)

    def note(self, method: str, category: str, values: list[float]) -> None:
        for each in (category, "all"):
            self.hits.setdefault(method, {}).setdefault(each, []).append(values)

    def add_any(self, method: str, category: str, ranked: Ranked, right: set[str]) -> None:
        self.note(method, category, [float(bool(right & set(ranked[:depth]))) for depth in self.at])

    def table(self, title: str, label: str) -> list[str]:
        lines = [f"### {title}", "", f"| method | category | questions |{self._depths(label)}"]
        lines.append("|---|---|---|" + "---|" * len(self.at))
        for method, categories in self.hits.items():
            for category in sorted(categories, key=lambda each: (each != "all", each)):
                values = categories[category]
                shares = [100 * statistics.fmean(column) for column in zip(*values, strict=True)]
                figures = " | ".join(f"{share:.1f}" for share in shares)
                lines.append(f"| {method} | {category} | {len(values)} | {figures} |")
        return [*lines, ""]

    def _depths(self, label: str) -> str:
        return "".join(f" {label}@{depth} |" for depth in self.at)


@dataclass(frozen=True)
class Try:
    """A question, answered with one choice of weights."""

    group: str
    category: str
    right: frozenset[str]
    ranked: tuple[str, ...]

    def worth(self) -> float:
        """What a choice is made by: how far up the right one is, and whether it is there."""
        place = next((n for n, name in enumerate(self.ranked, 1) if name in self.right), 0)
        return 1 / place + 0.5 if place else 0.0


def add_choices(score: Score, tries: list[list[Try]]) -> None:
    """Two rows of a table: each repository by the weights that do best on the others, and by those
    that are shipped, which are the first ones."""
    for group in dict.fromkeys(repository(each.group) for each in tries[0]):
        others = [
            sum(each.worth() for each in made if repository(each.group) != group) for made in tries
        ]
        best = max(range(len(tries)), key=lambda number: (others[number], -number))
        for each in tries[best]:
            if repository(each.group) == group:
                score.add_any("recall", each.category, list(each.ranked), set(each.right))
    for each in tries[0]:
        score.add_any("recall, as shipped", each.category, list(each.ranked), set(each.right))


def repository(group: str) -> str:
    """The condensed sessions are of a repository that is in the field, too."""
    return "entireio/cli" if group == CONDENSED else group


def main() -> None:
    options = argparse.ArgumentParser(description="Is the right memory found? No model.")
    options.add_argument("--data", type=Path, required=True, help="folder with field/ and data/")
    options.add_argument("--work", type=Path, help="keep the stores here, and use them again")
    options.add_argument("--every", type=int, default=1, help="ask each so-many-th question alone")
    options.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    given = options.parse_args()
    folder = given.work or Path(tempfile.mkdtemp(prefix="holdfast-recall-"))
    try:
        lines = report(given.data.resolve(), folder, given.every)
    finally:
        if not given.work:
            shutil.rmtree(folder, ignore_errors=True)
    if given.write:
        RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


def report(data: Path, folder: Path, every: int) -> list[str]:
    sessions = built(folder / "sessions", lambda place: build_sessions(data, place))
    spoken = built(folder / "conversations", lambda place: build_conversations(data, place))
    store, talks = Store(f"{sessions.state}/store.db"), Store(f"{spoken.state}/store.db")
    texts, turns = texts_of(store), texts_of(talks)
    hashes = digest_of(
        [*(data / "field" / "sessions").rglob("*.gz"), data / "field" / "index.json"]
    )
    condensed = digest_of(list((data / "data" / "sessions").iterdir()))
    lines = [
        "# Recall: is the right memory found?",
        "",
        (
            "Retrieval only, no model. `python benchmarks/recall.py --data DIR --write`."
            " Development part. Rows named recall: weights chosen on the other repositories, one"
            " left out at a time; as shipped: the product's weights, which were chosen on all."
        ),
        (
            f"Data: field {hashes} (300 sessions), condensed {condensed} (168 sessions), LoCoMo"
            f" {digest_of([locomo(data)])} (conversations 1 to 4). Shares in %."
        ),
        "",
    ]
    if every > 1:
        lines += [f"Of the questions one in {every}.", ""]
    print("\n".join(lines), flush=True)
    asked: list[Asked] = []
    parts: tuple[Callable[[], list[str]], ...] = (
        lambda: committed(data, store, sessions, texts, every, asked),
        lambda: conversations(data, talks, spoken, turns, every, asked),
        lambda: figures([*asked, *foreign(data, store, sessions, talks, spoken)]),
        lambda: needed(data, store, sessions),
        lambda: sizes(store, texts),
    )
    for part in parts:
        made = part()
        print("\n".join(made), flush=True)
        lines += made
    return lines


def built(folder: Path, build: Callable[[Path], Corpus]) -> Corpus:
    """A corpus, made once in its folder."""
    noted = folder / "projects.json"
    if noted.exists():
        return Corpus(folder / "state", json.loads(noted.read_text()))
    corpus = build(folder)
    noted.write_text(json.dumps(corpus.projects))
    return corpus


def sessions_for(
    store: Store, texts: Texts, question: Question, weights: Weights, limit: int
) -> Ranked:
    ranked = Search(store, question, weights).sessions()[:limit]
    return [texts.names[number] for number, _ in ranked]


def committed(
    data: Path, store: Store, corpus: Corpus, texts: Texts, every: int, asked: list[Asked]
) -> list[str]:
    score = Score((1, 5, 10))
    tries: list[list[Try]] = [[] for _ in CHOICES]
    tokens, took = [], []
    shown_hits = []
    for group, project in corpus.projects.items():
        ids = {
            row[0]
            for row in store.rows(
                "select session from recalled_sessions where project = ?", project
            )
        }
        joined = {id_: " ".join(text for _, text in texts.of_session[id_]) for id_ in ids}
        lower, plain = {id_: text.lower() for id_, text in joined.items()}, Plain(joined)
        for subject, date, made_by in commits(data, group)[::every]:
            right = ids & set(made_by)
            if not right:
                continue
            at = seconds(date)
            order = sorted(ids, key=lambda id_: -texts.of_session[id_][-1][0])
            nearest = sorted(ids, key=lambda id_: abs(at - texts.of_session[id_][-1][0]))
            sort = "condensed" if group == CONDENSED else "field"
            score.add_any("most recent", sort, order, right)
            score.add_any("nearest to its date", sort, nearest, right)
            score.add_any("grep", sort, grep(subject, lower, order, 10), right)
            score.add_any("plain FTS5", sort, plain.ask(subject, ids, 10), right)
            question = Question(subject, project)
            took.append(min(timed(store, question) for _ in range(TRIES)))
            for number, weights in enumerate(CHOICES):
                ranked = sessions_for(store, texts, question, weights, 10)
                tries[number].append(Try(group, sort, frozenset(right), tuple(ranked)))
            is_hit = bool(right & set(tries[0][-1].ranked))
            note(asked, OWN, "subjects of commits", (group, group), store, question, is_hit)
            if not is_hit:
                score.misses.append(min(right)[:18])
            hits = recalling.recall(store, Question(subject, project), SHOWN["index"])
            if hits:
                tokens.append(count("\n".join(hit.line(WIDTH, subject) for hit in hits)))
            shown_hits.append(bool(right & {hit.session for hit in hits}))
    took.sort()
    add_choices(score, tries)
    return [
        *score.table("Commit to session (leak-stripped)", "hit"),
        (
            f"An answer at level index: median {statistics.median(tokens):.0f} tokens; the right"
            f" session is among its lines in {100 * statistics.fmean(shown_hits):.1f} %."
        ),
        (
            f"A question: median {1000 * took[len(took) // 2]:.1f} ms,"
            f" p95 {1000 * took[int(len(took) * 0.95)]:.1f} ms."
        ),
        f"Misses at 10, by session: {', '.join(sorted(set(score.misses)))}",
        "",
    ]


def needed(data: Path, store: Store, corpus: Corpus) -> list[str]:
    score = Score((5,))
    for start in read_lines(data / "field" / "needed.jsonl"):
        at = seconds(start["at"])
        question = Question(
            start["first_prompt"], corpus.projects[start["repo"]], until=at, but=start["session"]
        )
        hits = recalling.recall(store, question, SHOWN["index"])
        lines = "\n".join(hit.line(WIDTH, start["first_prompt"]) for hit in hits)
        whole = "\n".join(hit.text for hit in hits)
        for fact in start["facts"]:
            for method, text in (("index", lines), ("full", whole)):
                is_told = any(re.search(each, text, re.IGNORECASE) for each in fact["match"])
                score.note(f"recall, {method}", fact["type"], [float(is_told)])
    return score.table("Needed facts in the answer to the first prompt", "told")


def timed(store: Store, question: Question) -> float:
    began = time.perf_counter()
    Search(store, question).sessions()
    return time.perf_counter() - began


def note(
    asked: list[Asked],
    sort: str,
    label: str,
    from_to: tuple[str, str],
    store: Store,
    question: Question,
    is_hit: bool = False,
) -> None:
    """Keep what is seen of a question: where it is from, and what was asked."""
    signs = Search(store, question).signs()
    if signs is not None:
        home, of = map(repository, from_to)
        asked.append(Asked(sort, label, home, of, is_hit, signs))


def conversations(
    data: Path, store: Store, corpus: Corpus, texts: Texts, every: int, asked: list[Asked]
) -> list[str]:
    score = Score((5, 10))
    for sample in json.loads(locomo(data).read_text()):
        project = corpus.projects[sample["sample_id"]]
        said = {
            turn["dia_id"]: f"{turn['speaker']}: {turn['text']} {turn.get('blip_caption', '')}"
            for name, turns in sample["conversation"].items()
            if isinstance(turns, list)
            for turn in turns
        }
        lower, plain, order = {k: v.lower() for k, v in said.items()}, Plain(said), [*said][::-1]
        for question in sample["qa"][::every]:
            right = {each for each in question["evidence"] if each in said}
            if not right:
                continue
            text, sort = question["question"], f"category {question['category']}"
            score.add("most recent", sort, order, right)
            score.add("grep", sort, grep(text, lower, order, 10), right)
            score.add("plain FTS5", sort, plain.ask(text, set(said), 10), right)
            search = Search(store, Question(text, project))
            marks = dict.fromkeys(texts.marks[each.id] for each in search.documents()[:40])
            score.add("recall", sort, list(marks), right)
            name, is_hit = sample["sample_id"], bool(right & set(list(marks)[:10]))
            note(asked, OWN, "LoCoMo", (name, name), store, Question(text, project), is_hit)
    return score.table("LoCoMo, development part: evidence", "R")


def foreign(
    data: Path, store: Store, sessions: Corpus, talks: Store, spoken: Corpus
) -> list[Asked]:
    """Questions of another world, and of another project of the same sort."""
    chance, asked = random.Random(SEED), list[Asked]()
    for group in sessions.projects:
        for subject, _, _ in commits(data, group):
            talk = chance.choice(list(spoken.projects))
            question = Question(subject, spoken.projects[talk])
            label = "subjects of commits, of conversations"
            note(asked, FOREIGN_WORLD, label, (group, talk), talks, question)
            other = chance.choice([each for each in sessions.projects if _is_far(each, group)])
            question = Question(subject, sessions.projects[other])
            label = "subjects of commits, of another repository"
            note(asked, FOREIGN_REPOSITORY, label, (group, other), store, question)
    for sample in json.loads(locomo(data).read_text()):
        name = sample["sample_id"]
        for each in sample["qa"]:
            group = chance.choice(list(sessions.projects))
            question = Question(each["question"], sessions.projects[group])
            label = "LoCoMo, of repositories"
            note(asked, FOREIGN_WORLD, label, (name, group), store, question)
            talk = chance.choice([other for other in spoken.projects if other != name])
            question = Question(each["question"], spoken.projects[talk])
            label = "LoCoMo, of another conversation"
            note(asked, FOREIGN_REPOSITORY, label, (name, talk), talks, question)
    return asked


def _is_far(group: str, other: str) -> bool:
    """Whether two repositories are not of one owner."""
    return repository(group).partition("/")[0] != repository(other).partition("/")[0]


def sizes(store: Store, texts: Texts) -> list[str]:
    used = store.value("select sum(pgsize) from dbstat where name like 'recalled_%'")
    share = 100 * used / texts.bytes
    return [
        (
            f"The index: {used / 1e6:.2f} MB for {texts.bytes / 1e6:.2f} MB of text"
            f" ({share:.1f} %),"
            f" {len(texts.marks)} documents."
        )
    ]


if __name__ == "__main__":
    main()
