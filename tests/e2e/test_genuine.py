"""What a person gives through the real client is believed, however the client was started: without
a screen, in tmux, by an editor's process, in a process namespace of its own."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from typing import Any

import pytest

from e2e import rig
from e2e.conftest import Claude, assert_sound, wait_until
from e2e.test_claude_code import DONE
from measure import some_of

pytestmark = pytest.mark.promise("X8")

RULE = "Never push to main."
COMMAND = {"command": "git log --oneline", "description": "Look"}
SHOWN = ["--output-format", "stream-json", "--verbose", "--allowedTools", "Bash"]


def environment(claude: Claude, **more: str) -> dict[str, str]:
    return rig.environment(claude.model, claude.scratch, **more)


def plain(claude: Claude, command: list[str]) -> None:
    subprocess.run(
        [*command, "-p", RULE, *SHOWN],
        cwd=claude.repo,
        env=environment(claude),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        timeout=rig.RUN_TIMEOUT_S,
        check=True,
    )


def in_a_namespace(claude: Claude, command: list[str]) -> None:
    plain(claude, ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child", *command])


def in_tmux(claude: Claude, command: list[str]) -> None:
    done, socket = claude.scratch / "done", claude.scratch / "tmux"
    line = f"{shlex.join([*command, '-p', RULE, *SHOWN])}; touch {done}"
    subprocess.run(
        ["tmux", "-S", str(socket), "new-session", "-d", "-c", str(claude.repo), line],
        env=environment(claude),
        timeout=60,
        check=True,
    )
    wait_until(done.exists, "the client in tmux to end")


def by_an_editor(claude: Claude, command: list[str]) -> None:
    """An extension's process that speaks to the client through pipes, as editors do."""
    words = {"type": "user", "message": {"role": "user", "content": RULE}}
    editor = (
        "import subprocess, sys\n"
        "client = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE)\n"
        "client.communicate(sys.argv[1].encode() + b'\\n')\n"
        "sys.exit(client.returncode)\n"
    )
    subprocess.run(
        [
            sys.executable,
            "-c",
            editor,
            json.dumps(words),
            *command,
            "-p",
            "--input-format",
            "stream-json",
            *SHOWN,
        ],
        cwd=claude.repo,
        env=environment(claude, TERM_PROGRAM="vscode"),
        stdin=subprocess.DEVNULL,
        timeout=rig.RUN_TIMEOUT_S,
        check=True,
    )


WAYS = {
    "without a screen": plain,
    "in a namespace": in_a_namespace,
    "in tmux": in_tmux,
    "by an editor": by_an_editor,
}


@pytest.mark.parametrize("way", some_of(WAYS, 1))
def test_a_person_is_believed_however_the_client_was_started(
    claude: Claude, kept: Any, state: str, way: str
) -> None:
    needed = {"in tmux": "tmux", "in a namespace": "unshare"}.get(way)
    if needed and (not shutil.which(needed) or (needed == "unshare" and os.geteuid())):
        pytest.skip(f"{needed} is not to be had here")
    claude.model.say({"tool": "Bash", "input": COMMAND}, DONE)

    WAYS[way](claude, [str(rig.fetch_claude())])

    (session,) = kept.sessions()
    settled = [entry.body for entry in kept.entries(session, "prompt_settled")]
    assert [(body["stands"], body["origin"]) for body in settled] == [(True, settled[0]["origin"])]
    assert settled[0]["origin"] in ("typed", "sdk")
    run = claude.run("Go on", says=[DONE])
    assert "Never push to main" in claude.model.sent_text()
    assert run.exit_code == 0
    assert_sound(claude, state)
