"""Files are opened before anything is believed of them, and only those that changed."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from conftest import git
from holdfast.errors import NotFound
from holdfast.ledger import forget
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.decisions import deciding, queries
from holdfast.rooms.decisions.deciding import Here
from holdfast.rooms.decisions.decision import Decision, Standing
from holdfast.rooms.decisions.grounding import standing
from holdfast.rooms.decisions.grounding.citation import cited
from holdfast.rooms.decisions.grounding.ratio import is_enough, ratio, told, weighed
from holdfast.rooms.decisions.grounding.standing import COARSE_NS, Count
from holdfast.system import clock

FETCH = "import os\n\n\ndef fetch(url, timeout=30):\n    return get(url, timeout)\n"
QUOTE = "def fetch(url, timeout=30):"


@pytest.fixture
def here(workspace: Workspace, repo: Path) -> Here:
    for name in ("fetch.py", "other.py"):
        (repo / name).write_text(FETCH.replace("fetch", name[:-3]))
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "Fetch")
    return Here(workspace, project="p", root=str(repo), session="s1", at=clock.now())


def decided(here: Here, *places: str) -> Decision:
    evidence = [cited(here.root, here.root, place) for place in places]
    return deciding.decide(here, f"as in {places}", evidence=evidence)


def judged(here: Here, *, rev: str = "") -> tuple[list[Standing], Count]:
    count = Count()
    current = queries.current(here.workspace.store, "p")
    found = standing.judge(here.workspace.store, here.root, current, at_rev=rev, count=count)
    return [found[one.id] for each in current for one in each.evidence], count


def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that were written by now are old by now."""
    ahead = time.time_ns() + 2 * COARSE_NS
    monkeypatch.setattr("holdfast.rooms.decisions.grounding.standing.time.time_ns", lambda: ahead)


def names(found: list[Standing]) -> list[str]:
    return [one.name for one in found]


# What is read


@pytest.mark.promise("D2")
def test_only_files_that_changed_since_the_last_judgement_are_read(here, repo, monkeypatch):
    decided(here, "fetch.py:4", "fetch.py:5")
    decided(here, "other.py:4")
    later(monkeypatch)

    first, count = judged(here)
    assert (names(first), count.files, count.quotes) == (["grounded"] * 3, 2, 3)
    again, count = judged(here)
    assert (again, count.files, count.quotes) == (first, 0, 0)
    (repo / "fetch.py").write_text(f"# new\n{FETCH}")
    later(monkeypatch)
    found, count = judged(here)
    assert (names(found), count.files) == (["grounded", "moved", "moved"], 1)


@pytest.mark.promise("D2")
def test_a_file_that_may_have_changed_within_its_clocks_grain_is_read_again(here, repo):
    decided(here, "fetch.py:4")

    assert names(judged(here)[0]) == ["grounded"]
    before = os.stat(repo / "fetch.py")
    with (repo / "fetch.py").open("r+") as file:  # the same size, the same file
        file.write(FETCH.replace("30", "60"))
    os.utime(repo / "fetch.py", ns=(before.st_atime_ns, before.st_mtime_ns))

    found, count = judged(here)
    assert (names(found), count.files) == (["broken"], 1)


@pytest.mark.promise("D2")
def test_a_change_that_keeps_size_and_time_is_noticed_by_an_old_file_too(here, repo, monkeypatch):
    decided(here, "fetch.py:4")
    later(monkeypatch)
    assert names(judged(here)[0]) == ["grounded"]
    before = os.stat(repo / "fetch.py")
    (repo / "fetch.py").write_text(FETCH.replace("30", "60"))
    os.utime(repo / "fetch.py", ns=(before.st_atime_ns, before.st_mtime_ns))

    assert names(judged(here)[0]) == ["broken"]


@pytest.mark.promise("D2")
def test_regrounding_all_decisions_reads_what_changed_and_says_how_they_stand(
    here, repo, monkeypatch
):
    for number in range(20):
        (repo / f"part{number}.py").write_text(FETCH.replace("fetch", f"part{number}"))
        decided(here, f"part{number}.py:4")
    deciding.decide(here, "without evidence")
    later(monkeypatch)
    store = here.workspace.store

    assert deciding.tidy(store, "p", here.root) == {
        "checked": 21,
        "grounded": 20,
        "moved": 0,
        "broken": 0,
        "unsupported": 1,
    }
    (repo / "part3.py").write_text("import os\n")
    (repo / "part5.py").write_text("# new\n" + (repo / "part5.py").read_text())
    (repo / "part7.py").unlink()
    later(monkeypatch)
    count = Count()
    found = standing.reground(store, "p", here.root, count=count)
    assert found == {"grounded": 17, "moved": 1, "broken": 2, "unsupported": 1}
    assert (count.files, count.quotes) == (2, 3)


