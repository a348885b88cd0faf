"""How far `holdfast.hook.tokens.count` is off: against what Claude reported for real sessions.

A step is a reply with its tool calls, and what was given after it (results or a prompt): the next
report is larger by exactly these. A span is one step or more in a row, until enough text is in it.

Laws: a step counts only if all of its texts are whole; one that a resumed session repeats counts
once; prices are fitted to the sessions of the one half and measured on the other; nothing is
written without --write; the exit code is 0, for a benchmark informs.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import platform
import statistics
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from holdfast.hook.tokens import count

RESULTS = Path(__file__).parent / "results" / "tokens.md"

CAPS = {"prompt": 8_000, "reply": 800, "result": 300}  # what is this long was cut: see the README
INPUT_CAP = 400

# What a step costs besides its texts, fitted with the prices. How calls and results are wrapped
# differs between sessions by some 40 tokens a step, so that part is learnt from each session's
# own small steps, which are not measured: their lower quartile, for what is hidden only adds.
CALL, PARAMETER, PROMPT = 70, 15, 35
SMALL_TOKENS, SMALL_STEPS = 60, 3
MINIMUM_TOKENS = 200

# Thinking is in the reported tokens and not in the session. It takes time: a step is left out when
# its reply took longer than a first token and what is seen of it need.
FIRST_TOKEN_S, TOKENS_PER_S = 3.0, 60
HIDDEN = ("Skill", "Task", "ToolSearch")  # bring more into the context than their result

Row = dict[str, Any]


class Step(NamedTuple):
    tokens: int  # as reported: how much longer the context was afterwards
    text: int  # as counted
    characters: int
    frame: int  # what calls, parameters and prompts cost besides
    has_calls: bool


class Span(NamedTuple):
    session: str
    text: int
    characters: int
    reported: int  # without the frame
    whole: int  # with it


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--data", required=True, type=Path, help="the folder with sessions/")
    parser.add_argument("--half", choices=("held", "fitted", "all"), default="held")
    parser.add_argument("--minimum", type=int, default=MINIMUM_TOKENS, help="tokens in a span")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    given = parser.parse_args()
    found = list(spans(given.data / "sessions", given.half, given.minimum))
    if not found:
        print("no spans: is --data the folder that holds sessions/?", file=sys.stderr)
        return
    lines = table(found, given.half, given.minimum)
    print("\n".join(lines))
    if given.write:
        RESULTS.write_text("\n".join(page(lines)) + "\n")


def spans(folder: Path, half: str, minimum: int) -> Iterator[Span]:
    seen: set[tuple[str, int]] = set()
    for path in sorted(folder.glob("*.jsonl.gz")):
        session = path.name.split(".")[0]
        runs = list(runs_of(read(path), seen))  # of every session: `seen` must not depend on half
        if half in (half_of(session), "all"):
            yield from measured(session, runs, minimum)


def half_of(session: str) -> str:
    return "held" if hashlib.sha256(session.encode()).digest()[-1] % 2 else "fitted"


def read(path: Path) -> list[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def runs_of(rows: list[Row], seen: set[tuple[str, int]]) -> Iterator[list[Step]]:
    """Steps that follow each other directly and can be measured."""
    turns: list[tuple[int, list[Row], list[Row]]] = []  # the report, what was said, what was given
    for row in rows:
        tokens = row.get("context_tokens")
        if tokens is None:
            if turns:
                turns[-1][2].append(row)
            continue
        if not turns or turns[-1][0] != tokens:
            turns.append((tokens, [], []))
        turns[-1][1].append(row)
    run: list[Step] = []
    for before, turn, after in zip(turns, turns[1:], turns[2:], strict=False):
        key = (turn[1][0]["at"], turn[0])
        step = None if key in seen else step_of(before[2], turn[1], turn[2], after[0] - turn[0])
        seen.add(key)
        if step:
            run.append(step)
        elif run:
            yield run
            run = []
    if run:
        yield run


def step_of(asked: list[Row], said: list[Row], given: list[Row], tokens: int) -> Step | None:
    calls = [row for row in said if row["kind"] == "tool"]
    prompts = [row for row in given if row["kind"] == "prompt"]
    if tokens <= 0 or not asked or not given or any(map(is_cut, said + given)):
        return None
    if any(call["tool"] in HIDDEN for call in calls) or len(prompts) != (0 if calls else 1):
        return None
    if any(row["text"].startswith("<") for row in prompts):  # a command: it brings its own text
        return None
    seen_said = sum(count(text_of(row)) for row in said) + len(calls) * 40
    took_s = seconds(said[-1]) - max(map(seconds, asked))
    if took_s > FIRST_TOKEN_S + seen_said / TOKENS_PER_S:
        return None
    texts = [text_of(row) for row in said + given]
    parameters = sum(len(call["input"]) for call in calls)
    frame = PARAMETER * parameters + CALL * max(len(calls) - 1, 0) + PROMPT * len(prompts)
    return Step(tokens, sum(map(count, texts)), sum(map(len, texts)), frame, bool(calls))


def is_cut(row: Row) -> bool:
    if row["kind"] != "tool":
        return len(row["text"]) >= CAPS[row["kind"]]
    return any(len(as_text(value)) >= INPUT_CAP for value in row["input"].values())


def text_of(row: Row) -> str:
    if row["kind"] != "tool":
        return str(row["text"])
    return "\n".join(map(as_text, row["input"].values()))


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def seconds(row: Row) -> float:
    return datetime.fromisoformat(row["at"]).timestamp()


def measured(session: str, runs: list[list[Step]], minimum: int) -> Iterator[Span]:
    small = [
        step.tokens - step.text - step.frame
        for run in runs
        for step in run
        if step.has_calls and step.text < SMALL_TOKENS
    ]
    if len(small) < SMALL_STEPS:
        return
    wrapping = sorted(small)[len(small) // 4]
    for run in runs:
        span = Span(session, 0, 0, 0, 0)
        for step in run:
            if step.has_calls and step.text < SMALL_TOKENS:
                continue
            span = Span(
                session,
                span.text + step.text,
                span.characters + step.characters,
                span.reported + step.tokens - step.frame - wrapping * step.has_calls,
                span.whole + step.tokens,
            )
            if span.text >= minimum:
                yield span
                span = Span(session, 0, 0, 0, 0)


def table(found: list[Span], half: str, minimum: int) -> list[str]:
    errors = [(span.text - span.reported) / max(span.reported, 1) for span in found]
    of_whole = [(span.text - span.reported) / span.whole for span in found]
    thirds = [(span.characters / 3 - span.reported) / max(span.reported, 1) for span in found]
    return [
        "| figure | value |",
        "|---|--:|",
        f"| half of the sessions | {half} |",
        f"| spans of {minimum} tokens of text or more | {len(found)} |",
        f"| sessions they are from | {len({span.session for span in found})} |",
        f"| tokens of text in a span, median | {statistics.median(s.text for s in found):.0f} |",
        f"| **relative error of a span, median** | **{middle(of_whole, 0.5):.1%}** |",
        f"| the same, p90 | {middle(of_whole, 0.9):.1%} |",
        f"| relative error of its text alone, median | {middle(errors, 0.5):.1%} |",
        f"| the same, p90 | {middle(errors, 0.9):.1%} |",
        f"| the same with its sign, median | {statistics.median(errors):+.1%} |",
        f"| text alone, by characters / 3, median | {middle(thirds, 0.5):.1%} |",
        f"| 9,000 characters, ms | {duration_ms(found):.2f} |",
    ]


def duration_ms(found: list[Span]) -> float:
    text = (Path(__file__).read_text() * 2)[:9_000]
    began = time.perf_counter()
    for _ in found:
        count(text)
    return (time.perf_counter() - began) / len(found) * 1_000


def middle(errors: list[float], share: float) -> float:
    ranked = sorted(map(abs, errors))
    return ranked[min(int(share * len(ranked)), len(ranked) - 1)]


def page(lines: list[str]) -> list[str]:
    return [
        "# How far the token counter is off",
        "",
        f"date {time.strftime('%Y-%m-%d', time.gmtime())} · Python {platform.python_version()}",
        "",
        *lines,
        "",
        *NOTES,
    ]


NOTES = """\
How: the context that Claude reported before a step and after it differs by the step's texts and
what wraps them. A span is one step or more in a row, until its text is large enough; below that,
wrapping (about 130 tokens for a call with its result) outweighs the text. The error of a span is of
the whole difference; that of the text alone takes the wrapping off first, so that an error in the
wrapping is counted against the text as well. Sessions are halved by a hash of their names. The six
prices and the wrapping's three were fitted to the other half, by least absolute relative error with
a constant for each session, and rounded. The kinds of character that have a price, and what is left
out, were chosen with both halves in view: an untouched set may come out a little worse.

Left out: steps with a text that was cut (as long as its cap), that a resumed session repeats, whose
reply took longer than what is seen of it (thinking), that bring in more than they show (skills,
subagents, commands).

Limits: reminders and diagnostics that the agent adds to a result cannot be seen. They only add,
which is most of the p90 and of the sign. The sessions are English and Go, of models from January
and February 2026. Prices of other scripts are not measured; models with a newer tokenizer (Opus 4.7
and later) are said to make up to 1.35 times the tokens of the same text.""".splitlines()


if __name__ == "__main__":
    main()
