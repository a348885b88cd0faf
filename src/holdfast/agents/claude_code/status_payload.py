"""What Claude Code tells a status line, and the status line that its user had before ours.

The client takes `statusLine` from the strongest settings file that has one, so ours stands in front
of any in the files below it: those are read anew each time, for they belong to the user. One that
stood in the same file is in the record of the installation, which `setup/install.py` writes.
"""

from __future__ import annotations

from holdfast.agents.claude_code import settings_layers
from holdfast.system import files, jsontext, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.agents.claude_code.fields import Payload

KEY = "statusLine"
ERRAND = "statusline"
OUR_LAUNCHER = "/holdfast/hook.py"
WRAPPED = "status_line"  # in the record: as it stood in the file before ours
LAYERS = 3
MARGINS = 4  # the client leaves two columns on each side


def session_of(payload: Payload) -> str:
    value = payload.get("session_id")
    return value if isinstance(value, str) else ""


def pull_request_of(payload: Payload) -> str:
    """The number of the branch's pull request, as the client looks it up; "" when it tells none."""
    value = payload.get("pr")
    number = value.get("number") if isinstance(value, dict) else None
    return str(number) if isinstance(number, int) and 0 < number < 1 << 31 else ""


def is_ours(value: object) -> bool:
    """Whether it is the very command that we install; one of the user's may call it, too."""
    command = value.get("command") if isinstance(value, dict) else None
    program, _, name = str(command).rpartition(f" {ERRAND} ")
    interpreter, _, launcher = program.partition(" -I -S ")
    is_word = " " not in interpreter or interpreter[:1] == interpreter[-1:] == "'"
    return launcher.strip("'").endswith(OUR_LAUNCHER) and is_word and name.isalnum()


def users_own(state: str, install: str) -> str:
    """The command that the user's own status line runs, "" for none. `install` names the record
    of the settings file that ours was started from."""
    for _ in range(LAYERS):
        record = _record(state, install)
        path = record.get("path")
        value = _parsed(record.get(WRAPPED))
        if value is None and isinstance(path, str):
            value = below(path)
        command = value.get("command") if isinstance(value, dict) else None
        if not isinstance(command, str):
            return ""
        if not is_ours(value):
            return command
        install = command.rpartition(" ")[2]  # ours once more, in a weaker file: what it wraps
    return ""


def _record(state: str, install: str) -> dict[str, object]:
    record = _parsed(files.read_text(paths.install(state, install))) if install.isalnum() else None
    return record if isinstance(record, dict) else {}


def _parsed(text: object) -> object:
    try:
        value: object = jsontext.loads(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return value


def below(path: str) -> object:
    """The status line of the strongest file that is weaker than ours."""
    root = path.rpartition("/")[0].rpartition("/")[0]
    weaker: list[str] = []
    for _, place in settings_layers.places(root):
        if place == path:
            break
        weaker.append(place)
    else:
        return None
    for place in reversed(weaker):
        layer = settings_layers.read(place) if files.exists(place) else None
        if layer is not None and KEY in layer.values:
            value: object = layer.values[KEY]
            return value
    return None
