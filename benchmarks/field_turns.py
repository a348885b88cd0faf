"""What is heard in real turns, turn by turn and without a hook: seconds instead of minutes.

    python benchmarks/field_turns.py --data DIR --predictions FILE [--without REPO] [--only REPO]

DIR is a folder of labelled sessions (`prompts.jsonl.gz`); its own `score.py turns FILE` scores what
is written. Turns are heard in order of session, each with the goal that the session has by then:
its own, or that of the session before it on the branch. `benchmarks/field.py` plays whole sessions
through the hook command instead.

Laws: what reaches no prompt hook is not heard (the client's own commands, the words given with a
refusal or an answer); a plan is heard, though in life it may come without a hook; nothing of the
texts is written but what was heard in them, to FILE alone.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from holdfast.agents.claude_code.history import OWN_COMMANDS, SILENT
from holdfast.rooms.prompts import understanding
from holdfast.rooms.prompts.queries import Goal

Turn = dict[str, Any]

NOT_PROMPTS = ("rejection", "answer")
KEYWORDS = 10


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--predictions", type=Path, required=True, help="written: what was heard")
    options.add_argument("--without", default="", help="leave this repository out")
    options.add_argument("--only", default="", help="leave the others out")
    given = options.parse_args()
    with gzip.open(given.data / "prompts.jsonl.gz", "rt", encoding="utf-8") as lines:
        turns = [json.loads(line) for line in lines]
    chosen = [
        turn for turn in turns if turn["repo"] != given.without and given.only in ("", turn["repo"])
    ]
    with given.predictions.open("w", encoding="utf-8") as file:
        for prediction in predictions(chosen):
            file.write(json.dumps(prediction) + "\n")


def predictions(turns: list[Turn]) -> Iterator[Turn]:
    """What is heard in each turn, sessions in order of their beginnings."""
    began: dict[str, str] = {}
    for turn in turns:
        began[turn["session"]] = min(turn["at"], began.get(turn["session"], turn["at"]))
    turns = sorted(turns, key=lambda t: (began[t["session"]], t["session"], t["seq"]))
    of_branch: dict[tuple[str, str, str], Goal | None] = {}
    for _, session in groupby(turns, key=lambda turn: turn["session"]):
        heard = Session()
        for turn in session:
            branch = (turn["repo"], turn["developer"], turn["branch"])
            if heard.goal is None:
                heard.goal = of_branch.get(branch)
            yield heard.turn(turn)
            of_branch[branch] = heard.goal


class Session:
    """What a session knows while its turns are heard."""

    def __init__(self) -> None:
        self.goal: Goal | None = None

    def turn(self, turn: Turn) -> Turn:
        prompt = prompt_of(turn)
        if not prompt:
            return {"id": turn["id"]}
        heard = understanding.hear(prompt)
        rules = [{"text": rule.text, "scope": "project"} for rule in heard.rules if rule.is_order]
        return {
            "id": turn["id"],
            "rules": rules,
            "candidates": [rule.text for rule in heard.rules if not rule.is_order],
            "withdraws": heard.withdrawals,
            "goal": self._set_goal(heard, prompt, turn["session"]),
        }

    def _set_goal(self, heard: understanding.Heard, prompt: str, session: str) -> str:
        is_first = self.goal is None or self.goal.session != session
        verdict = understanding.judge_goal(
            heard,
            self.goal,
            is_first=is_first,
            is_related=self.goal is not None
            and understanding.is_same_task(self.goal.keywords, prompt),
            words=understanding.keywords(heard.goal) if heard.goal else (),
        )
        if verdict == understanding.KEPT:
            return ""
        keywords = understanding.keywords(heard.goal, KEYWORDS)
        self.goal = Goal("", "", session, "", heard.goal, keywords, "", "prompt", "")
        return heard.goal


def prompt_of(turn: Turn) -> str:
    """The prompt as the hook is handed it; "" when it is handed none."""
    text: str = turn["text"]
    if turn["origin"] in NOT_PROMPTS or turn.get("meta") or text.startswith(SILENT):
        return ""
    name = turn.get("command", "")
    if not name:
        is_own = text.startswith("/") and text[1:].split(maxsplit=1)[:1] in [
            [command] for command in OWN_COMMANDS
        ]
        return "" if is_own else text
    if not re.fullmatch(r"/[\w:.-]+", name) or name[1:] in OWN_COMMANDS:
        return ""
    return f"{name} {turn.get('args') or ''}".rstrip()


if __name__ == "__main__":
    main()
