"""Stored attacks: whatever is planted wherever, in the browser it is a text and nothing else."""

from __future__ import annotations

import itertools

import pytest

from hook.attacks import FORMS, SAY, Evil
from hook.carriers import WORLDS
from scenarios.story import Story
from web.browser import Window, launched, window
from web.served import serve

pytestmark = pytest.mark.promise("A5")

# What a browser would run, load or follow, were it not escaped: out of text, attributes, titles,
# textareas, comments, scripts, SVG and addresses.
HTML = (
    "</title></textarea></pre></script><script>window.pwned='{say}'</script>",
    "\"'><img src=x onerror=\"window.pwned='{say}'\">",
    '"><svg onload="window.pwned=1"><title>{say}</title><a href="javascript:window.pwned=1">',
    "' autofocus onfocus=window.pwned=1 x='{say}",
    "<iframe srcdoc=\"<script>top.pwned='{say}'</script>\"></iframe>",
    '<base href="https://evil.example/"><meta http-equiv=refresh content="0;url=//evil.example">',
    "{{{{ 7 * 7 }}}}{{% raw %}}{say} <style>body{{display:none}}</style>",
    "<form action=//evil.example/><button>{say}</button><link rel=stylesheet href=//evil.example>",
    "--><!--[if]><b id=planted>{say}</b>javascript:window.pwned=1//",
)
PAGES = 70
ALWAYS = ("speaking", "standing")
CHOSEN = [
    pytest.param(name, marks=[] if name in ALWAYS else [pytest.mark.exhaustive]) for name in WORLDS
]
# On how many pages what was planted must be seen, where it is not more than five.
SEEN = {"demanding": 1, "configuring": 1}


def both() -> Evil:
    """Each text that is asked for is another attack: one on the browser, one of the corpus."""
    forms = itertools.cycle(HTML)
    corpus = itertools.cycle(FORMS)

    def evil(marker: str) -> str:
        say = SAY.format(marker)
        return f"{next(forms).format(say=say)} {next(corpus).format(say=say)}"[:900]

    return evil


def assert_inert(opened: Window, path: str) -> None:
    page = opened.page
    assert page.evaluate("typeof window.pwned") == "undefined", path
    planted = "iframe, base, meta[http-equiv], style, #planted, main script"
    assert page.locator(planted).count() == 0, path
    handlers = "[...document.querySelectorAll('*')].flatMap(each => [...each.attributes])"
    names = f"{handlers}.filter(each => each.name.startsWith('on') || each.name === 'style').length"
    assert page.evaluate(names) == 0, path
    links = "[...document.querySelectorAll('[href], [action], [src]')].map(each =>"
    links += " each.href?.baseVal ?? each.href ?? each.action ?? each.src)"
    assert [url for url in page.evaluate(links) if not url.startswith(f"{opened.origin}/")] == []
    assert page.locator("h1").is_visible()
    # No character that nobody sees, and none that turns the line around.
    hidden = page.evaluate(
        r"/[\u202a-\u202e\u2066-\u2069\u200b-\u200f\u{e0000}-\u{e0fff}]/u.test(document.body.innerText)"
    )
    assert not hidden, path


def links_on(opened: Window) -> list[str]:
    hrefs: list[str] = opened.page.evaluate(
        "[...document.querySelectorAll('a[href]')].map(each => each.getAttribute('href'))"
    )
    return [href for href in hrefs if href.startswith("/") and "#" not in href]


@pytest.mark.parametrize("name", CHOSEN)
def test_what_is_planted_is_inert_on_every_page_that_shows_it(story: Story, name: str):
    WORLDS[name].play(story, both())
    dashboard = serve(story.repo)
    try:
        with launched() as browser, window(browser, dashboard) as opened:
            dialogs: list[str] = []
            opened.page.on("dialog", lambda dialog: dialogs.append(dialog.message))
            waiting, seen, shown = ["/", "/health", "/recall?q=obey"], set(), 0
            while waiting and len(seen) < PAGES:
                path = waiting.pop(0)
                if path in seen:
                    continue
                seen.add(path)
                opened.go(path)
                assert_inert(opened, path)
                shown += "obey" in opened.page.inner_text("main")
                waiting += links_on(opened)
            opened.assert_quiet()
            assert dialogs == []
            assert shown >= SEEN.get(name, 6)  # what was planted was there to be seen
    finally:
        dashboard.close()
