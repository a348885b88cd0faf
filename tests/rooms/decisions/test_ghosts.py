"""That a feature is absent is checked over the names of the code, by two searches."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from conftest import git, make_repo
from holdfast.errors import HoldfastError
from holdfast.rooms.decisions import ghosts, name_index
from holdfast.rooms.decisions.code_search import listed, look_for, look_for_each
from holdfast.rooms.decisions.decision import BROKEN, GROUNDED, UNSUPPORTED
from holdfast.rooms.decisions.name_index import ASIDE, CODE, DOC, NONE, TEST, parts_of, sort_of

CORPUS = Path(__file__).parents[2] / "corpus" / "ghosts"
PROJECTS = ("podcasts", "shop", "stockroom")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """With some code: where there is none, nothing is a ghost."""
    path = make_repo(tmp_path / "app")
    (path / "main.py").write_text("print(1)\n")
    return path


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
@pytest.mark.parametrize("project", PROJECTS)
def test_of_small_projects_no_feature_is_called_a_ghost_that_is_there(tmp_path, project):
    root = make_repo(tmp_path / project)
    lay_out(project, root)
    rows = [
        line.partition(": ")[::2] for line in (CORPUS / f"{project}.txt").read_text().splitlines()
    ]

    looks = look_for_each(str(root), [(feature, ()) for _, feature in rows])

    verdicts = [(truth, look.verdict) for (truth, _), look in zip(rows, looks, strict=True)]
    assert ("present", "ghost") not in verdicts
    assert ("absent", "found") not in verdicts
    settled = [pair for pair in verdicts if pair in (("present", "found"), ("absent", "ghost"))]
    assert len(settled) >= 7


@pytest.mark.promise("D3")
def test_a_checked_absence_is_grounded_until_the_feature_is_there(repo):
    before = look_for(str(repo), "rate limiting")
    write(repo, limits_dot_py="class TokenBucket: ...\n")
    after = look_for(str(repo), "rate limiting")

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
        "def throttle(): ...",
        "raise TooManyRequests",
        'db.run("select rate_limit from plans")',
    ],
)
def test_every_form_that_names_take_is_found_and_where(repo, line):
    write(repo, app_dot_py=f"import os\n{line}\n")

    look = look_for(str(repo), "rate limiting")

    assert (look.verdict, [hit.where() for hit in look.code]) == ("found", ["app.py:2"])
    assert look.code[0].text == line


@pytest.mark.promise("D3")
@pytest.mark.parametrize(
    ("path", "text"),
    [
        pytest.param("app.py", "# rate limiting would be nice\n", id="a comment"),
        pytest.param("app.py", 'say("no rate limiting here")\n', id="a sentence"),
        pytest.param("app.py", '"""rate limiting, rate_limit"""\n', id="a docstring"),
        pytest.param("README.md", "rate limiting\n" * 5, id="a document"),
        pytest.param("tests/test_app.py", "def test_rate_limit(): ...\n", id="a test"),
        pytest.param("package.json", '{"rate-limit": "1.0"}\n', id="data"),
    ],
)
def test_prose_tests_and_data_never_decide_that_a_feature_is_there(repo, path, text):
    write(repo, main_dot_py="def run(): ...\n")
    (repo / path).parent.mkdir(exist_ok=True)
    (repo / path).write_text(text)

    assert look_for(str(repo), "rate limiting").verdict != "found"


@pytest.mark.promise("D3")
def test_what_is_much_written_about_is_left_to_a_person(repo):
    mention = "rate limiting\n"
    write(repo, README_dot_md=mention * 2, docs__limits_dot_html=mention, notes_dot_txt=mention)

    look = look_for(str(repo), "rate limiting")

    assert (len(look.code), len(look.docs), look.verdict) == (0, 4, "ambiguous")
    assert "much is written" in look.why


@pytest.mark.promise("D3")
@pytest.mark.parametrize(
    "path",
    [".github/workflows/limit.yml", ".gitlab-ci.yml", ".beads/issues.jsonl", "poetry.lock"],
)
def test_trackers_ci_and_lock_files_are_not_the_code(repo, path):
    (repo / path).parent.mkdir(parents=True, exist_ok=True)
    (repo / path).write_text("rate_limit: RateLimiter\n" * 5)

    assert look_for(str(repo), "rate limiting").verdict == "ghost"


def test_words_that_only_begin_alike_are_not_the_feature(repo):
    write(repo, app_dot_py="come = 1\n", b_dot_py="locals()\n")

    assert look_for(str(repo), "commenting").verdict == "ghost"
    assert look_for(str(repo), "translation").verdict == "ghost"


@pytest.mark.promise("D3")
def test_two_searches_are_kept_and_the_second_has_more_words(repo):
    own, other = look_for(str(repo), "rate limiting", ("token bucket",)).searches

    assert set(own) < set(other)
    assert "throttle" in other
    assert "bucket_token" in other


@pytest.mark.promise("D3")
def test_what_the_code_says_in_other_words_is_shown_and_called_no_ghost(repo):
    write(repo, app_dot_py="def throttle_invoice(delay): ...\n")

    look = look_for(str(repo), "limiting slow invoices")

    assert look.verdict == "ambiguous"
    assert [hit.where() for hit in look.seen] == ["app.py:1"]


@pytest.mark.promise("D3")
def test_other_words_of_yours_are_looked_for_too(repo):
    write(repo, app_dot_py="class WidgetSpinner: ...\n")

    assert look_for(str(repo), "frobnicator").verdict == "ghost"
    assert look_for(str(repo), "frobnicator", ("widget spinner",)).verdict == "found"


@pytest.mark.promise("D3")
def test_part_of_a_feature_is_shown_and_not_settled(repo):
    write(repo, pay_dot_py="def charge_card(token): ...\n", other_dot_py="x = 1\n")

    look = look_for(str(repo), "charging a gift card")

    assert look.verdict == "ambiguous"
    assert [hit.where() for hit in look.seen] == ["pay.py:1"]


@pytest.mark.promise("D3")
@pytest.mark.parametrize("bound", ["CAP_BYTES", "TREE_BYTES", "FILES"])
def test_where_not_everything_was_read_nothing_is_called_a_ghost(repo, monkeypatch, bound):
    write(repo, b_dot_py="value = 'long'\n" * 100)
    assert look_for(str(repo), "rate limiting").verdict == "ghost"

    monkeypatch.setattr(name_index, bound, 1)
    look = look_for(str(repo), "rate limiting")

    assert (look.verdict, look.unread) == ("ambiguous", ("b.py", "main.py"))
    assert look.why == "not everything could be read"


@pytest.mark.promise("D3")
@pytest.mark.parametrize(("feature", "code"), [("login", "signin"), ("limit", "throttle")])
def test_in_a_project_of_two_files_another_word_is_no_ghost_either(repo, feature, code):
    write(repo, a_dot_py=f"def {code}():\n    pass\n")

    assert look_for(str(repo), feature).verdict == "ambiguous"


@pytest.mark.promise("D3")
def test_a_feature_of_which_two_words_are_names_is_no_ghost_wherever_they_stand(repo):
    write(repo, a_dot_py="message = 1\n", b_dot_py="tb_next = 2\n", c_dot_py="value = 3\n")

    look = look_for(str(repo), "a message about bicycles on the next stairs")

    assert (look.verdict, look.why) == ("ambiguous", "its words are there, and not together")


@pytest.mark.promise("D3")
def test_words_that_say_nothing_are_not_called_absent(repo):
    assert look_for(str(repo), "asking before something dangerous is done").verdict == "ambiguous"


@pytest.mark.promise("D3")
@pytest.mark.parametrize("word", ["summarising", "summarizing", "summarise", "summarize"])
@pytest.mark.parametrize("name", ["summarise_invoice", "summarizeInvoice"])
def test_a_word_is_found_in_either_spelling(repo, word, name):
    write(repo, a_dot_py=f"def {name}(): ...\n")

    assert look_for(str(repo), f"{word} an invoice").verdict == "found"


@pytest.mark.promise("D3")
@pytest.mark.parametrize(("rows", "verdict"), [(11, "found"), (12, "ghost")])
def test_a_long_table_of_strings_is_what_a_program_knows_and_not_what_it_does(repo, rows, verdict):
    pictures = ["computer_mouse", *(f"picture{number}" for number in range(rows - 1))]
    table = "".join(f'    "{name}": ["\\u0001", {len(name)}, True],\n' for name in pictures)
    write(repo, emoji_dot_py=f"EMOJI = {{\n{table}}}\n")

    assert look_for(str(repo), "a computer mouse").verdict == verdict


@pytest.mark.promise("D3")
def test_what_stands_before_and_behind_a_long_table_counts(repo):
    table = "".join(f"    'word{number}',\n" for number in range(20))
    write(repo, a_dot_py=f"WORDS = (\n{table})\ndef rate_limiter(): ...\nMORE = [\n{table}]\n")

    assert look_for(str(repo), "rate limiting").verdict == "found"


@pytest.mark.promise("D3")
def test_where_prose_speaks_of_a_feature_its_line_is_named(repo):
    write(repo, README_dot_md="\n\nRate limiting comes later.\n\nThe rate limiter is Bob's.\n")

    docs = look_for(str(repo), "rate limiting").docs

    assert [hit.where() for hit in docs] == ["README.md:3", "README.md:5"]


@pytest.mark.promise("D3")
def test_where_there_is_no_code_nothing_is_called_a_ghost(repo):
    (repo / "main.py").unlink()

    look = look_for(str(repo), "rate limiting")

    assert (look.verdict, look.why) == ("ambiguous", "there is no code here")


@pytest.mark.promise("D3")
def test_the_work_tree_is_searched_as_it_is_and_no_copy_of_it(repo):
    """Another work tree inside has what this one has lost, and so has git."""
    write(repo, old_dot_py="def rate_limit(): ...\n")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "Limit")
    git(repo, "worktree", "add", "-q", str(repo / ".trees" / "copy"), "-b", "copy")
    (repo / "old.py").unlink()

    look = look_for(str(repo), "rate limiting")

    assert (look.verdict, look.dirty) == ("ghost", True)
    assert look.commit == git(repo, "rev-parse", "HEAD")[:12]
    assert (repo / ".trees" / "copy" / "old.py").exists()


def test_what_is_ignored_binary_linked_or_our_own_is_not_searched(repo, tmp_path):
    write(
        repo,
        _dot_gitignore="build/\n",
        build__out_dot_py="rate_limit\n",
        _dot_holdfast__NOTES_dot_md="rate limiting\n" * 5,
    )
    (repo / "blob.py").write_bytes(b"\0rate_limit\n")
    (tmp_path / "elsewhere.py").write_text("rate_limit\n")
    (repo / "link.py").symlink_to(tmp_path / "elsewhere.py")

    assert look_for(str(repo), "rate limiting").verdict == "ghost"


@pytest.mark.parametrize("feature", ["", "the !!", "the"])
def test_a_feature_without_a_word_is_refused(repo, feature):
    with pytest.raises(HoldfastError, match="names no feature"):
        look_for(str(repo), feature)


@pytest.mark.parametrize(
    ("path", "sort"),
    [
        ("src/app.py", CODE),
        ("src/latest.py", CODE),
        ("Makefile", CODE),
        ("tests/app.py", TEST),
        ("src/app.test.tsx", TEST),
        ("pkg/app_test.go", TEST),
        ("src/app_tests.py", TEST),
        ("src/test_app.py", TEST),
        ("src/conftest.py", TEST),
        ("src/app.spec.ts", TEST),
        ("lib/app_spec.rb", TEST),
        ("docs/app.py", DOC),
        ("README", DOC),
        ("tests/corpus/words.py", ASIDE),
        ("data.json", ASIDE),
        ("web/app.min.js", ASIDE),
        ("Cargo.lock", NONE),
        ("go.sum", NONE),
        (".github/workflows/ci.yml", NONE),
        (".beads/issues.jsonl", NONE),
    ],
)
def test_a_files_path_says_what_its_words_are_worth(path, sort):
    assert sort_of(path) == sort


@pytest.mark.parametrize("name", ["QRCode", "qr_code", "qrCode", "QR-CODE", "qr-code"])
def test_a_name_has_its_parts_in_every_way_of_writing(name):
    assert parts_of(name) == ("qr", "code")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        pytest.param("a.py", '"""' * 100_000, id="quotation marks"),
        pytest.param("a.js", "/*" * 200_000, id="comments that open"),
        pytest.param("a.js", "`" * 300_001, id="backticks"),
        pytest.param("a.rs", "'\\" * 200_000, id="ticks"),
        pytest.param("a.py", "rate_limit " * 60_000, id="one long line"),
    ],
)
def test_a_hostile_file_is_read_through_once(repo, path, text):
    """Were anything looked through twice, this would not end."""
    (repo / path).write_text(text)

    assert look_for(str(repo), "rate limiting").files


