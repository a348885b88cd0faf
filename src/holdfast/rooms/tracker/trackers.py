"""The tracker: `br` or `bd` when one is installed, else their file, else our own list.

Laws:
  - a program is asked with a time limit and never through a shell; its file says what it cannot;
  - nothing is ever committed or pushed; what was written to an item is an entry, so that it is
    written once; an item is done only when enough scenarios say how it is proved;
  - of a file's items those are ready that are open or in work; what is pinned, passing, put off
    until later, or no work but a record of the tool's own (a gate, a message, an agent) is not;
  - `blocks` holds up until the other one is done, `conditional-blocks` until it has failed,
    `waits-for` until its parts are done too; an item whose parent is held up is held up with it;
  - a parent that is merely open holds nothing up, and neither does what the file does not have.
"""

from __future__ import annotations

from holdfast.errors import HoldfastError, NotFound
from holdfast.rooms.tracker import beads, queries
from holdfast.system import clock as system_clock, environment, files, jsontext, processes
from holdfast.system.environment import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.rooms.tracker.queries import OwnItem
    from holdfast.store.sqlite import Store

    # An issue as the tools write it to JSON.
    Item = dict[str, Any]
    from collections.abc import Iterator

    from holdfast.rooms.tracker.beads import Issue

ACTIVE = (beads.OPEN, "in_progress")
DONE = ("closed", "tombstone")
PINNED = "pinned"  # a status as well as a mark: it stays for ever, and holds nothing up
NO_WORK = ("merge-request", "gate", "molecule", "message", "agent", "role", "rig")
NO_WORK_IDS = ("-mol-", "-wisp-")
PART = "parent-child"
FAILED = (
    *("failed", "rejected", "wontfix", "won't fix", "canceled", "cancelled", "abandoned"),
    *("blocked", "error", "timeout", "aborted"),
)
DEPTH = 50  # parents of parents


def ready(issues: dict[str, Issue], now: str) -> list[Issue]:
    """Issues that nothing holds up: those in work first, then by priority, then the oldest."""
    graph = Graph(issues, _instant(now))
    return sorted(
        (issue for issue in issues.values() if graph.is_ready(issue)),
        key=lambda issue: (
            beads.stage_of(issue) != "in_progress",
            beads.priority_of(issue),
            _instant(issue.get("created_at")),
            issue["id"],
        ),
    )


def active(issues: dict[str, Issue]) -> Issue | None:
    """The issue that is being worked on: of several the one that was touched last."""
    at_work = [issue for issue in issues.values() if beads.stage_of(issue) == "in_progress"]
    return max(
        at_work, key=lambda issue: (_instant(issue.get("updated_at")), issue["id"]), default=None
    )


class Graph:
    """Issues and what they hang on."""

    def __init__(self, issues: dict[str, Issue], now: float) -> None:
        self._issues = issues
        self._now = now
        self._parts: dict[str, list[Issue]] = {}
        for issue in issues.values():
            for parent in _on(issue, PART):
                self._parts.setdefault(parent, []).append(issue)

    def is_ready(self, issue: Issue) -> bool:
        return (
            beads.stage_of(issue) in ACTIVE
            and not (issue.get("pinned") or issue.get("ephemeral"))
            and issue.get("issue_type") not in NO_WORK
            and not any(sign in issue["id"] for sign in NO_WORK_IDS)
            and not any(self._is_put_off(each) for each in (issue, *self._parents(issue)))
            and not self._is_held_up(issue)
        )

    def _parents(self, issue: Issue) -> Iterator[Issue]:
        return (self._issues[name] for name in _on(issue, PART) if name in self._issues)

    def _is_put_off(self, issue: Issue) -> bool:
        return _instant(issue.get("defer_until")) > self._now

    def _is_held_up(self, issue: Issue) -> bool:
        line, seen = [issue], {issue["id"]}
        for _ in range(DEPTH):
            if any(self._is_held(each) for each in line):
                return True
            line = [up for each in line for up in self._parents(each) if up["id"] not in seen]
            if not line:
                break
            seen |= {each["id"] for each in line}
        return False

    def _is_held(self, issue: Issue) -> bool:
        """Whether something it depends on by itself is still to be done."""
        known = self._issues
        return (
            any(_is_open(known.get(name)) for name in _on(issue, "blocks"))
            or any(not _has_failed(known.get(name)) for name in _on(issue, "conditional-blocks"))
            or any(
                _is_open(known.get(name)) or any(map(_is_open, self._parts.get(name, ())))
                for name in _on(issue, "waits-for")
            )
        )


