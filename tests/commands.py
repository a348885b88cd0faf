"""`holdfast` without a terminal, as a program or an agent runs it.

A process of its own loads the package once, and forks for each command: what a command does is the
same, and it starts ten times as fast. What a person types at a terminal starts an interpreter
(`cli/terminal.py`), and so does whatever is killed, traced or measured.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import holdfast

Done = subprocess.CompletedProcess[str]

SERVER = """
import importlib, json, os, random, sys, time, traceback
from holdfast.__main__ import main
from holdfast.cli import COMMANDS
from holdfast.hook.bundle import build
build.content()  # what `init` writes
for name in COMMANDS:
    importlib.import_module(f"holdfast.cli.commands.{name}_command")
orders, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
nothing = os.open(os.devnull, os.O_RDWR)
for number in (0, 1):
    os.dup2(nothing, number)

def run(order):
    os.chdir(order["folder"])
    for name, value in ((0, os.O_RDONLY), (1, os.O_WRONLY), (2, os.O_WRONLY)):
        os.dup2(os.open(order["streams"][name], value), name)
    os.environ.clear()
    os.environ.update(order["environment"])
    time.tzset()
    random.seed()
    sys.argv = ["holdfast", *order["words"]]
    try:
        return main()
    except SystemExit as end:
        return end.code or 0
    except BaseException:
        traceback.print_exc()
        return 1

for line in orders:
    child = os.fork()
    if child == 0:
        orders.close()
        answers.close()
        code = run(json.loads(line))
        for stream in (sys.stdout, sys.stderr):
            if not stream.closed:
                stream.flush()
        os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(code, file=answers, flush=True)
"""


@cache
def _server() -> subprocess.Popen[str]:
    source = Path(holdfast.__file__).parents[1]
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(source)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd="/",
    )
    atexit.register(server.communicate)
    return server


def run(
    folder: Path,
    *arguments: str,
    given: str | bytes = "",
    alone: bool = False,
    **environment: str,
) -> Done:
    """`holdfast ARGUMENTS` in a folder; `given` is what it reads; `alone` it has nothing of
    the environment of the tests."""
    with tempfile.TemporaryDirectory() as name:
        streams = [f"{name}/{each}" for each in ("in", "out", "err")]
        for stream, content in zip(streams, (given, "", ""), strict=True):
            Path(stream).write_bytes(content.encode() if isinstance(content, str) else content)
        order = {
            "words": arguments,
            "folder": str(folder),
            "environment": {**({} if alone else os.environ), **environment},
            "streams": streams,
        }
        server = _server()
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(order) + "\n")
        server.stdin.flush()
        code = int(server.stdout.readline())
        out, err = (Path(stream).read_bytes().decode() for stream in streams[1:])
    return subprocess.CompletedProcess(["holdfast", *arguments], code, out, err)
