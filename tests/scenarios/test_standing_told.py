"""Every decision that is told anywhere says how it stands: grounded, moved, BROKEN, unsupported."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from scenarios.story import A, B, C, Story

CODE = "import hmac\n\n\ndef sign(key, text):\n    return hmac.digest(key, text, 'sha256')\n"
TEXT = "Sign with hmac_sha256"
ITEM = '{"id":"app-1","title":"Sign","status":"in_progress","issue_type":"task"}\n'
PACKAGE = Path(__file__).parents[2] / "src" / "holdfast"

# What becomes of the file after the decision, and the words by which every door tells that.
STOOD = {
    "grounded": (CODE, "grounded"),
    "moved": (f"# The one way to sign.\n{CODE}", "moved"),
    "broken": (CODE.replace("sha256", "sha512"), "BROKEN"),
    "unsupported": (CODE, "unsupported"),
}

# Whoever reads decisions, with the door by which they are told; a new one must be added here, and
# to `tellings` below when it tells them.
READERS = {
    "cli/commands/cite_command.py": "claims, each with its standing",
    "cli/commands/decide_command.py": "decide",
    "cli/commands/decisions_command.py": "decisions: list, show, check",
    "cli/commands/handoff_command.py": "the handoff of a thread",
    "cli/commands/notes_command.py": "notes render",
    "cli/commands/status_command.py": "counts of each standing",
    "cli/helpers/project_figures.py": "how many are believed how far",
    "cli/helpers/recall_views.py": "recall",
    "cli/helpers/recovery_views.py": "context recover",
    "cli/helpers/session_report.py": "report, each with its standing",
    "hook/consolidate.py": "judges, and tells nothing",
    "hook/event_context.py": "what changed since",
    "ledger/forget.py": "what stays of a session that is forgotten: by ids alone",
    "rooms/decisions/deciding.py": "the room itself",
    "rooms/decisions/grounding/standing.py": "the room itself",
    "rooms/decisions/noticed/noticing.py": "decide, decision check, check_fork",
    "rooms/decisions/noticed/quote_removed.py": "an edit",
    "rooms/notes/notes_file.py": "NOTES.md",
    "rooms/recovery/closing.py": "counts of scenarios",
    "rooms/recovery/full_checkpoint.py": "findings, each with its standing",
    "rooms/recovery/handlers.py": "level 1",
    "rooms/recovery/synthesis.py": "the tracker's item",
    "web/origins.py": "links to the page of decisions, and tells none",
    "web/pages/decisions_page.py": "the dashboard, each with its standing",
}


def tellings(story: Story, id_: str) -> dict[str, str]:
    """The decision as each door tells it: the lines that have its words, or stand by them."""
    closing, begun = story.compact(A)
    files = {
        "NOTES.md": (story.repo / ".holdfast" / "NOTES.md").read_text(),
        "the tracker's item": (story.repo / ".beads" / "issues.jsonl").read_text(),
    }
    commands = {
        "context recover 1": ("context", "recover", "1"),
        "context recover 2": ("context", "recover", "2", "sign"),
        "context recover 3": ("context", "recover", "3"),
        "recall": ("recall", "sign"),
        "decisions": ("decisions",),
        "decision show": ("decision", "show", id_),
        "decision check": ("decision", "check", "Make the hmac_sha256 key longer"),
        "handoff": ("handoff",),
        "notes show": ("notes", "show"),
        "tracker show": ("tracker", "show", "app-1"),
    }
    return {
        "before a compaction": closing,
        "after a compaction": begun,
        "the next start": story.begin(B),
        "what changed since": story.begin(C, "resume"),
        **files,
        **{name: shown(story, *words) for name, words in commands.items()},
    }


def shown(story: Story, *words: str) -> str:
    """What a command prints for people, its exit code aside."""
    from cli.terminal import run

    return run(story.repo, *words, CLAUDE_CODE_SESSION_ID=A).stdout


@pytest.mark.promise("D2")
@pytest.mark.promise("R1")
@pytest.mark.parametrize("standing", STOOD)
def test_every_door_tells_how_a_decision_stands(story, standing):
    code, words = STOOD[standing]
    (story.repo / ".beads").mkdir()
    (story.repo / ".beads" / "issues.jsonl").write_text(ITEM)
    (story.repo / "sign.py").write_text(CODE)
    story.begin(C)
    story.say(C, "Draw the map")
    story.begin(A)
    story.say(A, "Sign every message")
    evidence = () if standing == "unsupported" else ("--evidence", "sign.py:5")
    made = story.holdfast("decide", TEXT, *evidence, session=A)
    (story.repo / "sign.py").write_text(code)
    story.stop(A)

    for door, text in tellings(story, made["decision"]["id"]).items():
        assert TEXT in text, door
        near = " ".join(text.partition(TEXT)[part][slice_] for part, slice_ in NEAR)
        assert words in near, (door, text)
    story.ends_well()


NEAR = ((0, slice(-220, None)), (2, slice(0, 220)))  # before and after the words


@pytest.mark.promise("R1")
def test_level_3_tells_quotes_and_scenarios_and_level_1_what_is_open(story):
    (story.repo / "sign.py").write_text(CODE)
    story.begin(A)
    story.say(A, "Sign every message")
    scenario = ("--scenario", "error_handling:no key:refused")
    story.holdfast("decide", TEXT, "--evidence", "sign.py:5", *scenario, session=A)
    story.holdfast("decision", "next", "Rotate the key", session=A)
    story.holdfast("decision", "ask", "Who holds the key?", session=A)
    story.stop(A)

    third = shown(story, "context", "recover", "3")
    assert "> | sign.py:5 (grounded): return hmac.digest(key, text, 'sha256')" in third
    assert "> | error_handling: no key: refused" in third
    start = story.clear(A, B)
    assert "> Next: Rotate the key" in start
    assert "> Question: Who holds the key?" in start
    story.ends_well()


@pytest.mark.promise("D2")
@pytest.mark.promise("D5")
@pytest.mark.promise("D6")
def test_words_that_are_changed_rest_on_nothing_of_what_they_rested_on_before(story):
    """Ed25519 is not grounded by a quote of hmac, whichever way it is written down; and what was
    found about the words before is not said beside the new ones."""
    (story.repo / "sign.py").write_text(CODE)
    story.begin(A)
    story.say(A, "Sign every message")
    story.holdfast("decide", TEXT, "--evidence", "sign.py:5", session=A)
    (story.repo / "sign.py").write_text(CODE.replace("sha256", "sha512"))
    story.stop(A)
    assert story.bodies("checkpoint_judged", A)[-1]["findings"]
    story.end(A)
    notes = story.repo / ".holdfast" / "NOTES.md"
    notes.write_text(notes.read_text().replace(f"n**: {TEXT}", "n**: Sign with Ed25519"))
    (story.repo / "sign.py").write_text(CODE)

    start = story.begin(B)
    assert "> - Sign with Ed25519 [edited in NOTES.md] (unsupported)" in start
    assert TEXT not in start
    assert "The last full checkpoint" not in start
    (only,) = story.holdfast("decisions")["decisions"]
    assert (only["standing"], only["evidence"]) == ("unsupported", [])
    story.holdfast("supersede", only["id"], "Sign with RSA", session=B)
    (only,) = story.holdfast("decisions")["decisions"]
    assert (only["text"], only["standing"]) == ("Sign with RSA", "unsupported")
    story.ends_well()


@pytest.mark.promise("D2")
def test_whoever_reads_decisions_is_listed_with_the_door_that_tells_them():
    reading = {
        str(source.relative_to(PACKAGE))
        for source in PACKAGE.rglob("*.py")
        if _reads_decisions(source)
    }

    assert reading == set(READERS)


def _reads_decisions(source: Path) -> bool:
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
            "holdfast.rooms.decisions"
        ):
            names = {alias.name for alias in node.names}
            last = str(node.module).rpartition(".")[2]
            if last in ("queries", "deciding") and "noticed" not in str(node.module):
                if names - {"Here", "OpenItem"}:
                    return True
            elif last == "decisions" and names & {"queries", "deciding"}:
                return True
    return False
