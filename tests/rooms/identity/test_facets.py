"""What each facet sees, and what it ignores."""

from __future__ import annotations

import pytest

from holdfast.rooms.identity import facets
from holdfast.rooms.identity.facets import Trail

pytestmark = pytest.mark.promise("I2")


def tool(trail: Trail | None = None, **body: object) -> facets.Act:
    return facets.of_tool({"ok": True, "input": {}, **body}, trail or Trail())


def edit(path: str, old: str = "", new: str = "", trail: Trail | None = None) -> facets.Act:
    given = {"old_string": old, "new_string": new}
    return tool(trail, tool="Edit", deed="edit", path=path, input=given)


def run(command: str, trail: Trail | None = None, **more: object) -> facets.Act:
    given = {"command": command}
    return tool(trail, tool="Bash", deed="run", command=command, input=given, **more)


def ask(text: str, trail: Trail | None = None) -> facets.Act:
    return facets.of_prompt(text, trail or Trail())


def test_there_are_thirteen_each_with_a_line_that_names_its_embedder():
    assert len(facets.FACETS) == 13
    for place, one in enumerate(facets.FACETS, 1):
        assert one.__doc__.startswith(f"E{place} ")


def test_meaning_sees_stems_wherever_they_stand_and_ignores_filler():
    asked, edited = ask("please fix the invoices"), edit("src/invoice.py")

    assert set(facets.meaning(asked)) & set(facets.meaning(edited))
    assert not facets.meaning(ask("could you please do this for me"))


def test_meaning_sees_what_is_written_each_word_once():
    found = facets.meaning(edit("a.py", "total = 0", "total = sum(invoices, invoice_total)"))

    assert set(found) & set(facets.meaning(ask("invoices")))
    assert len(found) == len(set(found))


def test_fresh_sees_the_file_in_hand_wherever_it_lies_and_ignores_what_is_written_in_it():
    one, other = edit("a/model.py", new="table_rows"), edit("b/model.py", new="chair_legs")

    assert set(facets.fresh(one)) == set(facets.fresh(other))


def test_rhythm_sees_how_long_since_a_prompt_and_ignores_names():
    trail = Trail()
    early = facets.rhythm(edit("a.py", trail=trail))
    trail.since_prompt = 9

    assert facets.rhythm(edit("b.py", trail=Trail())) == early
    assert facets.rhythm(edit("a.py", trail=trail)) != early


def test_order_sees_which_deed_follows_which_and_ignores_files():
    trail = Trail()
    facets.leave(run("go test ./...", trail))
    after_test = facets.order(edit("a.py", trail=trail))

    assert facets.order(edit("b.py", trail=trail)) == after_test
    assert facets.order(edit("a.py")) != after_test
    assert facets.order(run("git log", trail)) != facets.order(run("npm install", trail))


def test_cause_sees_errors_and_what_was_done_about_them_and_ignores_success():
    trail = Trail()
    failed = run("make", trail, ok=False, error="Error 2: undefined symbol at line 14")
    assert facets.cause(failed)
    facets.leave(failed)

    assert facets.cause(edit("a.c", trail=trail))
    assert not facets.cause(run("make"))
    same = run("make", ok=False, error="Error 7: undefined symbol at line 99")
    assert set(facets.cause(same)) <= set(facets.cause(failed))


def test_asked_has_the_words_of_an_act_which_the_mind_holds_against_those_of_people():
    assert set(facets.asked(ask("rename the ledger"))) & set(facets.asked(run("rg ledger")))
    assert not facets.asked(ask("could you please do this for me"))


def test_symbols_sees_names_in_edits_and_ignores_keywords():
    found = facets.symbols(edit("a.py", "def load_table(rows):", "def load_rows(rows):"))

    assert len(found) == 2
    assert not facets.symbols(edit("a.py", "return None", "return True"))


def test_neighbours_sees_files_in_company_whichever_came_first():
    def together(first: str, then: str) -> set[int]:
        trail = Trail()
        facets.leave(edit(first, trail=trail))
        return set(facets.neighbours(edit(then, trail=trail)))

    assert together("a.py", "b.py") == together("b.py", "a.py") != set()
    assert not facets.neighbours(edit("a.py"))


def test_places_sees_folders_and_the_file_and_ignores_what_has_no_path():
    found = facets.places(edit("src/app/models/user.py"))

    assert len(found) == 4
    assert set(found[:2]) == set(facets.places(edit("src/app/views.py"))[:2])
    assert not facets.places(run("ls"))


def test_intent_sees_verbs_of_words_and_commands_and_ignores_objects():
    assert facets.intent(ask("fix the parser")) == facets.intent(ask("fix the printer"))
    assert set(facets.intent(run("git commit -m x"))) & set(facets.intent(run("git commit -m y")))
    assert not facets.intent(ask("the parser"))


def test_entities_sees_files_issues_and_packages_wherever_they_are_named():
    named = set(facets.entities(ask("see #42, ABC-7 and src/app/user.py")))

    assert len(named) == 3
    assert named & set(facets.entities(edit("lib/user.py")))
    assert named & set(facets.entities(run("cat x", output="src/app/user.py:3: found")))
    assert not facets.entities(ask("nothing is named here"))


def test_touches_sees_the_very_file_and_whether_it_was_changed():
    read = tool(tool="Read", deed="read", path="a/user.py")
    changed, other = edit("a/user.py"), edit("b/user.py")

    assert len(set(facets.touches(read)) & set(facets.touches(changed))) == 1
    assert not set(facets.touches(changed)) & set(facets.touches(other))


def test_expansion_sees_words_with_the_files_they_led_to():
    trail = Trail()
    facets.leave(ask("the login flow", trail))
    led = set(facets.expansion(edit("src/auth.py", trail=trail)))

    assert led
    facets.leave(edit("src/auth.py", trail=trail))
    assert not led & set(facets.expansion(edit("src/other.py", trail=trail)))
    assert not facets.expansion(edit("src/auth.py"))


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"tool": 3, "deed": None, "input": [1], "path": ["x"], "command": {}},
        {"deed": "edit", "input": {"old_string": 7, "todos": "none"}, "path": "/"},
        {"deed": "plan", "input": {"todos": [1, {"content": 2}]}, "ok": False, "error": 5},
        {"deed": "run", "command": "\udcff" * 3, "path": "a\udcff"},
    ],
)
def test_an_odd_body_has_fewer_features_and_never_raises(body):
    act = facets.of_tool(body, Trail())
    for one in facets.FACETS:
        one(act)
    facets.leave(act)


def test_the_trail_is_numbers_and_comes_back_from_them():
    trail = Trail()
    for act in (ask("the login flow", trail), edit("a.py", trail=trail), run("ls", trail)):
        facets.leave(act)

    assert Trail(trail.numbers()).numbers() == trail.numbers() != Trail().numbers()
