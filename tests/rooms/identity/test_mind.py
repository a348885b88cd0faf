"""A session's identity, folded from its events."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

from holdfast.rooms.identity import mind as minds
from holdfast.rooms.identity.facets import NAMES
from holdfast.rooms.identity.mind import CAPS, FIRST_BLOCK, HANDED_ON_VERSION, SCALE, Mind
from identity.corpus import TASKS, fold, session


def project() -> str:
    """What a project hands on that has seen a session of every task."""
    handed = ""
    for task in TASKS:
        handed = fold(Mind.begin(handed), session(task, 0), is_new_task=True).legacy()
    return handed


def test_a_mind_that_was_packed_goes_on_as_one_that_was_not():
    straight = Mind.begin(project())
    folded = Mind.begin(project())
    for kind, what in session("login", 1) + session("search", 1):
        for mind in (straight, folded):
            if kind == "prompt":
                mind.prompt(what, is_new_task=False)
            else:
                mind.tool(what)
        folded = Mind.unpack(folded.pack())
        assert folded.pack() == straight.pack()


def test_the_same_events_give_the_same_bytes_whatever_the_hash_seed():
    script = (
        "import sys, zlib; sys.path.insert(0, 'tests/rooms');"
        "from identity.test_mind import project; from identity.corpus import *;"
        "mind = fold(Mind.begin(project()), session('login', 1));"
        "print(zlib.crc32(mind.pack()), zlib.crc32(mind.legacy().encode()))"
    )
    said = {
        subprocess.check_output(
            [sys.executable, "-c", script], text=True, env={"PYTHONHASHSEED": seed}
        )
        for seed in ("1", "2", "3")
    }

    assert len(said) == 1


@pytest.mark.parametrize("at", [0, 5, 19, 25, 300, -1])
def test_a_damaged_mind_is_refused(at):
    raw = bytearray(fold(Mind(), session("login", 0)).pack())
    raw[at] ^= 4

    with pytest.raises(ValueError):
        Mind.unpack(bytes(raw))


@pytest.mark.parametrize("size", [0, 3, 19, 20, 400])
def test_a_mind_that_was_cut_is_refused(size):
    with pytest.raises(ValueError):
        Mind.unpack(fold(Mind(), session("login", 0)).pack()[:size])


def test_what_cannot_be_inherited_is_left():
    older = minds.pack(HANDED_ON_VERSION - 1, [1, 9], [minds.put([{5: 6}] * 13), b"", b""]).hex()
    for said in ("x", "0" * 50, "\u00e4" * 10, project()[:-5], project()[:-8], older):
        assert Mind.begin(said).pack() == Mind().pack()


def test_a_mind_stays_small_however_much_it_has_seen():
    rng = random.Random(1)
    handed = ""
    for number in range(40):
        mind = Mind.begin(handed)
        for step in range(60):
            names = " ".join(f"name_{rng.randrange(5000)}" for _ in range(30))
            path = f"folder{rng.randrange(50)}/file{rng.randrange(500)}.py"
            given = {"old_string": names, "new_string": names}
            mind.tool({"tool": "Edit", "deed": "edit", "path": path, "input": given, "ok": True})
            if step % 6 == 0:
                mind.prompt(f"look at word{number} and thing{step} in {path}", is_new_task=False)
        handed = mind.legacy()

        assert len(mind.pack()) < 16_000
        assert len(handed) < 14_000
        assert handed.isascii()


def test_a_steady_session_is_healthy_and_in_phase():
    events = session("login", 0) + session("login", 1)
    reading = fold(Mind.begin(project(), binds=False), events).reading()

    assert reading.klass == "healthy"
    assert reading.r >= 0.9
    assert not reading.is_provisional
    assert sum(x * x for x in reading.purpose) == pytest.approx(1.0, abs=1e-4)
    assert all(0 <= phase < 6.2832 for phase in reading.phases)


def lowest(mind: Mind, events: list[tuple[str, object]], *, is_new_task: bool = False) -> float:
    """The lowest continuity on the way, each turn judged at its end, too."""
    found = []
    for place, (kind, what) in enumerate(events):
        if kind == "prompt":
            mind.rest()
            found.append(mind.reading().ic)
            mind.prompt(what, is_new_task=is_new_task and place == 0)
        else:
            mind.tool(what)
        found.append(mind.reading().ic)
    mind.rest()
    return min(*found, mind.reading().ic)


@pytest.mark.promise("I6")
@pytest.mark.parametrize("task", TASKS)
def test_work_on_another_task_without_the_person_lowers_the_class(task):
    for other in set(TASKS) - {task}:
        mind = fold(Mind.begin(project()), session(task, 1), is_new_task=True)
        strange = Mind.unpack(mind.pack())

        assert lowest(mind, session(task, 0)) >= 0.7
        assert lowest(strange, session(other, 1)) < 0.7


@pytest.mark.promise("I6")
@pytest.mark.parametrize("task", TASKS)
def test_a_new_task_of_the_person_re_anchors_and_raises_no_alarm(task):
    for other in set(TASKS) - {task}:
        mind = fold(Mind.begin(project()), session(task, 1), is_new_task=True)

        assert lowest(mind, session(other, 1), is_new_task=True) >= 0.7


@pytest.mark.promise("I6")
@pytest.mark.parametrize("task", TASKS)
def test_a_session_that_goes_on_with_a_task_is_told_from_those_of_others(task):
    handed = {
        earlier: fold(Mind.begin(project()), session(earlier, 0), is_new_task=True).legacy()
        for earlier in TASKS
    }
    crossed = {}
    for earlier, legacy in handed.items():
        mind = fold(Mind.begin(legacy), [("prompt", "go on"), *acts(session(task, 1))])
        crossed[earlier] = mind.reading().cross_ic

    own = crossed.pop(task)
    assert own > 0.7 > 0.5 > max(crossed.values())


def acts(events: list[tuple[str, object]]) -> list[tuple[str, object]]:
    return [event for event in events if event[0] == "tool"]


def test_across_sessions_the_present_is_measured_by_what_was_handed_on():
    handed = fold(Mind.begin(project()), session("login", 0), is_new_task=True).legacy()
    going_on, another = Mind.begin(handed), Mind.begin(handed)
    fold(going_on, session("login", 1), is_new_task=True)
    fold(another, session("deploy", 1), is_new_task=True)

    assert going_on.reading().cross_ic > 0.7 > another.reading().cross_ic
    assert another.reading().klass == "healthy"


def test_before_anything_is_done_branch_and_changed_files_speak():
    handed = fold(Mind.begin(project()), session("login", 0), is_new_task=True).legacy()
    fits, strange = Mind.begin(handed), Mind.begin(handed)
    fits.foretell(["remember", "login"], ["web/login.py", "web/cookies.py"])
    strange.foretell(["docker", "image"], ["ops/Dockerfile", "ops/compose.yaml"])

    assert fits.reading().ic > 0.7 > strange.reading().ic
    assert fits.reading().is_provisional


def drifted() -> Mind:
    mind = fold(Mind.begin(project()), session("login", 1), is_new_task=True)
    for _, what in acts(session("deploy", 1)):
        mind.tool(what)
    assert mind.reading().ic < 0.7
    return mind


def test_to_accept_makes_the_present_the_purpose():
    mind = drifted()
    mind.accept()
    assert mind.reading().klass == "healthy"
    fold(mind, session("deploy", 0))

    assert mind.reading().klass == "healthy"


def test_to_keep_settles_the_doubt_and_leaves_the_purpose():
    mind = drifted()
    task = [dict(terms) for terms in mind.task]
    mind.keep()

    assert mind.reading().klass == "healthy"
    assert mind.task == task


def test_a_turn_ends_once_however_often_it_is_said():
    mind = fold(Mind.begin(project()), session("login", 1))
    raw = mind.pack()
    mind.rest()

    assert mind.pack() == raw


def test_a_mind_knows_its_first_four_events_for_provisional():
    mind = Mind()
    mind.prompt("add a table", is_new_task=True)
    for _ in range(3):
        mind.tool({"tool": "Read", "deed": "read", "path": "a.py", "input": {}, "ok": True})
    assert mind.reading().is_provisional
    mind.tool({"tool": "Read", "deed": "read", "path": "a.py", "input": {}, "ok": True})

    assert not mind.reading().is_provisional
    assert mind.reading().events == 5


def test_a_long_turn_is_judged_as_a_whole():
    strange = acts(session("deploy", 1)) * 3
    mind = fold(Mind.begin(project()), session("login", 1), is_new_task=True)
    mind.prompt("go on", is_new_task=False)
    for _, what in strange:
        mind.tool(what)

    assert len(strange) == mind.done > FIRST_BLOCK
    assert mind.reading().klass == "degraded"
    assert mind.reading().evidence < 0.3


def test_a_first_turn_that_is_long_becomes_the_task_before_it_ends():
    mind = Mind.begin(project())
    mind.prompt("get to work", is_new_task=True)
    long = acts(session("login", 0)) * 3
    for _, what in long:
        mind.tool(what)

    assert (mind.taken, mind.done) == (1 + FIRST_BLOCK, len(long) - FIRST_BLOCK)


@pytest.mark.promise("I2")
def test_a_facet_is_aligned_as_far_as_the_present_has_the_rare_terms_of_the_task():
    shares = []
    for shared in (0, 4, 8):
        mind = fold(Mind.begin(project()), worked("ask", 12), is_new_task=True)
        names = [f"task_name_{n}" for n in range(shared)]
        names += [f"other_name_{n}" for n in range(8 - shared)]
        for name in names:
            mind.tool(written(name))
        shares.append(mind.alignments[NAMES.index("symbols")])

    assert shares[0] < shares[1] < shares[2]
    assert shares[2] - shares[0] > SCALE // 5


def worked(prompt: str, many: int) -> list[tuple[str, object]]:
    return [("prompt", prompt), *(("tool", written(f"task_name_{n}")) for n in range(many))]


def written(name: str) -> dict[str, object]:
    given = {"old_string": "", "new_string": name}
    return {"tool": "Edit", "deed": "edit", "path": "a.py", "input": given, "ok": True}


@pytest.mark.promise("I2")
def test_few_actions_and_a_young_task_say_less():
    def after(taken: int, strange: int) -> float:
        mind = fold(Mind.begin(project()), worked("ask", taken), is_new_task=True)
        for number in range(strange):
            mind.tool(_strange(number))
        return mind.reading().ic

    assert after(30, 12) < after(30, 2) < 0.9
    assert after(30, 6) < after(3, 6)


def _strange(place: int) -> dict[str, object]:
    given = {"old_string": f"old_thing_{place}", "new_string": f"new_thing_{place}"}
    path = f"area{place}/part{place}/file{place}.py"
    return {"tool": "Edit", "deed": "edit", "path": path, "input": given, "ok": True}


@pytest.mark.promise("I2")
def test_what_a_turn_did_is_the_tasks_only_when_it_has_not_left_it():
    own = fold(Mind.begin(project()), worked("ask", 12), is_new_task=True)
    before = [dict(terms) for terms in own.task]
    own.prompt("go on", is_new_task=False)
    for number in range(30):
        own.tool(_strange(number))
    own.rest()

    assert own.task[NAMES.index("places")] == before[NAMES.index("places")]
    assert own.task[NAMES.index("symbols")] == before[NAMES.index("symbols")]
    assert own.has_strayed
    own.tool(written("task_name_3"))
    own.rest()
    assert own.taken > 13, "the work that fits is taken in"


def test_a_fresh_session_takes_over_what_is_usual_and_no_task():
    mind = fold(Mind.begin(project()), session("login", 0), is_new_task=True)
    fresh = Mind.begin(mind.legacy(is_fresh=True))

    assert fresh.task == [{} for _ in range(13)]
    assert (fresh.inherits, fresh.taken) == (0, 0)
    assert fresh.rarity == Mind.begin(mind.legacy()).rarity != {}


WORDS = ("", "a.py", "src/b/c.go", "fix the retry", "pytest -q", "x_y", "\udcff", None, 7)
WHATS = ("ask", "ask", "task", "tool", "tool", "tool", "tool", "rest", "keep", "accept")


@pytest.mark.promise("I3")
@pytest.mark.parametrize("seed", range(8))
def test_whatever_happens_every_figure_is_a_share_and_the_mind_comes_back_from_its_bytes(seed):
    chance = random.Random(seed)
    mind = Mind.begin(project() if seed % 2 else "")
    for _ in range(60):
        what = chance.choice(WHATS)
        if what == "tool":
            mind.tool(_odd(chance))
        elif what in ("ask", "task"):
            mind.prompt(chance.choice(WORDS[:7]), is_new_task=what == "task")
        else:
            getattr(mind, what)()
        reading = mind.reading()
        factors = (reading.r, reading.ic, reading.reflection, reading.differentiation)
        figures = (*factors, reading.consciousness, reading.cross_ic)
        assert all(0 <= figure <= 1 for figure in figures)
        assert all(0 <= phase <= 6.2832 for phase in reading.phases)
        assert Mind.unpack(mind.pack()).pack() == mind.pack()
        assert all(len(bag) <= cap for bag, cap in zip(mind.task, CAPS, strict=True))


def _odd(chance: random.Random) -> dict[str, object]:
    body = {key: chance.choice(WORDS) for key in ("tool", "path", "command", "error", "output")}
    given = {f"{chance.random()}": chance.choice(WORDS) for _ in range(chance.randrange(4))}
    deed = chance.choice(("edit", "create", "read", "run", "search", "other", None))
    return {**body, "deed": deed, "input": given, "ok": chance.random() < 0.7}
