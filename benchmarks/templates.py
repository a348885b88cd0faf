"""Rules that people gave in real sessions, and the gates that their words propose.

    python benchmarks/templates.py --data DIR [--misses] [--replay]

DIR holds labelled rules (enforceable.jsonl: the words, a class, and the action as a reader put it),
turns (prompts.jsonl.gz) and their labels (labels.jsonl). Of the rules of class a to c it is counted
how many get a right proposal: the action that the reader named, with the arguments that decide. Of
the turns without a rule it is counted how many proposals any of their sentences gets, though no
rule would ever be kept of them. Both are told for each repository by itself.

With --replay the recorded calls (sessions/) of the same developer in the same repository are judged
after each rule with a right proposal as if it had been made to hold at once: a rule of the task in
its own session, one of the project in all that came later. It is told how many of the rules that
were broken are asked about or refused, and how many questions that makes in 10 sessions. What the
person's words of the last prompt lift, and what was asked in the same turn, is not asked again.
Proof is followed by what ran and was edited since; folders and branches are those of the row.

Law: nothing but numbers is printed, and with --misses the ids of what was missed.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from holdfast.rooms.gates.evidence.proof import KINDS
from holdfast.rooms.gates.judgement import acts
from holdfast.rooms.gates.tool_call import Call
from holdfast.rooms.prompts import typed_text
from holdfast.rooms.prompts.templates import PROVE, Proposal, lifts, propose
from holdfast.shell import simple_commands
from holdfast.shell.check_tools import checks

Counts = Counter[tuple[str, str]]
DEEDS = {
    "Bash": "run", "PowerShell": "run", "Edit": "edit", "MultiEdit": "edit", "NotebookEdit": "edit",
    "Write": "create", "Agent": "delegate", "Task": "delegate", "Skill": "skill",
}  # fmt: skip
CHECKED = ("a", "b", "c")
TESTS, PULLS = "run_tests", {"pr.create": "create", "pr.merge": "merge"}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--replay", action="store_true")
    arguments = parser.parse_args()
    turns = list(_lines(arguments.data / "prompts.jsonl.gz"))
    repository = {turn["id"]: turn["repo"] for turn in turns}
    rules = list(_lines(arguments.data / "enforceable.jsonl"))
    labels = {label["id"]: label for label in _lines(arguments.data / "labels.jsonl")}
    counts = _right(rules, repository, misses=arguments.misses)
    counts.update(_false(turns, labels, misses=arguments.misses))
    for name in [*sorted({repository[rule["id"]] for rule in rules}), ""]:
        _show(name or "all", counts, name)
    if arguments.replay:
        replay(arguments.data, rules, {turn["id"]: turn for turn in turns})


# Played again


def replay(data: Path, rules: list[dict[str, Any]], turns: dict[str, dict[str, Any]]) -> None:
    played: set[str] = set()
    questions: Counter[str] = Counter()
    broken: list[str] = []
    asked: list[str] = []
    for at, rule in enumerate(rules):
        number = str(at)
        proposal = propose(rule["span"]) if rule["class"] in CHECKED else None
        if rule["class"] in CHECKED and rule["broken"]:
            broken.append(number)
        if proposal is None or not fits(rule["action"], proposal):
            continue
        given = turns[rule["id"]]
        for session in _sessions_after(given, rule["scope"], turns.values()):
            path = data / "sessions" / given["repo"].replace("/", "+") / f"{session}.jsonl.gz"
            if path.exists():
                played.add(session)
                questions[number] += _asked(path, proposal, given["at"])
        if rule["broken"] and questions[number]:
            asked.append(number)
    total = sum(questions.values())
    to_person = sum(times for number, times in questions.items() if _is_shown(rules[int(number)]))
    print(
        f"asked about or refused at their first break: {len(asked)} of {len(broken)} broken rules;"
        f" {total} answers in {len(played)} sessions, {to_person} of them questions to the person"
        f" ({10 * to_person / max(1, len(played)):.1f} in 10)"
    )
    for number, times in questions.most_common():
        if times:
            rule = rules[int(number)]
            print(f"  {rule['id']} {rule['action']['do']}: {times}, broken {rule['broken']}")


def _is_shown(rule: dict[str, Any]) -> bool:
    """Whether the person is asked; of edits and of proof the agent is told."""
    proposal = propose(rule["span"])
    names = {each["action"] for each in proposal.actions} if proposal else set()
    return proposal is not None and proposal.kind != PROVE and not names & {"edit_files", "write"}


def _sessions_after(
    given: dict[str, Any], scope: str, turns: Iterable[dict[str, Any]]
) -> list[str]:
    if scope == "task":
        return [given["session"]]
    same = (turn for turn in turns if turn["developer"] == given["developer"])
    later = (turn for turn in same if turn["repo"] == given["repo"] and turn["at"] >= given["at"])
    return sorted({turn["session"] for turn in later})


def _asked(path: Path, proposal: Proposal, since: str) -> int:
    """How often a gate would have spoken in a session."""
    triggers: Any = proposal.actions
    times, is_asked, words = 0, False, ""
    proved: set[str] = set()
    for row in _lines(path):
        if row.get("isSidechain") or row.get("timestamp", "") < since:
            continue
        message = row.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        if row.get("type") == "user" and isinstance(content, str) and not row.get("isMeta"):
            words, is_asked = content, False
        for call, ok in _calls(row, content):
            does = acts(triggers, call)
            is_proof = proposal.kind == PROVE
            if does and is_proof and not _is_proved(proposal.demand, proved):
                times += not is_asked
                is_asked = True
            elif does and not is_proof and not is_asked:
                own = typed_text.own_words(words)
                is_asked = not lifts(own, triggers, str(row.get("gitBranch", "")))
                times += is_asked
            _note(call, proved, ok=ok)
    return times


def _calls(row: dict[str, Any], content: Any) -> Iterator[tuple[Call, bool]]:
    folder = str(row.get("cwd", ""))
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") == "tool_use":
            given = block.get("input") or {}
            path = str(given.get("file_path", ""))
            deed = DEEDS.get(block["name"], "other")
            where = path if path.startswith("/") else f"{folder}/{path}" if path else ""
            command = str(given.get("command", ""))
            yield (
                Call(
                    block["name"], deed, path=path, where=where, command=command, folder=folder,
                    input=given, root=folder,
                ),
                True,
            )  # fmt: skip


def _note(call: Call, proved: set[str], *, ok: bool) -> None:
    """What a call proves, and what an edit takes away."""
    if call.deed == "skill":
        proved.add(str(call.input.get("skill", "")))
    elif call.deed in ("edit", "create"):
        kept = {each for each in proved if each not in KINDS and not each.startswith("run:")}
        proved.intersection_update(kept)
        if "test" in call.path.lower():
            proved.add("first")
    elif call.command and ok:
        proved.update(kinds_in(call.command))
        proved.add(f"run:{' '.join(call.command.split())}")


def _is_proved(demand: dict[str, Any], proved: set[str]) -> bool:
    runs = demand.get("evidence_runs", ())
    return (
        set(demand.get("evidence_required", ())) <= proved
        and set(demand.get("satisfied_by_skill", ())) <= proved
        and all(any(run in each for each in proved) for run in runs)
        and ("evidence_first" not in demand or "first" in proved)
    )


def kinds_in(command: str) -> Iterator[str]:
    for name, *words in filter(None, simple_commands.commands(command) or []):
        yield from (kind for kind, _ in checks(name.rpartition("/")[2], words))


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
