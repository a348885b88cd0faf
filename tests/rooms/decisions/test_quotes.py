"""A quote is grounded where it is read word for word, moved where it is the same code still, and
gone when anything of it changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from decisions.histories import ACTS, History
from decisions.quote_scores import score_generated

from holdfast.rooms.decisions.decision import Evidence
from holdfast.rooms.decisions.grounding.citation import evidence_at
from holdfast.rooms.decisions.grounding.quotes import Text, is_telling, laid_out, seek, tokens_of
from holdfast.rooms.decisions.grounding.source_files import Source, redacted
from holdfast.store.sqlite import Store

TOKEN = "ghp_" + "a1B2" * 9  # shaped like a token, and nobody's
FILE = """\
import os


def fetch(url, timeout=30):
    for attempt in range(3):
        answer = get(url, timeout)
        if answer.ok:
            return answer
    return None


def store(row):
    if row is None:
        return None
    write(row, "a  b")
    return None
"""


def cited(line: int, last: int = 0, content: str = FILE, part: str = "") -> Evidence:
    source = Source(content)
    lines = [part] if part else source.redacted().lines[line - 1 : last or line]
    return evidence_at("a.py", source, line, lines, is_part=bool(part), commit="")


def found(evidence: Evidence, content: str) -> tuple[str, int]:
    standing = seek(evidence, Source(content).for_quote(evidence.quote))
    return standing.name, standing.line


def changed(old: str, new: str, content: str = FILE) -> str:
    assert content.count(old) == 1
    return content.replace(old, new)


@pytest.mark.promise("D2")
def test_a_quote_is_grounded_where_it_was_cited():
    assert found(cited(6), FILE) == ("grounded", 6)
    assert found(cited(4, 6), FILE) == ("grounded", 4)


@pytest.mark.promise("D2")
def test_a_quote_that_slid_in_its_file_has_moved_to_the_new_line():
    assert found(cited(6), f"# new\n# lines\n{FILE}") == ("moved", 8)
    assert found(cited(4, 6), f"# new\n{FILE}") == ("moved", 5)


@pytest.mark.promise("D2")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("timeout=30", "timeout=60", id="a number"),
        pytest.param("def fetch(url, timeout=30):", "", id="the line itself"),
        pytest.param("def fetch", "def fetch_all", id="a name"),
        pytest.param("timeout=30", "timeout: int = 30", id="a type"),
        pytest.param("timeout=30", "timeout==30", id="an operator"),
        pytest.param("timeout=30):", "timeout=30):  # seconds", id="a comment beside it"),
        pytest.param("def fetch(url, timeout=30):", "def fetch(timeout=30, url):", id="an order"),
    ],
)
def test_a_quote_of_which_anything_changed_is_gone(old, new):
    assert found(cited(4), changed(old, new)) == ("broken", 4)


@pytest.mark.promise("D2")
def test_blanks_in_a_literal_are_part_of_it_and_blanks_elsewhere_are_not():
    quote = cited(15)

    assert found(quote, changed('"a  b"', '"a b"')) == ("broken", 15)
    assert found(quote, changed('write(row, "a  b")', 'write(row,"a  b")')) == ("moved", 15)


@pytest.mark.promise("D2")
@pytest.mark.parametrize(
    "layout",
    [
        "        def fetch(url, timeout=30):",
        "def fetch(\n    url, timeout=30\n):",
        "def fetch(\n    url,\n    timeout=30,\n):",
    ],
)
def test_another_layout_of_the_same_code_is_the_same_code(layout):
    assert found(cited(4), changed("def fetch(url, timeout=30):", layout)) == ("moved", 4)


@pytest.mark.promise("D2")
def test_lines_that_a_formatter_joined_are_found_again():
    spread = changed("get(url, timeout)", "get(\n            url,\n            timeout,\n        )")

    assert found(cited(6, 9, spread), FILE) == ("moved", 6)


@pytest.mark.promise("D2")
@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("f(a, b)", "f(a, b,)", True),
        ("f(a)", "f(a,)", True),
        ("[a]", "[a,]", True),
        ("x = (a)", "x = (a,)", False),  # a tuple is not what is in it
        ("return (a)", "return (a,)", False),
        ("x = (a, b)", "x = (a, b,)", True),
        ("s = 'it'", 's = "it"', True),
        ("s = 'i\"t'", 's = "i\\"t"', False),
        ("x == 1", "x = = 1", False),
        ("a + b", "a +b", True),
        ("3.14", "3 . 14", False),
        ("it isn't what it's for", "it  isn't what  it's for", True),
    ],
)
def test_what_only_a_layout_brings_is_no_difference(one, other, same):
    assert (laid_out(tokens_of(one)) == laid_out(tokens_of(other))) is same


# Likes


@pytest.mark.promise("D2")
def test_one_return_is_told_from_another_by_the_lines_around_it():
    assert found(cited(9), FILE) == ("grounded", 9)
    assert found(cited(14), f"# new\n{FILE}") == ("moved", 15)
    assert found(cited(16), f"# new\n{FILE}") == ("moved", 17)


@pytest.mark.promise("D2")
def test_the_likes_of_a_deleted_line_do_not_take_its_place():
    without = changed("    return None\n\n\ndef store", "\n\ndef store")

    assert found(cited(9), without) == ("broken", 9)
    assert found(cited(14), without) == ("moved", 13)


@pytest.mark.promise("D2")
def test_a_like_that_slid_to_the_cited_line_is_not_taken_for_the_quote():
    content = "a = load()\nif a:\n    pass\nb = save(a)\nif b:\n    pass\n"
    quote = cited(3, content=content)

    # The first is deleted with its condition, and another stands where it stood.
    assert found(quote, "one = 1\nb = save(a)\n    pass\nif b:\n    done()\n") == ("broken", 3)


@pytest.mark.parametrize("quote", ["}", "return None", "else:", "    pass", "return x"])
def test_a_short_quote_says_too_little_to_be_known_by_itself(quote):
    assert not is_telling(quote)


def test_a_quote_that_was_there_once_and_was_copied_since_is_where_it_was():
    twice = FILE + "\n\ndef again(url, timeout=30):\n    answer = get(url, timeout)\n"

    assert found(cited(6), twice) == ("grounded", 6)
    assert found(cited(6), f"# new\n{twice}") == ("moved", 7)


SHORT = "[run]\nbranch = 1\nsource = app\n\n[paths]\nsource =\n  src\n  lib\n"


@pytest.mark.promise("D2")
def test_a_short_quote_that_was_there_once_and_is_there_once_needs_little_around_it():
    quote = cited(5, content=SHORT)

    assert found(quote, SHORT.replace("source = app\n", "").replace("source =\n", "")) == (
        "moved",
        4,
    )
    assert found(quote, "[other]\na = 1\n\n[paths]\nb = 2\n") == ("broken", 5)


@pytest.mark.promise("D2")
def test_a_like_is_known_without_a_line_next_to_it_only_where_the_quote_was_not():
    """Most of what lay around it is there, but neither the line before it nor the one after."""
    likes = "def a():\n    one()\n    two()\n    return\n    three()\n\n\ndef b():\n    return\n"
    quote = cited(4, content=likes)
    between = likes.replace(
        "    return\n    three()", "    new()\n    return\n    newer()\n    three()"
    )

    assert found(quote, between) == ("moved", 5)
    assert found(quote, between.replace("    one()\n", "")) == ("broken", 4)


FAR = "".join(f"far{number}\n" for number in range(9))
LINES = ("before4", "before3", "before2", "before1", "}", "after1", "after2", "after3", "after4")


def left_of(lines: str) -> str:
    """A quote and the lines around it, of which some are others now."""
    return "".join(f"{line if line in ('}', *lines.split()) else 'new'}\n" for line in LINES)


@pytest.mark.promise("D2")
@pytest.mark.parametrize(
    ("left", "standing"),
    [("before1 before2", "moved"), ("before1 before3", "broken"), ("before2 after2", "broken")],
)
def test_a_like_is_known_by_a_third_of_what_lay_around_it_and_a_line_next_to_it(left, standing):
    quote = cited(5, content=f"{left_of(' '.join(LINES))}{FAR}}}\n{FAR}")

    assert found(quote, f"top\n{left_of(left)}{FAR}}}\n{FAR}}}\n")[0] == standing


@pytest.mark.promise("D2")
@pytest.mark.parametrize(
    ("left", "standing"),
    [
        ("before4 before3 before2 after2 after3 after4", "moved"),
        ("before3 before2 after2 after3 after4", "broken"),
    ],
)
def test_a_like_is_known_by_half_of_what_lay_around_it_without_a_line_next_to_it(left, standing):
    quote = cited(5, content=f"{left_of(' '.join(LINES))}{FAR}}}\n{FAR}")

    assert found(quote, f"top\n{left_of(left)}{FAR}}}\n{FAR}}}\n")[0] == standing


@pytest.mark.promise("D2")
@pytest.mark.parametrize(("left", "standing"), [("after4", "moved"), ("", "broken")])
def test_a_short_quote_that_was_always_alone_is_known_by_one_line_near_it(left, standing):
    quote = cited(5, content=left_of(" ".join(LINES)))

    assert found(quote, f"top\n{left_of(left)}")[0] == standing


@pytest.mark.promise("D2")
@pytest.mark.parametrize(
    ("gone", "standing"),
    [({"after2", "after3"}, "grounded"), ({"after2", "before2"}, "broken")],
)
def test_where_a_like_went_the_other_needs_four_fifths_of_what_lay_around_it(gone, standing):
    quote = cited(5, content=f"{left_of(' '.join(LINES))}{FAR}}}\n{FAR}")

    left = " ".join(line for line in LINES if line not in gone)
    assert found(quote, f"{left_of(left)}{FAR}{FAR}")[0] == standing


@pytest.mark.promise("D2")
@pytest.mark.parametrize("mark", ["'", '"'])
def test_literals_that_a_formatter_set_below_each_other_are_found_again(mark):
    before = "NAMES = ('load', 'store',\n         'fetch', 'merge', 'settle')\n"
    after = "NAMES = (\n    'load',\n    'store',\n    'fetch',\n    'merge',\n    'settle')\n"

    assert found(cited(2, content=before), after.replace("'", mark)) == ("moved", 4)


# Parts of lines


@pytest.mark.promise("D2")
def test_a_part_of_a_line_is_grounded_while_its_words_are_whole():
    quote = cited(4, part="timeout=30")

    assert found(quote, FILE) == ("grounded", 4)
    assert found(quote, changed("def fetch(url,", "def fetch(link,")) == ("grounded", 4)
    assert found(quote, f"# new\n{FILE}") == ("moved", 5)
    for other in ("timeout=300", "timeout=30.5", "my_timeout=30"):
        assert found(quote, changed("timeout=30", other)) == ("broken", 4)


# Secrets


@pytest.mark.promise("D2")
def test_a_secret_is_not_kept_and_its_line_is_grounded_all_the_same():
    content = f'import os\n\nAPI = connect(token="{TOKEN}", retries=3)\n'
    quote = cited(3, content=content)

    assert TOKEN not in quote.quote
    assert "retries=3" in quote.quote
    assert found(quote, content) == ("grounded", 3)
    assert found(quote, f"# new\n{content}") == ("moved", 4)
    assert found(quote, content.replace("retries=3", "retries=4")) == ("broken", 3)


def test_of_a_line_with_a_secret_not_even_a_digest_is_kept():
    content = f'first_line = load("x")\ntoken = "{TOKEN}"\nlast_line = save("x")\n'
    clean = cited(1, content=content.replace(TOKEN, ""))
    quote = cited(1, content=content)

    assert clean.around["after"][0]
    assert quote.around["after"][0] == ""


def test_a_removed_secret_leaves_lines_their_numbers():
    key = "-----BEGIN PRIVATE KEY-----\n" + "QUJD" * 16 + "\n-----END PRIVATE KEY-----"

    assert len(redacted(f"a\n{key}\nb\n").split("\n")) == len(f"a\n{key}\nb\n".split("\n"))


# A history


def test_an_act_of_a_made_up_history_leaves_other_files_alone():
    for act, _ in ACTS:
        history = History(3)
        quotes = [history.cite() for _ in range(20)]
        act(history, history.files[0])
        elsewhere = [one for one in quotes if one.file is not history.files[0]]
        assert {history.truth(one).name for one in elsewhere} == {"grounded"}
        assert {history.truth(one).name for one in quotes} <= {"grounded", "moved", "broken"}


@pytest.mark.promise("D2")
@pytest.mark.parametrize("in_commits", [False, True])
def test_quotes_are_followed_through_a_made_up_history(tmp_path: Path, in_commits):
    store = Store(str(tmp_path / "store.db"))
    score = score_generated(
        store, tmp_path / "repo", seed=5, commits=40, quotes=12, in_commits=in_commits
    )

    assert len(score.cases) >= 80
    assert min(score.by_truth().values()) >= 8
    assert score.right() >= 0.98
    assert score.relocated() >= 0.95
    assert score.false() == []


def test_lines_are_counted_as_git_counts_them():
    assert Text("a\x0cb\r\nc\x85\n").lines == ["a\x0cb", "c\x85"]


@pytest.mark.parametrize("line", ["'", '"', '\\"', "`", "r'", "}"])
def test_a_file_full_of_what_confuses_holds_no_quote_and_is_done_with(line):
    quote = cited(4)
    odd = Evidence("a.py", 2, 2, "}", around={**quote.around, "times": 9})

    for content in (line * 100_000, f"{line * 60}\n" * 4_000, f"def {line}\n" * 4_000):
        assert found(quote, content) == ("broken", 4)
        assert seek(odd, Text(content)).name == "broken"


def test_an_empty_quote_is_found_nowhere():
    empty = Evidence("a.py", 2, 2, "")

    assert seek(empty, Text(FILE)).name == "broken"
