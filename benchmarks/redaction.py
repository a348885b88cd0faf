"""What the redaction gate finds, what it leaves alone, and how fast.

Recall and near misses on the generated corpus of tests/redaction; with --sessions, the spans on
real transcripts (one gzipped file of JSON lines each), which are read and never copied; throughput
in processor time of one core, beside `bytes.count` over the same text in the same run.

Laws: no text of a transcript is printed without --show; nothing is written without --write; the
exit code is 0, for a benchmark informs.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from holdfast.redaction import formats
from holdfast.redaction.gate import gate, redact, spans
from redaction import shapes  # type: ignore[attr-defined]  # of tests
from redaction.corpus import Case, positives
from redaction.lookalikes import lookalikes
from redaction.near_misses import near_misses

SEEDS = (20_260_201, 7, 99)
ROUNDS = 5
MEGABYTE = 1_000_000
RESULTS = Path(__file__).parent / "results" / "redaction.md"
HEX = frozenset("0123456789abcdef")

Row = tuple[str, str, str]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sessions", type=Path, help="folder of gzipped transcripts")
    options.add_argument("--show", action="store_true", help="print each span on the transcripts")
    options.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    given = options.parse_args()
    rows = [*corpus_rows(), *shape_rows()]
    if given.sessions:
        read = list(lines_of(given.sessions))
        texts = [text for line in read for text in leaves(json.loads(line))]
        stored = sum(len(line.encode()) for line in read) / MEGABYTE
        rows += session_rows(texts, stored, given.show)
        rows += speed_rows("the transcripts as one text", "\n".join(texts))
        rows += each_rows(texts)
    else:
        rows += speed_rows("the corpus as one text", corpus_text())
    written = report(rows)
    print(written)
    if given.write:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(written + "\n", encoding="utf-8")


def corpus_rows() -> Iterator[Row]:
    kinds = {row[0] for row in (*formats.WORDS, *formats.DRAWN)} | {
        row[0] for row in (*formats.MARKED, *formats.SHAPES)
    }
    yield "kinds of credentials with a format of their own", str(len(kinds)), "60"
    for seed in SEEDS:
        cases = positives(seed)
        misses = near_misses(seed + 1)
        gone = [is_gone(case) for case in cases]
        unnamed = [hit for hit, case in zip(gone, cases, strict=True) if not case.is_named]
        altered = sum(redact(case.text) != case.text for case in misses)
        found = sum(gone)
        yield (
            f"recall, seed {seed}, {len(cases)} secrets of {len({c.sort for c in cases})} sorts",
            f"{found / len(cases):.4f}",
            "0.97",
        )
        yield (
            f"recall of those without a named rule ({len(unnamed)})",
            f"{sum(unnamed) / len(unnamed):.4f}",
            "0.97",
        )
        yield f"near misses altered, of {len(misses)}", str(altered), "0"
        yield "precision", f"{found / (found + altered):.4f}", "0.92"


def shape_rows() -> Iterator[Row]:
    for seed in (shapes.SEED, *SEEDS[1:]):
        for name, made in (
            ("shapes that were once kept", shapes.probes),
            ("shapes, the half that rules were written for", shapes.development),
            ("shapes, the half that was held", shapes.held),
        ):
            cases = made(seed)
            gone = sum(shapes.is_gone(case, redact(case.text)) for case in cases)
            yield f"{name}, seed {seed} ({len(cases)})", f"{gone / len(cases):.3f}", "0.95"
        misses = lookalikes(seed + 1)
        altered = sum(redact(case.text) != case.text for case in misses)
        yield f"lookalikes altered, of {len(misses)}", str(altered), "0"


def is_gone(case: Case) -> bool:
    return case.secret not in redact(case.text)


def session_rows(texts: list[str], stored: float, show: bool) -> Iterator[Row]:
    size = sum(len(text.encode()) for text in texts) / MEGABYTE
    found = [(text, *span) for text in texts for span in spans(text)]
    if show:
        for text, start, end, kind in found:
            print(kind, repr(text[max(0, start - 60) : start]), repr(text[start:end][:80]))
    values = [text[start:end] for text, start, end, _ in found]
    yield f"spans on real transcripts ({stored:.1f} MB)", str(len(found)), ""
    yield "spans per MB of transcript", f"{len(found) / stored:.2f}", "0.5"
    yield f"spans per MB of the texts in them ({size:.1f} MB)", f"{len(found) / size:.2f}", ""
    yield (
        "commit ids, uuids and digests altered",
        str(sum(is_identifier(value) for value in values)),
        "0",
    )
    yield (
        "paths altered",
        str(sum(value.count("/") > 1 for value in values if " " not in value)),
        "0",
    )


def is_identifier(value: str) -> bool:
    bare = value.lower().replace("-", "")
    return len(bare) in (32, 40, 64) and set(bare) <= HEX


def speed_rows(name: str, text: str) -> Iterator[Row]:
    size = len(text.encode()) / MEGABYTE
    held = text.encode()
    floor = least(lambda: held.count(b"\x00nothing"))
    spent = least(lambda: redact(text))
    yield f"MB/s on {name} ({size:.1f} MB)", f"{size / spent:.1f}", "10"
    yield "times the floor (`bytes.count` of the same bytes)", f"{spent / floor:.0f}", ""


def each_rows(texts: list[str]) -> Iterator[Row]:
    size = sum(len(text.encode()) for text in texts) / MEGABYTE
    spent = least(lambda: [redact(text) for text in texts])
    yield (
        f"MB/s on its {len(texts):,} texts one by one ({1e6 * size / len(texts):.0f} bytes each)",
        f"{size / spent:.1f}",
        "",
    )
    yield "of 1,000 texts that import `re`", f"{1000 * needing_re(texts) / len(texts):.2f}", ""


def needing_re(texts: list[str]) -> int:
    """How many texts hold the literals of a shape, so that its pattern is compiled."""
    return sum(
        any(literal in text and also in text for _, literal, also, _ in formats.SHAPES)
        for text in texts
    )


def least(work: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return statistics.median(times)


def lines_of(folder: Path) -> Iterator[str]:
    for file in sorted(folder.rglob("*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            yield from lines


def leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item)


def corpus_text() -> str:
    cases = (*positives(), *near_misses())
    assert gate({"text": cases[0].text}).value
    return "\n".join(case.text for case in cases) * 4


def report(rows: list[Row]) -> str:
    facts = " · ".join(
        (
            f"date {time.strftime('%Y-%m-%d', time.gmtime())}",
            f"Python {platform.python_version()}",
            f"cores {os.cpu_count()}",
            f"load {os.getloadavg()[0]:.1f}",
        )
    )
    table = "\n".join(f"| {name} | {value} | {limit} |" for name, value, limit in rows)
    head = "| figure | value | promised |\n|---|--:|--:|"
    return f"# What the redaction gate finds\n\n{facts}\n\n{head}\n{table}"


if __name__ == "__main__":
    main()
