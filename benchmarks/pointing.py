"""Pointing at what real people typed: what is accepted, what is refused, what is widened.

    python benchmarks/pointing.py --data DIR [--write]

DIR holds turns of real sessions and their labels (prompts.jsonl.gz, labels.jsonl). Three questions:

1. Every labelled rule and choice is quoted as its span, against the turn it stands in: is it
   accepted, and is what is kept a whole unit that holds the span? Labels worded as questions or as
   permissions are counted apart.
2. Spans of what the user did not type or did not settle, drawn by a fixed seed from plans, pastes,
   client text and questions: are they refused?
3. Half sentences, cut by program out of labelled spans right behind their negation, or right before
   their condition or exception: are they widened to the other half again, or refused?

Laws: what is true comes from the data, never from the code that is measured; texts are never
printed, only numbers; the exit code is 0, for a benchmark informs.
"""

from __future__ import annotations

import argparse
import gzip
import json
import platform
import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdfast.rooms.prompts import pointing
from holdfast.rooms.prompts.pointing import Refused, unit_of

RESULTS = Path(__file__).parent / "results" / "pointing.md"
SEED = 16
REFUSED_EACH = 50  # of each of four sources
HALVES = 30
SPAN_WORDS = (4, 15)

NEGATION = re.compile(r"(?i)\b(?:do not|don'?t|never|not|no|without|avoid|stop)\s+")
BEHIND = re.compile(
    r"(?i)(?<=[\w,)`'\"])[ ]+"
    r"(?:unless|except|but not|if|when|only if|only when|instead of|until|rather than)\b"
)
PERMITTING = re.compile(r"(?i)\b(?:may|can|could|allowed|fine|ok|okay|go ahead|free to)\b")
SENTENCE = re.compile(r"(?:[^.!?\n]|[.!?](?=\S))+\?(?=\s|$)")

Turn = dict[str, Any]


@dataclass(frozen=True)
class Half:
    """A half sentence, and where the word is without which it says something else."""

    text: str
    turn: str
    missing: int


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--write", action="store_true", help="write the results")
    given = options.parse_args()
    turns = {turn["id"]: turn for turn in _lines(given.data / "prompts.jsonl.gz")}
    labels = list(_lines(given.data / "labels.jsonl"))
    parts = (labelled(turns, labels), not_the_users(turns, labels), halves(turns, labels))
    report = (
        "# Pointing at what people typed\n\n"
        f"date {time.strftime('%Y-%m-%d')} · Python {platform.python_version()}"
        f" · {len(labels):,} labelled turns\n\n" + "\n\n".join("\n".join(part) for part in parts)
    )
    print(report)
    if given.write:
        RESULTS.write_text(f"{report}\n", encoding="utf-8")


def _lines(path: Path) -> Iterator[Turn]:
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
        yield from map(json.loads, lines)


def typed_by(turn: Turn, span: str) -> str:
    """A turn as it reaches us: an answer without its question, a command as it was typed."""
    if turn["origin"] == "answer":
        answers = re.findall(r"(?ms)^=> (.*?)(?=\n[^\n]*\n=> |\Z)", turn["text"])
        return str(next((answer for answer in answers if span in answer), turn["text"]))
    if turn["origin"] == "command":
        return f"/{turn['command'].lstrip('/')} {turn['args']}"
    return str(turn["text"])


# Labelled rules and choices


def labelled(turns: dict[str, Turn], labels: list[Turn]) -> list[str]:
    rows = []
    for name, as_rule in (("rules", True), ("choices", False)):
        outcomes: Counter[str] = Counter()
        for label in labels:
            for labelled_span in label.get(name, ()):
                span = labelled_span["span"]
                prompt = typed_by(turns[label["id"]], span)
                outcomes[_outcome(prompt, span, as_rule=as_rule)] += 1
        total = sum(outcomes.values())
        apart = outcomes["asked"], outcomes["permitted"]
        kept = outcomes["same"] + outcomes["widened"]
        others = {
            reason: count
            for reason, count in outcomes.items()
            if reason not in ("same", "widened", "asked", "permitted")
        }
        left = ", ".join(f"{reason} {count}" for reason, count in sorted(others.items())) or "none"
        rows.append(
            f"| {name} | {total} | {apart[0]} | {apart[1]} | {kept} of {total - sum(apart)} |"
            f" {outcomes['widened']} | {left} |"
        )
    return [
        "## Labelled rules and choices",
        "",
        "Asked and permitted: refused, and worded so (a question mark, a word of permission).",
        "",
        "| | labelled | asked | permitted | accepted, of the others | widened | else refused |",
        "|---|--:|--:|--:|--:|--:|---|",
        *rows,
    ]


def _outcome(prompt: str, span: str, *, as_rule: bool) -> str:
    unit = unit_of(prompt, span, as_rule=as_rule)
    if isinstance(unit, Refused):
        at = prompt.find(span)
        rest = prompt[at + len(span) :].partition("\n")[0]
        if unit.reason == pointing.QUESTION and "?" in span + rest:
            return "asked"
        before = prompt[:at].rpartition("\n")[2]
        permits = unit.reason == pointing.PERMISSION and PERMITTING.search(before + span + rest)
        return "permitted" if permits else unit.reason
    if not all(word in _bare(unit.text) for word in _bare(span).split()):
        return "kept without a word of it"
    if not all(prompt[start:end] in unit.text for start, end in unit.spans):
        return "kept otherwise than typed"
    if not _is_whole(prompt, unit.start, unit.end):
        return "kept in part"
    return "same" if _bare(unit.text) == _bare(span) else "widened"


