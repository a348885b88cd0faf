"""Every page in a real browser, on a made-up project that was played through the real hook."""

from __future__ import annotations

import os
import re
from html import unescape
from pathlib import Path

import pytest

from cli.terminal import typed
from conftest import git
from holdfast.hook.tokens import count
from scenarios.story import Story
from web.browser import WIDTHS, Window, launched, window
from web.exhibit import BESIDE, DOCS, LIVE
from web.served import Served, serve

pytestmark = pytest.mark.promise("A5")


IMAGES = Path(__file__).parents[2] / "docs" / "images"
# What is on a page to be followed, pressed or filled in.
REACHABLE = (
    "[...document.querySelectorAll('a[href], button:enabled, input:not([type=hidden]), select,"
    " textarea, summary')].filter(each => each.checkVisibility())"
)


def project_of(served: Served) -> str:
    return re.findall(r'/projects/([0-9a-f-]+)"', served.get("/"))[0]


def pages(served: Served) -> dict[str, str]:
    at = f"/projects/{project_of(served)}"
    return {
        "now": "/",
        "sessions": "/sessions",
        "session": f"/sessions/{LIVE}",
        "entry": "/entries/5",
        "briefing": at,
        "rules": f"{at}/rules",
        "decisions": f"{at}/decisions",
        "gates": f"{at}/gates",
        "chain": f"{at}/chain",
        "recall": f"/recall?project={project_of(served)}&q=how+long+fetch+waits",
        "health": "/health",
    }


def assert_accessible(opened: Window, axe: str) -> None:
    opened.page.evaluate(axe)
    found = opened.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    assert [
        (each["id"], [node["html"][:120] for node in each["nodes"][:3]])
        for each in found["violations"]
        if each["impact"] in ("serious", "critical")
    ] == []


def assert_fits(opened: Window) -> None:
    """No page is wider than its window."""
    width, inner = opened.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= inner


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_is_legible_quiet_and_of_the_window_s_width(
    axe: str, exhibit: Served, scheme: str
):
    with launched() as browser:
        for width in WIDTHS:
            with window(browser, exhibit, width, color_scheme=scheme) as opened:
                for name, path in pages(exhibit).items():
                    opened.go(path)
                    opened.picture(f"{name}-{width}-{scheme}")
                    assert_fits(opened)
                    assert_accessible(opened, axe)
                opened.assert_quiet()
                opened.go("/nowhere")  # of which the console says that it is not there
                opened.picture(f"nowhere-{width}-{scheme}")


def test_evidence_is_shown_without_secrets_and_from_the_work_tree_alone(
    story: Story, tmp_path: Path
):
    secret = "ghp_" + "Ab3dE6gH" * 4 + "x9Yz"  # drawn up here: no credential of anybody's
    code = f"ATTEMPTS = 3\nTOKEN = '{secret}'\n"
    (story.repo / "settings.py").write_text(code)
    story.begin(LIVE)
    typed(story.repo, "decide", "Three attempts.", "--evidence", "settings.py:1")
    dashboard = serve(story.repo)
    try:
        dashboard.enter()
        path = f"/projects/{project_of(dashboard)}/decisions"
        page = dashboard.get(path)
        assert 'class="near"' in page
        assert "[removed: " in page
        assert secret not in page

        (tmp_path / "elsewhere.py").write_text(code + "# of somebody else\n")
        (story.repo / "settings.py").unlink()
        (story.repo / "settings.py").symlink_to(tmp_path / "elsewhere.py")
        assert "of somebody else" not in dashboard.get(path)
    finally:
        dashboard.close()


