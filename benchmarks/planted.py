"""Whether what a session was told is there after its context is lost.

Scripted sessions (tests/scenarios/planting.py), each in a repository of its own, leave a goal,
rules, changed files, a failing command, a next step, pins and a dead end through the installed
hook command; in many of them some of it stops to hold. Then the context is lost in four ways.

Laws: a fact counts as told when its very words are in what the model is sent; nothing outside a
scratch folder is written without --write; the exit code is 0, for a benchmark informs.
"""

from __future__ import annotations

import argparse
import os
import platform as machine
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "scenarios"))

import planting
from planting import KINDS, SUMMARISER, WAYS, Fact, Outcome, Script, recall

from conftest import Door
from holdfast import paths, platform

RESULTS = Path(__file__).parent / "results" / "planted.md"
RECALL, TOKENS, CHARACTERS = 0.95, 1_500, 9_000
COLUMNS = (*WAYS, SUMMARISER)


def main() -> None:
    options = argparse.ArgumentParser(description="What is left of what a session was told.")
    options.add_argument("--sessions", type=int, default=30)
    options.add_argument("--only", type=int, help="play this one session alone")
    options.add_argument("--way", choices=WAYS, action="append", help="lose it in this way alone")
    options.add_argument("--show", action="store_true", help="list every loss and leak")
    options.add_argument("--told", action="store_true", help="print what the model was sent")
    options.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    given = options.parse_args()
    numbers = range(given.sessions) if given.only is None else [given.only]
    scripts = [planting.script(number) for number in numbers]
    outcomes = play(scripts, tuple(given.way or WAYS))
    if given.told:
        for outcome in outcomes:
            print(f"## {outcome.script.number} {outcome.way}\n{outcome.told}\n")
    if given.show:
        show(outcomes, scripts)
    written = report(outcomes, scripts)
    print(written)
    if given.write:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(f"{written}\n", encoding="utf-8")


def play(scripts: list[Script], ways: tuple[str, ...]) -> list[Outcome]:
    """Each way in a home of its own, which all its sessions share."""
    outcomes = []
    for way in ways:
        with tempfile.TemporaryDirectory(prefix="holdfast-planted-") as scratch:
            folder = Path(scratch)
            door = Door(settle_in(folder), folder / "home", folder)
            try:
                for script in scripts:
                    outcomes += planting.lose(door, script, way, folder)
            finally:
                door.close()
        print(f"  {way}: played", file=sys.stderr, flush=True)
    return outcomes


def settle_in(folder: Path) -> str:
    """A scratch home for this process and all that it starts; its state home."""
    for name in list(os.environ):
        if name.startswith(("HOLDFAST_", "XDG_", "CLAUDE", "GIT_")) or name == "CI":
            del os.environ[name]
            platform.system.environ.pop(name.encode(), None)
    for name, path in (("HOME", folder / "home"), ("XDG_RUNTIME_DIR", folder / "run")):
        path.mkdir(mode=0o700)
        os.environ[name] = str(path)
        # On the hook path the environment is read from posix, which os.environ does not reach.
        platform.system.environ[name.encode()] = str(path).encode()
    return paths.state_home()


def show(outcomes: list[Outcome], scripts: list[Script]) -> None:
    for outcome in outcomes:
        where = f"{outcome.script.number} {outcome.way}"
        for name, facts in (
            ("misheard", outcome.misheard),
            ("lost", outcome.lost),
            ("leaked", outcome.leaked),
            ("of another project", planting.strangers(outcome, scripts)),
        ):
            for fact in facts:
                print(f"{where} | {name} | {fact.kind} | {fact.text}")


