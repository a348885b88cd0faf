from __future__ import annotations

import json
import random
import subprocess
import sys
import uuid

import pytest
from hypothesis import given, settings, strategies as st

from holdfast.cli.commands import redact_command as command
from holdfast.errors import NotFound, SettingsError
from holdfast.redaction import formats, gate as gate_module
from holdfast.redaction.gate import configure, gate, gate_text, redact, sizes, spans
from holdfast.redaction.secrets import ROOTS, look_again, replaced
from measure import some_or_all

FAKE = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
MEGABYTE = 1_000_000


@pytest.mark.promise("X1")
@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a <private>b</private> c", "a [removed: private] c"),
        ("a <private>b c", "a [removed: private]"),
        ("a <Private>b\n</private> c <private>d", "a [removed: private] c [removed: private]"),
        (f"key sk-ant-{FAKE} end", "key [removed: anthropic key] end"),
        (f"ghp_{FAKE}", "[removed: github token]"),
        (f"ghp_{FAKE}=ghp_{FAKE}", "[removed: github token]=[removed: github token]"),
        (f"xghp_{FAKE} ghp_{FAKE}", f"xghp_{FAKE} [removed: github token]"),
        (f"x.ghp_{FAKE} -ghp_{FAKE}", f"x.ghp_{FAKE} -[removed: github token]"),
        (f"first\\nghp_{FAKE}\\nlast", "first\\n[removed: github token]\\nlast"),
        (f"é{'ü' * 9} ghp_{FAKE} ß", f"é{'ü' * 9} [removed: github token] ß"),
        (
            "https://user:hunter2@example.com/x",
            "https://user:[removed: url credentials]@example.com/x",
        ),
        (f"Authorization: Bearer {FAKE}", "Authorization: Bearer [removed: bearer token]"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----.",
            "[removed: private key].",
        ),
        ('password = "hunter2"', 'password = "[removed: password]"'),
        ("DB_PASSWORD=Tr0ub4dor&3\n", "DB_PASSWORD=[removed: password]\n"),
        ("login --password hunter2 -v", "login --password [removed: password] -v"),
        ("Server=x;Password=s3cr3t!;Y=1", "Server=x;Password=[removed: password];Y=1"),
        ("DB_PASSWORD=sunflower\n", "DB_PASSWORD=[removed: password]\n"),
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
        "password = get_password()",
        "if password == other:",
        "password: str",
        "the password is wrong",
        "token: ${{ secrets.TOKEN }}",
    ],
)
def test_what_is_no_secret_stays(text):
    assert gate_text(text) == text


def test_a_text_is_redacted_before_it_is_cut():
    text = "x" * 40 + f" ghp_{FAKE} " + "y" * 200  # a cut at 66 would leave half of it

    assert FAKE[:6] not in gate_text(text, 100)


def test_a_cut_text_says_how_much_is_missing():
    assert gate_text("a" * 66 + "b" * 909 + "c" * 25, 100) == (
        "a" * 66 + " [... 909 characters ...] " + "c" * 25
    )


@given(middle=st.integers(0, 80), cap=st.integers(12, 400))
def test_a_mark_is_never_longer_than_what_it_stands_for(middle, cap):
    head, tail = sizes(cap)
    text = "a" * head + "b" * middle + "c" * tail

    kept = gate_text(text, cap)

    assert len(kept) <= len(text)
    assert kept == text or f" [... {middle} characters ...] " in kept


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


def test_the_name_of_a_member_tells_of_its_value():
    value = {
        "env": {"DB_PASSWORD": "hunter2", "ACME_TOKEN": FAKE, "token_type": "Bearer"},
        "session_id": "45f30e78-e233-4c58-9ed6-332d549a3521",
        "headers": {"Authorization": "Basic YXBwOmh1bnRlcjI="},
        "max_tokens": "4096",
    }

    assert gate(value).value == {
        "env": {
            "DB_PASSWORD": "[removed: password]",
            "ACME_TOKEN": "[removed: token]",
            "token_type": "Bearer",
        },
        "session_id": "45f30e78-e233-4c58-9ed6-332d549a3521",
        "headers": {"Authorization": "[removed: credentials]"},
        "max_tokens": "4096",
    }


def test_nesting_without_end_is_cut_short():
    value: list = []
    for _ in range(100):
        value = [value]

    assert "nested too deeply" in str(gate(value).value)


ROWS = (*formats.WORDS, *formats.DRAWN)


def test_sixty_providers_and_more_have_formats_of_their_own():
    assert len({row[0] for row in ROWS} | {row[0] for row in formats.MARKED}) >= 100


