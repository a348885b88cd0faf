from __future__ import annotations

import pytest

from holdfast.redaction import gate, gate_text

FAKE = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a <private>b</private> c", "a [removed: private] c"),
        ("a <private>b c", "a [removed: private]"),
        (f"key sk-ant-{FAKE} end", "key [removed: anthropic key] end"),
        (f"ghp_{FAKE}", "[removed: github token]"),
        (
            "https://user:hunter2@example.com/x",
            "https://user:[removed: url credentials]@example.com/x",
        ),
        (f"Authorization: Bearer {FAKE}", "Authorization: Bearer [removed: bearer token]"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----.",
            "[removed: private key].",
        ),
    ],
)
def test_what_is_removed_says_what_it_was(text, kept):
    assert gate_text(text) == kept


@pytest.mark.parametrize(
    "text",
    [
        "9ac7194b2d5466d950ea117f9ba4de4c0ffee123",
        "a/long/path/to/some/file_with_a_name.py:120",
        "sk-learn is a library, and ghp_ a prefix",
        "https://example.com:8080/path@2x.png",
    ],
)
def test_what_is_no_secret_stays(text):
    assert gate_text(text) == text


def test_a_text_is_redacted_before_it_is_cut():
    text = "x" * 60 + f"sk-ant-{FAKE}" + "y" * 200

    assert FAKE[:6] not in gate_text(text, 100)


def test_a_cut_text_says_how_much_is_missing():
    assert gate_text("a" * 66 + "b" * 909 + "c" * 25, 100) == (
        "a" * 66 + " [... 909 characters ...] " + "c" * 25
    )


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("a\x00b", "a\u2400b"),
        ("a\ud800b", "a\\ud800b"),
        (float("nan"), "nan"),
        (1 << 70, str(1 << 70)),
        ({"a": (1, True, None)}, {"a": [1, True, None]}),
    ],
)
def test_what_passes_the_gate_is_plain_json_that_a_database_can_hold(value, kept):
    assert gate(value).value == kept


def test_nesting_without_end_is_cut_short():
    value: list = []
    for _ in range(100):
        value = [value]

    assert "nested too deeply" in str(gate(value).value)


@pytest.mark.timeout(60)  # a pattern that is quadratic in the text would take hours
@pytest.mark.parametrize(
    "literal", ["sk-", "://a:", "earer ", "xox", "<private>", "PRIVATE KEY", "ghp_", "-----BEGIN "]
)
def test_a_megabyte_that_nearly_matches_everywhere_is_read_once(literal):
    assert gate_text(literal * (1_000_000 // len(literal)), 100)
