"""`handoff report`: what it tells, what it keeps to itself, and that nothing in it comes alive."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from terminal import refused, run

import commands
from conftest import git
from hook.attacks import FORMS, SAY, Evil
from hook.carriers import WORLDS
from scenarios.story import Story

pytestmark = pytest.mark.promise("A5")

HTML = (
    "<script>window.pwned=1</script>{say}",
    "</code></pre></p><img src=x onerror=alert(1)>{say}",
    '"><svg onload=alert(1)>{say}',
    "@everyone fixes #1 {say} https://evil.example/{say} www.evil.example",
    "</style><style>body{{display:none}}</style><meta http-equiv=refresh content=0>{say}",
)
ALIVE = {"html_block", "html_inline", "link_open", "image", "heading_open"}
TAGS = set(
    "html head meta title style body main h1 h2 p dl dt dd section ul li div span footer".split()
)


def written(folder: Path, *arguments: str) -> str:
    done = commands.run(folder, "report", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def attacks() -> Evil:
    """Each text that is asked for is another attack."""
    pages, corpus = itertools.cycle(HTML), itertools.cycle(FORMS)

    def evil(marker: str) -> str:
        say = SAY.format(marker)
        return f"{next(pages).format(say=say)} {next(corpus).format(say=say)}"[:900]

    return evil


class Tags(HTMLParser):
    """Every tag and attribute of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def ids(story: Story) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "holdfast", "sessions", "--all", "--json"],
        cwd=story.repo,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return [session["id"] for session in json.loads(done.stdout)["sessions"]]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name == "speaking" else [pytest.mark.exhaustive])
        for name in WORLDS
        if name not in ("reviewing", "demanding", "configuring")  # a report shows little of these
    ],
)
def test_whatever_was_planted_stays_dead_in_markdown_and_in_html(story, name, tmp_path):
    WORLDS[name].play(story, attacks())
    seen = 0
    for session in ids(story):
        text = written(story.repo, session)
        tokens = MarkdownIt("commonmark", {"linkify": False}).parse(text)
        inner = [child for token in tokens for child in token.children or ()]
        headings = [t for t in tokens if t.type == "heading_open"]
        assert {t.type for t in [*tokens, *inner]} & (ALIVE - {"heading_open"}) == set()
        assert len(headings) == len(re.findall(r"^#{1,2} ", outside_fences(text), re.MULTILINE))
        loose = [child.content for child in inner if child.type == "text"]
        assert not [each for each in loose if "obey" in each]
        seen += text.count("obey")

        file = tmp_path / f"{session}.html"
        written(story.repo, session, "--html", str(file))
        page = Tags(file.read_text())
        assert {tag for tag, _ in page.tags} <= TAGS
        assert [tag for tag, _ in page.tags].count("style") == 1
        given = {name for _, attributes in page.tags for name in attributes}
        assert given <= {"lang", "charset", "http-equiv", "content", "name", "class"}
        assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\U000e0000-\U000e0fff]", page.text)
    assert seen > 3  # what was planted was there to be seen


def outside_fences(text: str) -> str:
    lines, fence = [], ""
    for line in text.splitlines():
        mark = re.match(r"\s*(`{3,})", line)
        if fence:
            fence = "" if line.strip() == fence else fence
        elif mark:
            fence = mark[1]
        else:
            lines.append(line)
    return "\n".join(lines)


@pytest.fixture
def worked(story: Story) -> Story:
    """A session with a bit of everything."""
    door, repo, here = story.door, story.repo, {"session_id": "s1"}
    home = Path(door.environment["HOME"])
    door.send("SessionStart.startup", **here)
    prompt = f"Never push to main. Fix the parser in {repo}/src/a.py, not {home}/secret-plans/b.py."
    door.send("UserPromptSubmit", **here, prompt=prompt, prompt_id="p1")
    (repo / "src").mkdir()
    (repo / "src" / "a.py").write_text("x = 1\n")
    edit = {"tool_name": "Edit", "tool_input": {"file_path": f"{repo}/src/a.py"}}
    door.send("PostToolUse", **here, **edit, tool_use_id="t1")
    outside = {"tool_name": "Edit", "tool_input": {"file_path": f"{home}/notes/private.md"}}
    door.send("PostToolUse", **here, **outside, tool_use_id="t2")
    token = "ghp_" + "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2"
    run = {"command": f"pytest -q /opt/tools/x --token {token}"}
    output = {"stdout": "3 passed in 0.1s", "stderr": "", "interrupted": False}
    ran = {"tool_name": "Bash", "tool_input": run, "tool_response": output}
    door.send("PostToolUse", **here, **ran, tool_use_id="t3")
    git(repo, "add", ".")
    door.send("PreCompact.auto", **here)
    door.send("SessionEnd.other", **here)
    return story


def test_it_tells_what_was_asked_done_and_kept_and_no_path_of_this_machine(worked, tmp_path):
    text = written(worked.repo, "s1")
    home = worked.door.environment["HOME"]

    assert "Fix the parser in src/a.py, not" in text
    assert "`src/a.py`" in text
    assert "Never push to main" in text.split("## Rules and choices")[1]
    assert "Compaction begins" in text
    assert "ghp_" not in text
    for path in (home, str(worked.repo), "secret-plans", "notes/private.md", "/opt/tools"):
        assert path not in text

    file = tmp_path / "out.html"
    said = written(worked.repo, "s1", "--html", str(file))
    page = Tags(file.read_text()).text
    assert str(file) in said
    assert "Fix the parser in src/a.py" in page
    assert home not in page
    assert "ghp_" not in page


def test_a_rule_that_came_after_the_session_is_not_its_own(worked):
    worked.door.send("SessionStart.startup", session_id="s2")
    later = "Always run the linter before you commit."
    worked.door.send("UserPromptSubmit", session_id="s2", prompt=later, prompt_id="p2")

    assert "the linter" not in written(worked.repo, "s1")
    assert "the linter" in written(worked.repo, "s2").split("## Rules and choices")[1]


def test_a_file_that_is_there_is_written_over_only_where_that_is_asked_for(worked, tmp_path):
    file = tmp_path / "out.html"
    file.write_text("mine")

    refusal = refused(run(worked.repo, "report", "s1", "--html", str(file)))
    assert f"{file} is there already" in refusal
    assert "--force" in refusal
    assert file.read_text() == "mine"

    written(worked.repo, "s1", "--html", str(file), "--force")
    assert "Fix the parser" in file.read_text()


def test_a_decision_says_how_it_stands_now(worked):
    def holdfast(*words: str) -> None:
        subprocess.run(
            [sys.executable, "-m", "holdfast", *words],
            cwd=worked.repo,
            check=True,
            capture_output=True,
            timeout=60,
        )

    worked.door.send("SessionStart.startup", session_id="s2")
    holdfast("decide", "Use SQLite for the queue", "--evidence", "src/a.py:1")
    (worked.repo / "src" / "a.py").write_text("y = 2\n")

    decisions = written(worked.repo, "s2").split("## Decisions")[1].split("##")[0]
    assert "Use SQLite for the queue" in decisions
    assert "BROKEN" in decisions
