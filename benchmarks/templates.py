"""Rules that people gave in real sessions, and the gates that their words propose.

    python benchmarks/templates.py --data DIR [--misses]

DIR holds labelled rules (enforceable.jsonl: the words, a class, and the action as a reader put it),
turns (prompts.jsonl.gz) and their labels (labels.jsonl). Of the rules of class a to c it is counted
how many get a right proposal: the action that the reader named, with the arguments that decide. Of
the turns without a rule it is counted how many proposals any of their sentences gets, though no
rule would ever be kept of them. Both are told for each repository by itself.

Law: nothing but numbers is printed, and with --misses the ids of what was missed.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from holdfast.rooms.prompts import typed_text
from holdfast.rooms.prompts.templates import Proposal, propose

Counts = Counter[tuple[str, str]]
CHECKED = ("a", "b", "c")
TESTS, PULLS = "run_tests", {"pr.create": "create", "pr.merge": "merge"}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--misses", action="store_true")
    arguments = parser.parse_args()
    turns = list(_lines(arguments.data / "prompts.jsonl.gz"))
    repository = {turn["id"]: turn["repo"] for turn in turns}
    rules = list(_lines(arguments.data / "enforceable.jsonl"))
    labels = {label["id"]: label for label in _lines(arguments.data / "labels.jsonl")}
    counts = _right(rules, repository, misses=arguments.misses)
    counts.update(_false(turns, labels, misses=arguments.misses))
    for name in [*sorted({repository[rule["id"]] for rule in rules}), ""]:
        _show(name or "all", counts, name)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    content = path.read_bytes()
    text = gzip.decompress(content) if path.suffix == ".gz" else content
    yield from map(json.loads, text.decode().splitlines())


def _right(rules: list[dict[str, Any]], repository: dict[str, str], *, misses: bool) -> Counts:
    counts: Counts = Counter()
    for rule in rules:
        if rule["class"] not in CHECKED:
            continue
        proposal = propose(rule["span"])
        is_right = proposal is not None and fits(rule["action"], proposal)
        counts.update(_of(repository[rule["id"]], "rules"))
        counts.update(_of(repository[rule["id"]], "right") if is_right else ())
        counts.update(_of(repository[rule["id"]], "wrong") if proposal and not is_right else ())
        if misses and not is_right:
            print(rule["id"], "wrong" if proposal else "silent")
    return counts


def _false(
    turns: list[dict[str, Any]], labels: dict[str, dict[str, Any]], *, misses: bool
) -> Counts:
    counts: Counts = Counter()
    for turn in turns:
        label = labels.get(turn["id"])
        if label is None or label.get("rules"):
            continue
        text = turn.get("typed") or turn["text"]
        spans = [text[each.starts[0] : each.ends[-1] + 1] for each in typed_text.sentences(text)]
        proposals = [span for span in spans if propose(span)]
        counts.update(_of(turn["repo"], "turns"))
        for _ in proposals:
            counts.update(_of(turn["repo"], "false"))
        if misses and proposals:
            print(turn["id"], "proposed")
    return counts


def _of(repository: str, name: str) -> list[tuple[str, str]]:
    return [(repository, name), ("", name)]


def _show(title: str, counts: Counts, name: str) -> None:
    rules, right, wrong = (counts[name, each] for each in ("rules", "right", "wrong"))
    turns, false = counts[name, "turns"], counts[name, "false"]
    share = f"{right / rules:.2f}" if rules else "-"
    per = f"{100 * false / turns:.2f}" if turns else "-"
    print(
        f"{title}: right {right} of {rules} ({share}), wrong {wrong};"
        f" {false} proposals in {turns} turns without a rule ({per} in 100)"
    )


def fits(label: dict[str, Any], proposal: Proposal) -> bool:
    """Whether a proposal is what the reader named, with the arguments that decide."""
    do: str = label["do"]
    action: dict[str, Any] = proposal.actions[0]
    demand: dict[str, Any] = proposal.demand
    name = action.get("action")
    if do == "commit.message":
        return name == "commit" and "message" in action and label.get("form") == "conventional"
    if do in PULLS:
        drafts = label.get("require_flag") == "--draft"
        is_it = name == "pull_request" and action.get(PULLS[do]) is True
        return is_it and (action.get("draft") is False) == drafts
    if do == "subagent" and "model" in label:
        return name == "subagent" and all(
            any(model in each for each in action.get("model", ()))
            for model in label["model"].split("|")
        )
    if do == "subagent":
        is_delegation = name == "edit_files" and demand.get("for_subagents") is False
        return is_delegation and label.get("main_may_edit") is False
    if do == "git.commit":
        amends = "--amend" in label.get("forbid_flag", ())
        return name == "commit" and action.get("amend") is amends
    if do == "git.add":
        start = label["path"].split("*")[0].rstrip("/").lower()
        return name == "add" and any(
            path.split("*")[0].rstrip("/").startswith(start[:3]) for path in action["path"]
        )
    if do == "git.stash":
        return name == "stash"
    if do == "run" and name == TESTS:
        return any("test" in each for each in label["program"])
    if do == "run":
        programs = label["program"]
        return name == "run" and any(
            wanted in programs or any(wanted == each.split()[0] for each in programs)
            for wanted in action["program"]
        )
    if do == "edit":
        if "only_under" in label:
            return name == "edit_files" and action.get("path", [""])[0].startswith("!")
        start = label.get("path", "?").split("*")[0]
        return name == "edit_files" and any(start in path for path in action.get("path", ()))
    if do == "content":
        return name == "write" and action["pattern"] in (label["pattern"], label["pattern"] + "(")
    if do == "skill":
        return label["name"] in demand.get("satisfied_by_skill", ())
    if do == "order":
        return bool(demand.get("evidence_first"))
    if do == "evidence":
        runs = label["run"] if isinstance(label["run"], list) else [label["run"]]
        wanted = [*demand.get("evidence_required", ()), *demand.get("evidence_runs", ())]
        before = label["before"].removeprefix("git.")
        return bool(set(wanted) & set(runs)) and (before == "stop" or name == before)
    return False


if __name__ == "__main__":
    main()
