"""Which session is the best, and when there is none: on a small store, by the index itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.ledger.workspace import Workspace
from holdfast.rooms.recall import queries, ranking, recalling
from holdfast.rooms.recall.ranking import Question, Search, Signs
from holdfast.store.sqlite import Store

pytestmark = pytest.mark.promise("R2")

Say = Callable[..., None]
PROJECT = "p"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(str(tmp_path / "state"))


@pytest.fixture
def store(workspace: Workspace) -> Store:
    return workspace.store


@pytest.fixture
def say(workspace: Workspace) -> Say:
    def keep(
        session: str, text: str, kind: str = "turn_ended", project: str = PROJECT, **body: Any
    ) -> None:
        number = workspace.store.value("select count(*) from entries")
        said = {"message": text, "again": False, "background": []}
        with workspace.store.transaction():
            workspace.keep(
                kind,
                body or said,
                key=f"{session}:{number}",
                at=f"2026-03-02T14:{number // 60:02}:{number % 60:02}.000Z",
                project=project,
                session=session,
                agent="claude-code",
            )

    return keep


def best(store: Store, text: str) -> str:
    recalling.fill(store)
    (number, _), *_ = Search(store, Question(text, PROJECT)).sessions()
    return queries.session_names(store, [number])[number]


def test_a_text_that_says_a_word_often_is_before_one_that_says_it_once(store, say):
    rest = "was looked at beside the list of open ends and the plan for next month"
    say("often", f"Grace period: the grace timer, and the grace counter, {rest}")
    say("once", f"Grace period: the timer, the counter, and one day more, {rest} again")

    assert best(store, "grace") == "often"


def test_of_two_sessions_that_say_it_as_well_the_one_with_less_beside_it_is_first(store, say):
    say("short", "The throttle guards the parser.")
    say("long", "The throttle guards the parser!")
    for thing in ("letters", "colours", "fonts", "margins", "headings", "tables"):
        say("long", f"All {thing} of the report are as the template has them.")

    assert best(store, "throttle parser") == "short"


def test_how_long_a_session_is_grows_with_every_filling(store, say):
    say("a", "alpha beta gamma")
    recalling.fill(store)
    say("a", "delta epsilon")
    recalling.fill(store)

    number = queries.session_number(store, "a")
    assert number is not None
    assert queries.session_sizes(store, [number]) == {number: 5}


def test_an_answer_has_a_line_of_each_of_the_best_sessions_before_a_second_of_one(store, say):
    for part in ("parser", "lexer", "printer", "loader", "linter", "tracer"):
        say("first", f"The throttle guards the {part}.")
    for session in ("second", "third", "fourth"):
        say(session, f"The throttle guards the {session} queue, as was asked for.")

    hits = recalling.recall(store, Question("throttle guards", PROJECT), 5)

    assert {hit.session for hit in hits[:4]} == {"first", "second", "third", "fourth"}
    assert len(hits) == 5


def test_plans_and_errands_are_found_as_the_agents(store, say):
    tool = {"ok": True, "tool": "T"}
    todos = [{"content": "measure the throttle", "status": "pending"}]
    say("a", "", "tool_used", deed="plan", input={"plan": "Guard the lexer first"}, **tool)
    say("b", "", "tool_used", deed="plan", input={"todos": todos}, **tool)
    errand = {"description": "Count spans", "prompt": "Count the spans of the tracer"}
    say("c", "", "tool_used", deed="delegate", input=errand, **tool)

    def found(text: str) -> tuple[str, str, str]:
        hit = recalling.recall(store, Question(text, PROJECT), 1)[0]
        return hit.session, hit.sort, hit.who

    assert found("guard the lexer") == ("a", "plan", "the agent")
    assert found("measure the throttle") == ("b", "plan", "the agent")
    assert found("count spans of the tracer") == ("c", "errand", "the agent")


def test_what_another_project_says_is_neither_found_nor_counted(store, say):
    say("a", "The throttle guards the lexer.")
    alone = _signs(store)
    for number in range(300):  # more than are probed
        say(f"other-{number}", "The throttle guards the lexer.", project="another")

    hits = recalling.recall(store, Question("throttle", PROJECT), 5)

    assert [hit.session for hit in hits] == ["a"]
    assert _signs(store) == alone is not None


def test_the_rarest_words_are_read_first_and_no_more_than_there_is_room_for(
    store, say, monkeypatch
):
    monkeypatch.setattr(ranking, "PROBED", 2)
    monkeypatch.setattr(ranking, "LATEST", 4)
    monkeypatch.setattr(ranking, "READ", 5)
    for number in range(9):
        say(f"s{number}", "The throttle is quick.")
    say("rare", "The gasket of the throttle leaks.")
    recalling.fill(store)

    search = Search(store, Question("throttle quick gasket", PROJECT))

    assert len(search.value) == 2
    assert next(iter(search.value)) == "gasket"
    assert len(search.matched) == 4, "the latest of the common word"


def _signs(store: Store) -> Signs | None:
    recalling.fill(store)
    return Search(store, Question("throttle lexer", PROJECT)).signs()


def test_a_question_of_grammar_alone_has_no_signs_and_gets_no_answer(store, say):
    say("a", "The throttle guards the lexer.")
    recalling.fill(store)
    search = Search(store, Question("of the and to", PROJECT))

    assert search.signs() is None
    assert not search.is_about()


def test_what_is_known_and_stands_together_speaks_for_an_answer():
    nothing = Signs(1.0, 1.1, 0.7, 0.0, 0.0, 0.0, 0.0)
    all_of_it = Signs(0.0, 1.1, 0.7, 1.6, 1.9, 1.1, 1.0)

    assert ranking.is_about(all_of_it)
    assert not ranking.is_about(nothing)
