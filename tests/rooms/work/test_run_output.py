from __future__ import annotations

import pytest

from holdfast.rooms.work.run_output import did_not_run, says_failed, telling_lines

GO = """Exit code 1
=== RUN   TestCart
    cart_test.go:12: got 2, want 3
--- FAIL: TestCart (0.00s)
FAIL
FAIL\tshop/cart\t0.01s
"""
PYTEST = """Exit code 1
============ test session starts ============
platform linux -- Python 3.11
tests/test_cart.py .F
E   AssertionError: expected 3, got 2
FAILED tests/test_cart.py::test_total - AssertionError: expected 3, got 2
1 failed, 1 passed in 0.10s
"""
LINT = """Exit code 1
[lint] $ golangci-lint run ./...
cart/cart.go:57:1: cyclomatic complexity 36 of func `Total` is high (gocyclo)
func Total() {
^
2 issues:
[lint] ERROR task failed
"""
UNITTEST = """Exit code 1
E
======================================================================
ERROR: test_total (test_cart.Cart.test_total)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/home/dev/shop/test_cart.py", line 7, in test_total
    self.assertEqual(total(), 3)
                     ^^^^^^^
  File "/home/dev/shop/cart.py", line 2, in total
    return len(open("cart.txt").read())
FileNotFoundError: [Errno 2] No such file or directory: 'cart.txt'

----------------------------------------------------------------------
Ran 1 test in 0.001s

FAILED (errors=1)
"""
COLLECTING = """Exit code 2
==================================== ERRORS ====================================
_________________________ ERROR collecting test_cart.py ________________________
ImportError while importing test module '/home/dev/shop/test_cart.py'.
Traceback:
/usr/lib/python3.11/site-packages/_pytest/python.py:528: in importtestmodule
    mod = import_path(
test_cart.py:1: in <module>
    from cart import total
E   ModuleNotFoundError: No module named 'cart'
=========================== short test summary info ============================
ERROR test_cart.py
!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!
"""
SYNTAX = """Exit code 2
/usr/lib/python3.11/site-packages/_pytest/pathlib.py:640: in import_path
    importlib.import_module(module_name)
E     File "/home/dev/shop/test_cart.py", line 1
E       def test_total(:
E                      ^
E   SyntaxError: invalid syntax
"""
FIXTURE = """Exit code 1
E                                                                        [100%]
==================================== ERRORS ====================================
test_cart.py:4: in rows
E       ValueError: no rows
"""
RAISED = UNITTEST.splitlines()[-6]


@pytest.mark.promise("C3")
@pytest.mark.parametrize(
    ("output", "lines"),
    [
        (GO, ["--- FAIL: TestCart (0.00s)", "cart_test.go:12: got 2, want 3"]),
        (
            PYTEST,
            [
                "FAILED tests/test_cart.py::test_total - AssertionError: expected 3, got 2",
                "1 failed, 1 passed in 0.10s",
            ],
        ),
        (LINT, ["cart/cart.go:57:1: cyclomatic complexity 36 of func `Total` is high (gocyclo)"]),
        (
            UNITTEST.replace("ERROR:", "FAIL:"),
            ["FAIL: test_total (test_cart.Cart.test_total)", RAISED],
        ),
        (COLLECTING, ["E   ModuleNotFoundError: No module named 'cart'", "ERROR test_cart.py"]),
        (
            SYNTAX,
            [
                "E   SyntaxError: invalid syntax",
                'E     File "/home/dev/shop/test_cart.py", line 1',
            ],
        ),
        (FIXTURE, ["E       ValueError: no rows"]),
        (f"{UNITTEST.partition('  File')[0]}  File", UNITTEST.splitlines()[3:6:2]),
        ("Exit code 2\nsrc/cart.ts(3,7): error TS2304: Cannot find name 'x'.\n", None),
        ("Exit code 1\n\x1b[31m✕ adds up\x1b[0m\n", ["✕ adds up"]),
        ("Exit code 1\nsome words\nregion overflowed by 4 bytes", None),
        ("Exit code 1", []),
        ("", []),
    ],
)
def test_the_lines_that_name_what_failed_are_told(output, lines):
    expected = output.splitlines()[1:] if lines is None else lines

    assert telling_lines(output) == expected


@pytest.mark.promise("C3")
def test_at_most_two_lines_are_told_and_each_is_cut():
    many = "\n".join(f"src/a.py:{number}: {'x' * 500}" for number in range(1, 9))

    lines = telling_lines(many)

    assert len(lines) == 2
    assert {len(line) for line in lines} == {160}


@pytest.mark.promise("C3")
@pytest.mark.parametrize(
    "output",
    [
        "Exit code 127\nbash: mise: command not found",
        "Exit code 1\n(eval):cd:1: no such file or directory: cmd/app",
        "Exit code 1\n# ./app\nstat /home/dev/app: directory not found\nFAIL\t./app [setup failed]",
        "Exit code 2\nError: unknown flag: --disable-all",
        'Exit code 1\nnpm error Missing script: "tests"',
        "Exit code 2\nmake: *** No rule to make target 'tests'.  Stop.",
        "<tool_use_error>Sibling tool call errored</tool_use_error>",
        "Exit code 143\nCommand timed out after 2m 0s",
        "[Request interrupted by user for tool use]",
    ],
)
def test_a_call_that_did_not_run_is_no_failure(output):
    assert did_not_run(output)


@pytest.mark.promise("C3")
@pytest.mark.parametrize(
    "output",
    [
        GO,
        PYTEST,
        LINT,
        UNITTEST,
        "Exit code 1",
        "Exit code 1\n--- FAIL: TestOpen (0.1s)\n    open_test.go:3: no such file or directory",
    ],
)
def test_a_run_that_failed_did_run(output):
    assert not did_not_run(output)


@pytest.mark.promise("C3")
@pytest.mark.parametrize(
    ("output", "fails"),
    [
        (GO, True),
        (PYTEST, True),
        (LINT, True),
        ("ok  \tshop/cart\t0.01s\n", False),
        ("14 passed, 0 failed in 0.1s", False),
        ("0 issues.", False),
        ("it handled 3 errors of the fixture", False),
        ("Tests:       1 failed, 6 passed, 7 total", True),
        ("test result: FAILED. 5 passed; 1 failed; 0 ignored", True),
        ("Found 2 errors in 1 file (checked 3 source files)", True),
        ("", False),
    ],
)
def test_an_output_says_by_itself_that_a_run_failed(output, fails):
    assert says_failed(output) is fails


@pytest.mark.promise("C3")
def test_megabytes_are_read_at_both_ends():
    noise = "some line of a log\n" * 200_000

    assert telling_lines(f"--- FAIL: TestFirst (0.1s)\n{noise}") == ["--- FAIL: TestFirst (0.1s)"]
    assert says_failed(f"{noise}1 failed, 2 passed")
