"""That a feature is absent is checked over the names of the code, by two searches."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from conftest import git, make_repo
from holdfast.errors import HoldfastError
from holdfast.rooms.decisions import ghosts
from holdfast.rooms.decisions.decision import BROKEN, GROUNDED, UNSUPPORTED
from holdfast.rooms.decisions.ghosts import BESIDE, DATA, PART, look_for_each

CORPUS = Path(__file__).parents[2] / "corpus" / "ghosts"
CODE, ASIDE, NONE = "code", "beside the code", "not read"
BUCKET = "token bucket"  # what else the limiting of rates is called
PROJECTS = ("habits", "podcasts", "shop", "stockroom")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """With some code: where there is none, nothing is a ghost."""
    path = make_repo(tmp_path / "app")
    (path / "main.py").write_text("print(1)\n")
    return path


def look_for(root: Path, feature: str, *also: str) -> ghosts.Look:
    return look_for_each(str(root), [(feature, also)])[0]


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def lay_out(project: str, root: Path) -> None:
    """A small project of the corpus, as files."""
    for part in (CORPUS / f"{project}.project.txt").read_text().split("=== ")[1:]:
        name, _, text = part.partition("\n")
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


@pytest.mark.promise("D3")
def test_of_small_projects_nothing_that_is_there_is_called_a_ghost_and_most_is_settled(tmp_path):
    verdicts: Counter[tuple[str, str]] = Counter()
    for project in PROJECTS:
        root = make_repo(tmp_path / project)
        lay_out(project, root)
        listed = (CORPUS / f"{project}.txt").read_text().splitlines()
        truths, asked = zip(*(line.split(": ") for line in listed), strict=True)
        features = [feature.split(" | ") for feature in asked]
        looks = look_for_each(str(root), [(own, also.split(", ")) for own, also in features])
        verdicts.update((truth, look.verdict) for truth, look in zip(truths, looks, strict=True))

    assert verdicts["present", "ghost"] == 0
    assert verdicts["absent", "ghost"] + verdicts["present", "found"] >= 34
    assert verdicts["absent", "found"] <= 2


@pytest.mark.promise("D3")
def test_without_a_second_search_in_other_words_nothing_is_called_a_ghost(repo):
    look = look_for(repo, "rate limiting")

    assert (look.verdict, look.why) == ("ambiguous", "only your own words were looked for")
    assert look_for(repo, "rate limiting", "the").verdict == "ambiguous"
    assert look_for(repo, "rate limiting", BUCKET).verdict == "ghost"


@pytest.mark.promise("D3")
def test_a_checked_absence_is_grounded_until_the_feature_is_there(repo):
    before = look_for(repo, "rate limiting", BUCKET)
    write(repo, limits_dot_py="class RateLimiter: ...\n")
    after = look_for(repo, "rate limiting", BUCKET)

    assert ghosts.standing(before.verdict) == GROUNDED
    assert ghosts.standing(after.verdict) == BROKEN
    assert ghosts.standing("ambiguous") == UNSUPPORTED


@pytest.mark.promise("D3")
@pytest.mark.parametrize(
    "line",
    [
        "rate_limit = 1",
        "class RateLimiter:",
        "RATE_LIMITS = {}",
        "limit_rate()",
        'app.add("rate-limit")',
        "limit(requests, rate=3)",
    ],
)
def test_every_form_that_names_take_is_found_and_where(repo, line):
    write(repo, app_dot_py=f"import os\n{line}\n")

    look = look_for(repo, "rate limiting")

    assert (look.verdict, [hit.where() for hit in look.code]) == ("found", ["app.py:2"])
    assert look.code[0].text == line


@pytest.mark.promise("D3")
@pytest.mark.parametrize(
    ("path", "text"),
    [
        pytest.param("app.py", "# rate limiting would be nice\n", id="a comment"),
        pytest.param("app.js", "// rate limiting\n/* rate\nlimiting */\n", id="others' comments"),
        pytest.param("app.py", 'say("no rate limiting here")\n', id="a sentence"),
        pytest.param("app.py", '"""rate limiting, rate_limit"""\n', id="a docstring"),
        pytest.param("README.md", "rate limiting\n" * 2, id="a document"),
        pytest.param("tests/test_app.py", "def test_rate_limit(): ...\n", id="a test"),
        pytest.param("package.json", '{"rate-limit": "1.0"}\n' * 5, id="data"),
        pytest.param(".gitlab-ci.yml", "rate_limit: RateLimiter\n" * 5, id="what builds it"),
        pytest.param(".github/workflows/limit.py", "rate_limit\n" * 5, id="a hidden folder"),
        pytest.param(".beads/issues.jsonl", "rate_limit: RateLimiter\n" * 5, id="a tracker"),
        pytest.param("poetry.lock", "rate_limit: RateLimiter\n" * 5, id="a lock file"),
    ],
)
def test_prose_tests_and_data_never_decide_that_a_feature_is_there(repo, path, text):
    (repo / path).parent.mkdir(parents=True, exist_ok=True)
    (repo / path).write_text(text)

    assert look_for(repo, "rate limiting", BUCKET).verdict == "ghost"


@pytest.mark.promise("D3")
@pytest.mark.parametrize(("lines", "verdict"), [(2, "ghost"), (3, "ambiguous")])
def test_three_lines_in_documents_keep_a_feature_from_being_called_a_ghost(repo, lines, verdict):
    write(repo, README_dot_md="Rate limiting is planned.\n\n" * lines)

    look = look_for(repo, "rate limiting", BUCKET)

    assert (len(look.code), len(look.docs), look.verdict) == (0, lines, verdict)
    assert [hit.where() for hit in look.docs][:2] == ["README.md:1", "README.md:3"]


@pytest.mark.promise("D3")
@pytest.mark.parametrize(
    "code",
    [
        pytest.param("x = ratelimited\n", id="within a longer name"),
        pytest.param("auth = rate\n", id="cut short"),
    ],
)
def test_what_is_there_in_other_spelling_only_is_shown_and_called_no_ghost(repo, code):
    write(repo, app_dot_py=code)

    look = look_for(repo, "authentication that is limited")

    assert (look.verdict, [hit.where() for hit in look.seen]) == ("ambiguous", ["app.py:1"])


@pytest.mark.promise("D3")
def test_words_that_stand_in_several_places_are_shown_and_called_no_ghost(repo):
    write(repo, a_dot_py="gift = 1\n", b_dot_py="voucher = 2\n")

    look = look_for(repo, "gift voucher ledger")

    assert (look.verdict, look.why) == ("ambiguous", "its words are there, in several places")
    assert [hit.where() for hit in look.seen] == ["a.py:1", "b.py:1"]


def test_words_that_only_begin_alike_are_not_the_feature(repo):
    write(repo, app_dot_py="come = 1\n", b_dot_py="locals()\n")

    assert look_for(repo, "translation", "gettext").verdict == "ghost"


@pytest.mark.promise("D3")
def test_two_searches_are_kept_and_the_second_has_other_words(repo):
    assert look_for(repo, "rate limiting", BUCKET).searches == [
        ["rat", "limit"],
        ["token", "bucket"],
    ]


@pytest.mark.promise("D3")
def test_other_names_that_are_given_are_looked_for_too(repo):
    write(repo, app_dot_py="class WidgetSpinner: ...\n")

    assert look_for(repo, "frobnicator", "sprocket").verdict == "ghost"
    assert look_for(repo, "frobnicator", "widget spinner").verdict == "found"
    assert look_for(repo, "frobnicator", "widget spinner thread").verdict == "ambiguous"


@pytest.mark.promise("D3")
def test_part_of_a_feature_is_shown_and_not_settled(repo):
    write(repo, pay_dot_py="def charge_card(token): ...\n", other_dot_py="x = 1\n")

    look = look_for(repo, "a gift card")

    assert (look.verdict, look.code) == ("ambiguous", [])
    assert [hit.where() for hit in look.seen] == ["pay.py:1"]


@pytest.mark.promise("D3")
@pytest.mark.parametrize("bound", ["CAP_BYTES", "TREE_BYTES"])
def test_where_not_everything_was_read_nothing_is_called_a_ghost(repo, monkeypatch, bound):
    write(repo, b_dot_py="value = 'long'\n" * 100)
    assert look_for(repo, "rate limiting", BUCKET).verdict == "ghost"

    monkeypatch.setattr(ghosts, bound, 100)
    look = look_for(repo, "rate limiting", BUCKET)

    assert (look.verdict, look.why) == ("ambiguous", "not everything could be read")
    assert look.unread[0] == "b.py"


@pytest.mark.promise("D3")
def test_where_there_is_no_code_nothing_is_called_a_ghost(repo):
    (repo / "main.py").unlink()

    look = look_for(repo, "rate limiting", BUCKET)

    assert (look.verdict, look.why) == ("ambiguous", "there is no code here")


@pytest.mark.promise("D3")
def test_the_work_tree_is_searched_as_it_is_and_no_copy_of_it(repo):
    """Another work tree inside has what this one has lost, and so has git."""
    write(repo, old_dot_py="def rate_limit(): ...\n")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "Limit")
    git(repo, "worktree", "add", "-q", str(repo / "trees" / "copy"), "-b", "copy")
    (repo / "old.py").unlink()

    look = look_for(repo, "rate limiting", BUCKET)

    assert (look.verdict, look.dirty) == ("ghost", True)
    assert look.commit == git(repo, "rev-parse", "HEAD")[:12]
    assert (repo / "trees" / "copy" / "old.py").exists()


@pytest.mark.parametrize("has_git", [True, False])
def test_what_is_ignored_binary_linked_or_our_own_is_not_searched(repo, tmp_path, has_git):
    write(
        repo,
        _dot_gitignore="build/\n",
        build__out_dot_py="rate_limit\n",
        _dot_holdfast__NOTES_dot_md="rate limiting\n" * 5,
    )
    (repo / "blob.py").write_bytes(b"\0rate_limit\n")
    (tmp_path / "elsewhere.py").write_text("rate_limit\n")
    (repo / "link.py").symlink_to(tmp_path / "elsewhere.py")
    if not has_git:
        shutil.rmtree(repo / ".git")

    look = look_for(repo, "rate limiting", BUCKET)

    assert (look.verdict, look.files) == ("ghost", 2)  # main.py and README.md


@pytest.mark.parametrize("feature", ["", "the !!", "the"])
def test_a_feature_without_a_word_is_refused(repo, feature):
    with pytest.raises(HoldfastError, match="names no feature"):
        look_for(repo, feature)


@pytest.mark.parametrize(
    ("path", "sort"),
    [
        ("src/app.py", CODE),
        ("src/latest.py", CODE),
        ("src/contest.py", CODE),
        ("Makefile", CODE),
        ("tests/app.py", ASIDE),
        ("src/app.test.tsx", ASIDE),
        ("pkg/app_test.go", ASIDE),
        ("src/test_app.py", ASIDE),
        ("src/conftest.py", ASIDE),
        ("src/app.spec.ts", ASIDE),
        ("lib/app_spec.rb", ASIDE),
        ("docs/app.py", ASIDE),
        ("README", ASIDE),
        ("tests/corpus/words.py", NONE),
        ("data.json", NONE),
        ("web/app.min.js", NONE),
        ("Cargo.lock", NONE),
        ("go.sum", NONE),
        (".github/workflows/ci.yml", NONE),
        (".beads/issues.jsonl", NONE),
    ],
)
def test_a_files_path_says_what_its_words_are_worth(path, sort):
    small = path.lower()

    assert (NONE if DATA.search(small) else ASIDE if BESIDE.search(small) else CODE) == sort


@pytest.mark.parametrize("name", ["QRCode", "qr_code", "qrCode", "QR-CODE", "qr-code"])
def test_a_name_has_its_parts_in_every_way_of_writing(name):
    assert [part.lower() for part in PART.findall(name)] == ["qr", "code"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        pytest.param("a.py", '"""' * 100_000, id="quotation marks"),
        pytest.param("a.js", "/*" * 200_000, id="comments that open"),
        pytest.param("a.js", "`" * 300_001, id="backticks"),
        pytest.param("a.rs", "'\\" * 200_000, id="ticks"),
        pytest.param("a.js", '" ' + "a " * 300_000, id="a string that never ends"),
        pytest.param("a.py", "rate_limit " * 60_000, id="one long line"),
    ],
)
def test_a_hostile_file_is_read_through_once(repo, path, text):
    """Were anything looked through twice, this would not end."""
    (repo / path).write_text(text)

    assert look_for(repo, "rate limiting").files
