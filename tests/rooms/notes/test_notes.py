"""NOTES.md: our block is rendered; not a byte of people's is lost."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from conftest import git
from holdfast.cli.helpers import decision_views
from holdfast.errors import StoreError
from holdfast.ledger import queries as ledger
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.decisions import deciding, decision_wording, queries
from holdfast.rooms.decisions.deciding import Here
from holdfast.rooms.decisions.decision import Evidence, Scenario
from holdfast.rooms.decisions.grounding import ratio
from holdfast.rooms.notes import notes_block, notes_file
from measure import some_of

NOW = "2026-03-01T12:00:00.000Z"
ACTIVE = {"Current Bead": "app-9nx (Rotate tokens)", "Reasoning State": "next: log out everywhere"}
SCENARIOS = [
    Scenario("happy_path", "token in time", "accepted"),
    Scenario("edge_case", "token at the edge", "accepted"),
    Scenario("error_handling", "token too old", "refused"),
]


@pytest.fixture
def here(workspace: Workspace, repo: Path) -> Here:
    return Here(workspace, project="p1", root=str(repo), session="s1", at=NOW)


@pytest.fixture
def copies(tmp_path: Path) -> str:
    return str(tmp_path / "copies")


@pytest.fixture
def file(repo: Path) -> Path:
    return repo / ".holdfast" / "NOTES.md"


def decide(here: Here, text: str = "Rotate refresh tokens", **more) -> str:
    return deciding.decide(here, text, because=more.pop("because", "replay"), **more).id


def current(here: Here) -> list[str]:
    return [one.text for one in queries.current(here.workspace.store, "p1")]


@pytest.mark.promise("D5")
def test_the_block_has_the_sections_of_the_design_with_paths_from_the_project_root(
    here, copies, file, repo
):
    (repo / "jwt.py").write_text("grace = 900\n")
    cited = Evidence("jwt.py", 1, 1, "grace = 900")
    id_ = decide(here, evidence=[cited], scenarios=SCENARIOS)
    for sort, text in (("question", "Per client?"), ("next_step", "Skew"), ("blocker", "No clock")):
        deciding.open_item(here, sort, text)
    notes_file.render(here, ACTIVE, copies)

    parts = notes_block.split(file.read_bytes())
    said = parts.inner.decode()
    machine = here.workspace.store.machine()[:6]
    assert file.read_bytes().startswith(b"# Notes\n\n<!-- holdfast:begin ")
    assert not parts.is_edited()
    assert said.strip().splitlines()[4:] == [
        "### Active Context",
        "- **Current Bead**: app-9nx (Rotate tokens)",
        "- **Reasoning State**: next: log out everywhere",
        "",
        "### Places in the Code",
        "",
        "### Decision Log",
        "",
        f"#### 2026-03-01T12:00:00Z - Rotate refresh tokens <!-- decision {id_} {machine} -->",
        "**Decision**: Rotate refresh tokens",
        "**Rationale**: replay",
        "**Standing**: grounded",
        "**Evidence**:",
        "- `grace = 900` [${PROJECT_ROOT}/jwt.py:1]",
        "**Test Scenarios**:",
        "1. happy_path: token in time: accepted",
        "2. edge_case: token at the edge: accepted",
        "3. error_handling: token too old: refused",
        "",
        "### Active Sub-Goals",
        "- [ ] Skew",
        "",
        "### Blockers",
        "- [ ] No clock",
        "",
        "### Pending Questions",
        "- [ ] Per client?",
    ]


def test_a_project_with_nothing_to_note_gets_no_folder(here, copies, repo):
    assert notes_file.render(here, ACTIVE, copies) is None
    assert not (repo / ".holdfast").exists()


@pytest.mark.promise("D5")
def test_git_sees_the_notes_and_the_configuration_alone(here, copies, repo):
    decide(here)
    notes_file.render(here, ACTIVE, copies)
    for name in ("config.yaml", "config.local.yaml", "anything"):
        (repo / ".holdfast" / name).write_text("x")

    git(repo, "add", ".")
    assert git(repo, "diff", "--cached", "--name-only").splitlines() == [
        ".holdfast/.gitignore",
        ".holdfast/NOTES.md",
        ".holdfast/config.yaml",
    ]


def test_a_render_that_says_nothing_new_writes_nothing(here, copies, file):
    decide(here)
    assert notes_file.render(here, ACTIVE, copies).changed
    before = file.stat().st_mtime_ns, file.stat().st_ino

    assert not notes_file.render(here, ACTIVE, copies).changed
    assert (file.stat().st_mtime_ns, file.stat().st_ino) == before


@pytest.mark.promise("D5")
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"# Team\n\nours\n", id="an ordinary file"),
        pytest.param(b"# Team\n\nno final newline", id="no final newline"),
        pytest.param(b"# Team\r\n\r\nours\r\n", id="carriage returns"),
        pytest.param(b"\xff\x00caf\xe9\n\x80", id="odd bytes"),
        pytest.param("\ufeff# Team é\n".encode(), id="a byte order mark"),
        pytest.param(b"<!-- holdfast:end -->\nstray\n", id="an end without a beginning"),
    ],
)
def test_what_people_wrote_around_the_block_stays_to_the_byte(here, copies, file, text):
    file.parent.mkdir()
    file.write_bytes(text)
    decide(here)
    notes_file.render(here, ACTIVE, copies)
    file.write_bytes(file.read_bytes() + text)
    decide(here, "Another one")
    notes_file.render(here, ACTIVE, copies)

    content = file.read_bytes()
    assert content.startswith(text) and content.endswith(text)
    assert content.count(notes_block.BEGIN) == 1
    if b"\r\n" in text:
        assert content.count(b"\r\n") == content.count(b"\n")


@pytest.mark.promise("D5")
def test_a_decision_that_a_person_rewords_is_superseded_and_rests_on_nothing_yet(
    here, copies, file, repo
):
    (repo / "jwt.py").write_text("grace = 900\n")
    old = decide(here, evidence=[Evidence("jwt.py", 1, 1, "grace = 900")], scenarios=SCENARIOS)
    notes_file.render(here, ACTIVE, copies)
    said = file.read_text()
    file.write_text(said.replace("n**: Rotate refresh tokens", "n**: Rotate them hourly"))
    outcome = notes_file.render(here, ACTIVE, copies)

    new = queries.current(here.workspace.store, "p1")[0]
    assert (new.text, new.because, new.supersedes, new.source) == (
        "Rotate them hourly",
        "replay",
        old,
        "file",
    )
    assert (new.evidence, new.scenarios) == ([], []), "they were given for other words"
    made = [entry.body for _, entry in ledger.read(here.workspace.store)][-1]
    assert (made["evidence"], made["scenarios"]) == ([], [])
    assert (len(outcome.taken), outcome.moved, outcome.conflicts) == (1, 0, [])
    assert b"Moved out" not in file.read_bytes()
    assert not notes_file.render(here, ACTIVE, copies).changed


@pytest.mark.promise("D5")
@pytest.mark.parametrize("of_older_versions", ["Rotate them hourly", "Rotate  refresh\ttokens"])
def test_evidence_that_was_handed_on_to_other_words_is_told_no_more(here, repo, of_older_versions):
    cited = Evidence("jwt.py", 1, 1, "grace = 900")
    (repo / "jwt.py").write_text("grace = 900\n")
    old = decide(here, evidence=[cited], scenarios=SCENARIOS)
    here.source = "file"
    handed = {"evidence": [cited], "scenarios": SCENARIOS}
    new = deciding.supersede(here, old, of_older_versions, because="replay", **handed)
    newest = deciding.supersede(here, new.id, of_older_versions, because="theft", **handed)

    is_reworded = of_older_versions == "Rotate them hourly"
    for id_ in (new.id, newest.id):
        decision = queries.find(here.workspace.store, id_)
        assert bool(decision.evidence) is not is_reworded
        assert bool(decision.scenarios) is not is_reworded
    assert queries.find(here.workspace.store, old).evidence, "its own stays"


@pytest.mark.promise("W2")
def test_what_is_edited_in_the_file_is_told_as_the_files_and_never_as_the_users(here, copies, file):
    old = decide(here)
    notes_file.render(here, ACTIVE, copies)
    file.write_text(file.read_text().replace("n**: Rotate refresh tokens", "n**: Rotate hourly"))
    notes_file.render(here, ACTIVE, copies)

    new = queries.current(here.workspace.store, "p1")[0]
    assert (new.supersedes, new.source, new.evidence) == (old, "file", [])
    assert ratio.grounding_of(new) == ratio.NOTHING
    assert "edited in NOTES.md" in decision_wording.line(new, "unsupported", {}, 100)
    assert "edited in NOTES.md" in decision_views.line_of(new, "unsupported")


def test_a_changed_reason_is_read_back_too_even_over_two_lines(here, copies, file, repo):
    (repo / "jwt.py").write_text("grace = 900\n")
    decide(here, evidence=[Evidence("jwt.py", 1, 1, "grace = 900")], scenarios=SCENARIOS)
    notes_file.render(here, ACTIVE, copies)
    file.write_text(file.read_text().replace("e**: replay", "e**: replay of\nstolen tokens"))
    notes_file.render(here, ACTIVE, copies)

    new = queries.current(here.workspace.store, "p1")[0]
    assert new.because == "replay of stolen tokens"
    assert ([one.quote for one in new.evidence], len(new.scenarios)) == (["grace = 900"], 3)


@pytest.mark.promise("D5")
def test_an_edit_against_a_change_of_the_ledger_is_shown_and_not_resolved(here, copies, file):
    old = decide(here)
    notes_file.render(here, ACTIVE, copies)
    deciding.supersede(here, old, "Rotate them daily")
    file.write_text(file.read_text().replace("n**: Rotate refresh tokens", "n**: Never rotate"))
    outcome = notes_file.render(here, ACTIVE, copies)

    assert current(here) == ["Rotate them daily"]
    assert len(outcome.conflicts) == 1
    assert 'changed here to "Never rotate"' in outcome.conflicts[0]
    assert 'in the ledger to "Rotate them daily"' in outcome.conflicts[0]
    assert (
        notes_file.render(here, ACTIVE, copies).conflicts == outcome.conflicts
    )  # until it is settled
    file.write_text("".join(x for x in file.read_text().splitlines(True) if "CONFLICT" not in x))
    assert notes_file.render(here, ACTIVE, copies).conflicts == []


@pytest.mark.promise("D5")
@pytest.mark.parametrize("with_copy", [True, False])
def test_other_lines_that_a_person_wrote_inside_are_moved_below_the_block(
    here, copies, file, with_copy
):
    decide(here)
    notes_file.render(here, ACTIVE, copies)
    if not with_copy:
        for one in Path(copies).iterdir():
            one.unlink()
    said = file.read_text()
    said = said.replace("### Decision Log\n", "### Decision Log\nask Kim first\n")
    file.write_text(said.replace("begin ", "begin ").replace("### Pending", "mine\n### Pending"))
    outcome = notes_file.render(here, ACTIVE, copies)

    content = file.read_text()
    assert outcome.moved == 2
    assert content.endswith("-->\n\n## Moved out of the block above\n\nask Kim first\nmine\n")
    assert not notes_file.render(here, ACTIVE, copies).changed


def test_what_is_moved_out_later_joins_what_was_moved_before(here, copies, file):
    decide(here)
    notes_file.render(here, ACTIVE, copies)
    for words in ("one", "two"):
        file.write_text(file.read_text().replace("### Pending", f"{words}\n### Pending"))
        notes_file.render(here, ACTIVE, copies)

    assert file.read_text().count("## Moved out") == 1
    assert file.read_text().endswith("## Moved out of the block above\n\ntwo\none\n")


def test_a_block_that_lost_its_end_swallows_nothing_that_follows(here, copies, file):
    decide(here)
    notes_file.render(here, ACTIVE, copies)
    said = file.read_bytes() + b"my own words\n"
    file.write_bytes(said.replace(notes_block.END, b""))
    notes_file.render(here, ACTIVE, copies)

    content = file.read_bytes()
    assert content.endswith(b"my own words\n")
    assert content.count(b"### Decision Log") == 1


@pytest.mark.promise("D5")
def test_a_teammates_decision_is_carried_along_and_one_that_was_forgotten_is_not(
    here, copies, file
):
    decide(here)
    notes_file.render(here, ACTIVE, copies)
    machine = here.workspace.store.machine()[:6]
    theirs = (
        "#### 2026-02-01T09:00:00Z - Use RSA <!-- decision abcdefabcdef ffffff -->\n"
        "**Decision**: Use RSA\n\n"
    )
    gone = theirs.replace("ffffff -->", f"{machine} -->").replace("abcdefabcdef", "123456123456")
    inner = (
        notes_block.split(file.read_bytes())
        .inner.decode()
        .replace("### Pending", theirs + gone.replace("Use RSA", "Forgotten") + "### Pending")
    )
    # As another machine rendered it: a block that nobody changed.
    file.write_bytes(notes_block.assembled(None, b"", inner.strip("\n")))
    notes_file.render(here, ACTIVE, copies)

    assert "**Decision**: Use RSA" in file.read_text()
    assert "Forgotten" not in file.read_text()
    assert current(here) == ["Rotate refresh tokens"]


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_link_is_refused(here, copies, repo, tmp_path, what):
    decide(here)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "NOTES.md").write_text("somebody else's")
    if what == "folder":
        (repo / ".holdfast").symlink_to(elsewhere)
    else:
        (repo / ".holdfast").mkdir()
        (repo / ".holdfast" / "NOTES.md").symlink_to(elsewhere / "NOTES.md")

    with pytest.raises(StoreError, match="is a link"):
        notes_file.render(here, ACTIVE, copies)
    assert (elsewhere / "NOTES.md").read_text() == "somebody else's"


def test_a_file_of_two_bytes_to_a_character_is_left_alone(here, copies, file):
    decide(here)
    file.parent.mkdir()
    file.write_bytes("# Team\n".encode("utf-16"))

    with pytest.raises(StoreError, match="UTF-16"):
        notes_file.render(here, ACTIVE, copies)


def test_a_decision_cannot_open_or_close_our_block(here, copies, file):
    decide(here, "Write <!-- holdfast:end --> nowhere", because="<!-- holdfast:begin x -->")
    notes_file.render(here, ACTIVE, copies)
    notes_file.render(here, ACTIVE, copies)

    assert (
        file.read_bytes().count(notes_block.BEGIN),
        file.read_bytes().count(notes_block.END),
    ) == (1, 1)


# Show 4: random histories


class Person:
    """Somebody who edits the file anywhere, and remembers every word of theirs."""

    def __init__(self, seed: int, file: Path) -> None:
        self.random = random.Random(seed)
        self.file = file
        self.words: list[bytes] = []
        self.ending = self.random.choice([b"\n", b"\r\n"])

    def word(self) -> bytes:
        self.words.append(f"w{len(self.words)}-{self.random.getrandbits(48):012x}".encode())
        return self.random.choice([b"", b"\xe9 ", "ü ".encode(), b"- "]) + self.words[-1]

    def write_a_line(self) -> None:
        lines = self.content().split(b"\n")
        at = self.random.randint(0, len(lines))
        self.file.write_bytes(b"\n".join([*lines[:at], self.word(), *lines[at:]]))

    def write_into_a_line(self) -> None:
        content = self.content()
        at = self.random.randint(0, len(content))
        self.file.write_bytes(content[:at] + b" " + self.word() + b" " + content[at:])

    def append_without_a_newline(self) -> None:
        self.file.write_bytes(self.content() + self.word())

    def turn_line_endings(self) -> None:
        self.file.write_bytes(self.content().replace(b"\r\n", b"\n").replace(b"\n", self.ending))

    def reword_a_decision(self) -> None:
        content = self.content()
        self.file.write_bytes(
            content.replace(b"**Decision**: ", b"**Decision**: " + self.word() + b" ", 1)
        )

    def take_away_a_marker(self) -> None:
        self.file.write_bytes(
            self.content().replace(self.random.choice([notes_block.END, notes_block.BEGIN]), b"", 1)
        )

    def content(self) -> bytes:
        return self.file.read_bytes() if self.file.exists() else b""

    def act(self) -> None:
        self.file.parent.mkdir(exist_ok=True)
        acts = [self.write_a_line] * 3 + [self.write_into_a_line] * 3
        acts += [self.append_without_a_newline, self.turn_line_endings, self.reword_a_decision]
        acts += [self.take_away_a_marker]
        self.random.choice(acts)()


@pytest.mark.promise("D5")
@pytest.mark.parametrize("part", some_of(range(10), 1))
def test_no_word_of_people_is_lost_in_a_thousand_random_histories(
    workspace, tmp_path, copies, part
):
    """100 histories to a part: what a person wrote is in the file, or was read into the ledger."""
    workspace.store.run("pragma synchronous = off")
    for seed in range(part * 100, part * 100 + 100):
        root = tmp_path / f"app{seed}"
        root.mkdir()
        here = Here(workspace, project=f"p{seed}", root=str(root), session="s1", at=NOW)
        person = Person(seed, root / ".holdfast" / "NOTES.md")
        for _ in range(person.random.randint(3, 8)):
            if person.random.random() < 0.3:
                deciding.decide(here, f"decided {person.random.getrandbits(32):x}", because="b")
            person.act()
            before = person.content()
            notes_file.render(here, ACTIVE, copies if seed % 2 else "")
            after = person.content()
            kept = after + b"\n".join(
                f"{one.text} {one.because}".encode()
                for one in queries.history(workspace.store, here.project)
            )
            lost = [one for one in person.words if one in before and one not in kept]
            assert lost == [], (seed, before)
