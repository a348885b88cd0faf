"""The recorded sessions and conversations that recall.py asks about, in a store of the product.

Sessions go through the product's own import of transcripts, every repository as one project; a
conversation's turns are kept as prompts and answers.

Laws: nothing is written but below the folder that is given; a commit's own words are taken out of
the sessions before they are imported (leak-stripped).
"""

from __future__ import annotations

import calendar
import gzip
import hashlib
import json
import re
import subprocess
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from holdfast.hook import importing
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.recall import recalling
from holdfast.system import clock

CONDENSED = "condensed"  # the project of data/sessions
GIT_COMMIT = re.compile(r"git\s+(?:-C\s+\S+\s+)?commit\b")


@dataclass
class Corpus:
    """A store, and which project each group is."""

    state: Path
    projects: dict[str, str] = field(default_factory=dict)


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def digest_of(paths: list[Path]) -> str:
    made = hashlib.sha256()
    for path in sorted(paths):
        made.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
    return made.hexdigest()[:16]


# Sessions


def build_sessions(data: Path, folder: Path) -> Corpus:
    """Every repository of the field and the condensed sessions, imported, without what commits say
    of themselves."""
    corpus = Corpus(folder / "state")
    corpus.state.mkdir(parents=True, mode=0o700)
    subjects: dict[str, list[str]] = {}
    for group, id_, rows in recordings(data):
        if group not in subjects:
            subjects[group] = spelt(subject for subject, _, _ in commits(data, group))
        home = folder / "work" / group.replace("/", "+")
        if not home.exists():
            subprocess.run(["git", "init", "-q", str(home)], check=True, timeout=60)
        target = folder / "transcripts" / group.replace("/", "+") / f"{id_}.jsonl"
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("w", encoding="utf-8") as lines:
            for row in moved(rows, str(home)):
                lines.write(f"{without(row, subjects[group])}\n")
    workspace = Workspace(str(corpus.state))
    found = importing.listed(str(folder / "transcripts"))
    importing.Import(workspace).take_in(found, lambda *_: None)
    recalling.fill(workspace.store)
    for id_, root in workspace.store.rows("select id, root from projects"):
        corpus.projects[Path(root).name.replace("+", "/")] = id_
    workspace.store.close()
    return corpus


def recordings(data: Path) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    field_folder, sessions = data / "field", data / "data" / "sessions"
    for each in json.loads((field_folder / "index.json").read_text())["sessions"]:
        yield each["repository"], each["session"], list(read_lines(field_folder / each["file"]))
    for path in sorted(sessions.glob("*.jsonl.gz")):
        id_ = f"{CONDENSED}-{path.name.removesuffix('.jsonl.gz')}"
        yield CONDENSED, id_, rows_of(id_, list(read_lines(path)))


