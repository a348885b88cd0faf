"""A small made-up project, played through the real hook: what pages and pictures are made of."""

from __future__ import annotations

from typing import Any

from cli.terminal import typed
from conftest import git
from scenarios.story import Story

# Ids as agents give them; made up.
LEDGER, RETRY, CRASHED, DOCS, WARM, LIVE, BESIDE = (
    f"{start}-4c1e-4b7a-9d52-6f0a1b2c3d4e"
    for start in (
        "3fa1c2d8",
        "7be04a19",
        "b81d5e60",
        "c4a7730f",
        "d6b2910c",
        "e92f61ab",
        "f05c84d3",
    )
)
DEMANDS = """requirements:
  planned:
    trigger_tools: [Edit]
    scope: session
    description: Say what you are about to change before you change it.
    satisfied_by_skill: plan
  tests_pass:
    scope: branch
    trigger_tools: [{tool: Bash, command_pattern: 'git\\s+push'}]
"""
CODE = """def fetch(url, attempts=3):
    for attempt in range(attempts):
        answer = get(url)
        if answer.status != 503:
            return answer
    raise GaveUp(url)
"""


def play(story: Story) -> None:
    """Sessions that ended, one that crashed, and two that are open and touch the same file."""
    repo = story.repo
    (repo / "src").mkdir(exist_ok=True)
    (repo / "src" / "fetch.py").write_text(CODE)
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "Fetch with three attempts")
    _first(story)
    _second(story)
    _crash(story)
    _docs(story)
    _live(story)


def _first(story: Story) -> None:
    story.begin(LEDGER, hours=52)
    story.say(
        LEDGER, "Implement fetch.py: it asks three times when the server is busy.", hours=51.9
    )
    story.edit(LEDGER, "src/fetch.py", "pass", CODE, hours=51.8)
    story.run(LEDGER, "pytest -q tests/test_fetch.py", "4 passed in 0.31s", hours=51.7)
    story.run(
        LEDGER,
        "git commit -m 'Fetch with three attempts'",
        "[feature/auth 1a2b3c4] Fetch with three attempts",
        hours=51.6,
    )
    story.stop(
        LEDGER,
        "fetch asks three times, with tests. Waiting between attempts is still to do.",
        hours=51.5,
    )
    story.end(LEDGER, hours=51.4)


def _second(story: Story) -> None:
    story.begin(RETRY, hours=28)
    story.say(
        RETRY,
        "Implement waiting between the attempts of fetch, twice as long each time."
        " Always run the tests before you commit.",
        hours=27.9,
    )
    story.edit(RETRY, "src/fetch.py", "get(url)", "get(url, timeout=2 ** attempt)", hours=27.8)
    story.fail(
        RETRY,
        "pytest -q tests/test_fetch.py",
        "FAILED tests/test_fetch.py::test_waits - assert 3 == 4",
        hours=27.7,
    )
    story.edit(RETRY, "src/fetch.py", "2 ** attempt", "2 ** (attempt + 1)", hours=27.6)
    story.run(RETRY, "pytest -q tests/test_fetch.py", "5 passed in 0.40s", hours=27.5)
    story.stop(
        RETRY,
        "fetch waits two, four, eight seconds. Next: tell the user how long it waited.",
        hours=27.4,
    )
    story.end(RETRY, hours=27.3)


def _crash(story: Story) -> None:
    story.begin(CRASHED, hours=3)
    story.say(
        CRASHED, "Add a report to fetch that says on stderr how long it has waited.", hours=2.9
    )
    story.edit(CRASHED, "src/report.py", "", "def report(seconds): ...", hours=2.8)
    story.fail(
        CRASHED,
        "pytest -q tests/test_report.py",
        "FAILED tests/test_report.py::test_one_line - AssertionError",
        hours=2.7,
    )
    story.crash(CRASHED)


def _docs(story: Story) -> None:
    story.begin(DOCS, hours=2)
    story.say(DOCS, "Document in README.md how fetch waits.", hours=1.9)
    secret = "ghp_" + "Ab3dE6gH" * 4 + "x9Yz"  # drawn up here: no credential of anybody's
    story.run(DOCS, "gh auth status", f"Token: {secret}", hours=1.85)
    story.edit(DOCS, "README.md", "# app", "# app\n\nfetch waits 2, 4, 8 seconds.", hours=1.8)
    story.stop(DOCS, "README says how fetch waits.", hours=1.7)
    story.end(DOCS, hours=1.6)


def _live(story: Story) -> None:
    repo = story.repo
    story.begin(WARM)
    story.end(WARM)
    typed(repo, "rules", "add", "Never push to main without my word.")
    typed(repo, "pin", "CRITICAL The staging server answers 503 every night at two.")
    evidence = ("--evidence", "src/fetch.py:1-2", "--because", "the server wakes up in two seconds")
    typed(repo, "decide", "Three attempts are enough for fetch.", *evidence)
    story.demand(DEMANDS, ".claude/requirements.local.yaml")
    story.fill(LIVE, 24_000)
    story.begin(LIVE)
    story.ask_edit(LIVE, "src/report.py")
    story.skill(LIVE, "plan")
    story.say(LIVE, "Implement report so that it prints the seconds, and write a test for it.")
    story.edit(LIVE, "src/report.py", "...", "print(seconds)")
    story.fill(LIVE, 61_000)
    story.stop(LIVE, "report prints the seconds. The test comes next.")
    story.fill(LIVE, 96_000)
    story.say(LIVE, "Good. Now the test, and run all of them.")
    story.run(LIVE, "pytest -q tests/test_report.py", "1 passed in 0.05s")
    story.begin(BESIDE)
    story.say(BESIDE, "Rename the function report to waited in src/report.py.")
    story.edit(BESIDE, "src/report.py", "report", "waited")


def attack(story: Story, text: str, session: str, **more: Any) -> None:
    """A session in which every word that somebody else chooses is an attack."""
    story.begin(session, **more)
    story.say(session, text, **more)
    story.edit(session, f"src/{text[:60].replace('/', ' ')}.py", text, text, **more)
    story.run(session, text, text, **more)
    story.fail(session, text, text, **more)
    story.stop(session, text, **more)
