"""The real Claude Code at a terminal: a person's keys go in, what the person sees comes out.

`rig.py` runs the client without a screen; menus, queued prompts and the lines for the person exist
only here. Its laws hold here too: a whole fresh environment, a scratch home, loopback only, every
wait bounded. Besides: only what was started here is ended, and a key is pressed when the screen
shows what it answers, not when some time has passed.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import tempfile
import termios
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pyte

from e2e import rig
from e2e.stub_api import ScriptedModel

# Tall enough for a whole story: the client scrolls what does not fit out of sight.
COLUMNS, LINES = 160, 100
WAIT_S = 90.0
LOOK_EVERY_S = 0.02
KEYS = {
    "enter": "\r",
    "newline": "\n",
    "escape": "\x1b",
    "tab": "\t",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "ctrl+c": "\x03",
}
READY = "mode on"  # whichever: it stands below the line that is typed into
POINTER = "❯"  # before what Enter would choose in a menu, and before what is being typed
LONGEST_MENU = 12
TRIES, LISTENS_AFTER_S, REACTS_WITHIN_S = 5, 0.2, 4.0
# Before a person this client does more by itself: it would clone a catalogue of plugins and ask
# whether it is connected. Whatever else would leave this machine ends at a port nobody listens on.
NOWHERE = "http://127.0.0.1:9"
STAY_HOME = {
    "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL": "1",
    "GIT_ALLOW_PROTOCOL": "file",
    "HTTPS_PROXY": NOWHERE,
    "HTTP_PROXY": NOWHERE,
    "NO_PROXY": "127.0.0.1",
}
# The client's own words, in its debug log.
HOOK_FAILED = re.compile(r"\[.*\] (finished|completed) with status (?!0\b)|Hook JSON output valid")
TURN_ENDED = "Hooks: Stop ["
AT_WORK = "esc to interrupt"


class Screen(pyte.Screen):
    """A screen for a client that says more than pyte knows: what is unknown draws nothing."""

    def report_device_status(self, mode: int = 0, **_: bool) -> None:
        super().report_device_status(mode)

    def select_graphic_rendition(self, *attrs: int, **_: bool) -> None:
        super().select_graphic_rendition(*attrs)


class Terminal:
    """One interactive client, and the screen that it draws.

    `session` is the id that it begins with; an accepted plan and `/clear` go on under another.
    """

    def __init__(
        self, model: ScriptedModel, repo: Path, *args: str, scratch: Path, env: dict[str, str]
    ) -> None:
        whole = rig.environment(model, scratch, **STAY_HOME, **env)
        self._home = Path(whole["HOME"])
        _skip_first_questions(self._home, repo, whole["ANTHROPIC_API_KEY"])
        self.session = str(uuid.uuid4())
        if not {"--resume", "--continue"} & set(args):
            args = (*args, "--session-id", self.session)
        self._debug = Path(tempfile.mkdtemp(prefix="terminal-", dir=scratch)) / "debug"
        self._screen = Screen(COLUMNS, LINES)
        self._stream = pyte.ByteStream(self._screen)
        self._lock = threading.Lock()
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        self.process = subprocess.Popen(
            [str(rig.fetch_claude()), "--debug-file", str(self._debug), *args],
            cwd=repo,
            env=whole,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        # Read at all times: a client whose terminal is full stands still.
        threading.Thread(target=self._draw, daemon=True).start()
        try:
            self.wait_for(READY)
        except AssertionError:
            self.kill()
            raise

    def _draw(self) -> None:
        try:
            while drawn := os.read(self._ours, 65_536):
                with self._lock:
                    self._stream.feed(drawn)
        except OSError:
            pass  # so a terminal ends when nobody is left at its other end
        finally:
            os.close(self._ours)

    def screen(self) -> str:
        """What the person sees now, without the space that only fills it."""
        with self._lock:
            lines = [line.rstrip() for line in self._screen.display]
        return "\n".join(line for line in lines if line)

    def shows(self, text: str) -> bool:
        """However the client has broken the lines."""
        return _squeezed(text) in _squeezed(self.screen())

    def wait_until(self, is_so: Callable[[], object], what: str) -> None:
        end = time.monotonic() + WAIT_S
        while not is_so():
            assert time.monotonic() < end, f"waited {WAIT_S} s for {what}; seen:\n{self.screen()}"
            assert self.process.poll() is None, f"it ended before {what}; seen:\n{self.screen()}"
            time.sleep(LOOK_EVERY_S)

    def wait_for(self, text: str) -> None:
        self.wait_until(lambda: self.shows(text), f"{text!r} on the screen")

    def wait_gone(self, text: str) -> None:
        self.wait_until(lambda: not self.shows(text), f"{text!r} to leave the screen")

    def press(self, *keys: str) -> None:
        for key in keys:
            self._write(KEYS[key])

    def _write(self, text: str) -> None:
        assert self.process.poll() is None, f"it has ended; seen:\n{self.screen()}"
        os.write(self._ours, text.encode())

    def type(self, text: str) -> None:
        """Type, and see it typed. Enter is another key: what comes along with text is text."""
        for number, line in enumerate(text.split("\n")):
            if number:
                self.press("newline")
            before = self._count(line)
            self._write(line)
            self.wait_until(lambda: self._count(line) > before, f"{line!r} to be typed")  # noqa: B023

    def _count(self, line: str) -> int:
        return _squeezed(self.screen()).count(_squeezed(line)[-40:])

    def choose(self, option: str) -> None:
        """Move to an option of the menu on the screen. What is done with it is another key."""
        self.wait_for(option)
        for _ in range(LONGEST_MENU):
            if _squeezed(option) in _squeezed(self.pointed_at()):
                return
            self._press_in_menu("down")
        raise AssertionError(f"no option {option!r}; seen:\n{self.screen()}")

    def accept(self, option: str) -> None:
        """Move to an option and take it."""
        self.choose(option)
        self._press_in_menu("enter")

    def _press_in_menu(self, key: str) -> None:
        """Press a key until the menu shows it: the client draws a menu before it listens to it."""
        before = self.pointed_at()
        for _ in range(TRIES):
            time.sleep(LISTENS_AFTER_S)
            self.press(key)
            end = time.monotonic() + REACTS_WITHIN_S
            while time.monotonic() < end:
                if self.pointed_at() != before:
                    return
                time.sleep(LOOK_EVERY_S)
        raise AssertionError(f"{key} does nothing; seen:\n{self.screen()}")

    def pointed_at(self) -> str:
        """The line that Enter would act on: of a menu, else of what is being typed."""
        pointed = [line for line in self.screen().splitlines() if line.lstrip().startswith(POINTER)]
        return pointed[-1] if pointed else ""

    def send(self, prompt: str) -> None:
        self.type(prompt)
        self.press("enter")

    def ask(self, prompt: str) -> None:
        """Send a prompt and wait until the turn is over, its last hook too."""
        before = self._turns()
        self.send(prompt)
        self.wait_turns(before + 1)

    def wait_turns(self, count: int) -> None:
        """Until so many turns are over, and the client waits for a person."""
        self.wait_until(lambda: self._turns() >= count, f"the end of turn {count}")
        self.wait_gone(AT_WORK)

    def _turns(self) -> int:
        return self._log().count(TURN_ENDED)

    def _log(self) -> str:
        return self._debug.read_text(errors="replace") if self._debug.exists() else ""

    def close(self) -> None:
        """Leave as a person does; the client's last hooks have run when this returns."""
        self.send("/exit")
        try:
            assert self.process.wait(WAIT_S) == 0
        finally:
            self.kill()

    def kill(self) -> None:
        """End the client, whatever it shows. A client that has gone is left alone."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(rig.KILL_TIMEOUT_S)

    def transcript(self) -> str:
        """What the client has written down of the session that it began with, so far."""
        for path in self._home.glob(f".claude/projects/*/{self.session}.jsonl"):
            return path.read_text(errors="replace")
        return ""

    def complaints(self) -> list[str]:
        """All that the client held against our hooks and settings."""
        debug = self._log()
        found = [
            line
            for line in debug.splitlines()
            if rig.SETTING_REFUSED in line or HOOK_FAILED.search(line)
        ]
        if self.process.returncode == 0 and not rig.END_HEARD.search(debug):
            found.append("no hook of SessionEnd ended well")
        return found


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _skip_first_questions(home: Path, repo: Path, key: str) -> None:
    """What a person has answered before the first prompt: the theme, the key, whether to trust."""
    file = home / ".claude.json"
    answered = json.loads(file.read_text()) if file.exists() else {}
    answered["hasCompletedOnboarding"] = True
    answered["customApiKeyResponses"] = {"approved": [key[-20:]], "rejected": []}
    answered.setdefault("projects", {}).setdefault(str(repo), {})["hasTrustDialogAccepted"] = True
    file.write_text(json.dumps(answered))