@pytest.mark.promise("X1")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]} {row[1].split()[0]}")
def test_no_format_is_one_that_nothing_can_have(row):
    _, prefixes, alphabet, shortest, longest, dots = row
    dice = random.Random(18)
    for prefix in prefixes.split():
        letters = dice.choices([sign for sign in alphabet if sign.isalnum()], k=longest - dots)
        letters[shortest // 2 : shortest // 2] = "." * dots
        word = "".join(letters)
        if alphabet == formats.UUID and longest == 36:
            word = str(uuid.UUID(int=dice.getrandbits(128), version=4))
        assert prefix + word not in gate_text(f"It is {prefix}{word} now")


@pytest.mark.promise("X1")
@pytest.mark.parametrize(
    ("prefix", "longest", "kind"), [("npm_", 36, "npm token"), ("sk-", 200, "api key")]
)
def test_a_word_that_is_longer_than_any_key_of_its_vendor_is_none(prefix, longest, kind):
    key = prefix + (FAKE * 6)[:longest]

    assert gate_text(key) == f"[removed: {kind}]"
    assert gate_text(f"{key}x") == f"{key}x"


@pytest.mark.parametrize("row", formats.SHAPES, ids=lambda row: row[1])
def test_a_shape_begins_with_its_literal_so_that_the_search_for_it_is_fast(row):
    import re

    _, literal, _, pattern = row

    assert pattern.startswith((re.escape(literal).replace("\\ ", " "), literal.replace(".", "\\.")))
    assert re.compile(pattern).groups == 1


@pytest.mark.timeout(120)  # a pattern that is quadratic in the text would take hours
@pytest.mark.parametrize(
    "literal",
    [
        *sorted({prefix for row in ROWS for prefix in row[1].split()}),
        *(row[1] for row in formats.MARKED),
    ],
)
def test_words_that_nearly_match_are_read_once(literal):
    nearly = f"{literal}{FAKE[:30]} {literal}{'a1B2' * 80}! {literal * 8} "
    text = nearly * (MEGABYTE // 8 // len(nearly)) + literal * (MEGABYTE // 8 // len(literal))

    assert redact(text)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("row", formats.SHAPES, ids=lambda row: row[1])
def test_what_nearly_has_a_shape_is_read_once(row):
    _, literal, also, _ = row
    for nearly in (f"{literal}{also}", f"{literal} {also} a:'", f"{literal}{'a' * 300}", literal):
        text = nearly * (MEGABYTE // 4 // len(nearly)) + also

        assert redact(text)


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "nearly",
    [
        *(f"{root}=" for root in ROOTS),
        *(f'"{root}": "' for root in ROOTS),
        "password:", "--password ", "password is ", "my_password_", "password value", "://a:",
        "://a:b@", "://", "<private>", "</private><private>", "-----BEGIN ", "token a1B2",
        "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----a -----END ", "cookie: a=", "\\",
        "password=\\\"", "Authorization: Basic ", "'", "a" * 5000 + " ", "eyJ.", "token\n",
        "\x1b[", "\x1b[0;", "\x1b[0mpassword\x1b[1m=", "\\u001b[0m", "password,\n", "password;a\n",
        "| password |\n", "user\tpassword\n", "password:\n", "password: >-\n", "password =\n",
        "token:\n\n\n",
        "password is ", "password for ", "use password ", "password to: ", "creds: a:", "my key ",
        "insert into a (password) values (", "insert into (password,", "(password) values ('a'),",
        "password || ", "password ?? '", "${password:", "${password:-", "<password ",
        "<a:password>", ">password</a><string>", "password).fill(", "password 1:",
        "password (", "PASSWORD --body ", '{"kty', '"kty":"', '{"kty":"oct","k":"', ":5432:",
        ":*:*", '"password", default=', "<password a=", "a:5432:b:c:",
        "AK" + "IAABCDEFGHIJKLMNOP ", "password=a&", "password=a1|B2", "SUA",
    ],
)  # fmt: skip
@some_or_all(1 << 16, MEGABYTE)
def test_a_megabyte_that_nearly_tells_is_read_once(nearly, amount):
    text = nearly * (amount // len(nearly))

    assert redact(text) is not None


def test_a_secret_that_another_one_hid_is_removed_with_it():
    said = f'password"ghp_{FAKE}: {FAKE}'

    assert redact(said) == 'password"[removed: github token]: [removed: password]'


@pytest.mark.promise("X1")
@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                f'password"ghp_{FAKE}: {FAKE} ', f"ghp_{FAKE}", f"token = {FAKE}\n", "é",
                "word " * 99,
                "x" * 1_000, "line of code()\n" * 700, "a\n" * 9_000, "dense_word_" * 6_000, ": ",
            ]
        ),
        min_size=4,
        max_size=40,
    ).map("".join)
)  # fmt: skip
def test_a_look_around_what_was_removed_finds_what_a_look_at_all_of_it_finds(text):
    secrets = spans(text)
    left = replaced(text, secrets)

    assert list(look_again(left, secrets, spans)) == spans(left)