@pytest.mark.promise("D2")
def test_judging_one_decision_says_nothing_of_another_on_the_same_file(here, repo, monkeypatch):
    first, second = decided(here, "fetch.py:4"), decided(here, "fetch.py:5")
    later(monkeypatch)
    judged(here)
    (repo / "fetch.py").write_text(FETCH.replace("30", "60"))
    later(monkeypatch)
    store = here.workspace.store
    standing.judge(store, here.root, [second])

    found = standing.judge(store, here.root, [first])
    assert [one.name for one in found.values()] == ["broken"]
    assert standing.reground(store, "p", here.root)["broken"] == 1


def test_another_work_tree_of_the_project_is_judged_by_its_own_files(here, repo, tmp_path):
    decided(here, "fetch.py:4")
    judged(here)
    other = tmp_path / "other"
    git(repo, "worktree", "add", "-q", "-b", "feature", str(other))
    (other / "fetch.py").write_text("import os\n")

    here.root = str(other)
    assert names(judged(here)[0]) == ["broken"]
    here.root = str(repo)
    assert names(judged(here)[0]) == ["grounded"]


def test_what_was_forgotten_leaves_no_standing_behind(here):
    decided(here, "fetch.py:4")
    judged(here)
    store = here.workspace.store
    assert store.value("select count(*) from standings") == 1

    forget.sessions_and_projects(here.workspace, ("s1",), (), now=here.at)

    for table in ("standings", "citations", "decisions"):
        assert store.value(f"select count(*) from {table}") == 0


# Where files go


@pytest.mark.promise("D2")
@pytest.mark.parametrize(
    "told",
    [
        pytest.param(("mv", "commit"), id="committed"),
        pytest.param(("mv",), id="staged"),
        pytest.param((), id="not told yet, under its name"),
    ],
)
def test_a_quote_is_followed_to_where_git_says_its_file_went(here, repo, told):
    decided(here, "fetch.py:4")
    (repo / "net").mkdir()
    if "mv" in told:
        git(repo, "mv", "fetch.py", "net/fetch.py")
    else:
        (repo / "fetch.py").rename(repo / "net" / "fetch.py")
    if "commit" in told:
        git(repo, "commit", "-q", "-m", "Move")

    assert judged(here)[0] == [Standing("moved", "net/fetch.py", 4, 4, "its file was renamed")]
    (repo / "net" / "fetch.py").write_text(
        (repo / "net" / "fetch.py").read_text().replace("3", "6")
    )
    (found,) = judged(here)[0]
    assert (found.name, found.path) == ("broken", "fetch.py")
    assert found.why == "its file is net/fetch.py by now, and the quote is gone"


@pytest.mark.promise("D2")
def test_a_file_that_was_renamed_and_then_rewritten_is_followed_step_by_step(here, repo):
    decided(here, "fetch.py:4")
    git(repo, "mv", "fetch.py", "load.py")
    git(repo, "commit", "-q", "-m", "Rename")
    (repo / "load.py").write_text("".join(f"step({n})\n" for n in range(90)) + f"{QUOTE}\n")
    git(repo, "commit", "-q", "-am", "Rewrite")

    assert "fetch.py" not in git(repo, "diff", "--diff-filter=R", "-M", "--stat", "HEAD~2")
    assert judged(here)[0] == [Standing("moved", "load.py", 91, 91, "its file was renamed")]


@pytest.mark.promise("D2")
def test_a_rename_is_noticed_after_the_quote_was_found_gone(here, repo, monkeypatch):
    decided(here, "fetch.py:4")
    later(monkeypatch)
    content = (repo / "fetch.py").read_text()
    (repo / "fetch.py").write_text("import nothing\n")
    later(monkeypatch)
    assert names(judged(here)[0]) == ["broken"]

    git(repo, "checkout", "-q", "fetch.py")
    git(repo, "mv", "fetch.py", "net.py")
    git(repo, "commit", "-q", "-m", "Rename")
    (repo / "fetch.py").write_text("import nothing\n")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "Another file under its name")
    later(monkeypatch)

    assert (repo / "net.py").read_text() == content
    assert judged(here)[0] == [Standing("moved", "net.py", 4, 4, "its file was renamed")]


