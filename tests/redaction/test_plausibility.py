"""What looks drawn by lot, and what only stands where a secret would."""

from __future__ import annotations

import pytest

from holdfast.redaction.gate import redact
from holdfast.redaction.plausibility import is_blank, is_drawn

FAKE = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


@pytest.mark.parametrize(
    "value", ["invoice-build103", "zkd-build456", "node-build-qwx1481", "md5-vbn-project-backup"]
)
def test_words_with_a_number_behind_them_are_not_drawn_by_lot(value):
    assert not is_drawn(value)


@pytest.mark.promise("X1")
def test_words_with_a_number_are_a_password_and_a_numbered_heading_is_none():
    assert redact("password=copper-lantern-42") == "password=[removed: password]"
    assert redact("SECRET=release-notes-2") == "SECRET=release-notes-2"


@pytest.mark.promise("X1")
@pytest.mark.parametrize(
    "line", ["ENV API_TOKEN {}", "set -gx API_TOKEN {}", "export API_TOKEN {}"]
)
def test_what_a_directive_sets_goes_without_a_sign_between(line):
    assert redact(line.format("Xk3vQ9tR7mZ2")) == line.format("[removed: token]")


@pytest.mark.parametrize("value", [FAKE, "q7Xk2mZp9Lw4", f"release_{FAKE}"])
def test_letters_and_digits_that_take_turns_are_drawn_by_lot(value):
    assert is_drawn(value)


@pytest.mark.parametrize(
    "value",
    [
        *("<your key>", "%KEY%", "{key}", "$KEY", "${KEY}", "$(pass)", "$_key"),
        *("a${KEY}", "a{{key}}", "a$(pass)", "a#{key}", "a<%key%>", "a%(key)s", "[removed: a]"),
        *("a$env:KEY", "a&lt;key&gt;", "key=%s", "key=%v", "a%q", "a%@", "xxxxxxxx", "x-x-x-x-"),
    ],
)
def test_what_stands_for_a_secret_is_none(value):
    assert is_blank(value)


@pytest.mark.parametrize("value", ["hunter2", "$apr1$x$y", "a$b", FAKE])
def test_what_may_be_a_secret_stands_for_nothing_else(value):
    assert not is_blank(value)


@pytest.mark.parametrize("prefix", ["ghp_", "github_pat_"])
def test_a_token_of_github_has_at_least_36_characters(prefix):
    assert redact(f"see {prefix}{FAKE}") == "see [removed: github token]"
    assert redact(f"see {prefix}{FAKE[1:]}") == f"see {prefix}{FAKE[1:]}"
