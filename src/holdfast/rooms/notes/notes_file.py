"""NOTES.md on disk: what people changed is taken in, then our block is rendered anew.

Laws: nothing is made in a project that has nothing to note; a link is never followed, and a file
that we could not read as it is meant is left alone; the file is replaced whole, and only if it is
still the one that was read.
"""

from __future__ import annotations

from holdfast.errors import HoldfastError, NotFound, StoreError
from holdfast.redaction.gate import gate_text
from holdfast.rooms.decisions import deciding, queries as decisions
from holdfast.rooms.decisions.decision import FILE
from holdfast.rooms.decisions.grounding import standing
from holdfast.rooms.notes import notes_block
from holdfast.rooms.tracker import queries
from holdfast.system import files, paths, processes
from holdfast.system.environment import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.rooms.decisions.deciding import Here
    from holdfast.rooms.decisions.decision import Decision
    from holdfast.rooms.notes.notes_block import Box, Parts

FOLDER, NAME = ".holdfast", "NOTES.md"
CAP_BYTES = 4 << 20
COPIES = 20
NEWLINE = b"\n"
TAKEN = ".taken"  # of a block that was edited and taken in, and not rendered since
TRIES = 3
WAIT_S = 3.0
START_WAIT_S = 0.5  # a session that begins is waited for
IDENTIFIERS = 50
BOXES = 10  # that were ticked in the file and are still shown, so that they can be unticked
DONE = "ticked in NOTES.md"
WIDE = (b"\xff\xfe", b"\xfe\xff")  # two bytes to a character: not ours to write into
ADMITTED = (
    b"# Notes and configuration are the team's; all else here is one machine's.\n*\n!.gitignore\n"
)
ADMITTED += b"!NOTES.md\n!config.yaml\n"


