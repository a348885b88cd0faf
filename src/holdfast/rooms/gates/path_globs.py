"""Whether a path fits a glob, in time that grows with the two of them and with nothing else.

`**` spans folders, `*` and `?` do not. A glob is read as steps, and a path is walked through them
one character at a time, at every step that it may stand at: nothing is tried twice.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    Step = tuple[str, str]  # what it is, and the characters it is about

# Steps: a character; one of several, or none of them; any but a slash; and three that take any
# number: of characters, of characters but slashes, of whole folders.
SIGN, CLASS, NOT_CLASS, ONE, ALL, STAR, FOLDERS = "sign class not one ** * **/".split()
MANY = (ALL, STAR, FOLDERS)


def path_matches(glob: str, path: str) -> bool:
    """Whether a path of the project fits a glob."""
    steps = _steps(_tidy(glob))
    # A bit for each step: those that a character may be at.
    every, star, folders = (_bits(steps, (kind,)) for kind in MANY)
    many = every | star | folders
    taking: dict[str, int] = {}
    at, inside = _forward(1, many), 0  # inside: of the name of a folder that `**/` takes
    for sign in _tidy(path):
        if sign not in taking:
            taking[sign] = sum(1 << n for n, step in enumerate(steps) if _takes(step, sign))
        onward = (at & taking[sign]) << 1
        if sign == "/":
            at, inside = onward | at & every | inside, 0
        else:
            at, inside = onward | at & (every | star), inside | at & folders
        at = _forward(at, many)
        if not at | inside:
            return False
    return bool(at >> len(steps) & 1)


def _bits(steps: list[Step], kinds: tuple[str, ...]) -> int:
    return sum(1 << number for number, step in enumerate(steps) if step[0] in kinds)


def _forward(at: int, many: int) -> int:
    """With what lies behind steps that may take nothing; at most two of them stand together."""
    at |= (at & many) << 1
    return at | (at & many) << 1


def _takes(step: Step, sign: str) -> bool:
    """Whether a step that takes one character takes this one."""
    kind, signs = step
    if kind in (SIGN, CLASS):
        return sign in signs
    return sign != "/" and (kind == ONE or (kind == NOT_CLASS and sign not in signs))


def _tidy(path: str) -> str:
    path = path.replace("\\", "/")
    while path.startswith("./"):
        path = path[2:]
    return path + "**" if path.endswith("/") else path


def _steps(glob: str) -> list[Step]:
    steps: list[Step] = []
    at = 0
    while at < len(glob):
        sign = glob[at]
        if glob.startswith("**/", at) and (at == 0 or glob[at - 1] == "/"):
            _add(steps, FOLDERS)
            at += 3
        elif glob.startswith("**", at):
            _add(steps, ALL)
            at += 2
        elif sign == "*":
            _add(steps, STAR)
            at += 1
        elif sign == "?":
            steps.append((ONE, ""))
            at += 1
        elif sign == "[" and "]" in glob[at + 2 :]:
            end = glob.index("]", at + 2)
            steps.append(_class(glob[at + 1 : end]))
            at = end + 1
        else:
            steps.append((SIGN, sign))
            at += 1
    return steps


def _add(steps: list[Step], kind: str) -> None:
    """A step that takes any number, unless one beside it takes as much."""
    while kind == ALL and steps and steps[-1][0] in MANY:
        steps.pop()
    if not steps or steps[-1][0] not in (ALL, kind):
        steps.append((kind, ""))


def _class(inside: str) -> Step:
    is_negated = inside[0] in "!^"
    inside = inside[is_negated:]
    signs = ""
    at = 0
    while at < len(inside):
        if inside[at + 1 : at + 2] == "-" and at + 2 < len(inside):
            signs += "".join(map(chr, range(ord(inside[at]), ord(inside[at + 2]) + 1)))
            at += 3
        else:
            signs += inside[at]
            at += 1
    return (NOT_CLASS if is_negated else CLASS), signs
