"""What the MCP server's first answer costs, beside a bare import of the SDK, taking turns.

    python benchmarks/mcp_start.py [--rounds N]

Laws: every figure is computed in the run, as a ratio of medians; nothing outside a scratch folder
is written; the exit code is 0, for a benchmark informs.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "benchmark", "version": "1"},
    },
}
LIMIT_S = 60


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--rounds", type=int, default=10)
    rounds = options.parse_args().rounds
    imports, answers = [], []
    with tempfile.TemporaryDirectory(prefix="holdfast-mcp-") as scratch:
        environment = {**os.environ, "HOME": scratch, "XDG_RUNTIME_DIR": scratch}
        for _ in range(rounds):
            imports.append(bare_import(environment))
            answers.append(first_answer(environment, scratch))
    importing, answering = statistics.median(imports), statistics.median(answers)
    print(f"first answer: {answering / importing:.2f} times a bare import of the SDK")


def bare_import(environment: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", "import mcp.server.mcpserver"],
        env=environment,
        check=True,
        timeout=LIMIT_S,
    )
    return time.perf_counter() - began


def first_answer(environment: dict[str, str], folder: str) -> float:
    began = time.perf_counter()
    with subprocess.Popen(
        [str(Path(sys.executable).with_name("holdfast")), "mcp"],
        env=environment,
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        print(json.dumps(HELLO), file=server.stdin, flush=True)
        answer = json.loads(server.stdout.readline())
        spent = time.perf_counter() - began
        assert answer["result"]["serverInfo"]["name"] == "holdfast"
        server.stdin.close()
        server.wait(LIMIT_S)
    return spent


if __name__ == "__main__":
    main()