def test_gates_and_briefings_are_told_for_each_branch(
    exhibit: Served, story: Story, tmp_path: Path
):
    other, session = tmp_path / "other", "a1b2c3d4-4c1e-4b7a-9d52-6f0a1b2c3d4e"
    git(story.repo, "worktree", "add", "-q", "-b", "fix/flaky", str(other))
    story.begin(session, place=other)
    path = f"/projects/{project_of(exhibit)}/gates"

    with launched() as browser, window(browser, exhibit) as opened:
        page = opened.page
        opened.go(path)
        rows = page.locator("#branches li")
        assert "nothing is demanded" in rows.filter(has_text="fix/flaky").inner_text()
        assert "open: " in rows.filter(has_text="feature/auth").inner_text()
        page.click("#branches >> text=feature/auth")
        page.wait_for_selector("#gates >> text=Say what you are about to change")
        page.click("#branches >> text=fix/flaky")
        page.wait_for_selector("#gates >> text=Nothing is demanded here")
        opened.go(f"/projects/{project_of(exhibit)}")  # and so is what would be told
        page.click(".filters >> text=feature/auth")
        page.wait_for_selector("#word-for-word >> text=feature/auth")
        page.click(".filters >> text=fix/flaky")
        page.wait_for_selector("#word-for-word >> text=fix/flaky")
    story.end(session)
    gates = exhibit.get(f"{path}?session={session}")
    assert "which has ended" in gates
    assert 'action="/act/approve"' not in gates


def test_each_line_of_the_briefing_has_its_cost(exhibit: Served):
    page = exhibit.get(f"/projects/{project_of(exhibit)}")
    lines = re.findall(r'<p class="words">(.*?)</p>\s*<span class="num[^"]*">(\d+)</span>', page)

    assert len(lines) == page.count('<p class="words">') > 10
    costs = {text: int(cost) for text, cost in lines}
    rule = next(text for text in costs if "Never push to main" in text)
    assert costs[rule] == count(unescape(rule))


def test_a_line_of_the_briefing_leads_to_the_entry_it_came_from(exhibit: Served):
    with launched() as browser, window(browser, exhibit) as opened:
        opened.go(f"/projects/{project_of(exhibit)}")
        rule = opened.page.locator(".said", has_text="Never push to main without my word")
        rule.locator(".from a").first.click()
        opened.page.wait_for_selector("text=rule_given")
        assert "Never push to main without my word." in opened.page.inner_text(".body")
        opened.go(f"/sessions/{LIVE}")
        opened.page.locator("#told summary").last.click()
        opened.page.locator("#told .why", has_text="Your rules").locator("a").first.click()
        opened.page.wait_for_selector("text=rule_given")
        opened.assert_quiet()


def test_now_shows_an_event_by_itself(exhibit: Served, story: Story):
    with launched() as browser, window(browser, exhibit) as opened:
        opened.go("/")
        card = opened.page.locator(".card", has_text=LIVE[:8])
        story.run(LIVE, "ruff check src/", "All checks passed!")
        card.get_by_text("ruff check src/").wait_for()
        opened.assert_quiet()


def test_now_says_of_an_open_session_that_its_process_is_gone(exhibit: Served, story: Story):
    assert "Its process is not seen" not in exhibit.get("/")

    story.crash(LIVE)

    with launched() as browser, window(browser, exhibit) as opened:
        card = opened.page.get_by_label(f"Session {LIVE[:8]}")
        assert "Its process is not seen" in card.inner_text()


def test_a_part_in_which_somebody_types_is_left_alone(exhibit: Served, story: Story):
    with launched() as browser, window(browser, exhibit) as opened:
        opened.go(f"/projects/{project_of(exhibit)}/rules")
        row = opened.page.locator("#force li").first
        row.get_by_text("Reword …").click()
        row.locator("textarea").fill("half a sent")
        with opened.page.expect_response(lambda answer: answer.url.endswith("/rules")):
            story.run(LIVE, "ls", "README.md")
        assert row.locator("textarea").input_value() == "half a sent"


