"""Triggers: which commands they name, proved by a real bash, and which paths."""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from holdfast.rooms.gates import path_globs, triggers
from measure import steps

CORPUS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "corpus" / "commands.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
PUSH = r"git\s+push"
SOURCE = str(Path(triggers.__file__).parents[3])
RUN = [each for each in CORPUS if "not-run" not in each["tags"] and "git" in each["pattern"]]
REAL = (
    "bash sh env timeout nice nohup xargs find cat grep tee true false sleep mkdir touch setsid"
    " stdbuf sed head ls sort diff wc flock which printf echo test"
).split()


def by_id(each: dict[str, str]) -> str:
    return each["id"]


@pytest.mark.parametrize("each", CORPUS, ids=by_id)
def test_a_trigger_names_what_the_corpus_says_it_names(each):
    assert triggers.matches(each["pattern"], each["command"]) is each["matches"]


def test_the_corpus_is_large_and_its_ids_are_its_own():
    assert len(CORPUS) >= 180
    assert len({each["id"] for each in CORPUS}) == len(CORPUS)
    assert len(RUN) >= 180


@pytest.fixture(scope="session")
def stubs(tmp_path_factory) -> Path:
    """A PATH with a git that only writes down how it was called, and harmless programs."""
    folder = tmp_path_factory.mktemp("stubs")
    bash = next(f"{place}/bash" for place in ("/bin", "/usr/bin") if Path(place, "bash").exists())
    git = folder / "git"
    git.write_text(f'#!{bash}\nprintf \'%s\\x1f\' "$@" >> "$LOG"; printf \'\\x1e\' >> "$LOG"\n')
    git.chmod(0o755)
    for program in REAL:
        for place in ("/usr/bin", "/bin"):
            if Path(place, program).exists():
                (folder / program).symlink_to(f"{place}/{program}")
                break
    return folder


@pytest.mark.parametrize("each", RUN, ids=by_id)
def test_the_label_is_what_a_real_bash_does(each, stubs, tmp_path):
    log = tmp_path / "log"
    work = tmp_path / "work"
    work.mkdir()
    (work / "file").touch()
    try:
        subprocess.run(
            [str(stubs / "bash"), "-c", each["command"]],
            cwd=work,
            env={"PATH": str(stubs), "LOG": str(log), "HOME": str(work)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=20,
        )
    except subprocess.TimeoutExpired:
        pytest.fail("the command did not end: tag it not-run")
    except ValueError:
        pytest.skip("no process can be given this text")
    called = wait_for(log, each["matches"])

    assert (
        any(re.search(each["pattern"], call, re.IGNORECASE) for call in called) is each["matches"]
    )


def wait_for(log: Path, is_expected: bool) -> list[str]:
    """The calls of git; what runs in the background may still be on its way."""
    until = time.monotonic() + (60 if is_expected else 0)
    while not log.exists() and time.monotonic() < until:
        time.sleep(0.02)
    written = log.read_bytes().decode("utf-8", "replace") if log.exists() else ""
    return [as_called(call.split("\x1f")[:-1]) for call in written.split("\x1e")[:-1]]


def as_called(words: list[str]) -> str:
    """Git's own way to its subcommand; an argument with a blank is one argument."""
    while words and words[0].startswith("-"):
        takes = words[0] in ("-C", "-c", "--git-dir", "--work-tree", "--namespace")
        words = words[1 + takes :]
    return " ".join(["git", *("_" if re.search(r"[ \t\n]", word) else word for word in words)])


RUNNERS = [
    "{}", "env A=b {}", "sudo -u me {}", "nohup {}", "time {}", "timeout 30 {}", "nice -n 5 {}",
    "xargs -n 1 {}", "command {}", "exec {}", "eval {}", "watch -n 2 {}", "ssh host {}", "npx {}",
    "poetry run {}",
]  # fmt: skip
SHELL = [
    "{}", "cd x && {}", "ls; {}", "({})", "{{ {}; }}", "A=b {}", "! {}", "{} &", "echo $({})",
    "echo `{}`", 'echo "a $({}) b"', "cat <({})", "if {}; then ls; fi", "while {}; do ls; done",
    "for i in 1 2; do {}; done", "case x in x) {};; esac", "f() {{ {}; }}", "bash -c '{}'",
    "sh -lc '{}'", "bash <<EOF\n{}\nEOF", "echo '{}' | bash", "cat <<EOF\nx\nEOF\n{}", "ls | {}",
    "find . -exec {} \\;",
]  # fmt: skip
COMMANDS = [
    "git push",
    "git -C x push",
    "git --no-pager -c a=b push origin main",
    "/usr/bin/git push",
]


@settings(deadline=None, max_examples=500)
@given(
    st.sampled_from(SHELL),
    st.lists(st.sampled_from(RUNNERS), max_size=3),
    st.sampled_from(COMMANDS),
)
def test_a_command_is_seen_through_what_wraps_it(around, runners, command):
    for runner in runners:
        command = runner.format(command)

    assert triggers.matches(PUSH, around.format(command)), around.format(command)


@settings(deadline=None, max_examples=300)
@given(
    st.sampled_from(["echo", "printf", "git commit -m", "grep", "x=", "cat", ":", "git tag -m"]),
    st.text(alphabet='git push&|;()<>#"` \n', max_size=30),
    st.text(alphabet='git push&|;()<>#"` \n', max_size=30),
)
def test_what_is_in_quotes_never_triggers(program, before, after):
    blank = "" if program.endswith("=") else " "

    assert not triggers.matches(PUSH, f"{program}{blank}'{before}git push{after}'")


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of re, about sets it may read otherwise
@settings(deadline=None, max_examples=300)
@given(st.text(), st.text(alphabet="gitpush .*+?\\s|()[]^${}-", max_size=12))
def test_nothing_that_is_asked_raises(text, pattern):
    assert triggers.judged(pattern, text + "git push") in (True, False, None)


@settings(deadline=None, max_examples=200)
@given(st.from_regex(r"(?i:git)[ \t]+(-q )?push( x)?", fullmatch=True))
def test_a_text_without_the_literals_of_a_pattern_cannot_match_it(text):
    assert all(word in text.lower() for word in triggers.literals(r"git\s+(-q )?push"))


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"git\s+push", {"git", "push"}),
        ("npm publish", {"npm", "publish"}),
        (r"^\s*gh\s+pr\s+create\b", {"gh", "pr", "create"}),
        ("(git|hg) push", {"push"}),
        ("(?:git) (push)", {"git", "push"}),
        ("git( -C x)? push", {"git", "push"}),
        ("pus+h?", {"pu", "s"}),
        ("GIT Push", {"git", "push"}),
        (r"psql .*-c 'DROP", {"psql", "-c", "drop"}),
        (".*", set()),
        ("a|b", set()),
        ("[Gg]it", {"it"}),
        ("git push(", set()),
    ],
)
def test_the_literals_of_a_pattern_are_what_every_match_contains(pattern, words):
    assert triggers.literals(pattern) == words


