"""The menu as people see it: help by what they want, and completion in their shell."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from terminal import refused, run

from holdfast.cli import COMMANDS, MENU, OTHER_NAMES

pytestmark = pytest.mark.promise("A6")

MODULES = {
    name: importlib.import_module(f"holdfast.cli.commands.{name}_command") for name in COMMANDS
}
VERBS = {name: module.VERBS for name, module in MODULES.items() if hasattr(module, "VERBS")}
PROGRAM = Path(sys.executable).with_name("holdfast")


def test_help_lists_every_command_once_under_what_people_want(repo):
    lines = run(repo, "--help").stdout.splitlines()

    titles = [line.rstrip(":") for line in lines if line.endswith(":") and line[0] != " "]
    assert titles == ["Options", *MENU]
    listed = [line.split()[0] for line in lines if line[:2] == "  " and line[2:3].isalpha()]
    assert [word for word in listed if word in COMMANDS] == [
        name for names in MENU.values() for name in names
    ]
    assert sum(map(len, MENU.values())) <= 26
    every = run(repo, "help", "all").stdout
    assert [name for name in COMMANDS if f"\n  {name} " not in every] == []


@pytest.mark.parametrize(("old", "new"), OTHER_NAMES.items())
def test_a_name_of_an_earlier_version_is_what_it_was(repo, old, new):
    by_old, by_new = (run(repo, *name.split(), "--help") for name in (old, new))

    assert by_old.returncode == 0
    assert by_old.stdout.split()[3:] == by_new.stdout.split()[2 + len(new.split()) :]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_given_a_script_that_asks_holdfast(repo, shell):
    script = run(repo, "completion", shell).stdout

    assert "_HOLDFAST_COMPLETE" in script
    assert "holdfast" in script


# What a shell does when the person presses Tab, in its own words; it prints what it offers.
PRESS_TAB = {
    "bash": 'eval "$(holdfast completion bash)"; COMP_WORDS=({line}); COMP_CWORD={last};'
    ' _{program}_completion {program}; printf "%s\\n" "${{COMPREPLY[@]}}"',
    "zsh": "compdef() {{ }}; compadd() {{ print -l -- ${{(P)${{@[-1]}}}} }};"
    " _describe() {{ print -l -- ${{(P)3%%:*}} }};"
    ' eval "$(holdfast completion zsh)"; words=({line}); CURRENT={last}+1; _{program}_completion',
    "fish": 'holdfast completion fish | source; complete -C "{line}"',
}


@pytest.mark.parametrize("shell", PRESS_TAB)
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("holdfast deci", ["decide", "decisions"]),
        ("holdfast rules dr", ["drop"]),
        ("holdfast rules scope 4f1c t", ["task"]),
        ("holdfast rules --cand", ["--candidates"]),
        ("holdfast --json decisions re", ["resolve"]),
        ("holdfast contract --session 4f1c cl", ["clear"]),
        ("req sat", ["satisfy"]),
        ("req approve --no", ["--note"]),
    ],
)
def test_a_word_that_is_begun_is_completed(repo, shell, line, offered):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed here")
    words = line.split()
    script = PRESS_TAB[shell].format(line=line, last=len(words) - 1, program=words[0])

    done = subprocess.run(
        [shell, "-c", script],
        cwd=repo,
        env={**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert sorted(each.split("\t")[0] for each in done.stdout.splitlines()) == sorted(offered), done


def test_help_of_a_command_with_verbs_lists_each_with_one_line(repo):
    lines = run(repo, "req", "--help").stdout.splitlines()

    listed = dict(line.split(maxsplit=1) for line in lines[lines.index("Verbs:") + 1 :] if line)
    assert set(VERBS["req"]) <= set(listed)
    assert listed["prune"] == "Clear what is kept of branches that git no longer has."


def test_help_of_a_verb_shows_its_own_options_alone(repo):
    shown = run(repo, "req", "approve", "--help").stdout

    assert set(re.findall(r"--[a-z]+", shown.partition("Options:")[2])) == {
        *("--session", "--branch", "--note", "--metadata", "--for", "--json", "--help")
    }


@pytest.mark.parametrize(("command", "verb"), [(c, v) for c in VERBS for v in VERBS[c]])
def test_a_verb_refuses_an_option_that_is_none_of_its_own(repo, command, verb):
    done = run(repo, command, verb, "--of-no-use")

    assert "No such option '--of-no-use'" in refused(done, 2)
    assert f"see `holdfast {command} {verb} --help`" in done.stderr


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("rules --all", "rules list --all"),
        ("rules --json", "rules list --json"),
        ("--json rules", "rules list --json"),
        ("constraints --all list", "rules list --all"),
        ("rules --all -- list", "rules list --all"),
        ("confidence --limit 3 show", "confidence show --limit 3"),
        ("confidence --limit=3", "confidence show --limit 3"),
        ("config --sources", "config show --sources"),
        ("config", "config show"),
    ],
)
def test_a_verb_may_stand_behind_options_and_may_be_left_out(door, repo, words, meant):
    door.send("SessionStart.startup", session_id="s1")

    asked, named = run(repo, *words.split()), run(repo, *meant.split())

    assert (asked.returncode, asked.stdout, asked.stderr) == (0, named.stdout, "")


def test_a_verb_that_there_is_not_is_answered_with_those_that_there_are(repo):
    assert "goal has no verb drop: show, set, accept, keep" in refused(run(repo, "goal", "drop"), 2)


def test_a_word_that_is_nearly_a_command_or_verb_is_answered_with_that_one(repo):
    command, verb = run(repo, "staus"), run(repo, "goal", "sett", "x")

    assert "No such command 'staus'. Did you mean 'status'?" in refused(command, 2)
    assert "goal has no verb sett: show, set, accept, keep. Did you mean 'set'?" in refused(verb, 2)
    assert "Did you mean" not in refused(run(repo, "xyzzy"), 2)


@pytest.mark.parametrize("words", ["", "status", "rules", "rules add"])
def test_the_word_help_is_the_option_help(repo, words):
    by_word, by_option = run(repo, "help", *words.split()), run(repo, *words.split(), "--help")

    assert (by_word.returncode, by_word.stdout) == (0, by_option.stdout)


def test_the_version_has_a_short_option(repo):
    assert run(repo, "-V").stdout == run(repo, "--version").stdout != ""


def test_req_is_a_program_of_its_own(repo):
    req = str(PROGRAM.with_name("req"))
    done = subprocess.run([req, "nothing"], cwd=repo, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: req has no verb nothing: status, list")
    assert done.stderr.endswith("hint:  see `req --help`\n")