def _on(issue: Issue, kind: str) -> Iterator[str]:
    """What an issue depends on in one way."""
    for dependency in beads.listed(issue, "dependencies"):
        if isinstance(dependency, dict) and str(dependency.get("type", "blocks")).lower() == kind:
            yield str(dependency.get("depends_on_id", ""))


def _is_open(issue: Issue | None) -> bool:
    return issue is not None and beads.stage_of(issue) not in (*DONE, PINNED)


def _has_failed(issue: Issue | None) -> bool:
    """Whether it was closed for a reason that is a failure; so it is with what is not there."""
    if issue is None or beads.stage_of(issue) == "tombstone":
        return True
    reason = str(issue.get("close_reason", "")).lower()
    return not _is_open(issue) and any(word in reason for word in FAILED)


def _instant(text: object) -> float:
    """Seconds since 1970 of a time as the tools write it: a day, any fraction, any offset. What is
    no time is long past."""
    if not isinstance(text, str):
        return 0.0
    day, _, clock = text.strip().replace(" ", "T").partition("T")
    clock = clock.rstrip("Zz") or "00:00:00"
    ahead = 0
    try:
        for sign, way in (("+", 1), ("-", -1)):
            clock, has_zone, zone = clock.partition(sign)
            if has_zone:
                ahead = way * (int(zone[:2]) * 3600 + int(zone[-2:]) * 60)
        return system_clock.seconds_of(f"{day}T{clock}Z") - ahead
    except ValueError:
        return 0.0


BR, BD, FILE, OWN, OFF = "br", "bd", "file", "own", "off"
PROGRAMS = (BR, BD)
AUTO = "auto"
LIMIT_S = 3.0
AUTHOR = "holdfast"
COMMENT_CAP = 4_000
FILE_CAP_BYTES = 16 << 20
ENDING = ("session_id", "ended")  # a handoff is of one end of a session
REFS = {"notes_ref": "NOTES ref", "trajectory_ref": "Trajectory"}  # as a handoff's comment says