def rows_of(id_: str, lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A condensed session as rows of the client."""
    rows, root = [], root_of(lines)
    for number, line in enumerate(lines):
        kind = line["kind"]
        at = stamped(line["at"])
        about: dict[str, Any] = {"sessionId": id_, "uuid": f"{id_}:{number}", "timestamp": at}
        about |= {"gitBranch": line.get("branch") or "", "cwd": root, "isSidechain": False}
        if line.get("compact_summary"):
            about["isCompactSummary"] = True
        if kind == "prompt":
            row = {"type": "user", "message": {"content": line["text"]}}
        elif kind == "reply":
            row = {"type": "assistant", "message": {"content": [block("text", line["text"])]}}
        elif kind == "tool":
            call = {"type": "tool_use", "id": line["id"], "name": line["tool"]}
            call["input"] = line.get("input") or {}
            row = {"type": "assistant", "message": {"content": [call]}}
        else:
            result = {"type": "tool_result", "tool_use_id": line["id"]}
            result |= {"content": line.get("text") or "", "is_error": line.get("ok") is False}
            row = {"type": "user", "message": {"content": [result]}}
        rows.append({**about, **row})
    return rows


def root_of(lines: list[dict[str, Any]]) -> str:
    """The folder that a condensed session worked in: what the paths of its files have in common,
    as far as the folders of this repository's sources."""
    for line in lines:
        given = line.get("input")
        path = str(given.get("file_path", "")) if isinstance(given, dict) else ""
        root, mark, _ = path.partition("/cmd/")
        if mark:
            return root
    return "/work"


def block(kind: str, text: str) -> dict[str, str]:
    return {"type": kind, "text": text}


def stamped(at: str) -> str:
    return clock.iso(seconds(at))


def seconds(stamp: str) -> float:
    match = re.fullmatch(r"(.{19})(\.\d+)?(Z|[+-]\d\d:\d\d)", stamp)
    assert match, stamp
    whole = calendar.timegm(time.strptime(match[1], "%Y-%m-%dT%H:%M:%S"))
    zone = match[3]
    shift = 0 if zone == "Z" else int(zone[:3]) * 3600 + int(f"{zone[0]}{zone[4:]}") * 60
    return whole + float(match[2] or 0) - shift


def moved(rows: list[dict[str, Any]], home: str) -> Iterator[str]:
    """Rows as JSON, with all work of a repository in one folder, wherever it lay."""
    roots = {row["cwd"] for row in rows if row.get("cwd")} - {"/"}
    top = {root for root in roots if not any(root.startswith(f"{other}/") for other in roots)}
    places = sorted((json.dumps(root, ensure_ascii=False)[1:-1] for root in top), key=len)
    for row in rows:
        text = json.dumps(row, ensure_ascii=False)
        for place in reversed(places):
            text = text.replace(place, home)
        yield text


def spelt(subjects: Iterable[str]) -> list[str]:
    """Subjects that are long enough to be known again, as they stand in JSON, the longest first."""
    texts = {json.dumps(each, ensure_ascii=False)[1:-1] for each in subjects if len(each) > 8}
    return sorted(texts, key=len, reverse=True)


def without(text: str, subjects: list[str]) -> str:
    """A row, as JSON, without commands that commit, and without the very words of commits'
    subjects: so it has neither what such a command prints."""
    for subject in subjects:
        if subject in text:
            text = text.replace(subject, "")
    if "commit" not in text:
        return text
    row = json.loads(text)
    message = row.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    for each in content if isinstance(content, list) else []:
        given = each.get("input") if isinstance(each, dict) else None
        if isinstance(given, dict) and GIT_COMMIT.search(str(given.get("command", ""))):
            given["command"], given["description"] = "git", ""
    return json.dumps(row, ensure_ascii=False)


def commits(data: Path, group: str) -> list[tuple[str, str, tuple[str, ...]]]:
    """Subject, date and the sessions that made each commit; of one subject once."""
    made: dict[str, tuple[str, str, tuple[str, ...]]] = {}
    if group == CONDENSED:
        for each in json.loads((data / "data" / "sessions" / "commits.json").read_text()):
            made[each["subject"]] = (
                each["subject"],
                each["date"],
                tuple(f"{CONDENSED}-{session}" for session in each["sessions"]),
            )
        return list(made.values())
    for each in json.loads((data / "field" / "index.json").read_text())["sessions"]:
        if each["repository"] == group:
            for commit in each.get("commits") or []:
                subject = commit["subject"]
                before = made.get(subject, (subject, commit["at"], ()))
                made[subject] = (subject, before[1], (*before[2], each["session"]))
    return list(made.values())


# Conversations


def build_conversations(data: Path, folder: Path) -> Corpus:
    """Each conversation as a project; the one's turns are prompts, the other's are answers."""
    corpus = Corpus(folder / "state")
    corpus.state.mkdir(parents=True, mode=0o700)
    workspace = Workspace(str(corpus.state))
    with workspace.store.transaction():
        for sample in json.loads(locomo(data).read_text()):
            corpus.projects[sample["sample_id"]] = sample["sample_id"]
            _keep_conversation(workspace, sample)
    recalling.fill(workspace.store)
    workspace.store.close()
    return corpus


def locomo(data: Path) -> Path:
    return data / "data" / "locomo" / "locomo-dev.json"


def _keep_conversation(workspace: Workspace, sample: dict[str, Any]) -> None:
    spoken, project = sample["conversation"], sample["sample_id"]
    for number in range(1, 100):
        turns = spoken.get(f"session_{number}")
        if not turns:
            continue
        began = _when(spoken[f"session_{number}_date_time"])
        session = f"{project}:session_{number}"
        for place, turn in enumerate(turns):
            text = f"{turn['speaker']}: {turn['text']}"
            if turn.get("blip_caption"):
                text += f" ({turn['blip_caption']})"
            is_prompt = turn["speaker"] == spoken["speaker_a"]
            kind = "prompt_given" if is_prompt else "turn_ended"
            body: dict[str, Any] = {"prompt": text}
            if not is_prompt:
                body = {"message": text, "again": False, "background": []}
            workspace.keep(
                kind,
                body,
                key=turn["dia_id"],
                at=clock.iso(began + 30 * place),
                project=project,
                session=session,
                agent="claude-code",
            )


def _when(text: str) -> float:
    return float(calendar.timegm(time.strptime(text, "%I:%M %p on %d %B, %Y")))