def report(outcomes: list[Outcome], scripts: list[Script]) -> str:
    by_way = {way: [one for one in outcomes if one.way == way] for way in COLUMNS}
    starts = [one for one in outcomes if one.way in WAYS]
    rows = [
        [kind, *(_share(by_way[way], kind) for way in COLUMNS), _share(starts, kind)]
        for kind in KINDS
    ]
    rows.append(["**all**", *(_share(by_way[way]) for way in COLUMNS), _share(starts)])
    for name, number in (
        ("facts not heard, not told", lambda one: len(_with(one.lost, one.misheard))),
        ("facts heard, not told", lambda one: len(_without(one.lost, one.misheard))),
        ("no longer hold", lambda one: sum(not fact.holds for fact in one.script.facts)),
        ("end not heard, told", lambda one: len(_with(one.leaked, one.misheard))),
        ("end heard, told", lambda one: len(_without(one.leaked, one.misheard))),
    ):
        cells = [_sum(number, by_way[way]) for way in COLUMNS]
        rows.append([name, *cells, _sum(number, starts)])
    for name, figure in (("median tokens", statistics.median), ("most tokens", max)):
        cells = [_of(figure, [one.tokens for one in by_way[way]]) for way in COLUMNS]
        rows.append([name, *cells, _of(figure, [one.tokens for one in starts])])
    cells = [_of(max, [len(one.told) for one in by_way[way]]) for way in COLUMNS]
    rows.append(["most characters", *cells, _of(max, [len(one.told) for one in starts])])
    head = f"| facts | {' | '.join(COLUMNS)} | the four ways |"
    table = "\n".join(
        [head, "|---|" + "--:|" * (len(COLUMNS) + 1), *(f"| {' | '.join(row)} |" for row in rows)]
    )
    date = time.strftime("%Y-%m-%d", time.gmtime())
    facts = f"date {date} · Python {machine.python_version()} · sessions {len(scripts)}"
    strangers = sum(len(planting.strangers(one, scripts)) for one in outcomes)
    turned = ", ".join(
        f"{turn} {sum(turn in one.turns for one in scripts)}" for turn in planting.TURNS
    )
    preface = (
        "Facts that hold and were told word for word, of those that hold. The four ways are starts"
        " of a session; `summariser` is what PreCompact answers, and is not in the total. Sessions"
        f" in which something stops to hold: {turned}. What was not heard is the recogniser's"
        " (benchmarks/hearing.py): a prompt was not taken for a rule, a goal, a dead end or the end"
        " of one; what was heard and not told, or told although its end was heard, is lost or"
        f" leaked afterwards. Facts of other projects of the same home that were told: {strangers}."
    )
    title = "# What is left of what a session was told"
    return "\n\n".join([title, facts, preface, table, _verdict(starts, outcomes)])


def _verdict(starts: list[Outcome], outcomes: list[Outcome]) -> str:
    told, held = recall(starts)
    heard = [len(_without(one.lost, one.misheard)) for one in outcomes]
    claims = {
        "all that was heard is told": not any(heard),
        "nothing told whose end was heard": not any(
            _without(one.leaked, one.misheard) for one in outcomes
        ),
        f"recall at least {RECALL}": bool(held) and told / held >= RECALL,
        "nothing that no longer holds": _leaks(outcomes) == 0,
        f"at most {TOKENS:,} tokens": all(one.tokens <= TOKENS for one in outcomes),
        f"under {CHARACTERS:,} characters": all(len(one.told) < CHARACTERS for one in outcomes),
    }
    return "Required: " + "; ".join(
        f"{claim}: {'yes' if holds else '**no**'}" for claim, holds in claims.items()
    )


def _share(outcomes: list[Outcome], kind: str = "") -> str:
    told, held = recall(outcomes, kind)
    return f"{told}/{held} {told / held:.3f}" if held else ""


def _sum(number: Callable[[Outcome], int], outcomes: list[Outcome]) -> str:
    return str(sum(map(number, outcomes)))


def _with(facts: list[Fact], others: list[Fact]) -> list[Fact]:
    return [fact for fact in facts if fact in others]


def _without(facts: list[Fact], others: list[Fact]) -> list[Fact]:
    return [fact for fact in facts if fact not in others]


def _leaks(outcomes: list[Outcome]) -> int:
    return sum(len(one.leaked) for one in outcomes)


def _of(figure: object, values: list[int]) -> str:
    return f"{figure(values):,.0f}" if values and callable(figure) else ""


if __name__ == "__main__":
    main()