class Tracker:
    """Where a project's items live, and the verbs it has for them."""

    def __init__(
        self, store: Store, project: str, root: str, chosen: str = AUTO, limit_s: float = LIMIT_S
    ) -> None:
        self.store = store
        self.project = project
        self.root = root
        self.where = chosen if chosen != AUTO else choose(root)
        self.limit_s = limit_s

    # Asking

    def ready(self, now: str) -> list[Item]:
        """Items that nothing holds up, the one in work first."""
        answer = self._ask_json("ready", "--json")
        if isinstance(answer, list):
            # `ready` tells of what could be begun; what has been begun comes first.
            by_id = {item["id"]: item for item in (*self._at_work(), *_items(answer))}
            return sorted(by_id.values(), key=lambda item: beads.stage_of(item) != "in_progress")
        if self.where == OWN:
            return [item for item in self._own().values() if item["status"] != "closed"]
        return [] if self.where == OFF else ready(self._filed(), now)

    def show(self, id_: str) -> Item:
        """One item with all that is known of it; NotFound without it."""
        answer = self._ask_json("show", id_, "--json")
        if isinstance(answer, list) and answer:
            answer = answer[0]
        filed = self._own() if self.where == OWN else self._filed()
        item = answer if isinstance(answer, dict) and answer.get("id") else filed.get(id_)
        if item is None:
            raise NotFound(f"no item {id_}", hint="see `holdfast tracker ready`")
        return item

    def active(self) -> Item | None:
        """The item that is being worked on."""
        return active({item["id"]: item for item in self._at_work()})

    # Telling

    def add(self, title: str, *, now: str, id_: str) -> str:
        """A new item; its id. In our own list it is an entry, which the caller keeps."""
        if self.where in PROGRAMS:
            answer = self._ask_json("create", title, "--json")
            made = answer[0] if isinstance(answer, list) and answer else answer
            if not isinstance(made, dict) or not isinstance(made.get("id"), str):
                raise self._refused("create")
            return str(made["id"])
        if self.where == FILE:
            known = self._filed()
            named = f"{_prefix(known)}-{id_}"
            while named in known:  # a later line would count for it
                named += "x"
            issue = {
                "id": named,
                "title": title,
                "status": "open",
                "priority": 2,
                "issue_type": "task",
                "created_at": now,
                "created_by": AUTHOR,
                "updated_at": now,
            }
            beads.add(self.root, issue)
            return named
        return f"hf-{id_}"

    def move(self, id_: str, stage: str, *, now: str, reason: str = "") -> None:
        """Begin an item, or close it. In our own list it is an entry, which the caller keeps."""
        if self.where in PROGRAMS:
            command = ("close", id_, "--reason", reason or "done")
            if stage != "closed":
                command = ("update", id_, "--status", stage)
            if self._run(*command) is None:
                raise self._refused(command[0])
        elif self.where == FILE:
            beads.change(self.root, id_, lambda issue: _moved(issue, stage, now, reason))

    def comment(self, id_: str, text: str, *, now: str) -> None:
        """Words on an item, for people and for the next agent."""
        text = text[:COMMENT_CAP]
        if self.where in PROGRAMS:
            if self._run("comments", "add", id_, text) is None:
                raise self._refused("comments add")
        elif self.where == FILE:
            new = _comment_id(self._filed())
            beads.change(self.root, id_, lambda issue: _commented(issue, new, text, now))

    def comment_once(self, id_: str, text: str, *, now: str) -> bool:
        """Words on an item, unless it has them; whether it was told."""
        comments = beads.listed(self.show(id_), "comments")
        if any(isinstance(each, dict) and each.get("text") == text for each in comments):
            return False
        self.comment(id_, text, now=now)
        return True

    def hand_on_once(self, id_: str, comment: str, *, ended: str) -> bool:
        """The handoff that a comment tells of, unless the item has it; whether it was told."""
        handoff = _handoff_in(comment, ended)
        known = [
            each for each in beads.listed(self.show(id_), "handoffs") if isinstance(each, dict)
        ]
        if any(all(each.get(name) == handoff[name] for name in ENDING) for each in known):
            return False
        return self.extend(id_, {"handoffs": [handoff]}, now=ended)

    def extend(self, id_: str, more: dict[str, list[Any]], *, now: str) -> bool:
        """Append to an item's decisions, scenarios, handoffs ...; whether its file was changed.
        A program has no such fields: it is told by comments."""
        if self.where != FILE:
            return False
        return beads.change(self.root, id_, lambda issue: _extended(issue, more, now))

    def sync(self) -> bool:
        """Have the program write its file; it neither commits nor pushes."""
        return self.where in PROGRAMS and self._run("sync", "--flush-only") is not None

    # How

    def _at_work(self) -> list[Item]:
        if self.where == OFF:
            return []
        answer = self._ask_json("list", "--status", "in_progress", "--json")
        if isinstance(answer, list):
            return _items(answer)
        if self.where == OWN:
            return [self._own_item(row) for row in queries.at_work(self.store, self.project)]
        return [item for item in self._filed().values() if beads.stage_of(item) == "in_progress"]

    def _ask_json(self, *words: str) -> Any:
        if self.where not in PROGRAMS:
            return None
        stdout = self._run(*words)
        try:
            return jsontext.loads(stdout) if stdout else None
        except ValueError:
            return None

    def _run(self, *words: str) -> str | None:
        """What the program prints in the project's folder, None when it fails or takes too long."""
        before = system.open(".", system.O_RDONLY | system.O_CLOEXEC)
        try:
            system.chdir(self.root)
            return processes.heard_from([self.where, *words], self.limit_s)
        finally:
            system.fchdir(before)
            system.close(before)

    def _filed(self) -> dict[str, Item]:
        return beads.read(self.root, FILE_CAP_BYTES) or {}

    def _own(self) -> dict[str, Item]:
        rows = queries.items(self.store, self.project)
        return {row["item"]: self._own_item(row) for row in rows}

    def _own_item(self, row: OwnItem) -> Item:
        """An item of our own list with what it was told."""
        notes = queries.notes(self.store, self.project, row["item"])
        return {
            "id": row["item"],
            "title": row["title"],
            "status": row["stage"],
            "updated_at": row["at"],
            "comments": [
                {"text": note["text"], "created_at": note["at"]} for note in notes if note["text"]
            ],
        }

    def _refused(self, verb: str) -> HoldfastError:
        return HoldfastError(
            f"`{self.where} {verb}` failed or took longer than {self.limit_s:g} s",
            hint=f"try it yourself: `{self.where} {verb}` in {self.root}",
        )


def choose(root: str) -> str:
    """What keeps this project's items: a program counts where its folder is there, too."""
    if not root or not files.exists(f"{root}/{beads.FOLDER}"):
        return OWN
    for name in PROGRAMS:
        if is_installed(name):
            return name
    return FILE if beads.files(root) else OWN


