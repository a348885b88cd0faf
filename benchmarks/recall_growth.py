"""What a question costs, and how large the index is, as sessions come to be many.

    python benchmarks/recall_growth.py --work DIR [--sessions 1000 10000 100000] [--write]

DIR is the folder that `recall.py --work DIR` has filled. Documents of its sessions are drawn by a
fixed seed, as many to a session as there are on average, and put into one project of an empty
store by the product's own index; then prompts are asked through the product's ranking.

Laws: only numbers are written; the exit code is 0.
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
import time
from pathlib import Path

from holdfast.ledger.workspace import Workspace
from holdfast.rooms.recall import projection, queries
from holdfast.rooms.recall.documents import READERS, Indexed, documents, indexed
from holdfast.rooms.recall.ranking import Question, Search
from holdfast.rooms.recall.recalling import Batch
from holdfast.store.sqlite import Store

RESULTS = Path(__file__).parent / "results" / "recall_growth.md"
PROJECT = "p" * 24
QUESTIONS = 200
BATCH = 20_000
TRIES = 3  # of each question, of which the quickest counts: other programs run here, too
DAY_S = 86_400


def main() -> None:
    options = argparse.ArgumentParser(description="What a question costs as sessions grow.")
    options.add_argument("--work", type=Path, required=True)
    options.add_argument("--sessions", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    options.add_argument("--write", action="store_true")
    given = options.parse_args()
    store = Store(f"{given.work}/sessions/state/store.db")
    pool = []
    for place, entry in queries.entries(store, tuple(READERS), 0, 1 << 40):
        sizes = [len(each.text.encode("utf-8", "surrogatepass")) for each in documents(entry)]
        rows = indexed(place, entry, PROJECT)
        pool += list(zip(rows, sizes, strict=False))
    many = store.value("select count(*) from recalled_sessions")
    asked = [
        row[0]
        for row in store.rows(
            "select distinct json_extract(body, '$.prompt') from bodies join entries using (place)"
            " where kind = 'prompt_given' and length(body) between 60 and 400 order by place"
            " limit ?",
            QUESTIONS,
        )
    ]
    lines = ["| sessions | documents | filled in s | p50 ms | p95 ms | index of text |"]
    lines.append("|---|---|---|---|---|---|")
    for amount in given.sessions:
        lines.append(measured(pool, amount, round(len(pool) / many), asked))
        print(lines[-1], flush=True)
    if given.write:
        how = "`python benchmarks/recall_growth.py --work DIR --write`"
        head = f"# Recall as sessions grow\n\n{how}\n\n"
        RESULTS.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


def measured(pool: list[tuple[Indexed, int]], sessions: int, each: int, asked: list[str]) -> str:
    chance = random.Random(sessions)
    folder = Path(tempfile.mkdtemp(prefix="holdfast-growth-"))
    try:
        store = Workspace(str(folder)).store
        store.run("pragma synchronous = off")
        began, text, total = time.perf_counter(), 0, sessions * each
        for start in range(0, total, BATCH):
            with store.transaction():
                batch = Batch(store)
                for number in range(start, min(start + BATCH, total)):
                    row, size = chance.choice(pool)
                    text += size
                    session = f"session-{number // each}"
                    at = number // each * DAY_S // 20
                    batch.add(row._replace(session=session, at=at, place=number + 1))
                batch.end()
        with store.transaction():
            projection.tidy(store)
        filled = time.perf_counter() - began
        took = sorted(min(ask(store, question) for _ in range(TRIES)) for question in asked)
        used = store.value("select sum(pgsize) from dbstat where name like 'recalled_%'")
        p50, p95 = took[len(took) // 2] * 1000, took[int(len(took) * 0.95)] * 1000
        share = 100 * used / text
        store.close()
        return f"| {sessions} | {total} | {filled:.0f} | {p50:.1f} | {p95:.1f} | {share:.1f} % |"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def ask(store: Store, question: str) -> float:
    began = time.perf_counter()
    search = Search(store, Question(question, PROJECT))
    if search.is_about():
        search.documents()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
