from __future__ import annotations

import pytest

from holdfast.redaction.gate import redact
from redaction.corpus import Dice
from redaction.lookalikes import lookalikes
from redaction.shapes import development, drawn, held, probes


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
