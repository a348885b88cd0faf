from __future__ import annotations

import pytest

from holdfast.redaction.gate import redact
from redaction.corpus import Dice
from redaction.lookalikes import lookalikes
from redaction.shapes import SEED, development, drawn, held, is_gone, probes


def test_there_are_a_hundred_and_fifty_shapes_and_as_many_lookalikes():
    seen, unseen = ({case.sort for case in cases} for cases in (development(), held()))

    assert len(seen) + len(unseen) >= 150
    assert not seen & unseen
    assert len({case.sort for case in probes()}) >= 15
    assert len({case.text for case in lookalikes()}) >= 150


def test_every_secret_of_a_shape_stands_in_its_text():
    for case in (*probes(), *development(), *held()):
        assert case.secret in case.text, case.sort
        assert "«" not in case.text, case.sort


def test_what_is_drawn_for_company_need_not_go():
    text, secrets = drawn("a «~hex8» b «safe»", Dice(1))

    assert len(secrets) == 1
    assert text.startswith("a ")
    assert text.endswith(f" b {secrets[0]}")


@pytest.mark.promise("X1")
@pytest.mark.parametrize("seed", [20_261_119, 8, 100])
def test_labels_versions_pictures_and_other_lookalikes_come_through(seed):
    altered = [case.text for case in lookalikes(seed) if redact(case.text) != case.text]

    assert altered == []


@pytest.mark.promise("X1")
@pytest.mark.parametrize("before", ["", "{", "Key: {"])
def test_a_private_key_goes_wherever_its_object_was_cut(before):
    key = Dice(3).dash(43)

    assert key not in redact(f'{before}"kty":"EC","crv":"P-256","d":"{key}"')


@pytest.mark.promise("X1")
@pytest.mark.parametrize("seed", [SEED, 7, 99])
@pytest.mark.parametrize("made", [probes, development])
def test_of_a_hundred_secrets_in_these_shapes_at_least_ninety_five_go_whole(made, seed):
    cases = made(seed)
    missed = [case for case in cases if not is_gone(case, redact(case.text))]

    assert len(missed) <= 0.05 * len(cases), [(case.sort, case.text) for case in missed]


@pytest.mark.promise("X1")
@pytest.mark.parametrize("seed", [SEED, 7, 99])
def test_of_a_hundred_secrets_in_shapes_that_were_only_counted_ninety_three_go_whole(seed):
    cases = held(seed)
    missed = [case for case in cases if not is_gone(case, redact(case.text))]

    assert len(missed) <= 0.07 * len(cases), [(case.sort, case.text) for case in missed]


def test_redacting_a_shape_twice_changes_nothing_more():
    texts = [redact(case.text) for case in (*probes(), *development(), *held())]

    assert [text for text in texts if redact(text) != text] == []


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("password=correct-horse-77-battery", "password=[removed: password]"),
        ("\x1b[32mDB_PASSWORD\x1b[0m=\x1b[33mWalnut2009\x1b[0m ok",
         "\x1b[32mDB_PASSWORD\x1b[0m=\x1b[33m[removed: password]\x1b[0m ok"),
        ("a,password\nx,Walnut2009\ny,none\n", "a,password\nx,[removed: password]\ny,none\n"),
        ("Password:\nWalnut2009\nnext", "Password:\n[removed: password]\nnext"),
        ("db1:5432:app:svc:Walnut2009\n", "db1:5432:app:svc:[removed: password]\n"),
        ("set password to Walnut2009, then", "set password to [removed: password], then"),
        ("${DB_PASSWORD:-Walnut2009}/x", "${DB_PASSWORD:-[removed: password]}/x"),
        ("p = env.DB_PASSWORD || 'Walnut2009';", "p = env.DB_PASSWORD || '[removed: password]';"),
    ],
)  # fmt: skip
def test_what_stands_around_a_secret_of_these_shapes_stays(text, kept):
    assert redact(text) == kept


def test_a_coloured_text_keeps_its_colours_and_places():
    text = "\x1b[1mé\x1b[0m <\x1b[31mprivate>x</private>\x1b[0m \x1b[K end"

    assert redact(text) == "\x1b[1mé\x1b[0m [removed: private]\x1b[0m \x1b[K end"
