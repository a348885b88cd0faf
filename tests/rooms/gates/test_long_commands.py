"""Commands that are too long to be read: judged in bounded time, and never let through for it."""

from __future__ import annotations

import pytest

from holdfast.rooms.gates.protection import command_effects
from holdfast.rooms.gates.tool_call import Call
from holdfast.rooms.gates.triggers import judged
from holdfast.shell import simple_commands
from measure import steps

PUSH = r"git\s+push"
MANY = "ls;" * 63_000


@pytest.mark.promise("X7")
@pytest.mark.parametrize(
    "command",
    [
        f"{MANY} git push",
        f"git push; {MANY}",
        f"{'a |' * 60_000} git push",
        f"echo '{'x y;' * 100_000}'; git push",
        f"bash <<'END'\n{MANY}git push\nEND\n",
        f"bash -c '{MANY}git push'",
        f'eval "{MANY}git push"',
        f"git {'--no-pager ' * 5_000}push",
        f"git push {'origin ' * 100_000}",
        f"env {'A=1 ' * 40_000}git push",
        f"{'(' * 400}git push{')' * 400}",
        f"{'$(' * 100_000}git push",
        f"{'sudo ' * 50_000}git push",
        "cat <<A\nA\n" * 50_000 + "git push",
        "\\\n" * 300_000 + "git push",
    ],
    ids=lambda command: f"{len(command)} of {command[:12]!r}",
)
def test_a_trigger_is_never_passed_because_a_command_is_long(command):
    assert judged(PUSH, command) is not False


@pytest.mark.promise("X7")
@pytest.mark.parametrize("command", [MANY, MANY * 20, "a |" * 60_000, "echo " + "word " * 300_000])
def test_a_long_command_without_the_words_of_a_trigger_is_let_through(command):
    assert judged(PUSH, command) is False


@pytest.mark.promise("X7")
@pytest.mark.parametrize("part", ["ls;", "a |", "(a);", "`a`;", "$(a)\n", "{ a; };", "a>b\n"])
def test_reading_a_command_takes_no_more_steps_when_it_grows(part):
    """Beyond the bound a text is not read at all."""
    long, longer = (part * (size // len(part)) for size in (150_000, 4_000_000))

    assert simple_commands.is_too_long(longer)
    for text in (long, longer):
        fresh = iter(f"{text} {number}" for number in range(2))
        assert steps(lambda fresh=fresh: simple_commands.parsed(next(fresh))) < 200


def test_a_command_just_below_the_bound_is_read():
    commands = simple_commands.parsed("ls;" * 2_000 + "git push")

    assert commands is not None
    assert len(commands) == 2_001
    assert judged(PUSH, "ls;" * 2_000 + "git push") is True
    assert judged(PUSH, "ls;" * 2_000 + "git pull; echo push") is False


def test_a_heredoc_of_megabytes_is_passed_over():
    body = "git push; (a | b) && c\n" * 100_000
    text = f"cat > a.txt <<'END'\n{body}END\nmake"

    assert simple_commands.commands(text) == [["cat"], ["make"]]
    assert judged(PUSH, text) is False


@pytest.mark.promise("X7")
def test_a_flag_at_the_far_end_of_a_long_command_counts():
    assert judged(r"push .*--force", f"git push {'a ' * 3_000}--force") is not False


@pytest.mark.promise("X7")
@pytest.mark.parametrize("act", ["holdfast pause", "req satisfy plan", "'holdfast' pause"])
def test_a_persons_command_is_not_hidden_by_the_length_of_what_stands_before_it(act):
    call = Call("Bash", "run", command=f"{MANY} {act}", folder="/app")

    assert "too long to be read" in command_effects.refusal(call, "/state")


def test_a_long_command_that_speaks_of_us_and_runs_nothing_of_the_persons_is_the_agents():
    call = Call("Bash", "run", command=f"{MANY} holdfast status; curl -s request", folder="/app")

    assert command_effects.refusal(call, "/state") == ""