def is_installed(name: str) -> bool:
    folders = environment.env("PATH").split(":")
    return any(folder and files.exists(f"{folder}/{name}") for folder in folders)


def named(item: Item) -> str:
    """An item in a line: its id and what it is about."""
    title = " ".join(str(item.get("title", "")).split())
    return f"{item['id']} ({title})" if title else str(item["id"])


def decision_comment(decision: Item) -> str:
    """A decision as it is written to a tracker that has comments alone."""
    lines = [f"DECISION: {decision['decision']}", f"Standing: {decision['standing']}"]
    if decision["rationale"]:
        lines.append(f"Rationale: {decision['rationale']}")
    lines += [f"Evidence: {cited['path']}:{cited['line']}" for cited in decision["evidence"]]
    return "\n".join(lines)


def handoff_comment(handoff: Item) -> str:
    ratio = handoff["grounding_ratio"]
    return "\n".join(
        [
            "HANDOFF:",
            f"Session: {handoff['session_id']}",
            f"NOTES ref: {handoff['notes_ref'] or 'none'}",
            f"Trajectory: {handoff['trajectory_ref'] or 'none'}",
            f"Grounding ratio: {'no claims' if ratio is None else f'{ratio:.2f}'}",
        ]
    )


def _handoff_in(comment: str, ended: str) -> Item:
    fields = dict(line.partition(": ")[::2] for line in comment.split("\n"))
    refs = {name: fields.get(label, "none") for name, label in REFS.items()}
    try:
        ratio: float | None = float(fields.get("Grounding ratio", ""))
    except ValueError:
        ratio = None
    return {
        "session_id": fields.get("Session", ""),
        "ended": ended,
        **{name: "" if ref == "none" else ref for name, ref in refs.items()},
        "grounding_ratio": ratio,
    }


def refuse_unproved(id_: str, scenarios: int, needed: int) -> None:
    """At least so many scenarios before an item is done."""
    if scenarios < needed:
        raise HoldfastError(
            f"{id_} has {scenarios} of {needed} scenarios, and is not done without them",
            hint="`holdfast decide` takes --scenario happy_path:name:expected, edge_case, "
            "error_handling",
        )


def _items(answer: list[Any]) -> list[Item]:
    return [item for item in answer if isinstance(item, dict) and isinstance(item.get("id"), str)]


def _prefix(known: dict[str, Item]) -> str:
    """What the ids of this tracker begin with, most of them."""
    many: dict[str, int] = {}
    for name in known:
        prefix = name.rpartition("-")[0]
        many[prefix] = many.get(prefix, 0) + 1
    return max(many, key=lambda prefix: many[prefix], default="") or "bd"


def _moved(issue: Item, stage: str, now: str, reason: str) -> bool:
    if beads.stage_of(issue) == stage:
        return False
    issue["status"], issue["updated_at"] = stage, now
    if stage == "closed":
        issue["closed_at"] = now
        if reason:
            issue["close_reason"] = reason
    elif issue.get("closed_at"):
        issue["closed_at"] = None  # the tools refuse it in what is not closed
    return True


def _comment_id(known: dict[str, Item]) -> int | str:
    """A new comment's, as this tracker numbers them: over all issues, or by random names."""
    comments = [each for issue in known.values() for each in beads.listed(issue, "comments")]
    ids = [comment.get("id") for comment in comments if isinstance(comment, dict)]
    if any(isinstance(id_, str) for id_ in ids):
        digits = system.urandom(16).hex()
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
    return max((id_ for id_ in ids if type(id_) is int), default=0) + 1


def _commented(issue: Item, id_: int | str, text: str, now: str) -> bool:
    comments = beads.listed(issue, "comments")
    comment = {
        "id": id_,
        "issue_id": issue["id"],
        "author": AUTHOR,
        "text": text,
        "created_at": now,
    }
    issue["comments"], issue["updated_at"] = [*comments, comment], now
    return True


def _without_standing(member: Any) -> Any:
    """A decision is the same one however it stands by now."""
    if not isinstance(member, dict):
        return member
    return {name: value for name, value in member.items() if name != "standing"}


def _extended(issue: Item, more: dict[str, list[Any]], now: str) -> bool:
    changed = False
    for name, members in more.items():
        known = beads.listed(issue, name)
        bare = [_without_standing(member) for member in known]
        new = [member for member in members if _without_standing(member) not in bare]
        if new:
            issue[name] = [*known, *new]
            changed = True
    if changed:
        issue["updated_at"] = now
    return changed