def test_the_focus_and_marked_text_outlive_news(exhibit: Served, story: Story):
    with launched() as browser, window(browser, exhibit) as opened:
        page = opened.page
        opened.go("/")
        link = page.get_by_label(f"Session {BESIDE[:8]}").locator("h2 a")
        link.focus()
        story.run(LIVE, "ruff check src/", "All checks passed!")  # this card comes first now
        page.locator(".card").get_by_text("ruff check src/").wait_for()
        assert page.evaluate("document.activeElement.href").endswith(f"/sessions/{BESIDE}")

        page.evaluate("getSelection().selectAllChildren(document.querySelector('.card h2'))")
        marked = page.evaluate("getSelection().toString()")
        with page.expect_response(lambda answer: answer.url == f"{opened.origin}/"):
            story.run(LIVE, "ls", "README.md")
        page.wait_for_function("!isAsking")
        assert page.evaluate("getSelection().toString()") == marked != ""


def test_every_page_can_be_walked_by_keyboard(exhibit: Served):
    with launched() as browser, window(browser, exhibit) as opened:
        opened.go("/")
        page = opened.page
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"
        for path in pages(exhibit).values():
            opened.go(path)
            many = page.evaluate(f"{REACHABLE}.length")
            for _ in range(many + 5):
                page.keyboard.press("Tab")
                page.evaluate("document.activeElement.dataset.walked = '1'")
                outline = "getComputedStyle(document.activeElement).outlineStyle"
                at_body = "document.activeElement === document.body"
                assert page.evaluate(f"{at_body} ? '' : {outline}") != "none"
            left = f"{REACHABLE}.filter(each => !each.dataset.walked).map(each => each.outerHTML)"
            assert page.evaluate(left) == [], path


def test_search_answers_as_one_types(exhibit: Served):
    with launched() as browser, window(browser, exhibit) as opened:
        opened.go("/recall")
        opened.page.type("#words", "staging server at night")
        opened.page.locator("#hits li", has_text="every night at two").wait_for()
        opened.page.select_option("#level", "full")
        opened.page.locator("#hits pre").first.wait_for()
        opened.page.fill("#words", "zeppelin")
        opened.page.get_by_text("Nothing like that was kept here").wait_for()
        opened.assert_quiet()


def test_times_are_told_in_the_readers_zone(exhibit: Served):
    zone = {"timezone_id": "Asia/Tokyo", "locale": "en-GB"}
    with launched() as browser, window(browser, exhibit, **zone) as opened:
        opened.go(f"/sessions/{DOCS}")
        shown = opened.page.locator("#head time").first
        at = shown.get_attribute("datetime")
        hour = (int(at[11:13]) + 9) % 24
        assert f"{hour:02}:{at[14:16]}" in shown.inner_text()


def test_a_project_without_sessions_is_told_what_to_do(served: Served):
    assert "Run <code>holdfast init</code> in a project" in served.get("/")


def test_pages_of_what_is_not_there_say_so(exhibit: Served):
    for path in (
        "/sessions/none",
        "/entries/0",
        "/entries/x",
        "/projects/none",
        "/projects/none/rules",
    ):
        answer = exhibit.request("GET", path)
        assert answer.status == 404
        assert "There is no such" in answer.text


def test_the_readme_has_pictures_of_these_pages(exhibit: Served):
    """Made anew where README_PICTURES is set; the test's own folder is shown as a user's."""
    with launched() as browser, window(browser, exhibit, 1200) as opened:
        for name, path in (("briefing", pages(exhibit)["briefing"]), ("now", "/")):
            opened.go(path)
            opened.page.evaluate(
                "document.querySelectorAll('.path').forEach(each => { each.textContent ="
                " '~/code/app' })"
            )
            picture = IMAGES / f"{name}.png"
            if os.environ.get("README_PICTURES"):
                opened.page.screenshot(path=picture)
            assert picture.stat().st_size > 10_000
            assert f"docs/images/{name}.png" in (IMAGES.parents[1] / "README.md").read_text()