def test_what_cannot_be_read_is_told_apart_from_what_does_not_match():
    assert triggers.judged(PUSH, "git push 'x") is None
    assert triggers.judged("git push(", "git push") is None
    assert triggers.judged(PUSH, "git pull; echo push\nls 'x") is None
    assert triggers.judged(PUSH, "git push\nls 'x") is True
    assert triggers.judged(PUSH, "git pull") is False
    assert not triggers.matches(PUSH, "git push 'x")


def test_neither_re_nor_the_grammar_is_imported_for_a_command_without_the_words():
    script = (
        f"import sys; sys.path[:0] = [{SOURCE!r}]\n"
        "from holdfast.rooms.gates import triggers\n"
        "assert not triggers.matches('git\\\\s+push', 'ls -la && echo hi',"
        " required=frozenset(['git', 'push']))\n"
        "assert 're' not in sys.modules and 'tree_sitter._binding' not in sys.modules\n"
        "assert triggers.matches('git\\\\s+push', 'git -C x push')\n"
        "assert 'tree_sitter._binding' not in sys.modules\n"
    )

    subprocess.run([sys.executable, "-I", "-S", "-c", script], check=True)


def test_a_command_without_the_words_is_not_even_parsed():
    command = "cd src && python -m pytest -x tests/ | tail -20; echo 'done'"

    assert steps(lambda: triggers.matches(PUSH, command)) < 20
    numbers = itertools.count()  # what was parsed a moment ago is remembered
    assert steps(lambda: triggers.matches(PUSH, f"git push; {command} {next(numbers)}")) > 100


@pytest.mark.parametrize(
    ("glob", "path", "fits"),
    [
        ("**", "a/b/c.py", True),
        ("**/*.py", "a/b/c.py", True),
        ("**/*.py", "c.py", True),
        ("*.py", "c.py", True),
        ("*.py", "a/c.py", False),
        ("src/**", "src/a/b.py", True),
        ("src/**", "srcs/a.py", False),
        ("src/", "src/a/b.py", True),
        ("src/**/test_*.py", "src/test_a.py", True),
        ("src/**/test_*.py", "src/x/y/test_a.py", True),
        ("src/*/a.py", "src/x/y/a.py", False),
        ("a?.txt", "ab.txt", True),
        ("a?.txt", "a/.txt", False),
        ("[a-c].py", "b.py", True),
        ("[!a-c].py", "b.py", False),
        ("[!a].py", "/.py", False),
        ("./src/*.py", "src/a.py", True),
        ("src/*.py", "./src/a.py", True),
        ("a+b(c).py", "a+b(c).py", True),
        ("[", "[", True),
        ("docs/**/*.md", "docs/a.md", True),
        ("**/secrets/**", "a/secrets/b", True),
        ("**/secrets/**", "secrets/b", True),
        (".env*", ".env.local", True),
    ],
)
def test_a_glob_spans_folders_only_with_two_stars(glob, path, fits):
    assert path_globs.path_matches(glob, path) is fits


@settings(deadline=None, max_examples=300)
@given(st.text(alphabet="ab/*?[]!^-\\.(", max_size=10), st.text(max_size=10))
def test_no_glob_raises(glob, path):
    assert path_globs.path_matches(glob, path) in (True, False)


def test_the_proof_leaves_the_real_programs_alone():
    assert "git" not in REAL
    assert not [each for each in RUN if "/usr/bin/git" in each["command"]]
    assert os.name == "posix"
