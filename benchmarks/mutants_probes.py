"""What each test runs: a plugin of pytest, in a copy whose every block says when it is run.

A block says it by a line in a file, so that a hook without our environment can say it as well as
the process of the test. `probed` writes such a source; the plugin reads after each test.
"""

from __future__ import annotations

import ast
import json
import os
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from mutation import Source

ROOT = Path(__file__).parents[1]
HEARD = ROOT / "probes.txt"  # in the copy
TESTS = ROOT / "surveyed.jsonl"
AT_MOST_SECONDS = 2.0  # of the cases of one test: more of them tell little
PREFACE = """
import posix as _mutants_posix
_mutants_heard = set()
def _mutants_probe(number):
    if number not in _mutants_heard:
        _mutants_heard.add(number)
        try:
            file = _mutants_posix.open({path!r}, _mutants_posix.O_WRONLY | _mutants_posix.O_APPEND)
            _mutants_posix.write(file, b"%d\\n" % number)
            _mutants_posix.close(file)
        except OSError:
            pass
"""


def probed(source: Source, first: int, path: Path) -> str:
    """The source with a call at the head of each block; the first block has the number `first`."""
    for number, (_, statements) in enumerate(source.blocks[1:], first + 1):
        place = 1 if _is_text(statements[0]) else 0
        statements[place:place] = ast.parse(f"_mutants_probe({number})").body
    body = source.tree.body
    place = 1 if body and _is_text(body[0]) else 0
    while place < len(body) and getattr(body[place], "module", "") == "__future__":
        place += 1
    body[place:place] = ast.parse(PREFACE.format(path=str(path))).body
    return ast.unparse(ast.fix_missing_locations(source.tree))


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


class _Survey:
    def __init__(self) -> None:
        # Seconds of processors, by the function of a test.
        self.spent: defaultdict[str, float] = defaultdict(float)
        self.began = 0.0
        self.is_passed = True
        self.is_promised = False

    def begin(self, item: Any) -> bool:
        """False when other cases of the test have taken long enough."""
        if self.spent[_function(item.nodeid)] > AT_MOST_SECONDS:
            return False
        HEARD.write_bytes(b"")
        for name, module in list(sys.modules.items()):
            if name.startswith("holdfast"):
                getattr(module, "_mutants_heard", set()).clear()
        self.began, self.is_passed = sum(os.times()[:4]), True
        self.is_promised = item.get_closest_marker("promise") is not None
        return True

    def end(self, test: str) -> None:
        seconds: float = sum(os.times()[:4]) - self.began
        self.spent[_function(test)] += seconds
        if self.is_passed:
            numbers = sorted(set(map(int, HEARD.read_text().split())))
            row = (test, round(seconds, 3), self.is_promised, numbers)
            with TESTS.open("a") as file:
                file.write(json.dumps(row, separators=(",", ":")) + "\n")


def _function(test: str) -> str:
    return test.partition("[")[0]


_SURVEY = _Survey()


def pytest_runtest_protocol(item: Any) -> bool | None:
    return None if _SURVEY.begin(item) else True


def pytest_runtest_logreport(report: Any) -> None:
    _SURVEY.is_passed &= report.outcome == "passed"


def pytest_runtest_logfinish(nodeid: str) -> None:
    _SURVEY.end(nodeid)