@pytest.mark.promise("D3")
@pytest.mark.parametrize("seed", range(3))
def test_the_walk_without_git_lists_what_git_lists(tmp_path, seed):
    root = make_repo(tmp_path / f"tree{seed}")
    _grow(root, random.Random(seed))
    by_git = listed(str(root))
    shutil.rmtree(root / ".git")

    assert listed(str(root)) == by_git


ENDINGS = ("py", "ts", "md", "rst", "txt", "log", "bin", "yaml", "GO")
IGNORES = ("*.log\n", "build/\n!keep.log\n", "/only-here.py\n*.bin\n", "**/deep/*.ts\n", "\\#odd\n")


def _grow(root: Path, dice: random.Random) -> None:
    folders = ["", "src", "src/deep", "docs", "build", "src/build", ".hidden", "a b", "ümlaut"]
    for folder in folders:
        (root / folder).mkdir(parents=True, exist_ok=True)
        if dice.random() < 0.5:
            (root / folder / ".gitignore").write_text("".join(dice.sample(IGNORES, 2)))
        for number in range(6):
            (root / folder / f"f{number} x.{dice.choice(ENDINGS)}").write_text("x\n")
    for name in ("keep.log", "only-here.py", "src/only-here.py", "docs/guide.md"):
        (root / name).write_text("x\n")
    make_repo(root / "inner")
    (root / "inner" / "x.py").write_text("x\n")


@pytest.mark.promise("D3")
@pytest.mark.parametrize(("lines", "verdict"), [(2, "ghost"), (3, "ambiguous")])
def test_three_lines_in_documents_keep_a_feature_from_being_called_a_ghost(repo, lines, verdict):
    write(repo, README_dot_md="Rate limiting is planned.\n\n" * lines)

    assert look_for(str(repo), "rate limiting").verdict == verdict
