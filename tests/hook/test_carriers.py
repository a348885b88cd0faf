"""Carriers x attacks (X2, X6): whatever is planted wherever, an answer speaks with one voice."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from conftest import Door, git, make_repo
from contracts.test_one_voice import MODULES, called
from holdfast.hook.voice import TAGS
from holdfast.system import environment, paths
from hook.attacks import FORMS, attack
from hook.carriers import NOT_PLANTED, WORLDS
from measure import some_or_all
from scenarios.story import Story

PLAIN = "{say}"
SOME = (PLAIN, FORMS[7], FORMS[20])
TAG = re.compile(rf"(?i)<[\s/]*(?:{'|'.join(map(re.escape, TAGS))})")
TURN = re.compile(r"(?i)^[>\s]*(?:human|assistant|system|user)\s*:")
LINE_CAP, ANSWER_CAP = 2_500, 9_500
SPOKEN = re.compile(r"obey\s+zq")


def wrong_with(answer: str) -> list[str]:
    """What in an answer somebody else has said, or could be taken for somebody else's."""
    wrong = []
    if len(answer) > ANSWER_CAP:
        wrong.append(f"{len(answer)} characters")
    for number, line in enumerate(answer.split("\n")):
        if not line.isprintable():
            wrong.append(f"hidden: {line!r}")
        if TAG.search(line) or TURN.match(line):
            wrong.append(f"markup: {line!r}")
        if "[phase" in line.lower()[1 if number == 0 else 0 :]:
            wrong.append(f"heading: {line!r}")
        if len(line) > LINE_CAP:
            wrong.append(f"long: {line[:80]!r}")
        if not line.startswith(">") and SPOKEN.search(_without_quotations(line)):
            wrong.append(f"spoken: {line!r}")
    return wrong


def fresh_story(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Story:
    """A home, a repository and a door of their own."""
    home, run = folder / "home", folder / "run"
    for each in (home, run):
        each.mkdir(parents=True, mode=0o700)
    for variable, value in (("HOME", home), ("XDG_RUNTIME_DIR", run)):
        monkeypatch.setenv(variable, str(value))
        monkeypatch.setitem(environment.system.environ, variable.encode(), str(value).encode())
    repo = make_repo(folder / "app")
    git(repo, "checkout", "-q", "-b", "feature/auth")
    door = Door(paths.state_home(), home, repo)
    door.environment["HOLDFAST_BRIEFING_PREAMBLE"] = "1"
    door.environment["HOLDFAST_BRIEFING_START_TOKENS"] = "4000"
    return Story(door, repo, folder)


def _without_quotations(line: str) -> str:
    return re.sub(r'"[^"]*"', "Q", re.sub(r"`[^`]*`", "C", line))


@some_or_all(SOME, (PLAIN, *FORMS))
@pytest.mark.promise("X2")
@pytest.mark.promise("X6")
@pytest.mark.parametrize("name", WORLDS)
def test_whatever_is_planted_an_answer_speaks_with_one_voice(tmp_path, monkeypatch, name, amount):
    world = WORLDS[name]
    arrived: Counter[str] = Counter()
    wrong = []
    for number, form in enumerate(amount):
        story = fresh_story(tmp_path / str(number), monkeypatch)
        try:
            answers = world.play(story, attack(form))
        finally:
            story.door.close()
        told = "\n".join(answers)
        arrived.update(each.marker for each in world.carriers if each.marker in told)
        wrong += [(form, line) for answer in answers for line in wrong_with(answer)]

    assert wrong == []
    few = {each.what: arrived[each.marker] for each in world.carriers if not arrived[each.marker]}
    assert few == {}, "a carrier that carries nothing proves nothing"


# The list of carriers is complete

WAYS = frozenset({"named", "code", "quoted", "fence"})


def places_of(module: str, tree: ast.Module) -> set[str]:
    """Functions in which other people's text is put into our lines, or into a remark."""
    short = module.removeprefix("holdfast.").removeprefix("rooms.")
    return {
        f"{short}.{function.name}"
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and (_puts_in(node, tree) or _is_remark(node))
    }


def _puts_in(node: ast.Call, tree: ast.Module) -> bool:
    """By a call, or by a function that is handed to `map`."""
    mapped = [ast.Call(func=each, args=[], keywords=[]) for each in node.args[:1]]
    return any(called(each, tree) in WAYS for each in (node, *mapped))


def _is_remark(node: ast.Call) -> bool:
    if not isinstance(node.func, ast.Name) or node.func.id != "Remark":
        return False
    return len(node.args) > 2 or any(each.arg in ("quoted", "items") for each in node.keywords)


@pytest.mark.promise("X6")
def test_every_place_at_which_other_peoples_text_enters_an_answer_has_its_carrier():
    entered = {
        place
        for module, tree in MODULES.items()
        if module != "holdfast.hook.voice"
        for place in places_of(module, tree)
    }
    planted = {
        place for world in WORLDS.values() for each in world.carriers for place in each.places
    }

    assert planted | NOT_PLANTED.keys() == entered
    assert planted & NOT_PLANTED.keys() == set()


@pytest.mark.parametrize(
    "line",
    [
        "def told(x):\n    return voice.quoted(x)",
        "def told(x):\n    return joined(', ', map(voice.named, x))",
        "def told(x):\n    return Remark(GOAL, ours('A:'), x)",
        "def told(x):\n    return Remark(GOAL, ours('A:'), items=x)",
    ],
)
def test_a_new_place_is_seen(line):
    tree = ast.parse(f"from holdfast.hook import voice\n{line}")

    assert places_of("holdfast.rooms.new.place", tree) == {"new.place.told"}