@pytest.mark.parametrize("size", range(22))
def test_a_look_around_what_was_removed_takes_no_part_of_a_word_for_a_secret(size):
    words = "zAKIAZ7QWERTY2345XYZA "
    text = f"{words * 3_000}{'.' * size} ghp_{FAKE} {words * 3_000}"

    assert redact(text) == text.replace(f"ghp_{FAKE}", "[removed: github token]")


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "password", "=", ": ", '"', "'", f"ghp_{FAKE}", FAKE, " ", "\n", "token", "hunter2",
                "<private>", "</private>", "://u:", "@h", "[removed: ", "]", "Bearer ", "api_key",
                ",", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "\\n", "é", "{",
                "--", "Q~", "secret", "value", "sk-", "A" * 50, "1//0", "is ", ";", "&", "$",
                "\ud800", "cookie",
            ]
        ),
        max_size=24,
    ).map("".join)
)  # fmt: skip
def test_redacting_twice_changes_nothing_more(text):
    once = redact(text)

    assert redact(once) == once


@given(st.text(max_size=300))
def test_spans_are_disjoint_in_order_and_inside_the_text(text):
    at = 0
    for start, end, _ in spans(f"{text} password='hunter2' {text}"):
        assert at <= start < end <= 2 * len(text) + 20
        at = end


@pytest.fixture
def configured():
    yield configure
    configure([], [])


def test_a_setting_adds_patterns(configured):
    configured([("badge", r"BADGE-[0-9]{6}"), ("room", r"room (\d{3})")], [])

    assert redact("BADGE-123456 in room 204") == "[removed: badge] in room [removed: room]"


def test_a_setting_adds_exceptions_but_never_for_what_was_marked_private(configured):
    configured([], [r"hunter\d", r".*private.*"])

    text = "password='hunter2' token='hunter2x' <private>x</private>"

    assert redact(text) == "password='hunter2' token='hunter2x' [removed: private]"
    assert gate({"password": "hunter2"}).value == {"password": "hunter2"}


@pytest.mark.parametrize("pattern", ["(", "a*", "(a+)+b", "(?:x{2,})*y"])
def test_a_pattern_that_cannot_be_afforded_is_refused(configured, pattern):
    with pytest.raises(SettingsError):
        configured([("x", pattern)], [])
    with pytest.raises(SettingsError):
        configured([], [pattern])


def test_an_added_pattern_is_compiled_only_for_a_text_that_can_hold_it(configured):
    configured([("badge", r"\bBADGE-[0-9]{6}"), ("any", r"(?i)badge|x")], [])

    assert [literal for _, literal, _ in gate_module._added] == ["BADGE-", ""]


def modules_after(text: str) -> set[str]:
    script = "import sys; from holdfast.redaction.gate import redact\n"
    script += f"redact({text!r}); print(*sys.modules)"
    path = f"import sys; sys.path.insert(0, {str(PACKAGE)!r})\n"
    said = subprocess.check_output([sys.executable, "-I", "-S", "-c", path + script], text=True)
    return set(said.split())


PACKAGE = gate_module.__file__.removesuffix("holdfast/redaction/gate.py")


@pytest.mark.parametrize(
    "text",
    [
        "git status && pytest -q tests/redaction/test_gate.py",
        "the token is in the password manager; key = load(path), max_tokens: 4096",
        f"ghp_{FAKE} and DB_PASSWORD=hunter2 and https://u:hunter2@h.example.net/",
        "docker run -u 1000:1000 -p 8080:80 nginx@sha256:" + "0a1b2c3d" * 8,
    ],
)
def test_ordinary_texts_and_most_secrets_are_judged_without_regular_expressions(text):
    assert not {"re", "enum", "functools"} & modules_after(text)


def test_a_short_text_imports_nothing():
    assert not {name for name in modules_after("ls -la") if "secrets" in name}


def test_check_tells_where_and_what_and_never_the_secret(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text(f"a\nuse ghp_{FAKE} and\nX_PASSWORD=hunter2\n")

    report = command.run(file=str(file), check=True)

    assert report.exit_code == 1
    assert report.data["found"] == [
        {
            "line": 2,
            "column": 5,
            "kind": "github token",
            "length": 40,
            "surroundings": "use [ghp_… 40 characters] and",
        },
        {
            "line": 3,
            "column": 12,
            "kind": "password",
            "length": 7,
            "surroundings": "X_PASSWORD=[… 7 characters]",
        },
    ]
    said = json.dumps([report.lines, report.data])
    assert FAKE[:5] not in said
    assert "hunter2" not in said


def test_check_is_content_with_a_clean_file(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("nothing here\n")

    assert command.run(file=str(file), check=True).exit_code == 0


def test_without_check_the_text_is_printed_as_it_would_be_kept(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("a\nX_PASSWORD=hunter2\n\n")

    report = command.run(file=str(file), check=False)

    assert report.lines == ("a", "X_PASSWORD=[removed: password]", "")
    assert report.exit_code == 0


def test_a_file_that_is_not_there_is_said_in_one_line(tmp_path):
    with pytest.raises(NotFound, match="cannot read"):
        command.run(file=str(tmp_path / "none"), check=True)