def test_a_quote_that_git_had_no_time_for_is_looked_for_again(here, repo, monkeypatch):
    decided(here, "fetch.py:4")
    git(repo, "mv", "fetch.py", "net.py")
    git(repo, "commit", "-q", "-m", "Rename")
    (repo / "fetch.py").write_text("import nothing\n")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "Another file under its name")
    later(monkeypatch)
    with monkeypatch.context() as hurried:
        hurried.setattr("holdfast.rooms.decisions.grounding.committed_files.BUDGET_S", -1.0)
        assert names(judged(here)[0]) == ["broken"]

    assert judged(here)[0][0].path == "net.py"


@pytest.mark.promise("D2")
def test_without_git_a_quote_is_looked_for_in_its_file(workspace, tmp_path):
    (tmp_path / "plain").mkdir()
    here = Here(workspace, project="p", root=str(tmp_path / "plain"), at=clock.now())
    (tmp_path / "plain" / "fetch.py").write_text(FETCH)
    decided(here, "fetch.py:4")

    assert names(judged(here)[0]) == ["grounded"]
    (tmp_path / "plain" / "fetch.py").unlink()
    assert judged(here)[0][0].why == "the file is gone"


# Commits


@pytest.mark.promise("D2")
def test_a_commit_is_judged_by_its_own_files_whatever_lies_in_the_work_tree(here, repo):
    decided(here, "fetch.py:4")
    (repo / "fetch.py").write_text(f"# new\n{FETCH}")
    git(repo, "commit", "-q", "-am", "Insert")
    git(repo, "mv", "fetch.py", "net.py")
    git(repo, "commit", "-q", "-m", "Rename")
    (repo / "net.py").unlink()

    assert names(judged(here)[0]) == ["broken"]
    assert judged(here, rev="HEAD~2")[0][0].name == "grounded"
    assert judged(here, rev="HEAD~1")[0][0].line == 5
    assert judged(here, rev="HEAD")[0] == [
        Standing("moved", "net.py", 5, 5, "its file was renamed")
    ]
    assert names(judged(here, rev="HEAD~3")[0]) == ["broken"]  # before it was written
    for rev in ("nowhere", "--all", "HEAD:fetch.py"):
        with pytest.raises(NotFound):
            judged(here, rev=rev)


@pytest.mark.parametrize("content", [b"\0\1\2" * 100, b"x" * (5 << 20)])
def test_what_is_no_text_or_too_large_is_not_there(here, repo, content):
    decided(here, "fetch.py:4")
    (repo / "fetch.py").write_bytes(content)

    assert names(judged(here)[0]) == ["broken"]


# The ratio


@pytest.mark.promise("D2")
def test_assumptions_count_against_the_ratio_and_the_users_word_for_it(here, repo):
    deciding.cite(here, "it waits", evidence=[cited(here.root, here.root, "fetch.py:4")])
    deciding.cite(here, "it is fast enough", grounding="assumption")
    deciding.cite(here, "they want json", grounding="user_input")
    deciding.decide(here, "no evidence")
    store = here.workspace.store

    claims = standing.claims(store, "p", here.root, session="s1")
    assert ratio(claims) == (2, 4)
    assert [one.why for one in claims] == ["", "an assumption", "", "nothing was cited"]
    (repo / "fetch.py").write_text(f"# new\n{FETCH}")
    assert ratio(standing.claims(store, "p", here.root)) == (2, 4)  # moved is still to be read
    (repo / "fetch.py").write_text("import os\n")
    assert ratio(standing.claims(store, "p", here.root)) == (1, 4)


@pytest.mark.promise("D2")
def test_no_claims_is_no_ratio():
    assert (ratio([]), told(0, 0)) == ((0, 0), "no claims")
    assert told(1, 1) == "1.00"


@pytest.mark.promise("D2")
@pytest.mark.parametrize(
    ("grounded", "claims", "enough"), [(19, 20, True), (94, 99, False), (949, 1000, False)]
)
def test_the_threshold_is_not_reached_by_rounding(grounded, claims, enough):
    assert is_enough(grounded, claims, 0.95) is enough
    assert (told(grounded, claims) >= "0.95") is enough


def test_a_persons_decision_without_evidence_is_the_users_word(here):
    here.source = "person"
    made = deciding.decide(here, "use uv")

    assert weighed(made, "user_input", {}).is_grounded()
    assert ratio(standing.claims(here.workspace.store, "p", here.root)) == (1, 1)


@pytest.mark.promise("D2")
def test_a_broken_decision_is_never_told_as_holding(here, repo):
    for place in ("fetch.py:4", "fetch.py:5", "other.py:4", "other.py:5"):
        decided(here, place)
    (repo / "fetch.py").write_text("import os\n")

    greeted = deciding.greeting(here.workspace.store, "p", here.root)
    assert len(greeted) == 3
    assert {name for one, name, _ in greeted if "fetch" in one.text} == {"broken"}