class Outcome:
    """What a render did."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.changed = False
        self.decisions = 0  # in the log
        self.taken: list[Decision] = []
        self.boxes = 0  # ticked, unticked or added
        self.moved = 0  # lines
        self.conflicts: list[str] = []


def path_of(root: str) -> str:
    return f"{root}/{FOLDER}/{NAME}"


def has_content(here: Here) -> bool:
    """Whether there is anything to note: without that no folder is made in a project."""
    return queries.has_content(here.workspace.store, here.project)


def render(here: Here, active: dict[str, str], copies: str) -> Outcome | None:
    """Take in what people changed, and render; None when there is nothing to note and no file.
    `copies` is the folder of what was rendered lately. StoreError when it may not be written."""
    folder = files.own_folder(paths.runtime_folder())
    lock = processes.Lock(f"{folder}/notes-{paths.mark(here.root):08x}.lock")
    try:
        # One at a time: what a person changed is taken in once.
        if not lock.take(wait_s=WAIT_S):
            raise StoreError(f"{path_of(here.root)} is being rendered", hint="try again")
        return _render(here, active, copies)
    finally:
        lock.release()


def take_in(here: Here, copies: str) -> list[Decision]:
    """Take in what people changed, and leave the file as it is: what a session that begins must
    know. StoreError when it may not be read."""
    content = read(here.root)
    parts = notes_block.split(content or b"", lambda mark: _copied(copies, mark))
    before = _copied(copies, parts.mark, TAKEN) if parts is not None else None
    if parts is None or not (parts.is_edited() or before):
        return []
    folder = files.own_folder(paths.runtime_folder())
    lock = processes.Lock(f"{folder}/notes-{paths.mark(here.root):08x}.lock")
    outcome = Outcome(path_of(here.root))
    try:
        if lock.take(wait_s=START_WAIT_S):  # else it is being taken in
            text = parts.inner.decode("utf-8", "surrogateescape")
            _take_in(here, text, before or _copied(copies, parts.mark), outcome)
            _note_taken(copies, parts)
    finally:
        lock.release()
    return outcome.taken


def _render(here: Here, active: dict[str, str], copies: str) -> Outcome | None:
    for _ in range(TRIES):
        content = read(here.root)
        if content is None and not has_content(here):
            return None
        outcome = Outcome(path_of(here.root))
        new = _renewed(here, content or b"", active, copies, outcome)
        if content == new:
            _note_rendered(copies, new)
            return outcome
        if read(here.root) == content:  # nobody wrote meanwhile
            _write(here.root, content, new)
            _copy(copies, new)
            _note_rendered(copies, content or b"", new)
            outcome.changed = True
            return outcome
    raise StoreError(f"{path_of(here.root)} is being written by somebody else", hint="try again")


def read(root: str) -> bytes | None:
    """The file as it is, None without one. StoreError when it is not for us to write."""
    path = path_of(root)
    for place in (path.rpartition("/")[0], path):
        if files.is_link(place):
            raise StoreError(f"{place} is a link, which is not followed", hint="put a file there")
    content = files.read_bytes(path, CAP_BYTES + 1)
    if content is None:
        if files.exists(path):
            raise StoreError(f"{path} cannot be read", hint="is it a file, and yours?")
        return None
    if len(content) > CAP_BYTES:
        raise StoreError(f"{path} is longer than {CAP_BYTES >> 20} MB", hint="keep notes shorter")
    if content.startswith(WIDE):
        raise StoreError(f"{path} is UTF-16", hint="save it as UTF-8, and it is rendered")
    return content


def _renewed(
    here: Here, content: bytes, active: dict[str, str], copies: str, outcome: Outcome
) -> bytes:
    parts = notes_block.split(content, lambda mark: _copied(copies, mark))
    moved: list[bytes] = []
    is_edited = parts is not None and parts.is_edited()
    text = parts.inner.decode("utf-8", "surrogateescape") if parts is not None else ""
    copy = _copied(copies, parts.mark) if parts is not None and is_edited else None
    taken = _copied(copies, parts.mark, TAKEN) if parts is not None else None
    is_news = is_edited or taken is not None
    read_, refused = _take_in(here, text, taken or copy, outcome) if is_news else ([], [])
    foreign = _foreign(here, notes_block.sections(text))
    inner = _block(here, active, foreign, outcome)
    if parts is not None and is_edited:
        ours = (copy.decode("utf-8", "replace") if copy else inner).split("\n")
        ours += read_
        ours += [line for lines in foreign.values() for line in lines]
        moved = [*notes_block.theirs(parts, ours), *refused]
    outcome.moved = len(moved)
    new = notes_block.assembled(parts, content, inner, moved)
    outcome.conflicts = notes_block.conflicts(new)
    return new


def _take_in(
    here: Here, inner: str, copy: bytes | None, outcome: Outcome
) -> tuple[list[str], list[bytes]]:
    """Decisions whose words were changed become superseding ones, by the file, and those that were
    added become decisions; boxes that were ticked, unticked or added are taken in; what cannot, is
    shown. The lines that were read, and the conflicts. Other words rest on nothing yet: evidence
    and scenarios stay with the words they were given for."""
    file = deciding.Here(
        here.workspace,
        project=here.project,
        root=here.root,
        session=here.session,
        at=here.at,
        source=FILE,
    )
    read_, refused = _take_in_changes(file, notes_block.sections(inner), outcome)
    read_ += _take_in_additions(file, notes_block.added(inner), outcome)
    before = copy.decode("utf-8", "replace") if copy else ""
    read_ += _take_in_boxes(file, notes_block.boxes(inner), notes_block.boxes(before), outcome)
    return read_, refused


def _take_in_boxes(file: Here, boxes: list[Box], before: list[Box], outcome: Outcome) -> list[str]:
    """What is ticked is done, what is unticked or new is open. Only what differs from what was
    rendered says anything: the ledger may have gone on since. The lines that were read."""
    store, project = file.workspace.store, file.project
    rendered = {(box.sort, box.text): box.is_ticked for box in before}
    read_: list[str] = []
    for box in boxes:
        text = notes_block.flat(gate_text(box.text))
        items = [
            item
            for item in decisions.open_items(store, project, box.sort)
            if notes_block.flat(item["text"]) == text
        ]
        was_ticked = rendered.get((box.sort, box.text))
        is_known = was_ticked is not None or decisions.was_open(store, project, box.sort, text)
        if box.is_ticked:
            for item in items:
                deciding.resolve(file, item["id"], DONE)
        elif not items and (was_ticked or not is_known):
            try:
                deciding.open_item(file, box.sort, text)
            except HoldfastError:
                continue  # too long to be told: its line stays theirs
            outcome.boxes += 1
        outcome.boxes += len(items) if box.is_ticked else 0
        if is_known or not box.is_ticked:
            read_ += [box.line, notes_block.HEADINGS[box.sort]]
    return read_


def _take_in_additions(file: Here, added: list[list[str]], outcome: Outcome) -> list[str]:
    """The lines that were read. Words that were a decision before are none anew."""
    if not added:
        return []
    read_: list[str] = []
    known = {_words(decision) for decision in decisions.history(file.workspace.store, file.project)}
    for lines in added:
        text, because = words = _kept_words(lines)
        if words not in known:
            try:
                outcome.taken.append(deciding.decide(file, text, because=because, how="notes"))
            except HoldfastError:
                continue  # too long to be told: its lines stay theirs
            known.add(words)
        read_ += notes_block.of_words(lines)
        if notes_block.title_of(lines[0]) in f"{text} {because}":
            read_.append(lines[0])
    return read_


def _kept_words(lines: list[str]) -> tuple[str, str]:
    """What a section says, as it is kept: without secrets."""
    text, because = notes_block.words_of(lines)
    return notes_block.flat(gate_text(text)), notes_block.flat(gate_text(because))


def _take_in_changes(
    file: Here, shown: dict[str, list[str]], outcome: Outcome
) -> tuple[list[str], list[bytes]]:
    read_: list[str] = []
    refused: list[bytes] = []
    for tag, lines in shown.items():
        known = _known(file, tag)
        text, because = words = _kept_words(lines)
        if known is None or not text or words == _words(known):
            continue
        read_ += notes_block.of_words(lines)
        if known.superseded_by:
            now = decisions.find(file.workspace.store, known.superseded_by)
            if words != _words(now):
                why = f'and in the ledger to "{notes_block.flat(now.text)}" ({now.id})'
                refused.append(notes_block.conflict(tag, text, because, why))
            continue
        is_same = text == _words(known)[0]  # only the reason is another
        try:
            made = deciding.supersede(
                file,
                known.id,
                text,
                because=because,
                evidence=known.evidence if is_same else (),
                scenarios=known.scenarios if is_same else (),
                how="notes",
            )
        except HoldfastError as error:
            refused.append(
                notes_block.conflict(tag, text, because, f"and was not taken in: {error}")
            )
        else:
            outcome.taken.append(made)
    return read_, refused


def _words(decision: Decision) -> tuple[str, str]:
    return notes_block.flat(decision.text), notes_block.flat(decision.because)


def _known(here: Here, tag: str) -> Decision | None:
    id_ = tag.partition(" ")[0]
    try:
        return decisions.find(here.workspace.store, id_, project=here.project)
    except HoldfastError:  # not found, or two that begin so: no id of ours is that short
        return None


def _foreign(here: Here, shown: dict[str, list[str]]) -> dict[str, list[str]]:
    """Decisions that another machine wrote, and whose entries have not come here: carried along
    as they are. What this machine wrote and no longer knows was forgotten."""
    own = here.workspace.store.machine()[:6]
    return {
        tag: lines
        for tag, lines in shown.items()
        if tag.partition(" ")[2] not in ("", own) and _known(here, tag) is None
    }


def _block(
    here: Here, active: dict[str, str], foreign: dict[str, list[str]], outcome: Outcome
) -> str:
    store, project = here.workspace.store, here.project
    latest = decisions.current(store, project, limit=notes_block.DECISIONS)
    outcome.decisions = len(latest)
    standings = standing.judge(store, here.root, latest)
    machine = store.machine()
    log = [
        notes_block.section(decision, notes_block.tag_of(decision.id, machine), standings)
        for decision in latest
    ]
    log += [[*lines, ""] if lines[-1] else lines for lines in foreign.values()]
    return notes_block.block(
        active,
        queries.identifiers(store, project, IDENTIFIERS),
        sorted(log, key=lambda lines: lines[0], reverse=True),
        decisions.open_items(store, project),
        decisions.count_current(store, project, limit=len(latest) + notes_block.OLDER + 1)
        - len(latest),
        decisions.resolved_items(store, project, DONE, limit=BOXES),
    )


def _write(root: str, before: bytes | None, content: bytes) -> None:
    path = path_of(root)
    folder = path.rpartition("/")[0]
    if before is not None:
        files.write_over(path, content)
        return
    files.own_folder(folder)
    files.write_whole(path, content)
    ignore = f"{folder}/.gitignore"
    if not files.exists(ignore) and not files.is_link(ignore):
        files.write_whole(ignore, ADMITTED)


# What was rendered lately


def _copy(copies: str, content: bytes) -> None:
    """Keep what lies between the markers, by its digest: by that people's lines are told."""
    parts = notes_block.split(content)
    if parts is None or not copies:
        return
    try:
        folder = _own(copies)
        files.write_whole(f"{folder}/{parts.mark}.md", parts.inner.replace(b"\r\n", b"\n"))
        names = files.names_in(folder)
        by_age = sorted(names, key=lambda name: system.stat(f"{folder}/{name}").st_mtime_ns)
        for name in by_age[:-COPIES]:
            system.unlink(f"{folder}/{name}")
    except (OSError, StoreError):
        pass  # without a copy more lines are taken for theirs, and none is lost