def _is_whole(prompt: str, start: int, end: int) -> bool:
    """Whether a unit begins where a line or a sentence does, and ends where one does."""
    before = prompt[:start].rstrip(" \t")
    after = prompt[end:].lstrip(" \t")
    opens = not before or before[-1] in "\n.!?:>\u2026)\"'*-+\u2022" or before[-1].isdigit()
    return opens and (not after or after[0] in "\n<" or prompt[end - 1] in ".!?\u2026)\"'*`:")


def _bare(text: str) -> str:
    return " ".join(text.lower().split()).strip(" .!?")


# What is not the user's, or not settled


def not_the_users(turns: dict[str, Turn], labels: list[Turn]) -> list[str]:
    chance = random.Random(SEED)
    asked = {label["id"] for label in labels if not label.get("rules") and not label.get("choices")}
    asked &= {label["id"] for label in labels if label["turn"] == "ask"}
    every = list(turns.values())
    sources = {
        "plans": [turn for turn in every if turn["origin"] == "plan"],
        "client text": [
            turn
            for turn in every
            if turn["origin"] in ("client", "compact_summary") and not turn.get("meta")
        ],
        "pastes": [turn for turn in every if turn["origin"] == "paste-heavy"],
        "questions": [turn for turn in every if turn["id"] in asked],
    }
    rows = []
    for name, source in sources.items():
        outcomes: Counter[str] = Counter()
        spans = _drawn(name, source, chance)
        for span, turn in spans:
            unit = unit_of(turn["text"], span, as_rule=chance.random() < 0.5)
            outcomes[unit.reason if isinstance(unit, Refused) else "accepted"] += 1
        accepted = outcomes.pop("accepted", 0)
        reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(outcomes.items()))
        rows.append(f"| {name} | {len(spans)} | {len(spans) - accepted} | {reasons} |")
    return [
        "## What the user did not type, or did not settle",
        "",
        "By the text alone: what the client's own marks say of a turn comes on top.",
        "",
        "| drawn from | spans | refused | as |",
        "|---|--:|--:|---|",
        *rows,
    ]


def _drawn(name: str, source: list[Turn], chance: random.Random) -> list[tuple[str, Turn]]:
    spans: list[tuple[str, Turn]] = []
    for _ in range(REFUSED_EACH * 100):
        turn = chance.choice(source)
        span = _question(turn, chance) if name == "questions" else _piece(name, turn, chance)
        if span and (span, turn) not in spans:
            spans.append((span, turn))
        if len(spans) == REFUSED_EACH:
            break
    return spans


def _question(turn: Turn, chance: random.Random) -> str:
    asked = [each.strip() for each in SENTENCE.findall(turn["text"]) if len(each.split()) > 3]
    return chance.choice(asked) if asked and turn["origin"] == "typed" else ""


def _piece(name: str, turn: Turn, chance: random.Random) -> str:
    """Some words in a row. Of a turn with a paste in it the middle was pasted."""
    text = turn["text"]
    if name == "pastes":
        text = text[len(text) // 4 : len(text) * 3 // 4]
    words = text.split()[1:-1]
    size = chance.randint(*SPAN_WORDS)
    if len(words) < size:
        return ""
    at = chance.randrange(len(words) - size + 1)
    return " ".join(words[at : at + size])


# Half sentences


def halves(turns: dict[str, Turn], labels: list[Turn]) -> list[str]:
    cut = list(_cut(turns, labels))
    random.Random(SEED).shuffle(cut)
    outcomes: Counter[str] = Counter()
    for half in cut:
        unit = unit_of(half.turn, half.text, as_rule=True)
        if isinstance(unit, Refused):
            outcomes["refused"] += 1
        elif any(start <= half.missing < end for start, end in unit.spans):
            outcomes["widened"] += 1
        else:
            outcomes["inverted"] += 1
    return [
        "## Half sentences",
        "",
        "| cut from labelled spans | widened | refused | kept with another meaning |",
        "|--:|--:|--:|--:|",
        f"| {len(cut)} | {outcomes['widened']} | {outcomes['refused']} | {outcomes['inverted']} |",
        "",
        f"At least {HALVES} were wanted.",
    ]


def _cut(turns: dict[str, Turn], labels: list[Turn]) -> Iterator[Half]:
    for label in labels:
        for labelled_span in (*label.get("rules", ()), *label.get("choices", ())):
            span = labelled_span["span"]
            prompt = typed_by(turns[label["id"]], span)
            at = prompt.find(span)
            negation = NEGATION.search(span)
            if negation and len(span[negation.end() :].split()) > 1:
                yield Half(span[negation.end() :], prompt, at + negation.start())
            behind = BEHIND.search(span)
            if behind and len(span[: behind.start()].split()) > 1:
                yield Half(span[: behind.start()], prompt, at + behind.start() + 1)


if __name__ == "__main__":
    main()
