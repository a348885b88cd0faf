"""JSON within other text, and JSON that breaks off."""

from __future__ import annotations

from holdfast.system import jsontext


def test_json_is_found_at_the_beginning_of_lines_whatever_stands_around_it():
    text = '[main 1a2b3c4] Subject\n{"a": 1}{"b": 2}\nand {"not": "this"}\n  [\n {"c": 3}\n]\n'

    assert jsontext.values(text) == [{"a": 1}, {"b": 2}, [{"c": 3}]]


def test_of_json_that_breaks_off_is_read_what_is_there():
    whole = '[{"n": 1, "of": {"login": "ada"}}, {"n": 2, "of": {"login": "gra'

    assert jsontext.values(whole) == [[{"n": 1, "of": {"login": "ada"}}, {"n": 2}]]
    assert jsontext.values('{"data": {"list": [{"n": 1}, {"n"') == [{"data": {"list": [{"n": 1}]}}]
    assert jsontext.values('{"half') == []


def test_a_text_of_nothing_but_brackets_ends():
    assert jsontext.values("{\n" * 200_000) == []
    assert jsontext.values("[" * 200_000) == []


def test_json_is_found_behind_many_lines_that_only_begin_as_it_does():
    log = "[INFO] building {x}\n{ not JSON }\n" * 200

    assert jsontext.values(f'{log}{{"number": 12}}\n') == [{"number": 12}]
