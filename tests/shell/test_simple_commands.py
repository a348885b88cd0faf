"""What a shell text would run, read by its grammar."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from holdfast.shell import simple_commands


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("git push", [["git", "push"]]),
        ("", []),
        ("# only a remark", []),
        ("a=1", []),
        ("cd x && git push || ls; pwd &", [["cd", "x"], ["git", "push"], ["ls"], ["pwd"]]),
        ('git commit -m "a b"', [["git", "commit", "-m", "a b"]]),
        ("g\\it 'pu'sh", [["git", "push"]]),
        ("A=b git push", [["git", "push"]]),
        ("A=b git push $x \"$y z\"", [["git", "push", "$x", "$y z"]]),
        ("git >log push", [["git", "push"]]),
        ("cat <<A <<B\n1\nA\n2\nB\nls", [["cat"], ["ls"]]),
        ("sudo -u x ls", [["sudo", "-u", "x", "ls"], ["ls"]]),
        ("bash -c 'a; b'", [["bash", "-c", "a; b"], ["a"], ["b"]]),
        ("npx a b", [["npx", "a", "b"], ["a", "b"]]),
        ("find . -exec a {} \\; -exec b +", [
            ["find", ".", "-exec", "a", "{}", ";", "-exec", "b", "+"], ["a", "{}"], ["b"],
        ]),
        ("echo 'a b' | sh", [["a", "b"], ["echo", "a b"], ["sh"]]),
        ("echo $'a\\tb\\x41'", [["echo", "a\tbA"]]),
        ("a {b,c}d", [["a", "bd", "cd"]]),
        ("export A=$(b)", [["export", "A=$(b)"], ["b"]]),
        ("env -S 'a b'", [["env", "-S", "a b"], ["a", "b"]]),
        ("command -v a", [["command", "-v", "a"]]),
        ("a\nb 'c", [["a"]]),
    ],
)  # fmt: skip
def test_a_text_is_the_commands_it_runs(text, commands):
    assert simple_commands.commands(text) == commands


@pytest.mark.parametrize(
    "text",
    [
        'echo "`cat <<A; git push\n1\nA\n`"',
        'echo "`cat <<A <<B\n1\nA\n2\nB\n`"; git push',
        'echo "$(cat <<A; git push\n1\nA\n)"',
    ],
)
def test_a_heredoc_in_a_quoted_command_hides_no_other(text):
    assert ["git", "push"] in (simple_commands.commands(text) or [])


@pytest.mark.parametrize(
    "text", ["'", "a 'b", "if a", "a )", "( a", "a ;;", "done; a", "&& a", "a &&& b", "echo $(a"]
)
def test_a_text_that_no_shell_would_run_is_none(text):
    assert simple_commands.commands(text) is None


@settings(deadline=None, max_examples=500)
@given(st.text())
def test_no_text_raises(text):
    simple_commands.commands(text)


@settings(deadline=None, max_examples=1000)
@given(
    st.lists(
        st.sampled_from(
            "git push a 'a b' \"a\" $x $( ) ` ( ) { } < > << <<EOF EOF \n ; & | && || ;; if then"
            " fi for in do done case esac bash -c eval \\ # [[ ]] (( )) $(( ${ } = a=b <( <<<"
            " sudo xargs".split(" ")
        ),
        max_size=14,
    )
)
def test_no_jumble_of_the_grammar_raises(parts):
    simple_commands.commands(" ".join(parts))


@pytest.mark.parametrize(
    "opening", ["(", "$(", "{ ", "`", '"$(', "bash -c '", "if ", "<(", "eval "]
)
def test_depth_is_survived(opening):
    simple_commands.commands(opening * 3000 + "git push")
    simple_commands.commands(opening * 3000 + "git push" + ")" * 3000)
    simple_commands.commands("x" * 300_000)


@pytest.mark.parametrize(
    "text", ["{0\U000d0223", "\x89{\U000a5ca0", "{\U0010ffff", "\ud800 {\ud800"]
)
def test_what_ends_the_process_of_the_grammar_never_reaches_it(text):
    for _ in range(200):
        simple_commands.commands(text)


def test_letters_beyond_ascii_arrive_as_they_were_written():
    assert simple_commands.commands("echo 'ü €' && git push é𝄞 ü") == [
        ["echo", "ü €"],
        ["git", "push", "é𝄞", "ü"],
    ]


@pytest.mark.parametrize(
    ("text", "deciding"),
    [
        ("a", ["a"]),
        ("a; b", ["b"]),
        ("a\nb\n# c", ["b"]),
        ("a && b", ["a", "b"]),
        ("a || b", []),
        ("a || b && c", ["c"]),
        ("a && b || c", []),
        ("a | b", ["b"]),
        ("a |& b", ["b"]),
        ("set -o pipefail; a | b", ["a", "b"]),
        ("(set -o pipefail); a | b", ["b"]),
        ("! a", []),
        ("! a | b", []),
        ("a & b", ["b"]),
        ("a && b &", []),
        ("(a; b)", ["b"]),
        ("{ a; b; }", ["b"]),
        ("(a && b) > c", ["a", "b"]),
        ("set -e; a; b", ["a", "b"]),
        ("set -e; a && b; c", ["c"]),
        ("set -e; (a && b); c", ["a", "b", "c"]),
        ("set -e; set +e; a; b", ["b"]),
        ("set -o errexit; a; b", ["a", "b"]),
        ("if a; then b; fi; c", ["c"]),
        ("a; exit 0; b", []),
        ("a && exit 1; b", ["b"]),
        ("x=$(a; exit 0); b", ["b"]),
        ("f() { a; }; b", []),
        ("sudo a", ["sudo", "a"]),
        ("sudo a | b", ["b"]),
        ("bash -c 'a; b'", ["bash", "b"]),
        ("xargs a", ["xargs"]),
        ("watch a", ["watch"]),
        ("exec a", ["exec", "a"]),
        ("exec a; b", []),
        ("a\nb 'c", []),
    ],
)
def test_the_exit_code_of_a_text_speaks_for_those_who_had_to_end_with_zero(text, deciding):
    simple = [command for command in simple_commands.parsed(text) or [] if command.decides]
    programs = [command.words[0].text for command in simple]

    assert [program for program in programs if program not in ("set", "exit")] == deciding


def test_a_command_knows_by_which_it_is_run():
    simple = simple_commands.parsed("cd a && sudo env A=b bash -c 'c; d'")

    assert simple is not None
    assert [
        (command.words[0].text, command.run_by and command.run_by.words[0].text)
        for command in simple
    ] == [
        ("cd", None),
        ("sudo", None),
        ("env", "sudo"),
        ("bash", "env"),
        ("c", "bash"),
        ("d", "bash"),
    ]
