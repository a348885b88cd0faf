from __future__ import annotations

import pytest

from holdfast.shell.one_line import pieces


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("make test", ["make test"]),
        ("cd app && make test 2>&1 | tail -5", ["cd app", "make test", "tail -5"]),
        ("(cd a; tox)", ["cd a", "tox"]),
        ("make &> log.txt; make lint >> log.txt", ["make", "make lint"]),
        ("echo 'a | make' && ls", ["echo a | make", "ls"]),
        ('grep "x && make test" y', ["grep x && make test y"]),
        ("V=$(git describe || echo none) make", ["V=$(git describe || echo none) make"]),
        ("make a || make b & make c", ["make a", "make b", "make c"]),
        ("make a && \\ make b", ["make a", "make b"]),
        ("cat <<EOF make test EOF", ["cat"]),
        ("make # and then make test", ["make"]),
        ("pytest -k 'a command that was cut sho", ["pytest -k a command that was cut sho"]),
        ("", []),
        ("&& ;", []),
    ],
)
def test_the_simple_commands_of_a_line_are_told_apart(line, commands):
    assert [" ".join(piece.words) for piece in pieces(line)] == commands


def test_words_lose_their_quotes_and_operators_stand_beside_them():
    first, second = pieces("pytest -k 'a b' && wc\\ -l")

    assert first.words == ["pytest", "-k", "a b"]
    assert (first.before, first.after) == ("", "&&")
    assert second.words == ["wc -l"]
    assert (second.before, second.after) == ("&&", "")
