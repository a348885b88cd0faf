from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.errors import EntryRefused
from holdfast.hook.event import session_id
from holdfast.ledger import queries
from holdfast.ledger.entry import Draft, check
from holdfast.ledger.kinds import KINDS
from holdfast.redaction.gate import gate

AT = "2026-11-15T10:00:00.000Z"


def draft(body, *, kind="session_ended", key="k", session="s") -> Draft:
    return Draft(kind, at=AT, project="p", session=session, agent="a", key=key, body=body)


def test_only_what_came_through_the_redaction_gate_is_accepted(workspace):
    with pytest.raises(EntryRefused, match="redaction gate"):
        queries.append(workspace.store, draft({"reason": "other"}))


@pytest.mark.parametrize(
    ("kind", "body", "why"),
    [
        ("no_such_kind", {}, "no such kind"),
        ("session_ended", {}, "reason is missing"),
        ("session_ended", {"reason": 7}, "reason is a int"),
        ("session_ended", {"reason": "x", "more": 1}, "unknown fields"),
        ("session_ended", ["reason"], "not an object"),
        ("turn_ended", {"message": "", "again": 1, "background": []}, "again is a int"),
    ],
)
def test_a_body_of_another_shape_is_refused_on_the_way_in(kind, body, why):
    with pytest.raises(EntryRefused, match=why):
        check(kind, body)


def test_an_optional_field_may_be_missing_or_empty():
    assert check("prompt_given", {"prompt": "x"}) == 1
    assert check("prompt_given", {"prompt": "x", "branch": None}) == 1


def test_every_kind_has_a_version_and_a_shape():
    for name, kind in KINDS.items():
        assert kind.version >= 1, name
        assert kind.fields, name


def test_the_sequence_counts_without_a_gap_and_a_second_arrival_takes_no_number(workspace):
    store = workspace.store
    with store.transaction():
        first = queries.append(store, draft(gate({"reason": "a"}), key="1"))
        again = queries.append(store, draft(gate({"reason": "a"}), key="1"))
        second = queries.append(store, draft(gate({"reason": "b"}), key="2"))

    assert again is None
    assert first is not None
    assert second is not None
    assert (first.seq, second.seq) == (1, 2)


def test_the_same_key_in_another_session_is_another_event(workspace):
    store = workspace.store
    with store.transaction():
        queries.append(store, draft(gate({"reason": "a"}), session="s"))
        other = queries.append(store, draft(gate({"reason": "a"}), session="t"))

    assert other is not None


def test_a_rolled_back_entry_leaves_no_gap(workspace):
    store = workspace.store
    with pytest.raises(ZeroDivisionError), store.transaction():
        queries.append(store, draft(gate({"reason": "a"}), key="1"))
        raise ZeroDivisionError
    with store.transaction():
        kept = queries.append(store, draft(gate({"reason": "a"}), key="1"))

    assert kept is not None
    assert kept.seq == 1


@pytest.mark.parametrize("column", ["at", "session", "kind", "key", "project", "agent", "version"])
def test_a_changed_header_is_found_by_its_checksum(workspace, column):
    store = workspace.store
    with store.transaction():
        queries.append(store, draft(gate({"reason": "a"})))
    store.run(f"update entries set {column} = '9'")

    assert queries.damaged(store) == [(1, "header")]


def test_a_changed_body_is_found_by_its_digest(workspace):
    store = workspace.store
    with store.transaction():
        queries.append(store, draft(gate({"reason": "a"})))
    store.run("""update bodies set body = '{"reason":"b"}'""")

    assert queries.damaged(store) == [(1, "body")]


def test_a_gravestone_keeps_its_header_and_says_nothing_of_its_body(workspace):
    store = workspace.store
    with store.transaction():
        queries.append(store, draft(gate({"reason": "other"})))
    before = store.row("select * from entries")
    queries.bury(store, [1])

    assert store.row("select * from entries") == before
    assert list(queries.read(store)) == []
    assert queries.damaged(store) == []
    assert store.value("select count(*) from bodies") == 0


def test_two_equal_bodies_have_different_digests(workspace):
    store = workspace.store
    with store.transaction():
        queries.append(store, draft(gate({"reason": "a"}), key="1"))
        queries.append(store, draft(gate({"reason": "a"}), key="2"))

    assert store.value("select count(distinct digest) from entries") == 2


@pytest.mark.promise("S2")
def test_a_session_id_is_kept_whole_up_to_a_hundred_characters_and_hashed_beyond():
    assert session_id("x" * 100) == "x" * 100
    long = session_id("x" * 101)
    assert len(long) <= 100
    assert long != session_id("x" * 102)


def test_two_hooks_that_make_the_store_at_once_both_find_it(tmp_path):
    for number in range(10):
        path = str(tmp_path / str(number) / "store.db")
        Path(path).parent.mkdir()
        opening = [
            subprocess.Popen([sys.executable, "-c", OPEN, path], stderr=subprocess.PIPE)
            for _ in range(4)
        ]
        assert [process.communicate(timeout=60)[1] for process in opening] == [b""] * 4


OPEN = "import sys; from holdfast.store.sqlite import Store; Store(sys.argv[1]).close()"
