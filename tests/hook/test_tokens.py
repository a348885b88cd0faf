from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, strategies as st

from holdfast.hook.tokens import count
from measure import steps

PROSE = (
    "The importer drops a row when its parser meets an empty field, so keep that case apart and"
    " write a test before you change the queue. Nobody has asked for the other behaviour yet."
)
CODE = """\
func (s *Store) Load(ctx context.Context, id string) (*Session, error) {
\tpath := filepath.Join(s.root, id+".json")
\tdata, err := os.ReadFile(path)
\tif err != nil {
\t\treturn nil, fmt.Errorf("load session %s: %w", id, err)
\t}
\treturn decode(data)
}
"""


def test_an_empty_text_has_no_tokens():
    assert count("") == 0


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        pytest.param("a", 1, 1, id="a letter"),
        pytest.param("hello", 1, 2, id="a word"),
        pytest.param("hello world", 2, 3, id="two words"),
        pytest.param("getUserName", 2, 4, id="camel case"),
        pytest.param("get_user_name", 3, 7, id="snake case"),
        pytest.param(PROSE, 34, 46, id="prose: a token is about four or five characters"),
        pytest.param(CODE, 75, 110, id="code: a token is about three"),
        pytest.param("1234567890", 3, 10, id="digits"),
        pytest.param("d41d8cd98f00b204e9800998ecf8427e", 16, 32, id="a digest"),
        pytest.param("9ed1f3a0-6c55-4a7e-9d0e-1c7f3b2a4d5e", 20, 40, id="a uuid"),
        pytest.param("你好世界你好世界", 8, 16, id="Chinese: one or two a character"),
        pytest.param("こんにちは世界", 7, 14, id="Japanese"),
        pytest.param("안녕하세요", 5, 15, id="Korean"),
        pytest.param("Привет мир", 4, 10, id="Russian"),
        pytest.param("déjà vu", 2, 6, id="accents"),
        pytest.param("🎉🎉", 4, 6, id="emoji"),
        pytest.param("\ud800", 1, 3, id="half a character"),
        pytest.param(" ", 0, 1, id="a space"),
        pytest.param("a" + " " * 40 + "b", 2, 5, id="a run of spaces is one gap"),
        pytest.param("a\n\n\nb", 2, 5, id="a run of lines is one gap"),
        pytest.param("{}();", 2, 5, id="marks"),
        pytest.param("-" * 80, 2, 60, id="a rule"),
    ],
)
def test_a_text_has_about_as_many_tokens_as_it_should(text, least, most):
    assert least <= count(text) <= most


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        pytest.param("a " * 1000, 595, id="words, and a letter in each"),
        pytest.param("a" * 1000, 146, id="letters, and one word"),
        pytest.param("1" * 1000, 525, id="digits"),
        pytest.param("- " * 1000, 1200, id="marks, and a run of each"),
        pytest.param("-" * 1000, 551, id="marks in one run"),
        pytest.param("é" * 1000, 750, id="characters of two bytes"),
        pytest.param("世" * 1000, 1300, id="characters of three bytes"),
        pytest.param("🎉" * 1000, 2500, id="characters of four bytes"),
        pytest.param("12\n" * 1000, 2699, id="ends of lines"),
    ],
)
def test_a_thousand_of_a_kind_cost_what_was_fitted(text, tokens):
    assert count(text) == tokens


@given(st.text(), st.text())
def test_joining_two_texts_changes_next_to_nothing(one, other):
    assert abs(count(one + other) - count(one) - count(other)) <= 2


@given(st.text(), st.text())
def test_more_text_is_never_fewer_tokens(one, other):
    assert count(one + other) >= max(count(one), count(other))


@given(st.text(alphabet=st.characters(min_codepoint=0x80), min_size=1))
def test_what_is_not_ascii_costs_at_least_a_quarter_of_its_bytes(text):
    assert count(text) * 4 >= len(text.encode("utf-8", "replace"))


@given(st.lists(st.text("abcdefghijklmnopqrstuvwxyz.,()0123456789", min_size=1, max_size=12)))
def test_text_of_ordinary_words_costs_at_least_a_sixth_of_its_characters(words):
    text = " ".join(words)

    assert count(text) * 6 >= len(text)


def test_a_long_briefing_is_counted_in_as_few_steps_as_a_short_one():
    text = (PROSE + "\n" + CODE) * 20

    assert steps(lambda: count(text)) == steps(lambda: count(text[:500])) < 40


def test_counting_imports_no_module_that_a_hook_would_have_to_pay_for():
    script = (
        "import sys; before = set(sys.modules); import holdfast.hook.tokens;"
        "ours = {'holdfast', 'holdfast.hook', 'holdfast.hook.tokens'};"
        "print(sorted(set(sys.modules) - before - {'__future__', *ours}))"
    )
    printed = subprocess.check_output([sys.executable, "-c", script], text=True)

    assert printed.strip() == "[]"
