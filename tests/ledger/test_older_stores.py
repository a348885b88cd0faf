"""A store of every schema that ever was opens, migrates and replays: tests/stores/README.md."""

from __future__ import annotations

import sqlite3
import tarfile
import time
from pathlib import Path

import pytest

from conftest import TESTS, Door
from faults.around import opened
from holdfast.ledger import faults, projections, queries, replay
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.prompts import queries as prompts, upgrade
from holdfast.store import driver
from holdfast.store.sqlite import Store
from law import assert_replay_law

ARCHIVES = sorted((TESTS / "stores").glob("*.tar.gz"))
# What tests/stores/make.py had the user say.
PROMPTS = ("Add a login page. Never touch the billing module.", "Finish the login page.")
ENTRIES = "select * from entries join bodies using (place) order by place"
COLUMNS = """
    select t.name, t.wr, c.cid, c.name, c.type, c."notnull", c.dflt_value, c.pk
    from pragma_table_list t join pragma_table_xinfo(t.name) c
    where t.schema = 'main' and t.name not like 'sqlite%' order by 1, 3
"""
INDEXES = "select name, tbl_name from sqlite_schema where type = 'index' order by 1"


@pytest.fixture(params=ARCHIVES, ids=lambda path: path.name.partition(".")[0])
def older(request: pytest.FixtureRequest, door: Door, tmp_path: Path) -> list[tuple[object, ...]]:
    """What SQLite itself reads in an older store, which then lies where the door looks for it."""
    with tarfile.open(request.param) as archive:
        archive.extractall(tmp_path / "as-it-was", filter="data")
        archive.extractall(door.state, filter="data")
    store = sqlite3.connect(tmp_path / "as-it-was" / "store.db")
    schema = store.execute("pragma user_version").fetchone()[0]
    entries = store.execute(ENTRIES).fetchall()
    store.close()
    # The door's repository is the project that it was written in.
    mark = door.folder / ".git" / "holdfast" / "project"
    mark.parent.mkdir(mode=0o700)
    mark.write_text(f"{entries[-1][4]}\n")
    mark.chmod(0o600)
    assert schema == int(request.param.name[:2])
    assert len(entries) >= 17
    return entries


def until_rebuilt(state: str) -> None:
    """The hook started the rebuild, as a process of its own."""
    for _ in range(600):
        with opened(state) as store:
            if not projections.stale(store):
                return
        time.sleep(0.1)
    raise AssertionError("the tables were not rebuilt within a minute")


def test_there_is_a_store_of_every_schema_before_the_freeze():
    assert {int(path.name[:2]) for path in ARCHIVES} >= set(range(1, 10))


@pytest.mark.promise("X4")
def test_an_older_store_opens_migrates_and_replays(older, door, tmp_path):
    door.send("SessionStart.startup", session_id="c" * 8, source="startup")
    until_rebuilt(door.state)
    told = door.send("SessionStart.startup", session_id="d" * 8, source="startup")

    with opened(door.state) as store:
        assert store.value("pragma user_version") == driver.SCHEMA
        assert [tuple(row) for row in store.rows(ENTRIES)][: len(older)] == older
        assert queries.damaged(store) == []
        assert replay.differences(store) == {}
        fresh = Store(str(tmp_path / "fresh.db"))
        for sql in (COLUMNS, INDEXES):
            assert list(store.rows(sql)) == list(fresh.rows(sql))
        fresh.close()
        prompts = store.rows("select last_prompt from activity where prompts > 0 order by session")
        assert [last for (last,) in prompts][: len(PROMPTS)] == list(PROMPTS)
    assert faults.all_of(door.state) == []
    heard = any("rule_given" in row for row in older)
    assert ("> Never touch the billing module  (" in told) is heard


@pytest.mark.promise("X4")
def test_opening_an_older_store_touches_no_entry_and_leaves_rooms_to_the_rebuild(
    older, door, tmp_path
):
    before = sqlite3.connect(tmp_path / "as-it-was" / "store.db")
    schema = before.execute("pragma user_version").fetchone()[0]
    before.close()
    Store(f"{door.state}/store.db").close()

    with opened(door.state) as store:
        assert [tuple(row) for row in store.rows(ENTRIES)] == older
        # Of a store after the freeze only rooms that had another name, or another rule.
        every = list(projections.ROOMS)
        new = ("sessions", "prompts", "work", "gates", "identity", "tracker", "consolidation")
        new += ("recall", "threads")
        renamed = [room for room in every if room in new]
        assert projections.stale(store) == (every if schema < 10 else renamed)


# What earlier versions heard in plans (tests/stores/make.py)
IN_PLAN = {"Never write to the old table", "Always use transactions"}
TYPED = "Never rename a public function"


@pytest.mark.promise("C2")
@pytest.mark.promise("W1")
@pytest.mark.parametrize("older", [TESTS / "stores" / "09-e.tar.gz"], indirect=True)
def test_rules_that_came_from_a_plan_are_disowned_on_upgrade_and_no_longer_told(older, door, repo):
    door.send("SessionStart.startup", session_id="c" * 8, source="startup")
    until_rebuilt(door.state)
    begun = door.send("SessionStart.startup", session_id="d" * 8, source="startup")

    with opened(door.state) as store:
        entries = [entry for _, entry in queries.read(store)]
        rules = {entry.id: entry for entry in entries if entry.kind == "rule_given"}
        turns = [entry for entry in entries if entry.kind == "turned"]
        assert {rules[turn.body["subject"]].body["text"] for turn in turns} == IN_PLAN
        assert {(turn.body["turn"], turn.body["how"], turn.body["words"]) for turn in turns} == {
            ("disowned", "upgrade", "heard in a plan")
        }
        held = {
            rule.text
            for rule in prompts.all_rules(store, entries[-1].project)
            if not rule.withdrawn
        }
    assert TYPED in held
    assert not held & IN_PLAN
    assert f"> {TYPED}  (the user, " in begun
    assert not [text for text in IN_PLAN if f"> {text}" in begun]
    workspace = Workspace(door.state)
    assert upgrade.disown(workspace) == 0  # once, however often
    workspace.store.close()
    assert_replay_law(door.state, repo)
