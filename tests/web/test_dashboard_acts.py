"""What a person does on the dashboard is done, kept in the person's name, and can be undone."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest

from holdfast.ledger.workspace import Workspace
from holdfast.rooms.work import queries as work
from law import assert_replay_law
from scenarios.story import Story
from web.browser import launched, window
from web.exhibit import BESIDE, CRASHED, DOCS, LIVE
from web.served import Served
from web.test_pages import project_of

pytestmark = pytest.mark.promise("A5")


def done(opened, text: str) -> None:
    opened.page.wait_for_selector(f".notice.done:has-text('{text}')")


def test_rules_and_pins_are_given_reworded_dropped_and_brought_back(exhibit: Served, story: Story):
    with launched() as browser, window(browser, exhibit) as opened:
        opened.go(f"/projects/{project_of(exhibit)}/rules")
        page = opened.page
        page.fill("#new-rule", "Never rename a public function.")
        page.click("text=Add rule")
        done(opened, "In force in every session")
        row = page.locator("li", has_text="Never rename a public function.").first
        row.get_by_text("Reword …").click()
        row.locator("textarea").fill("Never rename a public function without asking.")
        row.get_by_role("button", name="Save").click()
        done(opened, "In force in its place")
        row = page.locator("#force li", has_text="without asking").first
        row.get_by_text("Limit to its task").click()
        done(opened, "on its task and branch alone")
        page.locator("#force li", has_text="without asking").get_by_text("Drop").click()
        done(opened, "No longer in force")
        page.locator(".notice").get_by_text("Undo").click()
        done(opened, "In force in every session")
        page.fill("#new-pin", "The certificate ends in May.")
        page.get_by_role("button", name="Pin", exact=True).click()
        done(opened, "Pinned for every session here")
        opened.assert_quiet()
    given = [entry.body for entry in story.entries("rule_given") if "rename" in entry.body["text"]]
    assert [(body["how"], body["author"]) for body in given] == [("command", "person")] * 2
    acts = [entry.body["act"] for entry in story.entries("act_checked")]
    assert acts[-5:] == ["rules add", "rules edit", "rules scope", "rules drop", "rules keep"]
    pinned = story.entries("pinned")[-1].body
    assert (pinned["content"], pinned["author"]) == ("The certificate ends in May.", "person")
    assert_replay_law(story.state, story.repo)


@pytest.mark.promise("G10")
def test_a_rule_is_made_to_hold_and_let_go(exhibit: Served, story: Story):
    with launched() as browser, window(browser, exhibit) as opened:
        opened.go(f"/projects/{project_of(exhibit)}/rules")
        page = opened.page
        page.fill("#new-rule", "Never stash anything")
        page.click("text=Add rule")
        done(opened, "In force in every session")
        row = page.locator("#force li", has_text="Never stash anything")
        assert "Before git stash Claude will have to ask you" in row.inner_text().replace("`", "")
        row.get_by_text("Make it hold").click()
        done(opened, "Made to hold")
        page.locator("#force li", has_text="Never stash").get_by_text("Ask no more").click()
        done(opened, "Asked no more")
        opened.assert_quiet()
    turns = [entry.body["turn"] for entry in story.entries("turned")]
    assert turns[-2:] == ["enforced", "released"]
    assert_replay_law(story.state, story.repo)


def test_an_approval_has_a_time_limit_and_is_taken_back(exhibit: Served, story: Story):
    assert story.ask_edit(BESIDE)
    with launched() as browser, window(browser, exhibit) as opened:
        opened.go(f"/projects/{project_of(exhibit)}/gates")
        row = opened.page.locator("li", has_text="planned")
        row.locator("input[name=minutes]").fill("5")
        session = row.locator("input[name=session]").get_attribute("value")
        row.get_by_role("button", name="Approve").click()
        done(opened, "pass for 5 minutes")
        assert story.ask_edit(session) == ""
        opened.page.locator(".notice").get_by_text("Undo").click()
        done(opened, "is asked for again")
        assert story.ask_edit(session)
    met = story.entries("requirement_met")[-1].body
    assert (met["by"], met["requirement"]) == ("approval", "planned")
    assert met["expires_at"]


def test_a_session_is_gone_on_from_and_forgotten_when_its_name_is_typed(
    exhibit: Served, story: Story
):
    with launched() as browser, window(browser, exhibit) as opened:
        page = opened.page
        opened.go(f"/sessions/{CRASHED}")
        page.click("text=Continue from here")
        done(opened, "goes on from b81d5e60")
        project = project_of(exhibit)
        assert work.continuation_asked(Workspace(story.state).store, project) == CRASHED
        page.locator(".notice").get_by_text("Undo").click()
        done(opened, "goes on from the one that fits best")
        assert work.continuation_asked(Workspace(story.state).store, project) == ""
        opened.go(f"/sessions/{DOCS}")
        page.evaluate("renew()")  # a part that was replaced asks for the name, too
        page.wait_for_function("document.querySelector('#head').dataset.source !== ''")
        page.click("text=Forget …")
        button = page.get_by_role("button", name="Forget", exact=True)
        assert button.is_disabled()
        page.fill("input[name=typed]", "c4a7730")
        assert button.is_disabled()
        page.fill("input[name=typed]", "c4a7730f")
        button.click()
        done(opened, "c4a7730f is forgotten")
        opened.assert_quiet()
    assert story.entries("turned")[-1].body["turn"] == "continued"
    assert story.entries("session_forgotten", DOCS)
    assert "Document in README" not in exhibit.get(f"/sessions/{LIVE}")
    assert "This session was forgotten" in exhibit.get(f"/sessions/{DOCS}")
    assert_replay_law(story.state, story.repo)


def test_an_act_needs_the_token_of_its_page_and_the_name_of_what_goes(exhibit: Served):
    page = exhibit.get(f"/sessions/{DOCS}")
    token = re.findall(r'name="token" value="([0-9a-f]+)"', page)[0]

    def sent(**form: str) -> int:
        return exhibit.request("POST", "/act/forget", urlencode(form).encode()).status

    assert sent(session=DOCS, typed="c4a7730f") == 403
    assert sent(session=DOCS, typed="c4a7730f", token=token[:-1] + "x") == 403
    assert sent(session=DOCS, typed="c4a7730", token=token) == 303
    assert "That is not its name" in exhibit.get("/")
    assert "Document in README" in exhibit.get(f"/sessions/{DOCS}")
    assert sent(session=DOCS, typed="c4a7730f", token=token, back="//evil.example") == 303


def test_an_approval_of_no_time_or_for_ever_is_refused(exhibit: Served, story: Story):
    page = exhibit.get(f"/projects/{project_of(exhibit)}/gates")
    form = dict(re.findall(r'name="(token|project|session|name)" value="([^"]+)"', page))
    for minutes in ("", "0", "-1", "1441", "9" * 5_000, "\u0663", "1e3"):
        sent = urlencode({**form, "minutes": minutes}).encode()
        assert exhibit.request("POST", "/act/approve", sent).status == 303
        shown = exhibit.get("/")
        assert "An approval lasts 1 to 1440 minutes." in shown
        assert "notice done" not in shown
    assert all(entry.body["by"] != "approval" for entry in story.entries("requirement_met"))


def test_a_form_leads_back_to_a_page_of_ours_alone(exhibit: Served):
    page = exhibit.get(f"/sessions/{DOCS}")
    token = re.findall(r'name="token" value="([0-9a-f]+)"', page)[0]
    for back in ("//evil.example/", "https://evil.example/", "/\\evil.example", ""):
        form = urlencode({"token": token, "session": "none", "back": back}).encode()
        answer = exhibit.request("POST", "/act/continue", form)
        assert (answer.status, answer.headers["location"]) == (303, "/")