def _own(copies: str) -> str:
    return files.own_folder(copies, within=copies.rpartition("/")[0])


def _note_taken(copies: str, parts: Parts) -> None:
    """Keep the block as it was taken in, beside the copy it was edited from: what is put back after
    that was changed, though it is what was rendered."""
    if not copies or not parts.mark:
        return
    try:
        content = parts.inner.replace(b"\r\n", NEWLINE)
        files.write_whole(f"{_own(copies)}/{parts.mark}{TAKEN}", content)
    except (OSError, StoreError):
        pass  # what is put back before the next rendering is not seen


def _note_rendered(copies: str, *contents: bytes) -> None:
    """From now on the rendering is what edits are told from, also if an older file comes back."""
    for content in contents:
        parts = notes_block.split(content)
        if parts is not None and _copied(copies, parts.mark, TAKEN) is not None:
            system.unlink(f"{copies}/{parts.mark}{TAKEN}")


def _copied(copies: str, mark: str, ending: str = ".md") -> bytes | None:
    if not copies or not mark or paths.as_name(mark) != mark:
        return None
    return files.read_bytes(f"{copies}/{mark}{ending}", CAP_BYTES)


def ref(root: str) -> str:
    """Where our block stands, as a handoff names it; "" without one."""
    try:
        content = read(root)
    except StoreError:
        return ""
    parts = notes_block.split(content or b"")
    if parts is None:
        return ""
    first = parts.before.count(b"\n") + 1
    return f"{FOLDER}/{NAME}:{first}-{first + parts.inner.count(NEWLINE)}"


def shown(root: str) -> str:
    """Our section as it stands in the file; NotFound without one."""
    content = read(root)
    parts = notes_block.split(content or b"")
    if parts is None:
        raise NotFound(f"{path_of(root)} has no notes of ours", hint="`holdfast notes render`")
    return parts.inner.decode("utf-8", "replace").strip()
